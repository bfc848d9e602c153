// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"go/ast"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// unsafeFile reports an import of unsafe in a file whose name does not contain
// the word unsafe between underscores, as in call_unsafe.go,
// load_unsafe_linux.go and table_unsafe_test.go. Generated files are exempt.
var unsafeFile = &analysis.Analyzer{
	Name: "unsafefile",
	Doc:  "package unsafe may be imported only in files named *_unsafe.go, and in generated ones",
	Run:  checkUnsafe,
}

func checkUnsafe(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		name := filepath.Base(pass.Fset.Position(file.Package).Filename)
		if ast.IsGenerated(file) || namedUnsafe(name) {
			continue
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "unsafe" {
				pass.Reportf(spec.Pos(), "%s imports unsafe: move the code that needs it to a file named *_unsafe.go", name)
			}
		}
	}
	return nil, nil
}

// namedUnsafe reports whether unsafe is a word of the file name, but not the first one.
func namedUnsafe(file string) bool {
	words := strings.Split(strings.TrimSuffix(file, ".go"), "_")
	for _, w := range words[1:] {
		if w == "unsafe" {
			return true
		}
	}
	return false
}
