// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"math"
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

// HostSize returns the bytes of a dense array of the shape in the host form:
// types narrower than a byte take one byte per element. It is an error when the
// type is unknown, a dimension negative, or the size beyond what an int holds.
func (s Shape) HostSize() (int, error) {
	if !s.Type.Valid() || s.Type.Size() == 0 {
		return 0, invalid("arrays of type %v have no host form", s.Type)
	}
	n := uint64(s.Type.Size())
	empty := false
	for _, d := range s.Dims {
		if d < 0 {
			return 0, invalid("shape %v has a negative dimension", s)
		}
		empty = empty || d == 0
	}
	if empty {
		return 0, nil
	}
	for _, d := range s.Dims {
		if n > math.MaxInt64/uint64(d) {
			return 0, invalid("an array of shape %v is too large for this machine", s)
		}
		n *= uint64(d)
	}
	return int(n), nil
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
