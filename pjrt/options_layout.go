// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// maxTupleDepth bounds the nesting of tuples, of which programs have one or two.
const maxTupleDepth = 64

// check returns an error unless s is the shape of an array with a layout for it,
// or a tuple of such.
func (s *ShapeLayout) check() error { return s.checkDepth(0) }

func (s *ShapeLayout) checkDepth(depth int) error {
	if depth > maxTupleDepth {
		return invalid("tuples are nested more than %d deep", maxTupleDepth)
	}
	if s.Tuple != nil {
		if s.Type != dtype.Invalid || s.Dims != nil || s.Layout != nil {
			return invalid("a tuple has the shape %v or a layout of its own; its elements have them", s.Shape)
		}
		for i := range s.Tuple {
			if err := s.Tuple[i].checkDepth(depth + 1); err != nil {
				return err
			}
		}
		return nil
	}
	if s.Type == dtype.Token && len(s.Dims) == 0 && s.Layout == nil {
		return nil
	}
	if _, err := s.HostSize(); err != nil {
		return err
	}
	if s.Dynamic != nil && len(s.Dynamic) != len(s.Dims) {
		return invalid("shape %v has %d dynamic marks for its dimensions", s.Shape, len(s.Dynamic))
	}
	if s.MemorySpace < 0 || s.ElementBits < 0 || s.TailPadding < 0 {
		return invalid("the layout of %v has the memory space %d, %d bits per element and a padding to %d elements; none can be negative",
			s.Shape, s.MemorySpace, s.ElementBits, s.TailPadding)
	}
	if s.Layout == nil {
		if s.MemorySpace != 0 || s.ElementBits != 0 || s.TailPadding > 1 {
			return invalid("the layout of %v is left to the compiler, and so must be its memory space, element bits and padding", s.Shape)
		}
		return nil
	}
	if s.Layout.Strides != nil {
		return invalid("layout %v has strides; a compiler takes an order of dimensions", s.Layout)
	}
	return s.Layout.check(s.Shape)
}

// marshal writes a ShapeProto.
func (s *ShapeLayout) marshal() []byte {
	if s.Tuple != nil {
		b := appendInt(nil, fieldElementType, primitiveTuple)
		for i := range s.Tuple {
			b = appendBytes(b, fieldTupleShapes, s.Tuple[i].marshal())
		}
		return b
	}
	b := appendInt(nil, fieldElementType, int64(s.Type.PrimitiveType()))
	b = appendPacked(b, fieldDimensions, s.Dims)
	if s.Layout != nil {
		b = appendBytes(b, fieldLayout, s.marshalLayout())
	}
	if s.Dynamic == nil {
		return appendPacked(b, fieldDynamic, make([]int64, len(s.Dims)))
	}
	return appendPacked(b, fieldDynamic, varints(s.Dynamic))
}

// marshalLayout writes a LayoutProto.
func (s *ShapeLayout) marshalLayout() []byte {
	b := appendPacked(nil, fieldMinorToMajor, s.Layout.MinorToMajor)
	for _, t := range s.Layout.Tiles {
		b = appendBytes(b, fieldTiles, appendPacked(nil, fieldTileDims, t))
	}
	b = appendNonzero(b, fieldElementBits, s.ElementBits)
	b = appendNonzero(b, fieldMemorySpace, s.MemorySpace)
	return appendInt(b, fieldTailPadding, max(s.TailPadding, 1))
}

// unmarshalShapeLayout reads a ShapeProto. It reports false when the message
// says more than a ShapeLayout holds.
func unmarshalShapeLayout(b []byte) (ShapeLayout, bool, error) { return unmarshalShapeDepth(b, 0) }

func unmarshalShapeDepth(b []byte, depth int) (s ShapeLayout, whole bool, err error) {
	if depth > maxTupleDepth {
		return s, false, nil
	}
	whole = true
	var primitive int32
	var layout []byte
	hasLayout, dynamic := false, false
	err = wireFields(b, func(r wireField) error {
		switch {
		case r.is(fieldElementType, protowire.VarintType):
			primitive = int32(r.varint)
		case r.number == fieldDimensions && r.packable():
			return appendUnpacked(&s.Dims, r)
		case r.is(fieldTupleShapes, protowire.BytesType):
			element, ok, err := unmarshalShapeDepth(r.bytes, depth+1)
			s.Tuple = append(s.Tuple, element)
			whole = whole && ok
			return err
		case r.is(fieldLayout, protowire.BytesType):
			layout, hasLayout = append(layout, r.bytes...), true
		case r.number == fieldDynamic && r.packable():
			return appendBools(&s.Dynamic, r)
		default:
			whole = false
		}
		return nil
	})
	if err != nil {
		return s, false, err
	}
	for _, d := range s.Dynamic {
		dynamic = dynamic || d
	}
	if !dynamic {
		s.Dynamic = nil
	}
	if primitive == primitiveTuple {
		if s.Tuple == nil {
			s.Tuple = []ShapeLayout{}
		}
		return s, whole && s.Dims == nil && !hasLayout && s.Dynamic == nil, nil
	}
	ok := false
	s.Type, ok = dtype.FromPrimitiveType(primitive)
	whole = whole && ok && s.Tuple == nil
	if hasLayout {
		ok, err = s.unmarshalLayout(layout)
		whole = whole && ok
	}
	return s, whole, err
}

// unmarshalLayout reads a LayoutProto.
func (s *ShapeLayout) unmarshalLayout(b []byte) (whole bool, err error) {
	whole = true
	s.Layout = new(Layout)
	err = wireFields(b, func(r wireField) error {
		switch {
		case r.number == fieldMinorToMajor && r.packable():
			return appendUnpacked(&s.Layout.MinorToMajor, r)
		case r.is(fieldTiles, protowire.BytesType):
			var tile []int64
			err := wireFields(r.bytes, func(r wireField) error {
				if r.number == fieldTileDims && r.packable() {
					return appendUnpacked(&tile, r)
				}
				whole = false
				return nil
			})
			s.Layout.Tiles = append(s.Layout.Tiles, tile)
			return err
		case r.is(fieldElementBits, protowire.VarintType):
			s.ElementBits = int64(r.varint)
		case r.is(fieldMemorySpace, protowire.VarintType):
			s.MemorySpace = int64(r.varint)
		case r.is(fieldTailPadding, protowire.VarintType):
			s.TailPadding = int64(r.varint)
		default:
			whole = false
		}
		return nil
	})
	if s.TailPadding == 1 {
		s.TailPadding = 0
	}
	return whole, err
}
