// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

// led returns a report on a plugin with several faults, among them a compiler that refuses text,
// which two functions show.
func led() *report.Report {
	r := &report.Report{Plugin: report.Plugin{File: "p.so"}, Results: []report.Result{
		result("D2H-01", report.Fail, "dst_size of i16[2 3], which was 1 before the call: expected 12, got 0"),
		result("D2H-02", report.Fail, "row_pitch of an array: expected 12, got 0"),
		result("D2H-06", report.Fail, "row_pitch of an array: expected 12, got 0"),
		result("CMP-01", report.Fail, "PJRT_Client_Compile: INTERNAL: no text"), result("CMP-01/aot", report.Fail, "PJRT_Compile: INTERNAL: no text"),
	}}
	r.Summarize()
	return r
}

func TestALeadNamesAFieldOfItsFunctionOnly(t *testing.T) {
	t.Parallel()
	r := led()
	require.Len(t, r.Leads, 2, "what the compiler refuses is one cause")
	assert.Equal(t, "PJRT_Buffer_ToHostBuffer", r.Leads[0].Function)
	assert.Equal(t, "dst_size", r.Leads[0].Field, "row_pitch is none of its fields")
	assert.Equal(t, []string{"CMP-01", "CMP-01/aot"}, r.Leads[1].Results)
}

// The first cause's call in C is before the reader's eyes; the rest of it is folded away.
func TestTheFirstScreenHasTheCallInC(t *testing.T) {
	t.Parallel()
	r := led()
	for i := range r.Leads {
		l := &r.Leads[i]
		l.Program = "int main(void) {\n  check(api->PJRT_Client_Create(&a1), \"PJRT_Client_Create\");\n" +
			"  PJRT_Buffer_Maker_Args a2 = {.struct_size = PJRT_Buffer_Maker_Args_STRUCT_SIZE, .code = \"" + strings.Repeat(`\n`, 99) + "\"};\n  " +
			l.Function + "_Args a3 = {.struct_size = " + l.Function + "_Args_STRUCT_SIZE, .src = a2.buffer};\n" +
			"  check(api->" + l.Function + "(&a3), \"" + l.Function + "\");\n  printf(\"%d\", a3.dst_size);\n}\n"
	}
	var text, page strings.Builder
	require.NoError(t, report.Text{Most: 1}.WriteSummary(r, &text))
	assert.Contains(t, text.String(), "   in C   PJRT_Buffer_ToHostBuffer_Args a3 = {.src = a2.buffer};\n"+
		"          api->PJRT_Buffer_ToHostBuffer(&a3);\n          printf(\"%d\", a3.dst_size);\n2. ")
	assert.NotContains(t, text.String(), "PJRT_Client_Compile_Args", "the others are in the page")
	require.NoError(t, r.WriteHTML(&page))
	assert.Equal(t, 1, strings.Count(page.String(), `<details class="plain" open><summary>The call in C</summary><pre>PJRT_Buffer_Maker_Args a2 = {.code = &#34;`+
		strings.Repeat(`\n`, 48)+`...&#34;};`))
	assert.Equal(t, 1, strings.Count(page.String(), `<details class="plain"><summary>The call in C</summary>`))
	assert.Equal(t, 2, strings.Count(page.String(), "<summary>The whole program</summary>"))

	// What makes many arguments is left out, and so are most elements of long lists.
	l := &r.Leads[0]
	l.Program = strings.ReplaceAll(l.Program, "  PJRT_Buffer_Maker_Args", strings.Repeat("  PJRT_Buffer_Maker_Args a = {};\n", 20)+"  PJRT_Buffer_Maker_Args")
	l.Program = strings.ReplaceAll(l.Program, ".src = a2.buffer", ".src = (X[]){"+strings.Repeat("a2.buffer, ", 60)+"a9.buffer}")
	page.Reset()
	require.NoError(t, r.WriteHTML(&page))
	assert.Contains(t, page.String(), "<summary>The call in C</summary><pre>PJRT_Buffer_ToHostBuffer_Args a3 = {.src = "+
		"(X[]){a2.buffer, a2.buffer, a2.buffer, ..., a9.buffer}};\n")
}

// A hang shows in checks of other things: the lead has a check of the function, which was blocked.
func TestALeadIsShownByACheckOfItsFunction(t *testing.T) {
	t.Parallel()
	const download = "PJRT_Buffer_ToHostBuffer"
	hang := result("ERR-03", report.Timeout, "it did not end within 30s")
	hang.Calls, hang.Reproduce = []string{download}, "pjrt-conformance run p.so --run '^ERR-03$'"
	blocked := result("D2H-01", report.Blocked)
	blocked.BlockedBy, blocked.Stopped = "ERR-03", []string{download}
	r := &report.Report{Results: []report.Result{hang, blocked}}
	r.Summarize()
	require.Len(t, r.Leads, 1)
	assert.Equal(t, []string{download, "D2H-01"}, []string{r.Leads[0].Function, r.Leads[0].Check})
	var text strings.Builder
	require.NoError(t, r.WriteText(&text, false))
	assert.Contains(t, text.String(), "   try    "+hang.Reproduce)

	crash := func(check string) report.Result {
		x := result(check, report.Crash, "expected an answer; the process died of SIGABRT")
		x.Death, x.Calls = &report.Death{How: "the process died of SIGABRT"}, []string{"PJRT_Client_Compile"}
		return x
	}
	r = &report.Report{Results: []report.Result{
		result("CMP-01", report.Fail, "PJRT_Client_Compile: INTERNAL: no text"), crash("CMP-11/a"), crash("RUN-02/a"),
	}}
	r.Summarize()
	require.Len(t, r.Leads, 1)
	assert.Equal(t, "CMP-11/a", r.Leads[0].Check, "of the most frequent finding")

	slot := result("LOAD-08", report.Fail, "the slot at offset 120, PJRT_Client_Create, is null")
	other := result("CLI-01", report.Fail, "PJRT_Client_Create: UNIMPLEMENTED: the plugin does not have this function")
	r = &report.Report{Run: report.Run{NoDevice: "there is no client"}, Results: []report.Result{other, slot, result("CLI-14", report.SkipEnv)}}
	r.Summarize()
	require.Len(t, r.Leads, 1)
	assert.Equal(t, "LOAD-08", r.Leads[0].Check, "that the slot is null says it best")
	text.Reset()
	require.NoError(t, r.WriteText(&text, false))
	says := strings.Join(strings.Fields(text.String()), " ")
	assert.Contains(t, says, "lets up to 2 checks pass, and up to 1 run that were skipped without a client")
	assert.Contains(t, says, "skipped 1 check since no client was made")
	assert.Contains(t, says, "not conformant, as far as that shows without a device: ")
}

// Where several slots are null, none of them is all that is wrong.
func TestSeveralNullSlotsAreOneLead(t *testing.T) {
	t.Parallel()
	slot := result("LOAD-08", report.Fail, "the slot at offset 120, PJRT_Client_Create, is null", "the slot at offset 128, PJRT_Client_Destroy, is null")
	blocked := result("CLI-01", report.Blocked)
	blocked.BlockedBy, blocked.Stopped = "LOAD-08", []string{"PJRT_Client_Destroy"}
	r := &report.Report{Run: report.Run{NoDevice: "there is no client"}, Results: []report.Result{slot, blocked, result("CLI-14", report.SkipEnv)}}
	r.Summarize()
	require.Len(t, r.Leads, 1)
	assert.Empty(t, r.Leads[0].Function)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text, false))
	assert.Contains(t, strings.Join(strings.Fields(text.String()), " "), "1. slots of the table are null: PJRT_Client_Create, PJRT_Client_Destroy: "+
		"mending it lets up to 2 checks pass, and up to 1 run that were skipped without a client")
}

// What a check finds again and again is written once, and of a long finding its first lines.
func TestLongFindingsAreShort(t *testing.T) {
	t.Parallel()
	stack := "INTERNAL: it failed" + strings.Repeat("\n  at a place", 20)
	r := &report.Report{Results: []report.Result{result("EVT-10/racing", report.Fail, "no event", "no event", stack, "no event")}}
	r.Summarize()
	var text, all strings.Builder
	require.NoError(t, r.WriteText(&text, false))
	assert.Equal(t, 1, strings.Count(text.String(), "  found      3 times: no event\n"))
	assert.Equal(t, 7, strings.Count(text.String(), "  at a place"))
	assert.Contains(t, text.String(), "and 13 more lines, which --verbose writes\n")
	require.NoError(t, r.WriteText(&all, true))
	assert.Equal(t, 20, strings.Count(all.String(), "               at a place"))
}
