// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChangelogNamesWhatBreaksProgramsOfTheLastRelease(t *testing.T) {
	t.Chdir("../..")
	assert.NoError(t, api(released, ""))
}

func TestAPIComparesWithTheRecordedReleaseOnly(t *testing.T) {
	t.Chdir("../..")
	dir := t.TempDir()
	assert.NoError(t, api(filepath.Join(dir, "nothing.gz"), ""), "nothing is recorded")

	last, err := loadSurface(".", []string{"./pjrt/npy"}, os.Environ())
	require.NoError(t, err)
	last.version = "v0.1.0"
	gone := types.NewPackage("github.com/purepjrt/purepjrt/pjrt/gone", "gone")
	gone.MarkComplete()
	last.packages[gone.Path()] = gone
	file := filepath.Join(dir, "last.gz")
	require.NoError(t, last.write(file))
	err = api(file, "")
	assert.ErrorContains(t, err, "the API breaks programs written for v0.1.0")
	assert.ErrorContains(t, err, "`pjrt/gone` (removed)")
	assert.NotContains(t, err.Error(), "npy", "it did not change")
}

func example(t *testing.T, name string) *surface {
	t.Helper()
	s, err := loadSurface(filepath.Join("testdata", "api", name), []string{"./..."}, append(os.Environ(), "GOWORK=off"))
	require.NoError(t, err)
	return s
}

func TestABrokenAPIIsFound(t *testing.T) {
	t.Parallel()
	before := example(t, "before")
	before.version = "v1.0.0"
	file := filepath.Join(t.TempDir(), "released.gz")
	require.NoError(t, before.write(file))
	last, err := readSurface(file)
	require.NoError(t, err)
	assert.Equal(t, "v1.0.0", last.version)
	assert.Len(t, last.packages, 2, "internal packages are not part of the API")
	assert.Empty(t, compare(last, before), "a release does not break itself")

	var found []string
	broken := compare(last, example(t, "after"))
	for _, b := range broken {
		found = append(found, b.String())
	}
	assert.ElementsMatch(t, []string{
		"example.com/shapes.Square.Area: changed from func() int to func() float64",
		"example.com/shapes.New: changed from func(int) *Square to func(int, bool) *Square",
		"example.com/shapes.Unit: removed",
		"example.com/shapes/gone: removed",
	}, found)

	all := "`shapes.Square.Area`, `shapes.New`, `example.com/shapes.Unit`, `example.com/shapes/gone`"
	for name, c := range map[string]struct {
		changelog string
		missing   []string
	}{
		"nothing is named":         {"# Changelog\n\n## Unreleased\n\n- News.\n", []string{"shapes.Square.Area", "shapes.New", "shapes.Unit", "shapes/gone"}},
		"all is named":             {"# Changelog\n\n## Unreleased\n\n### What breaks\n\n" + all + "\n\n## v1.0.0\n", nil},
		"one is missing":           {"## Unreleased\n\n### What breaks\n" + strings.Replace(all, "`shapes.New`", "shapes.New", 1), []string{"shapes.New"}},
		"another heading":          {"## Unreleased\n\n### What is new\n" + all, []string{"shapes.New", "shapes.Unit"}},
		"after what breaks":        {"## Unreleased\n\n### What breaks\n\n### What is new\n" + all, []string{"shapes.New", "shapes.Unit"}},
		"it broke in that release": {"## Unreleased\n\n## v1.0.0\n\n### What breaks\n" + all, []string{"shapes.New", "shapes.Unit"}},
		"it broke twice":           {"## Unreleased\n\n## v1.1.0\n\n### What breaks\n" + all + "\n\n## v1.0.0\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := missing("v1.0.0", broken, c.changelog)
			if c.missing == nil {
				assert.NoError(t, err)
				return
			}
			require.Error(t, err)
			for _, name := range c.missing {
				assert.ErrorContains(t, err, name)
			}
			assert.ErrorContains(t, err, `under "### What breaks"`)
		})
	}
}

func TestEqualAPIsGiveEqualFiles(t *testing.T) {
	t.Parallel()
	var files [2][]byte
	for i := range files {
		name := filepath.Join(t.TempDir(), "released.gz")
		require.NoError(t, example(t, "before").write(name))
		var err error
		files[i], err = os.ReadFile(name)
		require.NoError(t, err)
	}
	assert.Equal(t, files[0], files[1])
}

func TestFilesThatAreNotAReleaseAreRefused(t *testing.T) {
	t.Parallel()
	_, err := readSurface("testdata/api/before/go.mod")
	assert.Error(t, err)
	_, err = loadSurface(filepath.Join("testdata", "nowhere"), []string{"./..."}, os.Environ())
	assert.Error(t, err)
}
