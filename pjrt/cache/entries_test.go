// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/cache"
)

func TestEntriesAreListedVerifiedAndRemoved(t *testing.T) {
	t.Parallel()
	c, _ := open(t, t.TempDir(), 0)
	client := newClient(t)
	for i := range 3 {
		run(t, c, client, float32(i), nil)
	}
	list, err := c.Entries()
	require.NoError(t, err)
	require.Len(t, list, 3)
	total := int64(0)
	for i, e := range list {
		total += e.Bytes
		require.NoError(t, e.Problem)
		assert.False(t, i > 0 && e.Used.After(list[i-1].Used), "the last used come first")
	}
	assert.Equal(t, c.Stats().Bytes, total)

	content, err := os.ReadFile(list[1].Path)
	require.NoError(t, err)
	content[len(content)/2] ^= 1
	require.NoError(t, os.WriteFile(list[1].Path, content, 0o600))
	require.NoError(t, os.Chtimes(list[1].Path, list[1].Used, list[1].Used))
	verified, err := c.Verify(t.Context())
	require.NoError(t, err)
	require.Len(t, verified, 3)
	damaged := 0
	for _, e := range verified {
		if e.Problem != nil {
			assert.Equal(t, list[1].Path, e.Path)
			require.ErrorContains(t, e.Problem, "its checksum is wrong")
			require.NoError(t, c.Remove(e))
			require.NoError(t, c.Remove(e), "another process may have removed it")
			damaged++
			continue
		}
		assert.Equal(t, "cpu", e.System.Platform)
	}
	assert.Equal(t, 1, damaged)
	assert.Equal(t, 2, c.Stats().Entries)
}

func TestADirectoryThatIsMissingHasNoEntries(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	c, _ := open(t, dir, 0)
	require.NoError(t, os.Remove(dir))
	list, err := c.Verify(t.Context())
	require.NoError(t, err)
	assert.Empty(t, list)
	assert.NoDirExists(t, dir)
}

func TestOnlyEntriesOfTheCacheAreRemoved(t *testing.T) {
	t.Parallel()
	c, _ := open(t, t.TempDir(), 0)
	client := newClient(t)
	run(t, c, client, 2, nil)
	list, err := c.Entries()
	require.NoError(t, err)
	other, _ := open(t, t.TempDir(), 0)
	require.ErrorContains(t, other.Remove(list[0]), "is not in ")
	require.ErrorContains(t, other.Remove(cache.Entry{Path: "/etc/passwd"}), "does not have the name of an entry")
	assert.FileExists(t, list[0].Path)
}

func TestAnEntryMovesFromOneCacheToAnother(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client := newClient(t)
	from, _ := open(t, t.TempDir(), 0)
	to, _ := open(t, t.TempDir(), 0)
	key, err := client.CompileKey(scale(2), nil)
	require.NoError(t, err)
	_, err = from.Lookup(key)
	require.ErrorIs(t, err, fs.ErrNotExist)
	run(t, from, client, 2, nil)
	executable, err := from.Lookup(key)
	require.NoError(t, err)
	require.NoError(t, to.Store(ctx, key, executable))
	require.NoError(t, to.Store(ctx, key, executable), "it may be there")
	assert.True(t, run(t, to, client, 2, nil), "the other cache need not compile")
	assert.Equal(t, 2, to.Stats().Stores)
	assert.Equal(t, 1, to.Stats().Entries)

	list, err := to.Entries()
	require.NoError(t, err)
	require.NoError(t, os.Truncate(list[0].Path, list[0].Bytes-1))
	_, err = to.Lookup(key)
	require.ErrorContains(t, err, "damaged entry")
	require.NotErrorIs(t, err, fs.ErrNotExist)
	assert.FileExists(t, list[0].Path, "Lookup only reads")
}

func TestOnlyExecutablesThatFitAreStored(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client := newClient(t)
	from, _ := open(t, t.TempDir(), 0)
	run(t, from, client, 2, nil)
	key, err := client.CompileKey(scale(2), nil)
	require.NoError(t, err)
	executable, err := from.Lookup(key)
	require.NoError(t, err)

	to, _ := open(t, t.TempDir(), int64(len(executable)))
	require.ErrorContains(t, to.Store(ctx, key, executable), "does not fit into MaxBytes")
	to, _ = open(t, t.TempDir(), 0)
	require.Error(t, to.Store(ctx, key, []byte("machine code")))
	require.Error(t, to.Store(ctx, key, executable[:len(executable)-1]))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, to.Store(ended, key, executable), context.Canceled)
	assert.Zero(t, to.Stats().Entries)
	assert.Zero(t, to.Stats().Stores)
	require.Error(t, new(cache.Cache).Store(ctx, key, executable))
	_, err = (*cache.Cache)(nil).Lookup(key)
	require.Error(t, err)
}

func TestAVariableNamesTheDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(cache.DirVariable, dir)
	c, err := cache.Open("", cache.Options{})
	require.NoError(t, err)
	assert.Equal(t, dir, c.Dir())
	other := t.TempDir()
	c, err = cache.Open(other, cache.Options{})
	require.NoError(t, err)
	assert.Equal(t, other, c.Dir(), "what the program says goes first")
	t.Setenv(cache.DirVariable, "here")
	_, err = cache.Open("", cache.Options{})
	require.ErrorContains(t, err, `PJRT_CACHE_DIR is "here": want an absolute path`)
	t.Setenv(cache.DirVariable, "")
	usual, err := cache.DefaultDir()
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("purepjrt", "executables"), filepath.Join(filepath.Base(filepath.Dir(usual)), filepath.Base(usual)))
}
