// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package cache_test

import (
	"path/filepath"
	"syscall"
	"testing"

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
