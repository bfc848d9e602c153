// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Pointer returns the address of the first element, or nil if there is none.
func Pointer[E any](s []E) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// TiledLayout returns a layout without tiles.
func TiledLayout(minorToMajor []int64) *capi.BufferMemoryLayout {
	// The union hides its pointers from the garbage collector, so the array is in the
	// layout's allocation, after the layout.
	l := &struct {
		layout capi.BufferMemoryLayout
		order  [maxRank]int64
	}{}
	l.layout.StructSize = capi.BufferMemoryLayoutSize
	l.layout.Type = capi.BufferMemoryLayoutTypeTiled
	n := copy(l.order[:], minorToMajor)
	tiled := l.layout.Tiled()
	tiled.StructSize = capi.BufferMemoryLayoutTiledSize
	tiled.MinorToMajor, tiled.MinorToMajorSize = &l.order[0], uintptr(n)
	return &l.layout
}

// StridedLayout returns a layout with byte strides.
func StridedLayout(strides []int64) *capi.BufferMemoryLayout {
	l := &struct {
		layout  capi.BufferMemoryLayout
		strides [maxRank]int64
	}{}
	l.layout.StructSize = capi.BufferMemoryLayoutSize
	l.layout.Type = capi.BufferMemoryLayoutTypeStrides
	n := copy(l.strides[:], strides)
	s := l.layout.Strides()
	s.StructSize = capi.BufferMemoryLayoutStridesSize
	s.ByteStrides, s.NumByteStrides = &l.strides[0], uintptr(n)
	return &l.layout
}

// maxRank is the largest rank of a layout that this package makes.
const maxRank = 16

// NamedValueAt returns element i of an array that the plugin returned.
func NamedValueAt(p *capi.NamedValue, i int) *capi.NamedValue {
	return (*capi.NamedValue)(unsafe.Add(unsafe.Pointer(p), uintptr(i)*unsafe.Sizeof(*p)))
}
