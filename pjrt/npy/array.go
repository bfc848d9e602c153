// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Array is an array in host memory: dense, row-major and little-endian, with one byte per element for types narrower
// than a byte. It is plain data, so an Array made by hand may break the rules that [Array.Check] checks. Several
// goroutines may read it at once.
type Array struct {
	Type dtype.Type
	Dims []int64 // empty for a scalar
	Data []byte
}

// FromSlice returns an array with a copy of the elements of s. The product of dims must be len(s). Without dims the
// array is a scalar, and s must have one element.
func FromSlice[T dtype.Elem](s []T, dims ...int64) (*Array, error) {
	a := &Array{Type: dtype.Of[T](), Dims: slices.Clone(dims), Data: bytes.Clone(dtype.Bytes(s))}
	if err := a.Check(); err != nil {
		return nil, err
	}
	return a, nil
}

// ToSlice returns a copy of the elements of a in row-major order. T must be the element type of a; use Cast first for
// another type.
func ToSlice[T dtype.Elem](a *Array) ([]T, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if want := dtype.Of[T](); a.Type != want {
		return nil, fmt.Errorf("array holds %v, not %v: cast it first", a.Type, want)
	}
	s := make([]T, len(a.Data)/a.Type.Size())
	copy(dtype.Bytes(s), a.Data)
	return s, nil
}

// Check reports what is wrong with a: a type without data, a negative dimension, or a length of Data that does not
// match the type and the dimensions. Every function of this package that takes an array calls it first.
func (a *Array) Check() error {
	if a == nil {
		return errors.New("npy: the array is nil")
	}
	if a.Type.Size() == 0 {
		return fmt.Errorf("element type %v holds no data: use a numeric type or bool", a.Type)
	}
	n, err := byteCount(a.Dims, a.Type.Size())
	if err != nil {
		return err
	}
	if n != int64(len(a.Data)) {
		return fmt.Errorf("array of %v with shape %s takes %d bytes, but its data has %d", a.Type, shape(a.Dims), n, len(a.Data))
	}
	return nil
}

// Len returns the number of elements.
func (a *Array) Len() int {
	if a == nil {
		return 0
	}
	if s := a.Type.Size(); s > 0 {
		return len(a.Data) / s
	}
	return 0
}

// Cast returns the array with its elements converted to type t by the rules of [dtype.Convert], which are those of
// NumPy's astype. It always copies. Casting complex numbers to real ones is an error.
func (a *Array) Cast(t dtype.Type) (*Array, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	n, err := byteCount(a.Dims, t.Size())
	if err != nil {
		return nil, err
	}
	c := &Array{Type: t, Dims: slices.Clone(a.Dims), Data: make([]byte, n)}
	if err := dtype.Convert(c.Data, t, a.Data, a.Type); err != nil {
		return nil, err
	}
	return c, nil
}

// byteCount returns the bytes that an array takes. Like NumPy, it rejects a shape whose non-zero dimensions multiply to
// more than memory can hold, even if another dimension is zero.
func byteCount(dims []int64, size int) (int64, error) {
	n, empty := uint64(size), false
	for i, d := range dims {
		if d < 0 {
			return 0, fmt.Errorf("dimension %d of shape %s is negative", i, shape(dims))
		}
		if d == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > math.MaxInt {
			return 0, fmt.Errorf("shape %s with elements of %d bytes is too large for memory", shape(dims), size)
		}
		n = lo
	}
	if empty {
		return 0, nil
	}
	return int64(n), nil
}

// shape writes dims as Python writes a tuple.
func shape(dims []int64) string {
	var b bytes.Buffer
	b.WriteByte('(')
	for i, d := range dims {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, d)
	}
	if len(dims) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}
