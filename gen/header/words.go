// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import "strings"

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// keywords are not identifiers. The C++ ones are among them: a header that both
// languages read cannot use them as names. Words such as final, which are
// keywords only in certain places, are names here, as they are in C.
var keywords = wordSet(`struct union enum class namespace template using static_assert _Static_assert sizeof alignof
	_Alignof alignas _Alignas __attribute__ __attribute __declspec operator noexcept nullptr true false
	return if else for while do switch case break continue goto default decltype __typeof__
	void char short int long float double signed unsigned _Bool _Complex auto __int128 wchar_t char8_t char16_t char32_t
	const volatile restrict __restrict extern static register typedef inline
	_Thread_local thread_local _Noreturn _Atomic constexpr consteval constinit mutable explicit virtual
	friend typename __extension__ __inline __const`)

// qualifiers may be between the words of a type and say nothing about it.
var qualifiers = wordSet(`const volatile restrict __restrict __const _Atomic extern static typedef inline __extension__
	struct union enum class return typename`)

// attributeWords precede attributes in parentheses.
var attributeWords = wordSet("__attribute__ __attribute __declspec alignas _Alignas")

// isNoDiscard reports whether a macro or attribute of this name marks results
// that must be checked.
func isNoDiscard(name string) bool {
	s := strings.ReplaceAll(strings.ToLower(name), "_", "")
	return strings.Contains(s, "nodiscard") || strings.Contains(s, "warnunusedresult")
}
