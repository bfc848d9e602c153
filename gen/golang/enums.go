// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// enumBase returns the Go type of an enum's values. C leaves the type of an ordinary enum to the
// compiler, and all of them use the four bytes of int. For Go they are unsigned only if a value
// needs it, so that the type remains as it is when a negative value is added.
func enumBase(e *model.Enum) (string, error) {
	bits := e.Size * 8
	low, high := -(int64(1) << (bits - 1)), int64(1)<<(bits-1)-1
	outside := func(v model.EnumValue) bool { return v.Value < low || v.Value > high }
	prefix := "int"
	switch {
	case e.Signed:
	case bits == 64: // the values from 1<<63 are negative here
		if e.FixedUnderlying || slices.ContainsFunc(e.Values, func(v model.EnumValue) bool { return v.Value < 0 }) {
			prefix = "uint"
		}
	case e.FixedUnderlying || slices.ContainsFunc(e.Values, outside):
		prefix = "uint"
		low, high = 0, int64(1)<<bits-1
	}
	for _, v := range e.Values {
		if outside(v) {
			return "", at(e.Name+"."+v.Name, fmt.Errorf("%s is %d, which %s%d does not hold", v.Name, v.Value, prefix, bits))
		}
	}
	return fmt.Sprint(prefix, bits), nil
}

// hasTwins reports whether two enumerators have one value.
func hasTwins(e *model.Enum) bool {
	seen := make(map[int64]bool)
	for _, v := range e.Values {
		if seen[v.Value] {
			return true
		}
		seen[v.Value] = true
	}
	return false
}

// enumLit returns the literal of a value of an enum with a base type.
func enumLit(base string, v int64) jen.Code {
	if base == "uint64" && v < 0 {
		return jen.Op(fmt.Sprint(uint64(v)))
	}
	return jen.Lit(int(v))
}

// enumDecl writes an enum, its values and the methods that turn it into text.
func (g *generator) enumDecl(t *typeInfo, f *jen.File) error {
	e := t.enum
	base, err := enumBase(e)
	if err != nil {
		return fmt.Errorf("enum %s: %w", e.Name, err)
	}
	ids, texts := enumNames(t.unit.pkg, e.Name, valueNames(e))
	enumMinor := 0
	if len(e.Values) > 0 {
		enumMinor = g.since(t.unit.header, e.Name+"."+e.Values[0].Name)
	}
	for _, v := range e.Values {
		enumMinor = min(enumMinor, g.since(t.unit.header, e.Name+"."+v.Name))
	}

	f.Comment(comment(about(t.c, t.doc), t.unit.sinceText(enumMinor)))
	f.Type().Id(t.goName).Id(base)

	var consts, rows []jen.Code
	for i, v := range e.Values {
		if err := g.claim(t.unit, ids[i], v.Name, e.Name+"."+v.Name); err != nil {
			return at(e.Name+"."+v.Name, fmt.Errorf("enum %s: %w", e.Name, err))
		}
		value := jen.Id(ids[i]).Id(t.goName).Op("=").Add(enumLit(base, v.Value))
		consts = append(consts, t.unit.documented(v.Name, v.Doc, g.since(t.unit.header, e.Name+"."+v.Name), enumMinor, value))
		rows = append(rows, jen.Line().Values(
			jen.Id("Value").Op(":").Id(ids[i]), jen.Id("Text").Op(":").Lit(texts[i]),
			jen.Id("C").Op(":").Lit(v.Name), jen.Id("Go").Op(":").Lit(ids[i])))
	}
	f.Comment("// " + t.c)
	f.Const().Defs(consts...)

	table := unexported(t.goName) + "Enum"
	if err := g.take(t.unit, table, "the table of "+t.c, t.item()); err != nil {
		return err
	}
	generic := func(name *jen.Statement) *jen.Statement { return name.Types(jen.Id(t.goName)) }
	enum, value := generic(jen.Qual(pathCAPI, "EnumText")), generic(jen.Qual(pathCAPI, "EnumValue"))
	f.Var().Id(table).Op("=").Add(enum).Values(jen.Dict{
		jen.Id("Type"):   jen.Lit(t.goName),
		jen.Id("Values"): jen.Index().Add(value).Values(append(rows, jen.Line())...),
	})

	example := ""
	if len(texts) > 0 {
		value := e.Values[len(texts)/2].Value
		first := slices.IndexFunc(e.Values, func(v model.EnumValue) bool { return v.Value == value })
		example = ", such as " + texts[first]
	}
	if hasTwins(e) {
		example += "; of several enumerators with one value it returns the first"
	}
	f.Comment(comment(fmt.Sprintf("String returns the name of the C enumerator without what all names of %s have in common%s; for an unknown number it returns %s(99).", t.c, example, t.goName)))
	f.Func().Params(jen.Id("v").Id(t.goName)).Id("String").Params().String().Add(
		oneLine(jen.Return(jen.Id(table).Dot("String").Call(jen.Id("v")))))

	parse := "Parse" + t.goName
	if err := g.claim(t.unit, parse, "the parser of "+t.c, t.item()); err != nil {
		return err
	}
	f.Comment(comment(fmt.Sprintf("%s returns the %s that s names: by the text of String, the C enumerator or the Go constant, in upper or lower case.", parse, t.goName)))
	f.Func().Id(parse).Params(jen.Id("s").String()).Params(jen.Id(t.goName), jen.Error()).Add(
		oneLine(jen.Return(jen.Id(table).Dot("Parse").Call(jen.Id("s")))))

	values := t.goName + "Values"
	if err := g.claim(t.unit, values, "the list of the values of "+t.c, t.item()); err != nil {
		return err
	}
	f.Comment(comment(fmt.Sprintf("%s returns every %s in the header's order.", values, t.goName)))
	f.Func().Id(values).Params().Index().Id(t.goName).Add(
		oneLine(jen.Return(jen.Id(table).Dot("All").Call())))

	f.Comment("// MarshalText returns the text of String.")
	f.Func().Params(jen.Id("v").Id(t.goName)).Id("MarshalText").Params().Params(jen.Index().Byte(), jen.Error()).Add(
		oneLine(jen.Return(jen.Index().Byte().Call(jen.Id("v").Dot("String").Call()), jen.Nil())))

	f.Comment(fmt.Sprintf("// UnmarshalText reads what %s accepts.", parse))
	f.Func().Params(jen.Id("v").Op("*").Id(t.goName)).Id("UnmarshalText").Params(jen.Id("text").Index().Byte()).Params(jen.Err().Error()).Block(
		jen.List(jen.Op("*").Id("v"), jen.Err()).Op("=").Id(parse).Call(jen.String().Call(jen.Id("text"))),
		jen.Return(jen.Err()))
	return nil
}
