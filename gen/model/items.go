// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package model

// Items are the names of what has a place in memory or in a table: of functions and
// callbacks, "struct NAME", "STRUCT.FIELD" and "ENUM.VALUE", in this order. Since.json
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

// Leaves are the fields of a struct with those of its anonymous unions and structs in the
// places of these.
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
