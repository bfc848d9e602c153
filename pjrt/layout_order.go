// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// ordering is what a plugin does to the order of elements when it copies arrays between the host
// and a layout that is not row-major. Some plugins take the layout as a mere label, in one
// direction or in both: then this package orders the elements itself.
type ordering struct {
	mu      sync.Mutex
	tried   atomic.Bool
	uploads bool // leave the elements in the order of the host; set before tried
	reads   bool // leave them in the order of the device; set before tried
}

// permutes reports whether the layout is an order of the dimensions, without tiles, that puts the
// elements of an array of the shape elsewhere than the row-major order does.
func (l *Layout) permutes(s Shape) bool {
	rank := len(s.Dims)
	if rank < 2 || l == nil || l.Strides != nil || len(l.Tiles) > 0 || len(l.MinorToMajor) != rank {
		return false
	}
	last := rank
	for _, d := range l.MinorToMajor {
		switch {
		case d < 0 || d >= rank || s.Dims[d] == 0:
			return false
		case s.Dims[d] == 1: // wherever it is in the order
		case d > last:
			return true
		default:
			last = d
		}
	}
	return false
}

// strides returns the distances in bytes between neighbours along each dimension, for elements of
// the size that they have on the host.
func (l *Layout) strides(s Shape) []int64 {
	strides := make([]int64, len(s.Dims))
	step := int64(s.Type.Size())
	for _, d := range l.MinorToMajor {
		strides[d] = step
		step *= s.Dims[d]
	}
	return strides
}

// gather copies the elements of an array from their places in src, the first of them at an offset,
// to dst, dense and in row-major order. It returns the rest of dst.
func gather(dst, src []byte, at int, dims, strides []int64, element int) []byte {
	if len(dims) == 0 {
		copy(dst[:element], src[at:at+element])
		return dst[element:]
	}
	if len(dims) == 1 && strides[0] == int64(element) {
		n := int(dims[0]) * element
		preempt.Copy(dst[:n], src[at:at+n])
		return dst[n:]
	}
	for range dims[0] {
		dst = gather(dst, src, at, dims[1:], strides[1:], element)
		at += int(strides[0])
	}
	return dst
}

// toRows puts the elements of data, an array of the shape in the order of the layout, in row-major
// order.
func (l *Layout) toRows(data []byte, s Shape) {
	if l == nil {
		return
	}
	ordered := preempt.Clone(data)
	gather(data, ordered, 0, s.Dims, l.strides(s), s.Type.Size())
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

func product(dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return n
}
