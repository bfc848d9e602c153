// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFileThatChangesWhileItIsReadIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "h.h")
	for name, change := range map[string]func() error{
		"longer":       func() error { return os.WriteFile(file, []byte("int x;int y;"), 0o644) },
		"shorter":      func() error { return os.WriteFile(file, nil, 0o644) },
		"written anew": func() error { return os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour)) },
	} {
		require.NoError(t, os.WriteFile(file, []byte("int x;"), 0o644))
		before, err := os.Stat(file)
		require.NoError(t, err)
		require.NoError(t, unchanged(file, before, before, 6))
		require.ErrorContains(t, unchanged(file, before, before, 5), "h.h: it changed while it was read")
		require.NoError(t, change())
		after, err := os.Stat(file)
		require.NoError(t, err)
		assert.ErrorContains(t, unchanged(file, before, after, 6), "h.h: it changed while it was read", name)
	}
}
