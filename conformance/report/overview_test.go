// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// overviewOf returns the page, and the cells of each of its rules.
func overviewOf(t *testing.T, reports ...*report.Report) (page string, rows map[string][]string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, report.WriteOverview(&out, reports))
	page = out.String()
	rows = make(map[string][]string)
	cell := regexp.MustCompile(`<td class="(\w*)"`)
	for _, m := range regexp.MustCompile(`(?s)<tr id="([\w-]+)".*?</tr>`).FindAllStringSubmatch(page, -1) {
		rows[m[1]] = nil
		for _, c := range cell.FindAllStringSubmatch(m[0], -1) {
			rows[m[1]] = append(rows[m[1]], c[1])
		}
	}
	return page, rows
}

func TestAnOverviewShowsTheRulesOnWhichPluginsDiffer(t *testing.T) {
	t.Parallel()
	older, newer := sample(t), sample(t)
	newer.Plugin.Minor = 90
	newer.Results = []report.Result{
		result("LOAD-01", report.Pass), result("LOAD-07", report.Pass), result("CLI-14", report.Fail, "nobody"), result("EVT-01", report.Fail, "x"),
		result("EVT-02", report.Pass), result("EVT-02/crash", report.Warn, "y"), result("D2H-06", report.Pass), result("RAW-01", report.Pass),
	}
	newer.Summarize()
	third := sample(t)
	third.Plugin.Platform = "tpu"

	page, rows := overviewOf(t, third, newer, older)
	for id, want := range map[string][]string{
		"LOAD-07": {"warn", "pass", "warn"}, "CLI-14": {"pass", "fail", "pass"}, "EVT-02": {"fail", "warn", "fail"},
		"D2H-06": {"waived", "pass", "waived"}, "RAW-01": {"skip", "pass", "skip"}, "H2D-01": {"pass", "", "pass"},
	} {
		assert.Equal(t, want, rows[id], id)
	}
	assert.NotContains(t, rows, "LOAD-01", "all keep it")
	assert.NotContains(t, rows, "EVT-01", "all break it")
	assert.NotContains(t, rows, "LOAD-02", "no run looked at it")
	assert.Contains(t, page, "<h1>3 plugins</h1>")
	assert.Contains(t, page, fmt.Sprintf("on the other %d they agree", len(rules.All())-len(rows)))
	assert.Regexp(t, `(?s)plugin\.so 0\.81<.*plugin\.so 0\.90<.*plugin\.so 0\.81 \(2\)<`, page, "by platform, then by version")
	assert.NotContains(t, page, "<script>alert", "what a plugin says stays text")
	assert.NotContains(t, page, "The runs differ")
	assert.Contains(t, page, `title="CLI-14: FAIL: nobody"`)
}

func TestAnOverviewSaysHowTheRunsDiffer(t *testing.T) {
	t.Parallel()
	a, b := sample(t), sample(t)
	b.Run.Profile, b.Run.Levels, b.Run.Filter, b.Suite.Version = "core", []string{"L0", "L1"}, "^EVT", "v2"
	page, rows := overviewOf(t, a, b)
	assert.Empty(t, rows)
	for _, want := range []string{"the profile: quick, core.", "the levels: all, L0 L1.", "the filter: none, ^EVT.", "the suite: v1.2.3 (abcdef), 9 checks, v2 (abcdef), 9 checks."} {
		assert.Contains(t, page, "The runs differ in "+want)
	}
	page, _ = overviewOf(t, a)
	assert.Contains(t, page, "<h1>1 plugin</h1>")
}

func TestAnOverviewOfNothingOrOfProgramsIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.html")
	require.ErrorContains(t, report.WriteOverviewFile(file, nil), "there are no reports to show")
	r := sample(t)
	r.Programs = new(report.Programs)
	require.ErrorContains(t, report.WriteOverviewFile(file, []*report.Report{r}), "the report of plugin.so is about programs")
	assert.NoFileExists(t, file)
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	assert.Empty(t, left)
}
