// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
	"slices"
)

// SkewMatrix shows how the plugin serves older and newer callers. It has a row for each
// struct that grew, and a column for each range of API versions within which no struct
// grew.
type SkewMatrix struct {
	// Columns are names such as 0.46 to 0.60. The last ones are for callers newer than any
	// known version.
	Columns []string
	Rows    []SkewRow
	// Same are the structs that never grew, so that all callers send the same size.
	Same []SkewRow
}

// BadNames returns the structs of Same that are not served for some caller, usually a
// future one.
func (m SkewMatrix) BadNames() []string {
	var names []string
	for _, r := range m.Same {
		if r.Bad() {
			names = append(names, r.Struct)
		}
	}
	return names
}

// SkewRow is the row of a struct. Its cells fill the columns from left to right.
type SkewRow struct {
	Struct string
	Cells  []SkewCell
}

// SkewCell is one size of a struct. A cell without a Skew is for callers that are older
// than the struct.
type SkewCell struct {
	*Skew
	Span int // columns
}

// Bad reports whether any caller of the struct is not served.
func (r SkewRow) Bad() bool {
	return slices.ContainsFunc(r.Cells, func(c SkewCell) bool { return c.Skew != nil && !c.OK })
}

// Kind returns pass if the size works, warn if the plugin rejects it as it may, fail if it
// goes wrong, and "" for a cell without a Skew.
func (c SkewCell) Kind() string {
	switch {
	case c.Skew == nil:
		return ""
	case c.OK:
		return "pass"
	case c.Outcome == "refused: INVALID_ARGUMENT":
		return "warn"
	}
	return "fail"
}

// Sign returns a character for the kind.
func (c SkewCell) Sign() string {
	return map[string]string{"pass": "✓", "warn": "–", "fail": "✗"}[c.Kind()]
}

// newestMinor stands for the end of a size that callers still send.
const newestMinor = 1 << 30

// SkewMatrix arranges Skew as a table. If several checks sent the same size, the first
// outcome that is not OK counts.
func (r *Report) SkewMatrix() SkewMatrix {
	rows, order := r.skewRows()
	starts, newer := skewColumns(rows)
	var m SkewMatrix
	for i, start := range starts {
		if i+1 < len(starts) {
			m.Columns = append(m.Columns, minors(start, starts[i+1]-1))
		} else {
			m.Columns = append(m.Columns, minors(start, 0))
		}
	}
	for _, n := range newer {
		m.Columns = append(m.Columns, fmt.Sprintf("+%d bytes", n))
	}
	for _, name := range order {
		row := SkewRow{Struct: name, Cells: skewCells(rows[name], starts, newer)}
		if grew(rows[name]) {
			m.Rows = append(m.Rows, row)
		} else {
			m.Same = append(m.Same, row)
		}
	}
	return m
}

// grew reports whether callers send a struct in several sizes.
func grew(list []*Skew) bool {
	n := 0
	for _, s := range list {
		if s.Newer == 0 {
			n++
		}
	}
	return n > 1
}

// minors names a range of API versions; last is 0 if the range has no end.
func minors(first, last int) string {
	switch {
	case last == 0:
		return fmt.Sprintf("0.%d and newer", first)
	case first == last:
		return fmt.Sprintf("0.%d", first)
	}
	return fmt.Sprintf("0.%d to 0.%d", first, last)
}

// skewRows groups the sizes by struct, in the order in which the structs first occur.
func (r *Report) skewRows() (map[string][]*Skew, []string) {
	rows := make(map[string][]*Skew)
	var order []string
	for i := range r.Skew {
		s := &r.Skew[i]
		if rows[s.Struct] == nil {
			order = append(order, s.Struct)
		}
		if at := slices.IndexFunc(rows[s.Struct], func(x *Skew) bool { return x.Size == s.Size }); at < 0 {
			rows[s.Struct] = append(rows[s.Struct], s)
		} else if rows[s.Struct][at].OK {
			rows[s.Struct][at] = s
		}
	}
	slices.Sort(order)
	return rows, order
}

// skewColumns returns the minors at which the size of some struct changed, and the numbers
// of bytes by which future callers exceed the newest size.
func skewColumns(rows map[string][]*Skew) (starts, newer []int) {
	for _, list := range rows {
		for _, s := range list {
			if s.Newer > 0 {
				newer = append(newer, s.Newer)
				continue
			}
			if grew(list) {
				starts = append(starts, s.Since)
			}
			if s.Until > 0 {
				starts = append(starts, s.Until+1)
			}
		}
	}
	slices.Sort(starts)
	slices.Sort(newer)
	return slices.Compact(starts), slices.Compact(newer)
}

// skewCells arranges the sizes of one struct in the columns.
func skewCells(list []*Skew, starts, newer []int) []SkewCell {
	var cells []SkewCell
	add := func(s *Skew) {
		if n := len(cells); n > 0 && cells[n-1].Skew == s && (s == nil || s.Newer == 0) {
			cells[n-1].Span++
			return
		}
		cells = append(cells, SkewCell{s, 1})
	}
	find := func(is func(*Skew) bool) *Skew {
		if at := slices.IndexFunc(list, is); at >= 0 {
			return list[at]
		}
		return nil
	}
	for _, minor := range starts {
		add(find(func(s *Skew) bool {
			until := s.Until
			if until == 0 {
				until = newestMinor
			}
			return s.Newer == 0 && s.Since <= minor && minor <= until
		}))
	}
	for _, n := range newer {
		add(find(func(s *Skew) bool { return s.Newer == n }))
	}
	return cells
}
