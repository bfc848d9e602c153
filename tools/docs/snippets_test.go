// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sources are the folders whose Go code the documents quote. Tests of this module and of
// the nested ones compile all of it, and run all but Examples without an output.
var sources = []string{
	"pjrt", "tools/docs", "pjrt/examples/*", "pjrt/kv/etcd", "pjrt/otel", "pjrt/gomlx/examples/*", "conformance",
	"extensions/ffi/lapack", "extensions/rawbuffer",
}

// A source is a file of Go code.
type source struct {
	name  string
	lines []string
	file  *ast.File
	fset  *token.FileSet
}

func readSources(t testing.TB) []source {
	t.Helper()
	var list []source
	for _, folder := range sources {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
			require.NoError(t, err)
			list = append(list, source{name, strings.Split(string(text), "\n"), file, fset})
		}
	}
	return list
}

// find returns the number of the first line at which the source has the lines, perhaps
// indented further, or 0.
func (s source) find(lines []string) int {
	first := strings.TrimPrefix(lines[0], "import ") // which may stand among others
	for i := 0; i+len(lines) <= len(s.lines); i++ {
		indent, ok := strings.CutSuffix(s.lines[i], first)
		if !ok || strings.Trim(indent, "\t") != "" {
			continue
		}
		same := true
		for k, line := range lines[1:] {
			have := s.lines[i+1+k]
			same = same && (have == indent+line || line == "" && have == "")
		}
		if same {
			return i + 1
		}
	}
	return 0
}

// runs reports whether tests run the code at a line: an Example without an output is
// compiled only.
func (s source) runs(line int) bool {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || s.fset.Position(f.Pos()).Line > line || s.fset.Position(f.End()).Line < line {
			continue
		}
		for _, e := range doc.Examples(s.file) {
			if "Example"+e.Name == f.Name.Name {
				return e.Output != "" || e.EmptyOutput
			}
		}
	}
	return true
}

// What a document shows in Go is a piece of code that tests compile and run. A block whose
// first line says "go compiled" is only compiled, since it needs a device that tests lack.
func TestTestsHaveTheGoCodeOfTheDocuments(t *testing.T) {
	t.Parallel()
	all := readSources(t)
	seen := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.kind != "go" || isTest(b) {
				continue
			}
			seen++
			lines := b.lines
			for len(lines) > 0 && lines[0] == "" {
				lines = lines[1:]
			}
			found, runs := false, false
			for _, s := range all {
				if line := s.find(lines); line > 0 {
					found, runs = true, runs || s.runs(line)
				}
			}
			if assert.True(t, found, "%s:%d: no Go file has this code:\n%s", d.name, b.line, strings.Join(lines, "\n")) {
				assert.Equal(t, runs, !b.has("compiled"), "%s:%d: does a test run this code?", d.name, b.line)
			}
		}
		assert.Equal(t, strings.Contains(d.text, "```go compiled"), strings.Contains(d.text, "compiled, not run"),
			"%s: readers are told what was not run", d.name)
	}
	assert.Greater(t, seen, 20)
}

func TestCodeIsFoundByItsLines(t *testing.T) {
	t.Parallel()
	const text = "package p\n\n// Example has no output.\nfunc Example() {\n" +
		"\tif true {\n\t\ta()\n\n\t\tb()\n\t}\n}\n\nfunc other() {\n\tc()\n}\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p_test.go", text, parser.ParseComments)
	require.NoError(t, err)
	s := source{"p_test.go", strings.Split(text, "\n"), file, fset}
	for _, c := range []struct {
		block string
		line  int
		runs  bool
	}{
		{"a()\n\nb()", 6, false},
		{"if true {\n\ta()", 5, false},
		{"c()", 13, true},
		{"a()\nb()", 0, false},
		{"a()\n\n\tb()", 0, false},
		{"d()", 0, false},
	} {
		line := s.find(strings.Split(c.block, "\n"))
		assert.Equal(t, c.line, line, c.block)
		if line > 0 {
			assert.Equal(t, c.runs, s.runs(line), c.block)
		}
	}
}
