// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestTextTellsEverythingAboutAFailure(t *testing.T) {
	t.Parallel()
	r := sample(t)
	r.Results[4].Calls = []string{"PJRT_Event_IsReady", "PJRT_Client_Create"}
	var b strings.Builder
	require.NoError(t, r.WriteText(&b, false))
	text := b.String()
	for _, part := range []string{
		"EVT-02/crash  CRASH  (MUST, from: header)\n  rule ", "\n  found      expected an answer; the process died of SIGSEGV\n", "\n  last calls PJRT_Event_IsReady, PJRT_Client_Create\n",
		"\n  in         buffers.crash (x.go:1)\n", "\n  output     last words\n", "\n  reproduce  pjrt-conformance run /opt/plugin.so --run '^EVT-02/crash$'\n",
		"\n  attempts   FAIL, PASS\n", "not conformant: 3 checks failed, 5 passed\nnext: ", "please report BUF-01, with the JSON report",
	} {
		assert.Contains(t, text, part)
	}
	assert.NotContains(t, text, "D2H-06  WAIVED")
	assert.NotContains(t, text, "\x1b", "no escape of the plugin's reaches the terminal")
	assert.Contains(t, text, `\x1b[31m`)
	b.Reset()
	require.NoError(t, r.WriteText(&b, true))
	assert.Contains(t, b.String(), "D2H-06  WAIVED")
	b.Reset()
	require.NoError(t, report.Text{Colour: true}.Write(r, &b))
	assert.Contains(t, b.String(), "EVT-02/crash  \x1b[31mCRASH\x1b[0m  (MUST")
	assert.Contains(t, b.String(), "\nL0      \x1b[32mreached\x1b[0m      1     0 ", "colours do not spoil the table")
}

func TestLevelsAreSentencesWhereTheTableDoesNotFit(t *testing.T) {
	t.Parallel()
	r := sample(t)
	r.Levels[0].Reason = "for this reason"
	for columns, expected := range map[int]string{
		0:   "\nLEVEL  ",
		100: "\nLEVEL  ",
		80:  "0        of 1 rule\nL0:     for this reason\nL2:     failed: EVT-01, EVT-02/crash\n",
		40:  "\nL0      reached, 1 passed, 1 warned; for\n        this reason\n",
	} {
		var b strings.Builder
		require.NoError(t, report.Text{Columns: columns}.WriteSummary(r, &b))
		for line := range strings.Lines(b.String()) {
			words := strings.HasPrefix(line, "sha256 ") || strings.HasPrefix(line, "   try ") || len(strings.Fields(line)) == 1 // are not broken
			assert.True(t, columns == 0 || words || utf8.RuneCountInString(line)-1 <= columns, line)
		}
		assert.Contains(t, b.String(), expected, "%d columns", columns)
		assert.Equal(t, columns != 40, strings.Contains(b.String(), "WAIVED  BLOCKED"), "%d columns", columns)
	}
}

func TestManyFailuresAreGroupedByWhatTheyHaveInCommon(t *testing.T) {
	t.Parallel()
	r := sample(t)
	const answer = "PJRT_Client_Compile: UNIMPLEMENTED: not yet"
	for i := range 60 {
		r.Results = append(r.Results, result(fmt.Sprintf("RUN-02/%d", i), report.Fail, "PJRT_Client_Compile: expected success, got "+answer))
	}
	crash := result("CMP-01", report.Crash, "expected an answer; the process died of SIGSEGV")
	crash.Death, crash.Calls = &report.Death{How: "the process died of SIGSEGV"}, []string{"PJRT_Client_Compile", "PJRT_Client_Create"}
	hang := result("CMP-02", report.Timeout, "it did not end within 30s")
	hang.Calls = []string{"PJRT_Event_Await"}
	r.Results = append(r.Results, crash, crash, hang, hang)
	r.Summarize()
	require.Len(t, r.Causes, 3)
	assert.Equal(t, answer, r.Causes[0].Text)
	assert.Len(t, r.Causes[0].Checks, 60)
	assert.Equal(t, "the process died of SIGSEGV; the last call was PJRT_Client_Compile", r.Causes[1].Text)
	assert.Equal(t, "no answer within the limit; the last call was PJRT_Event_Await", r.Causes[2].Text)

	require.Len(t, r.Leads, 3)
	assert.Equal(t, "PJRT_Client_Compile", r.Leads[0].Function)
	assert.Len(t, r.Leads[0].Results, 62, "whatever is wrong with one function is one lead")

	var b strings.Builder
	require.NoError(t, r.WriteText(&b, false))
	text := b.String()
	assert.NotContains(t, text, "\nRUN-02/", "none in full")
	assert.Contains(t, text, "1. PJRT_Client_Compile: mending it lets up to 62 checks pass\n   found  60x "+answer+"\n")
	b.Reset()
	require.NoError(t, r.WriteText(&b, true))
	assert.Equal(t, 60, strings.Count(b.String(), "\nRUN-02/"), "all when asked")
	assert.Contains(t, b.String(), "    60  "+answer)
}

// vulkan returns a report of a plugin with two faults that most checks meet.
func vulkan(t *testing.T) *report.Report {
	t.Helper()
	r := &report.Report{
		Suite:  report.Suite{Version: "v1.2.3", API: "0.117", Covered: 738},
		Plugin: report.Plugin{File: "plugin.so", SHA256: strings.Repeat("ab", 32), Minor: 114, Platform: "vulkan"},
		Run:    report.Run{Profile: "quick", Jobs: 2}, Duration: 90 * time.Second,
	}
	add := func(check string, v report.Verdict, failure string) *report.Result {
		x := result(check, v, failure)
		x.Reproduce = "pjrt-conformance run plugin.so --run '^" + check + "$'"
		r.Results = append(r.Results, x)
		return &r.Results[len(r.Results)-1]
	}
	add("LOAD-10", report.Fail, "expected an event, got null")
	for i := range 30 {
		add(fmt.Sprintf("RUN-02/%d", i), report.Fail, "expected an event, got null")
	}
	add("RUN-03", report.Fail, "device_complete_events[0]: expected an event, got null")
	for _, c := range []string{"D2H-01", "H2D-01", "H2D-02"} {
		add(c, report.Fail, "PJRT_Buffer_ToHostBuffer: expected success, got PJRT_Buffer_ToHostBuffer: INVALID_ARGUMENT: dst is null")
	}
	crash := add("EVT-16/each kind of event", report.Crash, "expected an answer; the process died of SIGSEGV")
	crash.Death, crash.Calls = &report.Death{How: "the process died of SIGSEGV", Signal: "SIGSEGV"}, []string{"PJRT_Event_Await"}
	for i := range 3 {
		add(fmt.Sprintf("CMP-11/%d", i), report.Fail, fmt.Sprintf("row %d of the result of a program with a long name differs from the row that was expected of it", i))
	}
	add("CMP-11/3", report.Pass, "")
	add("D2H-06", report.Fail, "rows")
	add("CLI-10", report.Warn, "the name is empty")
	file := waiverOf(t, "D2H-06")
	file.Name, file.Ships = "waivers/vulkan.json", true
	r.Waive([]*report.WaiverFile{file}, r.Started, nil, nil)
	r.Summarize()
	return r
}

func TestTheFirstScreenSaysWithWhatToBegin(t *testing.T) {
	t.Parallel()
	r := vulkan(t)
	var b strings.Builder
	require.NoError(t, report.Text{Most: report.MostDetails, Columns: 80}.Write(r, &b))
	_, screen, _ := strings.Cut(b.String(), "\n\nbegin with:\n")
	assert.Equal(t, `1. PJRT_LoadedExecutable_Execute, field device_complete_events: mending it lets
   up to 32 checks pass
   found  31x expected an event, got null
          1x device_complete_events[0]: expected an event, got null
   rule   RUN-03 (MUST, from: header): output_lists entries are all written on
          success, and so are the device_complete_events that are asked for
   try    pjrt-conformance run plugin.so --run '^RUN-03$'
2. PJRT_Buffer_ToHostBuffer: mending it lets up to 3 checks pass
   found  3x PJRT_Buffer_ToHostBuffer: INVALID_ARGUMENT: dst is null
   rule   D2H-01 (MUST, from: header): dst = null writes the needed size into
          dst_size and does not start a transfer; event is null or destroyable
   try    pjrt-conformance run plugin.so --run '^D2H-01$'
3. PJRT_Client_Compile: mending it lets up to 3 checks pass
   found  1x row 0 of the result of a program with a long name differs from the
          row that was expected of it
          1x row 1 of the result of a program with a long name differs from the
          row that was expected of it
          and 1 more finding
   rule   CMP-11/0 (MUST, from: a known caller depends on it): Every op in the
          StableHLO spec either compiles or gives an error; compile never
          crashes the process
   try    pjrt-conformance run plugin.so --run '^CMP-11/0$'

other failures, by rule:
  EVT-16           CRASH   SIGSEGV; the last call was PJRT_Event_Await

other warnings, by rule:
  CLI-10           WARN    the name is empty

waived   1 failure by waivers/vulkan.json, which ships with the suite

not conformant: 39 checks failed, 1 passed
next: put failures that you cannot fix now into a waiver file, with the reasons
      (the command draft-waivers writes one, --waivers reads it)
`, screen)
	assert.LessOrEqual(t, strings.Count(b.String(), "\n"), 60)
	assert.True(t, strings.HasPrefix(b.String(), "plugin   plugin.so, platform vulkan, PJRT API 0.114\nsha256   "+strings.Repeat("ab", 32)+"\n"))

	for form, write := range map[string]func(io.Writer) error{"html": r.WriteHTML, "markdown": r.WriteMarkdown} {
		b.Reset()
		require.NoError(t, write(&b))
		text := strings.ReplaceAll(b.String(), `\_`, "_")
		for _, part := range []string{"Begin with", "PJRT_LoadedExecutable_Execute, field device_complete_events", "mending it lets up to 32 checks pass",
			"waivers/vulkan.json, which ships with the suite", strings.Repeat("ab", 32), "profile quick", "PJRT API 0.114"} {
			assert.Contains(t, text, part, form)
		}
	}
}

func TestWhatAFailureBlocksBelongsToItsLead(t *testing.T) {
	t.Parallel()
	const compile = "PJRT_Client_Compile"
	r := &report.Report{Results: []report.Result{
		stopped("CMP-01", report.Fail, compile), stopped("CMP-02", report.Fail, compile), stopped("RUN-01", report.Fail, compile),
		result("EVT-01", report.Fail, "a"), result("EVT-02", report.Fail, "b"), result("EVT-03", report.Fail, "c"),
	}}
	r.Block()
	r.Summarize()
	require.Len(t, r.Leads, 3)
	assert.Equal(t, report.Lead{Function: compile, Check: "CMP-01", Results: []string{"CMP-01", "CMP-02", "RUN-01"},
		Findings: []report.Cause{{Text: "PJRT_Client_Compile: UNIMPLEMENTED", Checks: []string{"CMP-01"}}}}, r.Leads[0])
	var b strings.Builder
	require.NoError(t, r.WriteText(&b, false))
	assert.NotContains(t, b.String(), "blocked checks, which", "the lead says it")
}

func TestTheVerdictSaysWhoseWaiversExcuseFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mine, ships []string
		says        string
	}{
		"the user's":  {mine: []string{"D2H-06"}, says: "conformant except for 1 waived failure: 1 check passed"},
		"the suite's": {ships: []string{"D2H-06"}, says: "conformant except for 1 waived failure by waivers that ship with the suite: 1 check passed"},
		"both": {mine: []string{"D2H-06"}, ships: []string{"D2H-01"},
			says: "conformant except for 2 waived failures, 1 of them by waivers that ship with the suite: 1 check passed"},
	} {
		r := &report.Report{Results: []report.Result{result("LOAD-01", report.Pass)}}
		var files []*report.WaiverFile
		for i, list := range [][]string{test.mine, test.ships} {
			for _, c := range list {
				r.Results = append(r.Results, result(c, report.Fail, "x"))
				f := waiverOf(t, c)
				f.Ships = i == 1
				files = append(files, f)
			}
		}
		r.Waive(files, r.Started, nil, nil)
		r.Summarize()
		assert.Equal(t, test.says, r.Sentence(), name)
	}
}
