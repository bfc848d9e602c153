// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// swapped returns the CPU plugin, except that it takes one operation for another.
func swapped(t *testing.T, from, to string) *check.Env {
	t.Helper()
	table, err := serve.Wrap(cpu(t), serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
		kept, program := a.Program, *a.Program
		code := strings.ReplaceAll(capi.String(program.Code, program.CodeSize), from, to)
		program.Code, program.CodeSize = capi.CString(code), uintptr(len(code))
		a.Program = &program
		c.Forward()
		a.Program = kept
	}))
	require.NoError(t, err)
	env := &check.Env{Table: table.Capi()}
	t.Cleanup(func() {
		assert.NoError(t, env.Close())
		assert.NoError(t, table.Close())
	})
	return env
}

func plain(t *testing.T) *check.Env {
	t.Helper()
	env := &check.Env{Table: cpu(t)}
	t.Cleanup(func() { assert.NoError(t, env.Close()) })
	return env
}

// against runs a case on two plugins.
func against(t *testing.T, p *Peer, c *Case, ours *check.Env, theirs runner) check.Result {
	t.Helper()
	return check.Run(t.Context(), &check.Check{Rule: "DIFF-01", Timeout: comparisonLimit, Run: func(t *check.T) {
		p.compare(t, c, local{ours}, theirs)
	}}, ours)
}

func suiteCase(t *testing.T, name string) *Case {
	t.Helper()
	for _, c := range OwnCases() {
		if c.Name == name {
			return &c
		}
	}
	require.Fail(t, "there is no program "+name)
	return nil
}

func TestAPluginDoesNotDifferFromItself(t *testing.T) {
	t.Parallel()
	ours, theirs := plain(t), local{plain(t)}
	names := []string{"add/f32", "multiply/i32", "divide/i32", "exponential/f32", "reduce_add/f32", "sort/f32", "while/7", "select/f32", "dot_general/f32", "compare/i32"}
	if testing.Short() {
		names = names[:3]
	}
	for _, name := range names {
		r := against(t, &Peer{Rounds: 4, Seed: 7}, suiteCase(t, name), ours, theirs)
		assert.Equal(t, check.Pass, r.Verdict, "%s: %s %q", name, r.Skip, r.Failures)
		assert.Empty(t, r.Notes)
	}
	cases, err := Spec{StableHLO: checkout}.Cases()
	require.NoError(t, err)
	if testing.Short() {
		cases = cases[:3]
	}
	for _, c := range cases {
		r := against(t, &Peer{Rounds: 1}, &c, ours, theirs)
		assert.True(t, r.Verdict == check.Pass || r.Verdict == check.SkipEnv || strings.Contains(r.Skip, "neither plugin runs the program"), "%s: %s %q", c.Name, r.Verdict, r.Failures)
	}
}

func TestADifferenceIsShrunk(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ program, from, to, size string }{
		{"add/f32", `"stablehlo.add"`, `"stablehlo.subtract"`, "1 of 2 elements not zero"},
		{"multiply/i32", `"stablehlo.multiply"`, `"stablehlo.add"`, "1 of 2 elements not zero"},
		{"abs/i32", `"stablehlo.abs"`, `"stablehlo.negate"`, "1 of 1 elements not zero"},
		{"reduce_add/f32", "stablehlo.add %x", "stablehlo.maximum %x", "elements not zero"},
	} {
		out := t.TempDir()
		ours := swapped(t, test.from, test.to)
		r := against(t, &Peer{Rounds: 2, Seed: 1, Reproducers: out}, suiteCase(t, test.program), ours, local{plain(t)})
		require.Equal(t, check.Warn, r.Verdict, "%s: %s %q", test.program, r.Skip, r.Failures)
		assert.Contains(t, r.Failures[0], test.size, test.program)
		assert.Contains(t, r.Failures[0], "argument 0: dense<")
		assert.Contains(t, strings.Join(r.Notes, "\n"), "pjrt-conformance programs PLUGIN "+out)

		// The reproducer is a program that one plugin passes and the other fails.
		cases, err := Folder(out)
		require.NoError(t, err)
		require.Len(t, cases, 1)
		for env, want := range map[*check.Env]check.Verdict{plain(t): check.Pass, ours: check.Fail} {
			r := check.Run(t.Context(), &check.Check{Rule: "RUN-02", Run: func(t *check.T) { cases[0].run(t) }}, env)
			assert.Equal(t, want, r.Verdict, "%s: %q", test.program, r.Failures)
		}
	}
}

// A fault that the program's own inputs do not show is found with others.
func TestRandomInputsFindWhatTheProgramsOwnDoNot(t *testing.T) {
	t.Parallel()
	text := "func.func @main(%x: tensor<8xi32>) -> tensor<8xi32> {\n %0 = stablehlo.abs %x : tensor<8xi32>\n return %0 : tensor<8xi32>\n}\n"
	c := &Case{Name: "abs", Load: func() (*Program, error) {
		return &Program{Code: []byte(text), Args: []*array.Array{parsed(t, "tensor<8xi32>", "5")}, Fuzz: func(int) bool { return true }}, nil
	}}
	ours, theirs := swapped(t, "stablehlo.abs %x", "stablehlo.maximum %x, %x"), local{plain(t)}
	r := against(t, &Peer{}, c, ours, theirs)
	assert.Equal(t, check.Pass, r.Verdict, "%q", r.Failures)
	r = against(t, &Peer{Rounds: 1, Seed: 3}, c, ours, theirs)
	require.Equal(t, check.Warn, r.Verdict)
	assert.Contains(t, r.Failures[0], "in round 1 of seed 3 the plugins differ")
	assert.Contains(t, r.Failures[0], "1 of 1 elements not zero")
	assert.Contains(t, r.Failures[0], "tensor<1xi32>")
}

// runs is a runner that calls a function for its answer.
type runs func() (*outcome, error)

func (f runs) run(context.Context, unit, [][]*array.Array) (*outcome, error) { return f() }

func TestWhatCannotBeCompared(t *testing.T) {
	t.Parallel()
	ours := plain(t)
	c := suiteCase(t, "add/f32")
	answer := func(o outcome) runner { return runs(func() (*outcome, error) { return &o, nil }) }
	for _, test := range []struct {
		theirs  runner
		verdict check.Verdict
		says    string
	}{
		{answer(outcome{Refused: "no add"}), check.SkipEnv, "the other plugin does not run the program: it does not compile the program: no add"},
		{answer(outcome{Failed: "its process died"}), check.SkipEnv, "its process died"},
		{runs(func() (*outcome, error) { return nil, errors.New("no such file") }), check.SkipEnv, "the other plugin: no such file"},
		{answer(outcome{Results: [][]*array.Array{{}}}), check.Warn, "the other plugin has 0 results, but this one has 1"},
	} {
		r := against(t, &Peer{}, c, ours, test.theirs)
		assert.Equal(t, test.verdict, r.Verdict, test.says)
		assert.Contains(t, r.Skip+strings.Join(r.Failures, ""), test.says)
	}
	// The results of both still count if one of them stops later.
	own := parsed(t, "tensor<2xi32>", "[1, 2]")
	one := &Case{Name: "one", Load: func() (*Program, error) {
		text := "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n return %x : tensor<2xi32>\n}\n"
		return &Program{Code: []byte(text), Args: []*array.Array{own}, Fuzz: func(int) bool { return true }}, nil
	}}
	r := against(t, &Peer{Rounds: 3}, one, ours, answer(outcome{Results: [][]*array.Array{{own}}, Failed: "its process died"}))
	assert.Equal(t, check.Pass, r.Verdict, "%q", r.Failures)
	assert.Equal(t, []string{"in round 1 the other plugin does not run the program: its process died"}, r.Notes)

	odd := &Case{Name: "odd", Load: func() (*Program, error) { return &Program{Code: []byte("odd")}, nil }}
	r = against(t, &Peer{}, odd, ours, answer(outcome{Results: [][]*array.Array{{}}}))
	assert.Equal(t, check.SkipUnimpl, r.Verdict, "%q", r.Failures)
	assert.Contains(t, r.Skip, "the other plugin runs the program, but this one does not compile it")
	r = against(t, &Peer{}, odd, ours, local{plain(t)})
	assert.Equal(t, check.SkipUnimpl, r.Verdict)
	assert.Contains(t, r.Skip, "neither plugin runs the program")
}

func TestRandomInputsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	for e := dtype.Invalid + 1; e.Valid(); e++ {
		if e == dtype.Token {
			continue
		}
		p := &Program{Args: []*array.Array{{Type: e, Dims: []int64{64}, Data: make([]byte, 64*e.Size())}},
			Fuzz: func(int) bool { return true }}
		for round := 1; round <= 4; round++ {
			a, b := fuzz(p, 5, "x", round).Args[0], fuzz(p, 5, "x", round).Args[0]
			assert.Equal(t, a, b, "%v", e)
			assert.NotEqual(t, a, fuzz(p, 6, "x", round).Args[0], "%v", e)
			assert.NotEqual(t, a, fuzz(p, 5, "x", round+4).Args[0], "%v", e)
			require.NoError(t, a.Check())
		}
	}
	for code, want := range map[string]draw{
		"stablehlo.add": {wild: true}, "stablehlo.sort": {}, "stablehlo.convert": {tiny: true}, "stablehlo.power": {positive: true},
		"stablehlo.reduce stablehlo.compare": {}, "stablehlo.reduce": {wild: true},
	} {
		assert.Equal(t, want, drawFor(code, 2), code)
		want.wild = false
		assert.Equal(t, want, drawFor(code, 1), code)
	}
	converts := &Program{Code: []byte("stablehlo.convert"), Args: []*array.Array{parsed(t, "tensor<64xf32>", "1.0")}, Fuzz: func(int) bool { return true }}
	for round := 1; round <= 4; round++ {
		for _, x := range parts(fuzz(converts, 1, "x", round).Args[0]) {
			assert.True(t, 0 <= x && x <= 1.5, "%v", x)
		}
	}
	divides := &Program{Code: []byte("stablehlo.divide"), Args: []*array.Array{parsed(t, "tensor<64xi4>", "1")}, Fuzz: func(int) bool { return true }}
	for round := 1; round <= 4; round++ {
		assert.NotContains(t, fuzz(divides, 1, "x", round).Args[0].Data, byte(0), "no division by zero")
	}
}

func TestFloatsAreCounted(t *testing.T) {
	t.Parallel()
	var h histogram
	h.add(parsed(t, "tensor<i32>", "1"), parsed(t, "tensor<i32>", "2"))
	assert.Empty(t, h.String())
	h.add(parsed(t, "tensor<4xf32>", "[1.0, 1.0, 1.0, 0x7F800000]"), parsed(t, "tensor<4xf32>", "[1.0, 0x3F800001, 0x3F800010, 1.0]"))
	assert.Equal(t, "floats by their distance in units in the last place: 0: 1, 1: 1, 2 to 3: 0, 4 to 15: 0, more: 1; the largest is 16; finite on one side only: 1", h.String())
}

func TestReproducersOfBytecodeKeepTheirForm(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "x")
	require.NoError(t, write(dir, &Program{Code: []byte("ML\xefR...")}, nil))
	_, err := os.Stat(filepath.Join(dir, "program.mlirbc"))
	assert.NoError(t, err)
}
