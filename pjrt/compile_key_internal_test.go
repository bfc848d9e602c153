// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnotherBuildOfAPluginIsAnotherFile(t *testing.T) {
	t.Parallel()
	built := make([]byte, 4<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, err := random.Read(built)
	require.NoError(t, err)
	at := time.Unix(1, 0)
	write := func(content []byte) string {
		file := filepath.Join(t.TempDir(), "plugin.so")
		require.NoError(t, os.WriteFile(file, content, 0o600))
		require.NoError(t, os.Chtimes(file, at, at))
		return fileAt(file).identity()
	}
	first := write(built)
	assert.Equal(t, first, write(built))
	for name, other := range map[string][]byte{
		"an instruction more, of the same size": slices.Concat(built[:len(built)/2], []byte{1}, built[len(built)/2:len(built)-1]),
		"another end":                           append(slices.Clone(built[:len(built)-1]), built[len(built)-1]^1),
		"another beginning":                     append([]byte{built[0] ^ 1}, built[1:]...),
		"a byte less":                           built[:len(built)-1],
		"nothing":                               nil,
		"less than a page":                      built[:100],
	} {
		assert.NotEqual(t, first, write(other), name)
	}
	later := filepath.Join(t.TempDir(), "plugin.so")
	require.NoError(t, os.WriteFile(later, built, 0o600))
	assert.NotEqual(t, first, fileAt(later).identity(), "another time")
	assert.Equal(t, unreadable, fileAt(filepath.Join(t.TempDir(), "missing")).identity())
}

// The code of the running program is that of the old file, so neither cached nor saved executables
// may name the new one.
func TestAFileThatTakesThePlaceOfAPluginIsNotIt(t *testing.T) {
	t.Parallel()
	at := time.Unix(1, 0)
	for name, replace := range map[string]func(path string) error{
		"another file": func(path string) error {
			other := path + ".new"
			return errors.Join(os.WriteFile(other, []byte("a plugin"), 0o600), os.Chtimes(other, at, at), os.Rename(other, path))
		},
		"other contents": func(path string) error { return os.WriteFile(path, []byte("another plugin"), 0o600) },
		"another time":   func(path string) error { return os.Chtimes(path, time.Unix(2, 0), time.Unix(2, 0)) },
		"none":           os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "plugin.so")
			require.NoError(t, os.WriteFile(path, []byte("a plugin"), 0o600))
			require.NoError(t, os.Chtimes(path, at, at))
			opened := fileAt(path)
			assert.True(t, opened.stays())
			whole := opened.identity()
			require.NoError(t, replace(path))
			assert.False(t, opened.stays())
			replaced := opened.identity()
			assert.NotEqual(t, whole, replaced)
			assert.NotEqual(t, fileAt(path).identity(), replaced)
			assert.NotEqual(t, opened.identity(), replaced, "nobody else has the old file either")
		})
	}
}

func TestAPluginKeepsItsPathWhenTheProgramChangesItsFolder(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(here, "lib", "plugin.so"), fileAt("./lib/plugin.so").path)
	assert.Equal(t, "plugin.so", fileAt("plugin.so").path, "the loader searches for it")
	assert.Equal(t, "/lib/plugin.so", fileAt("/lib/plugin.so").path)
}
