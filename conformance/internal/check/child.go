// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"context"
	"fmt"
	"time"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Child is a process that a check started, with the same plugin.
type Child interface {
	// Step runs a step of the check's Helper and returns its result. If it returns an
	// Ending, the process has ended and there is no result. An error is the suite's
	// fault.
	Step(ctx context.Context, check, step string, limit time.Duration) (*Result, *Ending, error)
	// Kill ends the process with SIGKILL, as the system may, and waits for its end.
	Kill()
}

// Ending says how a child ended unexpectedly.
type Ending struct {
	How    string // in words
	Output string // the last that it printed
	Hung   bool   // it gave no answer in time, and was killed
	Suite  bool   // the Go runtime ended it, not the plugin
}

// Spawn starts a child, which ends with the check. If the program cannot start itself
// again, the check is skipped.
func (t *T) Spawn() Child {
	if t.env.Spawn == nil {
		t.SkipEnvf("the program that runs this check cannot start another process with the plugin")
	}
	c, err := t.env.Spawn(t.ctx)
	if err != nil {
		t.mu.Lock()
		t.suite = fmt.Sprintf("starting a process for the check: %v", err)
		t.mu.Unlock()
		t.Fatalf("starting a process for the check: %v", err)
	}
	t.Cleanup(c.Kill)
	return c
}

// Step runs a step of the check's Helper in a child. The result is nil if the child has
// ended.
func (t *T) Step(c Child, step string, limit time.Duration) (*Result, *Ending) {
	r, ending, err := c.Step(t.ctx, t.check.Name(), step, limit)
	switch {
	case err != nil && t.ctx.Err() != nil:
		t.Fatalf("a process that the check started did not finish its step before the check's time was up: %s", step)
	case err != nil:
		t.mu.Lock()
		t.suite = fmt.Sprintf("step %q in a process that the check started: %v", step, err)
		t.mu.Unlock()
		t.Fatalf("step %q: %v", step, err)
	}
	return r, ending
}

// RunStep is like Run, for a step of the check's Helper.
func RunStep(ctx context.Context, c *Check, env *Env, step string) Result {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &T{env: env, check: c, rule: rules.ByID(c.Rule), ctx: ctx, cancel: cancel}
	start := time.Now()
	if c.Helper == nil {
		return Result{Check: c.Name(), Rule: c.Rule, Verdict: BrokenCheck, Failures: []string{"the check has no helper"}}
	}
	helper := *c
	helper.Library, helper.Run = true, func(t *T) { c.Helper(t, step) }
	t.check = &helper
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.run()
	}()
	<-done
	r := t.result()
	r.Duration = time.Since(start)
	return r
}
