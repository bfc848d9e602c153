// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Array is an array in the memory of the program: dense, row-major and little-endian.
// Types narrower than a byte take one byte per element. An Array made by hand may break the rules
// that [Array.Check] checks. Every function that takes an array checks them first.
type Array struct {
	Type dtype.Type
	Dims []int64 // empty for a scalar
	Data []byte
}

// Of returns an array that shares the memory of data. Without dims it is a vector. The
// product of dims must be len(data): calls that use the array check this.
func Of[T dtype.Elem](data []T, dims ...int64) Array {
	if len(dims) == 0 {
		dims = []int64{int64(len(data))}
	}
	return Array{Type: dtype.Of[T](), Dims: slices.Clone(dims), Data: dtype.Bytes(data)}
}

// Dims returns a copy of dimensions as integers of another type, since Go programs often hold them
// as ints: Dims[int64](ints)... is what [Of] takes, and Dims[int](shape.Dims) is the way back.
func Dims[To, From ~int | ~int64](dims []From) []To {
	if dims == nil {
		return nil
	}
	out := make([]To, len(dims))
	for i, d := range dims {
		out[i] = To(d)
	}
	return out
}

// ScalarOf returns an array of one element, without dimensions.
func ScalarOf[T dtype.Elem](value T) Array {
	return Array{Type: dtype.Of[T](), Data: dtype.Bytes([]T{value})}
}

// ToSlice returns a copy of the elements of a in row-major order. T must be the element type of
// a: use [Array.Cast] first for another type.
func ToSlice[T dtype.Elem](a Array) ([]T, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if want := dtype.Of[T](); a.Type != want {
		return nil, fmt.Errorf("array holds %v, not %v: cast it first", a.Type, want)
	}
	if err := checkBools(a); err != nil {
		return nil, err
	}
	s := make([]T, a.Len())
	copy(dtype.Bytes(s), a.Data)
	return s, nil
}

// checkBools returns an error for bytes that are no values of Go's bool.
func checkBools(a Array) error {
	if a.Type != dtype.Pred {
		return nil
	}
	return dtype.CheckBools(a.Data)
}

// Shape returns the shape of the array.
func (a Array) Shape() Shape { return Shape{a.Type, a.Dims} }

// Check reports what is wrong with the array: a shape that has no host form, or a length of Data
// that does not match the shape.
func (a Array) Check() error {
	n, err := a.Shape().HostSize()
	if err != nil {
		return err
	}
	if len(a.Data) != n {
		return fmt.Errorf("an array of shape %v takes %d bytes, but its data has %d", a.Shape(), n, len(a.Data))
	}
	return nil
}

// Len returns the number of elements in Data.
func (a Array) Len() int {
	if s := a.Type.Size(); s > 0 {
		return len(a.Data) / s
	}
	return 0
}

// Cast returns the array with its elements converted to type t by the rules of [dtype.Convert],
// which are those of NumPy's astype. It always copies. Casting complex numbers to real ones is an
// error.
func (a Array) Cast(t dtype.Type) (Array, error) {
	if err := a.Check(); err != nil {
		return Array{}, err
	}
	c := Array{Type: t, Dims: slices.Clone(a.Dims)}
	n, err := c.Shape().HostSize()
	if err != nil {
		return Array{}, err
	}
	c.Data = make([]byte, n)
	if err := dtype.Convert(c.Data, t, a.Data, a.Type); err != nil {
		return Array{}, err
	}
	return c, nil
}
