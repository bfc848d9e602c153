// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Shape is the type of a value: an array, a tuple of others, or something without elements,
// such as a token.
type Shape struct {
	// Type is the type of the elements; dtype.Token for a token, and dtype.Invalid for a
	// tuple and for types that package dtype does not know, such as opaque.
	Type dtype.Type
	// Dims has the sizes of an array's dimensions; math.MinInt64 means that a size is unknown.
	Dims []int64
	// Dynamic says for each dimension whether Dims has only a bound; nil if none is dynamic.
	Dynamic []bool
	// IsTuple says that the value is a tuple of Elements.
	IsTuple  bool
	Elements []Shape
	// Layout is nil if no layout has been chosen.
	Layout *Layout

	primitive int32 // XLA's number, if Type is dtype.Invalid
	bare      bool  // Decode found no layout
	rest      []byte
}

// Layout says how the elements of an array lie in memory.
type Layout struct {
	MinorToMajor []int     // the dimensions, the fastest-varying first
	Tiles        [][]int64 // the outermost first
	MemorySpace  int64     // 0 is the default memory of the device
	ElementBits  int64     // 0 means the type's own
	TailPadding  int64     // the number of elements is padded to a multiple of this, unless 0

	rest  []byte
	tiles [][]byte // rest of each tile
}

// Array returns the shape of an array without a layout. Encode fills in the default one, in
// which the first dimension varies slowest.
func Array(t dtype.Type, dims ...int64) Shape { return Shape{Type: t, Dims: slices.Clone(dims)} }

// Tuple returns the shape of a tuple.
func Tuple(elements ...Shape) Shape { return Shape{IsTuple: true, Elements: elements} }

// Size returns the number of elements: 1 for a scalar, 0 for a tuple, a token or an array
// whose size is not known, and math.MaxInt64 if the number does not fit.
func (s *Shape) Size() int64 {
	if s == nil || s.IsTuple || s.Type.Bits() == 0 {
		return 0
	}
	n := int64(1)
	for _, d := range s.Dims {
		if d <= 0 {
			return 0
		}
		n = times(n, d)
	}
	return n
}

// times multiplies numbers that are not negative, up to math.MaxInt64.
func times(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// plus adds numbers that are not negative, up to math.MaxInt64.
func plus(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// Arrays returns the arrays of the shape in order, including those within tuples, which no module
// has more than 64 deep.
func (s *Shape) Arrays() []*Shape {
	if s == nil {
		return nil
	}
	return s.arrays(nil, 0)
}

// arrays appends the arrays of the shape to list. A slice of elements can contain itself, which
// would never end.
func (s *Shape) arrays(list []*Shape, depth int) []*Shape {
	switch {
	case !s.IsTuple:
		return append(list, s)
	case depth > xlaproto.MaxTupleDepth:
		return list
	}
	for n := range s.Elements {
		list = s.Elements[n].arrays(list, depth+1)
	}
	return list
}

// first returns the number of elements of the first array.
func (s *Shape) first() int64 {
	if list := s.Arrays(); len(list) > 0 {
		return list[0].Size()
	}
	return 0
}

// String returns the shape as HLO writes it: f32[8,128]{1,0:T(8,128)}, (s32[], pred[2]).
func (s Shape) String() string { return s.text(0) }

func (s *Shape) text(depth int) string {
	switch {
	case s.IsTuple && depth > xlaproto.MaxTupleDepth:
		return "(...)"
	case s.IsTuple:
		list := make([]string, len(s.Elements))
		for n := range s.Elements {
			list[n] = s.Elements[n].text(depth + 1)
		}
		return "(" + strings.Join(list, ", ") + ")"
	}
	var b strings.Builder
	switch {
	case s.Type == dtype.Invalid:
		fmt.Fprintf(&b, "type%d", s.primitive)
	default:
		b.WriteString(strings.ToLower(s.Type.XLA()))
	}
	b.WriteByte('[')
	for n, d := range s.Dims {
		if n > 0 {
			b.WriteByte(',')
		}
		if n < len(s.Dynamic) && s.Dynamic[n] {
			b.WriteString("<=")
		}
		if d == math.MinInt64 {
			b.WriteByte('?')
		} else {
			b.WriteString(strconv.FormatInt(d, 10))
		}
	}
	b.WriteByte(']')
	if s.Layout != nil && len(s.Dims) > 0 {
		b.WriteString(s.Layout.String())
	}
	return b.String()
}

// String returns the layout as HLO writes it: {1,0:T(8,128)S(1)}.
func (l Layout) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for n, d := range l.MinorToMajor {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(d))
	}
	begin := b.Len()
	for n, tile := range l.Tiles {
		if n == 0 {
			b.WriteByte('T')
		}
		b.WriteByte('(')
		for k, d := range tile {
			if k > 0 {
				b.WriteByte(',')
			}
			if d == math.MinInt64 {
				b.WriteByte('*') // combined with the next dimension
			} else {
				b.WriteString(strconv.FormatInt(d, 10))
			}
		}
		b.WriteByte(')')
	}
	for _, x := range []struct {
		mark  byte
		value int64
	}{{'L', l.TailPadding}, {'E', l.ElementBits}, {'S', l.MemorySpace}} {
		if x.value != 0 && (x.mark != 'L' || x.value != 1) {
			fmt.Fprintf(&b, "%c(%d)", x.mark, x.value)
		}
	}
	text := b.String()
	if len(text) > begin {
		text = text[:begin] + ":" + text[begin:]
	}
	return text + "}"
}

// DecodeShape reads a shape that stands alone, a serialized ShapeProto.
func DecodeShape(b []byte) (Shape, error) {
	p, err := xlaproto.UnmarshalShape(b)
	if err != nil {
		return Shape{}, fmt.Errorf("hlo: the bytes are not a valid ShapeProto: %w", err)
	}
	return shapeOf(&p), nil
}

func shapeOf(p *xlaproto.Shape) Shape {
	s := Shape{Dims: p.Dims, Dynamic: p.Dynamic, rest: p.Unknown}
	if !slices.Contains(s.Dynamic, true) {
		s.Dynamic = nil
	}
	if p.IsTuple() {
		s.IsTuple, s.Elements = true, make([]Shape, len(p.Tuple))
		for n := range p.Tuple {
			s.Elements[n] = shapeOf(&p.Tuple[n])
		}
	} else if t, ok := dtype.FromPrimitiveType(p.ElementType); ok {
		s.Type = t
	} else {
		s.primitive = p.ElementType
	}
	s.bare = p.Layout == nil
	if l := p.Layout; l != nil {
		s.Layout = &Layout{
			MinorToMajor: l.MinorToMajor, MemorySpace: l.MemorySpace, ElementBits: l.ElementBits, TailPadding: l.TailPadding,
			rest: l.Unknown,
		}
		for _, t := range l.Tiles {
			s.Layout.Tiles = append(s.Layout.Tiles, t.Dims)
			s.Layout.tiles = append(s.Layout.tiles, t.Unknown)
		}
	}
	return s
}

// proto returns the shape as a message. New arrays without a layout get the default one, since
// compilers expect layouts for all arrays of a module or for none.
func (s *Shape) proto(depth int) (xlaproto.Shape, error) {
	p := xlaproto.Shape{Dims: s.Dims, Dynamic: s.Dynamic, Unknown: s.rest}
	if depth > xlaproto.MaxTupleDepth {
		return p, fmt.Errorf("tuples are nested more than %d deep", xlaproto.MaxTupleDepth)
	}
	switch {
	case s.IsTuple:
		p.ElementType = xlaproto.PrimitiveTuple
		p.Tuple = make([]xlaproto.Shape, 0, len(s.Elements))
		for n := range s.Elements {
			e, err := s.Elements[n].proto(depth + 1)
			if err != nil {
				return p, err
			}
			p.Tuple = append(p.Tuple, e)
		}
		return p, nil
	case s.Type.Valid():
		p.ElementType = s.Type.PrimitiveType()
	case s.primitive != 0:
		p.ElementType = s.primitive
	default:
		return p, fmt.Errorf("the shape has no element type: set one of package dtype, or IsTuple")
	}
	elements := int64(1)
	for _, d := range s.Dims {
		if d == math.MinInt64 {
			continue
		}
		if d < 0 {
			return p, fmt.Errorf("the shape %v has a negative dimension", *s)
		}
		if elements = times(elements, max(d, 1)); elements > maxElements {
			return p, fmt.Errorf("the shape %v is too large for any memory", *s)
		}
	}
	if s.Dynamic == nil && len(s.Dims) > 0 {
		p.Dynamic = make([]bool, len(s.Dims)) // as XLA writes them
	}
	if len(p.Dynamic) != len(s.Dims) {
		return p, fmt.Errorf("the shape has %d dimensions, and Dynamic has %d elements", len(s.Dims), len(s.Dynamic))
	}
	l := s.Layout
	if l == nil {
		if s.Type.Bits() > 0 && !s.bare {
			p.Layout = new(xlaproto.Layout)
			for n := range s.Dims {
				p.Layout.MinorToMajor = append(p.Layout.MinorToMajor, len(s.Dims)-1-n)
			}
			p.Layout.TailPadding = 1
		}
		return p, nil
	}
	if err := l.check(len(s.Dims)); err != nil {
		return p, err
	}
	p.Layout = &xlaproto.Layout{
		MinorToMajor: l.MinorToMajor, MemorySpace: l.MemorySpace, ElementBits: l.ElementBits, TailPadding: l.TailPadding,
		Unknown: l.rest,
	}
	for n, dims := range l.Tiles {
		t := xlaproto.Tile{Dims: dims}
		if n < len(l.tiles) {
			t.Unknown = l.tiles[n]
		}
		p.Layout.Tiles = append(p.Layout.Tiles, t)
	}
	return p, nil
}

// maxElements is more elements than fit in the memory of any machine.
const maxElements = 1 << 50

// check returns an error unless the layout names each dimension once.
func (l *Layout) check(rank int) error {
	seen := make([]bool, rank)
	for _, d := range l.MinorToMajor {
		if d < 0 || d >= rank || seen[d] {
			return fmt.Errorf("the layout %v does not name each of %d dimensions once", l, rank)
		}
		seen[d] = true
	}
	if len(l.MinorToMajor) != rank {
		return fmt.Errorf("the layout %v does not name each of %d dimensions once", l, rank)
	}
	return nil
}
