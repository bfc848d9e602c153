// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Shape is the element type and the dimensions of an array, none for a scalar.
type Shape struct {
	Type dtype.Type
	Dims []int64
}

// Dynamic is the size of a dimension that is known only at run time, as MLIR and XLA have it.
// Shapes that a program states may have such dimensions. Arrays do not.
const Dynamic = math.MinInt64

// String returns the shape as element type and dimensions, f32[2,3], with a question mark for a
// dimension that is Dynamic. The type is spelled as [dtype.Type.String] does.
func (s Shape) String() string {
	b := append([]byte(s.Type.String()), '[')
	for i, d := range s.Dims {
		if i > 0 {
			b = append(b, ',')
		}
		if d == Dynamic {
			b = append(b, '?')
		} else {
			b = strconv.AppendInt(b, d, 10)
		}
	}
	return string(append(b, ']'))
}

// Known reports whether the shape has a type, and the size of every dimension. The shape of an
// argument that a program states may lack either.
func (s Shape) Known() bool { return s.Type != dtype.Invalid && !slices.Contains(s.Dims, Dynamic) }

// Equal reports whether both shapes have the same type and dimensions.
func (s Shape) Equal(o Shape) bool { return s.Type == o.Type && slices.Equal(s.Dims, o.Dims) }

// Accepts reports whether a program that states the shape s for an argument takes an array of the
// shape o: both are equal but for dimensions of s that are Dynamic. A shape without a type says
// nothing about the argument, so it accepts every array.
func (s Shape) Accepts(o Shape) bool {
	if s.Type == dtype.Invalid {
		return true
	}
	return s.Type == o.Type && slices.EqualFunc(s.Dims, o.Dims, func(d, other int64) bool {
		return d == Dynamic || d == other
	})
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
		case d == Dynamic:
			return 0, false, fmt.Errorf("shape %v has a dimension whose size is not known", s)
		case d < 0:
			return 0, false, fmt.Errorf("shape %v has a negative dimension", s)
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
		return fmt.Errorf("an array of shape %v is empty, but the product of its other dimensions is too large for plugins", s)
	}
	return fmt.Errorf("an array of shape %v is too large for this machine", s)
}

// addressSpace is more bytes than a process of the supported platforms can have.
const addressSpace = min(1<<47, math.MaxInt)

// HostSize returns the size in bytes of the array as an [Array]. It fails if the type is
// unknown or has no elements, a dimension is negative, or no process can hold that much, counting
// every dimension of 0 as 1.
func (s Shape) HostSize() (int, error) {
	if s.Type.Size() == 0 {
		return 0, fmt.Errorf("arrays of type %v have no host form", s.Type)
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
