// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fieldsUnder returns the fields of a struct that has the field x if the condition holds, and y
// otherwise.
func fieldsUnder(t *testing.T, before, condition string) []string {
	t.Helper()
	s := structOf(t, read(t, before+"\nstruct S {\n"+condition+"\n  int x;\n#else\n  long y;\n#endif\n};\n"), "S")
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	return names
}

func TestConditionsHoldAsForGCCOnLinux(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, holds string }{
		"the version of C":          {"", "#if __STDC_VERSION__ >= 201112L"},
		"it is defined":             {"", "#ifdef __STDC_VERSION__"},
		"a hosted implementation":   {"", "#if __STDC_HOSTED__"},
		"C":                         {"", "#if __STDC__ == 1 && !defined(__cplusplus)"},
		"GNU C":                     {"", "#ifdef __GNUC__"},
		"GNU C, or another":         {"", "#if defined(_MSC_VER) || defined(__GNUC__)"},
		"a version of it":           {"", "#if __GNUC__ >= 4"},
		"not its next version":      {"", "#if __GNUC__ < 99 && !defined(__clang__)"},
		"the system":                {"", "#if defined(__unix__) && defined(__linux) && defined(__linux__) && defined(__ELF__)"},
		"the processor":             {"", "#if defined(__amd64__) && defined(__amd64) && defined(__x86_64__) && !defined(__aarch64__)"},
		"the order of bytes":        {"", "#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__"},
		"sizes":                     {"", "#if __SIZEOF_LONG__ == 8 && __SIZEOF_INT128__ && _LP64 && __CHAR_BIT__ == 8"},
		"no options":                {"", "#if !defined(__AVX__) && !defined(__OPTIMIZE__) && !defined(_OPENMP)"},
		"an attribute":              {"", "#if defined(__has_attribute) && __has_attribute(packed) && __has_attribute(__unused__) && !__has_attribute(nope)"},
		"a builtin":                 {"", "#if defined(__has_builtin) && __has_builtin(__builtin_expect)"},
		"a standard header":         {"", "#if defined(__has_include) && __has_include(<stdint.h>) && __has_include(<sys/mman.h>)"},
		"no such header":            {"", `#if !__has_include("nope.h") && !__has_include(<nope/nope.h>) && !__has_include(<memory>)`},
		"<limits.h>":                {"#include <limits.h>", "#if INT_MAX > 5 && LONG_MAX > INT_MAX && CHAR_BIT == 8 && UINT_MAX == 4294967295U"},
		"<climits>":                 {"#include <climits>", "#if INT_MIN < 0"},
		"<float.h>":                 {"#include <float.h>", "#if FLT_RADIX == 2 && DBL_MANT_DIG == 53"},
		"<endian.h>":                {"#include <endian.h>", "#if __BYTE_ORDER == __LITTLE_ENDIAN"},
		"<stdint.h>":                {"#include <stdint.h>", "#if UINTMAX_MAX > 5 && PTRDIFF_MAX > 3 && INT_FAST16_MAX == INT64_MAX && WCHAR_MIN < 0"},
		"a negation of two":         {"", "#if !(defined(ACME) && defined(_WIN32))"},
		"a macro of the header":     {"#define ACME 3", "#if ACME > 2 && defined ACME"},
		"nothing defines it":        {"", "#ifndef ACME_FLAG"},
		"nothing defines its value": {"", "#if ACME_LEVEL < 1"},
		"a shift":                   {"", "#if (1 << 4) == 16"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, []string{"x"}, fieldsUnder(t, test.before, test.holds))
		})
	}
}

func TestTheBranchAfterTheOneForGNUCIsNotRead(t *testing.T) {
	t.Parallel()
	h := read(t, `
#if defined(_MSC_VER)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT
#elif __SOME_COMPILER__
#error another compiler
#else
#error an unknown compiler
#endif
EXPORT int f(void);
`)
	assert.Len(t, h.Prototypes, 1)
}

func TestConditionsOnWhatNobodyKnowsAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"a macro of a compiler": {"\n#ifdef __ACME_CC__\n#endif", "2:8: #ifdef tests __ACME_CC__, which compilers may define and this reader does not know"},
		"in an expression":      {"#if 1 && __SIZEOF_NOPE__ > 3\n#endif", "1:10: #if tests __SIZEOF_NOPE__"},
		"after #elif":           {"#if ACME\n#elif defined(__cpp_modules)\n#endif", "2:15: #elif tests __cpp_modules"},
		"an option":             {"#if defined(__PIC__)\n#endif", "1:13: #if tests __PIC__, it depends on the options of the compiler"},
		"a name of its own":     {"#ifdef linux\n#endif", "test __linux__"},
		"the library":           {"#if __GLIBC__ >= 2\n#endif", "it depends on the C library"},
		"the time":              {"#ifdef __DATE__\n#endif", "it is different each time"},
		"a limit":               {"#if INT_MAX > 5\n#endif", "1:5: #if tests INT_MAX, which <limits.h> defines and nothing includes: include it"},
		"an inner condition":    {"#ifndef _WIN32\n#ifdef __ACME_CC__\n#endif\n#endif", "2:8: "},
		"an absent include": {
			"#include \"acme/config.h\"\n#if ACME_LEVEL >= 2\n#endif",
			`2:5: #if tests ACME_LEVEL, which nothing before it defines, and "acme/config.h", which line 1 includes, cannot be found: ` +
				"give the directory that holds it with -I",
		},
		"an absent include in angle brackets": {"#include <acme/config.h>\n#ifdef ACME\n#endif", `2:8: #ifdef tests ACME, which nothing before it defines, and "acme/config.h"`},
		"a default for what it may define":    {"#include \"a.h\"\n#ifndef ACME\n#define ACME 1\n#endif", `2:9: #ifndef tests ACME, which nothing before it defines, and "a.h"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseText(filepath.Join(t.TempDir(), "h.h"), []byte(test.text), Options{})
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestConditionsThatNoUnknownMacroDecides(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"for another compiler":          "#ifdef _MSC_VER\n#if __MS_SOMETHING__ > 3\n#endif\n#endif",
		"the header defines it":         "#define __ACME_CC__ 1\n#if __ACME_CC__\n#endif",
		"a guard":                       "#include \"a.h\"\n#ifndef __ACME_H__\n#define __ACME_H__\n#endif",
		"defined before it":             "#include \"a.h\"\n#define ACME 2\n#if ACME > 1\n#endif",
		"of the compiler":               "#include \"a.h\"\n#ifdef __GNUC__\n#endif\n#ifdef __cplusplus\n#endif",
		"an absent header, if it exist": "#if __has_include(\"a.h\")\n#include \"a.h\"\n#endif\n#ifdef ACME\n#endif",
		"standard headers":              "#include <memory>\n#include <stdio.h>\n#include <sys/mman.h>\n#include \"string.h\"\n#ifdef ACME\n#endif",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read(t, text+"\nint x;\n")
		})
	}
}

func TestIncludesInAngleBracketsAreRead(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"inc/acme/config.h": "#pragma once\n#define ACME_LEVEL 2\n#include <acme/types.h>\n",
		"inc/acme/types.h":  "typedef int Acme;\n",
		"u.h": "#if __has_include(<acme/config.h>)\n#include <acme/config.h>\n#endif\n" +
			"struct S {\n#if ACME_LEVEL >= 2\n  Acme x;\n#endif\n  int y;\n};\n",
	})
	opts := Options{IncludeDirs: []string{filepath.Join(dir, "inc")}}
	h, err := Parse(filepath.Join(dir, "u.h"), opts)
	require.NoError(t, err)
	assert.Len(t, structOf(t, h, "S").Fields, 2)
	assert.Equal(t, []string{"acme/config.h"}, h.Includes.System)
	names, _, err := Included(filepath.Join(dir, "u.h"), opts)
	require.NoError(t, err)
	assert.Equal(t, []string{"acme/config.h", "acme/types.h"}, names)
}

func TestAMacroOfAHeaderThatIsCXXIsNotTakenForUndefined(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"config.h": "#define ACME_LEVEL 2\ntemplate <typename T> class X {};\n",
		"u.h":      "#include \"config.h\"\n#if ACME_LEVEL >= 2\n#endif\n",
	})
	_, err := Parse(filepath.Join(dir, "u.h"), Options{})
	require.ErrorContains(t, err, `u.h:2:5: #if tests ACME_LEVEL, which "config.h" defines, and that is not read because it is C++`)
}

func TestStandardTypesHaveTheirSizes(t *testing.T) {
	t.Parallel()
	h := read(t, `
#include <limits.h>
#include <stdarg.h>
#include <sys/types.h>
#include <time.h>
struct S {
  int_least8_t a; int_fast16_t b; uint_fast32_t c; uint_least16_t d; intmax_t e; off_t f; time_t g; pid_t h;
  max_align_t i; va_list j; wint_t k; struct timespec l; char m[CHAR_BIT]; char n[PATH_MAX];
};
`)
	s := structOf(t, h, "S")
	for name, want := range map[string]int64{
		"a": 1, "b": 8, "c": 8, "d": 2, "e": 8, "f": 8, "g": 8, "h": 4, "i": 32, "j": 24, "k": 4, "l": 16, "m": 8, "n": 4096,
	} {
		assert.Equal(t, want, field(t, s, name).Size, name)
	}
}
