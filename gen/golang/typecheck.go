// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"errors"
	"fmt"
	"go/ast"
	goconstant "go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// errIncomplete is what the import of a package gives whose declarations are only partly known. The
// type checker then says nothing of those that it lacks.
var errIncomplete = errors.New("incomplete package")

// typeCheck compiles an extension's package as far as its types, so that no header makes code that
// does not compile, or whose layout is not that of C. Of capi and capi/ffi it knows what their
// headers declare; it takes no notice of mistakes in the use of the rest of them.
func (g *generator) typeCheck(files []File) error {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		file, err := parser.ParseFile(fset, f.Path, f.Content, parser.SkipObjectResolution)
		if err != nil {
			return g.notGo(files, err)
		}
		parsed = append(parsed, file)
	}
	var first error
	conf := types.Config{
		Importer: &knownPackages{generator: g, made: make(map[string]*types.Package)},
		Sizes:    types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			if first == nil && !strings.Contains(err.Error(), errIncomplete.Error()) {
				first = err
			}
		},
	}
	_, _ = conf.Check(pathOutside, fset, parsed, nil)
	if first != nil {
		return g.notGo(files, first)
	}
	return nil
}

// notGo is the error about generated code that does not compile. It shows the line at fault, since
// the file is not written.
func (g *generator) notGo(files []File, err error) error {
	msg, _, _ := strings.Cut(err.Error(), "\n")
	var name string
	var line, col int
	if i := strings.Index(msg, ":"); i > 0 {
		name = msg[:i]
		_, _ = fmt.Sscanf(msg[i:], ":%d:%d:", &line, &col)
	}
	for _, f := range files {
		if lines := strings.Split(string(f.Content), "\n"); f.Path == name && line > 0 && line <= len(lines) {
			msg += fmt.Sprintf(", in %q", strings.TrimSpace(lines[line-1]))
		}
	}
	return g.outside.unit.fail(fmt.Errorf("the Go code for this header does not compile: %s: give what is called so "+
		"another name, and report this as a fault of pjrtgen", msg))
}

// knownPackages imports packages capi and capi/ffi as far as their headers say, and others as empty
// ones.
type knownPackages struct {
	*generator
	made map[string]*types.Package
}

// Import returns a package and errIncomplete.
func (k *knownPackages) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := k.made[path]; ok {
		return p, errIncomplete
	}
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	k.made[path] = p
	for _, u := range k.order {
		if u.pkg == packageOutside || u.path() != path {
			continue
		}
		for _, t := range u.types {
			p.Scope().Insert(k.declared(p, t))
		}
	}
	p.MarkComplete()
	return p, errIncomplete
}

// declared declares a type of a package with its size, its alignment and, if it is an enum, its
// values.
func (k *knownPackages) declared(p *types.Package, t *typeInfo) *types.TypeName {
	name := types.NewTypeName(token.NoPos, p, t.goName, nil)
	var under types.Type = types.NewStruct(nil, nil)
	switch t.kind {
	case kindStruct:
		align := k.alignOf(t)
		word := map[int64]types.BasicKind{1: types.Uint8, 2: types.Uint16, 4: types.Uint32, 8: types.Uint64}[align]
		under = types.NewArray(types.Typ[word], t.st.Size/align)
	case kindCallback:
		under = types.Typ[types.Uintptr]
	case kindEnum:
		if base, err := enumBase(t.enum); err == nil {
			under = types.Universe.Lookup(base).Type()
		}
	case kindAlias:
		if gt, err := k.typeOf(t.target, 0, false); err == nil && gt.info == nil {
			under = types.Universe.Lookup(scalars[t.target]).Type()
		}
	}
	named := types.NewNamed(name, under, nil)
	if t.kind == kindEnum {
		ids, _ := enumNames(t.unit.pkg, t.enum.Name, valueNames(t.enum))
		for i, v := range t.enum.Values {
			p.Scope().Insert(types.NewConst(token.NoPos, p, ids[i], named, goconstant.MakeInt64(v.Value)))
		}
	}
	return name
}
