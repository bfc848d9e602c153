// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// place is a finder over an environment and a cache of the test's own.
func place(env map[string]string, cache string) finder {
	return finder{
		getenv: func(name string) string { return env[name] },
		dir:    func() (string, error) { return cache, nil },
		table: []Package{{
			Name: "toy", Version: "1", Library: "toy/toy.so",
			wheels: map[string]wheel{runtime.GOOS + "/" + runtime.GOARCH: {sha256: strings.Repeat("0", 64)}},
		}},
	}
}

func touch(t *testing.T, elements ...string) string {
	t.Helper()
	path := filepath.Join(elements...)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	return path
}

func TestFindLooksIntoItsPlacesInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	listed := touch(t, dir, "listed", "whatever.so")
	shared := touch(t, dir, "shared", "pjrt_c_api_toy_plugin"+suffix())
	short := touch(t, dir, "short", "pjrt_plugin_toy"+suffix())
	cached := touch(t, dir, "cache", "toy-1-000000000000", "toy.so")
	cache := filepath.Join(dir, "cache")
	empty := filepath.Join(dir, "nothing-here")
	list := func(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"the cache":                {nil, cached},
		"name and path":            {map[string]string{NamesAndLibraryPaths: "other:/x.so, toy:" + listed, PluginLibraryPath: filepath.Dir(shared)}, listed},
		"directory":                {map[string]string{NamesAndLibraryPaths: "other:/x.so", PluginLibraryPath: list(empty, filepath.Dir(shared))}, shared},
		"short file name":          {map[string]string{PluginLibraryPath: list(filepath.Dir(short), filepath.Dir(shared))}, short},
		"file instead of a folder": {map[string]string{PluginLibraryPath: shared}, shared},
		"directories without it":   {map[string]string{PluginLibraryPath: empty}, cached},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := place(c.env, cache).find("toy")
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestFindTakesPathsAsTheyAre(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := place(nil, dir)
	for _, name := range []string{"x.so", "x.so.1", "plain"} {
		path := touch(t, dir, name)
		got, err := f.find(path)
		require.NoError(t, err)
		assert.Equal(t, path, got)
	}
	_, err := f.find("./missing.so")
	require.ErrorIs(t, err, ErrNotFound)
	require.EqualError(t, err, "plugin not found: no such file: ./missing.so")
	_, err = f.find("missing.so")
	require.ErrorContains(t, err, "no such file: missing.so")
	_, err = f.find(dir)
	require.ErrorContains(t, err, "is a directory, not a library")
	require.NotErrorIs(t, err, ErrNotFound)
}

func TestFindSaysWhatItTried(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	f := place(map[string]string{PluginLibraryPath: "/some/where"}, cache)
	_, err := f.find("toy")
	require.ErrorIs(t, err, ErrNotFound)
	require.EqualError(t, err, "plugin not found: toy: tried PJRT_NAMES_AND_LIBRARY_PATHS (not set), PJRT_PLUGIN_LIBRARY_PATH (/some/where), "+
		filepath.Join(cache, "toy-1-000000000000")+"; run: pjrt install toy")
	_, err = f.find("cup")
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, "known plugins are toy")
	_, err = f.find("")
	require.ErrorIs(t, err, ErrNotFound)
}

func TestFindFailsLoudlyOnABadEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	touch(t, dir, "toy-1-000000000000", "toy.so") // never a fallback
	for value, want := range map[string]string{
		"toy:/no/such.so": "PJRT_NAMES_AND_LIBRARY_PATHS: no such file: /no/such.so",
		"toy:" + dir:      "is a directory",
		"toy":             `PJRT_NAMES_AND_LIBRARY_PATHS: "toy" is not name:path`,
		"other:,toy:/x":   `"other:" is not name:path`,
		":/x.so":          `":/x.so" is not name:path`,
	} {
		_, err := place(map[string]string{NamesAndLibraryPaths: value}, dir).find("toy")
		require.ErrorContains(t, err, want, value)
	}
}

func TestFindDoesNotTakeADirectoryForALibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "toy-1-000000000000", "toy.so"), 0o755))
	_, err := place(nil, dir).find("toy")
	require.ErrorContains(t, err, "is not a file; remove it and install again")
}
