// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package outside_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// Otherwise a command that root runs with --out /dev/null would replace the device.
func TestWriteFileWritesToPipes(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, outside.CanWrite(pipe), "before there is a reader")
	got := make(chan string, 1)
	go func() {
		f, err := os.Open(pipe)
		if !assert.NoError(t, err) {
			got <- ""
			return
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		assert.NoError(t, err)
		got <- string(data)
	}()
	require.NoError(t, outside.WriteFile(pipe, text("new")))
	assert.Equal(t, "new", <-got)
	info, err := os.Stat(pipe)
	require.NoError(t, err)
	assert.Equal(t, fs.ModeNamedPipe, info.Mode().Type())
}
