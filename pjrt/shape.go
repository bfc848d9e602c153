// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Shape is the element type and the dimensions of an array, none for a scalar.
type Shape = array.Shape

// HostArray is an array in the memory of the program: dense, row-major and little-endian.
// Types narrower than a byte take one byte per element.
type HostArray = array.Array

// ArrayOf returns an array that shares the memory of data. Without dims it is a vector; calls that
// use the array check that the product of dims is len(data).
func ArrayOf[T dtype.Elem](data []T, dims ...int64) HostArray { return array.Of(data, dims...) }

// ScalarOf returns an array of one element, without dimensions.
func ScalarOf[T dtype.Elem](value T) HostArray { return array.ScalarOf(value) }

// hostSize returns the size in bytes of an array of the shape as a HostArray.
func hostSize(s Shape) (int, error) {
	n, err := s.HostSize()
	return n, mistaken(err)
}

// mistaken gives an error of package array the code of a caller's mistake.
func mistaken(err error) error {
	if err == nil {
		return nil
	}
	return invalid("%v", err)
}

// strided returns the number of bytes that an array of the shape spans in memory with the
// given strides, in bytes, and the offset among them of the element whose indices are all
// 0. The offset is 0 unless a stride is negative.
func strided(s Shape, strides []int64) (size, origin int, err error) {
	if len(strides) != len(s.Dims) {
		return 0, 0, invalid("there are %d strides for the %d dimensions of %v", len(strides), len(s.Dims), s)
	}
	if n, err := hostSize(s); n == 0 || err != nil {
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

// knownShape is a shape that several arrays have. It fills one line of the processor's caches.
type knownShape struct {
	Shape
	size int      // HostSize, or -1 if the client can have no array of the host with the shape
	dims [3]int64 // those of the Shape, if there are no more
}

// knownShapes has some of the shapes that the buffers of a client were made with last, so that most
// buffers need no memory for theirs.
type knownShapes [32]atomic.Pointer[knownShape]
