// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"fmt"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// hangsEnough is in how many checks a function must not have returned for later checks not to
// wait for it.
const hangsEnough = 3

// hangPatience is how long checks still wait for a function that hung in others but also worked,
// beside what compilers and slow plugins take.
const hangPatience = 2 * time.Second

// waits says where a function did not return.
type waits struct {
	checks []string
	others int // questions of the probe, and ends of processes
}

// hung notes that functions did not return in a check.
func (d *driver) hung(functions []string, check string) {
	d.note(functions, func(w *waits) {
		if !slices.Contains(w.checks, check) {
			w.checks = append(w.checks, check)
		}
	})
}

// hungOutside notes that functions did not return outside of checks.
func (d *driver) hungOutside(functions []string) {
	d.note(functions, func(w *waits) { w.others++ })
}

func (d *driver) note(functions []string, add func(*waits)) {
	if d.trials {
		return // each is about another plugin
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range functions {
		if d.waited[f] == nil {
			d.waited[f] = new(waits)
		}
		add(d.waited[f])
	}
}

// hangs returns the functions that checks do not wait for any more. At least one check failed for
// each.
func (d *driver) hangs() []check.Hang {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []check.Hang
	for f, w := range d.waited {
		if len(w.checks) == 0 || len(w.checks)+w.others < hangsEnough {
			continue
		}
		h := check.Hang{Function: f, Checks: slices.Clone(w.checks[:min(len(w.checks), hangsEnough)])}
		if d.worked[f] {
			h.Limit = d.scale(hangPatience) + 3*d.firstCompile + 10*d.Setup.Pace
		}
		list = append(list, h)
	}
	return list
}

// givenUp returns a function among these that is not waited for any more, or nil.
func (d *driver) givenUp(functions []string) *check.Hang {
	for _, h := range d.hangs() {
		if slices.Contains(functions, h.Function) {
			return &h
		}
	}
	return nil
}

// closings are the functions that the end of a worker calls.
var closings = []string{"PJRT_Client_Destroy", "PJRT_LoadedExecutable_Destroy"}

// closeWorker destroys the client of a worker, if that is known to return.
func (d *driver) closeWorker(s *slot, do func() (*worker.Death, error)) (*worker.Death, error) {
	d.mu.Lock()
	for _, f := range closings {
		if w := d.waited[f]; w != nil && len(w.checks)+w.others >= hangsEnough {
			d.mu.Unlock()
			s.process.Kill()
			return nil, fmt.Errorf("%s did not return several times, so the process was killed", f)
		}
	}
	d.mu.Unlock()
	death, err := do()
	if death != nil {
		d.hungOutside(silentIn(death))
	}
	return death, err
}

// silentIn returns the function in which a process gave no answer any more.
func silentIn(death *worker.Death) []string {
	calls := session.Calls(death.Notes)
	if death.Kind != worker.Silent || len(calls) == 0 {
		return nil
	}
	return calls[:1]
}

// blockedBy names the check that shows why a check was blocked, if a function does not return.
func (d *driver) blockedBy(r *report.Result) {
	if r.Verdict != check.Blocked || len(r.Stopped) == 0 {
		return
	}
	if h := d.givenUp(r.Stopped); h != nil {
		r.BlockedBy = h.Checks[0]
	}
}
