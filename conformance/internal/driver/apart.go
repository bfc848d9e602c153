// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// lingering is how long a process is watched after its only check: what a check starts may end
// the process later.
const lingering = time.Second

// part handles a check in which a shared process died, but which does not die alone. It runs
// each check that had shared the process in its own process; one that dies there gets that
// verdict. If none does, the death remains the first check's, whose verdict differs from run
// to run.
func (d *driver) part(ctx context.Context, deadline time.Time) {
	for _, r := range d.results {
		if r == nil || r.Verdict != check.Flaky || r.Death == nil || len(r.Attempts) == 0 {
			continue
		}
		last := r.Attempts[len(r.Attempts)-1]
		if v := r.Attempts[0]; v != check.Crash && v != check.Abort || last != check.Pass {
			continue
		}
		var guilty []*check.Check
		before := d.companions(r)
		for i, c := range slices.Backward(before) {
			if ctx.Err() != nil || time.Now().After(deadline) {
				r.Notes = append(r.Notes, fmt.Sprintf(
					"of the checks that had run before, %d were not tried alone, because the time for that was up", i+1))
				break
			}
			wait := time.Duration(0)
			if len(before)-i <= maxNamed {
				wait = lingering
			}
			if d.apart(ctx, c, r, wait) {
				guilty = append(guilty, c)
			}
		}
		if len(guilty) > 0 {
			d.absolve(r, last, guilty)
		}
	}
}

// apart runs one check that had shared a process, and reports whether it dies alone.
func (d *driver) apart(ctx context.Context, c *check.Check, of *report.Result, wait time.Duration) bool {
	at := slices.Index(d.chosen, c)
	if at < 0 || d.results[at] == nil || d.results[at].Verdict != check.Pass {
		return false // it already has its verdict
	}
	r := d.watched(ctx, c, wait)
	if r == nil || r.Death == nil || r.Verdict != check.Crash && r.Verdict != check.Abort {
		return false
	}
	r.Notes = append(r.Notes, fmt.Sprintf(
		"it passed in a shared process, which died later, in %s; this is its verdict when it runs alone", of.Check))
	*d.results[at] = *r
	return true
}

// absolve gives a check in which a process died that other checks had spoiled the verdict that
// it has alone.
func (d *driver) absolve(r *report.Result, verdict check.Verdict, guilty []*check.Check) {
	r.Notes = append(r.Notes, fmt.Sprintf(
		"%s in this check, in a process shared with others; alone, a process dies of %s", r.Death.How, nameList(guilty)))
	r.Verdict, r.Failures, r.Death, r.Calls, r.Reproduce, r.Digest, r.DigestWithLines = verdict, nil, nil, nil, "", "", ""
}

// watched runs a check in a process of its own. If the process dies within wait afterwards, or
// when its client is destroyed, that also counts for the check.
func (d *driver) watched(ctx context.Context, c *check.Check, wait time.Duration) *report.Result {
	s := &slot{driver: d}
	start := time.Now()
	r := s.check(ctx, c)
	if r == nil || s.process == nil {
		return r
	}
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
	death, err := s.process.Do(ctx, session.TaskClose, nil, d.scale(leaveLimit), new(any))
	s.process.Kill()
	s.process = nil
	if err != nil || death == nil || death.Kind == worker.Silent || r.Verdict.Failed() {
		return r
	}
	return d.dead(c, death, time.Since(start))
}
