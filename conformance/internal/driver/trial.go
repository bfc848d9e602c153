// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// Trial is a check to run on a plugin with a fault.
type Trial struct {
	Check *check.Check
	Setup session.Setup
	// Shared says that a hostile check need not have a process of its own. If its process ends,
	// the check is tried again in a new one, whatever it found.
	Shared bool
}

// trialsPerProcess limits how many later trials the faults of one can spoil.
const trialsPerProcess = 20

// Bench has processes in which trials run. Its methods may be called from any goroutine.
type Bench struct {
	driver *driver

	mu   sync.Mutex
	idle []*trialSlot // guarded by mu
}

// NewBench returns a bench without processes: trials start them. It does not probe the plugin.
func NewBench(c Config) *Bench {
	d := newDriver(c)
	d.trials = true
	return &Bench{driver: d}
}

// Try runs a trial in a process in which no other trial runs at the time, and returns what the
// check found, or nil if ctx ended.
func (b *Bench) Try(ctx context.Context, t Trial) *report.Result {
	b.mu.Lock()
	s := &trialSlot{slot: slot{driver: b.driver}}
	if n := len(b.idle); n > 0 {
		s, b.idle = b.idle[n-1], b.idle[:n-1]
	}
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.idle = append(b.idle, s)
	}()
	return s.try(ctx, &t)
}

// Close ends the processes. No trial may be under way.
func (b *Bench) Close() {
	for _, s := range b.idle {
		s.drop()
	}
}

// Try runs each trial once and calls done with its index and what the check found, by one
// goroutine at a time. It does not probe the plugin.
func Try(ctx context.Context, c Config, trials []Trial, done func(int, *report.Result)) {
	b := NewBench(c)
	defer b.Close()
	var mu sync.Mutex
	next := 0
	var slots sync.WaitGroup
	for range b.driver.jobs() {
		slots.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(trials) {
					return
				}
				r := b.Try(ctx, trials[i])
				if r == nil {
					return
				}
				mu.Lock()
				done(i, r)
				mu.Unlock()
			}
		})
	}
	slots.Wait()
}

// trialSlot is a slot whose worker goes from one plugin to another.
type trialSlot struct {
	slot
	used   int
	others bool // other trials had run in the last one's process
}

func (s *trialSlot) drop() {
	if s.process != nil {
		s.process.Kill()
	}
	s.process, s.used = nil, 0
}

// try runs one trial. It returns nil if ctx ended.
func (s *trialSlot) try(ctx context.Context, t *Trial) *report.Result {
	r := s.once(ctx, t)
	if r == nil || s.process != nil || !s.others {
		return r
	}
	// The fault of an earlier trial may have ended the process, even while this one opened its
	// plugin.
	if t.Shared || r.Verdict == check.Crash || r.Verdict == check.Abort || r.Verdict == check.BrokenCheck {
		return s.once(ctx, t)
	}
	return r
}

// once runs one trial once, and keeps no process that the trial may have spoiled.
func (s *trialSlot) once(ctx context.Context, t *Trial) *report.Result {
	d := s.driver
	fail := func(problem string) *report.Result {
		s.drop()
		if ctx.Err() != nil {
			return nil
		}
		return d.result(t.Check, check.Result{Verdict: check.BrokenCheck, Failures: []string{problem}})
	}
	alone := t.Check.Hostile && !t.Shared || t.Check.Begins != check.Initialized
	if alone || s.used >= trialsPerProcess {
		s.drop()
	}
	s.others = s.used > 0
	if s.process == nil {
		p, err := worker.Start(ctx, d.Command, startLimit)
		if err != nil {
			return fail(err.Error())
		}
		s.process = p
	}
	s.used++
	setup := t.Setup
	setup.Factor, setup.Extra = d.Setup.Factor, time.Second // for the client
	setup.Unloaded = t.Check.Begins == check.Unloaded
	var opened session.Opened
	death, err := s.process.Do(ctx, session.TaskOpen, setup, d.scale(openLimit), &opened)
	switch {
	case err != nil:
		return fail(err.Error())
	case death != nil && brokenBy(death) == t.Check.Rule:
		s.process = nil
		s.drop()
		return d.dead(t.Check, death, 0)
	case death != nil:
		s.process = nil
		return fail(session.Opening + death.String())
	case opened.Rule == t.Check.Rule:
		return d.result(t.Check, check.Result{Verdict: check.Fail, Failures: []string{opened.Problem}})
	case opened.Problem != "":
		return fail(session.Opening + opened.Problem)
	}
	if t.Check.Begins == check.Initialized {
		// Whether it succeeds is for checks to say.
		if death, err := s.process.Do(ctx, session.TaskInitialize, nil, d.scale(stepLimit), new(string)); err != nil {
			return fail(err.Error())
		} else if death != nil {
			s.process = nil
			return fail("PJRT_Plugin_Initialize: " + death.String())
		}
	}
	r := s.check(ctx, t.Check)
	if s.process == nil || alone || r == nil || disturbing(r.Verdict) && r.Verdict != check.Fail {
		s.drop()
	}
	return r
}
