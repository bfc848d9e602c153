// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPipeIsNotAHeader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.h")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{
		{"extension", pipe, "--package", "acme", "--out", filepath.Join(dir, "out")},
		{"lint", pipe},
		{"lint", "testdata/lint/clean.h", "--against", pipe},
	} {
		_, err := pjrtgen(args...)
		assert.EqualError(t, err, "cannot read header "+pipe+": it is a pipe, not a file", args[0])
		assert.NoDirExists(t, filepath.Join(dir, "out"))
	}
}
