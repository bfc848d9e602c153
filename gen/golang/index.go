// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"github.com/dave/jennifer/jen"
)

// index writes, for the tests of a package, lists of everything that was
// generated in it.
func (g *generator) index(pkg string, to *sheet) {
	f := to.add()
	reflected := func(goName string) *jen.Statement { return jen.Qual("reflect", "TypeFor").Types(jen.Id(goName)).Call() }
	var structs, handles, enums, functions, callbacks, consts []jen.Code
	for _, u := range g.order {
		if u.pkg != pkg {
			continue
		}
		header := jen.Id("Header").Op(":").Lit(u.header.Path)
		for _, t := range u.types {
			c, goType := jen.Id("C").Op(":").Lit(t.c), jen.Id("Type").Op(":").Add(reflected(t.goName))
			switch t.kind {
			case kindHandle:
				handles = append(handles, jen.Line().Values(header, c, goType))
			case kindStruct:
				var fields []jen.Code
				unions := jen.Dict{}
				for i, p := range t.fields {
					fields = append(fields, jen.Lit(p.c))
					if p.union {
						unions[jen.Lit(i)] = jen.True()
					}
				}
				items := []jen.Code{header, c, goType, jen.Id("Fields").Op(":").Index().String().Values(fields...)}
				if len(t.st.Typedefs) == 0 {
					items = append(items, jen.Id("Tag").Op(":").True())
				}
				if len(unions) > 0 {
					items = append(items, jen.Id("Union").Op(":").Map(jen.Int()).Bool().Values(unions))
				}
				if t.st.StructSize != nil && t.c == t.st.Name {
					items = append(items, jen.Id("SizeConst").Op(":").Lit(t.st.StructSize.Const),
						jen.Id("Size").Op(":").Id(t.goName+"Size"))
				}
				structs = append(structs, jen.Line().Values(items...))
			case kindEnum:
				ids, _ := enumNames(pkg, t.c, valueNames(t.enum))
				var values []jen.Code
				for i, v := range t.enum.Values {
					values = append(values, jen.Line().Values(
						jen.Id("C").Op(":").Lit(v.Name), jen.Id("Go").Op(":").Lit(ids[i]), jen.Id("Value").Op(":").Id(ids[i])))
				}
				enums = append(enums, jen.Line().Qual(pathGenTest, "NewEnum").Call(
					jen.Lit(u.header.Path), jen.Lit(t.c), jen.Id(t.goName+"Values"), jen.Id("Parse"+t.goName),
					jen.Index().Qual(pathGenTest, "Value").Types(jen.Id(t.goName)).Values(append(values, jen.Line())...)))
			}
		}
		for _, t := range u.tables {
			for _, fn := range t.functions {
				id := jen.Id("function" + fn.goName)
				functions = append(functions, jen.Line().Values(
					header, jen.Id("Table").Op(":").Lit(t.st.c), jen.Id("Slot").Op(":").Lit(fn.field.Name), jen.Id("C").Op(":").Lit(fn.c),
					jen.Id("ArgsC").Op(":").Lit(fn.args.c),
					jen.Id("Name").Op(":").Add(id).Dot("Name"), jen.Id("Offset").Op(":").Add(id).Dot("Offset"),
					jen.Id("Size").Op(":").Add(id).Dot("Size"),
					jen.Id("Same").Op(":").New(jen.Id(fn.args.goName)).Dot("Function").Call().Op("==").Op("&").Add(id),
					jen.Id("Args").Op(":").Add(reflected(fn.args.goName))))
			}
		}
		for _, c := range u.callbacks {
			callbacks = append(callbacks, jen.Line().Values(header, jen.Id("C").Op(":").Lit(c.c),
				jen.Id("Type").Op(":").Add(reflected(c.goName))))
		}
		for _, c := range u.consts {
			consts = append(consts, jen.Line().Values(header, jen.Id("C").Op(":").Lit(c.c), jen.Id("Value").Op(":").Id(c.goName)))
		}
	}
	var lists []jen.Code
	for _, list := range []struct {
		name, typ string
		items     []jen.Code
	}{
		{"Structs", "Struct", structs},
		{"Handles", "Type", handles},
		{"Enums", "Enum", enums},
		{"Functions", "Function", functions},
		{"Callbacks", "Type", callbacks},
		{"Constants", "Constant", consts},
	} {
		lists = append(lists, jen.Line().Id(list.name).Op(":").Index().Qual(pathGenTest,
			list.typ).Values(append(list.items, jen.Line())...))
	}
	f.Comment("// index lists every generated declaration of the package.")
	f.Var().Id("index").Op("=").Qual(pathGenTest, "Index").Values(append(lists, jen.Line())...)
}
