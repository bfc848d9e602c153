// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Layout is a layout in HLO's notation, {minor,...,major} with attributes after a
// colon: {1,0:T(8,128)E(4)S(5)}.
type Layout struct {
	MinorToMajor []int
	Tiles        [][]int64 // the T attributes
	MemorySpace  int64     // the S attribute
	ElementBits  int64     // the E attribute
}

// ParseLayout parses a layout. It ignores other attributes. It returns false for text in another
// notation, and for tiles with combined dimensions.
func ParseLayout(text string) (l Layout, ok bool) {
	inside, opened := strings.CutPrefix(text, "{")
	inside, closed := strings.CutSuffix(inside, "}")
	if !opened || !closed {
		return Layout{}, false
	}
	order, attributes, _ := strings.Cut(inside, ":")
	numbers, ok := parseInts(order)
	if !ok {
		return Layout{}, false
	}
	l.MinorToMajor = make([]int, len(numbers))
	for i, n := range numbers {
		l.MinorToMajor[i] = int(n)
	}
	name := ""
	for attributes != "" {
		open := strings.IndexByte(attributes, '(')
		end := strings.IndexByte(attributes, ')')
		if open < 0 || end < open {
			return Layout{}, false
		}
		if open > 0 { // (2,1) after T(8,128) is another tile
			name = attributes[:open]
		}
		numbers, ok := parseInts(attributes[open+1 : end])
		attributes = attributes[end+1:]
		switch {
		case name == "T" && ok:
			l.Tiles = append(l.Tiles, numbers)
		case name == "T":
			return Layout{}, false
		case name == "S" && len(numbers) == 1:
			l.MemorySpace = numbers[0]
		case name == "E" && len(numbers) == 1:
			l.ElementBits = numbers[0]
		}
	}
	return l, true
}

// parseInts parses numbers separated by commas. The empty text has none.
func parseInts(text string) ([]int64, bool) {
	if text == "" {
		return nil, true
	}
	var list []int64
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// layoutText returns a layout in HLO's notation, or "" for nil.
func layoutText(l *xlaproto.Layout) string {
	if l == nil {
		return ""
	}
	var b strings.Builder
	join := func(list []int64, before, after string) {
		b.WriteString(before)
		for i, n := range list {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.FormatInt(n, 10))
		}
		b.WriteString(after)
	}
	order := make([]int64, len(l.MinorToMajor))
	for i, d := range l.MinorToMajor {
		order[i] = int64(d)
	}
	join(order, "{", "")
	if len(l.Tiles) > 0 || l.ElementBits != 0 || l.MemorySpace != 0 {
		b.WriteByte(':')
	}
	for i, t := range l.Tiles {
		if i == 0 {
			b.WriteByte('T')
		}
		join(t.Dims, "(", ")")
	}
	if l.ElementBits != 0 {
		join([]int64{l.ElementBits}, "E(", ")")
	}
	if l.MemorySpace != 0 {
		join([]int64{l.MemorySpace}, "S(", ")")
	}
	b.WriteByte('}')
	return b.String()
}
