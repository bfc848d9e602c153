// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import "unsafe"

// pointer returns the address of the first element, or nil if there is none.
func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// address is pointer for fields that hold addresses as numbers. The caller must keep s alive.
func address[T any](s []T) uintptr { return uintptr(pointer(s)) }

// at copies n elements at an address of C's memory.
func at[T any](p uintptr, n int) []T {
	return append([]T(nil), unsafe.Slice(*(**T)(unsafe.Pointer(&p)), n)...)
}

// poke stores v at an address of C's memory.
func poke[T any](p uintptr, v T) { **(**T)(unsafe.Pointer(&p)) = v }

// sizeOf is the size of a T in bytes.
func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// alignedTo returns a slice of n elements whose address is a multiple of align,
// plus offset elements.
func alignedTo[T any](align uintptr, n, offset int) []T {
	const room = 512
	s := make([]T, n+room)
	for i := range s {
		if uintptr(unsafe.Pointer(&s[i]))%align == 0 && i+offset+n <= len(s) {
			return s[i+offset : i+offset+n : i+offset+n]
		}
	}
	panic("no element is aligned")
}

// handleOf makes an opaque handle of a Go object, which must live as long as the handle.
func handleOf[H, T any](p *T) *H { return (*H)(unsafe.Pointer(p)) }

// handleWord returns the address in a handle.
func handleWord[H any](h *H) uintptr { return uintptr(unsafe.Pointer(h)) }
