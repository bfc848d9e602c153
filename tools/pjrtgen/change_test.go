// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contents returns the files below a folder by path, and its folders with an empty text.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[p] = ""
			return err
		}
		all[p] = read(t, p)
		return nil
	}))
	return all
}

func TestAChangeIsAtomic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b, same := filepath.Join(dir, "a"), filepath.Join(dir, "new", "er", "b"), filepath.Join(dir, "same")
	writeFile(t, a, "old")
	writeFile(t, same, "same")
	writeFile(t, filepath.Join(dir, "stale"), "stale")
	var c change
	require.NoError(t, c.put(a, []byte("new")))
	require.NoError(t, c.put(b, []byte("b")))
	require.NoError(t, c.put(same, []byte("same")))
	c.remove(filepath.Join(dir, "stale"))
	require.NoError(t, c.apply())
	c.discard()
	assert.Equal(t, map[string]string{
		dir: "", a: "new", same: "same", filepath.Join(dir, "new"): "", filepath.Join(dir, "new", "er"): "", b: "b",
	}, contents(t, dir))
}

func TestAChangeThatFailsLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(t *testing.T, c *change, dir string) error{
		"a file where a folder is needed": func(t *testing.T, c *change, dir string) error {
			return c.put(filepath.Join(dir, "a", "b"), []byte("new"))
		},
		"a folder where a file is needed": func(t *testing.T, c *change, dir string) error {
			require.NoError(t, c.put(filepath.Join(dir, "a"), []byte("new")))
			return c.put(filepath.Join(dir, "folder"), []byte("new"))
		},
		"the last of several fails": func(t *testing.T, c *change, dir string) error {
			require.NoError(t, c.put(filepath.Join(dir, "a"), []byte("new")))
			require.NoError(t, c.put(filepath.Join(dir, "b"), []byte("new")))
			c.remove(filepath.Join(dir, "stale"))
			require.NoError(t, c.put(filepath.Join(dir, "c", "d"), []byte("new")))
			require.NoError(t, os.Remove(c.files[3].staged))
			return c.apply()
		},
		"not made at all": func(t *testing.T, c *change, dir string) error {
			require.NoError(t, c.put(filepath.Join(dir, "c", "d", "e"), []byte("new")))
			return errors.New("something else")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "a"), "old")
			writeFile(t, filepath.Join(dir, "stale"), "stale")
			writeFile(t, filepath.Join(dir, "folder", "x"), "x")
			before := contents(t, dir)
			var c change
			require.Error(t, prepare(t, &c, dir))
			c.discard()
			assert.Equal(t, before, contents(t, dir))
		})
	}
}

func TestGenerateThatCannotWriteAFileWritesNone(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	require.NoError(t, os.MkdirAll(filepath.Join(x.out, "zz_core_args.go", "in the way"), 0o755))
	headers, out := contents(t, x.dir), contents(t, x.out)
	_, err := x.run("generate")
	require.ErrorContains(t, err, "zz_core_args.go: it exists and is not a file")
	assert.Equal(t, headers, contents(t, x.dir), "since.json is as it was")
	assert.Equal(t, out, contents(t, x.out))
}

func TestTheFirstTenErrorsAreListedAndTheRestCounted(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	for i := range 30 {
		x.write(fmt.Sprintf("xla/pjrt/c/pjrt_c_api_n%02d_extension.h", i), "#include \"xla/pjrt/c/pjrt_c_api.h\"\nint x y;\n")
	}
	_, err := x.run("generate")
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, maxErrors+1)
	assert.Contains(t, lines[0], "pjrt_c_api_n00_extension.h:2:7: ")
	assert.Contains(t, lines[9], "pjrt_c_api_n09_extension.h:2:7: ")
	assert.Equal(t, "and 20 more errors: fix these first", lines[10])

	x.edit(coreHeader, "typedef struct PJRT_Api {", "int x y;\ntypedef struct PJRT_Api {")
	_, err = x.run("generate")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "\n", "one mistake in the core header, which all headers include")
	assert.Contains(t, err.Error(), "pjrt_c_api.h:")
}

func TestBreaksBeyondTheFirstTenAreCounted(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	x.generate()
	x.edit(coreHeader, "size_t struct_size;", "size_t inserted;\n  size_t struct_size;")
	_, err := x.run("generate")
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, maxErrors+2)
	assert.Contains(t, lines[maxErrors+1], "more: pjrtgen diff lists all")
}
