// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"errors"
	"go/build"
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

const modulePath = "github.com/purepjrt/purepjrt/"

// contributing returns CONTRIBUTING.md without its blocks of Go code.
func contributing(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../CONTRIBUTING.md")
	require.NoError(t, err)
	return regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), "")
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// pathsIn returns the words in backquotes that are paths from the root of the repository.
func pathsIn(text string) []string {
	path := regexp.MustCompile(`^(\.?[a-z]\w*)(/[\w.-]+)*/?$`)
	file := regexp.MustCompile(`\.(go|s|h|md|py|txt|json)$`)
	var list []string
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		if w := m[1]; path.MatchString(w) && (strings.Contains(w, "/") || file.MatchString(w)) {
			list = append(list, w)
		}
	}
	return list
}

func TestContributingNamesFilesThatExist(t *testing.T) {
	t.Parallel()
	paths := pathsIn(contributing(t))
	for _, p := range paths {
		_, err := os.Stat(filepath.Join("..", filepath.FromSlash(p)))
		assert.NoError(t, err, "CONTRIBUTING.md names %s", p)
	}
	assert.Greater(t, len(paths), 50, "paths were found at all")
}

// importsOf returns the packages of this module that a package imports, without its
// tests, by their paths in the repository.
func importsOf(t testing.TB, dir string) []string {
	t.Helper()
	p, err := build.ImportDir(filepath.Join("..", filepath.FromSlash(dir)), 0)
	require.NoError(t, err)
	var list []string
	for _, i := range p.Imports {
		if inside, ok := strings.CutPrefix(i, modulePath); ok {
			list = append(list, inside)
		}
	}
	return list
}

// packages returns the folders below a folder of the repository that have Go code, and
// belong to this module.
func packages(t testing.TB, below string) []string {
	t.Helper()
	var list []string
	root := filepath.Join("..", below)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if path == root && errors.Is(err, fs.ErrNotExist) {
			return nil // not every floor has a folder
		}
		if err != nil || !d.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if _, err := build.ImportDir(path, 0); err == nil {
			dir, err := filepath.Rel("..", path)
			list = append(list, filepath.ToSlash(dir))
			return err
		}
		return nil
	})
	require.NoError(t, err)
	return list
}

// A package imports only from its own floor and those below it. Within pjrt the compiler sees to
// that, since imports have no cycles.
func TestArrowsPointDown(t *testing.T) {
	t.Parallel()
	floors := []string{"internal", "capi", "pjrt", "extensions", "conformance", "tools"}
	// The generator stands apart, and the headers are not linked into anything.
	apart := []string{"gen", "third_party"}
	top := func(p string) string {
		first, _, _ := strings.Cut(p, "/")
		return first
	}
	seen := 0
	for height, floor := range floors {
		for _, p := range packages(t, floor) {
			seen++
			for _, i := range importsOf(t, p) {
				if slices.Contains(apart, top(i)) {
					assert.Equal(t, "tools/pjrtgen", p, "it imports %s", i)
					continue
				}
				from := height
				if strings.HasPrefix(p, "pjrt/examples/") {
					from = slices.Index(floors, "extensions") // no package imports these programs
				}
				assert.Contains(t, floors, top(i), "%s imports %s", p, i)
				assert.LessOrEqual(t, slices.Index(floors, top(i)), from, "%s imports %s", p, i)
			}
		}
	}
	for _, p := range packages(t, "gen") {
		for _, i := range importsOf(t, p) {
			assert.Equal(t, "gen", top(i), "%s imports %s", p, i)
		}
	}
	assert.Greater(t, seen, 80, "packages were found at all")
}
