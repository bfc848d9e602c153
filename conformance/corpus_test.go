// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestRunOfTestsOfACheckout(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), Options{
		Plugin: plugintest.Path(t, "cpu"), StableHLO: "internal/corpus/testdata/checkout", NoReruns: true, Jobs: 1,
		Filter: regexp.MustCompile("/testdata/.*/constants$"),
	})
	require.NoError(t, err)
	assert.Equal(t, report.NotConformant, r.Verdict)
	got := map[string]report.Verdict{}
	for _, x := range r.Results {
		got[x.Check] = x.Verdict
	}
	assert.Equal(t, map[string]report.Verdict{
		"RUN-02/stablehlo/testdata/almost_equal/constants":             check.Pass,
		"RUN-02/stablehlo/testdata/subtract_with_two_inputs/constants": check.Pass,
		"RUN-02/stablehlo/testdata/wrong_and_disabled/constants":       check.SkipEnv,
		"RUN-02/stablehlo/testdata/wrong_expectation/constants":        check.Fail,
	}, got)
	failed := r.Result("RUN-02/stablehlo/testdata/wrong_expectation/constants")
	assert.Contains(t, failed.Reproduce, "--stablehlo internal/corpus/testdata/checkout --run ")
}

// Each plugin has a process of its own.
func TestRunAgainstAnotherPlugin(t *testing.T) {
	t.Parallel()
	path := plugintest.Path(t, "cpu")
	o := Options{Plugin: path, Against: path, FuzzRounds: 1, Seed: 9, NoReruns: true, Jobs: 1, Filter: regexp.MustCompile("DIFF-01/(add|sort)/f32$")}
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, report.Conformant, r.Verdict)
	assert.Equal(t, 2, r.Summary.Checks.Pass, "%+v", r.Results)

	o.Against = filepath.Join(t.TempDir(), "none.so")
	r, err = Run(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, r.Results, 2)
	assert.Equal(t, check.SkipEnv, r.Results[0].Verdict)
	assert.Contains(t, r.Results[0].Skip, "none.so")
}

func TestDamagedFoldersAreNoVerdict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.mlir"), nil, 0o644))
	for _, o := range []Options{{Programs: dir}, {StableHLO: dir}, {Programs: filepath.Join(dir, "none")}, {Against: "x", FuzzRounds: -1}} {
		o.Plugin = plugintest.Path(t, "cpu")
		_, err := Run(t.Context(), o)
		assert.Error(t, err)
	}
}

// A program on which the plugin ends the process is the verdict of one check.
func TestAProgramThatEndsTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, op := range map[string]string{
		"a_fatal": "stablehlo.concatenate %0, %0, dim = 0 : (tensor<2xi2>, tensor<2xi2>) -> tensor<4xi2>",
		"b_good":  "stablehlo.concatenate %0, %0, dim = 0 : (tensor<2xi8>, tensor<2xi8>) -> tensor<4xi8>",
	} {
		typ := op[len(op)-3 : len(op)-1]
		text := "func.func @f() {\n  %0 = stablehlo.constant dense<1> : tensor<2x" + typ + ">\n  %1 = " + op +
			"\n  check.expect_eq_const %1, dense<1> : tensor<4x" + typ + ">\n  return\n}\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".mlir"), []byte(text), 0o644))
	}
	r, err := Run(t.Context(), Options{Plugin: plugintest.Path(t, "cpu"), Programs: dir, NoReruns: true, Jobs: 1})
	require.NoError(t, err)
	got := map[string]report.Verdict{}
	for _, x := range r.Results {
		got[x.Check] = x.Verdict
	}
	assert.Contains(t, []report.Verdict{check.Crash, check.Abort}, got["RUN-02/programs/a_fatal/parameters"], "%v", got)
	assert.Equal(t, check.Pass, got["RUN-02/programs/b_good/constants"])
	assert.Equal(t, check.Pass, got["RUN-02/programs/b_good/parameters"])
}

// Under go test, the second plugin's process is the test binary again, too.
func TestComparisonUnderGoTest(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	TestPlugin(t, path, With(func(o *Options) {
		o.Against, o.FuzzRounds, o.Filter, o.Jobs = path, 1, regexp.MustCompile("DIFF-01/(multiply|add)/i32$"), 1
	}))
}
