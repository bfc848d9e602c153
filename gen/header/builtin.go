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
// themselves are empty.
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
typedef struct { long double __align; } max_align_t;
typedef void *va_list;
#define __STDC__ 1
#define __STDC_VERSION__ 201112L
#define __STDC_HOSTED__ 1
#define __x86_64__ 1
#define __linux__ 1
#define __LP64__ 1
#define __SIZEOF_POINTER__ 8
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
#define UINTPTR_MAX UINT64_MAX
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) c ## L
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c ## U
#define UINT64_C(c) c ## UL
`

// preludeTypes are the type names of prelude.
var preludeTypes = wordSet(`size_t ssize_t ptrdiff_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t
	uint64_t intptr_t uintptr_t intmax_t uintmax_t bool wchar_t char16_t char32_t max_align_t va_list`)

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
