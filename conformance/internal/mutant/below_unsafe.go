// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import "unsafe"

// View returns the array of n elements at p itself, where capi.Slice makes a copy.
func View[E any](p *E, n uintptr) []E { return unsafe.Slice(p, n) }

// BytesAt is View for memory of any type.
func BytesAt(p unsafe.Pointer, n uintptr) []byte { return View((*byte)(p), n) }

// restore gives the words of args that were changed before a call their old values, except those
// that the call changed again.
func restore[A any](a, given, sent *A) {
	words := func(p *A) []uintptr { return View((*uintptr)(unsafe.Pointer(p)), unsafe.Sizeof(*p)/8) }
	now, before, then := words(a), words(given), words(sent)
	for i := range now {
		if now[i] == then[i] {
			now[i] = before[i]
		}
	}
}
