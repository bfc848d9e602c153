// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package ownership_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/ownership"
)

func TestCodeThatOthersCanReplaceIsFound(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	inner := filepath.Join(top, "inner")
	require.NoError(t, os.Mkdir(inner, 0o755))
	file, link := filepath.Join(inner, "plugin.so"), filepath.Join(top, "link.so")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.NoError(t, os.Symlink(file, link))
	require.NoError(t, ownership.CheckCode(file))
	for _, c := range []struct {
		path string
		mode os.FileMode
		ok   bool
	}{
		{file, 0o666, false}, {file, 0o664, false}, {file, 0o755, true},
		{inner, 0o777, false}, {inner, 0o777 | os.ModeSticky, true}, {inner, 0o755, true},
		{top, 0o777, false}, {top, 0o755, true},
	} {
		require.NoError(t, os.Chmod(c.path, c.mode))
		for _, name := range []string{file, link} {
			err := ownership.CheckCode(name)
			if c.ok {
				assert.NoError(t, err, "%s with mode %v", c.path, c.mode)
			} else {
				assert.ErrorContains(t, err, "other users can write to it", "%s with mode %v", c.path, c.mode)
			}
		}
	}
	require.ErrorIs(t, ownership.CheckCode(filepath.Join(top, "none")), os.ErrNotExist)
}

func TestCodeOfAnotherUserIsFound(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	file := filepath.Join(t.TempDir(), "plugin.so")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.NoError(t, os.Chown(file, 1234, 1234))
	require.ErrorContains(t, ownership.CheckCode(file), "it belongs to user 1234")
}
