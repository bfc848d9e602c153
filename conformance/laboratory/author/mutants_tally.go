// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// tally is a run over all mutants and what it found.
type tally struct {
	checks  []check.Check
	mutants []mutant.Mutant
	plugins trial.Plugins
	newer   string // path of a CPU plugin that has what that of plugins lacks
	filter  *regexp.Regexp
	profile check.Profile
	jobs    int

	tried   []int // mutants that the filter selects
	untried []int // libraries that could not be made without a compiler
	sound   map[control]*report.Result
	found   map[int]*report.Result
	took    time.Duration
}

// control is a check on a plugin without faults.
type control struct {
	check              string
	base               mutant.Base
	made               bool // by Mutant.Sound, in front of the base
	noDevice, topology string
}

// controlOf returns the check and the plugin of a mutant, without its fault.
func controlOf(m *mutant.Mutant) control {
	return control{m.Check, m.Base, m.Sound != nil, m.NoDevice, m.Topology}
}

// timeFactor shortens the time limits, since a fault that makes a check hang takes the
// whole limit.
const timeFactor = 0.5

func (t *tally) find(name string) *check.Check {
	i := slices.IndexFunc(t.checks, func(c check.Check) bool { return c.Name() == name })
	if i < 0 {
		return nil
	}
	return &t.checks[i]
}

// run tries the mutants, and their checks without a fault. An error means that the
// mutants make no sense.
func (t *tally) run(ctx context.Context) error {
	start := time.Now()
	t.sound, t.found = make(map[control]*report.Result), make(map[int]*report.Result)
	names := make(map[string]bool)
	var chosen []int
	for i := range t.mutants {
		m := &t.mutants[i]
		c := t.find(m.Check)
		switch {
		case c == nil:
			return fmt.Errorf("mutant %q: there is no such check", m.Name())
		case names[m.Name()]:
			return fmt.Errorf("there are two mutants %q", m.Name())
		}
		names[m.Name()] = true
		if c.Profile > t.profile || t.filter != nil && !t.filter.MatchString(m.Name()) {
			continue
		}
		chosen = append(chosen, i)
	}
	if err := t.try(ctx, chosen); err != nil {
		return err
	}
	if err := t.tryNewer(ctx); err != nil {
		return err
	}
	t.took = time.Since(start)
	return ctx.Err()
}

// try tries mutants, and their checks without a fault.
func (t *tally) try(ctx context.Context, mutants []int) error {
	var list trials
	asked := make(map[control]bool)
	for _, i := range mutants {
		m := &t.mutants[i]
		setup, err := t.plugins.With(ctx, m)
		if errors.Is(err, mutant.ErrNoCompiler) {
			t.untried = append(t.untried, i)
			continue
		} else if err != nil {
			return err
		}
		t.tried = append(t.tried, i)
		if err := t.control(ctx, t.plugins, m, asked, &list); err != nil {
			return err
		}
		list.add(t.find(m.Check), setup, func(r *report.Result) { t.found[i] = r })
	}
	t.each(ctx, list)
	return nil
}

// control adds the trial of a mutant's check without the fault to a list, unless it was asked for.
func (t *tally) control(ctx context.Context, on trial.Plugins, m *mutant.Mutant, asked map[control]bool, list *trials) error {
	s := controlOf(m)
	if asked[s] {
		return nil
	}
	asked[s] = true
	without, err := on.Without(ctx, m)
	if err != nil {
		return err
	}
	list.add(t.find(m.Check), without, func(r *report.Result) { t.sound[s] = r })
	return nil
}

// tryNewer tries the checks that CPU lacks something for on the newer plugin, and the mutants of
// those that pass there.
func (t *tally) tryNewer(ctx context.Context) error {
	if t.newer == "" {
		return nil
	}
	newer := t.plugins.On(t.newer)
	lacking := slices.DeleteFunc(slices.Clone(t.tried), func(i int) bool {
		sound := t.sound[controlOf(&t.mutants[i])]
		return t.mutants[i].Base != mutant.CPU || sound == nil || !sound.Verdict.Skipped()
	})
	var list trials
	asked := make(map[control]bool)
	for _, i := range lacking {
		if err := t.control(ctx, newer, &t.mutants[i], asked, &list); err != nil {
			return err
		}
	}
	t.each(ctx, list)
	list = trials{}
	for _, i := range lacking {
		m := &t.mutants[i]
		if sound := t.sound[controlOf(m)]; sound.Verdict != check.Pass {
			continue
		}
		with, err := newer.With(ctx, m)
		if err != nil {
			return err
		}
		list.add(t.find(m.Check), with, func(r *report.Result) { t.found[i] = r })
	}
	t.each(ctx, list)
	return nil
}

// trials are trials to run, and what is done with their results.
type trials struct {
	list []driver.Trial
	keep []func(*report.Result)
}

func (l *trials) add(c *check.Check, s session.Setup, keep func(*report.Result)) {
	l.list = append(l.list, driver.Trial{Check: c, Setup: s})
	l.keep = append(l.keep, keep)
}

func (t *tally) each(ctx context.Context, l trials) {
	config := driver.Config{Checks: t.checks, Profile: check.Full, Jobs: t.jobs, Setup: session.Setup{Factor: timeFactor}}
	driver.Try(ctx, config, l.list, func(i int, r *report.Result) { l.keep[i](r) })
}

// fate is the outcome for a mutant.
type fate int

const (
	killed   fate = iota
	unpaired      // killed, but the check does not pass without the fault
	unproven      // the plugins lack what the check is about, do it wrongly, or refuse the program
	alive         // the check does not find the fault
)

func (t *tally) fate(i int) (fate, string) {
	m := &t.mutants[i]
	sound, found := t.sound[controlOf(m)], t.found[i]
	switch {
	case sound == nil || found == nil:
		return alive, "not tried"
	case found.Verdict.Skipped() && sound.Verdict != check.Pass:
		return unproven, fmt.Sprintf("%s: %s; without the fault %s: %s", found.Verdict, words(found), sound.Verdict, words(sound))
	case found.Verdict == check.Pass && refused(found) != "":
		return unproven, refused(found)
	case !found.Verdict.Failed():
		return alive, fmt.Sprintf("%s: %s", found.Verdict, words(found))
	case sound.Verdict != check.Pass:
		return unpaired, fmt.Sprintf("%s: %s; without the fault %s: %s", found.Verdict, words(found), sound.Verdict, words(sound))
	}
	return killed, fmt.Sprintf("%s: %s", found.Verdict, words(found))
}

// refused returns the note of a check that did not get the program with the fault.
func refused(r *report.Result) string {
	i := slices.IndexFunc(r.Notes, func(n string) bool { return strings.Contains(n, mutant.Refused) })
	if i < 0 {
		return ""
	}
	return r.Notes[i]
}

func words(r *report.Result) string {
	s := r.Skip
	if len(r.Failures) > 0 {
		s = r.Failures[0]
	}
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// print prints what was found, and reports whether nothing is left to mend.
func (t *tally) print(out io.Writer, verbose bool) bool {
	var count [alive + 1]int
	proven, tried := make(map[string]bool), make(map[string]bool)
	for _, i := range t.untried {
		fmt.Fprintf(out, "untried   %s\n          %v\n", t.mutants[i].Name(), mutant.ErrNoCompiler)
		tried[t.mutants[i].Check] = true
	}
	for _, i := range t.tried {
		f, why := t.fate(i)
		count[f]++
		m := &t.mutants[i]
		tried[m.Check] = true
		proven[m.Check] = proven[m.Check] || f == killed || f == unpaired
		switch {
		case f == alive:
			fmt.Fprintf(out, "ALIVE     %s\n          %s\n", m.Name(), why)
		case f == unproven && (verbose || t.profile <= check.Quick):
			fmt.Fprintf(out, "unproven  %s\n          %s\n", m.Name(), why)
		case f == unpaired && verbose:
			fmt.Fprintf(out, "unpaired  %s\n          %s\n", m.Name(), why)
		case verbose && m.Reported != "":
			fmt.Fprintf(out, "killed    %s (%s)\n          %s\n", m.Name(), m.Reported, why)
		case verbose:
			fmt.Fprintf(out, "killed    %s\n          %s\n", m.Name(), why)
		}
	}
	if t.filter == nil || t.filter.String() == "" {
		t.printToothless(out, proven, tried)
	}
	fmt.Fprintf(out, "%d of %d mutants killed (%d where no plugin without the fault is at hand), %d unproven, %d alive, in %v\n",
		count[killed]+count[unpaired], len(t.tried), count[unpaired], count[unproven], count[alive], t.took.Round(100*time.Millisecond))
	return count[alive] == 0 && (count[unproven] == 0 || t.profile > check.Quick)
}

// printToothless lists the checks that no mutant proves.
func (t *tally) printToothless(out io.Writer, proven, tried map[string]bool) {
	checks, n := 0, 0
	var without []string
	for i := range t.checks {
		c := &t.checks[i]
		if c.Profile > t.profile {
			continue
		}
		checks++
		switch name := c.Name(); {
		case proven[name]:
			n++
		case !tried[name]:
			without = append(without, name)
		}
	}
	if len(without) > 0 {
		fmt.Fprintf(out, "\n%d checks have no mutant: %s\n", len(without), strings.Join(without, " "))
	}
	fmt.Fprintf(out, "%d of %d checks are proven\n", n, checks)
}
