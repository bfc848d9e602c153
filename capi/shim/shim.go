// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// Shim watches and disturbs plugins as its Config says. Any goroutine may use it.
type Shim struct {
	config  Config
	started time.Time
	calls   atomic.Uint64
	closed  atomic.Bool
	tracer  *tracer // nil if there is no trace
	summary *writer // nil if there is no separate summary
	reports *reports
	faults  *faults
	stats   table
	records atomic.Int64  // number of recorders
	clients atomic.Int64  // number of live clients
	summed  atomic.Uint64 // number of calls in the last summary

	mu       sync.Mutex
	sessions []*session // guarded by mu
}

// session is one plugin behind a Shim.
type session struct {
	*Shim
	real      *capi.Table
	plans     map[*capi.Function]*plan
	validator *validator // nil if off
	recorder  *recorder  // nil if off
	events    eventWatch // work to do when events are ready
	outputs   outputs    // of executables
}

// New makes a Shim and opens its files. It fails if a file cannot be written, or if the Config is
// invalid.
func New(c Config) (*Shim, error) {
	s := &Shim{config: c, started: time.Now(), faults: newFaults(c.Faults)}
	fail := func(err error) (*Shim, error) { return nil, fmt.Errorf("shim: %w", err) }
	if err := errors.Join(checkPatterns(c.TraceOnly), checkAbsent(c.Absent)); err != nil {
		return fail(err)
	}
	for _, r := range c.Faults.Rules {
		if err := checkPattern(r.Function); err != nil {
			return fail(err)
		}
	}
	if c.Trace != "" {
		var err error
		if s.tracer, err = newTracer(&c, s.started); err != nil {
			return fail(err)
		}
	}
	if c.Summary != "" {
		var err error
		if s.summary, err = c.openOutput("Summary", c.Summary); err != nil {
			return fail(err)
		}
	}
	if c.Validate != "" {
		w, err := c.openOutput("Validate", c.Validate)
		if err != nil {
			return fail(err)
		}
		s.reports = newReports(w)
	}
	return s, nil
}

// Wrap puts the Shim in front of a plugin. With the zero Config, the functions of the table are the
// plugin's own. The table should stay open until the process ends; only tests close it.
func (s *Shim) Wrap(real *capi.Table) (*serve.Table, error) {
	if real == nil {
		return nil, errors.New("shim: there is no plugin to wrap: the table is nil")
	}
	if !s.config.Active() {
		return serve.Wrap(real)
	}
	x := &session{Shim: s, real: real, plans: make(map[*capi.Function]*plan)}
	if s.reports != nil {
		x.validator = newValidator(x)
	}
	if s.config.Record != "" {
		var err error
		if x.recorder, err = s.record(x); err != nil {
			return nil, err
		}
	}
	var hooks []serve.Hook
	for _, section := range capi.Sections() {
		for _, f := range capi.Functions(section) {
			d := describe.Of(f)
			if d == nil {
				continue
			}
			p := &plan{
				function: f, args: d.Args,
				traced: selected(s.config.TraceOnly, f.Name),
				faults: s.faults.of(f),
				stats:  s.stats.of(f.Name),
			}
			if x.validator != nil {
				p.rule = ruleOf(f, d.Args)
			}
			x.plans[f] = p
			if s.config.Grow && grows(f) {
				hooks = append(hooks, serve.AroundFunction(f, grow))
			}
			if s.config.OffHost && f == functionIsOnCPU {
				hooks = append(hooks, serve.AroundFunction(f, offHost))
			}
			if x.watches(p) {
				hooks = append(hooks, serve.AroundFunction(f, x.around))
			}
		}
	}
	for _, o := range s.config.Odd {
		hooks = append(hooks, o.hooks()...)
	}
	t, err := serve.Wrap(real, hooks...)
	if err != nil {
		return nil, err
	}
	if err := s.config.lessen(t); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = append(s.sessions, x)
	return t, nil
}

// watches reports whether the Shim must see the calls of a function. Other functions are the
// plugin's own, at no cost.
func (x *session) watches(p *plan) bool {
	switch {
	case x.validator != nil, x.recorder != nil, x.summary != nil, len(p.faults) > 0:
		return true
	case x.tracer == nil:
		return false
	case p.traced, p.function == functionLoadedDestroy: // see outputs
		return true
	}
	return x.config.SumUpWithClients && (p.function == functionClientCreate || p.function == functionClientDestroy)
}

// Close stops watching: it reports objects that were never destroyed, writes the summaries and
// closes the files. Later calls are only forwarded.
func (s *Shim) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, x := range s.sessions {
		if x.validator != nil {
			x.validator.finish()
		}
		if x.recorder != nil {
			errs = append(errs, x.recorder.finish())
		}
	}
	if s.reports != nil {
		errs = append(errs, s.reports.finish(s.calls.Load()))
	}
	s.sumUp()
	if s.tracer != nil {
		errs = append(errs, s.tracer.finish())
	}
	if s.summary != nil {
		errs = append(errs, s.summary.finish())
	}
	return errors.Join(errs...)
}

// sumUp writes the summary of all calls so far, unless there were none since the last summary.
func (s *Shim) sumUp() {
	if n := s.calls.Load(); s.summed.Swap(n) == n && n > 0 {
		return
	}
	if s.tracer != nil {
		s.tracer.summary(s.stats.list())
	}
	if s.summary != nil {
		s.summary.write(appendSummary(nil, s.stats.list(), ""))
	}
}

// countClients counts clients, and writes the summary when the last one is gone.
func (s *Shim) countClients(k *call) {
	switch {
	case k.err != nil || !s.config.SumUpWithClients:
	case k.function == functionClientCreate:
		s.clients.Add(1)
	case k.function == functionClientDestroy && s.clients.Add(-1) == 0:
		s.sumUp()
	}
}

// Findings returns the number of problems that the validator has found so far.
func (s *Shim) Findings() int {
	if s.reports == nil {
		return 0
	}
	return int(s.reports.findings.Load())
}
