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
	f := jen.NewFilePathName(u.path()+"_test", u.pkg+"_test")
	f.ImportName(u.path(), u.pkg)
	f.ImportName(pathGenTest, path.Base(pathGenTest))
	f.HeaderComment(u.marker(source))
	file := "zz_index_test.go"
	if u.pkg == packageFFI {
		file = "ffi/" + file
	}
	g.sheets = append(g.sheets, &sheet{path: file, file: f, used: true})

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
				enums = append(enums, jen.Qual(pathGenTest, "NewEnum").Call(
					jen.Qual(u.path(), t.goName+"Values"), jen.Qual(u.path(), "Parse"+t.goName)))
			}
		}
		for _, c := range other.callbacks {
			goType(c.goName)
		}
	}
	f.Comment("// index lists the generated types of the package.")
	f.Var().Id("index").Op("=").Qual(pathGenTest, "Index").Values(
		jen.Line().Id("Types").Op(":").Index().Any().Values(rows(types)...),
		jen.Line().Id("Enums").Op(":").Index().Qual(pathGenTest, "Enum").Values(rows(enums)...),
		jen.Line())
}
