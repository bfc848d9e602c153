// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"math"
	"unsafe"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// HostAlignment is the alignment in bytes that memory of the host must have for
// a CPU plugin to use it without a copy.
const HostAlignment = 64

// AlignedSlice returns a slice of n zero elements whose address is a multiple of
// HostAlignment, so that ImmutableZeroCopy, MutableZeroCopy and views really
// copy nothing. Like make, it panics when n is negative or too large.
func AlignedSlice[T dtype.Elem](n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if n < 0 || n > (math.MaxInt-HostAlignment)/size {
		panic("pjrt: AlignedSlice: length out of range")
	}
	memory := make([]byte, n*size+HostAlignment)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % HostAlignment
	// Objects of Go's heap do not move, so the address stays what it is.
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[skip])), n)
}

// FromSlice copies data to the client's first device, as an array of the
// dimensions dims, whose product is len(data). No dims at all make a scalar of
// the one element of data. For other devices and without a copy, pass ArrayOf to
// Client.BufferFromHost.
func FromSlice[T dtype.Elem](ctx context.Context, c *Client, data []T, dims ...int64) (*Buffer, error) {
	if c == nil {
		return nil, invalid("the client is nil")
	}
	return c.BufferFromHost(ctx, ArrayOf(data, dims...), nil)
}

// FromScalar copies one element to the client's first device, as an array
// without dimensions.
func FromScalar[T dtype.Elem](ctx context.Context, c *Client, value T) (*Buffer, error) {
	return FromSlice(ctx, c, []T{value})
}

// ToSlice copies the elements of the array to the host, in row-major order,
// after it has been computed. T must be its element type.
func ToSlice[T dtype.Elem](ctx context.Context, b *Buffer) ([]T, error) {
	if err := checkElem[T](b); err != nil {
		return nil, err
	}
	a, err := b.ToHost(ctx)
	if err != nil {
		return nil, err
	}
	return dtype.View[T](a.Data)
}

// ToScalar returns the one element of the array after it has been computed. T
// must be its element type.
func ToScalar[T dtype.Elem](ctx context.Context, b *Buffer) (T, error) {
	var value T
	if b != nil && len(b.shape.Dims) != 0 {
		return value, invalid("the array is %v, not a scalar", b.shape)
	}
	s, err := ToSlice[T](ctx, b)
	if err != nil {
		return value, err
	}
	return s[0], nil
}

// ReadSlice copies the elements of the array to dst, in row-major order, after it
// has been computed, and returns their number, which dst must have room for. T
// must be the element type. It is ToHostInto for slices.
func ReadSlice[T dtype.Elem](ctx context.Context, b *Buffer, dst []T) (int, error) {
	if err := checkElem[T](b); err != nil {
		return 0, err
	}
	n, err := b.ToHostInto(ctx, dtype.Bytes(dst))
	if err != nil {
		return 0, err
	}
	n /= b.shape.Type.Size()
	// A plugin that writes other bytes than 0 and 1 must not make bools of them.
	if _, err := dtype.View[T](dtype.Bytes(dst[:n])); err != nil {
		clear(dst[:n])
		return 0, err
	}
	return n, nil
}

// checkElem returns an error unless T is the element type of b.
func checkElem[T dtype.Elem](b *Buffer) error {
	if b == nil {
		return invalid("the buffer is nil")
	}
	if want := dtype.Of[T](); b.shape.Type != want {
		return invalid("the array is %v, the slice is for %v", b.shape, want)
	}
	return nil
}
