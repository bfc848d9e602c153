// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAttributesThatChangeLayoutsAreRefused(t *testing.T) {
	t.Parallel()
	const (
		packed = "packed structs are not supported"
		here   = "the attribute aligned is not supported here"
	)
	for name, test := range map[string]struct{ text, at, want string }{
		"packed, from a macro": {
			"#define PACKED __attribute__((packed))\ntypedef struct PACKED P { char c; int i; } P;", "2:16", packed,
		},
		"after the brace": {
			"#define PACKED __attribute__((__packed__))\nstruct P { char c; int i; } PACKED;", "2:29", packed,
		},
		"without underscores": {"struct __attribute((packed)) P { char c; int i; };", "1:21", packed},
		"of a field":          {"#define PACKED __attribute__((packed))\nstruct P {\n  char c;\n  int i PACKED;\n};", "4:9", packed},
		"the name alone":      {"#define P packed\nstruct __attribute__((P)) A { char c; int i; };", "2:8", packed},
		"the whole struct":    {"#define PACKED __attribute__((packed))\n#define DEFINE(n) struct PACKED n { char c; int i; }\n\nDEFINE(A);", "4:1", packed},
		"a pasted name":       {"#define PASTE(a, b) a##b\nstruct __attribute__((PASTE(pac, ked))) A { char c; int i; };", "2:8", packed},
		"from both compilers": {
			"#if defined(_MSC_VER)\n#define PACKED\n#elif defined(__GNUC__)\n#define PACKED __attribute__((packed))\n#endif\n" +
				"struct PACKED P { char c; int i; };", "6:8", packed,
		},
		"beside others":        {"struct __attribute__((unused, packed, deprecated)) A { char c; int i; };", "1:31", packed},
		"the second of two":    {"struct A { int x __attribute__((aligned(16))); };\nstruct __attribute__((packed)) B { char c; };", "2:23", packed},
		"in double brackets":   {"struct [[gnu::packed]] A { char c; int i; };", "1:15", packed},
		"a pragma":             {"int x;\n#pragma pack(push, 1)\n", "2:1", packed},
		"a pragma in a word":   {"int x;\n_Pragma(\"pack(1)\")\nstruct A { char c; int i; };", "2:1", packed},
		"a pragma in a macro":  {"#define PUSH _Pragma(\"pack(push, 1)\")\nint x;\n  PUSH\nstruct A { char c; int i; };", "3:3", packed},
		"another pragma":       {"#pragma scalar_storage_order big-endian\n", "1:1", "the attribute scalar_storage_order is not supported"},
		"an enum":              {"enum __attribute__((packed)) E { A };", "1:21", "packed enums are not supported: state the type"},
		"an enum, after it":    {"typedef enum E { A } __attribute__((packed)) E;", "1:37", "packed enums are not supported: state the type"},
		"aligned to the most":  {"struct A { char c; int x __attribute__((aligned)); };", "1:41", "aligned without a number is not supported: write aligned(16)"},
		"from a macro":         {"#define MOST __attribute__((aligned))\nstruct A { int x; } MOST;", "2:21", "aligned without a number"},
		"aligned, in brackets": {"struct A { char c; [[gnu::aligned(16)]] int x; };", "1:27", "in double brackets"},
		"of a pointer":         {"struct A { char c; int* __attribute__((aligned(16))) x; };", "1:40", here},
		"in parentheses":       {"struct A { char c; int (__attribute__((aligned(16))) x); };", "1:40", here},
		"of one of two":        {"struct A { char c; int x __attribute__((aligned(16))), y; };", "1:41", here},
		"lower, before a type": {"struct A { char c; __attribute__((aligned(2))) int x; };", "1:35", here},
		"lower than the type's": {
			"struct X { int a; } __attribute__((aligned(32)));\nstruct A { __attribute__((aligned(16))) struct X x; };", "2:27", here,
		},
		"among several": {"struct A { char c; int x __attribute__((unused, aligned(16), deprecated)); };", "1:49", "beside several others"},
		"before the struct is defined": {
			"typedef struct X X;\ntypedef X Y __attribute__((aligned(16)));\nstruct X { int a; };", "2:28", "of a struct that is not defined before",
		},
		"of an enum's values": {"typedef enum { A } __attribute__((aligned(16))) E;", "1:35", "aligned of an enum is not supported"},
		"two alignments":      {"struct A { char c; _Alignas(16) alignas(8) int x; };", "1:33", "two alignments of one declaration"},
		"mode":                {"typedef int M __attribute__((mode(DI)));", "1:30", "the attribute mode is not supported"},
		"__mode__":            {"#define M(m) __attribute__((__mode__(m)))\ntypedef int X M(DI);", "2:15", "the attribute mode is not supported"},
		"a vector":            {"typedef int V __attribute__((vector_size(16)));", "1:30", "vectors are not supported: write an array"},
		"a transparent union": {"typedef union { int* a; char* b; } U __attribute__((transparent_union));", "1:53", "how an argument is passed"},
		"the order of bytes":  {`struct A { int x; } __attribute__((scalar_storage_order("big-endian")));`, "1:36", "the order of bytes"},
		"a call":              {"typedef int F(int) __attribute__((ms_abi));", "1:35", "how the function is called"},
		"too many":            {"#define U __attribute__((cold)) int f(void);\n" + strings.Repeat("U\n", maxAttributes+1), "2002:1", "more than the 2000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "h.h")
			_, err := ParseText(path, []byte(test.text), Options{})
			require.ErrorContains(t, err, test.want)
			assert.True(t, strings.HasPrefix(err.Error(), path+":"+test.at+": "), err.Error())
		})
	}
}

func TestAnAttributeOfAnIncludedHeaderIsPlacedThere(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"xla/mark_c_api.h": "#define PACKED __attribute__((packed))\n",
		"xla/a.h":          "#include \"xla/mark_c_api.h\"\nstruct A { int x; };\nstruct PACKED B { char c; int i; };\n",
		"xla/b.h":          "int x;\n#include \"xla/a.h\"\nstruct C { struct A a; };\n",
	})
	_, err := Parse(filepath.Join(dir, "xla/b.h"), Options{})
	require.ErrorContains(t, err, filepath.Join(dir, "xla/a.h")+":3:8: packed structs are not supported")
}

func TestAlignmentsAreReadAsGCCDoes(t *testing.T) {
	t.Parallel()
	const aligned = "__attribute__((aligned(16)))"
	for name, test := range map[string]struct {
		text string
		x, y int64 // the offsets after a char
	}{
		"a field":                  {"struct S { char c; int x " + aligned + "; int y; };", 16, 20},
		"from a macro":             {"#define AL(n) __attribute__((aligned(n)))\nstruct S { char c; int x AL(8); int y; };", 8, 12},
		"before the type":          {"struct S { char c; " + aligned + " int x; int y; };", 16, 20},
		"with another":             {"struct S { char c; int x __attribute__((unused)) " + aligned + "; int y; };", 16, 20},
		"beside another":           {"struct S { char c; int x __attribute__((aligned(16), unused)); int y; };", 16, 20},
		"to the most":              {"struct S { char c; int x __attribute__((aligned(__BIGGEST_ALIGNMENT__))); int y; };", 16, 20},
		"without underscores":      {"struct S { char c; int x __attribute((aligned(16))); int y; };", 16, 20},
		"a struct":                 {"struct X { int a; } " + aligned + "; struct S { char c; struct X x; int y; };", 16, 32},
		"a struct, before its tag": {"struct " + aligned + " X { int a; }; struct S { char c; struct X x; int y; };", 16, 32},
		"a typedef of a struct":    {"typedef struct X { int a; } X " + aligned + "; struct S { char c; X x; int y; };", 16, 20},
		"a lower typedef":          {"typedef long X __attribute__((aligned(2))); struct S { char c; X x; int y; };", 2, 12},
		"_Alignas":                 {"struct S { char c; _Alignas(16) int x; int y; };", 16, 20},
		"alignas of a type":        {"struct S { char c; alignas(double) int x; int y; };", 8, 12},
		"of a variable":            {"struct S { char c; int x, y; };\nextern __attribute__((aligned(64))) int* table;", 4, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := structOf(t, read(t, test.text), "S")
			assert.Equal(t, test.x, field(t, s, "x").Offset)
			assert.Equal(t, test.y, field(t, s, "y").Offset)
		})
	}
}

func TestAttributesThatChangeNoLayoutAreRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"of a field":            `struct A { int x __attribute__((deprecated("no"))) __attribute__((unused)); };`,
		"of a function pointer": "struct A { void (*log)(const char*, ...) __attribute__((format(printf, 1, 2))); int x; };",
		"of a struct":           `struct __attribute__((visibility("default"), ms_struct)) A { int x __attribute__((warn_if_not_aligned(16))); };`,
		"of functions":          "struct A { int x; }; typedef int F(int* p) __attribute__((nonnull(1))); int f(int) __attribute__((pure, cold));",
		"of an enum":            "enum __attribute__((deprecated)) E { K [[deprecated]] = 1, L __attribute__((unused)) }; struct A { int x; };",
		"of a parameter":        "typedef int F(int x __attribute__((unused))); struct A { int x; };",
		"in double brackets":    "[[nodiscard]] int f(void); struct [[deprecated]] A { [[maybe_unused]] int x; };",
		"that nobody knows":     "struct __attribute__((acme_mark(3))) A { int x; };",
		"packed, not used":      "#define PACKED __attribute__((packed))\nstruct A { int x; };",
		"packed, elsewhere":     "#ifdef ACME\n#pragma pack(1)\n#define PACKED __attribute__((packed))\n#else\n#define PACKED\n#endif\nstruct PACKED A { int x; };",
		"names of fields":       "struct A { int packed, mode, x; };",
		"other pragmas":         "#pragma GCC visibility push(default)\n_Pragma(\"GCC diagnostic ignored \\\"-Wpadded\\\"\")\nstruct A { int x; };",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.EqualValues(t, 4, field(t, structOf(t, read(t, text), "A"), "x").Size)
		})
	}
}

func TestWhatTheFrontEndPanicsAtHasItsLine(t *testing.T) {
	t.Parallel()
	_, err := ParseText("h.h", []byte("int a;\nint b;\nint __STDC_MB_MIGHT_NEQ_WC__;\nint c;\n"), Options{})
	require.EqualError(t, err, `h.h:3:5: the C front end cannot read this: "__STDC_MB_MIGHT_NEQ_WC__": write it in another way`)
}
