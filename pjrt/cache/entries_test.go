// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache_test

import (
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
