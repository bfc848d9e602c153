// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// fromGo returns the paragraphs that show how a Go function becomes a callback of an extension's
// package. It returns none for a function that Go cannot stand in for. Packages capi and ffi have
// functions that make their callbacks.
func (g *generator) fromGo(c callback, params []param, ret *goType) []string {
	if c.unit.pkg != packageOutside || c.sig.Variadic || c.sig.NoPrototype ||
		ret != nil && ret.class != classWord && ret.class != classBool && ret.class != classPointer {
		return nil
	}
	var list []string
	var notes []string
	handle := ""
	for _, p := range params {
		switch {
		case p.class == classStruct:
			return nil
		case p.class == classFloat && notes == nil:
			notes = []string{"Windows passes no floating-point numbers to it."}
		case p.untyped && p.class == classWord && handle == "":
			handle = p.id
		}
		list = append(list, p.id+" "+g.goCode(p.code))
	}
	code := fmt.Sprintf("\t%s(purego.NewCallback(func(%s) uintptr { ... }))", c.goName, strings.Join(list, ", "))
	text := "A Go function becomes one by package purego. Its result is a word, which is 0 if C expects none. A process can have 2000 of " +
		"them, which are never freed"
	if handle != "" {
		text += fmt.Sprintf(": make one, and let %s, a capi.Handle, say what it works on.", handle)
	} else {
		text += ": make one of each kind."
	}
	return append([]string{strings.Join(append([]string{text}, notes...), " "), code}, "It may run on any thread, and must not panic.")
}

// goCode returns a Go type as the extension's package spells it.
func (g *generator) goCode(code *jen.Statement) string {
	f := jen.NewFilePathName(pathOutside, g.outside.name)
	var b bytes.Buffer
	if err := code.Clone().RenderWithFile(&b, f); err != nil {
		return code.GoString()
	}
	return b.String()
}
