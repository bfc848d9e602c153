// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// rerunShare bounds the time for running checks again: as long as the run took,
// and this.
const rerunShare = 30 * time.Second

// longRun is what is too long to be run again more than once.
const longRun = 5 * time.Second

// rerun runs what failed again, each in a process of its own, to find out what
// is only sometimes so. Failures that a waiver excuses are known.
func (d *driver) rerun(ctx context.Context) {
	files := d.waivers()
	var again []int
	for i, r := range d.results {
		if r != nil && (r.Verdict.Failed() || r.Verdict == check.SuiteError) && !report.Excused(files, r, d.start) {
			again = append(again, i)
		}
	}
	if len(again) == 0 || d.Reruns < 0 || ctx.Err() != nil {
		return
	}
	deadline := time.Now().Add(time.Since(d.start) + rerunShare)
	progress := Progress{Phase: "rerun", Total: len(again)}
	d.Progress(d.timed(progress))
	var mu sync.Mutex
	var slots sync.WaitGroup
	for range d.report.Run.Jobs {
		slots.Go(func() {
			for {
				mu.Lock()
				if len(again) == 0 {
					mu.Unlock()
					return
				}
				i := again[0]
				again = again[1:]
				mu.Unlock()
				r := d.results[i]
				if time.Now().After(deadline) {
					r.Notes = append(r.Notes, "it was not run again, for want of time")
				} else {
					d.again(ctx, d.chosen[i], r)
				}
				mu.Lock()
				progress.Done++
				if r.Verdict == check.Flaky {
					progress.Failed++
				}
				progress.Result = r
				d.Progress(d.timed(progress))
				mu.Unlock()
			}
		})
	}
	slots.Wait()
}

// again runs one check again until a verdict differs or it was enough.
func (d *driver) again(ctx context.Context, c *check.Check, r *report.Result) {
	r.Attempts = []report.Verdict{r.Verdict}
	times := d.Reruns
	if r.Duration > longRun {
		times = min(times, 1)
	}
	for range times {
		other := d.alone(ctx, c)
		if other == nil {
			return // ctx ended
		}
		r.Attempts = append(r.Attempts, other.Verdict)
		if other.Verdict != r.Verdict {
			if !other.Verdict.Failed() {
				r.Notes = append(r.Notes, "alone, in a new process, it came to "+string(other.Verdict))
			}
			r.Verdict = check.Flaky
			return
		}
	}
}

// waivers returns the waivers for the plugin as it is known.
func (d *driver) waivers() []*report.WaiverFile {
	if d.Waivers == nil {
		return nil
	}
	return d.Waivers(&d.report.Plugin)
}

// finish completes the report.
func (d *driver) finish(ctx context.Context) {
	r := d.report
	d.addUnimplemented()
	for _, f := range d.results {
		if f == nil {
			r.Run.Left++
			continue
		}
		r.Results = append(r.Results, *f)
	}
	for _, f := range d.forced {
		if i := slices.IndexFunc(r.Results, func(x report.Result) bool { return x.Rule == f.Rule }); i < 0 {
			r.Results = append(r.Results, *f)
		} else if r.Results[i].Verdict.Skipped() {
			r.Results[i] = *f
		}
	}
	slices.SortStableFunc(r.Results, func(a, b report.Result) int { return place(a.Rule) - place(b.Rule) })
	r.Run.Interrupted = ctx.Err() != nil
	r.Problems = d.problems
	for i := range r.Results {
		r.Skew = append(r.Skew, d.skew[r.Results[i].Check]...)
	}
	r.Waive(d.waivers(), d.start, d.suiteNames(), d.chosenNames())
	r.Duration = time.Since(d.start)
	r.Summarize()
}

func (d *driver) suiteNames() []string {
	var names []string
	for i := range d.Checks {
		names = append(names, d.Checks[i].Name())
	}
	return names
}

func (d *driver) chosenNames() []string {
	var names []string
	for _, c := range d.chosen {
		names = append(names, c.Name())
	}
	return names
}
