// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package header

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPipeIsNoHeader(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"all.h": "#include \"pipe.h\"\nint x;\n"})
	pipe := filepath.Join(dir, "pipe.h")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Parse(pipe, Options{})
	require.EqualError(t, err, "cannot read header "+pipe+": it is a pipe, not a file")
	_, err = Parse(filepath.Join(dir, "all.h"), Options{})
	assert.NoError(t, err, "nobody looks for headers in pipes")
	_, err = Parse("/dev/null", Options{})
	assert.ErrorContains(t, err, "it is a device, not a file")
}
