// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// job is a check that is to run.
type job struct {
	check *check.Check
	index int // in driver.results
}

// work holds the jobs that are left, and what their end changes.
type work struct {
	mu     sync.Mutex
	shared []*job // checks that can share a process
	lone   []*job // those that get a process of their own
}

// next returns the next job, shared ones first, or nil.
func (w *work) next() *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, list := range []*[]*job{&w.shared, &w.lone} {
		if len(*list) > 0 {
			j := (*list)[0]
			*list = (*list)[1:]
			return j
		}
	}
	return nil
}

// jobs returns how many workers run at a time.
func (d *driver) jobs() int {
	switch {
	case d.report.Capabilities.Exclusive != "":
		return 1
	case d.Jobs > 0:
		return d.Jobs
	case d.Setup.NoDevice == "" && !strings.EqualFold(d.report.Plugin.Platform, "cpu") && d.report.Plugin.Path != "":
		// A device often allows the client of only one process.
		return 1
	}
	return min(max(2, runtime.NumCPU()/2), 16)
}

// run does the jobs.
func (d *driver) run(ctx context.Context, queue []*job) {
	w := &work{}
	for _, j := range queue {
		if d.lone(j.check) {
			w.lone = append(w.lone, j)
		} else {
			w.shared = append(w.shared, j)
		}
	}
	files := d.waivers()
	progress := Progress{Phase: "check", Total: len(queue), Began: time.Since(d.start)}
	d.Progress(d.timed(progress))
	var slots sync.WaitGroup
	for range d.report.Run.Jobs {
		slots.Go(func() {
			s := &slot{driver: d}
			defer s.end(ctx)
			for {
				j := w.next()
				if j == nil || ctx.Err() != nil {
					return
				}
				if d.lone(j.check) {
					s.end(ctx)
				}
				r := s.check(ctx, j.check)
				if r == nil {
					return
				}
				switch {
				case d.costly() && r.Verdict == check.Fail:
				case disturbing(r.Verdict):
					s.leave(ctx)
				case d.lone(j.check):
					s.end(ctx)
				}
				d.record(r)
				w.mu.Lock()
				d.results[j.index] = r
				progress.Done++
				switch {
				case r.Verdict == check.Blocked:
					progress.Blocked++
				case r.Verdict.Failed() && report.Excused(files, r, d.start):
					progress.Waived++
				case !r.Broken():
				case d.blocked(r):
					progress.Blocked++
				default:
					progress.Failed++
				}
				progress.Result = r
				if progress.Done == progress.Total {
					d.count(&progress)
				}
				d.Progress(d.timed(progress))
				w.mu.Unlock()
			}
		})
	}
	slots.Wait()
}

// count sets the counts at the end of the checks to those of the report. Before that they are a
// guess: a function that failed so far may still work in a later check.
func (d *driver) count(p *Progress) {
	r := d.reported(false)
	p.Failed, p.Waived, p.Blocked = 0, r.Summary.Checks.Waived, r.Summary.Checks.Blocked
	for i := range r.Results {
		if r.Results[i].Broken() {
			p.Failed++
		}
	}
}

// costlyClient is how long it takes to make a client that is worth keeping.
const costlyClient = 3 * time.Second

// costly reports whether clients are kept, even for checks that should have their own.
func (d *driver) costly() bool { return d.report.Capabilities.ClientTime >= costlyClient }

// lone reports whether a check gets a process of its own. If a check damages a costly
// client that it shares, later checks fail, and are run again alone.
func (d *driver) lone(c *check.Check) bool { return c.Hostile && (c.Library || !d.costly()) }

func (d *driver) timed(p Progress) Progress {
	p.Elapsed = time.Since(d.start)
	if p.Phase != "probe" {
		p.Report = func() *report.Report { return d.reported(true) }
	}
	return p
}

// disturbing reports whether what a check found may have left the process in a
// state that spoils other checks.
func disturbing(v check.Verdict) bool { return v.Failed() && v != check.Warn || v == check.BrokenCheck }

// slot is the place of one worker at a time.
type slot struct {
	driver  *driver
	process *worker.Process
	ran     []*check.Check // in this process
}

// ready starts a worker for a check if there is none.
func (s *slot) ready(ctx context.Context, c *check.Check) error {
	if s.process != nil {
		return nil
	}
	p, _, err := s.driver.open(ctx, c.Begins)
	if err != nil {
		return err
	}
	s.process, s.ran = p, nil
	return nil
}

// open starts a worker and takes the plugin to a stage in it. A plugin that dies, or
// cannot be opened, is an error here, since the probe could open it.
func (d *driver) open(ctx context.Context, until check.Stage) (*worker.Process, *session.Opened, error) {
	p, err := worker.Start(ctx, d.Command, startLimit)
	if err != nil {
		return nil, nil, err
	}
	var opened session.Opened
	setup := d.Setup
	setup.Unloaded = until == check.Unloaded
	death, err := p.Do(ctx, session.TaskOpen, setup, d.scale(openLimit), &opened)
	switch {
	case err == nil && death != nil:
		err = &deathError{openingCall(death), death}
	case err == nil && opened.Problem != "":
		err = fmt.Errorf("%s", opened.Problem)
	}
	if err != nil {
		p.Kill()
		return nil, &opened, err
	}
	if until == check.Initialized && !d.Setup.Uninitialized {
		var problem string
		if death, err := p.Do(ctx, session.TaskInitialize, nil, d.scale(stepLimit), &problem); err != nil || death != nil {
			p.Kill()
			if err == nil {
				err = &deathError{"PJRT_Plugin_Initialize", death}
			}
			return nil, &opened, err
		}
		opened.Initialize = problem
	}
	return p, &opened, nil
}

// openingCall names the function that a process was in when it died while it opened the plugin.
func openingCall(death *worker.Death) string {
	if calls := session.Calls(death.Notes); len(calls) > 0 {
		return calls[0]
	}
	if f := loadingCall(death); f != "" {
		return f
	}
	return loading // an exit leaves no trace
}

// loadingCall names the function that loads a library in which a process died, or is "".
func loadingCall(death *worker.Death) string {
	for _, f := range death.Frames("/purepjrt/capi.") {
		switch {
		case strings.HasPrefix(f, "load "):
			return "dlopen"
		case strings.HasPrefix(f, "library.table "):
			return "GetPjrtApi"
		}
	}
	return ""
}

// loading names the functions that load a library.
const loading = "dlopen or GetPjrtApi"

// deathError is a worker's death as an error.
type deathError struct {
	doing string // the function that it was in
	death *worker.Death
}

func (e *deathError) Error() string { return e.doing + ": " + e.death.String() }

func (d *driver) scale(limit time.Duration) time.Duration {
	return time.Duration(float64(limit) * d.Setup.Factor)
}

// check runs a check in the slot's worker. It returns nil if ctx ended.
func (s *slot) check(ctx context.Context, c *check.Check) *report.Result {
	d := s.driver
	if d.Setup.NoDevice != "" && !c.Library {
		// The worker would say the same after loading the library.
		return d.result(c, check.Result{Verdict: check.SkipEnv, Skip: d.Setup.NoDevice})
	}
	if err := s.ready(ctx, c); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		if de := (*deathError)(nil); errors.As(err, &de) {
			return d.deadIn(c, de.doing, de.death, 0)
		}
		return d.result(c, check.Result{Verdict: check.BrokenCheck, Failures: []string{"no worker: " + err.Error()}})
	}
	var r check.Result
	before := s.ran
	s.ran = append(before[:len(before):len(before)], c)
	start := time.Now()
	compiling := d.compiling(c)
	limit := session.Longest(c, &d.Setup, compiling) + max(d.scale(graceLimit), leastGrace)
	death, err := s.process.Do(ctx, session.TaskCheck, session.Check{Name: c.Name(), Hangs: d.hangs(), Compiling: compiling}, limit, &r)
	switch {
	case ctx.Err() != nil:
		s.process.Kill()
		s.process = nil
		return nil
	case err != nil:
		s.process.Kill()
		s.process = nil
		return d.result(c, check.Result{Verdict: check.BrokenCheck, Failures: []string{err.Error()}, Duration: time.Since(start)})
	case death != nil:
		s.process = nil
		d.hung(silentIn(death), c.Name())
		return d.behind(d.dead(c, death, time.Since(start)), before)
	}
	if stray := s.process.Stray(); stray.Bytes > 0 {
		r.Failures = append(r.Failures, fmt.Sprintf("the plugin wrote %d bytes, beginning with %q, into a file descriptor of the suite: expected it to write only to descriptors that it opened, and to standard output and error", stray.Bytes, stray.Head))
		if !r.Verdict.Failed() {
			r.Verdict = check.Fail
		}
	}
	d.hung(r.Hung, c.Name())
	if r.Verdict == check.Timeout || len(r.Hung) > 0 {
		s.process.Kill() // a goroutine still hangs in the plugin
		s.process = nil
	} else if c.Exits {
		if death := s.exit(ctx); death != nil {
			return d.dead(c, death, time.Since(start))
		}
	}
	full := d.result(c, r)
	d.addSkew(c.Name(), r.Skew)
	d.works(r.Worked)
	return d.behind(full, before)
}

// behind notes what had run in the process of a check that failed.
func (d *driver) behind(r *report.Result, before []*check.Check) *report.Result {
	if r.Verdict.Failed() && len(before) > 0 {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.before[r] = before
	}
	return r
}

// exit ends the slot's worker as C programs end, and returns its death if it ends in
// another way.
func (s *slot) exit(ctx context.Context) *worker.Death {
	p := s.process
	s.process = nil
	death, err := p.Do(ctx, session.TaskExit, nil, s.driver.scale(closeLimit), new(any))
	if err != nil || death == nil || death.Kind == worker.Exited && death.ExitCode == 0 {
		return nil
	}
	return death
}

// closeLimit is how long a client's destruction may take.
const closeLimit = 20 * time.Second

// leaveLimit is how long a client's destruction may take after a check failed.
const leaveLimit = 3 * time.Second

// leave closes a worker that a failed check may have left in any state, so it does not
// matter how the worker ends.
func (s *slot) leave(ctx context.Context) {
	if s.process == nil {
		return
	}
	_, _ = s.driver.closeWorker(s, func() (*worker.Death, error) {
		return s.process.Do(ctx, session.TaskClose, nil, s.driver.scale(leaveLimit), new(any))
	})
	s.process.Kill()
	s.process = nil
}

// end closes the slot's worker. If the plugin dies when its client is destroyed, that
// is a problem of the whole run, since no check was under way.
func (s *slot) end(ctx context.Context) {
	if s.process == nil {
		return
	}
	p := s.process
	var problem string
	death, err := s.driver.closeWorker(s, func() (*worker.Death, error) {
		return p.Do(ctx, session.TaskClose, nil, s.driver.scale(closeLimit), &problem)
	})
	s.process = nil
	switch {
	case ctx.Err() != nil:
	case death != nil:
		s.driver.problem("destroying the client after the checks that shared it: " + death.String())
	case err != nil:
		s.driver.problem("closing a worker: " + err.Error())
	case problem != "":
		s.driver.problem("destroying the client after the checks that shared it: " + problem)
	}
	if d := p.Close(); d != nil && death == nil && ctx.Err() == nil && !(d.Kind == worker.Crashed && d.Signal == "SIGKILL") {
		s.driver.problem("the end of a worker: " + d.String())
	}
}
