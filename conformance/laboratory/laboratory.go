// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package laboratory learns about plugins by other means than the checks of the contract: it runs
// programs whose results are known, compares two plugins, and predicts what clients will do with a
// plugin, from what package callers has measured. Below it are also the commands by which the
// authors of the suite measure and prove: they are not part of what checks a plugin.
package laboratory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/conformance/laboratory/internal/corpus"
)

// Programs says which programs to run.
type Programs struct {
	// Folder has programs with their arguments and results; empty: none.
	Folder string
	// StableHLO is a checkout of StableHLO, whose tests contain programs; empty: none.
	StableHLO string
}

func (p Programs) spec() *corpus.Spec {
	return &corpus.Spec{Programs: p.Folder, StableHLO: p.StableHLO}
}

// Suite returns a suite that runs each program and compares its results with the known ones.
func (p Programs) Suite() conformance.Suite { return p.spec() }

// Comparison says how to compare a plugin with another one: on the suite's own programs, and on
// further ones.
type Comparison struct {
	Programs
	// Reference is the path of the other plugin, and Options are the create options of its client.
	Reference string
	Options   []capi.Attribute
	// Rounds is how many times each program also runs with random inputs, which are drawn from
	// Seed.
	Rounds int
	Seed   uint64
	// Reproducers is the folder to which the smallest inputs found to show a difference are
	// written; empty: none are.
	Reproducers string
}

// Suite returns a suite that runs each program on both plugins and compares the results. Each
// plugin has processes of its own.
func (c Comparison) Suite() conformance.Suite {
	s := c.spec()
	s.Against = &corpus.Peer{
		Plugin: c.Reference, Options: session.Options(c.Options), Rounds: c.Rounds, Seed: c.Seed, Reproducers: c.Reproducers,
	}
	return s
}

// Compared returns the rule that plugins agree, and the number of the suite's own programs on which
// they are compared.
func Compared() (rule string, programs int) { return corpus.Agree, len(corpus.OwnCases()) }

// probeToken identifies the processes that probe plugins for predictions.
const probeToken = "probe"

// Worker makes this process a worker if [Predict], or [conformance.Run] with a suite of this
// package, started it as one; it then does not return. A program that calls these must call Worker
// at the start of main.
func Worker() {
	asked, ok := worker.Asked()
	switch {
	case !ok:
	case asked == corpus.Token:
		session.Serve(session.Program{Check: new(corpus.Spec).Find})
	case asked == probeToken:
		serveProbe(nil)
	default:
		new(corpus.Spec).ServePeer(asked, corpus.Token)
	}
}

// Predict says what clients, such as jax@0.8.1 and gomlx, will do with a plugin; callers.Clients
// lists them. It calls the functions that the clients call, in worker processes like those of
// conformance.Run, and takes seconds. Of the options it uses only Plugin, CreateOptions and
// WorkerArgs.
//
// It fails if the plugin cannot be opened or probed, or if there is no such client.
func Predict(ctx context.Context, o conformance.Options, clients ...string) ([]*callers.Prediction, error) {
	return PredictFrom(ctx, o, nil, clients...)
}

// PredictFrom is Predict for a plugin that the suite has judged: what its checks of numbers found
// wrong is predicted as wrong numbers. A nil report says nothing.
func PredictFrom(
	ctx context.Context, o conformance.Options, r *conformance.Report, clients ...string,
) ([]*callers.Prediction, error) {
	if _, ok := worker.Asked(); ok {
		return nil, errors.New("laboratory.Predict was called in a worker: main must call laboratory.Worker before anything else")
	}
	var profiles []*callers.Profile
	for _, name := range clients {
		p, err := callers.Lookup(name)
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	path, err := filepath.Abs(o.Plugin)
	if err != nil {
		return nil, err
	}
	command := worker.Command{Args: o.WorkerArgs, Token: probeToken}
	found, err := runProbe(ctx, command, probeRequest{Plugin: path, Options: session.Options(o.CreateOptions)})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", conformance.ErrNothingToCheck, err)
	}
	found.Path = path
	if r != nil {
		found.Add(r)
	}
	var all []*callers.Prediction
	for _, p := range profiles {
		all = append(all, p.Predict(*found))
	}
	return all, nil
}
