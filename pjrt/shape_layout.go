// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// ShapeLayout is the shape of an argument or result and its layout in the memory of the
// device, or a tuple of these.
type ShapeLayout struct {
	Shape
	Layout      *Layout       // order of the dimensions, and tiles; nil lets the compiler choose
	Dynamic     []bool        // for each dimension, whether its extent is only a bound; nil if none is
	MemorySpace int64         // the platform's number of a memory; 0 means the default
	ElementBits int64         // the size of an element in memory; 0 means the type's
	TailPadding int64         // the size is rounded up to a multiple of this, in elements; 0 means 1
	Tuple       []ShapeLayout // the elements of a tuple, whose other fields are zero
}

// check returns an error unless s is the shape of an array with a layout that fits it, or
// a tuple of these.
func (s *ShapeLayout) check() error { return s.checkDepth(0) }

func (s *ShapeLayout) checkDepth(depth int) error {
	if depth > xlaproto.MaxTupleDepth {
		return invalid("tuples are nested more than %d deep", xlaproto.MaxTupleDepth)
	}
	if s.Tuple != nil {
		if s.Type != dtype.Invalid || s.Dims != nil || s.Layout != nil {
			return invalid("a tuple has the shape %v or a layout: give these to its elements instead", s.Shape)
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
	if _, err := hostSize(s.Shape); err != nil {
		return err
	}
	if s.Dynamic != nil && len(s.Dynamic) != len(s.Dims) {
		return invalid("Dynamic has %d elements for the %d dimensions of %v", len(s.Dynamic), len(s.Dims), s.Shape)
	}
	if s.MemorySpace < 0 || s.ElementBits < 0 || s.TailPadding < 0 {
		return invalid("the layout of %v has the memory space %d, %d bits per element and a padding to %d elements: none may be negative",
			s.Shape, s.MemorySpace, s.ElementBits, s.TailPadding)
	}
	if s.Layout == nil {
		if s.MemorySpace != 0 || s.ElementBits != 0 || s.TailPadding > 1 {
			return invalid("the compiler chooses the layout of %v: leave out the memory space, element bits and padding too", s.Shape)
		}
		return nil
	}
	if s.Layout.Strides != nil {
		return invalid("layout %v has strides: a compiler takes an order of dimensions", s.Layout)
	}
	return s.Layout.check(s.Shape)
}

// proto returns the shape as XLA's ShapeProto.
func (s *ShapeLayout) proto() xlaproto.Shape {
	if s.Tuple != nil {
		p := xlaproto.Shape{ElementType: xlaproto.PrimitiveTuple}
		for i := range s.Tuple {
			p.Tuple = append(p.Tuple, s.Tuple[i].proto())
		}
		return p
	}
	p := xlaproto.Shape{ElementType: s.Type.PrimitiveType(), Dims: s.Dims, Dynamic: s.Dynamic}
	if p.Dynamic == nil {
		p.Dynamic = make([]bool, len(s.Dims))
	}
	if s.Layout != nil {
		p.Layout = &xlaproto.Layout{
			MinorToMajor: s.Layout.MinorToMajor,
			ElementBits:  s.ElementBits,
			MemorySpace:  s.MemorySpace,
			TailPadding:  max(s.TailPadding, 1),
		}
		for _, t := range s.Layout.Tiles {
			p.Layout.Tiles = append(p.Layout.Tiles, xlaproto.Tile{Dims: t})
		}
	}
	return p
}

// newShapeLayout returns the shape in a ShapeProto. It reports false if the message has
// contents that a ShapeLayout cannot hold.
func newShapeLayout(p *xlaproto.Shape) (ShapeLayout, bool) {
	var s ShapeLayout
	if slices.Contains(p.Dynamic, true) {
		s.Dynamic = p.Dynamic
	}
	if p.IsTuple() {
		elements, ok := newShapeLayouts(p.Tuple)
		if s.Tuple = elements; elements == nil {
			s.Tuple = []ShapeLayout{}
		}
		return s, ok && p.Dims == nil && p.Layout == nil && s.Dynamic == nil && p.Unknown == nil
	}
	ok := false
	s.Type, ok = dtype.FromPrimitiveType(p.ElementType)
	s.Dims = p.Dims
	ok = ok && p.Tuple == nil && p.Unknown == nil
	if l := p.Layout; l != nil {
		s.Layout = &Layout{MinorToMajor: l.MinorToMajor}
		s.ElementBits, s.MemorySpace = l.ElementBits, l.MemorySpace
		if l.TailPadding != 1 {
			s.TailPadding = l.TailPadding
		}
		for _, t := range l.Tiles {
			s.Layout.Tiles = append(s.Layout.Tiles, t.Dims)
			ok = ok && t.Unknown == nil
		}
		ok = ok && l.Unknown == nil
	}
	return s, ok
}

// newShapeLayouts is newShapeLayout for each element of list.
func newShapeLayouts(list []xlaproto.Shape) ([]ShapeLayout, bool) {
	var shapes []ShapeLayout
	all := true
	for i := range list {
		s, ok := newShapeLayout(&list[i])
		shapes, all = append(shapes, s), all && ok
	}
	return shapes, all
}
