// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

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

// directories has the directories of the packages that the documents name.
var directories = func() map[string]string {
	m := map[string]string{"capi": "capi", "ffi": "capi/ffi", "etcd": "pjrt/kv/etcd", "extensions": "extensions"}
	for _, name := range []string{
		"array", "cache", "compile", "distributed", "dlpack", "dtype", "gomlx", "hlo", "isolate", "kv", "lifetime", "npy", "otel", "params",
		"pjrttest", "platform", "pluginlog", "plugins", "raw", "safetensors", "sharding", "stablehlo", "transfer", "xlaflags",
	} {
		m[name] = "pjrt/" + name
	}
	for _, name := range []string{"crosshost", "ffi", "megascale", "phasecompile", "profiler", "rawbuffer"} {
		m["extensions/"+name] = "extensions/" + name
	}
	return m
}()

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

// known returns the exported names of each package that documents name.
func known(t testing.TB) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{"": exportedNames(t, root+"/pjrt")}
	for name, dir := range directories {
		all[name] = exportedNames(t, filepath.Join(root, dir))
	}
	return all
}

var span = regexp.MustCompile("`([^`]+)`")

// rows calls row for each row with two cells of the tables in a document.
func rows(t testing.TB, file string, row func(left, right string)) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) == 2 && strings.HasPrefix(line, "|") && !strings.HasPrefix(cells[0], "---") {
			row(cells[0], cells[1])
		}
	}
}

func TestTablesOfNamesNameWhatExists(t *testing.T) {
	t.Parallel()
	packages := known(t)
	for file, least := range map[string][2]int{"capabilities.md": {130, 200}, "from-gopjrt.md": {45, 60}, "from-others.md": {40, 45}} {
		count, names := 0, 0
		rows(t, filepath.Join(root, guides, file), func(left, right string) {
			count++
			for _, m := range span.FindAllStringSubmatch(right, -1) {
				name := m[1]
				if strings.HasPrefix(name, "pjrt ") || name == "pjrt" || name == "capi" {
					continue // a command, a package
				}
				names++
				pkg, rest, ok := strings.Cut(name, ".")
				if !ok || packages[pkg] == nil {
					pkg, rest = "", name
				}
				assert.True(t, packages[pkg][rest], "%s: %s, in the row of %s", file, name, left)
			}
		})
		assert.Greater(t, count, least[0], file)
		assert.Greater(t, names, least[1], file)
	}
}
