// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import "github.com/purepjrt/purepjrt/gen/model"

// decls are the declarations of one sort in a set, by name and in order. C has
// one name space for them, so a declaration that moved to another header is
// still the same one.
type decls[T any] struct {
	names  []string
	byName map[string]decl[T]
}

type decl[T any] struct {
	it     *T
	header string
}

func (d *decls[T]) add(name, header string, it *T) {
	if name == "" {
		return
	}
	if d.byName == nil {
		d.byName = map[string]decl[T]{}
	}
	if _, ok := d.byName[name]; ok {
		return // headers may repeat a declaration
	}
	d.names = append(d.names, name)
	d.byName[name] = decl[T]{it, header}
}

func (d *decls[T]) get(name string) *T { return d.byName[name].it }

func (d *decls[T]) has(name string) bool {
	_, ok := d.byName[name]
	return ok
}

// index is a set taken apart by sort.
type index struct {
	set        *model.Set
	macros     decls[model.Macro]
	enums      decls[model.Enum]
	opaque     decls[model.Opaque]
	structs    decls[model.Struct]
	functions  decls[model.Func]
	callbacks  decls[model.Func]
	tables     decls[model.Table]
	prototypes decls[model.Func]
	variables  decls[model.Variable]
	aliases    decls[model.Alias]
	inTable    map[string]bool // function types that a slot uses
}

func newIndex(set *model.Set) *index {
	x := &index{set: set, inTable: map[string]bool{}}
	for _, h := range set.Headers() {
		x.addHeader(h)
	}
	return x
}

func (x *index) addHeader(h *model.Header) {
	for i := range h.Macros {
		x.macros.add(h.Macros[i].Name, h.Path, &h.Macros[i])
	}
	for i := range h.Enums {
		x.enums.add(enumName(&h.Enums[i]), h.Path, &h.Enums[i])
	}
	for i := range h.Opaque {
		x.opaque.add(h.Opaque[i].Name, h.Path, &h.Opaque[i])
	}
	for i := range h.Structs {
		x.structs.add(h.Structs[i].Name, h.Path, &h.Structs[i])
	}
	for i := range h.Functions {
		x.functions.add(h.Functions[i].Name, h.Path, &h.Functions[i])
	}
	for i := range h.Callbacks {
		x.callbacks.add(h.Callbacks[i].Name, h.Path, &h.Callbacks[i])
	}
	for i := range h.Tables {
		t := &h.Tables[i]
		x.tables.add(t.Struct, h.Path, t)
		for _, s := range t.Slots {
			if s.Fn != nil {
				x.inTable[*s.Fn] = true
			}
		}
	}
	for i := range h.Prototypes {
		p := &h.Prototypes[i]
		x.prototypes.add(qualified(p.Namespace, p.Name), h.Path, p)
	}
	for i := range h.Variables {
		v := &h.Variables[i]
		x.variables.add(qualified(v.Namespace, v.Name), h.Path, v)
	}
	for i := range h.Aliases {
		x.aliases.add(h.Aliases[i].Name, h.Path, &h.Aliases[i])
	}
}

// enumName returns the enum's name; an enum without one is known by its first
// value.
func enumName(e *model.Enum) string {
	if e.Name == "" && len(e.Values) > 0 {
		return e.Values[0].Name
	}
	return e.Name
}

func qualified(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "::" + name
}

// declares counts the declarations of a header that compiled code can depend
// on.
func declares(h *model.Header) int {
	return len(h.Structs) + len(h.Functions) + len(h.Enums) + len(h.Callbacks) + len(h.Prototypes)
}
