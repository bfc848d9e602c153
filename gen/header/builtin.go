// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"slices"
	"strings"
)

// prelude stands in for the standard headers: what a header may take from
// <stddef.h>, <stdint.h>, <stdbool.h>, <assert.h> and their C++ names, for a
// target with 64-bit pointers and longs. It comes first whatever a header
// includes, because some rely on what they do not include; the headers
// themselves are empty. The macros of the compiler come before it.
const prelude = `
typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
typedef _Bool bool;
typedef int wchar_t;
typedef unsigned short char16_t;
typedef unsigned int char32_t;
typedef struct { long long __ll; long double __ld; } max_align_t;
typedef struct __va_list_tag { unsigned int gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; } va_list[1];
typedef va_list __builtin_va_list;
typedef int8_t int_least8_t, int_fast8_t;
typedef uint8_t uint_least8_t, uint_fast8_t;
typedef int16_t int_least16_t;
typedef uint16_t uint_least16_t;
typedef int32_t int_least32_t;
typedef uint32_t uint_least32_t;
typedef int64_t int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t;
typedef uint64_t uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t;
typedef unsigned int wint_t;
#define true 1
#define false 0
#define nullptr ((void*)0)
#define NULL ((void*)0)
#define offsetof(type, member) ((size_t)&(((type*)0)->member))
#define __builtin_offsetof(type, member) offsetof(type, member)
#define alignof _Alignof
#define decltype __typeof__
#define alignas _Alignas
#define assert(condition)
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807L
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX UINT64_MAX
#define INTPTR_MAX INT64_MAX
#define INTPTR_MIN INT64_MIN
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MAX INT64_MAX
#define INTMAX_MIN INT64_MIN
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MAX INT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define INT_LEAST8_MAX INT8_MAX
#define INT_LEAST16_MAX INT16_MAX
#define INT_LEAST32_MAX INT32_MAX
#define INT_LEAST64_MAX INT64_MAX
#define INT_LEAST8_MIN INT8_MIN
#define INT_LEAST16_MIN INT16_MIN
#define INT_LEAST32_MIN INT32_MIN
#define INT_LEAST64_MIN INT64_MIN
#define UINT_LEAST8_MAX UINT8_MAX
#define UINT_LEAST16_MAX UINT16_MAX
#define UINT_LEAST32_MAX UINT32_MAX
#define UINT_LEAST64_MAX UINT64_MAX
#define INT_FAST8_MAX INT8_MAX
#define INT_FAST16_MAX INT64_MAX
#define INT_FAST32_MAX INT64_MAX
#define INT_FAST64_MAX INT64_MAX
#define INT_FAST8_MIN INT8_MIN
#define INT_FAST16_MIN INT64_MIN
#define INT_FAST32_MIN INT64_MIN
#define INT_FAST64_MIN INT64_MIN
#define UINT_FAST8_MAX UINT8_MAX
#define UINT_FAST16_MAX UINT64_MAX
#define UINT_FAST32_MAX UINT64_MAX
#define UINT_FAST64_MAX UINT64_MAX
#define SIG_ATOMIC_MAX INT32_MAX
#define SIG_ATOMIC_MIN INT32_MIN
#define WCHAR_MAX INT32_MAX
#define WCHAR_MIN INT32_MIN
#define WINT_MAX UINT32_MAX
#define WINT_MIN 0U
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) c ## L
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c ## U
#define UINT64_C(c) c ## UL
#define INTMAX_C(c) c ## L
#define UINTMAX_C(c) c ## UL
#define __bool_true_false_are_defined 1
#define __alignas_is_defined 1
#define __alignof_is_defined 1
`

// preludeTypes are the type names of prelude.
var preludeTypes = wordSet(`size_t ssize_t ptrdiff_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t
	uint64_t intptr_t uintptr_t intmax_t uintmax_t bool wchar_t char16_t char32_t max_align_t va_list wint_t
	int_least8_t uint_least8_t int_least16_t uint_least16_t int_least32_t uint_least32_t int_least64_t uint_least64_t
	int_fast8_t uint_fast8_t int_fast16_t uint_fast16_t int_fast32_t uint_fast32_t int_fast64_t uint_fast64_t`)

// cxxTypes are the C++ types that upstream's half-C++ headers use in structs,
// with the C types that have their size. The headers that define them are C++
// throughout. Other C++ types are opaque: usable only behind a pointer and in
// prototypes.
var cxxTypes = map[string]string{
	"xla::GlobalDeviceId":       "int32_t",
	"xla::PjRtGlobalDeviceId":   "int32_t", // its name before 2026
	"xla::CrossHostTransferKey": "int64_t",
	"xla::LocalDeviceId":        "int32_t",
	"xla::ProcessId":            "int32_t",
}

// cxxType returns the C type that a C++ type name of the text means, or "".
func cxxType(text string) string {
	text = strings.TrimPrefix(text, "::")
	if c := cxxTypes[text]; c != "" {
		return c
	}
	if name, ok := strings.CutPrefix(text, "std::"); ok && preludeTypes[name] {
		return name
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
