// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"path"

	"github.com/dave/jennifer/jen"
)

// index writes, for the tests of the unit's package, what they cannot find out on their own: the
// generated types, which a Go program cannot list, and the functions of enums. They get everything
// else from package describe, the descriptors of the functions, and the generated files.
func (g *generator) index(u *unit, source string) {
	f := jen.NewFilePathName(pathGenTest, path.Base(pathGenTest))
	f.ImportName(u.path(), u.pkg)
	f.HeaderComment(marker(source))
	g.sheets = append(g.sheets, &sheet{path: "internal/gentest/zz_" + u.pkg + "_test.go", file: f, used: true})

	var types, enums []jen.Code
	for _, other := range g.order {
		if other.pkg != u.pkg {
			continue
		}
		goType := func(name string) { types = append(types, jen.New(jen.Qual(u.path(), name))) }
		for _, t := range other.types {
			if t.kind != kindCallback {
				goType(t.goName)
			}
			if t.kind == kindEnum {
				enums = append(enums, jen.Id("newEnum").Call(
					jen.Qual(u.path(), t.goName+"Values"), jen.Qual(u.path(), "Parse"+t.goName)))
			}
		}
		for _, c := range other.callbacks {
			goType(c.goName)
		}
	}
	f.Comment("// " + u.pkg + "Index lists the generated types of package " + u.pkg + ".")
	f.Var().Id(u.pkg+"Index").Op("=").Id("index").Values(
		jen.Line().Id("Types").Op(":").Index().Any().Values(rows(types)...),
		jen.Line().Id("Enums").Op(":").Index().Id("enum").Values(rows(enums)...),
		jen.Line())
}
