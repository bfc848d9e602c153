// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// exportedDoc reports exported functions, methods of exported types, types, and constants and
// variables that have no doc comment. For constants and variables, a comment on their group or at
// the end of the line will do. Tests and package main are exempt.
var exportedDoc = &analysis.Analyzer{
	Name: "exporteddoc",
	Doc:  "every exported name has a doc comment",
	Run:  checkDocs,
}

func checkDocs(pass *analysis.Pass) (any, error) {
	if pass.Pkg.Name() == "main" {
		return nil, nil
	}
	for _, file := range pass.Files {
		if strings.HasSuffix(pass.Fset.Position(file.Package).Filename, "_test.go") {
			continue
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
					pass.Reportf(d.Name.Pos(), "%s has no doc comment", d.Name.Name)
				}
			case *ast.GenDecl:
				if d.Tok != token.IMPORT {
					checkSpecDocs(pass, d)
				}
			}
		}
	}
	return nil, nil
}

func checkSpecDocs(pass *analysis.Pass, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
				pass.Reportf(s.Name.Pos(), "%s has no doc comment", s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc == nil && d.Doc == nil && (s.Comment == nil || !d.Lparen.IsValid()) {
					pass.Reportf(name.Pos(), "%s has no doc comment", name.Name)
				}
			}
		}
	}
}

// exportedReceiver reports whether d is a function, or a method of an exported
// type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
