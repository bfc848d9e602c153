// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// outcome is the outcome of a program on one plugin.
type outcome struct {
	// Results holds the results of each run, up to the one that failed.
	Results [][]*array.Array `json:"results,omitempty"`
	// Refused is the error of compilation. Lacking says that the plugin does not
	// know what the program asks for.
	Refused string `json:"refused,omitempty"`
	Lacking bool   `json:"lacking,omitempty"`
	// Failed is any other error.
	Failed string `json:"failed,omitempty"`
	// Skipped says what the plugin lacks for the program.
	Skipped string `json:"skipped,omitempty"`
}

// failure says what went wrong. It is empty when all runs have results.
func (o *outcome) failure() string {
	switch {
	case o.Refused != "":
		return "it does not compile the program: " + o.Refused
	case o.Failed != "":
		return o.Failed
	}
	return o.Skipped
}

// runner runs programs on a plugin, each once for every list of arguments. An error means
// that it cannot go on.
type runner interface {
	run(ctx context.Context, u unit, lists [][]*array.Array) (*outcome, error)
}

// local runs programs on a plugin in this process.
type local struct{ env *check.Env }

func (l local) run(ctx context.Context, u unit, lists [][]*array.Array) (*outcome, error) {
	var o outcome
	c := check.Check{Rule: "RUN-02", Timeout: caseLimit, Run: func(t *check.T) {
		err := execute(t, u, lists, func(results []*array.Array) { o.Results = append(o.Results, results) })
		var r *refusal
		switch {
		case errors.As(err, &r):
			o.Refused, o.Lacking = r.err.Error(), r.lacking()
		case err != nil:
			o.Failed = err.Error()
		}
	}}
	r := check.Run(ctx, &c, l.env)
	switch {
	case r.Verdict == check.Timeout:
		return nil, errors.New(strings.Join(r.Failures, "; ")) // the check may still be writing to o
	case r.Verdict.Skipped():
		o.Skipped = r.Skip
	case len(r.Failures) > 0:
		o.Failed = strings.Join(r.Failures, "; ")
	}
	return &o, nil
}

// The tasks of a peer.
const (
	taskOpen = "open" // Peer -> string, the problem
	taskRun  = "run"  // peerProgram -> outcome
)

type peerProgram struct {
	unit
	Args [][]*array.Array `json:"args"`
}

// Serve makes this process the one that runs programs on the second plugin of a comparison.
// It does not return.
func Serve() {
	var env *check.Env
	worker.Serve(func(task string, params json.RawMessage) (any, error) {
		switch task {
		case taskOpen:
			var p Peer
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, err
			}
			table, err := openPlugin(p.Plugin)
			if err != nil {
				return err.Error(), nil
			}
			env = &check.Env{Table: table, Path: p.Plugin, Options: session.Attributes(p.Options)}
			return "", nil
		case taskRun:
			var p peerProgram
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, err
			}
			return local{env}.run(context.Background(), p.unit, p.Args)
		}
		return nil, fmt.Errorf("there is no task %q", task)
	})
}

func openPlugin(path string) (*capi.Table, error) {
	if err := plugins.Prepare(path); err != nil {
		return nil, err
	}
	table, err := capi.Open(path)
	if err != nil {
		return nil, err
	}
	c := &capi.Call[capi.PluginInitializeArgs]{}
	if err := c.Do(table); err != nil && capi.CodeOf(err) != capi.ErrorCodeUnimplemented {
		return nil, err
	}
	return table, nil
}

// remote runs programs on the second plugin, in a process that they may end.
type remote struct {
	peer Peer

	mu      sync.Mutex // one program at a time
	process *worker.Process
	ran     int // that were sent to this process
}

const (
	peerStart = time.Minute
	peerOpen  = 2 * time.Minute
)

func (p *Peer) scale(d time.Duration) time.Duration {
	if p.Factor <= 0 {
		return d
	}
	return time.Duration(float64(d) * p.Factor)
}

func (r *remote) run(ctx context.Context, u unit, lists [][]*array.Array) (*outcome, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if r.process == nil {
			if err := r.start(ctx); err != nil {
				return nil, err
			}
		}
		r.ran++
		var o outcome
		death, err := r.process.Do(ctx, taskRun, peerProgram{u, lists}, r.peer.scale(caseLimit), &o)
		switch {
		case err != nil:
			r.process.Kill()
			r.process = nil
			return nil, err
		case death == nil:
			return &o, nil
		}
		r.process = nil
		if r.ran == 1 {
			return &outcome{Failed: "its process died: " + death.String()}, nil
		}
		// An earlier program may be at fault: this one is tried again in a new process.
	}
}

func (r *remote) start(ctx context.Context) error {
	// The process outlives the check that started it.
	w, err := worker.Start(context.WithoutCancel(ctx), worker.Command{Args: r.peer.Args, Token: r.peer.Token}, r.peer.scale(peerStart))
	if err != nil {
		return err
	}
	var problem string
	death, err := w.Do(ctx, taskOpen, r.peer, r.peer.scale(peerOpen), &problem)
	switch {
	case err == nil && death != nil:
		err = errors.New(death.String())
	case err == nil && problem != "":
		err = errors.New(problem)
	}
	if err != nil {
		w.Kill()
		return fmt.Errorf("open %s: %w", r.peer.Plugin, err)
	}
	r.process, r.ran = w, 0
	return nil
}
