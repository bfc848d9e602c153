// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import "unsafe"

// View returns the array of n elements at p itself, where capi.Slice makes a copy.
func View[E any](p *E, n uintptr) []E { return unsafe.Slice(p, n) }

// BytesAt is View for memory of any type.
func BytesAt(p unsafe.Pointer, n uintptr) []byte { return View((*byte)(p), n) }
