// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Addition is a declaration that is new. A field or value whose struct or enum is entirely new is
// not a separate addition, and neither is the slot of a new function: to Item, that is a function
// too.
type Addition struct {
	Header *model.Header
	Item   Item
	// Name is as in since.json, or the C name of an enum, a handle or a macro.
	Name string
	// Parent and Member are the two halves of the name of a field and of a value.
	Parent, Member string
	fields         []model.Field // of a struct, or the field itself
	fn             *model.Func
	enum           *model.Enum
}

// Fields returns the names of the fields of a new struct.
func (i Addition) Fields() (names []string) {
	for _, f := range model.Leaves(i.fields) {
		names = append(names, f.Name)
	}
	return names
}

// Values returns the names of the values of a new enum.
func (i Addition) Values() (names []string) {
	if i.enum != nil {
		for _, v := range i.enum.Values {
			names = append(names, v.Name)
		}
	}
	return names
}

// Place returns where the declaration is in its header. For a struct it is the first field, because
// macros after the struct name it as well.
func (i Addition) Place() model.Pos {
	if i.Item == ItemStruct && len(i.Fields()) > 0 {
		if p, ok := i.Header.Places[strings.TrimPrefix(i.Name, "struct ")+"."+i.Fields()[0]]; ok {
			return p
		}
	}
	for _, name := range []string{i.Name, "enum " + i.Name} {
		if p, ok := i.Header.Places[name]; ok {
			return p
		}
	}
	return model.Pos{}
}

// Additions returns what the second set has and the first does not, by header.
func Additions(before, after *model.Set) []Addition {
	var out []Addition
	for _, h := range after.Headers() {
		old := before.Header(h.Path)
		if old == nil {
			old = &model.Header{}
		}
		out = append(out, additionsIn(old, h)...)
	}
	return out
}

func additionsIn(old, h *model.Header) (out []Addition) {
	add := func(i Addition) {
		i.Header = h
		if i.Item == ItemField || i.Item == ItemValue {
			i.Parent, i.Member, _ = strings.Cut(i.Name, ".")
		}
		out = append(out, i)
	}
	known := make(map[string]bool)
	for _, item := range old.Items() {
		known[item] = true
	}
	for i, f := range h.Functions {
		if !known[f.Name] {
			add(Addition{Item: ItemFunction, Name: f.Name, fn: &h.Functions[i]})
		}
	}
	for i, f := range h.Callbacks {
		if !known[f.Name] {
			add(Addition{Item: ItemCallback, Name: f.Name, fn: &h.Callbacks[i]})
		}
	}
	for _, s := range h.Structs {
		if !known["struct "+s.Name] {
			add(Addition{Item: ItemStruct, Name: "struct " + s.Name, fields: s.Fields})
			continue
		}
		for _, f := range model.Leaves(s.Fields) {
			if slot := !known[f.Name] && slices.ContainsFunc(h.Functions, func(g model.Func) bool { return g.Name == f.Name }); slot {
				continue // the function stands for it
			}
			if !known[s.Name+"."+f.Name] {
				add(Addition{Item: ItemField, Name: s.Name + "." + f.Name, fields: []model.Field{f}})
			}
		}
	}
	for i, e := range h.Enums {
		if !slices.ContainsFunc(old.Enums, func(o model.Enum) bool { return o.Name == e.Name }) {
			add(Addition{Item: ItemEnum, Name: e.Name, enum: &h.Enums[i]})
			continue
		}
		for _, v := range e.Values {
			if !known[e.Name+"."+v.Name] {
				add(Addition{Item: ItemValue, Name: e.Name + "." + v.Name})
			}
		}
	}
	for _, o := range h.Opaque {
		if !slices.ContainsFunc(old.Opaque, func(p model.Opaque) bool { return p.Name == o.Name }) && !known["struct "+o.Name] {
			add(Addition{Item: ItemHandle, Name: o.Name})
		}
	}
	for _, m := range h.Macros {
		if !slices.ContainsFunc(old.Macros, func(o model.Macro) bool { return o.Name == m.Name }) {
			add(Addition{Item: ItemMacro, Name: m.Name})
		}
	}
	return out
}
