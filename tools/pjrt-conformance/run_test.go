// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

func TestRunWritesEveryReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := tested.Launch(t, dir, "run", "cpu", "--run", "^H2D-01$", "--option", "cpu_device_count=2", "-v",
		"--json", "r.json", "--junit", "r.xml", "--html", "r.html", "--md", "r.md", "--badge", "r.svg")
	require.Zero(t, o.Status, o.Stderr) // stderr has the progress
	assert.Contains(t, o.Stdout, "conformant to ")
	assert.Regexp(t, `LEVEL +STATE +PASS`, o.Stdout)
	assert.Contains(t, o.Stderr, "inspecting the plugin\n")
	assert.Contains(t, o.Stderr, " 0 failed, 0 left, ")
	assert.NotContains(t, o.Stderr, "\r", "standard error is not a terminal")
	for name, begins := range map[string]string{"r.xml": "<?xml", "r.html": "<!doctype html>", "r.md": "## PJRT conformance", "r.svg": "<svg"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), begins), name)
	}
	r, err := report.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	assert.Equal(t, report.Conformant, r.Verdict)
	assert.Equal(t, tested.Library, r.Plugin.Path)
	assert.Len(t, r.Capabilities.Devices, 2)
	assert.Equal(t, "^H2D-01$", r.Run.Filter)
	require.NotEmpty(t, r.Results)
	for _, x := range r.Results {
		assert.Equal(t, "H2D-01", x.Rule)
	}
}

func TestPageShowsTheReportsOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reports := filepath.Join(dir, "reports [all")
	require.NoError(t, os.Mkdir(reports, 0o755))
	for _, r := range [][2]string{{"a.json", "^LOAD-0[12]$"}, {"b.json", "^LOAD-01$"}} { // the oldest comes first
		o := tested.Launch(t, dir, "run", "cpu", "--no-device", "--run", r[1], "--json", filepath.Join(reports, r[0]))
		require.Zero(t, o.Status, o.Stderr)
	}
	clitest.Write(t, reports, "other.json", `{"rules": []}`)
	clitest.Write(t, reports, "list.json", `[1]`)
	o := tested.Launch(t, dir, "page", "reports [all")
	require.Zero(t, o.Status, o.Stderr)
	assert.Equal(t, "conformance.html: 2 reports\n", o.Stdout)
	page, err := os.ReadFile(filepath.Join(dir, "conformance.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "The runs differ in the filter: ^LOAD-0[12]$, ^LOAD-01$.")
	o = tested.Launch(t, dir, "page", filepath.Join(reports, "a.json"), filepath.Join(reports, "b.json"), "--html", "two.html")
	require.Zero(t, o.Status, o.Stderr)
	two, err := os.ReadFile(filepath.Join(dir, "two.html"))
	require.NoError(t, err)
	assert.Equal(t, string(page), string(two))

	clitest.Write(t, reports, "cut.json", `{"schema": "purepjrt.conformance/1", "suite"`)
	clitest.Write(t, dir, "later.json", `{"schema": "purepjrt.conformance/2"}`)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	for name, want := range map[string]string{
		"reports [all": "cut.json: not a report of the conformance suite",
		"later.json":   `the report has the form "purepjrt.conformance/2"`,
		"empty":        "has no report: a run with --json writes one",
		"none":         "cannot read the reports: ",
	} {
		o := tested.Launch(t, dir, "page", name, "--html", "none.html")
		assert.Equal(t, 2, o.Status, name)
		assert.Contains(t, o.Stderr, want, name)
	}
	assert.NoFileExists(t, filepath.Join(dir, "none.html"))
}

func TestRunReadsOptionsFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.Write(t, dir, "gpu.txtpb", "cores: 1\nname: 2")
	args := []string{"run", "cpu", "--no-device", "--run", "^LOAD-01$", "--json", "r.json", "--topology-option"}
	o := tested.Launch(t, dir, append(args, "target=@gpu.txtpb", "--option", "n:string=@1")...)
	require.Zero(t, o.Status, o.Stderr)
	r, err := report.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	assert.Equal(t, []string{"target=cores: 1\nname: 2"}, r.Run.TopologyOptions)
	assert.Equal(t, []string{"n:string=@1"}, r.Run.Options)
	o = tested.Launch(t, dir, append(args, "target=@none.txtpb")...)
	assert.Equal(t, 2, o.Status)
	assert.Contains(t, o.Stderr, "option target: open none.txtpb")
}

func TestRunFailsAPluginThatBreaksARuleUntilAWaiverExcusesIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"run", tested.Library, "--run", "^LEX-03", "--no-known-waivers", "--no-reruns"}
	o := tested.Launch(t, dir, args...)
	assert.Equal(t, 1, o.Status)
	assert.Contains(t, o.Stdout, "LEX-03  FAIL  (MUST, from: header)")
	assert.Contains(t, o.Stdout, "reproduce  "+tested.Path+" run "+tested.Library+" --run '^LEX-03$'")
	assert.Contains(t, o.Stdout, ": 1 check failed, 0 passed")
	assert.NotContains(t, o.Stderr, "exit status")

	o = tested.Launch(t, dir, append(args, "--json", "r.json")...)
	require.Equal(t, 1, o.Status, o.Stderr)
	o = tested.Launch(t, dir, "draft-waivers", "r.json")
	o.RequireSuccess(t)
	clitest.Write(t, dir, "draft.json", o.Stdout)
	o = tested.Launch(t, dir, append(args, "--waivers", "draft.json")...)
	assert.Zero(t, o.Status, o.Stdout)

	clitest.Write(t, dir, "w.json", `{"plugin": {"name": "cpu", "platform": "cpu"}, "waivers": [{"check": "LEX-03", "verdicts": ["FAIL"], "reason": "it can still be executed"}]}`)
	o = tested.Launch(t, dir, append(args, "--waivers", "w.json", "-v")...)
	assert.Equal(t, 0, o.Status, o.Stdout)
	assert.Contains(t, o.Stdout, "LEX-03  WAIVED")
	assert.Contains(t, o.Stdout, "waiver     it can still be executed")
	assert.Contains(t, o.Stdout, " except for 1 waived failure:")

	o = tested.Launch(t, dir, "run", tested.Library, "--run", "^LEX-03", "--waivers", "w.json", "--since", "r.json", "--json", "r.json")
	assert.Equal(t, 0, o.Status, o.Stderr)
	assert.Regexp(t, `(?s)\nsince r.json:\n.*LEX-03.*FAIL.*WAIVED`, o.Stdout)
}

func TestDebugRunsOneCheckInItsOwnProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := tested.Launch(t, dir, "debug", "cpu", "BUF-01")
	require.Zero(t, o.Status, o.Stderr)
	assert.Contains(t, o.Stdout, "BUF-01  PASS  (MUST, from: header)")
	assert.Contains(t, o.Stderr, "PJRT_Client_Create\n")
	assert.Contains(t, o.Stderr, "PJRT_Buffer_ElementType\n")
	o = tested.Launch(t, dir, "debug", "cpu", "BUF-0")
	assert.Equal(t, 2, o.Status)
	assert.Contains(t, o.Stderr, `there is no check "BUF-0"; these begin so: BUF-01, BUF-02, `)
	o = tested.Launch(t, dir, "debug", "cpu", "LEX-03")
	assert.Equal(t, 1, o.Status)
	assert.Contains(t, o.Stdout, "LEX-03  FAIL")
}

func TestCommandsThatCannotRunSayWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.Write(t, dir, "text.so", "no tested.Library")
	clitest.Write(t, dir, "w.json", "{")
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"no command":        {[]string{"cpu"}, `unknown command "cpu"`},
		"no plugin":         {[]string{"run"}, "run: name a plugin, such as cpu or ./my_plugin.so"},
		"two plugins":       {[]string{"run", "cpu", "tpu"}, "accepts at most 1 arg(s)"},
		"no such plugin":    {[]string{"run", "nonesuch"}, "nonesuch"},
		"no such file":      {[]string{"run", "./none.so"}, "no such file"},
		"a text file":       {[]string{"run", "./text.so"}, "not a shared library"},
		"flag":              {[]string{"run", "cpu", "--what"}, "unknown flag: --what"},
		"another's flag":    {[]string{"run", "cpu", "--fuzz", "2"}, "unknown flag: --fuzz: see pjrt-conformance run --help"},
		"level":             {[]string{"run", "cpu", "--level", "L7"}, `--level "L7": use some of L0`},
		"empty range":       {[]string{"run", "cpu", "--level", "L3-L1"}, "--level"},
		"profile":           {[]string{"run", "cpu", "--profile", "tiny"}, `there is no profile "tiny"`},
		"regexp":            {[]string{"run", "cpu", "--run", "("}, "--run: error parsing regexp"},
		"option":            {[]string{"run", "cpu", "--option", "x"}, "NAME=VALUE"},
		"missing report":    {[]string{"run", "cpu", "--since", "none.json"}, "--since: open none.json"},
		"missing waivers":   {[]string{"run", "cpu", "--waivers", "none.json"}, "waivers: open none.json"},
		"damaged waivers":   {[]string{"run", "cpu", "--waivers", "w.json"}, "waivers w.json: line 1: unexpected EOF"},
		"nothing matches":   {[]string{"run", "cpu", "--run", "^NONE-"}, "run: nothing is run: no check has a name that matches ^NONE-"},
		"too thorough":      {[]string{"run", "cpu", "--run", "sort/nothing$"}, "run: nothing is run: sort/nothing$ matches only checks that the profile (quick)"},
		"plan of nothing":   {[]string{"plan", "cpu", "--run", "^NONE-"}, "plan: nothing is run: no check has a name that matches ^NONE-"},
		"worker":            {[]string{"worker"}, "only the other commands of pjrt-conformance start it"},
		"report":            {[]string{"run", "cpu", "--run", "^H2D-01$", "--json", "none/r.json"}, "pjrt-conformance: --json: open none/r.json"},
		"debug of no check": {[]string{"debug", "cpu"}, "debug: name a check, such as EVT-03"},
		"draft of nothing":  {[]string{"draft-waivers", "w.json"}, "w.json: not a report of the conformance suite"},
		"diff":              {[]string{"diff", "w.json", "w.json"}, "w.json: not a report of the conformance suite"},
		"diff of one":       {[]string{"diff", "w.json"}, "accepts 2 arg(s)"},
		"list":              {[]string{"list", "--group", "NONE"}, "there is no such group"},
		"list severity":     {[]string{"list", "--severity", "MAY"}, "use MUST, SHOULD, OPT or ROBUST"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := tested.Launch(t, dir, test.args...)
			assert.Equal(t, 2, o.Status)
			assert.Contains(t, o.Stderr, test.says)
			assert.NotContains(t, o.Stderr, "goroutine")
		})
	}
}

func TestListPrintsTheRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := tested.Launch(t, dir, "list")
	o.RequireSuccess(t)
	assert.Contains(t, o.Stdout, fmt.Sprintf("\n%d rules, ", len(rules.All())))
	assert.Contains(t, o.Stdout, "\nEVT  Events  (level L2)\n")
	assert.Contains(t, o.Stdout, "about Event_Destroy; since base; from: header")
	o = tested.Launch(t, dir, "list", "--group", "evt,ERR", "--severity", "must", "null", "--json")
	o.RequireSuccess(t)
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(o.Stdout), &list))
	require.NotEmpty(t, list)
	for _, r := range list {
		assert.Contains(t, []any{"EVT", "ERR"}, r["group"])
		assert.Equal(t, "MUST", r["severity"])
		assert.Contains(t, r, "checks")
	}
}

func TestDiffListsChangedVerdicts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var r report.Report
	r.Schema = report.SchemaVersion
	save := func(name string, v report.Verdict) {
		r.Results = []report.Result{{Check: "EVT-01", Rule: "EVT-01", Severity: "MUST", Verdict: v}}
		r.Summarize()
		require.NoError(t, r.WriteFile(filepath.Join(dir, name), (*report.Report).WriteJSON))
	}
	save("good.json", report.Pass)
	save("bad.json", report.Crash)
	o := tested.Launch(t, dir, "diff", "good.json", "bad.json")
	assert.Equal(t, 1, o.Status)
	assert.Contains(t, o.Stdout, "worse:\n  EVT-01 ")
	o = tested.Launch(t, dir, "diff", "bad.json", "good.json", "--json")
	assert.Equal(t, 0, o.Status)
	assert.JSONEq(t, `[{"check": "EVT-01", "before": "CRASH", "after": "PASS", "worse": false, "better": true}]`, o.Stdout)
	o = tested.Launch(t, dir, "diff", "bad.json", "bad.json")
	assert.Equal(t, 0, o.Status)
	assert.Equal(t, "no verdict changed\n", o.Stdout)
}

func TestProgressCountsOutcomesAndEstimatesTheRest(t *testing.T) {
	t.Parallel()
	g := conformance.Progress{Phase: "check", Done: 50, Failed: 1, Waived: 7, Total: 100, Began: time.Second, Elapsed: 21 * time.Second,
		Result: &report.Result{Check: "EVT-01"}}
	assert.Equal(t, "50 done, 1 failed, 7 waived, 50 left, 21s, about 20s to go", progressLine(g))
	g.Done = 2
	assert.Equal(t, "2 done, 1 failed, 7 waived, 98 left, 21s", progressLine(g), "too early for an estimate")
}

func TestProgressWithoutATerminalIsAnOccasionalLine(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := newProgress(&b)
	p.show(conformance.Progress{Phase: "probe"})
	p.show(conformance.Progress{Phase: "check", Total: 10, Elapsed: time.Second})
	p.show(conformance.Progress{Phase: "check", Done: 1, Total: 10, Elapsed: time.Second}) // too soon
	p.show(conformance.Progress{Phase: "check", Done: 10, Failed: 2, Total: 10, Elapsed: 2 * time.Second})
	p.show(conformance.Progress{Phase: "rerun", Total: 2, Elapsed: 2 * time.Second})
	p.end()
	assert.Equal(t, "inspecting the plugin\n0 done, 0 failed, 10 left, 1s\n10 done, 2 failed, 0 left, 2s\n"+
		"failed checks again: 0 done, 0 differ, 2 left, 2s\n", b.String())
}

func TestLevelRanges(t *testing.T) {
	t.Parallel()
	got, err := levelRange([]string{"l0-L2", " X", "L4"})
	require.NoError(t, err)
	assert.Equal(t, []string{"L0", "L1", "L2", "X", "L4"}, got)
}
