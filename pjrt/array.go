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

// Shape is the element type and the dimensions of an array. No dimensions
// means a scalar.
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

// Len returns the number of elements. It is an error when a dimension is
// negative, or the number beyond what an int holds.
func (s Shape) Len() (int, error) {
	n := uint64(1)
	for _, d := range s.Dims {
		if d < 0 {
			return 0, invalid("shape %v has a negative dimension", s)
		}
		if d == 0 {
			n = 0
		}
	}
	for _, d := range s.Dims {
		if n != 0 && n > math.MaxInt/uint64(d) {
			return 0, invalid("an array of shape %v is too large for this machine", s)
		}
		n *= uint64(d)
	}
	return int(n), nil
}

// addressSpace is more bytes than a process of the supported platforms can have.
const addressSpace = min(1<<47, math.MaxInt)

// HostSize returns the bytes of a dense array of the shape in the host form:
// types narrower than a byte take one byte per element. It is an error when the
// type is unknown, a dimension negative, or the size beyond what a process can
// address.
func (s Shape) HostSize() (int, error) {
	if !s.Type.Valid() || s.Type.Size() == 0 {
		return 0, invalid("arrays of type %v have no host form", s.Type)
	}
	n, err := s.Len()
	if err != nil {
		return 0, err
	}
	if size := s.Type.Size(); n > addressSpace/size {
		return 0, invalid("an array of shape %v is too large for this machine", s)
	}
	return n * s.Type.Size(), nil
}

// strided returns the bytes that an array of the shape spans in memory when
// neighbours along each dimension are strides bytes apart, and where among them
// the element is whose indices are all 0: the first, unless a stride is
// negative.
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

// HostArray is an array in the memory of the program: dense, row-major and
// little-endian, types narrower than a byte one byte per element.
type HostArray struct {
	Type dtype.Type
	Dims []int64
	Data []byte
}

// Shape returns the shape of the array.
func (a HostArray) Shape() Shape { return Shape{a.Type, a.Dims} }

// ArrayOf returns an array of the elements of data, whose memory it shares. No
// dims at all make a scalar of its one element. The array is checked when it is
// used: the product of dims must be len(data).
func ArrayOf[T dtype.Elem](data []T, dims ...int64) HostArray {
	return HostArray{Type: dtype.Of[T](), Dims: slices.Clone(dims), Data: dtype.Bytes(data)}
}

// check returns an error unless Data is as long as the shape says.
func (a HostArray) check() error {
	n, err := a.Shape().HostSize()
	if err != nil {
		return err
	}
	if len(a.Data) != n {
		return invalid("an array of shape %v takes %d bytes, its data has %d", a.Shape(), n, len(a.Data))
	}
	return nil
}
