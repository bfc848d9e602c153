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
}
