// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import "unsafe"

// String copies the n bytes at p. It returns "" if p is nil, or if n bytes cannot fit in memory.
func String(p *byte, n uintptr) string {
	if p == nil || n == 0 || !plausible(n, 1) {
		return ""
	}
	return string(unsafe.Slice(p, n))
}

// Bytes copies the n bytes at p. It returns nil if p is nil, or if n bytes cannot fit in memory.
func Bytes(p *byte, n uintptr) []byte {
	if p == nil || n == 0 || !plausible(n, 1) {
		return nil
	}
	return append([]byte(nil), unsafe.Slice(p, n)...)
}

// StringData returns the address and the length of s, as C takes strings. The bytes must not be
// changed. They stay valid as long as the pointer is reachable.
func StringData(s string) (*byte, uintptr) {
	if s == "" {
		return nil, 0
	}
	return unsafe.StringData(s), uintptr(len(s))
}

// BytesData is StringData for a slice.
func BytesData(b []byte) (*byte, uintptr) {
	if len(b) == 0 {
		return nil, 0
	}
	return &b[0], uintptr(len(b))
}

// CString returns a copy of s followed by a NUL, in Go memory. A NUL within s ends the string for
// C.
func CString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// GoString copies the NUL-terminated string at p. It returns "" for nil.
func GoString(p *byte) string {
	if p == nil {
		return ""
	}
	n := uintptr(0)
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return String(p, n)
}

// Slice copies the n elements at p. It returns nil if p is nil, or if n elements cannot fit in
// memory.
func Slice[T any](p *T, n uintptr) []T {
	if p == nil || n == 0 || !plausible(n, unsafe.Sizeof(*p)) {
		return nil
	}
	return append([]T(nil), unsafe.Slice(p, n)...)
}
