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
	findings "github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestConformanceWritesEveryReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := launch(t, dir, "conformance", "--plugin", "cpu", "--run", "^H2D-01$", "--option", "cpu_device_count=2", "-v",
		"--json", "r.json", "--junit", "r.xml", "--html", "r.html", "--md", "r.md", "--badge", "r.svg")
	require.Zero(t, o.status, o.stderr) // stderr has the progress
	assert.Contains(t, o.stdout, "conformant to ")
	assert.Regexp(t, `LEVEL +STATE +PASS`, o.stdout)
	assert.Contains(t, o.stderr, "inspecting the plugin\n")
	assert.Contains(t, o.stderr, " 0 failed, 0 left, ")
	assert.NotContains(t, o.stderr, "\r", "standard error is not a terminal")
	for name, begins := range map[string]string{"r.xml": "<?xml", "r.html": "<!doctype html>", "r.md": "## PJRT conformance", "r.svg": "<svg"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), begins), name)
	}
	r, err := readReport(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	assert.Equal(t, findings.Conformant, r.Verdict)
	assert.Equal(t, library, r.Plugin.Path)
	assert.Len(t, r.Capabilities.Devices, 2)
	assert.Equal(t, "^H2D-01$", r.Run.Filter)
	require.NotEmpty(t, r.Results)
	for _, x := range r.Results {
		assert.Equal(t, "H2D-01", x.Rule)
	}
}

func TestConformancePageShowsTheReportsOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reports := filepath.Join(dir, "reports")
	require.NoError(t, os.Mkdir(reports, 0o755))
	for _, r := range [][2]string{{"a.json", "^LOAD-0[12]$"}, {"b.json", "^LOAD-01$"}} { // the oldest comes first
		o := launch(t, dir, "conformance", "--plugin", "cpu", "--no-device", "--run", r[1], "--json", filepath.Join(reports, r[0]))
		require.Zero(t, o.status, o.stderr)
	}
	write(t, reports, "other.json", `{"rules": []}`)
	write(t, reports, "list.json", `[1]`)
	o := launch(t, dir, "conformance", "page", "reports")
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, "conformance.html: 2 reports\n", o.stdout)
	page, err := os.ReadFile(filepath.Join(dir, "conformance.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "The runs differ in the filter: ^LOAD-0[12]$, ^LOAD-01$.")
	o = launch(t, dir, "conformance", "page", filepath.Join(reports, "a.json"), filepath.Join(reports, "b.json"), "--html", "two.html")
	require.Zero(t, o.status, o.stderr)
	two, err := os.ReadFile(filepath.Join(dir, "two.html"))
	require.NoError(t, err)
	assert.Equal(t, string(page), string(two))

	write(t, reports, "cut.json", `{"schema": "purepjrt.conformance/1", "suite"`)
	write(t, dir, "later.json", `{"schema": "purepjrt.conformance/2"}`)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	for name, want := range map[string]string{
		"reports":    "cut.json: not a report of the conformance suite",
		"later.json": `the report has the form "purepjrt.conformance/2"`,
		"empty":      "has no report: write one with pjrt conformance --json",
		"none":       "cannot read the reports: ",
	} {
		o := launch(t, dir, "conformance", "page", name, "--html", "none.html")
		assert.Equal(t, 2, o.status, name)
		assert.Contains(t, o.stderr, want, name)
	}
	assert.NoFileExists(t, filepath.Join(dir, "none.html"))
}

func TestConformanceReadsOptionsFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "gpu.txtpb", "cores: 1\nname: 2")
	args := []string{"conformance", "--plugin", "cpu", "--no-device", "--run", "^LOAD-01$", "--json", "r.json", "--topology-option"}
	o := launch(t, dir, append(args, "target=@gpu.txtpb", "--option", "n:string=@1")...)
	require.Zero(t, o.status, o.stderr)
	r, err := readReport(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	assert.Equal(t, []string{"target=cores: 1\nname: 2"}, r.Run.TopologyOptions)
	assert.Equal(t, []string{"n:string=@1"}, r.Run.Options)
	o = launch(t, dir, append(args, "target=@none.txtpb")...)
	assert.Equal(t, 2, o.status)
	assert.Contains(t, o.stderr, "option target: open none.txtpb")
}

func TestConformanceFailsAPluginThatBreaksARule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"conformance", "--plugin", library, "--run", "^D2H-06", "--no-known-waivers", "--no-reruns"}
	o := launch(t, dir, args...)
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stdout, "D2H-06  FAIL  (MUST, from: header)")
	assert.Contains(t, o.stdout, "reproduce  "+command+" conformance --plugin "+library+" --run '^D2H-06$'")
	assert.Contains(t, o.stdout, ": 1 check failed, 0 passed")
	assert.NotContains(t, o.stderr, "exit status")

	write(t, dir, "w.json", `{"plugin": {"name": "cpu", "platform": "cpu"}, "waivers": [{"check": "D2H-06", "verdicts": ["FAIL"], "reason": "host_layout is not read"}]}`)
	o = launch(t, dir, append(args, "--waivers", "w.json", "-v")...)
	assert.Equal(t, 0, o.status, o.stdout)
	assert.Contains(t, o.stdout, "D2H-06  WAIVED")
	assert.Contains(t, o.stdout, "waiver     host_layout is not read")
	assert.Contains(t, o.stdout, " except for 1 waived failure:")
}

func TestConformanceDebugsOneCheckInItsOwnProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := launch(t, dir, "conformance", "--plugin", "cpu", "--run", "^BUF-01$", "--debug")
	require.Zero(t, o.status, o.stderr)
	assert.Contains(t, o.stdout, "BUF-01  PASS  (MUST, from: header)")
	assert.Contains(t, o.stderr, "PJRT_Client_Create\n")
	assert.Contains(t, o.stderr, "PJRT_Buffer_ElementType\n")
	o = launch(t, dir, "conformance", "--plugin", "cpu", "--run", "^BUF-0", "--debug")
	assert.Equal(t, 2, o.status)
	assert.Contains(t, o.stderr, "exactly one check can be debugged at a time, but BUF-01, BUF-02, ")
	o = launch(t, dir, "conformance", "--plugin", "cpu", "--run", "^D2H-06$", "--debug")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stdout, "D2H-06  FAIL")
}

func TestConformanceThatCannotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "text.so", "no library")
	write(t, dir, "w.json", "{")
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"no plugin":       {[]string{}, "name the plugin with --plugin"},
		"argument":        {[]string{"cpu"}, `there is no command "cpu"`},
		"no such plugin":  {[]string{"--plugin", "nonesuch"}, "nonesuch"},
		"no such file":    {[]string{"--plugin", "./none.so"}, "no such file"},
		"a text file":     {[]string{"--plugin", "./text.so"}, "not a shared library"},
		"flag":            {[]string{"--plugin", "cpu", "--what"}, "unknown flag: --what"},
		"level":           {[]string{"--plugin", "cpu", "--level", "L7"}, `--level "L7": use some of L0`},
		"empty range":     {[]string{"--plugin", "cpu", "--level", "L3-L1"}, "--level"},
		"profile":         {[]string{"--plugin", "cpu", "--profile", "tiny"}, `there is no profile "tiny"`},
		"regexp":          {[]string{"--plugin", "cpu", "--run", "("}, "--run: error parsing regexp"},
		"option":          {[]string{"--plugin", "cpu", "--option", "x"}, "NAME=VALUE"},
		"missing waivers": {[]string{"--plugin", "cpu", "--waivers", "none.json"}, "waivers: open none.json"},
		"damaged waivers": {[]string{"--plugin", "cpu", "--waivers", "w.json"}, "waivers w.json: line 1: unexpected EOF"},
		"nothing matches": {[]string{"--plugin", "cpu", "--run", "nothing"}, ""},
		"worker":          {[]string{"worker"}, "it is started by pjrt conformance"},
		"report":          {[]string{"--plugin", "cpu", "--run", "^H2D-01$", "--json", "none/r.json"}, "write the report"},
		"diff":            {[]string{"diff", "w.json", "w.json"}, "w.json: not a report of the conformance suite"},
		"diff of one":     {[]string{"diff", "w.json"}, "accepts 2 arg(s)"},
		"list":            {[]string{"list", "--group", "NONE"}, "there is no such group"},
		"list severity":   {[]string{"list", "--severity", "MAY"}, "use MUST, SHOULD or OPT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := launch(t, dir, append([]string{"conformance"}, test.args...)...)
			assert.Equal(t, 2, o.status)
			assert.Contains(t, o.stderr, test.says)
			assert.NotContains(t, o.stderr, "goroutine")
		})
	}
}

func TestConformanceList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := launch(t, dir, "conformance", "list")
	o.requireSuccess(t)
	assert.Contains(t, o.stdout, fmt.Sprintf("\n%d rules, ", len(rules.All())))
	assert.Contains(t, o.stdout, "\nEVT  Events  (level L2)\n")
	assert.Contains(t, o.stdout, "about Event_Destroy; since base; from: header")
	o = launch(t, dir, "conformance", "list", "--group", "evt,ERR", "--severity", "must", "null", "--json")
	o.requireSuccess(t)
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &list))
	require.NotEmpty(t, list)
	for _, r := range list {
		assert.Contains(t, []any{"EVT", "ERR"}, r["group"])
		assert.Equal(t, "MUST", r["severity"])
		assert.Contains(t, r, "checks")
	}
}

func TestConformanceDiff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var r findings.Report
	r.Schema = findings.SchemaVersion
	save := func(name string, v findings.Verdict) {
		r.Results = []findings.Result{{Check: "EVT-01", Rule: "EVT-01", Severity: "MUST", Verdict: v}}
		r.Summarize()
		require.NoError(t, r.WriteFile(filepath.Join(dir, name), (*findings.Report).WriteJSON))
	}
	save("good.json", findings.Pass)
	save("bad.json", findings.Crash)
	o := launch(t, dir, "conformance", "diff", "good.json", "bad.json")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stdout, "worse:\n  EVT-01 ")
	o = launch(t, dir, "conformance", "diff", "bad.json", "good.json", "--json")
	assert.Equal(t, 0, o.status)
	assert.JSONEq(t, `[{"check": "EVT-01", "before": "CRASH", "after": "PASS", "worse": false, "better": true}]`, o.stdout)
	o = launch(t, dir, "conformance", "diff", "bad.json", "bad.json")
	assert.Equal(t, 0, o.status)
	assert.Equal(t, "no verdict changed\n", o.stdout)
}

func TestProgressCountsOutcomesAndEstimatesTheRest(t *testing.T) {
	t.Parallel()
	g := conformance.Progress{Phase: "check", Done: 50, Failed: 1, Waived: 7, Total: 100, Began: time.Second, Elapsed: 21 * time.Second,
		Result: &findings.Result{Check: "EVT-01"}}
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
