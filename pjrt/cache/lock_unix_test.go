// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package cache_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/cache"
)

func TestALockThatIsNoFileIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "lock"), 0o600))
	c, log := open(t, dir, 0)
	client := newClient(t)
	assert.False(t, run(t, c, client, 2, nil))
	assert.False(t, run(t, c, client, 2, nil), "it cannot be stored")
	assert.Contains(t, log.String(), "is not a regular file: remove it")
	_, err := c.Prune(0)
	require.ErrorContains(t, err, "is not a regular file")
	require.ErrorContains(t, c.Remove(cache.Entry{Path: filepath.Join(dir, zeros+".pjrtexe")}), "is not a regular file")
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// Another process that holds the lock, stopped perhaps, keeps nobody from compiling.
func TestACompilationWaitsForNoLockLongerThanItsContext(t *testing.T) {
	dir := t.TempDir()
	c, log := open(t, dir, 0)
	client := newClient(t)
	l := flock.New(filepath.Join(dir, "lock"))
	require.NoError(t, l.Lock())
	defer l.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	exe, hit, err := c.Compile(ctx, client, scale(2), nil)
	if err == nil { // the program was compiled in time, and could not be stored
		defer exe.Close()
		require.Error(t, ctx.Err(), "it waited for the lock")
	}
	assert.False(t, hit)
	assert.Zero(t, c.Stats().Stores)
	assert.Empty(t, log.String(), "the end of a context is no failure of the cache")
}
