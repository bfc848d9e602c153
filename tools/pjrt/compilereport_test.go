// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program that says how many devices it is for needs no option to be compiled for them.
func TestCompileReportsOnAProgramForSeveralDevices(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	code, err := os.ReadFile("../../pjrt/sharding/testdata/layer/shardy-export.mlirbc")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "layer.mlirbc"), code, 0o644))
	o := launch(t, dir, "compile", "--report", "layer.html", "layer.mlirbc")
	require.Zero(t, o.status, o.stderr) // the plugin logs
	assert.Contains(t, o.stdout, "devices     4 of 4\n")
	page, err := os.ReadFile(filepath.Join(dir, "layer.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "<h1>jit_layer</h1>")
	assert.Contains(t, string(page), "{devices=[2,2]0,1,2,3}")

	o = launch(t, dir, "compile", "--partitions", "2", "layer.mlirbc")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stderr, "the program states that it is for 4 partitions, and the compile options ask for 2")
	o = launch(t, dir, "compile", "--report", filepath.Join("none", "layer.html"), "layer.mlirbc")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stderr, "--report: ")
}
