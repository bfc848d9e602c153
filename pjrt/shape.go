// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Shape is the element type and the dimensions of an array, none for a scalar.
type Shape struct {
	Type dtype.Type
	Dims []int64
}

// String returns the shape in XLA's notation, f32[2,3].
func (s Shape) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s[", strings.ToLower(s.Type.XLA()))
	for i, d := range s.Dims {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, d)
	}
	b.WriteByte(']')
	return b.String()
}

// Equal reports whether both shapes have the same type and dimensions.
func (s Shape) Equal(o Shape) bool {
	if s.Type != o.Type || len(s.Dims) != len(o.Dims) {
		return false
	}
	for i := range s.Dims {
		if s.Dims[i] != o.Dims[i] {
			return false
		}
	}
	return true
}

// Len returns the number of elements. It fails if a dimension is negative, or if an int
// cannot hold the product of the dimensions that are not 0: plugins multiply dimensions
// before they reach a 0, and end the process when that overflows.
func (s Shape) Len() (int, error) {
	n, empty, err := s.extent()
	if empty {
		return 0, err
	}
	return n, err
}

// extent returns the product of the dimensions that are not 0, and reports whether any
// dimension is 0.
func (s Shape) extent() (n int, empty bool, err error) {
	product := uint64(1)
	for _, d := range s.Dims {
		switch {
		case d < 0:
			return 0, false, invalid("shape %v has a negative dimension", s)
		case d == 0:
			empty = true
		case product > math.MaxInt/uint64(d):
			err = s.tooLarge()
		default:
			product *= uint64(d)
		}
	}
	if err != nil {
		return 0, false, err
	}
	return int(product), empty, nil
}

func (s Shape) tooLarge() error {
	if slices.Contains(s.Dims, 0) {
		return invalid("an array of shape %v is empty, but the product of its other dimensions is too large for plugins", s)
	}
	return invalid("an array of shape %v is too large for this machine", s)
}

// addressSpace is more bytes than a process of the supported platforms can have.
const addressSpace = min(1<<47, math.MaxInt)

// HostSize returns the size in bytes of the array as a [HostArray]. It fails if the type is
// unknown, a dimension is negative, or no process can hold that much, counting every
// dimension of 0 as 1.
func (s Shape) HostSize() (int, error) {
	if !s.Type.Valid() || s.Type.Size() == 0 {
		return 0, invalid("arrays of type %v have no host form", s.Type)
	}
	n, empty, err := s.extent()
	switch {
	case err != nil:
		return 0, err
	case n > addressSpace/s.Type.Size():
		return 0, s.tooLarge()
	case empty:
		return 0, nil
	}
	return n * s.Type.Size(), nil
}

// strided returns the number of bytes that an array of the shape spans in memory with the
// given strides, in bytes, and the offset among them of the element whose indices are all
// 0. The offset is 0 unless a stride is negative.
func (s Shape) strided(strides []int64) (size, origin int, err error) {
	if len(strides) != len(s.Dims) {
		return 0, 0, invalid("there are %d strides for the %d dimensions of %v", len(strides), len(s.Dims), s)
	}
	if n, err := s.HostSize(); n == 0 || err != nil {
		return 0, 0, err
	}
	var before, behind uint64 // bytes on either side of the origin
	for i, d := range s.Dims {
		side, step := &behind, uint64(strides[i])
		if strides[i] < 0 {
			side, step = &before, -step
		}
		high, distance := bits.Mul64(uint64(d-1), step)
		sum, carry := bits.Add64(*side, distance, 0)
		if high != 0 || carry != 0 || sum > math.MaxInt/4 {
			return 0, 0, invalid("an array of shape %v with strides %v is too large for this machine", s, strides)
		}
		*side = sum
	}
	return int(before+behind) + s.Type.Size(), int(before), nil
}
