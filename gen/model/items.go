// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package model

import (
	"fmt"
	"slices"
)

// Items returns the names of what has a place in memory or in a table: functions and
// callbacks, "struct NAME", "STRUCT.FIELD" and "ENUM.VALUE", in this order. since.json
// records them.
func (h *Header) Items() []string {
	var out []string
	for _, fns := range [][]Func{h.Functions, h.Callbacks} {
		for _, f := range fns {
			out = append(out, f.Name)
		}
	}
	for _, s := range h.Structs {
		out = append(out, "struct "+s.Name)
		for _, f := range Leaves(s.Fields) {
			out = append(out, s.Name+"."+f.Name)
		}
	}
	for _, e := range h.Enums {
		for _, v := range e.Values {
			out = append(out, e.Name+"."+v.Name)
		}
	}
	return out
}

// Names returns the names of all that the header declares: the items, with whatever else
// has a name placed after the functions, as in most headers.
func (h *Header) Names() []string {
	var others []string
	for _, f := range h.Prototypes {
		others = append(others, f.Name)
	}
	for _, o := range h.Opaque {
		others = append(others, o.Name)
	}
	for _, m := range h.Macros {
		others = append(others, m.Name)
	}
	for _, a := range h.Aliases {
		others = append(others, a.Name)
	}
	for _, v := range h.Variables {
		others = append(others, v.Name)
	}
	return slices.Insert(h.Items(), len(h.Functions)+len(h.Callbacks), others...)
}

// PlaceOf returns the path of the header with the line and column of the first of the
// items whose place is known, or the path alone.
func (h *Header) PlaceOf(items ...string) string {
	for _, item := range items {
		if p, ok := h.Places[item]; ok {
			return fmt.Sprintf("%s:%d:%d", h.Path, p.Line, p.Col)
		}
	}
	return h.Path
}

// Leaves returns the fields of a struct, with anonymous unions and structs replaced by
// their fields.
func Leaves(fields []Field) []Field {
	var out []Field
	for _, f := range fields {
		if f.Anonymous != "" {
			out = append(out, Leaves(f.Fields)...)
		} else {
			out = append(out, f)
		}
	}
	return out
}
