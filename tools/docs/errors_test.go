// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreign are texts of plugins and of systems that the documents quote.
var foreign = []string{
	"PJRT_Client_Compile: NOT_FOUND: No FFI handler registered for lapack_ssyevd_ffi on a platform Host (canonical host)",
	"Unbounded dynamism is disabled",
	"failed to serialize module",
	"TPU initialization failed: No jellyfish device found",
	"Internal error when accessing libtpu multi-process lockfile",
	"Ran out of memory on HBM",
	"Check failed: operand.span_size.RawSize() > 0",
	"No PTX compilation provider is available",
	"Thread tf_XLAPjRtCpuClient creation via pthread_create() failed",
	"failed to map segment from shared object",
	"pthread_create failed: 11",
	"no such file or directory",
}

// literal returns the value of a string literal or of a sum of them, or "".
func literal(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
			return s
		}
	case *ast.BinaryExpr:
		if a, b := literal(x.X), literal(x.Y); x.Op == token.ADD && a != "" && b != "" {
			return a + b
		}
	}
	return ""
}

// A sentence is a string in Go code, split at its formatting verbs.
type sentence struct {
	parts []string
	whole *regexp.Regexp
}

// sentences returns the strings in the Go code of the libraries.
func sentences(t testing.TB) []sentence {
	t.Helper()
	verb := regexp.MustCompile(`%[#+]?[a-z]`)
	var list []sentence
	for _, folder := range []string{"pjrt", "extensions", "tools/pjrt", "internal/dynamic"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				x, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				s := literal(x)
				if fixed := verb.ReplaceAllString(s, ""); len(fixed) < 12 || !strings.Contains(fixed, " ") || !utf8.ValidString(s) {
					return s == ""
				}
				var pattern []string
				for _, part := range verb.Split(s, -1) {
					pattern = append(pattern, regexp.QuoteMeta(part))
				}
				list = append(list, sentence{verb.Split(s, -1), regexp.MustCompile(strings.Join(pattern, ".*"))})
				return false
			})
			return nil
		}))
	}
	require.Greater(t, len(list), 500)
	return list
}

// quoted reports whether a text that a document quotes is one of the sentences, or a part of
// one. A text that ends with dots need only contain a part of a sentence.
func quoted(text string, sentences []sentence) bool {
	text, isCut := strings.CutSuffix(text, " ...")
	if slices.ContainsFunc(foreign, func(f string) bool { return strings.HasPrefix(f, text) }) {
		return true
	}
	return slices.ContainsFunc(sentences, func(s sentence) bool {
		return slices.ContainsFunc(s.parts, func(part string) bool {
			return strings.Contains(part, text) || isCut && len(part) >= 12 && strings.Contains(text, strings.TrimSpace(part))
		}) || len(s.whole.String()) > 24 && s.whole.MatchString(text)
	})
}

func TestTheErrorsThatTheDocumentsQuoteExist(t *testing.T) {
	t.Parallel()
	all := sentences(t)
	seen := 0
	check := func(where, text string) {
		seen++
		assert.True(t, quoted(text, all), "%s quotes an error that nothing says: %s", where, text)
	}
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.kind == "text" {
				check(d.name, strings.Join(b.lines, " "))
			}
		}
		inTable := false
		for line := range strings.Lines(d.text) {
			first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
			switch first = strings.TrimSpace(first); {
			case !strings.HasPrefix(line, "|"):
				inTable = false
			case first == "message" || first == "symptom":
				inTable = true
			case inTable:
				for _, m := range span.FindAllStringSubmatch(first, -1) {
					if strings.Contains(m[1], " ") {
						check(d.name, m[1])
					}
				}
			}
		}
	}
	assert.Greater(t, seen, 12)
	assert.False(t, quoted("the moon is full, and so is the device", all))
	assert.False(t, quoted("the program is a portable artifact of StableHLO 1.15.0; the plugin writes 0.9.0 to 1.13.3", all))
}
