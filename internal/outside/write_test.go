// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package outside_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/outside"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWriteFileFollowsLinksAndKeepsPermissions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o600))
	require.NoError(t, os.Chmod(target, 0o666)) // whatever the umask is
	require.NoError(t, os.Symlink("target", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "link"), filepath.Join(dir, "again")))
	require.NoError(t, os.Symlink("new", filepath.Join(dir, "dangling")))
	for name, to := range map[string]string{"again": "target", "dangling": "new"} {
		require.NoError(t, outside.WriteFile(filepath.Join(dir, name), text("new")))
		info, err := os.Lstat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, fs.ModeSymlink, info.Mode().Type(), name)
		got, err := os.ReadFile(filepath.Join(dir, to))
		require.NoError(t, err)
		assert.Equal(t, "new", string(got))
	}
	info, err := os.Stat(target)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o666), info.Mode().Perm())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 5, "no other file is left")
}

// A link's ".." begins in the folder that has the link, whatever the way there.
func TestWriteFileFollowsLinksOutOfLinkedFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inner := filepath.Join(dir, "far", "inner")
	require.NoError(t, os.MkdirAll(inner, 0o700))
	require.NoError(t, os.Symlink(filepath.Join("..", "target"), filepath.Join(inner, "link")))
	require.NoError(t, os.Symlink(inner, filepath.Join(dir, "near")))
	require.NoError(t, outside.WriteFile(filepath.Join(dir, "near", "link"), text("new")), "which is made")
	require.NoError(t, outside.WriteFile(filepath.Join(dir, "near", "link"), text("newer")), "which exists")
	got, err := os.ReadFile(filepath.Join(dir, "far", "target"))
	require.NoError(t, err)
	assert.Equal(t, "newer", string(got))
	assert.NoFileExists(t, filepath.Join(dir, "target"))
}

func TestWriteFileLeavesTheOldFileOnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	require.NoError(t, os.WriteFile(name, []byte("precious"), 0o600))
	failure := errors.New("failure")
	err := outside.WriteFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, failure)
	})
	require.ErrorIs(t, err, failure)
	assert.ErrorContains(t, err, name)
	kept, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(kept))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "the half-written file is gone")
}

func TestWriteFileNamesWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	assert.EqualError(t, outside.WriteFile(dir, text("")), dir+" is a folder: name a file in it")
	absent := filepath.Join(dir, "no", "x")
	err := outside.WriteFile(absent, text(""))
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, absent)
	assert.NotContains(t, err.Error(), ".tmp")

	// What the writer itself cannot open keeps its name.
	err = outside.WriteFile(filepath.Join(dir, "x"), func(io.Writer) error {
		_, err := os.Open(absent)
		return err
	})
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, absent)
	assert.ErrorContains(t, err, filepath.Join(dir, "x")+": ")
}

func TestCanWriteLeavesEverythingAsItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	require.NoError(t, os.WriteFile(kept, []byte("precious"), 0o600))
	require.NoError(t, outside.CanWrite(kept))
	require.NoError(t, outside.CanWrite(filepath.Join(dir, "new")))
	require.ErrorIs(t, outside.CanWrite(filepath.Join(dir, "no", "x")), fs.ErrNotExist)
	assert.EqualError(t, outside.CanWrite(dir), dir+" is a folder: name a file in it")
	got, err := os.ReadFile(kept)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(got))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}
