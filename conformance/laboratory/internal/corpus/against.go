// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/numeric"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// OwnCases returns the suite's own numeric programs, on which two plugins are compared.
func OwnCases() []Case {
	var list []Case
	for _, n := range numeric.Cases() {
		list = append(list, Case{Name: n.Name, Set: "the suite's own", Profile: n.Profile, Load: func() (*Program, error) {
			p := &Program{Code: []byte(n.Text), Args: n.Inputs, Optional: true, Fuzz: func(int) bool { return true }}
			for _, t := range n.Results {
				p.Results = append(p.Results, Result{Policy: between(t)})
			}
			return p, nil
		}})
	}
	return list
}

// between returns the policy for comparing two results, each of which may have the error of
// a tolerance. It is Near, without tolerances of its own, for results that follow their
// type's tolerance.
func between(t numeric.Tolerance) Policy {
	switch {
	case !t.Type.IsFloat() && !t.Type.IsComplex():
		return Policy{Kind: Same}
	case t.Bounded || t.Type.IsComplex() && t.ULP > 0:
		return Policy{Kind: Near}
	case t.ULP > 0:
		return Policy{Kind: Close, MaxULP: uint64(math.Ceil(2 * t.ULP))}
	}
	return Policy{Kind: Same}
}

// Agree is the rule that plugins agree.
const Agree = "DIFF-01"

// comparisonLimit is how long a program may take in all its rounds, including the search
// for the smallest inputs.
const comparisonLimit = 4 * time.Minute

// checks returns a check for each case, which runs it on both plugins.
func (p *Peer) checks(cases []Case) []check.Check {
	other := &remote{peer: *p}
	var list []check.Check
	for _, c := range cases {
		list = append(list, check.Check{
			Rule: Agree, Variant: c.Name, Profile: c.Profile, Timeout: comparisonLimit,
			Run: func(t *check.T) { p.compare(t, &c, local{t.Env()}, other) },
		})
	}
	return list
}

// comparison is one program on two plugins.
type comparison struct {
	ctx          context.Context
	ours, theirs runner
	tries        int // that shrinking may still use
}

// difference is what a program showed on both plugins.
type difference struct {
	round        int   // of the lists of arguments
	result       int   // of the program
	positions    []int // of the elements
	dims         []int64
	message      string
	want         []*array.Array // what the other plugin computed
	ours, theirs *outcome       // set when a plugin did not run the program
}

// compare runs a case on both plugins, with its own inputs and with others, and
// reports the first difference with the smallest inputs that show it.
func (p *Peer) compare(t *check.T, c *Case, ours, theirs runner) {
	program := c.open(t)
	variants := []*Program{program}
	if fuzzable(program) {
		for round := range p.Rounds {
			variants = append(variants, fuzz(program, p.Seed, c.Name, round+1))
		}
	}
	d := &comparison{ctx: t.Context(), ours: ours, theirs: theirs, tries: shrinkTries}
	var h histogram
	diff, err := d.try(variants, &h)
	if err != nil {
		t.SkipEnvf("%v", err)
	}
	switch {
	case diff == nil:
	case diff.ours != nil:
		diff.failed(t, variants[diff.round])
	default:
		p.report(t, c, d, variants[diff.round], diff)
	}
	if s := h.String(); s != "" {
		t.Notef("%s", s)
	}
}

// failed says which plugin did not run a program. That is a failure only if the other one
// did, and this one does not say that it lacks something.
func (diff *difference) failed(t *check.T, p *Program) {
	ours, theirs := diff.ours, diff.theirs
	switch {
	case theirs.failure() != "":
		text := "the other plugin does not run the program: " + theirs.failure()
		if ours.failure() != "" {
			text = fmt.Sprintf("neither plugin runs the program; this one: %s; the other: %s", ours.failure(), theirs.failure())
		}
		if diff.round > 0 {
			t.Notef("in round %d %s", diff.round, text)
			return // they agree in the earlier rounds
		}
		if ours.failure() != "" {
			t.SkipUnimplf("%s", text)
		}
		t.SkipEnvf("%s", text)
	case ours.Skipped != "":
		t.SkipUnimplf("%s", ours.Skipped)
	case ours.Refused != "" && ours.Lacking:
		t.SkipUnimplf("the other plugin runs the program, but this one does not compile it: %s", ours.Refused)
	}
	t.Errorf("the other plugin runs the program, but this one does not: %s\n%s", ours.failure(), show(p))
}

// report fails the check with the smallest inputs that show the difference.
func (p *Peer) report(t *check.T, c *Case, d *comparison, program *Program, diff *difference) {
	small, last := d.shrink(program, diff)
	origin := "with its own inputs"
	if diff.round > 0 {
		origin = fmt.Sprintf("in round %d of seed %d", diff.round, p.Seed)
	}
	t.Errorf("%s the plugins differ: %s\nthe smallest inputs found, %s: %s\n%s", origin, diff.message, size(small),
		last.message, show(small))
	if p.Reproducers == "" {
		return
	}
	if small.unit().devices() > 1 {
		t.Notef("no reproducer was written, because a folder can only have programs for one device")
		return
	}
	dir := filepath.Join(p.Reproducers, strings.Map(fileRune, c.Name))
	if err := write(dir, small, last.want); err != nil {
		t.Notef("the reproducer could not be written: %v", err)
		return
	}
	t.Notef("the smallest inputs and the results of the other plugin are in %s: pjrt-conformance programs %s %s --run %s",
		dir, cmp.Or(t.Env().Path, "PLUGIN"), p.Reproducers, filepath.Base(dir))
}

// try runs variants of a program, which share its code, on both plugins. It returns nil if
// they agree on all.
func (d *comparison) try(variants []*Program, h *histogram) (*difference, error) {
	var lists [][]*array.Array
	for _, p := range variants {
		lists = append(lists, p.Args)
	}
	u := variants[0].unit()
	theirs, err := d.theirs.run(d.ctx, u, lists)
	if err != nil {
		return nil, fmt.Errorf("the other plugin: %w", err)
	}
	ours, err := d.ours.run(d.ctx, u, lists)
	if err != nil {
		return nil, fmt.Errorf("this plugin: %w", err)
	}
	for round, p := range variants {
		if round >= len(ours.Results) || round >= len(theirs.Results) {
			return &difference{round: round, ours: ours.after(round), theirs: theirs.after(round)}, nil
		}
		if diff := p.agree(theirs.Results[round], ours.Results[round], h); diff != nil {
			diff.round = round
			return diff, nil
		}
	}
	return nil, nil
}

// after returns the outcome of one of the runs, which is empty if the run has results.
func (o *outcome) after(round int) *outcome {
	if round < len(o.Results) {
		return &outcome{}
	}
	if o.failure() == "" {
		return &outcome{Failed: fmt.Sprintf("it has the results of only %d runs", len(o.Results))}
	}
	return o
}

// agree compares the results of one run. It returns nil if they are the same.
func (p *Program) agree(theirs, ours []*array.Array, h *histogram) *difference {
	diff := &difference{want: theirs}
	if len(ours) != len(theirs) {
		diff.message = fmt.Sprintf("the other plugin has %d results, but this one has %d", len(theirs), len(ours))
		return diff
	}
	for i, want := range theirs {
		policy := Policy{Kind: Near}
		if i < len(p.Results) && p.Results[i].Want == nil {
			policy = p.Results[i].Policy
		}
		if policy.Kind == Near {
			policy = TypePolicy(want, reducedPrecision(p.Code))
		}
		h.add(want, ours[i])
		if err := policy.Compare(want, ours[i]); err != nil {
			diff.result, diff.dims, diff.message = i, want.Dims, fmt.Sprintf("%s: %v", p.place(i), err)
			diff.positions, _ = policy.differences(want, ours[i])
			return diff
		}
	}
	return nil
}

// histogram counts distances of floats in units in the last place.
type histogram struct {
	counts  [5]int // 0, 1, 2 to 3, 4 to 15, more
	largest uint64
	other   int // one is not finite, and the other differs
}

func (h *histogram) add(want, got *array.Array) {
	t := partOf(want.Type)
	if h == nil || !t.IsFloat() || got.Type != want.Type || len(got.Data) != len(want.Data) {
		return
	}
	w, g := parts(want), parts(got)
	for i := range w {
		size := t.Size()
		switch n := distance(t, w[i], g[i], want.Data[i*size:], got.Data[i*size:]); {
		case n == 0:
			h.counts[0]++
		case !finite(w[i]) || !finite(g[i]):
			h.other++
		default:
			h.largest = max(h.largest, n)
			switch {
			case n <= 1:
				h.counts[1]++
			case n <= 3:
				h.counts[2]++
			case n <= 15:
				h.counts[3]++
			default:
				h.counts[4]++
			}
		}
	}
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// String says what was counted. It returns an empty string if everything was equal.
func (h *histogram) String() string {
	if h.largest == 0 && h.other == 0 {
		return ""
	}
	return fmt.Sprintf("floats by their distance in units in the last place: 0: %d, 1: %d, 2 to 3: %d, 4 to 15: %d, more: %d; the largest is %d; finite on one side only: %d",
		h.counts[0], h.counts[1], h.counts[2], h.counts[3], h.counts[4], h.largest, h.other)
}

// show formats a program and its arguments, if they are short.
func show(p *Program) string {
	var b strings.Builder
	for i, a := range p.Args {
		if a.Len() > 64 {
			fmt.Fprintf(&b, "argument %d: %s, too long to be shown\n", i, shape(a))
			continue
		}
		fmt.Fprintf(&b, "argument %d: %s : %s", i, printDense(a), shape(a))
		if t := a.Type; (t.IsFloat() || t.IsComplex()) && a.Len() > 0 {
			fmt.Fprintf(&b, ", which is %s", strings.Join(strings.Fields(a.String()), " "))
		}
		b.WriteByte('\n')
	}
	if code := string(p.Code); isText(code) && len(code) < 4000 {
		b.WriteString(code)
	}
	return b.String()
}

func isText(code string) bool { return !check.IsBytecode(code) }

var safeRune = regexp.MustCompile(`[A-Za-z0-9._-]`)

func fileRune(r rune) rune {
	if safeRune.MatchString(string(r)) {
		return r
	}
	return '_'
}

// write writes a folder for a program, as Folder reads it.
func write(dir string, p *Program, results []*array.Array) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := "program.mlir"
	if !isText(string(p.Code)) {
		name = "program.mlirbc"
	}
	if err := os.WriteFile(filepath.Join(dir, name), p.Code, 0o644); err != nil {
		return err
	}
	for prefix, arrays := range map[string][]*array.Array{"arg": p.Args, "out": results} {
		for i, a := range arrays {
			if err := npy.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%d.npy", prefix, i)), *a); err != nil {
				return err
			}
		}
	}
	return nil
}

// fuzzable reports whether other inputs are meaningful: with them a loop may not end, and
// some functions are defined for only a few.
func fuzzable(p *Program) bool {
	code := string(p.Code)
	if !isText(code) || p.Fuzz == nil {
		return false
	}
	for _, word := range []string{"stablehlo.while", "cholesky", "triangular_solve", "stablehlo.rng"} {
		if strings.Contains(code, word) {
			return false
		}
	}
	for i, a := range p.Args {
		if p.Fuzz(i) && a.Len() > 0 && a.Type != dtype.Token {
			return true
		}
	}
	return false
}
