// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
)

// Layout is how an array lies in device memory: in an order of its dimensions, perhaps in
// tiles, or with strides, which CPU and TPU plugins refuse.
type Layout struct {
	MinorToMajor []int     // the dimensions, the one that varies fastest first: 1, 0 for a row-major matrix
	Tiles        [][]int64 // the tiles that the array is cut into, the outermost first
	Strides      []int64   // bytes between neighbours along each dimension; excludes the other fields
}

// RowMajor returns the layout of arrays on the host: the last dimension varies fastest.
func RowMajor(rank int) *Layout {
	l := &Layout{MinorToMajor: make([]int, max(rank, 0))}
	for i := range l.MinorToMajor {
		l.MinorToMajor[i] = rank - 1 - i
	}
	return l
}

// String returns XLA's notation, such as {1,0:T(8,128)}, or strides(16,4).
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

// isRowMajor reports whether the layout is that of RowMajor for its number of dimensions.
func (l *Layout) isRowMajor() bool {
	if l == nil || l.Strides != nil || len(l.Tiles) > 0 {
		return false
	}
	for i, d := range l.MinorToMajor {
		if d != len(l.MinorToMajor)-1-i {
			return false
		}
	}
	return true
}

// commonRowMajor is RowMajor for layouts that are compared by their address. Nobody may change it.
func commonRowMajor(rank int) *Layout {
	if rank < len(commonRowMajors) {
		return commonRowMajors[rank]
	}
	return RowMajor(rank)
}

var commonRowMajors = func() (list [9]*Layout) {
	for rank := range list {
		list[rank] = RowMajor(rank)
	}
	return list
}()

// isCommon reports whether the layout came from commonRowMajor.
func (l *Layout) isCommon() bool {
	rank := len(l.MinorToMajor)
	return rank < len(commonRowMajors) && l == commonRowMajors[rank]
}

// clone returns a copy, whose tiles are shared.
func (l *Layout) clone() *Layout {
	return &Layout{MinorToMajor: slices.Clone(l.MinorToMajor), Tiles: slices.Clone(l.Tiles), Strides: slices.Clone(l.Strides)}
}

// rowMajor reports whether the layout puts the elements of a dense array of the shape in
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

// differs reports whether the two layouts certainly put the elements of a dense array of
// the shape in different places.
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
	// Without tiles, the position of a dimension of size 1 makes no difference.
	order := func(l *Layout) []int {
		if len(l.Tiles) > 0 {
			return l.MinorToMajor
		}
		return slices.DeleteFunc(slices.Clone(l.MinorToMajor), func(d int) bool { return d < 0 || d >= rank || s.Dims[d] == 1 })
	}
	return len(l.Tiles) > 0 == (len(o.Tiles) > 0) && !slices.Equal(order(l), order(o))
}

// check returns an error unless the layout fits arrays of the shape. Plugins accept orders
// that leave dimensions out or repeat them.
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
		return invalid("layout %v orders %d dimensions, but %v has %d", l, len(l.MinorToMajor), s, rank)
	}
	seen := make([]bool, rank)
	for _, d := range l.MinorToMajor {
		if d < 0 || d >= rank || seen[d] {
			return invalid("layout %v must list each of the dimensions 0 to %d once", l, rank-1)
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

// cLayout is a PJRT_Buffer_MemoryLayout with the memory that it points to, which the
// garbage collector does not see through the union. The caller keeps it alive for the
// length of the call.
type cLayout struct {
	layout    *capi.BufferMemoryLayout
	numbers   []int64 // order or strides
	tileDims  []int64
	tileSizes []uintptr
}

var noLayout cLayout

// encode checks the layout and returns its C form. The nil layout has a nil C form, which
// means the plugin's default.
func (l *Layout) encode(s Shape) (*cLayout, error) {
	if l == nil {
		return &noLayout, nil
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

// encodeOnDevice is encode for the memory of a device, where types narrower than a byte are packed.
// A C layout cannot say so, and plugins take one for that of another array. So it is left out if
// the array is row-major, as it is without a layout.
func (l *Layout) encodeOnDevice(s Shape) (*cLayout, error) {
	c, err := l.encode(s)
	if err == nil && l != nil && s.Type.IsSubByte() && l.rowMajor(s) {
		c = &noLayout
	}
	return c, err
}

// encodeStated is encodeOnDevice that states the row-major order for nil. Where XLA's own client
// always states a layout, plugins fail or end the process over buffers whose shape has none.
func (l *Layout) encodeStated(s Shape) (*cLayout, error) {
	if l == nil {
		l = RowMajor(len(s.Dims))
	}
	return l.encodeOnDevice(s)
}

// rowMajorLayouts holds the C forms of RowMajor for small ranks, so that reading
// allocates none.
var rowMajorLayouts = func() (list [9]*cLayout) {
	for rank := range list {
		list[rank] = encodeRowMajor(rank)
	}
	return list
}()

func encodeRowMajor(rank int) *cLayout {
	c, err := RowMajor(rank).encode(Shape{Dims: make([]int64, rank)})
	if err != nil {
		panic(err) // unreachable: RowMajor fits its rank
	}
	return c
}

// rowMajorLayout returns the C form of RowMajor(rank). A plugin that is given no layout
// may copy an array to the host in the layout of the device.
func rowMajorLayout(rank int) *cLayout {
	if rank < len(rowMajorLayouts) {
		return rowMajorLayouts[rank]
	}
	return encodeRowMajor(rank)
}

// decodeLayout copies a C layout into Go.
func decodeLayout(c *capi.BufferMemoryLayout) (*Layout, error) {
	broken := func(what string, n uintptr) error {
		return failed(ErrInternal, "the plugin describes a memory layout with %d %s, but does not list them", n, what)
	}
	switch c.Type {
	case capi.BufferMemoryLayoutTypeStrides:
		s := c.Strides()
		l := &Layout{Strides: append([]int64{}, capi.Slice(s.ByteStrides, s.NumByteStrides)...)}
		if n := s.NumByteStrides; uintptr(len(l.Strides)) != n {
			return nil, broken("strides", n)
		}
		return l, nil
	case capi.BufferMemoryLayoutTypeTiled:
		t := c.Tiled()
		order := capi.Slice(t.MinorToMajor, t.MinorToMajorSize)
		if n := t.MinorToMajorSize; uintptr(len(order)) != n {
			return nil, broken("dimensions", n)
		}
		l := &Layout{MinorToMajor: make([]int, 0, len(order))}
		for _, d := range order {
			l.MinorToMajor = append(l.MinorToMajor, int(d))
		}
		sizes := capi.Slice(t.TileDimSizes, t.NumTiles)
		if n := t.NumTiles; uintptr(len(sizes)) != n {
			return nil, broken("tiles", n)
		}
		tiles, ok := split(t.TileDims, sizes)
		if !ok {
			return nil, failed(ErrInternal, "the plugin describes a memory layout with tiles of %d dimensions, but does not list them",
				sizes)
		}
		l.Tiles = tiles
		return l, nil
	}
	return nil, failed(ErrUnimplemented, "the plugin describes a memory layout of the unknown type %v", c.Type)
}

// maxRank is more dimensions than any array has.
const maxRank = 1 << 16

// split copies lists of the given lengths, which follow each other at p. It reports false
// if the lengths are absurd or there is nothing at p.
func split(p *int64, lengths []uintptr) (lists [][]int64, ok bool) {
	total := uintptr(0)
	for _, n := range lengths {
		if n > maxRank {
			return nil, false
		}
		total += n
	}
	flat := capi.Slice(p, total)
	if uintptr(len(flat)) != total {
		return nil, false
	}
	for _, n := range lengths {
		lists = append(lists, flat[:n:n])
		flat = flat[n:]
	}
	return lists, true
}

// DeviceLayout is the layout of an argument or result in device memory.
type DeviceLayout struct {
	Text        string  // from the plugin, as a rule in XLA's notation: {1,0:T(8,128)S(5)}
	Layout      *Layout // read from Text; nil and the rest 0 if Text is in another notation
	MemorySpace int64   // the platform's number of a memory, S(n) in Text; 0 means the default
	ElementBits int64   // the size of an element in memory, E(n) in Text; 0 means the type's
}

// parseDeviceLayout reads a layout in XLA's notation.
func parseDeviceLayout(text string) DeviceLayout {
	d := DeviceLayout{Text: text}
	if l, ok := hlo.ParseLayout(text); ok {
		d.Layout = &Layout{MinorToMajor: l.MinorToMajor, Tiles: l.Tiles}
		d.MemorySpace, d.ElementBits = l.MemorySpace, l.ElementBits
	}
	return d
}
