// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAMissingPtxasIsOneSentence(t *testing.T) {
	t.Parallel()
	wall := errors.New("PJRT_Compile: UNAVAILABLE: " + withoutPtxas + ". Details: " + strings.Repeat("flag ", 1000))
	site := t.TempDir()
	plugin := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	require.NoError(t, os.MkdirAll(filepath.Dir(plugin), 0o755))
	require.NoError(t, os.WriteFile(plugin, nil, 0o644))
	nvidia := filepath.Join(site, "nvidia", "cu13")
	for _, file := range []string{"bin/ptxas", "nvvm/libdevice/libdevice.10.bc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(nvidia, filepath.Dir(file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(nvidia, file), nil, 0o755))
	}
	assert.EqualError(t, compileError("a.mlir", plugin, wall), "compile a.mlir: PJRT_Compile: UNAVAILABLE: "+withoutPtxas+
		": its ptxas or nvJitLink is too old for it, or cannot be run")
	other := errors.New("something else")
	require.ErrorIs(t, compileError("a.mlir", plugin, other), other)
}
