// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func cpu(t *testing.T) *capi.Table {
	t.Helper()
	table, err := capi.Open(plugintest.Path(t, trial.CPU))
	require.NoError(t, err)
	return table
}

// runAll runs every check of a specification on the CPU plugin.
func runAll(t *testing.T, s Spec) map[string]check.Result {
	t.Helper()
	checks, err := s.Checks()
	require.NoError(t, err)
	env := &check.Env{Table: cpu(t)}
	results := map[string]check.Result{}
	for i := range checks {
		require.NoError(t, checks[i].Validate())
		results[checks[i].Variant] = check.Run(t.Context(), &checks[i], env)
	}
	assert.NoError(t, env.Close())
	return results
}

const checkout = "testdata/checkout"

// The outcomes of the checkout's programs on the CPU plugin, other than PASS, by the name
// or the beginning of it.
var outcomes = map[string]struct {
	verdict check.Verdict
	says    string
}{
	"tests/interpret/arithmetic/9/":      {check.SkipEnv, "quantized type"},
	"tests/interpret/forms/15/":          {check.SkipUnimpl, "uniform_quantize"},
	"tests/interpret/parallel/10/":       {check.SkipEnv, "the program needs 5 devices, but there are 4"},
	"tests/interpret/parallel/19/":       {check.SkipUnimpl, "collective-broadcast"},
	"tests/interpret/parallel/26/":       {check.SkipEnv, "its devices run different programs"},
	"tests/interpret/forms/20/":          {check.SkipEnv, "operations of StableHLO's interpreter"},
	"testdata/wrong_expectation/":        {check.Fail, "result 0: 1 of 3 elements differ; the first is at [2]: expected 10, got 9"},
	"testdata/wrong_and_disabled/":       {check.SkipEnv, "does not run it itself: inaccurate; the results of this plugin differ: result 0: 1 of 3"},
	"testdata/trisolve_f32/":             {check.SkipEnv, "does not run it itself: no interpreter support; this plugin does not compile it: "},
	"testdata/clz_i32_7/constants":       {check.Fail, "result 0: 1 of 7 elements differ; the first is at [6]: expected 0, got -32"},
	"testdata/max_nan_f32/parameters":    {check.Fail, "result 0: 1 of 4 elements differ; the first is at [1]: expected NaN, got 1"},
	"testdata/without_inputs/parameters": {check.SkipEnv, "it has no inputs"},
}

func TestTestsOfACheckoutRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs programs in many processes: make test-all")
	}
	results := runAll(t, Spec{StableHLO: checkout})
	met := map[string]bool{}
	for name, r := range results {
		want, says := check.Pass, ""
		for start, o := range outcomes {
			if strings.HasPrefix(strings.TrimPrefix(name, "stablehlo/"), start) {
				want, says, met[start] = o.verdict, o.says, true
			}
		}
		assert.Equal(t, want, r.Verdict, "%s: %s %q", name, r.Skip, r.Failures)
		assert.Contains(t, r.Skip+strings.Join(r.Failures, ""), says, name)
	}
	assert.Len(t, met, len(outcomes), "%v", met)
	assert.Contains(t, results, "stablehlo/tests/interpret/parallel/1/parameters")
	assert.NotContains(t, results, "stablehlo/tests/interpret/parallel/1/constants", "each device has inputs of its own")
	assert.NotContains(t, results, "stablehlo/testdata/without_checks/constants")
}

// Whatever the form of a program and of its check, a wrong expected value is found, and the
// report says where it is.
func TestEveryWrongExpectationOfACheckoutIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("every program runs several times: make test-all")
	}
	t.Parallel()
	cases, err := Spec{StableHLO: checkout}.Cases()
	require.NoError(t, err)
	env := &check.Env{Table: cpu(t)}
	run := func(p *Program) check.Result {
		c := Case{Load: func() (*Program, error) { return p, nil }}
		return check.Run(t.Context(), &check.Check{Rule: "RUN-02", Run: func(t *check.T) { c.run(t) }}, env)
	}
	wrong := 0
	for _, c := range cases {
		p, err := c.Load()
		if err != nil || run(p).Verdict != check.Pass {
			continue // it is in outcomes
		}
		for i, r := range p.Results {
			if r.Free || r.Want == nil || r.Want.Len() == 0 {
				continue
			}
			q := *p
			q.Results = slices.Clone(p.Results)
			at := r.Want.Len() / 2
			q.Results[i].Want = changed(r.Want, at)
			found := run(&q)
			wrong++
			assert.Equal(t, check.Fail, found.Verdict, c.Name)
			assert.Contains(t, strings.Join(found.Failures, ""), fmt.Sprintf("%s: 1 of %d elements differ; the first is at %v: expected %s, got %s",
				p.place(i), r.Want.Len(), index(r.Want.Dims, at), element(q.Results[i].Want, at), element(r.Want, at))[:60], c.Name)
		}
	}
	assert.Greater(t, wrong, 100)
	assert.NoError(t, env.Close())
}

// changed returns the array with another value at one place: its second highest bit is
// flipped or, for integers of a byte or less, its lowest.
func changed(a *array.Array, at int) *array.Array {
	b := *a
	b.Data = slices.Clone(a.Data)
	size := a.Type.Size()
	if a.Type.IsFloat() || a.Type.IsComplex() {
		b.Data[(at+1)*size-1] ^= 0x40
	} else {
		b.Data[at*size] ^= 1
	}
	return &b
}

// Every kind of check must notice a wrong expected value.
func TestEveryKindOfCheckSeesAWrongValue(t *testing.T) {
	t.Parallel()
	env := &check.Env{Table: cpu(t)}
	for name, line := range map[string]string{
		"expect_eq_const":              "check.expect_eq_const %1, dense<VALUE> : tensor<2xf32>",
		"generic":                      `"check.expect_eq_const"(%1) <{value = dense<VALUE> : tensor<2xf32>}> : (tensor<2xf32>) -> ()`,
		"expect_almost_eq_const":       "check.expect_almost_eq_const %1, dense<VALUE> : tensor<2xf32>",
		"expect_eq":                    "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n check.expect_eq %1, %2 : tensor<2xf32>",
		"expect_almost_eq":             "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n check.expect_almost_eq %1, %2 : tensor<2xf32>",
		"expect_close":                 "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n check.expect_close %1, %2, max_ulp_difference = 5 : tensor<2xf32>, tensor<2xf32>",
		"custom call expect_eq":        "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n stablehlo.custom_call @check.expect_eq(%1, %2) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()",
		"custom call expect_close":     "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n stablehlo.custom_call @check.expect_close(%1, %2) : (tensor<2xf32>, tensor<2xf32>) -> ()",
		"custom call expect_almost_eq": "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n stablehlo.custom_call @check.expect_almost_eq(%1, %2) : (tensor<2xf32>, tensor<2xf32>) -> ()",
		"custom call eq":               "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n %3 = stablehlo.custom_call @check.eq(%1, %2) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>",
		"generic custom call":          "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n" + ` "stablehlo.custom_call"(%1, %2) <{call_target_name = "check.expect_eq"}> : (tensor<2xf32>, tensor<2xf32>) -> ()`,
		"computed expectation":         "%2 = stablehlo.constant dense<VALUE> : tensor<2xf32>\n %3 = stablehlo.abs %2 : tensor<2xf32>\n check.expect_eq %1, %3 : tensor<2xf32>",
	} {
		for value, want := range map[string]check.Verdict{"[2.0, 4.0]": check.Pass, "[2.0, 4.5]": check.Fail} {
			text := "func.func @f() {\n %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n %1 = stablehlo.add %0, %0 : tensor<2xf32>\n " +
				strings.ReplaceAll(line, "VALUE", value) + "\n func.return\n}\n"
			for _, parametric := range []bool{false, true} {
				c := Case{Name: name, Load: func() (*Program, error) { return Convert(text, parametric) }}
				r := check.Run(t.Context(), &check.Check{Rule: "RUN-02", Run: func(t *check.T) { c.run(t) }}, env)
				assert.Equal(t, want, r.Verdict, "%s of %s, %v: %s %q", name, value, parametric, r.Skip, r.Failures)
			}
		}
	}
}

func TestTheParametricFormHasNoInputsLeftInIt(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout, "stablehlo/testdata/subtract_with_two_inputs.mlir"))
	require.NoError(t, err)
	p, err := Convert(string(text), true)
	require.NoError(t, err)
	assert.Contains(t, string(p.Code), "@main(%input_0: tensor<2x3xf32>, %input_1: tensor<2x3xf32>) -> (tensor<2x3xf32>)")
	assert.Contains(t, string(p.Code), "stablehlo.subtract %input_0, %input_1 : tensor<2x3xf32>")
	assert.NotContains(t, string(p.Code), "call @inputs")
	assert.NotContains(t, string(p.Code), "check.")
	require.Len(t, p.Args, 2)
	assert.Equal(t, parsed(t, "tensor<2x3xf32>", "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]"), p.Args[0])
	require.Len(t, p.Results, 1)
	assert.Equal(t, Policy{Kind: Close, MaxULP: 3}, p.Results[0].Policy)
}

func TestTextsThatCannotBeConverted(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"func.func @f() {\n return\n}": "checks nothing",
		"func.func @f(%x: tensor<f32>) {\n check.expect_eq_const %x, dense<1.0> : tensor<f32>\n return\n}":                                                                                             "takes arguments",
		"func.func @f() {\n check.expect_odd %x, dense<1.0> : tensor<f32>\n return\n}":                                                                                                                 `does not know the check "expect_odd"`,
		"func.func @f() {\n check.expect_eq_const %x, dense<1.0> : tensor<?xf32>\n return\n}":                                                                                                          "no fixed shape",
		"func.func @f() {\n check.expect_eq_const %x, dense<1.0\n":                                                                                                                                     "does not end",
		"func.func @f() {\n check.expect_eq %x, %y : tensor<f32>\n return\n}":                                                                                                                          "%y is defined nowhere",
		"func.func @f() {\n check.expect_eq_const %x, dense<1.0> : tensor<f32>\n return\n}\nfunc.func @g() {\n check.expect_eq_const %x, dense<1.0> : tensor<f32>\n return\n}":                         "both @f and @g",
		"func.func @f() {\n check.expect_eq_const %x, dense_resource<r> : tensor<f32>\n return\n}":                                                                                                     "resource",
		"func.func @f() {\n %x = call @g() : () -> tensor<f32>\n check.expect_eq %x, %x : tensor<f32>\n return\n}\nfunc.func @g() {\n %x = call @g() : () -> tensor<f32>\n return %x : tensor<f32>\n}": "nested more than 100 deep",
	} {
		_, err := Convert(text, false)
		var u *Unusable
		require.True(t, errors.As(err, &u), "%v for %s", err, text)
		assert.Contains(t, u.Reason, says)
	}
}

func TestFoldersThatAreNotCheckouts(t *testing.T) {
	t.Parallel()
	_, err := Spec{StableHLO: t.TempDir()}.Checks()
	assert.ErrorContains(t, err, "is not a checkout of StableHLO")
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "testdata"), 0o755))
	_, err = Spec{StableHLO: dir}.Checks()
	assert.ErrorContains(t, err, "no file has check operations")
}

const double = `func.func @main(%x: tensor<3xbf16>) -> tensor<3xbf16> {
  %0 = stablehlo.add %x, %x : tensor<3xbf16>
  return %0 : tensor<3xbf16>
}
`

// folder writes files; a value that is an array becomes a .npy file.
func folder(t *testing.T, files map[string]any) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch c := content.(type) {
		case string:
			require.NoError(t, os.WriteFile(path, []byte(c), 0o644))
		case *array.Array:
			require.NoError(t, npy.WriteFile(path, *c))
		}
	}
	return dir
}

func TestAFolderOfProgramsRuns(t *testing.T) {
	t.Parallel()
	in, out := parsed(t, "tensor<3xbf16>", "[1.0, 2.0, -0.5]"), parsed(t, "tensor<3xbf16>", "[2.0, 4.0, -1.0]")
	dir := folder(t, map[string]any{
		"double/program.mlir": double, "double/arg0.npy": in, "double/out0.npy": out,
		"flat.mlir": double, "flat.arg0.npy": in, "flat.out0.npy": out,
		"wrong/program.mlir": double, "wrong/arg0.npy": in, "wrong/out0.npy": in,
		"broken/program.mlir": strings.ReplaceAll(double, "stablehlo.add", "stablehlo.odd"), "broken/arg0.npy": in, "broken/out0.npy": out,
		"itself.mlir":        "func.func @f() {\n %0 = stablehlo.constant dense<1> : tensor<i32>\n check.expect_eq_const %0, dense<1> : tensor<i32>\n return\n}\n",
		"loose/program.mlir": double, "loose/arg0.npy": in, "loose/out0.npy": parsed(t, "tensor<3xbf16>", "[2.5, 4.0, -1.0]"),
		"manifest.json": `{"programs": [{"name": "loose", "args": [{"dtype": "bf16"}], "outputs": [{"dtype": "bf16", "rtol": 0.25, "atol": 0}]}]}`,
		"README.md":     "not a program",
	})
	results := runAll(t, Spec{Programs: dir})
	for name, want := range map[string]check.Verdict{
		"programs/double": check.Pass, "programs/flat": check.Pass, "programs/wrong": check.Fail, "programs/broken": check.Fail,
		"programs/itself/constants": check.Pass, "programs/itself/parameters": check.Pass, "programs/loose": check.Pass,
	} {
		r := results[name]
		assert.Equal(t, want, r.Verdict, "%s: %q", name, r.Failures)
	}
	assert.Len(t, results, 7)
	assert.Equal(t, []string{"result 0: 3 of 3 elements differ; the first is at [0]: expected 1, got 2"}, results["programs/wrong"].Failures)
	assert.Contains(t, results["programs/broken"].Failures[0], "expected the program to compile")
}

func TestDamagedFolders(t *testing.T) {
	t.Parallel()
	in := parsed(t, "tensor<3xbf16>", "[1.0, 2.0, -0.5]")
	for says, files := range map[string]map[string]any{
		"has no program":                     {"README.md": "nothing"},
		"neither program.mlir nor":           {"a/arg0.npy": in},
		"keep one":                           {"a/program.mlir": double, "a/program.mlirbc": "ML"},
		"there is arg1.npy, but no arg0":     {"a/program.mlir": double, "a/arg1.npy": in, "a/out0.npy": in},
		"takes 1 arguments, but there are 0": {"a/program.mlir": double, "a/out0.npy": in},
		"has 1 results, but there are 0":     {"a/program.mlir": double, "a/arg0.npy": in},
		"is empty":                           {"a/program.mlir": "", "a/arg0.npy": in},
		"out0.npy":                           {"a/program.mlir": double, "a/arg0.npy": in, "a/out0.npy": "no array"},
		"manifest.json":                      {"a/program.mlir": double, "manifest.json": "{"},
		"truncated: 6 bytes":                 {"a/program.mlir": double, "a/arg0.npy": in, "a/out0.npy": header(t, in)},
		"the dimensions [2], but the program has bf16[3]": {"a/program.mlir": double, "a/arg0.npy": parsed(t, "tensor<2xbf16>", "1.0"), "a/out0.npy": in},
		"the dimensions [], but the program has bf16[3]":  {"a/program.mlir": double, "a/arg0.npy": in, "a/out0.npy": parsed(t, "tensor<bf16>", "1.0")},
	} {
		_, err := Spec{Programs: folder(t, files)}.Checks()
		assert.ErrorContains(t, err, says)
	}
	_, err := Spec{Programs: "none"}.Checks()
	assert.ErrorContains(t, err, "none")
}

// header returns a file without its elements.
func header(t *testing.T, a *array.Array) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, npy.Write(&b, *a))
	return b.String()[:b.Len()-len(a.Data)]
}

func TestSpecificationsTravelAsText(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]any{"x.mlir": "func.func @f() {\n  return\n}\n"})
	s := &Spec{Programs: dir, Against: &Peer{Plugin: "p", Rounds: 3, Seed: 1 << 60}}
	text, checks, err := s.Prepare(worker.Command{Args: []string{"worker"}, Token: Token}, 2)
	require.NoError(t, err)
	var got Spec
	require.NoError(t, json.Unmarshal([]byte(text), &got))
	assert.Equal(t, *s, got)
	assert.True(t, filepath.IsAbs(got.Against.Plugin))
	assert.Equal(t, "programs/reference", got.Against.Token)
	assert.Equal(t, []string{"worker"}, got.Against.Args)
	c, err := new(Spec).Find(text, checks[0].Name())
	require.NoError(t, err)
	assert.Equal(t, checks[0].Name(), c.Name())
	_, err = new(Spec).Find(text, "DIFF-01/none")
	assert.ErrorContains(t, err, `there is no check "DIFF-01/none"`)
	_, err = new(Spec).Find("{", "DIFF-01/none")
	assert.ErrorContains(t, err, "which programs to run: ")
}

func TestOpaqueWordsWithoutATypeAreAnError(t *testing.T) {
	t.Parallel()
	in := parsed(t, "tensor<3xf8E5M2>", "[1.0, 2.0, -0.5]")
	path := filepath.Join(folder(t, map[string]any{"a.npy": in}), "a.npy")
	_, err := readArray(path, "", nil, 0)
	assert.ErrorContains(t, err, "in manifest.json")
	a, err := readArray(path, "f8E5M2", nil, 0)
	require.NoError(t, err)
	assert.Equal(t, in, a)
	_, err = readArray(path, "b16", nil, 0)
	assert.ErrorContains(t, err, "unknown element type")
	assert.Equal(t, dtype.F8E5M2, a.Type)
}

// NumPy has no name for bf16, and the types of bytecode are not known before it is compiled.
func TestElementsOfTwoBytesWithoutANameAreBF16(t *testing.T) {
	t.Parallel()
	want := parsed(t, "tensor<3xbf16>", "[2.5, 4.0, -1.0]")
	dir := folder(t, map[string]any{"a/program.mlirbc": "ML\xefR\x00", "a/arg0.npy": want, "a/out0.npy": want})
	cases, err := Folder(dir)
	require.NoError(t, err)
	p, err := cases[0].Load()
	require.NoError(t, err)
	assert.Equal(t, want, p.Args[0])
	assert.Equal(t, want, p.Results[0].Want)
}
