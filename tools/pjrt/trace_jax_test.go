// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build jax

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The library is built as for a user, in an empty cache directory.
func TestTraceOfJAX(t *testing.T) {
	t.Parallel()
	python := os.Getenv("PJRT_JAX_PYTHON")
	require.NotEmpty(t, python, "PJRT_JAX_PYTHON must name a Python with JAX: run make jax")
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls.json")
	for range 2 { // the second time the library exists
		c := exec.CommandContext(t.Context(), command, "trace", "--plugin", library, "--out", calls,
			python, "-c", "import jax.numpy as np; print(np.arange(4.0).sum())")
		c.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir)
		wd, err := os.Getwd() // in the module, from which the library is built
		require.NoError(t, err)
		o := finish(t, wd, c)
		require.Zero(t, o.status, o.stderr)
		assert.Equal(t, "6.0\n", o.stdout)
		assert.Regexp(t, `(?m)^ +\d+ +0 .* PJRT_LoadedExecutable_Execute$`, o.stderr)
		assert.Regexp(t, `(?m)^pjrt validate: \d+ calls, `, o.stderr)
		assert.Contains(t, o.stderr, "the program took ")
	}
	text, err := os.ReadFile(calls)
	require.NoError(t, err)
	var events []map[string]any
	require.NoError(t, json.Unmarshal(text, &events))
	assert.NotEmpty(t, events)
	left, err := filepath.Glob(filepath.Join(dir, "purepjrt", "shim", "*", ".build-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
