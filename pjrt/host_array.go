// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/ndtext"
)

// HostArray is an array in the memory of the program: dense, row-major and little-endian.
// Types narrower than a byte take one byte per element.
type HostArray struct {
	Type dtype.Type
	Dims []int64
	Data []byte
}

// Shape returns the shape of the array.
func (a HostArray) Shape() Shape { return Shape{a.Type, a.Dims} }

// String returns the array as NumPy prints it, or in angle brackets what is wrong with it.
// Package npy prints with other precisions and widths.
func (a HostArray) String() string {
	if err := a.check(); err != nil {
		return "<" + message(err) + ">"
	}
	return ndtext.Format(ndtext.Array(a), ndtext.Options{})
}

// ArrayOf returns an array that shares the memory of data. Without dims it is a vector. The
// product of dims must be len(data): calls that use the array check this.
func ArrayOf[T dtype.Elem](data []T, dims ...int64) HostArray {
	if len(dims) == 0 {
		dims = []int64{int64(len(data))}
	}
	return HostArray{Type: dtype.Of[T](), Dims: slices.Clone(dims), Data: dtype.Bytes(data)}
}

// ScalarOf returns an array of one element, without dimensions.
func ScalarOf[T dtype.Elem](value T) HostArray {
	return HostArray{Type: dtype.Of[T](), Data: dtype.Bytes([]T{value})}
}

// check returns an error unless the length of Data fits the shape.
func (a HostArray) check() error {
	n, err := a.Shape().HostSize()
	if err != nil {
		return err
	}
	if len(a.Data) != n {
		return invalid("an array of shape %v takes %d bytes, but its data has %d", a.Shape(), n, len(a.Data))
	}
	return nil
}
