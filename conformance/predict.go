// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/purepjrt/purepjrt/conformance/callers"
	"github.com/purepjrt/purepjrt/conformance/internal/callers/probe"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
)

// probeSuffix at the end of a worker's token makes it probe a plugin.
const probeSuffix = "-probe"

// Predict says what clients, such as jax@0.8.1, will do with o.Plugin; callers.Clients lists
// them. It calls the functions that the clients call, in worker processes like those of Run, and
// takes seconds. Of the options it uses only Plugin, CreateOptions and WorkerArgs.
//
// It fails if the plugin cannot be opened or probed, or if there is no such client.
func Predict(ctx context.Context, o Options, clients ...string) ([]*callers.Prediction, error) {
	if _, ok := worker.Asked(); ok {
		return nil, errors.New("conformance.Predict was called in a worker: main must call conformance.Worker before anything else")
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
	command := worker.Command{Args: o.WorkerArgs, Token: runToken + probeSuffix}
	found, err := probe.Run(ctx, command, probe.Request{Plugin: path, Options: options(o.CreateOptions)})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNothingToCheck, err)
	}
	var all []*callers.Prediction
	for _, p := range profiles {
		all = append(all, p.Predict(*found))
	}
	return all, nil
}
