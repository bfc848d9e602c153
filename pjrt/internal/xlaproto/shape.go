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

	layoutTiles = 6 // LayoutProto
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

var layoutTable = wire.NewTable(func(l *Layout) *[]byte { return &l.Unknown },
	wire.IntList(1, func(l *Layout) *[]int { return &l.MinorToMajor }),
	wire.NestedList(layoutTiles, func(l *Layout) *[]Tile { return &l.Tiles }, tileTable),
	wire.Int(7, func(l *Layout) *int64 { return &l.ElementBits }),
	wire.Int(8, func(l *Layout) *int64 { return &l.MemorySpace }),
	wire.Int(16, func(l *Layout) *int64 { return &l.TailPadding }),
)

var tileTable = wire.NewTable(func(t *Tile) *[]byte { return &t.Unknown },
	wire.IntList(1, func(t *Tile) *[]int64 { return &t.Dims }),
)

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
			layout = wire.Join(layout, f.Bytes)
		case f.IsList(shapeDynamic):
			return wire.Bools(&s.Dynamic, f)
		default:
			s.Unknown = append(s.Unknown, f.Raw...)
		}
		return nil
	})
	if err == nil && layout != nil {
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
	return l, layoutTable.Read(b, l)
}

// Marshal writes a ShapeProto.
func (s *Shape) Marshal() []byte {
	b := wire.AppendNonzero(nil, ShapeElementType, s.ElementType)
	b = wire.AppendInts(b, ShapeDims, s.Dims)
	for i := range s.Tuple {
		b = wire.AppendBytes(b, ShapeTuple, s.Tuple[i].Marshal())
	}
	if s.Layout != nil {
		b = layoutTable.AppendField(b, shapeLayout, s.Layout)
	}
	b = wire.AppendBools(b, shapeDynamic, s.Dynamic)
	return append(b, s.Unknown...)
}
