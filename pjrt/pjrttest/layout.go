// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// shapeOf reads a shape from the caller.
func shapeOf(t capi.BufferType, dims *int64, n uintptr) (pjrt.Shape, error) {
	s := pjrt.Shape{Type: dtype.Type(t), Dims: []int64{}}
	if s.Type == dtype.Token {
		return s, capi.ErrorCodeUnimplemented.Errorf("tokens are not supported")
	}
	if !s.Type.Valid() || s.Type.Size() == 0 {
		return s, invalid("arrays of the type %v are not supported", t)
	}
	if dims == nil && n > 0 {
		return s, invalid("the dimensions are null, and there are %d", n)
	}
	if n > 64 {
		return s, invalid("arrays of %d dimensions are not supported", n)
	}
	s.Dims = slices.Clone(elements(dims, n))
	size := uint64(s.Type.Size())
	empty := slices.Contains(s.Dims, 0)
	for _, d := range s.Dims {
		if d < 0 {
			return s, invalid("the shape %v has a negative dimension", s)
		}
		if empty {
			continue
		}
		over, product := bits.Mul64(size, uint64(d))
		if over != 0 || product > 1<<50 {
			return s, invalid("an array of the shape %v is too large", s)
		}
		size = product
	}
	return s, nil
}

// hostSize returns the size in bytes of a dense array on the host.
func hostSize(s pjrt.Shape) int64 {
	n := int64(s.Type.Size())
	for _, d := range s.Dims {
		n *= d
	}
	return n
}

// deviceSize returns the size in bytes of an array on a device, where types narrower than
// a byte are packed.
func deviceSize(s pjrt.Shape) int64 {
	n := hostSize(s)
	if per := packed(s.Type); per > 1 {
		n = (n + int64(per) - 1) / int64(per)
	}
	return n
}

// packed returns how many elements of a type share a byte on a device.
func packed(t dtype.Type) int {
	if b := t.Bits(); t.IsSubByte() && 8%b == 0 {
		return 8 / b
	}
	return 1
}

// pack puts the low bits of each byte of src next to one another, beginning with the
// lowest bits.
func pack(dst, src []byte, t dtype.Type) {
	per, width := packed(t), t.Bits()
	if per == 1 {
		copy(dst, src)
		return
	}
	clear(dst)
	for i, b := range src {
		dst[i/per] |= b & (1<<width - 1) << (i % per * width)
	}
}

// unpack undoes pack.
func unpack(dst, src []byte, t dtype.Type) {
	per, width := packed(t), t.Bits()
	if per == 1 {
		copy(dst, src)
		return
	}
	for i := range dst {
		dst[i] = src[i/per] >> (i % per * width) & (1<<width - 1)
	}
}

// order is the order of the dimensions of an array in memory, beginning with the one
// whose elements are adjacent.
type order []int64

// rowMajor returns the order of arrays in C.
func rowMajor(rank int) order {
	o := make(order, rank)
	for i := range o {
		o[i] = int64(rank - 1 - i)
	}
	return o
}

// check returns an error unless o is a permutation of rank dimensions.
func (o order) check(rank int) error {
	seen := make([]bool, rank)
	for _, d := range o {
		if len(o) != rank || d < 0 || d >= int64(rank) || seen[d] {
			return invalid("the layout has the order %v, which is not an order of %d dimensions", []int64(o), rank)
		}
		seen[d] = true
	}
	if len(o) != rank {
		return invalid("the layout has an order of %d dimensions, but the array has %d", len(o), rank)
	}
	return nil
}

// strides returns the strides, in bytes, of an array on the host that has the order o.
func (o order) strides(s pjrt.Shape) []int64 {
	strides := make([]int64, len(s.Dims))
	step := int64(s.Type.Size())
	for _, d := range o {
		strides[d] = step
		step *= max(s.Dims[d], 1)
	}
	return strides
}

// String returns the order in XLA's notation, such as {1,0}.
func (o order) String() string {
	words := make([]string, len(o))
	for i, d := range o {
		words[i] = fmt.Sprint(d)
	}
	return "{" + strings.Join(words, ",") + "}"
}

// deviceOrder reads the caller's layout of an array on a device. Null means row-major.
func deviceOrder(l *capi.BufferMemoryLayout, s pjrt.Shape) (order, error) {
	if l == nil {
		return rowMajor(len(s.Dims)), nil
	}
	layout, err := read(l, "PJRT_Buffer_MemoryLayout", capi.BufferMemoryLayoutSize)
	if err != nil {
		return nil, err
	}
	switch layout.Type {
	case capi.BufferMemoryLayoutTypeTiled:
		return tiledOrder(layout.Tiled(), len(s.Dims))
	case capi.BufferMemoryLayoutTypeStrides:
		strides, err := givenStrides(layout.Strides(), len(s.Dims))
		if err != nil {
			return nil, err
		}
		return denseOrder(strides, s)
	}
	return nil, invalid("%d is not a layout type", int32(layout.Type))
}

func tiledOrder(t *capi.BufferMemoryLayoutTiled, rank int) (order, error) {
	if _, err := read(t, "PJRT_Buffer_MemoryLayout_Tiled", capi.BufferMemoryLayoutTiledSize); err != nil {
		return nil, err
	}
	switch {
	case t.NumTiles > 0:
		return nil, capi.ErrorCodeUnimplemented.Errorf("tiled layouts are not supported; the layout has %d tiles", t.NumTiles)
	case t.MinorToMajor == nil && t.MinorToMajorSize > 0:
		return nil, invalid("the order of the layout is null and has %d dimensions", t.MinorToMajorSize)
	case t.MinorToMajorSize != uintptr(rank):
		return nil, invalid("the layout has an order of %d dimensions, but the array has %d", t.MinorToMajorSize, rank)
	}
	o := order(slices.Clone(elements(t.MinorToMajor, t.MinorToMajorSize)))
	return o, o.check(rank)
}

func givenStrides(s *capi.BufferMemoryLayoutStrides, rank int) ([]int64, error) {
	if _, err := read(s, "PJRT_Buffer_MemoryLayout_Strides", capi.BufferMemoryLayoutStridesSize); err != nil {
		return nil, err
	}
	if s.NumByteStrides != uintptr(rank) || s.ByteStrides == nil && rank > 0 {
		return nil, invalid("the layout has %d strides, but the array has %d dimensions", s.NumByteStrides, rank)
	}
	return slices.Clone(elements(s.ByteStrides, s.NumByteStrides)), nil
}

// denseOrder returns the order of an array with these strides, or an error if they leave
// gaps.
func denseOrder(strides []int64, s pjrt.Shape) (order, error) {
	o := rowMajor(len(strides))
	slices.SortStableFunc(o, func(a, b int64) int { return int(strides[a] - strides[b]) })
	for d, want := range o.strides(s) {
		if strides[d] != want && s.Dims[d] > 1 {
			return nil, capi.ErrorCodeUnimplemented.Errorf("the strides %v of the shape %v leave gaps, which is not supported on a device",
				strides, s)
		}
	}
	return o, nil
}

// extent returns how many bytes an array with these strides spans, and how many of them
// are before the element whose indices are all 0.
func extent(s pjrt.Shape, strides []int64) (size, origin int64, err error) {
	if slices.Contains(s.Dims, 0) {
		return 0, 0, nil
	}
	const most = 1 << 50
	before, behind := int64(0), int64(s.Type.Size())
	for i, d := range s.Dims {
		if d > 1 && (strides[i] > most/d || strides[i] < -most/d) {
			return 0, 0, invalid("the strides %v of the shape %v reach too far", strides, s)
		}
		if reach := (d - 1) * strides[i]; reach < 0 {
			before -= reach
		} else {
			behind += reach
		}
		if before > most || behind > most {
			return 0, 0, invalid("the strides %v of the shape %v reach too far", strides, s)
		}
	}
	return before + behind, before, nil
}

// strided is an array with strides.
type strided struct {
	span
	strides []int64
}

// rearrange copies the elements of src to dst.
func rearrange(dst, src strided, s pjrt.Shape) {
	if hostSize(s) == 0 {
		return
	}
	size := int64(s.Type.Size())
	if slices.Equal(dst.strides, src.strides) && slices.Equal(src.strides, rowMajor(len(s.Dims)).strides(s)) {
		copy(dst.bytes[dst.origin:], src.bytes[src.origin:src.origin+hostSize(s)])
		return
	}
	var walk func(dim int, to, from int64)
	walk = func(dim int, to, from int64) {
		if dim == len(s.Dims) {
			copy(dst.bytes[to:to+size], src.bytes[from:from+size])
			return
		}
		for range s.Dims[dim] {
			walk(dim+1, to, from)
			to += dst.strides[dim]
			from += src.strides[dim]
		}
	}
	walk(0, dst.origin, src.origin)
}

// toDevice converts an array from its host form to its form on a device.
func toDevice(dst []byte, o order, src strided, s pjrt.Shape) {
	if packed(s.Type) == 1 {
		rearrange(strided{span{bytes: dst}, o.strides(s)}, src, s)
		return
	}
	loose := make([]byte, hostSize(s))
	rearrange(strided{span{bytes: loose}, o.strides(s)}, src, s)
	pack(dst, loose, s.Type)
}

// fromDevice converts an array from its form on a device to its host form.
func fromDevice(dst strided, src []byte, o order, s pjrt.Shape) {
	if packed(s.Type) > 1 {
		loose := make([]byte, hostSize(s))
		unpack(loose, src, s.Type)
		src = loose
	}
	rearrange(dst, strided{span{bytes: src}, o.strides(s)}, s)
}

// shapeProto returns a serialized ShapeProto.
func shapeProto(s pjrt.Shape, o order) []byte {
	b := wire.AppendInts(wire.AppendInt(nil, 2, s.Type.PrimitiveType()), 3, s.Dims)
	b = wire.AppendBytes(b, 5, wire.AppendInts(nil, 1, o))
	return wire.AppendBools(b, 6, make([]bool, len(s.Dims)))
}
