// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// gate is an input field that came after its function or its struct.
type gate struct {
	name         string
	offset, size int64
	since        int
}

// gatesOf returns the input fields of a struct that came after the given minor.
// Minors that every plugin has reached make no gate.
func (g *generator) gatesOf(t *typeInfo, from int) []gate {
	var out []gate
	from = max(from, oldestMinor)
	for i := range t.st.Fields {
		f := &t.st.Fields[i]
		if isOut(t, f) || f.Name == "struct_size" {
			continue
		}
		minor := g.since(t.unit.header, t.c+"."+f.Name)
		for _, m := range f.Fields {
			if n := g.since(t.unit.header, t.c+"."+m.Name); m.Name != "" && (minor == 0 || n < minor) {
				minor = n // a union is as old as its oldest member
			}
		}
		if minor > from {
			out = append(out, gate{f.Name, f.Offset, f.Size, minor})
		}
	}
	return out
}

// nest is a field that points to a struct with gates of its own.
type nest struct {
	offset int64
	st     *typeInfo
	gates  []gate
}

func (g *generator) nestsOf(fn *function) []nest {
	var out []nest
	for i := range fn.args.st.Fields {
		f := &fn.args.st.Fields[i]
		t := g.types[f.Base]
		if f.Kind != "pointer" || f.Ptr != 1 || isOut(fn.args, f) || t == nil || t.kind != kindStruct || !t.st.HasStructSize ||
			isArray(fn.args.st, f) {
			continue
		}
		if gates := g.gatesOf(t, max(fn.since, g.since(t.unit.header, "struct "+t.c))); len(gates) > 0 {
			out = append(out, nest{f.Offset, t, gates})
		}
	}
	return out
}

// isArray reports whether a sibling counts what a pointer points to.
func isArray(s *model.Struct, f *model.Field) bool {
	for _, other := range s.Fields {
		if other.Name == "num_"+f.Name || other.Name == f.Name+"_size" || other.Name == f.Name+"_count" {
			return true
		}
	}
	return false
}

// zeroSpans returns the out fields, neighbours joined.
func zeroSpans(t *typeInfo) [][2]int64 {
	var out [][2]int64
	joined := false
	for i := range t.st.Fields {
		f := &t.st.Fields[i]
		if !isOut(t, f) || callerMemory[t.c+"."+f.Name] {
			joined = false
			continue
		}
		if joined {
			last := &out[len(out)-1]
			last[1] = f.Offset + f.Size - last[0]
		} else {
			out = append(out, [2]int64{f.Offset, f.Size})
		}
		joined = true
	}
	return out
}

// functionDecl writes the descriptor of a function and the method that returns
// it.
func (g *generator) functionDecl(fn *function, f *jen.File) error {
	id := "function" + fn.goName
	u := fn.table.unit
	capi := func(name string) *jen.Statement { return jen.Qual(pathCAPI, name) }
	var fields []jen.Code
	set := func(name string, value jen.Code) {
		fields = append(fields, jen.Line().Id(name).Op(":").Add(value))
	}
	set("Name", jen.Lit(fn.c))
	if s := section(fn.table); s != nil {
		set("Section", s)
	}
	set("Offset", jen.Lit(int(fn.field.Offset)))
	if fn.since > 0 {
		set("Since", jen.Lit(fn.since))
	}
	if st := fn.args.st; st.HasStructSize {
		if st.StructSize != nil && !isStale(st.StructSize) && st.Name == fn.args.c {
			set("Size", jen.Id(fn.args.goName+"Size"))
		} else {
			set("Size", jen.Lit(int(dataEnd(st))))
		}
	}
	if fn.void {
		set("Void", jen.True())
	}
	if pure[fn.c] {
		set("Pure", jen.True())
	}
	if fn.table.errors != "ErrorsPJRT" {
		set("Errors", capi(fn.table.errors))
	}
	if spans := zeroSpans(fn.args); len(spans) > 0 {
		var items []jen.Code
		for _, s := range spans {
			items = append(items, span(s[0], s[1]))
		}
		set("Zero", jen.Index().Add(capi("Span")).Values(items...))
	}
	results, err := g.resultsOf(fn.args)
	if err != nil {
		return err
	}
	if len(results) > 0 {
		set("Results", jen.Index().Add(capi("Result")).Values(append(results, jen.Line())...))
	}
	newest := 0
	gateList := func(gates []gate) *jen.Statement {
		var items []jen.Code
		for _, x := range gates {
			newest = max(newest, x.since)
			items = append(items, jen.Line().Values(
				jen.Id("Name").Op(":").Lit(x.name),
				jen.Id("Span").Op(":").Add(capi("Span")).Add(span(x.offset, x.size)),
				jen.Id("Since").Op(":").Lit(x.since)))
		}
		return jen.Index().Add(capi("Gate")).Values(append(items, jen.Line())...)
	}
	if gates := g.gatesOf(fn.args, g.structSince(fn.args)); len(gates) > 0 {
		set("Gated", gateList(gates))
	}
	if nests := g.nestsOf(fn); len(nests) > 0 {
		var items []jen.Code
		for _, n := range nests {
			items = append(items, jen.Line().Values(
				jen.Id("Offset").Op(":").Lit(int(n.offset)),
				jen.Id("Struct").Op(":").Lit(n.st.c),
				jen.Id("Gated").Op(":").Add(gateList(n.gates))))
		}
		set("Nested", jen.Index().Add(capi("Nest")).Values(append(items, jen.Line())...))
	}
	if newest > 0 {
		set("GatedSince", jen.Lit(newest))
	}
	f.Var().Id(id).Op("=").Add(capi("Function")).Values(append(fields, jen.Line())...)

	doc := fmt.Sprintf("Function describes %s.", fn.c)
	f.Comment(comment(doc, u.sinceText(fn.since)))
	f.Func().Params(jen.Op("*").Id(fn.args.goName)).Id("Function").Params().Op("*").Add(capi("Function")).Block(
		jen.Return(jen.Op("&").Id(id)))
	return nil
}

// span writes the value of a capi.Span.
func span(offset, size int64) *jen.Statement {
	return jen.Values(jen.Id("Offset").Op(":").Lit(int(offset)), jen.Id("Size").Op(":").Lit(int(size)))
}

// section returns the expression of a table's section; nil stands for the zero
// value, the core.
func section(t *table) *jen.Statement {
	switch {
	case t.section == "SectionCore":
		return nil
	case t.unit.pkg == packageOutside:
		return jen.Qual(pathCAPI, "SectionNode")
	case apiTables[t.st.c].section != "":
		return jen.Qual(pathCAPI, t.section)
	}
	return jen.Qual(pathCAPI, "sectionExt0").Op("+").Qual(pathCAPI, "Section").Call(jen.Qual(pathCAPI, t.section))
}

// listName is the name of the variable that lists a table's functions.
func listName(t *table) string { return lowerCamel(t.unit.stem) + "Functions" }

// functionList writes the functions of a table in the order of their slots.
func functionList(t *table, f *jen.File) {
	var items []jen.Code
	for _, fn := range t.functions {
		items = append(items, jen.Line().Op("&").Id("function"+fn.goName))
	}
	f.Comment(comment(fmt.Sprintf("%s are the functions of %s in the order of their slots.", listName(t), t.st.c)))
	f.Var().Id(listName(t)).Op("=").Index(jen.Op("...")).Op("*").Qual(pathCAPI, "Function").Values(append(items, jen.Line())...)
}

// sectionList writes the list of all tables of package capi.
func (g *generator) sectionList(f *jen.File) {
	var items []jen.Code
	for _, u := range g.order {
		for _, t := range u.tables {
			if u.pkg != packageCAPI {
				continue
			}
			key := section(t)
			if key == nil {
				key = jen.Qual(pathCAPI, "SectionCore")
			}
			items = append(items, jen.Line().Add(key).Op(":").Id(listName(t)).Index(jen.Op(":")))
		}
	}
	f.Comment("// sectionFunctions are the functions of each section in the order of their\n// slots; a section without functions has none.")
	f.Var().Id("sectionFunctions").Op("=").Index(jen.Qual(pathCAPI, "numSections")).Index().Op("*").Qual(pathCAPI,
		"Function").Values(append(items, jen.Line())...)
}
