// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"slices"
)

// ToHostStrided waits for the array and copies it to dst, for example into columns or
// part of a larger array. strides are as in BufferOptions.Strides, but may be 0 only for
// dimensions of at most 1 element. dst has exactly the bytes that the array spans; those
// between elements stay unchanged. After an error the contents of dst are undefined.
func (b *Buffer) ToHostStrided(ctx context.Context, dst []byte, strides []int64) error {
	if b == nil || b.client == nil {
		return errNilBuffer
	}
	if strides == nil {
		if n, err := b.shape.HostSize(); err != nil || len(dst) != n {
			return firstOf(err, invalid("an array of shape %v takes %d bytes, and dst has %d", b.shape, n, len(dst)))
		}
		_, err := b.ToHostInto(ctx, dst)
		return err
	}
	size, origin, err := b.shape.strided(strides)
	if err != nil {
		return err
	}
	if len(dst) != size {
		return invalid("an array of shape %v with strides %v spans %d bytes, and dst has %d", b.shape, strides, size, len(dst))
	}
	for i, s := range strides {
		if s == 0 && b.shape.Dims[i] > 1 {
			return invalid("the strides %v put all elements of dimension %d in the same place", strides, i)
		}
	}
	if size == 0 {
		return b.Wait(ctx)
	}
	strides = slices.Clone(strides)
	// Plugins accept other orders than row-major for the copy, and ignore them.
	return b.ReadInPlace(ctx, func(data []byte) error {
		if len(data)/b.shape.Type.Size() != product(b.shape.Dims) {
			return invalid("the array has dimensions that are known only at run time, and is smaller than %v: use ToHost", b.shape)
		}
		scatter(dst, origin, data, b.shape.Dims, strides, b.shape.Type.Size())
		return nil
	})
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func product(dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return n
}

// scatter copies the elements of a dense row-major array, of element bytes each, to their
// places in dst. It returns the rest of data.
func scatter(dst []byte, at int, data []byte, dims, strides []int64, element int) []byte {
	if len(dims) == 0 {
		if len(data) >= element {
			copy(dst[at:at+element], data[:element])
			data = data[element:]
		}
		return data
	}
	if len(dims) == 1 && strides[0] == int64(element) {
		n := min(int(dims[0])*element, len(data))
		copy(dst[at:], data[:n])
		return data[n:]
	}
	for range dims[0] {
		data = scatter(dst, at, data, dims[1:], strides[1:], element)
		at += int(strides[0])
	}
	return data
}
