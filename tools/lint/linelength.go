// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"
)

// codeColumns is the maximum number of columns of a line. A tab counts as four.
const codeColumns = 140

// proseColumns is the maximum number of columns of a line of prose that is nothing but a comment.
// Prose is read from line to line, for which short lines are easier.
const proseColumns = 100

// lineLength reports lines with more columns than people can read. These may be longer: lines of generated files;
// rows of tables, which are elements of a composite literal on their own line;
// lines of a raw string; lines that cannot be broken, such as a comment with a long
// URL; lines with a string of a hundred columns, which is easier to find and to
// read in one piece; in tests, lines that are long because of strings; and the
// output of examples.
var lineLength = &analysis.Analyzer{
	Name: "linelength",
	Doc:  "lines have no more columns than people can read",
	Run:  checkLines,
}

func checkLines(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		f := pass.Fset.File(file.Package)
		text, err := pass.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		free := exempt(f, file, text)
		for i, line := range bytes.Split(text, []byte("\n")) {
			what, limit := "code", codeColumns
			if isProse(string(line)) {
				what, limit = "comment", proseColumns
			}
			if n := columns(string(line)); n > limit && !free[i+1] && breakable(string(line)) {
				pass.Reportf(f.LineStart(i+1), "the line of %s has %d columns, of at most %d", what, n, limit)
			}
		}
	}
	return nil, nil
}

func columns(line string) int {
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}

// isProse reports whether the line is a comment, and neither code in a comment, which is indented,
// nor a directive.
func isProse(line string) bool {
	text, ok := strings.CutPrefix(strings.TrimLeft(line, "\t"), "// ")
	return ok && text != "" && text[0] != ' ' && text[0] != '\t'
}

// breakable reports whether the line has a space before the limit, other than the
// one after the // of a comment.
func breakable(line string) bool {
	line = strings.TrimPrefix(strings.TrimLeft(line, "\t"), "// ")
	i := strings.IndexByte(line, ' ')
	return i >= 0 && i < codeColumns
}

// exempt returns the lines of a file that may be longer.
func exempt(f *token.File, file *ast.File, text []byte) map[int]bool {
	free := make(map[int]bool)
	lines := func(n ast.Node) (first, last int) { return f.Line(n.Pos()), f.Line(n.End()) }
	test := strings.HasSuffix(f.Name(), "_test.go")
	// alone reports whether only space stands before a node on its line.
	alone := func(n ast.Node) bool {
		start := f.Offset(f.LineStart(f.Line(n.Pos())))
		return len(bytes.TrimSpace(text[start:f.Offset(n.Pos())])) == 0
	}
	inStrings := make(map[int]int) // columns by line
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if first, last := lines(e); first == last && alone(e) {
					free[first] = true
				}
			}
		case *ast.BasicLit:
			first, last := lines(n)
			if n.Kind != token.STRING {
				break
			}
			if first == last {
				inStrings[first] += len(n.Value)
				free[first] = free[first] || len(n.Value) >= 100
				break
			}
			for i := first; i <= last; i++ {
				free[i] = true
			}
		}
		return true
	})
	if test {
		for _, group := range file.Comments {
			output := false
			for _, c := range group.List {
				output = output || strings.HasPrefix(c.Text, "// Output:") || strings.HasPrefix(c.Text, "// Unordered output:")
				free[f.Line(c.Pos())] = free[f.Line(c.Pos())] || output
			}
		}
		for line, n := range inStrings {
			start := f.Offset(f.LineStart(line))
			end := len(text)
			if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
				end = start + i
			}
			// Without its strings it would not be too long.
			free[line] = free[line] || columns(string(text[start:end]))-n <= codeColumns
		}
	}
	return free
}
