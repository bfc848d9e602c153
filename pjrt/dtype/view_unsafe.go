// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import (
	"fmt"
	"unsafe"
)

// Bytes returns the memory of s as bytes, in the host form on every little-endian machine. It
// shares memory with s: writing to one changes the other.
func Bytes[T Elem](s []T) []byte {
	var zero T
	// A slice of T is len(s) elements without padding between them, and any byte may alias them.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// View returns b as elements of type T, which share memory with b. It returns an error if b does
// not hold a whole number of elements, if its address is not aligned for T, or, for bool, if a byte
// is neither 0 nor 1.
func View[T Elem](b []byte) ([]T, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if len(b)%size != 0 {
		return nil, fmt.Errorf("%d bytes are not a whole number of %v elements of %d bytes", len(b), Of[T](), size)
	}
	if len(b) == 0 {
		return nil, nil
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%unsafe.Alignof(zero) != 0 {
		return nil, fmt.Errorf("bytes at %p are not aligned to %d for %v elements: copy them into a slice of that type",
			p, unsafe.Alignof(zero), Of[T]())
	}
	if _, ok := any(zero).(bool); ok {
		// A Go bool with another byte in it is undefined behaviour.
		if err := CheckBools(b); err != nil {
			return nil, err
		}
	}
	// The length is whole, the address aligned, and the garbage collector keeps b's array alive
	// through the result.
	return unsafe.Slice((*T)(p), len(b)/size), nil
}
