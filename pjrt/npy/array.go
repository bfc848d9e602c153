// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Array is an array in host memory: dense, row-major, little-endian, types narrower than a byte one to a byte. It is plain
// data: whoever makes one by hand may break its rules, which [Array.Check] states. Reading it from several goroutines is
// safe.
type Array struct {
	Type dtype.Type
	Dims []int64 // empty for a scalar
	Data []byte
}

// FromSlice returns an array of the elements of s, which it copies. The product of dims must be len(s); no dims at all
// makes a scalar of the one element of s.
func FromSlice[T dtype.Elem](s []T, dims ...int64) (*Array, error) {
	a := &Array{Type: dtype.Of[T](), Dims: slices.Clone(dims), Data: bytes.Clone(dtype.Bytes(s))}
	if err := a.Check(); err != nil {
		return nil, err
	}
	return a, nil
}

// ToSlice returns the elements of a in row-major order, copied. T must be the element type of a: Cast first to get others.
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

// Check reports what is wrong with a: a type without data, a negative dimension, or Data of another length than the type
// and the dimensions ask for. Every function of this package calls it first.
func (a *Array) Check() error {
	if a.Type.Size() == 0 {
		return fmt.Errorf("element type %v holds no data: an array needs one of the numeric types", a.Type)
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
	if s := a.Type.Size(); s > 0 {
		return len(a.Data) / s
	}
	return 0
}

// Cast returns the array with its elements converted to type t by the rules of [dtype.Convert], which are those of NumPy's
// astype. It always copies. Complex numbers as real ones are an error.
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

// byteCount returns the bytes that an array takes. Like NumPy it refuses shapes whose non-zero dimensions multiply to more
// than memory can hold, even when another dimension is zero.
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
