// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/model"
)

func stubs(t *testing.T, report *diff.Report, set *model.Set) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, diff.WriteStubs(&b, report, set))
	return b.String()
}

func TestWriteStubs(t *testing.T) {
	t.Parallel()
	golden(t, "stubs.c", stubs(t, compareRoots(t, "old", "new"), readRoot(t, "new")))
}

func TestWriteStubsOfNothingSaysSo(t *testing.T) {
	t.Parallel()
	got := stubs(t, compareRoots(t, "new", "new"), readRoot(t, "new"))
	assert.Equal(t, "// Stubs for the functions of PJRT 0.9 that are new since 0.9.\n// There are none.\n", got)
}

func TestWriteStubsOfOtherErrorsAndCXX(t *testing.T) {
	t.Parallel()
	const common = "typedef struct BELL_Error BELL_Error;\ntypedef struct { int64_t n; } Pair;\n"
	from, to := parse(t, common+"typedef struct { size_t struct_size; void (*a)(void); } BELL_FunctionTable;"),
		parse(t, common+"typedef struct { size_t struct_size; void (*a)(void); BELL_Error* (*b)(Pair p); void* (*c)(void); Pair (*d)(int64_t); } BELL_FunctionTable;"+
			"namespace bell { void Ring(); }")
	got := stubs(t, diff.Compare(from, to, diff.Options{}), to)
	assert.Contains(t, got, "#ifdef __cplusplus\nBELL_Error* Unimplemented_BELL_Error(const char* function);\n#endif\n")
	assert.Contains(t, got, "BELL_Error* Stub_BELL_FunctionTable_b(Pair p) {\n  (void)p;\n  return Unimplemented_BELL_Error(\"b\");\n}\n")
	assert.Contains(t, got, "void* Stub_BELL_FunctionTable_c(void) {\n  return NULL;  // no error can be returned here\n}\n")
	assert.Contains(t, got, "  static Pair zero;\n  return zero;  // no error can be returned here\n}\n\n#endif\n")
	assert.NotContains(t, got, "Stub_BELL_FunctionTable_a")
}

func TestWriteStubsLeavesUnusedSlotsOut(t *testing.T) {
	t.Parallel()
	to := parse(t, table(open+"void* old;  // deprecated\n"+shut, "PJRT_Shut"))
	report := diff.Compare(parse(t, table(open, "PJRT_Open")), to, diff.Options{})
	changes, _ := lines(report)
	assert.Equal(t, []string{"field added PJRT_Api.old", "slot added PJRT_Api.PJRT_Shut", "struct resized PJRT_Api"}, changes)
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	assert.Contains(t, text.String(), "new functions of PJRT_Api: 1\n")
	assert.Contains(t, text.String(), "+ offset 24  size 8  old  void*\n")

	got := stubs(t, report, to)
	assert.Contains(t, got, ".PJRT_Shut = Stub_PJRT_Shut,\n")
	assert.NotContains(t, got, "_old")
}
