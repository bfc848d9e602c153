// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import "unsafe"

// floatsAt reads four floats at an address that the plugin gave for host memory
// and keeps alive.
func floatsAt(address uintptr) [4]float32 {
	return **(**[4]float32)(unsafe.Pointer(&address))
}

// bytesAt copies n bytes at an address that the plugin gave to a callback.
func bytesAt(address unsafe.Pointer, n uintptr) []byte {
	return append([]byte(nil), unsafe.Slice((*byte)(address), n)...)
}

// flipByte changes a byte at an address that a caller gave.
func flipByte(address unsafe.Pointer) { *(*byte)(address) ^= 1 }

// view is the array of n elements at p, which capi.Slice would copy.
func view[E any](p *E, n uintptr) []E { return unsafe.Slice(p, n) }

// pointerAt is an address of host memory that the plugin gave for a buffer.
func pointerAt(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
