// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gentest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// source is what the generated files of a package declare and export.
type source struct {
	types     map[string]string // C name by Go name
	constants []constant
	functions map[string]bool // without the methods
	proofs    map[string]proof
}

// proof compares the layout of the struct x with numbers.
type proof struct {
	numbers []int64
	values  []string // Go expressions
}

// constant is a number or a string.
type constant struct {
	c, goName string
	typ       string // Go name; empty for an untyped constant
	value     any    // int64 or string
}

// readSource reads the generated files of a folder.
func readSource(t *testing.T, dir string) *source {
	t.Helper()
	names, err := fs.Glob(os.DirFS(dir), "zz_*.go")
	require.NoError(t, err)
	s := &source{types: make(map[string]string), functions: make(map[string]bool), proofs: make(map[string]proof)}
	files := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_layout_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case d.Name.Name == "_":
					s.addProof(t, d)
				case d.Recv == nil && d.Name.IsExported():
					s.functions[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s.add(t, d, spec)
				}
			}
		}
	}
	require.NotEmpty(t, s.types)
	return s
}

// add notes a type or the constants of a specification.
func (s *source) add(t *testing.T, d *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() {
			s.types[spec.Name.Name] = cName(t, spec.Name.Name, d.Doc)
		}
	case *ast.ValueSpec:
		for i, n := range spec.Names {
			if !n.IsExported() {
				continue
			}
			require.Equal(t, token.CONST, d.Tok, "%s is a variable", n.Name)
			c := constant{goName: n.Name, value: value(t, n.Name, spec.Values[i])}
			if spec.Type != nil {
				if typ, ok := spec.Type.(*ast.Ident); ok {
					c.typ = typ.Name
				}
			}
			doc := spec.Doc
			if doc == nil {
				doc = spec.Comment
			}
			if doc == nil {
				doc = d.Doc
			}
			c.c = cName(t, n.Name, doc)
			s.constants = append(s.constants, c)
		}
	}
}

// addProof notes a function that calls its parameter with a struct's name: the lengths of the
// arrays that the parameter takes, and of those that it is called with.
func (s *source) addProof(t *testing.T, d *ast.FuncDecl) {
	t.Helper()
	lengths := func(list []ast.Expr) (out []ast.Expr) {
		for _, x := range list {
			array, ok := x.(*ast.ArrayType)
			require.True(t, ok, "no array: %s", types.ExprString(x))
			out = append(out, array.Len)
		}
		return out
	}
	require.Len(t, d.Type.Params.List, 2)
	x, f := d.Type.Params.List[0], d.Type.Params.List[1]
	name := f.Names[0].Name
	require.Equal(t, "x "+name, x.Names[0].Name+" "+types.ExprString(x.Type))
	require.Len(t, d.Body.List, 1)
	call := d.Body.List[0].(*ast.ExprStmt).X.(*ast.CallExpr)
	require.Equal(t, name, types.ExprString(call.Fun))

	var want, have []ast.Expr
	for _, p := range f.Type.(*ast.FuncType).Params.List {
		want = append(want, p.Type)
	}
	for _, a := range call.Args {
		have = append(have, a.(*ast.CompositeLit).Type)
	}
	var p proof
	for _, x := range lengths(want) {
		p.numbers = append(p.numbers, value(t, name, x).(int64))
	}
	for _, x := range lengths(have) {
		p.values = append(p.values, types.ExprString(x))
	}
	s.proofs[name] = p
}

// cName returns the C name with which a comment begins.
func cName(t *testing.T, goName string, doc *ast.CommentGroup) string {
	t.Helper()
	words := strings.Fields(doc.Text())
	require.NotEmpty(t, words, "%s has no comment", goName)
	return strings.TrimRight(words[0], ":;")
}

// value returns the number or string that an expression writes out.
func value(t *testing.T, name string, x ast.Expr) any {
	t.Helper()
	sign := ""
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.SUB {
		sign, x = "-", u.X
	}
	literal, ok := x.(*ast.BasicLit)
	require.True(t, ok, "the value of %s is not written out", name)
	if literal.Kind == token.STRING {
		s, err := strconv.Unquote(literal.Value)
		require.NoError(t, err)
		return s
	}
	n, err := strconv.ParseInt(sign+literal.Value, 0, 64)
	require.NoError(t, err)
	return n
}

// numbers returns the constants of a Go type in their order, or the untyped ones if typ is empty.
func (s *source) numbers(typ string) []constant {
	var out []constant
	for _, c := range s.constants {
		if _, ok := c.value.(int64); ok && c.typ == typ {
			out = append(out, c)
		}
	}
	return out
}
