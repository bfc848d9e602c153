// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto

import "github.com/purepjrt/purepjrt/internal/wire"

// PrimitiveTuple is XLA's PrimitiveType of a tuple.
const PrimitiveTuple = 13

// Field numbers of xla/xla_data.proto, some of which other packages read by themselves.
const (
	ShapeElementType = 2 // ShapeProto
	ShapeDims        = 3
	ShapeTuple       = 4
	shapeLayout      = 5
	shapeDynamic     = 6

	layoutMinorToMajor = 1 // LayoutProto
	layoutTiles        = 6
	layoutElementBits  = 7
	layoutMemorySpace  = 8
	layoutTailPadding  = 16

	tileDims = 1 // TileProto
)

// Shape is a ShapeProto.
type Shape struct {
	ElementType int32 // XLA's PrimitiveType
	Dims        []int64
	Dynamic     []bool // for each dimension whether it is only a bound
	Tuple       []Shape
	Layout      *Layout
	Unknown     []byte
}

// IsTuple reports whether the shape is a tuple's.
func (s *Shape) IsTuple() bool { return s.ElementType == PrimitiveTuple }

// Layout is a LayoutProto.
type Layout struct {
	MinorToMajor []int
	Tiles        []Tile
	ElementBits  int64
	MemorySpace  int64
	TailPadding  int64 // in elements
	Unknown      []byte
}

// Tile is a TileProto.
type Tile struct {
	Dims    []int64
	Unknown []byte
}

// UnmarshalShape reads a ShapeProto. If tuples are nested too deeply, it reads only the outer ones,
// and keeps the rest as Unknown.
func UnmarshalShape(b []byte) (Shape, error) { return UnmarshalShapeIn(wire.NewRoom(len(b)), b) }

// UnmarshalShapeIn is UnmarshalShape for a part of a message that has this room.
func UnmarshalShapeIn(room *wire.Room, b []byte) (Shape, error) { return unmarshalShape(room, b, 0) }

func unmarshalShape(room *wire.Room, b []byte, depth int) (Shape, error) {
	var s Shape
	if depth > MaxTupleDepth {
		s.Unknown = append(s.Unknown, b...)
		return s, nil
	}
	var layout []byte
	hasLayout := false
	var err error
	if s.Tuple, err = wire.Reserve[Shape](room, b, ShapeTuple); err != nil {
		return s, err
	}
	err = wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(ShapeElementType, wire.Varint):
			s.ElementType = int32(f.Int)
		case f.IsList(ShapeDims):
			return wire.Ints(&s.Dims, f)
		case f.Is(ShapeTuple, wire.Bytes):
			element, err := unmarshalShape(room, f.Bytes, depth+1)
			s.Tuple = append(s.Tuple, element)
			return err
		case f.Is(shapeLayout, wire.Bytes):
			layout, hasLayout = append(layout, f.Bytes...), true
		case f.IsList(shapeDynamic):
			return wire.Bools(&s.Dynamic, f)
		default:
			s.Unknown = append(s.Unknown, f.Raw...)
		}
		return nil
	})
	if err == nil && hasLayout {
		s.Layout, err = unmarshalLayout(room, layout)
	}
	return s, err
}

func unmarshalLayout(room *wire.Room, b []byte) (*Layout, error) {
	if err := wire.Take[Layout](room); err != nil {
		return nil, err
	}
	l := new(Layout)
	var err error
	if l.Tiles, err = wire.Reserve[Tile](room, b, layoutTiles); err != nil {
		return nil, err
	}
	return l, wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.IsList(layoutMinorToMajor):
			return wire.Ints(&l.MinorToMajor, f)
		case f.Is(layoutTiles, wire.Bytes):
			tile, err := unmarshalTile(f.Bytes)
			l.Tiles = append(l.Tiles, tile)
			return err
		case f.Is(layoutElementBits, wire.Varint):
			l.ElementBits = int64(f.Int)
		case f.Is(layoutMemorySpace, wire.Varint):
			l.MemorySpace = int64(f.Int)
		case f.Is(layoutTailPadding, wire.Varint):
			l.TailPadding = int64(f.Int)
		default:
			l.Unknown = append(l.Unknown, f.Raw...)
		}
		return nil
	})
}

func unmarshalTile(b []byte) (Tile, error) {
	var t Tile
	err := wire.Visit(b, func(f wire.Field) error {
		if f.IsList(tileDims) {
			return wire.Ints(&t.Dims, f)
		}
		t.Unknown = append(t.Unknown, f.Raw...)
		return nil
	})
	return t, err
}

// Marshal writes a ShapeProto.
func (s *Shape) Marshal() []byte {
	b := wire.AppendNonzero(nil, ShapeElementType, s.ElementType)
	b = wire.AppendInts(b, ShapeDims, s.Dims)
	for i := range s.Tuple {
		b = wire.AppendBytes(b, ShapeTuple, s.Tuple[i].Marshal())
	}
	if s.Layout != nil {
		b = wire.AppendBytes(b, shapeLayout, s.Layout.marshal())
	}
	b = wire.AppendBools(b, shapeDynamic, s.Dynamic)
	return append(b, s.Unknown...)
}

func (l *Layout) marshal() []byte {
	b := wire.AppendInts(nil, layoutMinorToMajor, l.MinorToMajor)
	for _, t := range l.Tiles {
		b = wire.AppendBytes(b, layoutTiles, append(wire.AppendInts(nil, tileDims, t.Dims), t.Unknown...))
	}
	b = wire.AppendNonzero(b, layoutElementBits, l.ElementBits)
	b = wire.AppendNonzero(b, layoutMemorySpace, l.MemorySpace)
	b = wire.AppendNonzero(b, layoutTailPadding, l.TailPadding)
	return append(b, l.Unknown...)
}
