// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestTheMatrixHasARowForEachStructThatGrew(t *testing.T) {
	t.Parallel()
	r := sample(t)
	r.Skew = []report.Skew{
		{Struct: "PJRT_B", Size: 40, Since: 10, Until: 19, Callers: "0.10 to 0.19", Outcome: "refused: INVALID_ARGUMENT", Check: "SKEW-02"},
		{Struct: "PJRT_B", Size: 48, Since: 20, Callers: "0.20 and newer", Outcome: "works", OK: true, Check: "SKEW-02"},
		{Struct: "PJRT_B", Size: 56, Newer: 8, Callers: "newer by 8 bytes", Outcome: "works", OK: true, Check: "SKEW-01"},
		{Struct: "PJRT_A", Size: 24, Until: 14, Callers: "0.0 to 0.14", Outcome: "works", OK: true, Check: "SKEW-02"},
		{Struct: "PJRT_A", Size: 32, Since: 15, Callers: "0.15 and newer", Outcome: "works", OK: true, Check: "SKEW-02"},
		{Struct: "PJRT_A", Size: 32, Since: 15, Callers: "0.15 and newer", Outcome: "overwrites what stands behind the struct", Check: "SKEW-08"},
		{Struct: "PJRT_C", Size: 16, Since: 3, Callers: "0.3 and newer", Outcome: "works", OK: true, Check: "SKEW-02"},
		{Struct: "PJRT_C", Size: 24, Newer: 8, Callers: "newer by 8 bytes", Outcome: "refused: INVALID_ARGUMENT", Check: "SKEW-01"},
	}
	m := r.SkewMatrix()
	assert.Equal(t, []string{"0.0 to 0.9", "0.10 to 0.14", "0.15 to 0.19", "0.20 and newer", "+8 bytes"}, m.Columns)
	require.Len(t, m.Rows, 2)
	line := func(r report.SkewRow) string {
		var b strings.Builder
		b.WriteString(r.Struct)
		spans := 0
		for _, c := range r.Cells {
			spans += c.Span
			b.WriteString(" " + c.Kind() + strings.Repeat("+", c.Span-1))
		}
		assert.Equal(t, len(m.Columns), spans, r.Struct)
		return b.String()
	}
	assert.Equal(t, "PJRT_A pass+ fail+ ", line(m.Rows[0]), "the worse of two outcomes stands, and no newer caller was tried")
	assert.Equal(t, "PJRT_B  warn+ pass pass", line(m.Rows[1]), "no caller was older than the struct")
	assert.Equal(t, []string{"PJRT_C"}, m.BadNames())

	var page, text bytes.Buffer
	require.NoError(t, r.WriteHTML(&page))
	assert.Contains(t, page.String(), `<td colspan="2" class="fail" title="32 bytes, callers 0.15 and newer: overwrites what stands behind the struct (SKEW-08)">✗ 32`)
	require.NoError(t, r.WriteMarkdown(&text))
	assert.Contains(t, text.String(), `| PJRT\_A | ✓ 24 (0.0 to 0.14) · ✗ 32 (0.15 and newer) |`)
	assert.Contains(t, text.String(), `1 struct never grew; trouble with PJRT\_C`)
}

func TestWithoutSkewThereIsNoMatrix(t *testing.T) {
	t.Parallel()
	r := sample(t)
	r.Skew = nil
	var b bytes.Buffer
	require.NoError(t, r.WriteHTML(&b))
	assert.NotContains(t, b.String(), "Older and newer callers")
}
