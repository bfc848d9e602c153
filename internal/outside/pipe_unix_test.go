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

func TestOpenRegularRefusesAllButFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for name, want := range map[string]string{
		dir: "it is a directory, not a regular file", pipe: "it is a pipe, not a regular file", os.DevNull: "it is a device, not a regular file",
		filepath.Join(dir, "nothing"): "no such file",
	} {
		_, _, err := OpenRegular(name)
		require.ErrorContains(t, err, want)
		_, err = ReadRegular(name, 10)
		require.ErrorContains(t, err, want)
	}
	name := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(name, []byte("some text"), 0o600))
	f, size, err := OpenRegular(name)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	assert.EqualValues(t, 9, size)
	text, err := ReadRegular(name, 9)
	require.NoError(t, err)
	assert.Equal(t, "some text", string(text))
	_, err = ReadRegular(name, 8)
	require.ErrorContains(t, err, name+": it has more than 8 bytes")
}

// Files of the kernel say that they have no bytes.
func TestReadRegularReadsFilesThatSayTheyAreEmpty(t *testing.T) {
	const name = "/proc/self/status"
	info, err := os.Stat(name)
	if err != nil || info.Size() > 0 {
		t.Skip("this system has no such file")
	}
	text, err := ReadRegular(name, 1<<20)
	require.NoError(t, err)
	assert.NotEmpty(t, text)
	_, err = ReadRegular(name, 10)
	require.ErrorContains(t, err, "more than 10 bytes")
}
