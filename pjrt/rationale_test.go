// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// directories are those of the packages that the table of RATIONALE.md names.
var directories = map[string]string{
	"raw":  "raw",
	"capi": "../capi", "ffi": "../capi/ffi", "etcd": "kv/etcd",
	"plugins": "plugins", "cache": "cache", "dlpack": "dlpack", "safetensors": "safetensors", "kv": "kv", "otel": "otel",
	"pluginlog": "pluginlog", "lifetime": "lifetime", "pjrttest": "pjrttest", "dtype": "dtype",
	"npy": "npy", "platform": "platform", "sharding": "sharding", "stablehlo": "stablehlo", "xlaflags": "xlaflags",
	"extensions": "../extensions", "extensions/crosshost": "../extensions/crosshost", "extensions/ffi": "../extensions/ffi",
	"extensions/multislice": "../extensions/multislice", "extensions/phasecompile": "../extensions/phasecompile",
	"extensions/profiler": "../extensions/profiler", "extensions/rawbuffer": "../extensions/rawbuffer",
	"gomlx":   "gomlx",
	"isolate": "isolate", "compile": "compile", "params": "params", "distributed": "distributed", "transfer": "transfer",
}

// exportedNames returns what a package exports, methods as Type.Method.
func exportedNames(t testing.TB, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	names := make(map[string]bool)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name] = true
						}
					}
				}
			}
		}
	}
	require.NotEmpty(t, names, dir)
	return names
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	x := d.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.Ident:
			return t.Name + "."
		default:
			return ""
		}
	}
}

func TestTheTableOfCapabilitiesNamesWhatExists(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../RATIONALE.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n## What bindings can do, and its name here\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n## ")
	known := map[string]map[string]bool{"": exportedNames(t, ".")}
	for name, dir := range directories {
		known[name] = exportedNames(t, dir)
	}
	span := regexp.MustCompile("`([^`]+)`")
	rows, names := 0, 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 || strings.HasPrefix(cells[0], "---") {
			continue
		}
		rows++
		for _, m := range span.FindAllStringSubmatch(cells[1], -1) {
			name := m[1]
			if strings.HasPrefix(name, "pjrt ") || name == "pjrt" || name == "capi" {
				continue // a command, a package
			}
			names++
			pkg, rest, ok := strings.Cut(name, ".")
			if !ok || known[pkg] == nil {
				pkg, rest = "", name
			}
			assert.True(t, known[pkg][rest], "%s, in the row of %s", name, cells[0])
		}
	}
	assert.Greater(t, rows, 130)
	assert.Greater(t, names, 200)
}
