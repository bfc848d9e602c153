// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package laboratory_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/laboratory"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

var checkout = laboratory.Programs{StableHLO: "internal/corpus/testdata/checkout"}.Suite()

func TestTheTestsOfACheckoutRun(t *testing.T) {
	t.Parallel()
	r, err := conformance.Run(t.Context(), conformance.Options{
		Plugin: plugintest.Path(t, "cpu"), Suite: checkout, NoReruns: true, Jobs: 1,
		Filter: regexp.MustCompile("/testdata/(almost|subtract|wrong).*/constants$"),
	})
	require.NoError(t, err)
	assert.Equal(t, report.NotConformant, r.Verdict)
	got := map[string]report.Verdict{}
	for _, x := range r.Results {
		got[x.Check] = x.Verdict
	}
	assert.Equal(t, map[string]report.Verdict{
		"RUN-02/stablehlo/testdata/almost_equal/constants":             report.Pass,
		"RUN-02/stablehlo/testdata/subtract_with_two_inputs/constants": report.Pass,
		"RUN-02/stablehlo/testdata/wrong_and_disabled/constants":       report.SkipEnv,
		"RUN-02/stablehlo/testdata/wrong_expectation/constants":        report.Fail,
	}, got)
	failed := r.Result("RUN-02/stablehlo/testdata/wrong_expectation/constants")
	assert.Contains(t, failed.Reproduce, "/internal/corpus/testdata/checkout --run ")
}

// Each plugin has a process of its own.
func TestRunAgainstAnotherPlugin(t *testing.T) {
	t.Parallel()
	path := plugintest.Path(t, "cpu")
	with := laboratory.Comparison{Reference: path, Rounds: 1, Seed: 9}
	o := conformance.Options{Plugin: path, Suite: with.Suite(), NoReruns: true, Jobs: 1, Filter: regexp.MustCompile("DIFF-01/(add|sort)/f32$")}
	r, err := conformance.Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, report.Conformant, r.Verdict)
	assert.Equal(t, 2, r.Summary.Checks.Pass, "%+v", r.Results)

	with.Reference = filepath.Join(t.TempDir(), "none.so")
	o.Suite = with.Suite()
	r, err = conformance.Run(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, r.Results, 2)
	assert.Equal(t, report.SkipEnv, r.Results[0].Verdict)
	assert.Contains(t, r.Results[0].Skip, "none.so")
}

func TestDamagedFoldersAreErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.mlir"), nil, 0o644))
	for _, suite := range []conformance.Suite{
		laboratory.Programs{Folder: dir}.Suite(), laboratory.Programs{StableHLO: dir}.Suite(),
		laboratory.Programs{Folder: filepath.Join(dir, "none")}.Suite(), laboratory.Comparison{Reference: "x", Rounds: -1}.Suite(),
	} {
		_, err := conformance.Run(t.Context(), conformance.Options{Plugin: plugintest.Path(t, "cpu"), Suite: suite})
		assert.Error(t, err)
	}
}

// A program at which the plugin ends the process fails only its own check.
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
	r, err := conformance.Run(t.Context(), conformance.Options{
		Plugin: plugintest.Path(t, "cpu"), Suite: laboratory.Programs{Folder: dir}.Suite(), NoReruns: true, Jobs: 1,
	})
	require.NoError(t, err)
	got := map[string]report.Verdict{}
	for _, x := range r.Results {
		got[x.Check] = x.Verdict
	}
	assert.Contains(t, []report.Verdict{report.Crash, report.Abort}, got["RUN-02/programs/a_fatal/parameters"], "%v", got)
	assert.Equal(t, report.Pass, got["RUN-02/programs/b_good/constants"])
	assert.Equal(t, report.Pass, got["RUN-02/programs/b_good/parameters"])
}

// Under go test, the second plugin's process is another run of the test binary.
func TestComparisonUnderGoTest(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	conformance.TestPlugin(t, path, conformance.With(func(o *conformance.Options) {
		o.Suite = laboratory.Comparison{Reference: path, Rounds: 1}.Suite()
		o.Filter, o.Jobs = regexp.MustCompile("DIFF-01/(multiply|add)/i32$"), 1
	}))
}

// innerVariable makes TestInnerDiffers do something, and names the folder of its reports.
const innerVariable = "PJRT_LABORATORY_INNER"

// TestInnerDiffers compares a plugin that subtracts where it should add with one
// that adds.
func TestInnerDiffers(t *testing.T) {
	if os.Getenv(innerVariable) == "" {
		return
	}
	good := plugintest.Path(t, "cpu")
	conformance.Test(t, func(t testing.TB) *capi.API {
		real, err := capi.Open(good)
		require.NoError(t, err)
		table, err := serve.Wrap(real, serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			kept, program := a.Program, *a.Program
			code := strings.ReplaceAll(capi.String(program.Code, program.CodeSize), "stablehlo.add", "stablehlo.subtract")
			program.Code, program.CodeSize = capi.CString(code), uintptr(len(code))
			a.Program = &program
			c.Forward()
			a.Program = kept
		}))
		require.NoError(t, err)
		return table.API()
	}, conformance.With(func(o *conformance.Options) {
		o.Filter, o.Jobs, o.NoReruns = regexp.MustCompile("DIFF-01/(multiply|add)/(i32|f32)$"), 1, true
		o.Reports = os.Getenv(innerVariable)
		o.Suite = laboratory.Comparison{Reference: good, Rounds: 1, Reproducers: filepath.Join(o.Reports, "different")}.Suite()
	}))
}

// From the subtest that fails to the smallest inputs in a folder, which pass on
// the good plugin.
func TestDifferencesAreFoundShrunkAndKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "reports")
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestInnerDiffers$", "-test.v", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), innerVariable+"="+dir)
	text, err := cmd.CombinedOutput()
	assert.Error(t, err)
	out := string(text)
	for _, line := range []string{
		"--- FAIL: TestInnerDiffers/DIFF-01/add/f32 ", "--- FAIL: TestInnerDiffers/DIFF-01/add/i32 ",
		"--- PASS: TestInnerDiffers/DIFF-01/multiply/f32 ", "--- PASS: TestInnerDiffers/DIFF-01/multiply/i32 ",
		"the plugins differ: result 0: ", "the smallest inputs found, 1 of 2 elements not zero: result 0: 1 of 1 elements differ; the first is at [0]: expected ",
	} {
		assert.Contains(t, out, line)
	}
	r, err := report.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err)
	assert.Equal(t, "the plugins differ on 2 of 4 programs", r.Sentence())
	assert.Empty(t, r.Levels, "programs show no level")
	require.NotNil(t, r.Programs)
	assert.Equal(t, []report.ProgramCount{{Name: "the suite's own", Counts: report.Counts{Pass: 2, Warn: 2}}}, r.Programs.Sets)
	assert.Equal(t, []report.ProgramCount{{Name: "add", Counts: report.Counts{Warn: 2}}}, report.Failing(r.Programs.Operations))
	assert.Equal(t, 1, r.Summary.Rules.Checked)

	different := laboratory.Programs{Folder: filepath.Join(dir, "different")}
	again, err := conformance.Run(t.Context(), conformance.Options{
		Plugin: plugintest.Path(t, "cpu"), Suite: different.Suite(), NoReruns: true, Jobs: 1,
	})
	require.NoError(t, err)
	assert.Equal(t, "2 programs passed, none failed", again.Sentence())
}

// A report of programs counts programs and claims no level.
func TestReportsOfPrograms(t *testing.T) {
	t.Parallel()
	r, err := conformance.Run(t.Context(), conformance.Options{
		Plugin: plugintest.Path(t, "cpu"), Suite: checkout, NoReruns: true, Jobs: 1,
		Filter: regexp.MustCompile("/testdata/|/parallel/(1|26)/"),
	})
	require.NoError(t, err)
	var text, md, page, badge strings.Builder
	require.NoError(t, r.WriteText(&text, false))
	require.NoError(t, r.WriteMarkdown(&md))
	require.NoError(t, r.WriteHTML(&page))
	require.NoError(t, r.WriteBadge(&badge))
	// The plugin of API 0.81 counts leading zeros wrongly; the newer one does not compile two
	// programs.
	constants, failing, skipped, sentence := []any{12, 1, 3}, "maximum             1     1     0     0       0\n", 2, "3 of 26 programs failed"
	if r.Plugin.Minor == 81 {
		constants, failing, skipped, sentence = []any{12, 2, 2}, "count_leading_zeros  1     1     0     0       0\n", 0, "4 of 28 programs failed"
	}
	for _, words := range []string{
		fmt.Sprintf("stablehlo/testdata, inputs as constants          %d    %d     0     0       %d\n", constants...),
		"stablehlo/tests/interpret, inputs as parameters  1     0     0     0       1\n",
		failing, "\nskipped 4: the data set does not run it itself\n",
		"No level is claimed", sentence + "\n",
	} {
		assert.Contains(t, text.String(), words)
	}
	assert.Equal(t, skipped > 0, strings.Contains(text.String(), fmt.Sprintf("\nskipped %d: the plugin does not compile it\n", skipped)))
	assert.NotContains(t, text.String(), "LEVEL ")
	assert.NotContains(t, text.String(), "rules checked")
	assert.Contains(t, md.String(), "## PJRT conformance: "+sentence+"\n")
	assert.Contains(t, md.String(), fmt.Sprintf("| stablehlo/testdata, inputs as constants | %d | %d | 0 | 0 | %d |\n", constants...))
	assert.Contains(t, page.String(), "<h2>Programs</h2>")
	assert.NotContains(t, page.String(), "<h2>Levels</h2>")
	assert.NotContains(t, page.String(), "<h2>Groups</h2>")
	assert.Contains(t, badge.String(), "partial run")
}
