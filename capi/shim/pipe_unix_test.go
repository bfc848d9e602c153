// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package shim_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/shim"
)

// Otherwise calls would wait as soon as the pipe is full.
func TestPipesThatNobodyReadsAreErrors(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, variable := range []string{"S_TRACE", "S_SUMMARY", "S_VALIDATE", "S_RECORD"} {
		c, err := shim.Environment("S_", []string{variable + "=" + pipe})
		require.NoError(t, err)
		require.ErrorContains(t, use(t, c), variable+": "+pipe+" is a pipe that nobody reads: start its reader first")
	}
}

func TestPipesThatAreReadGetEverything(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which does not wait for a writer
	require.NoError(t, err)
	defer reader.Close()
	f := &fake{}
	s, table := watch(t, shim.Config{Trace: pipe}, serveFake(t, f))
	got := make(chan string)
	go func() {
		data, err := io.ReadAll(reader)
		assert.NoError(t, err)
		got <- string(data)
	}()
	const rounds = 100 // more than fits in a pipe
	for range rounds {
		session(t, f, table)
	}
	require.NoError(t, s.Close())
	text := <-got
	assert.Greater(t, len(text), 1<<16)
	assert.Equal(t, rounds, strings.Count(text, "PJRT_Client_Create() -> client="))
}
