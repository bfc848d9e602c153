// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"strings"
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
