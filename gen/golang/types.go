// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// goType is a C type as Go sees it.
type goType struct {
	code  *jen.Statement
	align int64
	class typeClass
	size  int64
	info  *typeInfo // nil for scalars and void
	// untyped marks uintptr and unsafe.Pointer, which need no conversion.
	untyped bool
}

// typeClass says how a value travels in the registers of a call.
type typeClass int

const (
	classWord    typeClass = iota // an integer type or a number in place of a pointer
	classBool                     // one byte, 0 or 1
	classPointer                  // a Go pointer
	classFloat
	classStruct
)

// scalarLayout is the size, which is the alignment too, and the class of Go's
// scalar types.
var scalarLayout = map[string]struct {
	size  int64
	class typeClass
}{
	"bool": {1, classBool}, "byte": {1, classWord},
	"int8": {1, classWord}, "uint8": {1, classWord},
	"int16": {2, classWord}, "uint16": {2, classWord},
	"int32": {4, classWord}, "uint32": {4, classWord},
	"int64": {8, classWord}, "uint64": {8, classWord},
	"int": {8, classWord}, "uintptr": {8, classWord},
	"float32": {4, classFloat}, "float64": {8, classFloat},
}

// typeOf returns the Go form of a C type given by its base and pointer depth.
// word says that a void pointer is a number for Go.
func (g *generator) typeOf(base string, ptr int, word bool) (goType, error) {
	if base == "" {
		return goType{}, fmt.Errorf("a type without a name: give it one")
	}
	if base == "void" {
		switch {
		case ptr == 0:
			return goType{}, fmt.Errorf("a value of type void")
		case ptr == 1 && word:
			return goType{code: jen.Uintptr(), size: 8, align: 8, untyped: true}, nil
		}
		t := pointerTo(jen.Qual("unsafe", "Pointer"), ptr-1, nil)
		t.untyped = ptr == 1
		return t, nil
	}
	if name, ok := scalars[base]; ok {
		l := scalarLayout[name]
		if ptr > 0 {
			return pointerTo(jen.Id(name), ptr, nil), nil
		}
		return goType{code: jen.Id(name), size: l.size, align: l.size, class: l.class, untyped: name == "uintptr"}, nil
	}
	info := g.types[base]
	if info == nil && g.outside.name != "" {
		return goType{}, fmt.Errorf("the type %s is none that Go has, and is declared neither here nor by the headers of PJRT API %s, "+
			"which capi has", base, g.version)
	}
	if info == nil {
		return goType{}, fmt.Errorf("the type %s is not declared by any header", base)
	}
	code := jen.Qual(info.unit.path(), info.goName)
	switch info.kind {
	case kindHandle:
		if ptr == 0 {
			return goType{}, fmt.Errorf("a value of type %s, of which only pointers exist", base)
		}
	case kindEnum:
		if ptr == 0 {
			return goType{code: code, size: info.enum.Size, align: info.enum.Size, info: info}, nil
		}
	case kindStruct:
		if ptr == 0 {
			return goType{code: code, size: info.st.Size, align: g.alignOf(info), class: classStruct, info: info}, nil
		}
	case kindCallback:
		if info.fn.Form == "function-type" {
			ptr-- // the Go type is the pointer to it
		}
		if ptr < 0 {
			return goType{}, fmt.Errorf("a value of the function type %s", base)
		}
		if ptr == 0 {
			return goType{code: code, size: 8, align: 8, info: info}, nil
		}
	case kindAlias:
		if base, depth := info.derived(ptr); base != info.c {
			return g.typeOf(base, depth, word)
		}
		target, err := g.typeOf(info.target, 0, word)
		if err != nil || ptr == 0 {
			target.code, target.info = code, info
			return target, err
		}
	}
	return pointerTo(code, ptr, info), nil
}

// alignOf returns the alignment of a struct in Go, which is that of its fields. In C it is larger
// if the header asks for that.
func (g *generator) alignOf(t *typeInfo) int64 {
	align := int64(1)
	var walk func(fields []model.Field)
	walk = func(fields []model.Field) {
		for i := range fields {
			f := &fields[i]
			if f.Anonymous != "" {
				walk(f.Fields)
			} else if gt, err := g.fieldType(t, f); err == nil { // an error is reported with the struct
				align = max(align, gt.align)
			}
		}
	}
	walk(t.st.Fields)
	return align
}

// derived returns the C type that a typedef gives a name to, if that is a pointer or an array, and
// the pointer depth of a parameter of the typedef with the depth ptr. Such typedefs have no name in
// Go. Of other types it returns the typedef itself.
func (t *typeInfo) derived(ptr int) (base string, depth int) {
	base, depth, isArray := parseArray(t.target)
	if t.kind != kindAlias || depth == 0 && !isArray {
		return t.c, ptr
	}
	if isArray {
		ptr = max(ptr, 1) // an array as a parameter is a pointer to its first element
	}
	return base, depth + ptr
}

// isDerived reports whether a typedef names a pointer or an array, at once or through others.
func (g *generator) isDerived(t *typeInfo) bool {
	for t != nil && t.kind == kindAlias {
		if base, _ := t.derived(0); base != t.c {
			return true
		}
		t = g.types[t.target]
	}
	return false
}

// path returns the import path of the unit's package.
func (u *unit) path() string {
	switch u.pkg {
	case packageFFI:
		return pathFFI
	case packageOutside:
		return pathOutside
	}
	return pathCAPI
}

func pointerTo(code *jen.Statement, ptr int, info *typeInfo) goType {
	t := jen.Op(strings.Repeat("*", ptr)).Add(code)
	if ptr == 0 {
		t = code
	}
	return goType{code: t, size: 8, align: 8, class: classPointer, info: info}
}

// fieldType returns the Go type of a named field of the struct st. Slots that
// hold functions of a table are plain addresses; other function pointers without
// a typedef get a type of their own.
func (g *generator) fieldType(st *typeInfo, f *model.Field) (goType, error) {
	switch f.Kind {
	case "fnptr":
		if isTable(st.st) && g.isSlot(st, f) {
			return goType{code: jen.Uintptr(), size: 8, align: 8}, nil
		}
		if f.Sig != nil {
			return goType{code: jen.Id(inlineName(st.goName, f.Name)), size: 8, align: 8}, nil
		}
		ptr := 0
		if info := g.types[f.Fn]; info != nil && info.kind == kindCallback && info.fn.Form == "function-type" {
			ptr = 1
		}
		return g.typeOf(f.Fn, ptr, false)
	case "array":
		t, err := g.typeOf(f.Base, f.Ptr, isWord(st.c, f.Name))
		if err != nil {
			return t, err
		}
		code := t.code
		for i := len(f.Array) - 1; i >= 0; i-- {
			code = jen.Index(jen.Lit(int(f.Array[i]))).Add(code)
			t.size *= f.Array[i]
		}
		t.code = code
		return t, nil
	}
	if f.Base == "" && (f.Kind == "struct" || f.Kind == "union") {
		return goType{}, fmt.Errorf("a %s type without a name: give it one, or leave out the name of the field", f.Kind)
	}
	if unsetByPlugins[st.c+"."+f.Name] {
		return goType{code: jen.Uintptr(), size: 8, align: 8, untyped: true}, nil
	}
	word := isWord(st.c, f.Name) || f.Deprecated && f.Base == "void"
	return g.typeOf(f.Base, f.Ptr, word)
}

// isSlot reports whether a field of a table holds one of its functions.
func (g *generator) isSlot(st *typeInfo, f *model.Field) bool {
	for _, t := range st.unit.tables {
		if t.st != st {
			continue
		}
		for _, fn := range t.functions {
			if fn.field == f {
				return true
			}
		}
	}
	return false
}

// inlineName returns the name of the type of a function pointer that is inside
// another declaration.
func inlineName(owner, field string) string { return owner + camel(field) }
