// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/profiler"
)

func TestRunWritesAProfile(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	o := launch(t, dir, "run", "--profile", "logs", "add.mlir", "f32.npy", "f32.npy")
	require.Zero(t, o.status, o.stderr)
	assert.Contains(t, o.stdout, "out0: f32[4]\n[2. 4. 6. 8.]\n")
	assert.NotContains(t, o.stdout, "profile")
	folders, err := filepath.Glob(filepath.Join(dir, "logs", "plugins", "profile", "*"))
	require.NoError(t, err)
	require.Len(t, folders, 1)
	assert.Contains(t, o.stderr, filepath.Base(folders[0]))

	data, err := os.ReadFile(filepath.Join(folders[0], "host.xplane.pb"))
	require.NoError(t, err)
	space, err := profiler.Decode(data)
	require.NoError(t, err)
	names := make(map[string]bool)
	for _, p := range space.Planes {
		for _, l := range p.Lines {
			for _, e := range l.Events {
				names[e.Name] = true
			}
		}
	}
	assert.Equal(t, map[string]bool{
		"open": true, "client": true, "compile add": true, "upload": true, "execute add": true, "download": true,
	}, names)
	text, err := os.ReadFile(filepath.Join(folders[0], "trace.json"))
	require.NoError(t, err)
	assert.True(t, json.Valid(text))

	// A program that fails also leaves a profile.
	write(t, dir, "bad.mlir", "func.func @main() -> tensor<4xf32> { return }")
	o = launch(t, dir, "run", "--profile", "bad", "bad.mlir")
	assert.NotZero(t, o.status)
	folders, err = filepath.Glob(filepath.Join(dir, "bad", "plugins", "profile", "*", "trace.json"))
	require.NoError(t, err)
	assert.Len(t, folders, 1)

	write(t, dir, "file", "")
	for _, path := range []string{"", "file"} {
		o = launch(t, dir, "run", "--profile", path, "add.mlir", "f32.npy", "f32.npy")
		assert.NotZero(t, o.status)
		assert.Contains(t, o.stderr, "--profile: ")
		assert.Empty(t, o.stdout)
	}
}
