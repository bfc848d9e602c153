// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"fmt"
	"strings"
	"testing"

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
		40:  "\nL0      reached, 1 passed, 1 warned; for this reason\n",
	} {
		var b strings.Builder
		require.NoError(t, report.Text{Columns: columns}.WriteSummary(r, &b))
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

	var b strings.Builder
	require.NoError(t, r.WriteText(&b, false))
	text := b.String()
	assert.Equal(t, 1, strings.Count(text, "\nRUN-02/"), "one in full")
	assert.Contains(t, text, "59 more checks failed in the same way: RUN-02/1, RUN-02/2,")
	assert.Contains(t, text, "and 39 more\n")
	assert.Contains(t, text, "    60  "+answer)
	assert.Contains(t, text, "next: begin with the cause that 60 of the 67 failures have in common: "+answer)
	b.Reset()
	require.NoError(t, r.WriteText(&b, true))
	assert.Equal(t, 60, strings.Count(b.String(), "\nRUN-02/"), "all when asked")
}
