// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// sheets are the files of a unit by what they hold; several may be the same.
type sheets struct {
	constants, enums, handles, structs, args, callbacks, layout *sheet
}

// allHeaders is the source of the files that are made from more than one header.
const allHeaders = "the headers of pjrt_c_api.h"

// write fills the sheets of all units.
func (g *generator) write() error {
	var extensionLayout *sheet
	boolSheets := make(map[string]*sheet)
	for _, u := range g.order {
		var to sheets
		base := u.base()
		switch u.kind {
		case unitCore, unitFFI:
			named := func(what string) *sheet { return g.sheet(u, "zz_"+u.stem+"_"+what+".go", base) }
			to = sheets{
				constants: named("constants"), enums: named("enums"), handles: named("handles"), structs: named("structs"),
				args: named("args"), callbacks: named("callbacks"), layout: named("layout_test"),
			}
		case unitProfiler:
			s := g.sheet(u, "zz_profiler.go", base)
			to = sheets{s, s, s, s, s, s, g.sheet(u, "zz_profiler_layout_test.go", base)}
		case unitFFIExtension:
			s := g.sheet(u, "zz_"+u.stem+".go", base)
			to = sheets{s, s, s, s, s, s, g.sheet(u, "zz_"+u.stem+"_layout_test.go", base)}
		case unitExtension:
			if extensionLayout == nil {
				extensionLayout = g.sheet(u, "zz_ext_layout_test.go", "the extension headers of pjrt_c_api.h")
			}
			s := g.sheet(u, "zz_ext_"+u.stem+".go", base)
			to = sheets{s, s, s, s, s, s, extensionLayout}
		}
		if err := g.writeUnit(u, to); err != nil {
			return u.fail(err)
		}
		if s := boolSheets[u.pkg]; s == nil && (u.kind == unitCore || u.kind == unitFFI) {
			boolSheets[u.pkg] = to.callbacks
		}
	}
	for pkg, s := range boolSheets {
		if g.boolWords[pkg] {
			boolWord(s.add())
		}
	}
	for _, u := range g.order {
		switch u.kind {
		case unitCore:
			g.functionTable(u.pkg, g.sheet(u, "zz_functions.go", allHeaders).add())
			g.index(u, allHeaders)
		case unitFFI:
			g.functionTable(u.pkg, g.sheet(u, "zz_ffi_functions.go", u.base()).add())
			g.index(u, u.base())
		}
	}
	return nil
}

func (g *generator) writeUnit(u *unit, to sheets) error {
	if err := g.constants(u, to.constants); err != nil {
		return err
	}
	for _, t := range u.types {
		var err error
		switch t.kind {
		case kindEnum:
			err = g.enumDecl(t, to.enums.add())
		case kindHandle:
			g.handleDecl(t, to.handles.add())
		case kindAlias:
			if !g.isDerived(t) {
				err = g.aliasDecl(t, to.structs.add())
			}
		case kindCallback:
			err = g.callbackDecl(t, to.callbacks)
		case kindStruct:
			dest := to.structs
			if t.st.Role == model.RoleArgs && strings.HasSuffix(t.c, "_Args") {
				dest = to.args
			}
			if t.fields, err = g.structDecl(t, dest, to.callbacks); err == nil {
				layoutDecl(t, to.layout)
			}
		}
		if err != nil {
			return at(t.item(), err)
		}
	}
	for _, t := range u.tables {
		for _, fn := range t.functions {
			var err error
			if fn.row, err = g.functionRow(fn); err != nil {
				return at(t.st.c+"."+fn.field.Name, fmt.Errorf("function %s: %w", fn.c, err))
			}
		}
	}
	return nil
}

// handleDecl writes an opaque type.
func (g *generator) handleDecl(t *typeInfo, f *jen.File) {
	f.Comment(comment(about(t.c, t.doc)))
	opaque := jen.Id("opaque")
	if t.unit.pkg == packageOutside {
		opaque = jen.Index(jen.Lit(0)).Func().Params() // as capi's, which cannot be compared by value
	}
	f.Type().Id(t.goName).Struct(jen.Id("_").Add(opaque))
}

// aliasDecl writes a typedef of a scalar type.
func (g *generator) aliasDecl(t *typeInfo, f *jen.File) error {
	target, err := g.typeOf(t.target, 0, false)
	if err != nil {
		return fmt.Errorf("typedef %s: %w", t.c, err)
	}
	f.Comment(comment(about(t.c, t.doc)))
	f.Type().Id(t.goName).Add(target.code)
	return nil
}

// constants writes the macros that are numbers, and the strings of a header.
func (g *generator) constants(u *unit, to *sheet) error {
	var items []jen.Code
	number := func(c string, value int64) error {
		id := macroName(u, c)
		if err := g.claim(u, id, c, c); err != nil {
			return at(c, err)
		}
		items = append(items, jen.Id(id).Op("=").Lit(int(value)).Comment("// "+c))
		return nil
	}
	for _, m := range u.header.Macros {
		if m.Value == nil || m.FunctionLike || strings.HasSuffix(m.Name, "_STRUCT_SIZE") || g.isEnumerator(u.pkg, m.Name) {
			continue
		}
		if err := number(m.Name, *m.Value); err != nil {
			return err
		}
	}
	for i := range u.header.Enums {
		if e := &u.header.Enums[i]; e.Name == "" {
			for _, v := range e.Values {
				if err := number(v.Name, v.Value); err != nil {
					return err
				}
			}
		}
	}
	for _, v := range u.header.Variables {
		if v.String == "" {
			continue
		}
		space := v.Namespace[strings.LastIndexByte(v.Namespace, ':')+1:]
		id := stringPrefixes[space] + goName(u.pkg, trimK(v.Name))
		if err := g.claim(u, id, v.Name, v.Name); err != nil {
			return err
		}
		items = append(items, jen.Id(id).Op("=").Lit(v.String).Comment("// "+v.Name))
	}
	if len(items) > 0 {
		f := to.add()
		f.Comment(comment(fmt.Sprintf("The constants of %s.", u.base())))
		f.Const().Defs(items...)
	}
	return nil
}

// isEnumerator reports whether an enum of the package has a value of this name. A macro that is
// called like it stands for it: C code tests with it whether a header has the value.
func (g *generator) isEnumerator(pkg, c string) bool {
	for _, u := range g.order {
		for i := range u.header.Enums {
			if u.pkg == pkg && slices.Contains(valueNames(&u.header.Enums[i]), c) {
				return true
			}
		}
	}
	return false
}

// macroName returns the Go name of a macro.
func macroName(u *unit, c string) string {
	if strings.HasSuffix(c, "_EXTENSION_VERSION") {
		c = strings.TrimPrefix(c, "PJRT_API_")
	}
	return goName(u.pkg, c)
}

// layoutDecl writes the proof that Go lays a struct out as C does, in a function that
// nothing calls and for which compilers emit no code. Its second parameter, a function
// with the struct's name, takes arrays as long as C's size and offsets; it is called with
// arrays as long as Go's. The compiler reports each that differs as an argument to that
// name.
func layoutDecl(t *typeInfo, to *sheet) {
	first := !to.used
	f := to.add()
	if first {
		f.Comment(comment("Each of these calls compiles only if a Go struct has the size, and its fields have the offsets, that they have in C: " +
			"arrays of different lengths have different types."))
		f.Line()
	}
	want, have := wrapped{at: len("func _(x ,  func(") + 2*len(t.goName)}, wrapped{at: tabWidth + len(t.goName) + len("(")}
	prove := func(c int64, code *jen.Statement, width int) {
		want.add(jen.Index(jen.Lit(int(c))).Byte(), len(fmt.Sprint(c))+len("[]byte, "))
		have.add(jen.Index(code).Byte().Values(), width+len("[]byte{}, "))
	}
	prove(t.st.Size, jen.Qual("unsafe", "Sizeof").Call(jen.Id("x")), len("unsafe.Sizeof(x)"))
	for _, p := range t.fields {
		prove(p.offset, jen.Qual("unsafe", "Offsetof").Call(jen.Id("x").Dot(p.id)), len("unsafe.Offsetof(x.)")+len(p.id))
	}
	f.Comment("// " + t.c)
	f.Func().Id("_").Params(jen.Id("x").Id(t.goName), jen.Id(t.goName).Func().Params(want.items...)).Block(
		jen.Id(t.goName).Call(have.items...))
}

// wrapped is a list that breaks into lines of at most listWidth columns.
type wrapped struct {
	items []jen.Code
	at    int // column where the list's text ends
}

const (
	listWidth = 140
	tabWidth  = 4
)

// add adds an item, which has width columns with the comma and the space after it.
func (w *wrapped) add(code *jen.Statement, width int) {
	if w.at+width > listWidth {
		code, w.at = jen.Line().Add(code), 2*tabWidth
	}
	w.items, w.at = append(w.items, code), w.at+width
}
