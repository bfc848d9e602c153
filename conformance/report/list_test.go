// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestEveryFormSaysByWhichList(t *testing.T) {
	t.Parallel()
	r := &report.Report{Plugin: report.Plugin{File: "p.so"}, Run: report.Run{Profile: "quick", List: "2026.11"}, Results: []report.Result{
		result("LOAD-01", report.Pass), result("CLI-14", report.Pass), result("CLI-16", report.Fail, "wrong"),
	}}
	r.Results[2].Unlisted = true
	r.Summarize()
	assert.Equal(t, report.Conformant, r.Verdict)
	assert.Equal(t, report.Reached, r.Levels[1].State)
	assert.Equal(t, 1, r.Summary.Checks.Warn)
	const unlisted = "this check is not on the list of the run, so it is not binding yet"
	for form, test := range map[string]struct {
		write func(io.Writer) error
		says  []string
	}{
		"text": {func(w io.Writer) error { return r.WriteText(w, false) }, []string{
			", PJRT API , list 2026.11, profile quick", "conformant to 2026.11: 2 checks passed", unlisted,
		}},
		"html":     {r.WriteHTML, []string{"by the list 2026.11", unlisted}},
		"markdown": {r.WriteMarkdown, []string{"list 2026.11, profile quick"}},
		"junit":    {r.WriteJUnit, []string{`<property name="list" value="2026.11"></property>`}},
		"badge":    {r.WriteBadge, []string{"L1 client 2026.11"}},
		"page":     {func(w io.Writer) error { return report.WriteOverview(w, []*report.Report{r}) }, []string{"list 2026.11, quick"}},
	} {
		var b bytes.Buffer
		require.NoError(t, test.write(&b))
		for _, s := range test.says {
			assert.Contains(t, b.String(), s, form)
		}
	}
	other := *r
	other.Run.List = "2027.05"
	assert.Contains(t, report.Differences(r, &other), "list of checks: 2026.11 -> 2027.05")
}
