// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// wordSize is the size of a register on every supported target.
const wordSize = 8

// callback is a function pointer that becomes a Go type.
type callback struct {
	unit   *unit
	c      string // what the header calls it: a typedef, or Struct.field
	item   string // the key of its place in the header
	goName string
	sig    *model.Signature
	doc    string
	minor  int
}

// callbackDecl writes a callback that has a typedef.
func (g *generator) callbackDecl(t *typeInfo, to *sheet) error {
	return g.writeCallback(callback{
		unit: t.unit, c: t.c, item: t.item(), goName: t.goName, doc: t.doc, minor: g.since(t.unit.header, t.c),
		sig: t.fn.Signature(),
	}, to)
}

// inlineCallback writes the type of a function pointer that is declared in a
// struct.
func (g *generator) inlineCallback(t *typeInfo, f *model.Field, to *sheet) error {
	c := callback{unit: t.unit, c: t.c + "." + f.Name, item: t.st.Name + "." + f.Name, goName: inlineName(t.goName, f.Name), sig: f.Sig}
	if err := g.claim(t.unit, c.goName, c.c, c.item); err != nil {
		return err
	}
	return g.writeCallback(c, to)
}

// param is a parameter as Go sees it.
type param struct {
	id string
	goType
}

// writeCallback writes the type of a function pointer and, where a call from Go
// is possible, its method Call.
func (g *generator) writeCallback(c callback, to *sheet) error {
	params, ret, why, err := g.callbackTypes(c, to)
	if err != nil {
		return err
	}
	f := to.add()
	text := []string{fmt.Sprintf("%s is the address of a C function of this type:", c.c), "\t" + spell(c.sig), c.doc, why}
	f.Comment(comment(append(append(text, g.fromGo(c, params, ret)...), c.unit.sinceText(c.minor))...))
	f.Type().Id(c.goName).Uintptr()
	c.unit.callbacks = append(c.unit.callbacks, named{c.c, c.goName})
	if why != "" {
		return nil
	}

	idle := jen.Panic(jen.Lit(g.packageName(c.unit) + ": " + c.c + " is null"))
	doc := "Call calls the C function. It panics when f is null."
	if ret == nil && isDeleter(c.goName) {
		idle = jen.Return()
		doc = "Call calls the C function. It does nothing when f is null."
	}
	body := []jen.Code{jen.If(jen.Id("f").Op("==").Lit(0)).Block(idle)}
	callN := jen.Qual(pathCCall, "CallN")
	if c.unit.pkg == packageOutside {
		callN = jen.Qual(pathCAPI, "CallN")
	}
	body = append(body, callBody(callN, params, ret)...)
	var list []jen.Code
	for _, p := range params {
		list = append(list, jen.Id(p.id).Add(p.code))
		g.boolWords[c.unit.pkg] = g.boolWords[c.unit.pkg] || p.class == classBool
	}
	f.Comment(comment(doc))
	method := f.Func().Params(jen.Id("f").Id(c.goName)).Id("Call").Params(list...)
	if ret != nil {
		method.Add(ret.code)
	}
	method.Block(body...)
	return nil
}

// callbackTypes returns the parameters of a callback, its result, which is nil for void, and why Go
// cannot call it; that is empty if it can. Parameters that are function pointers get their types.
func (g *generator) callbackTypes(c callback, to *sheet) (params []param, ret *goType, why string, err error) {
	used := map[string]bool{"f": true, "r1": true, "r2": true, "words": true, "result": true}
	if c.sig.NoPrototype {
		why = "The header does not say which parameters it has, so it cannot be called from here."
	}
	if c.sig.Variadic {
		why = "It takes further arguments after those, so it cannot be called from here."
	}
	const aligned = "It has a struct that C aligns more than Go does, so it cannot be called from here."
	for i, p := range c.sig.Params {
		gt, err := g.paramType(c, p, c.c+"."+p.Name, i, to)
		if err != nil {
			return nil, nil, "", fmt.Errorf("%s: parameter %d: %w", c.c, i+1, err)
		}
		base, _, _ := parseArray(p.Type)
		switch {
		case overaligned(g.structOf(base)):
			why = aligned
		case !g.fits(gt):
			why = "It has a parameter that does not fit into integer registers, so it cannot be called from here."
		}
		params = append(params, param{paramID(p.Name, i, used), gt})
	}
	base, ptr := parseType(c.sig.Ret)
	if base == "void" && ptr == 0 {
		return params, nil, why, nil
	}
	gt, err := g.typeOf(base, ptr, isWord(c.c, "return"))
	switch {
	case err != nil:
		return nil, nil, "", fmt.Errorf("%s: result: %w", c.c, err)
	case ptr == 0 && overaligned(g.structOf(base)):
		why = aligned
	case !g.fits(gt):
		why = "Its result does not fit into integer registers, so it cannot be called from here."
	}
	return params, &gt, why, nil
}

// paramType returns the Go type of a parameter; a function pointer without a
// typedef gets one.
func (g *generator) paramType(c callback, p model.Param, name string, i int, to *sheet) (goType, error) {
	if p.Sig == nil {
		base, ptr, isArray := parseArray(p.Type)
		if isArray {
			ptr++ // to the first element
		}
		return g.typeOf(base, ptr, isWord(c.c, p.Name))
	}
	suffix := camel(p.Name)
	if suffix == "" {
		suffix = fmt.Sprint("Arg", i)
	}
	inner := callback{unit: c.unit, c: name, item: c.item, goName: c.goName + suffix, sig: p.Sig}
	if err := g.claim(c.unit, inner.goName, inner.c, inner.item); err != nil {
		return goType{}, err
	}
	return goType{code: jen.Id(inner.goName), size: wordSize, align: wordSize}, g.writeCallback(inner, to)
}

// fits reports whether values of the type travel in registers for integers.
func (g *generator) fits(t goType) bool {
	switch t.class {
	case classFloat:
		return false
	case classStruct:
		return t.size <= 2*wordSize && !hasFloat(g.structOf(t.info.c).st.Fields)
	}
	return true
}

func hasFloat(fields []model.Field) bool {
	for i := range fields {
		f := &fields[i]
		if f.Kind == "float" || f.Kind == "struct" || f.Kind == "union" || f.Anonymous != "" {
			return true // structs inside structs are not looked into
		}
	}
	return false
}

// callBody writes the call. Structs of up to two words travel in registers,
// except on Windows, which passes those that are not a single word by address.
func callBody(callN *jen.Statement, params []param, ret *goType) []jen.Code {
	byAddress := ret != nil && ret.class == classStruct && ret.size > wordSize
	for _, p := range params {
		byAddress = byAddress || p.class == classStruct && p.size > wordSize
	}
	plain := callStatements(callN, params, ret, false)
	if !byAddress {
		return plain
	}
	windows := jen.If(jen.Qual("runtime", "GOOS").Op("==").Lit("windows")).Block(callStatements(callN, params, ret, true)...)
	return append([]jen.Code{windows}, plain...)
}

func callStatements(callN *jen.Statement, params []param, ret *goType, windows bool) []jen.Code {
	pointer := func(code jen.Code) *jen.Statement { return jen.Qual("unsafe", "Pointer").Call(code) }
	address := func(id string) *jen.Statement { return jen.Uintptr().Call(pointer(jen.Op("&").Id(id))) }
	var before, after []jen.Code
	args := []jen.Code{jen.Uintptr().Call(jen.Id("f"))}
	big := ret != nil && ret.class == classStruct && ret.size > wordSize
	if big && windows {
		before = append(before, jen.Var().Id("result").Add(ret.code))
		args = append(args, address("result"))
	}
	for _, p := range params {
		switch p.class {
		case classPointer:
			value := jen.Id(p.id)
			if !p.untyped {
				value = pointer(value)
			}
			args = append(args, jen.Uintptr().Call(value))
		case classBool:
			value := jen.Id(p.id)
			if p.info != nil { // a typedef of bool
				value = jen.Bool().Call(value)
			}
			args = append(args, jen.Id("boolWord").Call(value))
		case classStruct:
			if windows && p.size > wordSize {
				args = append(args, address(p.id))
				continue
			}
			n := int(p.size+wordSize-1) / wordSize
			words := wordsOf(p.id)
			before = append(before,
				jen.Var().Id(words).Index(jen.Lit(n)).Uintptr(),
				jen.Op("*").Parens(jen.Op("*").Add(p.code)).Call(pointer(jen.Op("&").Id(words))).Op("=").Id(p.id))
			for i := range n {
				args = append(args, jen.Id(words).Index(jen.Lit(i)))
			}
			after = append(after, jen.Qual("runtime", "KeepAlive").Call(jen.Id(p.id)))
		default:
			if value := jen.Id(p.id); p.untyped {
				args = append(args, value)
			} else {
				args = append(args, jen.Uintptr().Call(value))
			}
		}
	}
	call := jen.Add(callN).Call(args...)
	var out []jen.Code
	out = append(out, before...)
	switch {
	case ret == nil:
		out = append(append(out, call), after...)
		if windows {
			out = append(out, jen.Return())
		}
	case big && windows:
		out = append(append(append(out, call), after...), jen.Return(jen.Id("result")))
	case big:
		out = append(out, jen.List(jen.Id("r1"), jen.Id("r2")).Op(":=").Add(call))
		out = append(out, after...)
		out = append(out, jen.Id("words").Op(":=").Index(jen.Lit(2)).Uintptr().Values(jen.Id("r1"), jen.Id("r2")),
			jen.Return(jen.Op("*").Parens(jen.Op("*").Add(ret.code)).Call(pointer(jen.Op("&").Id("words")))))
	default:
		out = append(out, jen.List(jen.Id("r1"), jen.Id("_")).Op(":=").Add(call))
		out = append(out, after...)
		out = append(out, jen.Return(result(ret)))
	}
	return out
}

// result converts the first result register.
func result(ret *goType) jen.Code {
	switch ret.class {
	case classBool:
		// The register's upper bytes may hold anything.
		return jen.Uint8().Call(jen.Id("r1")).Op("!=").Lit(0)
	case classPointer, classStruct:
		return jen.Op("*").Parens(jen.Op("*").Add(ret.code)).Call(jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("r1")))
	}
	if ret.untyped {
		return jen.Id("r1")
	}
	return jen.Add(ret.code).Call(jen.Id("r1"))
}

// usedInCalls are what the bodies of callbacks call by an unexported name: imports and the function
// boolWord.
var usedInCalls = []string{"boolWord", "capi", "ccall", "ffi", "runtime", "unsafe"}

// paramID returns a Go name for a parameter that clashes with nothing in the
// method, and reserves the one of its words.
func paramID(c string, i int, used map[string]bool) string {
	id := lowerCamel(c)
	switch {
	case id == "error":
		id = "err"
	case token.IsKeyword(id) || types.Universe.Lookup(id) != nil || slices.Contains(usedInCalls, id):
		id += "Arg"
	case !token.IsIdentifier(id) || id == "_":
		id = fmt.Sprint("arg", i)
	}
	for used[id] || used[wordsOf(id)] {
		id += "_"
	}
	used[id], used[wordsOf(id)] = true, true
	return id
}

// wordsOf returns the name of the variable that has the words of a parameter that is a struct.
func wordsOf(param string) string { return param + "Words" }

// spell writes a signature as C does.
func spell(sig *model.Signature) string {
	var params []string
	for _, p := range sig.Params {
		switch {
		case p.Sig != nil:
			s := spell(p.Sig)
			i := strings.Index(s, " (")
			params = append(params, s[:i]+" (*"+p.Name+")"+s[i+1:])
		case p.Name == "":
			params = append(params, p.Type)
		case strings.HasSuffix(p.Type, "*"):
			params = append(params, p.Type+p.Name)
		default:
			params = append(params, p.Type+" "+p.Name)
		}
	}
	if sig.Variadic {
		params = append(params, "...")
	}
	if len(params) == 0 && !sig.NoPrototype {
		params = []string{"void"}
	}
	return sig.Ret + " (" + strings.Join(params, ", ") + ")"
}

// boolWord writes the function that turns a bool into a register.
func boolWord(f *jen.File) {
	f.Comment("// boolWord returns b as C passes it.")
	f.Func().Id("boolWord").Params(jen.Id("b").Bool()).Uintptr().Block(
		jen.If(jen.Id("b")).Block(jen.Return(jen.Lit(1))),
		jen.Return(jen.Lit(0)),
	)
}
