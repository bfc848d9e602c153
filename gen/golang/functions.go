// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"cmp"
	"github.com/dave/jennifer/jen"
	"slices"

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
		for _, m := range model.Leaves(f.Fields) {
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

// functionRow returns the descriptor of a function, a row of its package's table.
func (g *generator) functionRow(fn *function) (jen.Code, error) {
	capi := func(name string) *jen.Statement { return jen.Qual(pathCAPI, name) }
	var fields []jen.Code
	set := func(name string, value jen.Code) { fields = append(fields, jen.Id(name).Op(":").Add(value)) }
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
		return nil, err
	}
	if len(results) > 0 {
		set("Results", jen.Index().Add(capi("Result")).Add(values(results)))
	}
	newest := 0
	gateList := func(gates []gate) *jen.Statement {
		var items []jen.Code
		newestLast := slices.SortedStableFunc(slices.Values(gates), func(a, b gate) int { return cmp.Compare(a.since, b.since) })
		for _, x := range newestLast {
			newest = max(newest, x.since)
			items = append(items, jen.Values(
				jen.Id("Name").Op(":").Lit(x.name),
				jen.Id("Span").Op(":").Add(capi("Span")).Add(span(x.offset, x.size)),
				jen.Id("Since").Op(":").Lit(x.since)))
		}
		return jen.Index().Add(capi("Gate")).Add(values(items))
	}
	if gates := g.gatesOf(fn.args, g.structSince(fn.args)); len(gates) > 0 {
		set("Gated", gateList(gates))
	}
	if nests := g.nestsOf(fn); len(nests) > 0 {
		var items []jen.Code
		for _, n := range nests {
			items = append(items, jen.Values(
				jen.Id("Offset").Op(":").Lit(int(n.offset)),
				jen.Id("Struct").Op(":").Lit(n.st.c),
				jen.Id("Gated").Op(":").Add(gateList(n.gates))))
		}
		set("Nested", jen.Index().Add(capi("Nest")).Add(values(items)))
	}
	if newest > 0 {
		set("GatedSince", jen.Lit(newest))
	}
	return jen.Values(fields...), nil
}

// values writes the elements of a list: a single one on the list's line, several on lines
// of their own.
func values(items []jen.Code) *jen.Statement {
	if len(items) == 1 {
		return jen.Values(items...)
	}
	return jen.Values(rows(items)...)
}

// rows puts each element of a list on a line of its own.
func rows(items []jen.Code) []jen.Code {
	out := make([]jen.Code, 0, len(items)+1)
	for _, item := range items {
		out = append(out, jen.Line().Add(item))
	}
	return append(out, jen.Line())
}

// functionMethod writes the method that returns the descriptor of a function.
func functionMethod(fn *function, f *jen.File) {
	place := jen.Lit(fn.slot)
	if fn.table.unit.pkg == packageCAPI {
		place = jen.Id(firstName(fn.table))
		if fn.slot > 0 {
			place.Op("+").Lit(fn.slot)
		}
	}
	f.Comment("// " + fn.c)
	f.Func().Params(jen.Op("*").Id(fn.args.goName)).Id("Function").Params().Op("*").Qual(pathCAPI, "Function").Add(
		oneLine(jen.Return(jen.Op("&").Id("functions").Index(place))))
}

// oneLine writes the body of a function as one line, if gofmt finds it short enough.
func oneLine(statements ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ";"}, statements...)
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

// firstName is the name of the constant that says where in the table of package capi
// the functions of one of its tables begin.
func firstName(t *table) string { return lowerCamel(t.unit.stem) + "At" }

// functionTable writes the descriptors of all functions of a package as one table.
func (g *generator) functionTable(pkg string, f *jen.File) {
	var tables []*table
	for _, u := range g.order {
		if u.pkg == pkg {
			tables = append(tables, u.tables...)
		}
	}
	if pkg == packageCAPI {
		var starts []jen.Code
		for i, t := range tables {
			start := jen.Id(firstName(t)).Op("=")
			if i == 0 {
				start.Lit(0)
			} else {
				start.Id(firstName(tables[i-1])).Op("+").Lit(len(tables[i-1].functions))
			}
			starts = append(starts, start.Comment("// "+t.st.c))
		}
		f.Comment("// Where the functions of each table begin in functions.")
		f.Const().Defs(starts...)
	}
	var items []jen.Code
	for _, t := range tables {
		for _, fn := range t.functions {
			items = append(items, fn.row)
		}
	}
	f.Comment("// functions are the functions of each table in the order of their slots.")
	f.Var().Id("functions").Op("=").Index(jen.Op("...")).Qual(pathCAPI, "Function").Values(rows(items)...)
}
