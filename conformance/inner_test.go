// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
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
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// innerVariable makes the tests named TestInner do something. They are tests such as
// users write; other tests run them and look at their output.
const innerVariable = "PJRT_CONFORMANCE_INNER"

func inner() bool { return os.Getenv(innerVariable) != "" }

func fakeSuite(name string) Option { return With(func(o *Options) { o.suite = name }) }

func TestInnerPlugin(t *testing.T) {
	if inner() {
		TestPlugin(t, plugintest.Path(t, "cpu"), fakeSuite("fake"), With(func(o *Options) {
			o.Filter = regexp.MustCompile(`^(LOAD|EVT-0[134]|BUF-0[12])`)
			o.NoReruns, o.NoKnownWaivers = true, true
			o.Reports = os.Getenv(innerVariable)
		}))
	}
}

func TestInnerTable(t *testing.T) {
	if !inner() {
		return
	}
	for _, name := range []string{"first", "second (of two)"} {
		t.Run(name, func(t *testing.T) {
			Test(t, func(t testing.TB) *capi.API {
				table, err := (&serve.Plugin{}).Serve()
				require.NoError(t, err)
				return table.API()
			}, fakeSuite("table"), With(func(o *Options) { o.NoReruns = true }))
		})
	}
}

func TestInnerBroken(t *testing.T) {
	if inner() {
		Test(t, func(t testing.TB) *capi.API {
			t.Log("about to fail")
			require.Fail(t, "no plugin today")
			return nil
		}, fakeSuite("good"))
	}
}

func TestInnerGood(t *testing.T) {
	if inner() {
		TestPlugin(t, plugintest.Path(t, "cpu"), fakeSuite("good"))
	}
}

// runInner runs one of the tests above and returns what it printed.
func runInner(t *testing.T, pattern, dir string, flags ...string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, append([]string{"-test.run", pattern, "-test.v", "-test.timeout=2m"}, flags...)...)
	cmd.Env = append(os.Environ(), innerVariable+"="+dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestChecksAreSubtests(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	out, err := runInner(t, "^TestInnerPlugin$", dir)
	assert.Error(t, err)
	for _, line := range []string{
		"--- PASS: TestInnerPlugin/LOAD-01 ", "--- FAIL: TestInnerPlugin/EVT-01 ", "--- FAIL: TestInnerPlugin/EVT-03 ",
		"--- FAIL: TestInnerPlugin/EVT-04 ", "--- SKIP: TestInnerPlugin/BUF-01 ", "--- PASS: TestInnerPlugin/LOAD-07 ",
		"found      things: expected 1, got 2", "the process was ended by exit(7)", "output     I give up", "found      a pity",
		"reproduce  go test -C " + here(t) + " ", " -count=1 -run '^TestInnerPlugin$/^EVT-03$'  # or: pjrt-conformance run ",
		"not conformant: 3 checks failed, 1 passed",
	} {
		assert.Contains(t, out, line)
	}
	for _, f := range report.Forms() {
		assert.FileExists(t, filepath.Join(dir, f.Name))
	}
	r, err := report.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err)
	assert.Len(t, r.Results, 7)
}

func here(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	return dir
}

func TestTheRunFlagChoosesChecks(t *testing.T) {
	t.Parallel()
	out, err := runInner(t, "^TestInnerPlugin$/^LOAD-01$", t.TempDir())
	assert.NoError(t, err, out)
	assert.Contains(t, out, "conformant: 1 check passed")
	assert.NotContains(t, out, "EVT-01")
}

func TestATableOfGoFunctionsIsChecked(t *testing.T) {
	t.Parallel()
	out, err := runInner(t, "^TestInnerTable$", t.TempDir())
	assert.Error(t, err)
	for _, name := range []string{"first", "second_(of_two)"} {
		for _, line := range []string{"--- PASS: TestInnerTable/" + name + "/ERR-01 ", "--- FAIL: TestInnerTable/" + name + "/EVT-03 ", "--- FAIL: TestInnerTable/" + name + "/EVT-04 "} {
			assert.Contains(t, out, line)
		}
		assert.Contains(t, out, " -count=1 -run '^TestInnerTable$/^"+regexp.QuoteMeta(name)+"$/^EVT-03$'")
	}
}

func TestAPluginThatCannotBeOpenedFailsTheTest(t *testing.T) {
	t.Parallel()
	out, err := runInner(t, "^TestInnerBroken$", t.TempDir())
	assert.Error(t, err)
	assert.Contains(t, out, "no plugin today")
	assert.Contains(t, out, "about to fail")
	assert.Less(t, strings.Count(out, "conformance.Run was called"), 1)
}

func TestAGoodPluginPassesItsTest(t *testing.T) {
	t.Parallel()
	out, err := runInner(t, "^TestInnerGood$", t.TempDir())
	assert.NoError(t, err, out)
	assert.Contains(t, out, "conformant: 7 checks passed")
}

func TestATestThatRunsAgainChecksAgain(t *testing.T) {
	t.Parallel()
	out, err := runInner(t, "^TestInnerGood$", t.TempDir(), "-test.count=2")
	assert.NoError(t, err, out)
	assert.Equal(t, 2, strings.Count(out, "conformant: 7 checks passed"))
}
