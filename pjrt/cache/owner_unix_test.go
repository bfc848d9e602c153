// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package cache_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An executable that another user could have written is compiled again, and one in a directory that
// others can change is not read.
func TestWhatOthersCanChangeIsNotLoaded(t *testing.T) {
	client := newClient(t)
	type change struct {
		name string
		do   func(path string) error
	}
	changes := []change{
		{"mode 0777", func(path string) error { return os.Chmod(path, 0o777) }},
		{"mode 0720", func(path string) error { return os.Chmod(path, 0o720) }},
		{"mode 0702", func(path string) error { return os.Chmod(path, 0o702) }},
	}
	if os.Geteuid() == 0 { // as in .ci/run: only root can give files away
		changes = append(changes,
			change{"user 1", func(path string) error { return os.Chown(path, 1, -1) }},
			change{"user 65534", func(path string) error { return os.Chown(path, 65534, -1) }})
	}
	for _, change := range changes {
		t.Run(change.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x")
			c, _ := open(t, dir, 0)
			assert.False(t, run(t, c, client, 2, nil))
			require.NoError(t, change.do(entries(t, dir)[0]))
			assert.False(t, run(t, c, client, 2, nil))
			assert.Equal(t, 1, c.Stats().Damaged)
			assert.True(t, run(t, c, client, 2, nil), "stored again")

			require.NoError(t, change.do(dir))
			assert.False(t, run(t, c, client, 2, nil))
			require.Error(t, c.Stats().Err)

			// The user's own link to such a directory is no better.
			link := filepath.Join(t.TempDir(), "link")
			require.NoError(t, os.Symlink(dir, link))
			linked, _ := open(t, link, 0)
			assert.False(t, run(t, linked, client, 2, nil))
			require.Error(t, linked.Stats().Err)
		})
	}
}
