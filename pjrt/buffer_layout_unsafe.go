// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Layout says how the elements of an array lie in the memory of a device: in an
// order of its dimensions, perhaps in tiles, or at distances in bytes.
type Layout struct {
	// MinorToMajor are the dimensions, beginning with the one whose neighbours
	// are next to each other: 1, 0 for a row-major matrix.
	MinorToMajor []int
	// Tiles are the tiles that the array is cut into, the outermost first.
	Tiles [][]int64
	// Strides are the distances in bytes between neighbours along each
	// dimension. A layout has either strides or an order, not both. Few plugins
	// take strides; CPU and TPU plugins refuse them.
	Strides []int64
}

// RowMajor returns the layout of a dense array of rank dimensions whose last
// dimension varies fastest, that of arrays on the host.
func RowMajor(rank int) *Layout {
	l := &Layout{MinorToMajor: make([]int, max(rank, 0))}
	for i := range l.MinorToMajor {
		l.MinorToMajor[i] = rank - 1 - i
	}
	return l
}

// String returns the layout in XLA's notation, such as {1,0:T(8,128)(2,1)}, or
// as strides(16,4).
func (l *Layout) String() string {
	if l == nil {
		return "default"
	}
	var b strings.Builder
	if l.Strides != nil {
		b.WriteString("strides")
		writeList(&b, "(", l.Strides, ")")
		return b.String()
	}
	if len(l.Tiles) == 0 {
		writeList(&b, "{", l.MinorToMajor, "}")
		return b.String()
	}
	writeList(&b, "{", l.MinorToMajor, ":T")
	for _, t := range l.Tiles {
		writeList(&b, "(", t, ")")
	}
	b.WriteByte('}')
	return b.String()
}

func writeList[T int | int64](b *strings.Builder, before string, list []T, after string) {
	b.WriteString(before)
	for i, x := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(b, x)
	}
	b.WriteString(after)
}

// rowMajor reports whether a dense array of the shape has its elements in
// row-major order.
func (l *Layout) rowMajor(s Shape) bool {
	if l.Strides != nil {
		if len(l.Strides) != len(s.Dims) {
			return false
		}
		step := int64(s.Type.Size())
		for i := len(s.Dims) - 1; i >= 0; i-- {
			if l.Strides[i] != step && s.Dims[i] > 1 {
				return false
			}
			step *= s.Dims[i]
		}
		return true
	}
	return len(l.Tiles) == 0 && slices.Equal(l.MinorToMajor, RowMajor(len(s.Dims)).MinorToMajor)
}

// differs reports whether dense arrays of the shape lie in memory in different
// ways. It is false when that is not certain.
func (l *Layout) differs(o *Layout, s Shape) bool {
	rank := len(s.Dims)
	if l.Strides != nil || o.Strides != nil || len(l.MinorToMajor) != rank || len(o.MinorToMajor) != rank {
		return false
	}
	if len(l.Tiles) > 0 && len(o.Tiles) > 0 && !slices.EqualFunc(l.Tiles, o.Tiles, slices.Equal[[]int64]) {
		return true
	}
	if slices.Equal(l.MinorToMajor, o.MinorToMajor) {
		return false
	}
	// Where a dimension of one element stands makes no difference without tiles.
	order := func(l *Layout) []int {
		if len(l.Tiles) > 0 {
			return l.MinorToMajor
		}
		return slices.DeleteFunc(slices.Clone(l.MinorToMajor), func(d int) bool { return d < 0 || d >= rank || s.Dims[d] == 1 })
	}
	return len(l.Tiles) > 0 == (len(o.Tiles) > 0) && !slices.Equal(order(l), order(o))
}

// check returns an error unless the layout is one for arrays of the shape.
// Plugins take orders that are none.
func (l *Layout) check(s Shape) error {
	rank := len(s.Dims)
	if l.Strides != nil {
		if l.MinorToMajor != nil || l.Tiles != nil {
			return invalid("layout %v has strides and an order of dimensions; give one of them", l)
		}
		if len(l.Strides) != rank {
			return invalid("layout %v has %d strides for the %d dimensions of %v", l, len(l.Strides), rank, s)
		}
		return nil
	}
	if len(l.MinorToMajor) != rank {
		return invalid("layout %v orders %d dimensions, %v has %d", l, len(l.MinorToMajor), s, rank)
	}
	seen := make([]bool, rank)
	for _, d := range l.MinorToMajor {
		if d < 0 || d >= rank || seen[d] {
			return invalid("layout %v is no order of %d dimensions", l, rank)
		}
		seen[d] = true
	}
	for _, t := range l.Tiles {
		if len(t) == 0 {
			return invalid("layout %v has a tile without dimensions", l)
		}
		for _, d := range t {
			if d <= 0 {
				return invalid("layout %v has a tile with the dimension %d", l, d)
			}
		}
	}
	return nil
}

// cLayout is a PJRT_Buffer_MemoryLayout with the memory that it points to, which
// the collector does not see through the union. It must be kept alive for the
// call.
type cLayout struct {
	layout    *capi.BufferMemoryLayout
	numbers   []int64 // order or strides
	tileDims  []int64
	tileSizes []uintptr
}

// encode checks the layout and returns its C form; that of nil has a nil layout,
// which means the plugin's default.
func (l *Layout) encode(s Shape) (*cLayout, error) {
	if l == nil {
		return &cLayout{}, nil
	}
	if err := l.check(s); err != nil {
		return nil, err
	}
	c := &cLayout{layout: &capi.BufferMemoryLayout{StructSize: capi.BufferMemoryLayoutSize}}
	if l.Strides != nil {
		c.numbers = slices.Clone(l.Strides)
		c.layout.Type = capi.BufferMemoryLayoutTypeStrides
		strides := c.layout.Strides()
		strides.StructSize = capi.BufferMemoryLayoutStridesSize
		strides.ByteStrides, strides.NumByteStrides = unsafe.SliceData(c.numbers), uintptr(len(c.numbers))
		return c, nil
	}
	for _, d := range l.MinorToMajor {
		c.numbers = append(c.numbers, int64(d))
	}
	for _, t := range l.Tiles {
		c.tileDims = append(c.tileDims, t...)
		c.tileSizes = append(c.tileSizes, uintptr(len(t)))
	}
	c.layout.Type = capi.BufferMemoryLayoutTypeTiled
	tiled := c.layout.Tiled()
	tiled.StructSize = capi.BufferMemoryLayoutTiledSize
	tiled.MinorToMajor, tiled.MinorToMajorSize = unsafe.SliceData(c.numbers), uintptr(len(c.numbers))
	tiled.TileDims, tiled.TileDimSizes = unsafe.SliceData(c.tileDims), unsafe.SliceData(c.tileSizes)
	tiled.NumTiles = uintptr(len(c.tileSizes))
	return c, nil
}

// rowMajorLayouts are the C forms for small ranks, which live for ever.
var rowMajorLayouts = func() (list [9]*cLayout) {
	for rank := range list {
		list[rank] = encodeRowMajor(rank)
	}
	return list
}()

func encodeRowMajor(rank int) *cLayout {
	c, err := RowMajor(rank).encode(Shape{Dims: make([]int64, rank)})
	if err != nil {
		panic(err) // a row-major order is an order
	}
	return c
}

// rowMajorLayout returns the C form of RowMajor(rank). Devices may keep arrays
// otherwise, and would copy them to the host as they are when not told.
func rowMajorLayout(rank int) *cLayout {
	if rank < len(rowMajorLayouts) {
		return rowMajorLayouts[rank]
	}
	return encodeRowMajor(rank)
}

// decodeLayout copies a layout of the plugin into Go.
func decodeLayout(c *capi.BufferMemoryLayout) (*Layout, error) {
	switch c.Type {
	case capi.BufferMemoryLayoutTypeStrides:
		s := c.Strides()
		return &Layout{Strides: append([]int64{}, capi.Slice(s.ByteStrides, s.NumByteStrides)...)}, nil
	case capi.BufferMemoryLayoutTypeTiled:
		t := c.Tiled()
		l := &Layout{MinorToMajor: make([]int, 0, t.MinorToMajorSize)}
		for _, d := range capi.Slice(t.MinorToMajor, t.MinorToMajorSize) {
			l.MinorToMajor = append(l.MinorToMajor, int(d))
		}
		sizes := capi.Slice(t.TileDimSizes, t.NumTiles)
		total := uintptr(0)
		for _, n := range sizes {
			total += n
		}
		dims := capi.Slice(t.TileDims, total)
		for _, n := range sizes {
			l.Tiles = append(l.Tiles, dims[:n:n])
			dims = dims[n:]
		}
		return l, nil
	}
	return nil, failed(ErrUnimplemented, "the plugin describes a memory layout of the unknown type %v", c.Type)
}
