// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// rerunShare limits the time for running checks again: as long as the run took, plus this.
const rerunShare = 30 * time.Second

// longRun is too long for a check to be run again more than once.
const longRun = 5 * time.Second

// witnesses is how many checks that failed for one reason are run again. If each fails as before,
// so would the others.
const witnesses = 2

// rerun runs failed checks again, each in a process of its own, to find out which fail only
// sometimes. It leaves out failures that a waiver excuses, checks that another failure blocks, and
// those that failed for the same reason as others which fail again.
func (d *driver) rerun(ctx context.Context) {
	files := d.waivers()
	var done []*report.Result
	for _, r := range d.results {
		if r != nil {
			done = append(done, r)
		}
	}
	blocked := d.report.Capabilities.Blocks(done)
	var again []int
	for i, r := range d.results {
		if r != nil && blocked[r] == nil && (r.Verdict.Failed() || r.Verdict == check.BrokenCheck) && !report.Excused(files, r, d.start) {
			again = append(again, i)
		}
	}
	if len(again) == 0 || d.Reruns < 0 || ctx.Err() != nil {
		return
	}
	deadline := time.Now().Add(time.Since(d.start) + rerunShare)
	again, disturbed := d.loadAlone(ctx, again, deadline)
	if len(again) == 0 || ctx.Err() != nil {
		return
	}
	jobs := d.report.Run.Jobs
	if disturbed {
		jobs = 1
	}
	times := d.Reruns
	if len(again) > manyFailures || d.costly() {
		times = min(times, 1)
	}
	first, others := d.byCause(again)
	progress := Progress{Phase: "rerun", Total: len(first), Began: time.Since(d.start)}
	d.Progress(d.timed(progress))
	d.rerunEach(ctx, first, jobs, times, deadline, &progress)
	var rest []int
	for cause, list := range others {
		if slices.ContainsFunc(first, func(i int) bool { return d.causes[i] == cause && d.results[i].Verdict == check.Flaky }) {
			rest = append(rest, list...)
			continue
		}
		for _, i := range list {
			r := d.copyOf(d.results[i])
			why := "the time for that was up"
			if w := d.witness(first, cause); w != "" {
				why = w + ", which failed for the same reason, failed again"
			}
			r.Notes = append(r.Notes, "it was not run again, because "+why)
			d.results[i] = r
		}
	}
	slices.Sort(rest)
	progress.Total += len(rest)
	d.rerunEach(ctx, rest, jobs, times, deadline, &progress)
	d.part(ctx, deadline)
}

// byCause returns the checks to run again first, and by cause those that are not needed if these
// fail again.
func (d *driver) byCause(again []int) (first []int, others map[string][]int) {
	d.causes, others = make(map[int]string), make(map[string][]int)
	count := make(map[string]int)
	for _, i := range again {
		cause := d.results[i].CauseKey()
		d.causes[i] = cause
		if count[cause]++; cause == "" || count[cause] <= witnesses || d.trials {
			first = append(first, i)
		} else {
			others[cause] = append(others[cause], i)
		}
	}
	return first, others
}

// witness returns the name of the first of the checks that failed for the cause and was run again,
// or "" if there is none.
func (d *driver) witness(checks []int, cause string) string {
	for _, i := range checks {
		if r := d.results[i]; d.causes[i] == cause && len(r.Attempts) > 1 {
			return r.Check
		}
	}
	return ""
}

// rerunEach runs checks again, so many at once.
func (d *driver) rerunEach(ctx context.Context, again []int, jobs, times int, deadline time.Time, progress *Progress) {
	var mu sync.Mutex
	var slots sync.WaitGroup
	for range jobs {
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
				r := d.copyOf(d.results[i])
				if h := d.givenUp(r.Hung); h != nil {
					r.Notes = append(r.Notes, fmt.Sprintf("it was not run again, because %s did not return in %s",
						h.Function, strings.Join(h.Checks, ", ")))
				} else if time.Now().After(deadline) {
					r.Notes = append(r.Notes, "it was not run again, because the time for that was up"+d.company(r))
				} else {
					d.again(ctx, d.chosen[i], r, times, deadline)
				}
				mu.Lock()
				d.results[i] = r
				progress.Done++
				if r.Verdict == check.Flaky {
					progress.Failed++
				}
				progress.Result = r
				d.Progress(d.timed(*progress))
				mu.Unlock()
			}
		})
	}
	slots.Wait()
}

// loadAlone runs the checks again that failed while they loaded the library, one at a time, and
// returns those that still have to be run again, and whether others now loaded it. Two processes
// that load a library at once may disturb each other, as they do if it unpacks files, which says
// nothing of the rules of the checks that ran then.
func (d *driver) loadAlone(ctx context.Context, again []int, deadline time.Time) (rest []int, disturbed bool) {
	for _, i := range again {
		r := d.results[i]
		if d.report.Run.Jobs == 1 || !failedLoading(r) || ctx.Err() != nil || time.Now().After(deadline) {
			rest = append(rest, i)
			continue
		}
		alone := d.alone(ctx, d.chosen[i])
		if alone == nil || alone.Verdict == check.Blocked || alone.Verdict.Failed() && failedLoading(alone) {
			rest = append(rest, i)
			continue
		}
		what := r.Failures[len(r.Failures)-1]
		alone.Notes = append(alone.Notes, fmt.Sprintf("it was %s while another process loaded the library, too: %s", r.Verdict, what))
		if !disturbed {
			d.problem("processes that load the library at the same time disturb each other: " + what)
		}
		disturbed = true
		d.results[i] = alone
		if alone.Verdict.Failed() {
			rest = append(rest, i)
		}
	}
	return rest, disturbed
}

// failedLoading reports whether a check failed in what loads the library, in its own process or in
// one that it started.
func failedLoading(r *report.Result) bool {
	if r.Verdict == check.BrokenCheck && strings.Contains(r.Failures[0], session.Opening) {
		return true
	}
	return r.Rule == "LOAD-03" || len(r.Calls) > 0 && strings.Contains(loading, r.Calls[0])
}

// copyOf returns a copy of a result. It may be changed while a report is made of the others.
func (d *driver) copyOf(r *report.Result) *report.Result {
	x := *r
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before[&x] = d.before[r]
	return &x
}

// again runs one check again, alone, until a verdict differs, at most the given number of times.
func (d *driver) again(ctx context.Context, c *check.Check, r *report.Result, times int, deadline time.Time) {
	r.Attempts = []report.Verdict{r.Verdict}
	if r.Duration > longRun {
		times = min(times, 1)
	}
	for range times {
		other := d.alone(ctx, c)
		if other == nil || other.Verdict == check.Blocked {
			return // ctx ended, or a function does not return
		}
		r.Attempts = append(r.Attempts, other.Verdict)
		if other.Verdict != r.Verdict {
			if !other.Verdict.Failed() {
				r.Notes = append(r.Notes, fmt.Sprintf("alone, in a new process, its verdict was %s%s", other.Verdict, d.company(r)))
				d.replay(ctx, c, r, deadline)
			}
			r.Verdict = check.Flaky
			return
		}
		r.Varies = r.Varies || other.Digest != r.Digest
	}
}

// company says which checks had run before a failed one in its process, since one of them
// may be at fault.
func (d *driver) company(r *report.Result) string {
	before := d.companions(r)
	if len(before) == 0 {
		return ""
	}
	var names []string
	for _, c := range before[max(0, len(before)-maxNamed):] {
		names = append(names, c.Name())
	}
	return fmt.Sprintf("; in the process where it was %s, %d others had run before, the last of them %s", r.Verdict, len(before),
		strings.Join(names, ", "))
}

// maxNamed is how many checks a note names.
const maxNamed = 5

func (d *driver) companions(r *report.Result) []*check.Check {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.before[r]
}

// replay looks for the smallest number of checks that ran just before a check and after which it
// fails again. One of them probably leaves damage behind, and the check itself may not be at
// fault.
func (d *driver) replay(ctx context.Context, c *check.Check, r *report.Result, deadline time.Time) {
	before := d.companions(r)
	for n := 1; len(before) > 0; n *= 2 {
		n = min(n, len(before))
		last := before[len(before)-n:]
		switch d.together(ctx, append(last[:n:n], c), deadline) {
		case r.Verdict:
			r.Notes = append(r.Notes, fmt.Sprintf("its verdict was %s again when it ran after %s in one process: these may have caused it, and the check may not be at fault", r.Verdict, nameList(last)))
			if d.ReproduceAll != nil {
				r.Reproduce = d.ReproduceAll(append(last[:n:n], c))
			}
			return
		case "":
			return
		}
		if n == len(before) {
			r.Notes = append(r.Notes, "when it ran again after the same checks in one process, its verdict was different")
			return
		}
	}
}

// together runs checks in one process and returns the last one's verdict, or none if time is up
// or another check ended the process.
func (d *driver) together(ctx context.Context, list []*check.Check, deadline time.Time) check.Verdict {
	s := &slot{driver: d}
	defer s.leave(ctx)
	for i, c := range list {
		if time.Now().After(deadline) {
			return ""
		}
		r := s.check(ctx, c)
		switch {
		case r == nil:
			return ""
		case i == len(list)-1:
			return r.Verdict
		case s.process == nil:
			return ""
		}
	}
	return ""
}

func nameList(list []*check.Check) string {
	var names []string
	for _, c := range list {
		if len(names) == 2*maxNamed {
			names = append(names, fmt.Sprintf("%d more", len(list)-len(names)))
			break
		}
		names = append(names, c.Name())
	}
	return strings.Join(names, ", ")
}

// manyFailures is the number of failures from which each is run again only once: so many are
// hardly chance.
const manyFailures = 50

// waivers returns the waivers for the plugin, as far as it is known.
func (d *driver) waivers() []*report.WaiverFile {
	if d.Waivers == nil {
		return nil
	}
	return d.Waivers(&d.report.Plugin)
}

// reported returns the report of the checks that have run. It may be called while others run, by
// whoever may change d.results at the time.
func (d *driver) reported(interrupted bool) *report.Report {
	d.mu.Lock()
	whole := *d.report
	whole.Problems = slices.Clone(d.problems)
	skew := maps.Clone(d.skew)
	d.mu.Unlock()
	r := &whole
	r.Capabilities.Unimplemented = d.unimplemented()
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
	order := places()
	slices.SortStableFunc(r.Results, func(a, b report.Result) int { return order[a.Rule] - order[b.Rule] })
	r.Run.Interrupted = interrupted
	for i := range r.Results {
		r.Skew = append(r.Skew, skew[r.Results[i].Check]...)
	}
	r.Waive(d.waivers(), d.start, d.suiteNames(), d.chosenNames())
	r.Block()
	r.Duration = time.Since(d.start)
	if d.Programs != nil {
		r.Programs = d.Programs(r.Results)
	}
	r.Summarize()
	return r
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
