// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package outside

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPipeIsReadToItsEndAndNotWaitedFor(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	got, err := ReadFile(name)
	require.NoError(t, err)
	assert.Empty(t, got, "nothing writes to it")

	// A pipe that is open for reading and writing needs no one else.
	writer, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	reader, err := Open(name)
	require.NoError(t, err)
	defer reader.Close()
	_, err = writer.WriteString("some text")
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	got = make([]byte, 20)
	n, err := reader.Read(got)
	require.NoError(t, err)
	assert.Equal(t, "some text", string(got[:n]))
	_, err = reader.Read(got)
	require.Error(t, err, "its end")
}
