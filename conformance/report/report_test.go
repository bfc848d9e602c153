// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestJSONIsReadBack(t *testing.T) {
	t.Parallel()
	r := sample(t)
	// JSON has no bytes that are not UTF-8.
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var want report.Report
	require.NoError(t, json.Unmarshal(text, &want))
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	got, err := report.Read(&b)
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	for _, bad := range []string{"", "{", "[]", `{"schema": "another/1"}`, "{}"} {
		_, err := report.Read(strings.NewReader(bad))
		assert.Error(t, err, bad)
	}
	_, err = report.Read(strings.NewReader(`{"schema": "` + report.SchemaVersion + `", "results": [` + strings.Repeat("{},", 100<<10) + `{}]}`))
	assert.ErrorContains(t, err, "results[0] has only 2 bytes, and lacks members that it must have")
}

// Whoever reads a report did not write it, and shows it nevertheless.
func TestAReportThatLacksAlmostEverythingIsShown(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		`"levels":[{}]`, `"groups":[{}]`, `"causes":[{}]`, `"results":[{"check":"a"}],"leads":[{"check":"a","findings":[{}]}]`, `"blocks":[{}]`,
		`"skew":[{}]`, `"waivers":[{}]`, `"programs":{}`, `"problems":[""]`, `"plugin":{"attributes":[{}]}`, `"capabilities":{"extensions":[{}],"devices":[{}],"types":[{}]}`,
		`"results":[{}]`, `"results":[{"verdict":"BLOCKED"}]`, `"results":[{"verdict":"WAIVED"}]`, `"results":[{"verdict":"CRASH"}]`, `"results":[{"verdict":"FAIL"}]`,
		`"results":[{"verdict":"TIMEOUT","death":{}}]`, `"results":[{"verdict":"FLAKY","attempts":["a"]}]`, `"results":[{"verdict":"FAIL","failures":[""],"stopped":[""]}]`,
	} {
		text := `{"schema":"` + report.SchemaVersion + `",` + part + `}`
		read := func() *report.Report {
			r, err := report.Read(strings.NewReader(text))
			require.NoError(t, err, text)
			return r
		}
		for _, f := range report.Forms() {
			assert.NotPanics(t, func() { assert.NoError(t, f.Write(read(), io.Discard), "%s: %s", f.Name, text) }, "%s: %s", f.Name, text)
		}
		assert.NotPanics(t, func() {
			r := read()
			_ = report.WriteOverview(io.Discard, []*report.Report{r, r}) // not of programs
			assert.NoError(t, r.WriteText(io.Discard, true), text)
			assert.NoError(t, r.WriteWaivers(io.Discard), text)
			assert.NoError(t, report.WriteChanges(io.Discard, report.Diff(&report.Report{}, r)), text)
		}, text)
		assert.NotPanics(t, func() {
			r := read()
			r.Run.Shard = "1/1"
			all, err := report.Merge([]*report.Report{r})
			if err == nil { // not of programs
				assert.NoError(t, all.WriteText(io.Discard, true), text)
			}
		}, text)
	}
	for part, want := range map[string]string{
		`"leads":[{"check":"a"}]`:                                    `the report is damaged: the lead "a" has no finding`,
		`"leads":[{"check":"a","findings":[{}]}]`:                    `a lead names "a", of which there is no result`,
		`"results":[{}],"leads":[{"findings":[{}],"results":["b"]}]`: `a lead names "b", of which there is no result`,
		`"leads":[` + strings.Repeat(`{},`, 100) + `{}]`:             "it has 101 leads, of at most 100",
	} {
		_, err := report.Read(strings.NewReader(`{"schema":"` + report.SchemaVersion + `",` + part + `}`))
		assert.ErrorContains(t, err, want, part)
	}
}

// property is a part of a JSON Schema.
type property struct {
	Ref        string              `json:"$ref"`
	Type       string              `json:"type"`
	Const      string              `json:"const"`
	Enum       []string            `json:"enum"`
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

func TestTheSchemaDescribesEveryField(t *testing.T) {
	t.Parallel()
	var schema struct {
		Defs map[string]property `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(report.Schema, &schema))
	seen := make(map[string]bool)
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(typ.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if typ == reflect.TypeFor[time.Time]() || seen[typ.Name()] {
			return
		}
		seen[typ.Name()] = true
		def, ok := schema.Defs[typ.Name()]
		require.True(t, ok, typ.Name())
		var fields, required []string
		for _, f := range reflect.VisibleFields(typ) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || !f.IsExported() || name == "-" {
				continue
			}
			fields = append(fields, name)
			if options == "" {
				required = append(required, name)
			}
			visit(f.Type)
		}
		var described []string
		for name := range def.Properties {
			described = append(described, name)
		}
		assert.ElementsMatch(t, fields, described, typ.Name())
		assert.ElementsMatch(t, required, def.Required, typ.Name())
	}
	visit(reflect.TypeFor[report.Report]())
	assert.Equal(t, report.SchemaVersion, schema.Defs["Report"].Properties["schema"].Const)
	var verdicts []string
	for _, v := range report.Verdicts() {
		verdicts = append(verdicts, string(v))
		assert.NotEqual(t, string(v), v.Meaning())
	}
	assert.ElementsMatch(t, verdicts, schema.Defs["Verdict"].Enum)
}

func TestSummary(t *testing.T) {
	t.Parallel()
	r := sample(t)
	assert.Equal(t, report.NotConformant, r.Verdict)
	assert.Equal(t, report.Counts{Pass: 5, Fail: 3, Warn: 1, Waived: 1, Skipped: 3}, r.Summary.Checks)
	assert.Equal(t, 1, r.Summary.Verdicts[report.Crash])
	assert.Equal(t, report.Counts{Warn: 1}, r.Summary.Severities[rules.Should])
	k := r.Summary.Rules
	assert.Equal(t, []int{len(rules.All()), 8, 10, 5, 0, 3}, []int{k.Total, k.Covered, k.Checked, k.Kept, k.Blocked, k.Skipped})
	assert.Equal(t, 1, k.BySeverity[rules.Should])
	assert.Equal(t, 25, r.Summary.Quality, "of two checks with weights 1 and 3, the one with weight 1 passed")
	var states []string
	for _, l := range r.Levels {
		states = append(states, l.Name+" "+string(l.State))
	}
	assert.Equal(t, []string{"L0 reached", "L1 reached", "L2 not reached", "L3 not reached", "L4 not run", "X reached", "Q reached"}, states)
	assert.Contains(t, r.Levels[2].Reason, "failed: EVT-01, EVT-02/crash")
	i := slices.IndexFunc(r.Groups, func(g report.Group) bool { return g.Name == "EVT" })
	events := 0
	for _, x := range rules.All() {
		if x.Group() == "EVT" {
			events++
		}
	}
	want := report.Group{Name: "EVT", Level: "L2", Title: "Events", Counts: report.Counts{Fail: 2}, Rules: events, Checked: 2}
	assert.Equal(t, want, r.Groups[i])
}

// The numbers of rules add up, and no rule that a failure blocks counts as skipped.
func TestTheRulesAddUp(t *testing.T) {
	t.Parallel()
	blocked := result("RUN-02", report.Blocked)
	blocked.BlockedBy, blocked.Skip = "RUN-01", "no outputs"
	r := &report.Report{Suite: report.Suite{Covered: len(rules.All()) - 19}, Results: []report.Result{
		result("LOAD-01", report.Pass), result("RUN-01", report.Fail, "a"), blocked, result("EVT-01", report.SkipEnv), result("EVT-02/a", report.SkipEnv),
		result("EVT-02/b", report.SkipUnimpl), result("EVT-03/a", report.Pass), result("EVT-03/b", report.SkipAbsent),
	}}
	r.Summarize()
	n := len(rules.All())
	want := fmt.Sprintf("3 of %d rules checked: 2 kept, 1 not kept; 1 blocked, 2 skipped, %d not run, 19 without a check", n, n-3-1-2-19)
	skipped := "4 checks: 1 since the plugin answers UNIMPLEMENTED, as it may; 1 since the plugin is older than what they are about; " +
		"2 since this machine or these devices cannot show it"
	for form, write := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error { return r.WriteText(w, false) }, "html": r.WriteHTML, "markdown": r.WriteMarkdown,
	} {
		var b strings.Builder
		require.NoError(t, write(&b))
		text := strings.Join(strings.Fields(b.String()), " ")
		assert.Contains(t, text, want, form)
		assert.Equal(t, form == "text", strings.Contains(text, skipped), form)
	}
	r.Results, r.Suite.Covered = r.Results[:1], n
	r.Summarize()
	assert.Equal(t, fmt.Sprintf("1 of %d rules checked: 1 kept; %d not run", n, n-1), r.Summary.Rules.String())
}

func TestNothingCheckedIsIncomplete(t *testing.T) {
	t.Parallel()
	for name, results := range map[string][]report.Result{"no results": nil, "skips": {result("EVT-01", report.SkipEnv)}} {
		r := &report.Report{Results: results}
		r.Summarize()
		assert.Equal(t, report.Incomplete, r.Verdict, name)
		assert.Equal(t, -1, r.Summary.Quality)
	}
	r := &report.Report{Results: []report.Result{result("EVT-01", report.Pass)}, Run: report.Run{Interrupted: true, Left: 3}}
	r.Summarize()
	assert.Equal(t, report.Incomplete, r.Verdict)
	assert.Equal(t, report.NotRun, r.Levels[2].State)
}

func TestSHOULDRulesDoNotBind(t *testing.T) {
	t.Parallel()
	r := &report.Report{Results: []report.Result{result("LOAD-07", report.Crash), result("LOAD-01", report.Pass)}}
	r.Summarize()
	assert.Equal(t, report.Conformant, r.Verdict)
	assert.Equal(t, report.Reached, r.Levels[0].State)
}

func TestWithoutADeviceOnlyTheFirstLevelIsReached(t *testing.T) {
	t.Parallel()
	r := &report.Report{Run: report.Run{Profile: "quick", NoDevice: "no device"}, Results: []report.Result{
		result("LOAD-01", report.Pass), result("TOPO-01", report.Pass), result("EVT-01", report.SkipEnv), result("CMP-19", report.Fail),
	}}
	r.Summarize()
	var states []string
	for _, l := range r.Levels[:4] {
		states = append(states, l.Name+" "+string(l.State))
	}
	assert.Equal(t, []string{"L0 reached", "L1 in part", "L2 not run", "L3 not reached"}, states)
	assert.Equal(t, "only what needs no client was checked: no device", r.Levels[1].Reason)
}

func TestLevelOf(t *testing.T) {
	t.Parallel()
	for _, r := range rules.All() {
		assert.Contains(t, report.LevelNames(), report.LevelOf(r, false), r.ID)
	}
	assert.Equal(t, "L0", report.LevelOf(rules.ByID("ERR-01"), true))
	assert.Equal(t, "L3", report.LevelOf(rules.ByID("SKEW-12"), false))
	assert.Equal(t, "L2", report.LevelOf(rules.ByID("SKEW-06"), false))
	assert.Equal(t, "L1", report.LevelOf(rules.ByID("SKEW-09"), false))
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, sample(t).WriteJUnit(&b))
	type message struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string   `xml:"name,attr"`
				Class   string   `xml:"classname,attr"`
				Time    string   `xml:"time,attr"`
				Failure *message `xml:"failure"`
				Error   *message `xml:"error"`
				Skipped *message `xml:"skipped"`
				Out     string   `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(b.Bytes(), &got))
	assert.Equal(t, []int{13, 2, 2, 3}, []int{got.Tests, got.Failures, got.Errors, got.Skipped})
	cases := map[string]string{}
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			kind := "passed"
			switch {
			case c.Failure != nil:
				kind = "failure"
			case c.Error != nil && c.Name == "BUF-01":
				kind = "error: " + c.Error.Message
			case c.Error != nil:
				kind = "error: " + c.Error.Message
				assert.Contains(t, c.Error.Text, "reproduce  pjrt-conformance")
				assert.Equal(t, "0.002", c.Time)
				assert.Equal(t, "pjrt.L2.EVT", c.Class)
			case c.Skipped != nil:
				kind = "skipped: " + c.Skipped.Message
			case c.Out != "":
				kind = "warned"
			}
			cases[c.Name] = kind
		}
	}
	assert.Equal(t, map[string]string{
		"LOAD-01": "passed", "LOAD-07": "warned", "CLI-14": "passed", "EVT-01": "failure", "EVT-02/crash": "error: expected an answer; the process died of SIGSEGV",
		"H2D-01": "passed", "D2H-06": "skipped: waived: the layout is ignored", "RAW-01": "skipped: it answers UNIMPLEMENTED", "RUN-01": "failure",
		"XLAY-01": "passed", "THR-01": "passed", "BUF-01": "error: panic: oops", "BUF-02": "skipped: too old",
	}, cases)
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, sample(t).WriteMarkdown(&b))
	text := b.String()
	for _, part := range []string{
		"## PJRT conformance: not conformant: 3 checks failed, 5 passed", "| L2 | not reached: failed: EVT-01, EVT-02/crash |",
		"**EVT-02/crash** CRASH (MUST, header)", "`pjrt-conformance run /opt/plugin.so --run '^EVT-02/crash$'`", "waiver: the layout is ignored https://example.com/issue/1",
		"quality 25 of 100",
	} {
		assert.Contains(t, text, part)
	}
	assert.NotContains(t, text, "<script>")
	assert.NotContains(t, text, "@someone", "nobody is mentioned")
	assert.NotContains(t, text, "\x1b", "no escape of the plugin's reaches a terminal")
	assert.Contains(t, text, `\\x1b\[31m`)
	columns := 0 // of the table
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if columns == 0 {
			columns = n
		}
		assert.Equal(t, columns, n, line)
	}
	assert.Less(t, len(text), 60_000)
}

func TestMarkdownOfManyFailuresStaysShort(t *testing.T) {
	t.Parallel()
	r := sample(t)
	for range 2000 {
		long := strings.Repeat("`long` _", 1000)
		r.Results = append(r.Results, result("EVT-01", report.Fail, long, long, long, long, long, long, long))
		r.Problems = append(r.Problems, long)
	}
	r.Summarize()
	var b bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&b))
	assert.Less(t, b.Len(), 60_000)
	assert.Contains(t, b.String(), "more, which are in the other forms of the report")
}

func TestHTMLIsOneFileThatRunsNothingOfThePlugin(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, sample(t).WriteHTML(&b))
	page := b.String()
	assert.True(t, strings.HasPrefix(page, "<!doctype html>"))
	assert.Equal(t, 1, strings.Count(page, "<script>"))
	assert.NotContains(t, page, "<script>alert")
	for _, m := range regexp.MustCompile(`(src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[2], "#") {
			assert.Equal(t, "https://example.com/issue/1", m[2], "nothing is fetched")
		}
	}
	assert.NotContains(t, page, "@import")
	assert.NotContains(t, page, "url(")
	assert.Contains(t, page, `data-kind="fail" data-severity="MUST" data-level="L2" data-group="EVT"`)
}

func TestBadge(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*report.Report)
		says   string
	}{
		"a level":      {func(*report.Report) {}, "L1 client"},
		"partial":      {func(r *report.Report) { r.Run.Filter = "x" }, "partial run"},
		"nothing":      {func(r *report.Report) { r.Results = r.Results[3:5] }, "not conformant"},
		"only waivers": {func(r *report.Report) { r.Results = r.Results[6:7] }, "with waivers"},
		"incomplete":   {func(r *report.Report) { r.Results = nil }, "incomplete"},
	} {
		r := sample(t)
		test.change(r)
		r.Summarize()
		var b bytes.Buffer
		require.NoError(t, r.WriteBadge(&b))
		var svg struct {
			Title string `xml:"title"`
			Label string `xml:"aria-label,attr"`
		}
		require.NoError(t, xml.Unmarshal(b.Bytes(), &svg), name)
		assert.Equal(t, "PJRT conformance: "+test.says, svg.Label, name)
		assert.Contains(t, svg.Title, r.Sentence())
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	before, after := sample(t), sample(t)
	after.Results[0].Verdict, after.Results[0].Failures = report.Fail, []string{"it broke"}
	after.Results[3].Verdict = report.Pass
	after.Results[1].Verdict = report.Pass
	after.Results = append(after.Results[:12], result("EVT-03", report.Crash, "new"))
	changes := report.Diff(before, after)
	assert.Equal(t, []report.Change{
		{Check: "LOAD-01", Before: report.Pass, After: report.Fail, Worse: true, Headline: "it broke"},
		{Check: "LOAD-07", Before: report.Warn, After: report.Pass},
		{Check: "EVT-01", Before: report.Fail, After: report.Pass, Better: true},
		{Check: "EVT-03", After: report.Crash, Worse: true, Headline: "new"},
		{Check: "BUF-02", Before: report.SkipAbsent},
	}, changes)
	assert.True(t, report.Regressed(changes))
	var b bytes.Buffer
	require.NoError(t, report.WriteChanges(&b, changes))
	assert.Regexp(t, `(?s)^worse:\n  LOAD-01 +PASS -> FAIL  it broke\nfailed, but not in the first report:\n  EVT-03 +\(not run\) -> CRASH  new\nbetter:\n  EVT-01 .*changed in other ways:\n  LOAD-07 .*in one report only:\n  BUF-02 +SKIP-ABSENT -> \(not run\)\n\n2 checks got worse\n$`, b.String())
	same := report.Diff(before, before)
	assert.Empty(t, same)
	b.Reset()
	require.NoError(t, report.WriteChanges(&b, same))
	assert.Equal(t, "no verdict changed\n", b.String())
	assert.False(t, report.Regressed(same))
}

func TestDifferencesOfRunsExplainChanges(t *testing.T) {
	t.Parallel()
	before, after := sample(t), sample(t)
	assert.Empty(t, report.Differences(before, after))
	after.Run.Profile, after.Run.NoDevice = "smoke", "no device"
	after.Suite.Version, after.Suite.Checks = "v1.3.0", 10
	after.Plugin.Minor = 82
	after.Plugin.PlatformVersion = "two\x1b[2J"
	list := strings.Join(report.Differences(before, after), "\n")
	for _, part := range []string{"plugin: plugin.so, platform cpu, PJRT API 0.81", "-> plugin.so, platform cpu, PJRT API 0.82", "suite: v1.2.3 (abcdef), 9 checks -> v1.3.0 (abcdef), 10 checks", "profile: quick -> smoke", "without a device: none -> no device"} {
		assert.Contains(t, list, part)
	}
	assert.NotContains(t, list, "\x1b")
}

func TestFilesAreWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	r := sample(t)
	dir := t.TempDir()
	require.NoError(t, r.WriteAll(filepath.Join(dir, "a", "b")))
	entries, err := os.ReadDir(filepath.Join(dir, "a", "b"))
	require.NoError(t, err)
	assert.Len(t, entries, len(report.Forms()))
	assert.ErrorContains(t, r.WriteFile(filepath.Join(dir, "none", "x.json"), (*report.Report).WriteJSON), "write the report")
	assert.Error(t, r.WriteAll(filepath.Join(dir, "a", "b", "report.json")))
}

func TestAFlakyCheckFailsOnlyIfItsRuleBinds(t *testing.T) {
	t.Parallel()
	for check, test := range map[string]struct {
		outcome report.Outcome
		counts  report.Counts
	}{
		"LOAD-07": {report.Conformant, report.Counts{Pass: 1, Warn: 1}}, // SHOULD
		"EVT-01":  {report.NotConformant, report.Counts{Pass: 1, Fail: 1}},
	} {
		r := &report.Report{Results: []report.Result{result("CLI-14", report.Pass), result(check, report.Flaky, "sometimes")}}
		r.Summarize()
		assert.Equal(t, test.outcome, r.Verdict, check)
		assert.Equal(t, test.counts, r.Summary.Checks, check)
		assert.Equal(t, []string{check}, r.Flaky)
		var text strings.Builder
		require.NoError(t, r.WriteText(&text, false))
		assert.Contains(t, text.String(), "\nflaky    since the verdict differs from run to run: "+check+"\n")
	}
}
