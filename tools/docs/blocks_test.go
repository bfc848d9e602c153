// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package docs_test runs what the documents in Markdown say: their commands and their Go code. It
// also looks up what they only name: files, headings, flags, errors and exported names.
package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the root of the repository.
const root = "../.."

// A block is what is between two lines of three backquotes.
type block struct {
	kind  string // such as go
	words []string
	lines []string
	line  int // of the first of lines
}

func (b block) has(word string) bool { return slices.Contains(b.words, word) }

// A document is a file in Markdown.
type document struct {
	name   string // from the root
	text   string
	blocks []block
}

// guides is the folder of the documents for users.
const guides = "pjrt/docs/"

// elsewhere are the documents that are not in that folder.
var elsewhere = []string{
	"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "RATIONALE.md", "SECURITY.md", "capi/README.md", "conformance/README.md",
	"pjrt/gomlx/README.md",
	"third_party/xla/README.md", "tools/pjrt/testdata/programs/README.md", "tools/pjrtshim/README.md",
}

// documents returns the guides and the documents elsewhere.
func documents(t testing.TB) []document {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, guides, "*.md"))
	require.NoError(t, err)
	require.Greater(t, len(files), 8)
	for _, name := range elsewhere {
		files = append(files, filepath.Join(root, name))
	}
	var list []document
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name, err := filepath.Rel(root, file)
		require.NoError(t, err)
		list = append(list, document{filepath.ToSlash(name), string(text), blocks(t, name, string(text))})
	}
	return list
}

// blocks returns the blocks of a document.
func blocks(t testing.TB, name, text string) []block {
	t.Helper()
	var list []block
	var open *block
	var indent string
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		info, isFence := strings.CutPrefix(strings.TrimLeft(line, " "), "```")
		switch {
		case isFence && open == nil:
			words := strings.Fields(info)
			require.NotEmpty(t, words, "%s:%d: a block does not say what it is", name, number)
			open = &block{kind: words[0], words: words[1:], line: number + 1}
			indent, _, _ = strings.Cut(line, "`")
		case isFence:
			list = append(list, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, strings.TrimPrefix(line, indent))
		}
	}
	require.Nil(t, open, "%s: a block does not end", name)
	return list
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchors := func(text string) (list []string) {
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			name := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
			list = append(list, "#"+strings.ReplaceAll(name, " ", "-"))
		}
		return list
	}
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	seen := 0
	for _, d := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(d.text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			file := filepath.Join(root, filepath.Dir(d.name), m[1])
			_, err := os.Stat(file)
			require.NoError(t, err, "%s links to %s", d.name, m[1])
			if m[2] != "" {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Contains(t, anchors(string(text)), m[2], "%s links to %s", d.name, m[0])
			}
		}
	}
	assert.Greater(t, seen, 30)
}

func TestEveryReadmeIsAmongTheDocuments(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", "capi", "conformance", "extensions", "gen", "pjrt", "third_party", "tools"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && dir == "" && path != filepath.Join(root) {
				return filepath.SkipDir
			}
			if d.Name() == "README.md" {
				name, err := filepath.Rel(root, path)
				require.NoError(t, err)
				assert.Contains(t, elsewhere, filepath.ToSlash(name))
			}
			return nil
		}))
	}
}

func TestReadmeLinksToEveryGuide(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(root + "/README.md")
	require.NoError(t, err)
	for _, d := range documents(t) {
		if strings.HasPrefix(d.name, guides) {
			assert.Contains(t, string(readme), "("+d.name+")")
		}
	}
}
