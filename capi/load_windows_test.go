// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needing returns the path of a library that needs needed.dll beside it.
func needing(t *testing.T) string {
	path := filepath.FromSlash(os.Getenv("PJRT_TEST_NEEDING"))
	if path == "" {
		t.Skip("PJRT_TEST_NEEDING names no library that needs another beside it: make test-wine makes one")
	}
	return path
}

func TestTheMissingLibraryIsNamed(t *testing.T) {
	path := needing(t)
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		require.NoError(t, err)
		return content
	}
	plugin, beside := read("needing.dll"), read("needed.dll")
	lacking := func(library []byte) []byte {
		changed := bytes.Replace(library, []byte("KERNEL32.dll"), []byte("ABSENT32.dll"), 1)
		require.NotEqual(t, library, changed)
		return changed
	}
	for name, c := range map[string]struct {
		plugin, beside []byte
		want           string
	}{
		"that the plugin needs":       {plugin, nil, "needed.dll"},
		"that another library needs":  {plugin, lacking(beside), "absent32.dll"},
		"one of two that are missing": {lacking(plugin), nil, "absent32.dll, needed.dll"},
	} {
		t.Run(name, func(t *testing.T) {
			// Wine cannot remove a directory of the test's own.
			file := filepath.Join(filepath.Dir(path), t.Name(), "needing.dll")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, c.plugin, 0o755))
			if c.beside != nil {
				require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "needed.dll"), c.beside, 0o755))
			}
			_, err := Open(file)
			var missing *MissingDependencyError
			require.ErrorAs(t, err, &missing)
			assert.Equal(t, c.want, missing.Library)
		})
	}
}

func TestLibrariesOfAPluginMayLieBesideIt(t *testing.T) {
	path := needing(t)
	l, err := load(path)
	require.NoError(t, err)
	_, err = l.symbol("GetPjrtApi")
	require.NoError(t, err)
}
