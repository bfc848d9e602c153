// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
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
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// suiteCases is the suite's own programs, as cases.
func suiteCases() []Case {
	var list []Case
	for _, n := range numeric.Cases() {
		list = append(list, Case{Name: n.Name, Profile: n.Profile, Load: func() (*Program, error) {
			p := &Program{Code: []byte(n.Text), Args: n.Inputs, Optional: true, Fuzz: func(int) bool { return true }}
			for _, t := range n.Results {
				p.Results = append(p.Results, Result{Policy: between(t)})
			}
			return p, nil
		}})
	}
	return list
}

// between is the policy for two results each of which may have the error of a
// tolerance. Results that follow the type's tolerance have none of their own.
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

// comparisonLimit is how long a program may take in all its rounds, with the
// search for the smallest inputs.
const comparisonLimit = 4 * time.Minute

// checks returns a check for each case that runs it on both plugins.
func (p *Peer) checks(cases []Case) []check.Check {
	other := &remote{peer: *p}
	var list []check.Check
	for _, c := range cases {
		list = append(list, check.Check{
			Rule: "DIFF-01", Variant: c.Name, Profile: c.Profile, Timeout: comparisonLimit,
			Run: func(t *check.T) { p.compare(t, &c, local{t.Env()}, other) },
		})
	}
	return list
}

// comparison is one program on two plugins.
type comparison struct {
	ctx          context.Context
	ours, theirs runner
	tries        int // that shrinking may still make
}

// difference is what a run on both plugins showed.
type difference struct {
	result       int
	positions    []int // of the elements
	message      string
	ours, theirs *outcome
}

// compare runs a case on both plugins, with its own inputs and with others, and
// reports the first difference with the smallest inputs that show it.
func (p *Peer) compare(t *check.T, c *Case, ours, theirs runner) {
	program := c.open(t)
	rounds := 0
	if fuzzable(program) {
		rounds = p.Rounds
	}
	d := &comparison{ctx: t.Context(), ours: ours, theirs: theirs, tries: shrinkTries}
	var h histogram
	for round := range rounds + 1 {
		variant := program
		if round > 0 {
			variant = fuzz(program, p.Seed, c.Name, round)
		}
		diff, err := d.try(variant, &h)
		switch {
		case err != nil:
			t.SkipEnvf("%v", err)
		case diff == nil:
			continue
		case diff.theirs.failure() != "":
			if diff.ours.failure() != "" {
				t.SkipUnimplf("neither plugin runs it: this one: %s; the other: %s", diff.ours.failure(), diff.theirs.failure())
			}
			t.SkipEnvf("the other plugin does not run it: %s", diff.theirs.failure())
		case diff.ours.Skipped != "":
			t.SkipUnimplf("%s", diff.ours.Skipped)
		case diff.ours.Refused != "" && diff.ours.Lacking:
			t.SkipUnimplf("the other plugin runs it, and this one does not compile it: %s", diff.ours.Refused)
		case diff.ours.failure() != "":
			t.Fatalf("the other plugin runs it; %s\n%s", diff.ours.failure(), show(variant))
		}
		small, last := d.shrink(variant, diff)
		origin := "with its own inputs"
		if round > 0 {
			origin = fmt.Sprintf("in round %d of seed %d", round, p.Seed)
		}
		t.Errorf("%s the plugins differ: %s\nthe smallest inputs found, %s: %s\n%s", origin, diff.message, size(small), last.message, show(small))
		if p.Reproducers != "" {
			dir := filepath.Join(p.Reproducers, strings.Map(fileRune, c.Name))
			if err := write(dir, small, last.theirs.Results); err != nil {
				t.Notef("the reproducer could not be written: %v", err)
			} else {
				t.Notef("the smallest inputs are in %s, with what the other plugin computed: pjrt conformance --plugin %s --programs %s --run %s", dir, t.Env().Path, p.Reproducers, filepath.Base(dir))
			}
		}
		break
	}
	if s := h.String(); s != "" {
		t.Notef("%s", s)
	}
}

// try runs a program on both plugins. Nil means that they agree.
func (d *comparison) try(p *Program, h *histogram) (*difference, error) {
	theirs, err := d.theirs.run(d.ctx, p)
	if err != nil {
		return nil, fmt.Errorf("the other plugin: %w", err)
	}
	ours, err := d.ours.run(d.ctx, p)
	if err != nil {
		return nil, fmt.Errorf("this plugin: %w", err)
	}
	diff := &difference{ours: ours, theirs: theirs}
	if ours.failure() != "" || theirs.failure() != "" {
		return diff, nil
	}
	if len(ours.Results) != len(theirs.Results) {
		diff.message = fmt.Sprintf("the other plugin has %d results, this one %d", len(theirs.Results), len(ours.Results))
		return diff, nil
	}
	for i, want := range theirs.Results {
		policy := Policy{Kind: Near}
		if i < len(p.Results) && p.Results[i].Want == nil {
			policy = p.Results[i].Policy
		}
		if policy.Kind == Near {
			policy = TypePolicy(want)
		}
		got := ours.Results[i]
		h.add(want, got)
		err := policy.Compare(want, got)
		if err == nil {
			continue
		}
		diff.result, diff.message = i, fmt.Sprintf("result %d: %v", i, err)
		diff.positions, _ = policy.differences(want, got)
		return diff, nil
	}
	return nil, nil
}

// histogram counts distances of floats in units in the last place.
type histogram struct {
	counts  [5]int // 0, 1, 2 to 3, 4 to 15, more
	largest uint64
	other   int // one is not finite and the other is something else
}

func (h *histogram) add(want, got *npy.Array) {
	t := partOf(want.Type)
	if h == nil || !t.IsFloat() || got.Type != want.Type || len(got.Data) != len(want.Data) {
		return
	}
	w, g := parts(want), parts(got)
	for i := range w {
		size := t.Size()
		switch n := distance(t, want.Data[i*size:], got.Data[i*size:]); {
		case w[i] == g[i] || math.IsNaN(w[i]) && math.IsNaN(g[i]):
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

// String says what was counted: nothing when all was equal.
func (h *histogram) String() string {
	if h.largest == 0 && h.other == 0 {
		return ""
	}
	return fmt.Sprintf("floats by their distance in units in the last place: 0: %d, 1: %d, 2 to 3: %d, 4 to 15: %d, more: %d; the largest is %d; finite on one side only: %d",
		h.counts[0], h.counts[1], h.counts[2], h.counts[3], h.counts[4], h.largest, h.other)
}

// show prints a program and its arguments, if they are short.
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

func isText(code string) bool { return !strings.HasPrefix(code, "ML\xefR") }

var unsafeRune = regexp.MustCompile(`[A-Za-z0-9._-]`)

func fileRune(r rune) rune {
	if unsafeRune.MatchString(string(r)) {
		return r
	}
	return '_'
}

// write makes a folder of a program as Folder reads it.
func write(dir string, p *Program, results []*npy.Array) error {
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
	for prefix, arrays := range map[string][]*npy.Array{"arg": p.Args, "out": results} {
		for i, a := range arrays {
			if err := npy.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%d.npy", prefix, i)), a); err != nil {
				return err
			}
		}
	}
	return nil
}

// fuzzable reports whether other inputs say anything: a loop may not end with
// them, and some functions are defined for few.
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
