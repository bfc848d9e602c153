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

// serve writes package serve: the other side of the tables, a Go function for
// each slot.
func (g *generator) serve() error {
	var core *unit
	for _, u := range g.order {
		if u.kind == unitCore {
			core = u
		}
	}
	plugin := g.serveSheet("zz_plugin.go", core.base())
	nodes := g.serveSheet("zz_extensions.go", "the extension headers of pjrt_c_api.h")
	var pointers, bind []jen.Code
	taken := map[string]string{"Minor": "a hand-written declaration", "Nodes": "a hand-written declaration",
		"Serve": "a hand-written declaration"}
	for _, t := range g.servedTables() {
		id := camel(t.unit.stem)
		if slices.Contains(reserved[packageServe], t.st.goName) {
			return t.unit.fail(at(t.st.item(), fmt.Errorf("%s and a hand-written declaration of package serve would both be "+
				"called %s in Go: give it a name in gen/golang/names.go", t.st.c, t.st.goName)))
		}
		if other, ok := taken[id]; ok {
			return t.unit.fail(at(t.st.item(), fmt.Errorf("the field %s of serve.Plugin would belong to it and to %s", id, other)))
		}
		taken[id] = t.unit.header.Path
		pointers = append(pointers, jen.Id(id).Op("*").Id(t.st.goName).Comment("// "+t.st.c+g.sinceNote(t.unit, g.tableSince(t))))
		bind = append(bind, jen.If(jen.Id("p").Dot(id).Op("!=").Nil()).Block(jen.Id("p").Dot(id).Dot("bind").Call(jen.Id("b"))))
		g.servedTable(t, nodes)
	}
	sizes := g.serveSheet("zz_sizes.go", core.base())
	g.servedSizes(sizes)
	for _, t := range core.tables {
		if err := g.servedCore(t, plugin, taken, pointers, bind); err != nil {
			return core.fail(err)
		}
	}
	return nil
}

// serveSheet starts a file of package serve.
func (g *generator) serveSheet(name, source string) *sheet {
	s := &sheet{path: "serve/" + name, file: jen.NewFilePathName(pathServe, packageServe)}
	s.file.ImportName(pathCAPI, packageCAPI)
	s.file.HeaderComment(marker(source))
	g.sheets = append(g.sheets, s)
	return s
}

// servedTables are the tables besides the core that a plugin may offer.
func (g *generator) servedTables() []*table {
	var out []*table
	for _, u := range g.order {
		if u.pkg == packageCAPI && u.kind != unitCore {
			out = append(out, u.tables...)
		}
	}
	return out
}

// tableSince returns the minor that introduced a table's first function.
func (g *generator) tableSince(t *table) int {
	first := 0
	for i, fn := range t.functions {
		if i == 0 || fn.since < first {
			first = fn.since
		}
	}
	return first
}

func (g *generator) sinceNote(u *unit, minor int) string {
	if minor <= oldestMinor {
		return ""
	}
	note := u.sinceText(minor)
	return "; s" + strings.TrimSuffix(note[1:], ".")
}

// servedFuncs returns the func fields of a table's slots and the statements that
// hand them to a binder.
func (g *generator) servedFuncs(t *table, recv string) (fields, bind []jen.Code) {
	for _, fn := range t.functions {
		id := fieldID(fn.field.Name)
		typ := jen.Func().Params(jen.Op("*").Qual(pathCAPI, fn.args.goName))
		call := "bind"
		if fn.void {
			call = "bindVoid"
		} else {
			typ.Error()
		}
		fields = append(fields, jen.Id(id).Add(typ).Comment("// "+fn.c+g.sinceNote(t.unit, fn.since)))
		bind = append(bind, jen.Id(call).Call(jen.Id("b"), jen.Id(recv).Dot(id)))
	}
	return fields, bind
}

// servedCore writes the struct Plugin.
func (g *generator) servedCore(t *table, to *sheet, taken map[string]string, pointers, bindPointers []jen.Code) error {
	fields, bind := g.servedFuncs(t, "p")
	for _, fn := range t.functions {
		if other, ok := taken[fieldID(fn.field.Name)]; ok {
			return at(t.st.c+"."+fn.field.Name, fmt.Errorf("the func of %s in serve.Plugin would have a name that is taken by %s", fn.c,
				other))
		}
	}
	f := to.add()
	head := []jen.Code{
		jen.Comment("// Minor is the minor version of the API that the plugin has: functions,\n// extensions and fields that came later are left out. 0 stands for the newest,\n// capi.APIMinor; the oldest is OldestMinor.").Line().Id("Minor").Int(),
		jen.Comment("// Callers is the minor version of the oldest callers that are served: their\n// structs may be as small as they were then, and the fields that they lack are\n// zero. 0 stands for Minor, as XLA has it.").Line().Id("Callers").Int(),
		jen.Comment("// Nodes are further nodes of the extension chain, after those of the\n// extensions below. They are linked in place, and must not be part of\n// another chain.").Line().Id("Nodes").Index().Op("*").Qual(pathCAPI, "ExtensionBase"),
		jen.Line().Comment("// The functions of the core table."),
	}
	all := append(head, fields...)
	all = append(all, jen.Line().Comment("// The extensions. The plugin lacks those that are nil."))
	all = append(all, pointers...)
	f.Comment(comment(
		"Plugin is a PJRT plugin made of Go functions, one for each slot of PJRT_Api and of the extensions.",
		"A slot whose func is nil answers UNIMPLEMENTED, except those of the errors (PJRT_Error_Destroy, PJRT_Error_Message, PJRT_Error_GetCode, PJRT_Error_ForEachPayload and the profiler's), which Serve answers itself. See Serve for what the funcs may rely on."))
	f.Type().Id("Plugin").Struct(all...)
	f.Comment("// bind hands the funcs to b in the order of the slots.")
	f.Func().Params(jen.Id("p").Op("*").Id("Plugin")).Id("bind").Params(jen.Id("b").Op("*").Id("binder")).Block(append(bind,
		bindPointers...)...)
	return nil
}

// servedTable writes the struct of an extension, or of the profiler's table.
func (g *generator) servedTable(t *table, to *sheet) {
	fields, bind := g.servedFuncs(t, "x")
	f := to.add()
	section := jen.Qual(pathCAPI, t.section)
	if apiTables[t.st.c].section == "" {
		section = jen.Qual(pathCAPI, "SectionExtension").Call(section)
	}
	open := jen.Id("b").Dot("open").Call(section, jen.Index().Id("growth").Values(g.growth(t.st)...))
	var data []jen.Code
	for i := range t.st.st.Fields {
		field := &t.st.st.Fields[i]
		if t.st.st.Role != model.RoleExtension || !isData(field) {
			continue
		}
		gt, err := g.fieldType(t.st, field)
		if err != nil {
			continue // written with package capi, which reports it
		}
		id := fieldID(field.Name)
		fields = append(fields, jen.Id(id).Add(gt.code).Comment("// "+field.Name+
			g.sinceNote(t.unit, g.since(t.unit.header, t.st.c+"."+field.Name))))
		data = append(data, jen.Id("put").Call(jen.Id("b"), jen.Lit(int(field.Offset)), jen.Id("x").Dot(id)))
	}
	f.Comment(comment(t.st.c, t.unit.sinceText(g.tableSince(t))))
	f.Type().Id(t.st.goName).Struct(fields...)
	f.Func().Params(jen.Id("x").Op("*").Id(t.st.goName)).Id("bind").Params(jen.Id("b").Op("*").Id("binder")).Block(
		append(append([]jen.Code{open}, data...), bind...)...)
}

// isData reports whether a field of an extension's node is a number for the
// caller to read.
func isData(f *model.Field) bool {
	switch f.Kind {
	case "int", "bool", "float", "enum":
		return f.Name != "struct_size"
	}
	return false
}

// growth returns the values of type growth, which say how large a struct was
// since which minor.
func (g *generator) growth(t *typeInfo) []jen.Code {
	sizes := make(map[int]int64)
	var minors []int
	for i := range t.st.Fields {
		field := &t.st.Fields[i]
		since := g.since(t.unit.header, t.c+"."+field.Name)
		for _, m := range model.Leaves(field.Fields) {
			if n := g.since(t.unit.header, t.c+"."+m.Name); m.Name != "" && (since == 0 || n < since) {
				since = n
			}
		}
		if since <= oldestServed {
			since = 0
		}
		if _, ok := sizes[since]; !ok {
			minors = append(minors, since)
		}
		sizes[since] = max(sizes[since], field.Offset+field.Size)
	}
	slices.Sort(minors)
	var out []jen.Code
	size := int64(0)
	for _, m := range minors {
		if sizes[m] <= size {
			continue
		}
		size = sizes[m]
		out = append(out, jen.Values(jen.Lit(m), jen.Lit(int(size))))
	}
	return out
}

// servedSizes writes the past sizes of the args structs that grew, and of the
// structs that args point to.
func (g *generator) servedSizes(to *sheet) {
	var grown, stale, inner []jen.Code
	for _, u := range g.order {
		if u.pkg != packageCAPI {
			continue
		}
		for _, t := range u.tables {
			for _, fn := range t.functions {
				key := jen.Line().Parens(jen.Op("*").Qual(pathCAPI, fn.args.goName)).Call(jen.Nil()).Dot("Function").Call()
				list := g.growth(fn.args)
				if old, ok := staleArgs[fn.args.c]; ok {
					list = append([]jen.Code{jen.Values(jen.Lit(0), jen.Lit(int(old.size)))},
						jen.Values(jen.Lit(old.until), jen.Lit(int(dataEnd(fn.args.st)))))
					stale = append(stale, jen.Add(key).Op(":").Lit(old.until))
				}
				if fn.args.st.HasStructSize && len(list) > 1 {
					grown = append(grown, jen.Add(key).Op(":").Values(list...))
				}
				if list := g.servedInner(fn); len(list) > 0 {
					inner = append(inner, jen.Add(key).Op(":").Values(list...))
				}
			}
		}
	}
	f := to.add()
	f.Comment("// argsGrowth are the sizes of the args structs that grew, oldest first.")
	f.Var().Id("argsGrowth").Op("=").Map(jen.Op("*").Qual(pathCAPI, "Function")).Index().Id("growth").Values(append(grown, jen.Line())...)
	f.Comment("// argsStale are the minors below which callers report less than they have.")
	f.Var().Id("argsStale").Op("=").Map(jen.Op("*").Qual(pathCAPI, "Function")).Int().Values(append(stale, jen.Line())...)
	f.Comment("// argsInner are the structs with their own size that args point to.")
	f.Var().Id("argsInner").Op("=").Map(jen.Op("*").Qual(pathCAPI, "Function")).Index().Id("inner").Values(append(inner, jen.Line())...)
}

// servedInner returns the values of type inner of a function's args: pointers to
// one struct that the caller made.
func (g *generator) servedInner(fn *function) []jen.Code {
	var out []jen.Code
	for i := range fn.args.st.Fields {
		f := &fn.args.st.Fields[i]
		t := g.types[f.Base]
		if f.Kind != "pointer" || f.Ptr != 1 || t == nil || t.kind != kindStruct || !t.st.HasStructSize || elementStructs[t.c] ||
			isOut(fn.args, f) && !callerMemory[fn.args.c+"."+f.Name] || isArray(fn.args.st, f) {
			continue
		}
		out = append(out, jen.Values(
			jen.Lit(f.Name), jen.Lit(int(f.Offset)), jen.Qual("reflect", "TypeFor").Types(jen.Qual(pathCAPI, t.goName)).Call(),
			jen.Index().Id("growth").Values(g.growth(t)...)))
	}
	return out
}
