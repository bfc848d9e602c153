// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFileIsHashedAgainOnlyIfItMayHaveChanged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plugin.so")
	old := time.Now().Add(-time.Hour)
	write := func(path, text string, changed time.Time) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		require.NoError(t, os.Chtimes(path, time.Time{}, changed))
	}
	hash := func() string {
		t.Helper()
		size, sum := fileHash(t.Context(), path)
		assert.EqualValues(t, 5, size)
		for _, text := range []string{"first", "other", "third"} {
			if sum == fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
				return text
			}
		}
		return sum
	}

	write(path, "first", old)
	assert.Equal(t, "first", hash())
	write(path, "other", old)
	assert.Equal(t, "first", hash(), "a file with the same time and size is not read again")
	write(path, "other", old.Add(time.Second))
	assert.Equal(t, "other", hash(), "it has another time")

	// Another file in its place may have the time that this one had.
	beside := path + ".new"
	write(beside, "third", old.Add(time.Second))
	require.NoError(t, os.Rename(beside, path))
	assert.Equal(t, "third", hash())

	// The time of a file that was just written says nothing: it may be written again at once.
	now := time.Now().Add(time.Minute) // however slow the test is
	write(path, "first", now)
	assert.Equal(t, "first", hash())
	write(path, "other", now)
	assert.Equal(t, "other", hash())
}

func TestAFileThatCannotBeReadHasNoHash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(dir, "plugin.so")
	require.NoError(t, os.WriteFile(path, []byte("first"), 0o644))
	for name, hash := range map[string]func() (int64, string){
		"no path":      func() (int64, string) { return fileHash(t.Context(), "") },
		"no file":      func() (int64, string) { return fileHash(t.Context(), path+"x") },
		"a folder":     func() (int64, string) { return fileHash(t.Context(), dir) },
		"an ended run": func() (int64, string) { return fileHash(ended, path) },
	} {
		size, sum := hash()
		assert.Zero(t, size, name)
		assert.Empty(t, sum, name)
	}
}
