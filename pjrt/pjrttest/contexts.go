// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"
	"time"
)

// A ContextCheck finds out whether a function or method returns when its context ends, even while
// a function of the plugin blocks.
type ContextCheck struct {
	// Options describe the plugin. With NoLeaks, the objects of the plugin are counted, too.
	Options Options
	// Prepare makes what one call needs, and returns the call, which returns what the caller
	// closes. Prepare closes what it made with Cleanup of t.
	Prepare func(t testing.TB, p *Plugin) (call func(context.Context) ([]io.Closer, error))
	// Pending says that Prepare has called Hold, and that the call waits for what is held.
	Pending bool
}

// hangPatience is how long a call may take that must not hang.
const hangPatience = time.Minute

const eventOnReady = "PJRT_Event_OnReady"

// Run blocks each function of the plugin that the call calls, one at a time, and fails the test if
// the call does not return when its context ends meanwhile, if objects are left once the function
// goes on, or if the same call fails later.
//
// It counts the objects of the whole process, so the test must not be parallel.
func (c ContextCheck) Run(t *testing.T) {
	t.Helper()
	NoLeaks(t)
	p := New(t, c.Options)
	functions := c.functions(t, p)
	if len(functions) == 0 {
		t.Fatal("pjrttest: the call calls no function of the plugin")
	}
	for _, f := range functions {
		t.Run(f, func(t *testing.T) {
			c.blocked(t, p, f)
			t.Run("later", func(t *testing.T) { c.later(t, p) })
		})
	}
}

// functions returns the functions that the call calls.
func (c ContextCheck) functions(t *testing.T, p *Plugin) []string {
	var names []string
	t.Run("not blocked", func(t *testing.T) {
		call := c.Prepare(t, p)
		before := p.allCalls()
		r := c.start(call)
		if c.Pending {
			p.await(t, r, before, eventOnReady)
		} else {
			r.wait(t)
		}
		if r.end(t); r.err != nil && !c.Pending {
			t.Fatalf("pjrttest: the call fails: %v", r.err)
		}
		time.Sleep(10 * time.Millisecond) // what it left to other goroutines may call more
		for f, n := range p.allCalls() {
			if n > before[f] {
				names = append(names, f)
			}
		}
		slices.Sort(names)
		r.close()
		p.resumeAll(c.Pending)
	})
	return names
}

// blocked makes the call while the function blocks.
func (c ContextCheck) blocked(t *testing.T, p *Plugin, function string) {
	call := c.Prepare(t, p)
	before := p.allCalls()
	end := p.Block(function)
	defer end()
	r := c.start(call)
	if c.Pending {
		p.await(t, r, before, function, eventOnReady)
	} else {
		p.await(t, r, before, function)
	}
	r.end(t)
	if r.err != nil && !errors.Is(r.err, context.Canceled) {
		t.Errorf("the call returns another error than that of its context: %v", r.err)
	}
	end()
	r.close()
	p.resumeAll(c.Pending)
}

// later makes the call when nothing blocks.
func (c ContextCheck) later(t *testing.T, p *Plugin) {
	call := c.Prepare(t, p)
	before := p.allCalls()
	r := c.start(call)
	if c.Pending {
		p.await(t, r, before, eventOnReady)
		p.resumeAll(true)
	}
	if r.wait(t); r.err != nil {
		t.Errorf("the call fails later: %v", r.err)
	}
	r.close()
}

// resumeAll ends Hold.
func (p *Plugin) resumeAll(held bool) {
	if held {
		p.Resume()
	}
}

// running is a call in a goroutine.
type running struct {
	cancel  context.CancelFunc
	over    chan struct{}
	results []io.Closer // valid when over is closed
	err     error       // valid when over is closed
}

func (c ContextCheck) start(call func(context.Context) ([]io.Closer, error)) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel, over: make(chan struct{})}
	go func() {
		defer close(r.over)
		r.err = errors.New("it ended its goroutine")
		r.results, r.err = call(ctx)
	}()
	return r
}

// end ends the context and waits for the end of the call.
func (r *running) end(t *testing.T) {
	t.Helper()
	r.cancel()
	r.wait(t)
}

func (r *running) wait(t *testing.T) {
	t.Helper()
	select {
	case <-r.over:
	case <-time.After(hangPatience):
		t.Fatal("the call does not return")
	}
}

func (r *running) close() {
	r.cancel()
	for _, x := range r.results {
		_ = x.Close()
	}
}

// await waits until one of the functions is called, or until the call is over.
func (p *Plugin) await(t *testing.T, r *running, before map[string]int, functions ...string) {
	t.Helper()
	for deadline := time.Now().Add(hangPatience); time.Now().Before(deadline); time.Sleep(100 * time.Microsecond) {
		select {
		case <-r.over:
			return
		default:
		}
		for _, f := range functions {
			if p.Calls(f) > before[f] {
				return
			}
		}
	}
	t.Fatalf("the call does not call %v and does not return", functions)
}

func (p *Plugin) allCalls() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.calls)
}
