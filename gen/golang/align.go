// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"

	"github.com/purepjrt/purepjrt/gen/model"
)

// goAlignment is the largest alignment in bytes that Go gives a value.
const goAlignment = 8

// overaligned reports whether C aligns a struct more than Go can. C code may read such a struct
// with instructions that end the process if it lies elsewhere.
func overaligned(t *typeInfo) bool {
	return t != nil && t.kind == kindStruct && t.st.Align > goAlignment
}

// checkAlignment refuses the structs of a generated package that C aligns more than Go can and that
// Go programs make: the arguments of functions, and what pointers in these lead to. What only
// pointers from plugins lead to is not refused, since C aligned it.
func (g *generator) checkAlignment() error {
	made := make(map[*typeInfo]bool)
	for _, u := range g.order {
		if g.outside.name != "" && u.pkg != packageOutside {
			continue
		}
		for _, t := range u.types {
			_, isArgs := g.byArgs[t]
			isNode := t.kind == kindStruct && isTable(t.st) && u.pkg != packageOutside // package serve makes it
			if !isArgs && !isNode {
				continue
			}
			if err := g.checkMade(t, made); err != nil {
				return u.fail(at(t.item(), fmt.Errorf("struct %s: %w", t.c, err)))
			}
		}
	}
	return nil
}

// checkMade checks a struct that Go programs make, and what they make with it.
func (g *generator) checkMade(t *typeInfo, made map[*typeInfo]bool) error {
	if made[t] {
		return nil
	}
	made[t] = true
	leaves := model.Leaves(t.st.Fields)
	for i := range leaves {
		f := &leaves[i]
		inner := g.structOf(f.Base)
		if inner == nil || f.Ptr > 0 && isOut(t, f) && !callerMemory[t.c+"."+f.Name] {
			continue // no struct, or one that the plugin makes
		}
		fail := func(err error) error { return at(t.st.Name+"."+f.Name, fmt.Errorf("field %s: %w", f.Name, err)) }
		switch {
		case overaligned(inner) && f.Ptr == 0:
			return fail(fmt.Errorf("C aligns %s%s at %d bytes, and Go aligns what it makes at %d: reduce the alignment, or let the field "+
				"be a pointer to a struct that the plugin makes, with the comment // out", inner.c, inner.unit.where(t.unit, inner.item()),
				inner.st.Align, goAlignment))
		case overaligned(inner):
			return fail(fmt.Errorf("C aligns %s%s at %d bytes, and Go, which makes what an input points to, at %d: reduce the alignment, or "+
				"write // out if the plugin makes it", inner.c, inner.unit.where(t.unit, inner.item()), inner.st.Align, goAlignment))
		}
		if err := g.checkMade(inner, made); err != nil {
			return fail(err)
		}
	}
	if overaligned(t) {
		return fmt.Errorf("C aligns it at %d bytes, and Go aligns what it makes at %d: reduce the alignment of its fields", t.st.Align,
			goAlignment)
	}
	return nil
}

// structOf returns the struct that a C type is, at once or by typedefs, or nil.
func (g *generator) structOf(base string) *typeInfo {
	t := g.types[base]
	for range len(g.types) {
		if t == nil || t.kind != kindAlias {
			break
		}
		base, _, _ := parseArray(t.target)
		t = g.types[base]
	}
	if t == nil || t.kind != kindStruct {
		return nil
	}
	return t
}
