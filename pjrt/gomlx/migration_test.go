// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exportedByGoXLA returns what package pjrt of go-xla exports, methods as Type.Method, without
// the constants of C's enumerations.
func exportedByGoXLA(t *testing.T) map[string]bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "pjrt", "*.go"))
	require.NoError(t, err)
	names := make(map[string]bool)
	add := func(name string) {
		owner, method, _ := strings.Cut(name, ".")
		if ast.IsExported(owner) && (method == "" || ast.IsExported(method)) {
			names[name] = true
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				owner := ""
				if d.Recv != nil {
					x := d.Recv.List[0].Type
					if star, ok := x.(*ast.StarExpr); ok {
						x = star.X
					}
					if id, ok := x.(*ast.Ident); ok {
						owner = id.Name + "."
					}
				}
				add(owner + d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(s.Name.Name)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							if !strings.HasPrefix(n.Name, "PJRT_") {
								add(n.Name)
							}
						}
					}
				}
			}
		}
	}
	require.Greater(t, len(names), 90)
	return names
}

func TestTheTableForUsersOfGoXLAIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/from-gopjrt.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n## Name by name\n")
	require.True(t, ok)
	listed := make(map[string]bool)
	for line := range strings.Lines(table) {
		left, right, ok := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		if !ok {
			continue
		}
		if strings.Contains(right, "the same names") || strings.Contains(right, "`") || strings.Contains(right, "none:") {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(left, -1) {
				listed[m[1]] = true
			}
		}
	}
	names := exportedByGoXLA(t)
	for name := range names {
		assert.True(t, listed[name], "the table lacks %s of go-xla", name)
	}
	for name := range listed {
		assert.True(t, names[name] || name == "pjrt", "go-xla has no %s", name)
	}
}
