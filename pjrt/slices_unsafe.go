// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"math"
	"unsafe"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// HostAlignment is the alignment in bytes that zero-copy CPU buffers need.
const HostAlignment = 64

// AlignedSlice returns n zero elements aligned to HostAlignment. Like make, it panics if n
// is negative or too large.
func AlignedSlice[T dtype.Elem](n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if n < 0 || n > (math.MaxInt-HostAlignment)/size {
		panic("pjrt: AlignedSlice: length out of range")
	}
	memory := make([]byte, n*size+HostAlignment)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % HostAlignment
	// Objects on Go's heap do not move, so the slice stays aligned.
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[skip])), n)
}

// FromSlice copies data to the client's first device as an array of dims, whose product is
// len(data), or, without dims, as a vector. array.Dims makes dims of ints. [Client.BufferFromHost]
// with [ArrayOf] has options.
func FromSlice[T dtype.Elem](ctx context.Context, c *Client, data []T, dims ...int64) (*Buffer, error) {
	var vector [1]int64
	if len(dims) == 0 {
		vector[0] = int64(len(data))
		dims = vector[:]
	}
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	f := c.knownShape(dtype.Of[T](), dims) // so that dims need not be on the heap
	return c.bufferFromHost(ctx, f, dtype.Bytes(data), nil)
}

// FromScalar copies one element to the client's first device, as a scalar.
func FromScalar[T dtype.Elem](ctx context.Context, c *Client, value T) (*Buffer, error) {
	return c.BufferFromHost(ctx, ScalarOf(value), nil)
}

// ToSlice waits until the array is computed and copies its elements to the host, in
// row-major order. T must be its element type.
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

// ToScalar is ToSlice for the one element of a scalar.
func ToScalar[T dtype.Elem](ctx context.Context, b *Buffer) (T, error) {
	var value T
	if b != nil && b.shape != nil && len(b.shape.Dims) != 0 {
		return value, invalid("the array is %v, not a scalar", b.shape)
	}
	s, err := ToSlice[T](ctx, b)
	if err != nil {
		return value, err
	}
	return s[0], nil
}

// ReadSlice is ToSlice into the memory of dst, which must have room for all elements. It
// returns their number.
func ReadSlice[T dtype.Elem](ctx context.Context, b *Buffer, dst []T) (int, error) {
	if err := checkElem[T](b); err != nil {
		return 0, err
	}
	n, err := b.ToHostInto(ctx, dtype.Bytes(dst))
	if err != nil {
		return 0, err
	}
	n /= b.shape.Type.Size()
	// A Go bool is 0 or 1, and a plugin may have written other bytes.
	if _, err := dtype.View[T](dtype.Bytes(dst[:n])); err != nil {
		clear(dst[:n])
		return 0, err
	}
	return n, nil
}

// checkElem returns an error unless T is the element type of b.
func checkElem[T dtype.Elem](b *Buffer) error {
	if b == nil || b.shape == nil {
		return errNilBuffer
	}
	if want := dtype.Of[T](); b.shape.Type != want {
		return invalid("the array is %v, and the slice is for %v", b.shape, want)
	}
	return nil
}
