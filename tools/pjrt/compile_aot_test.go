// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestCompileAheadOfTime(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	tpu := plugintest.Path(t, "tpu")
	o := launch(t, dir, "compile", "--plugin", tpu, "--topology", "v5e:2x2", "--option", "chips_per_host_bounds=1,1,1", "--replicas", "2", "--out", "add.bin", "add.mlir")
	o.requireSuccess(t)
	assert.Contains(t, o.stdout, "devices     2 of 4\n")
	assert.Regexp(t, `(?m)^code        \d+ bytes$`, o.stdout)
	data, err := os.ReadFile(filepath.Join(dir, "add.bin"))
	require.NoError(t, err)
	assert.NotEmpty(t, data)
	launch(t, dir, "compile", "--plugin", tpu, "--topology", "v5e:3x3", "add.mlir").requireFailure(t, 1, "topology v5e:3x3 of plugin")
	launch(t, dir, "compile", "--plugin", tpu, "add.mlir").requireFailure(t, 1, "TPU initialization failed")
}

// forH100 compiles add.mlir for a GPU that this machine need not have.
func forH100(t *testing.T, plugin string) outcome {
	t.Helper()
	config, err := filepath.Abs("../../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), command, "compile", "--plugin", plugin, "--topology", "h100",
		"--option", "target_config=@"+config, "--option", "topology=1x1x1", "add.mlir")
	c.Env = []string{"PATH=/nowhere", "HOME=" + os.Getenv("HOME")} // a Python package may contain ptxas
	return finish(t, workplace(t), c)
}

func TestCompileForCUDAWithoutPtxasIsOneSentence(t *testing.T) {
	t.Parallel()
	// A place without the folders that may lie beside the installed plugin.
	plugin := filepath.Join(t.TempDir(), "xla_cuda13", "xla_cuda_plugin.so")
	require.NoError(t, os.Mkdir(filepath.Dir(plugin), 0o755))
	installed := plugintest.Path(t, "cuda13")
	if os.Link(installed, plugin) != nil { // another file system
		in, err := os.Open(installed)
		require.NoError(t, err)
		defer in.Close()
		out, err := os.Create(plugin)
		require.NoError(t, err)
		_, err = io.Copy(out, in)
		require.NoError(t, errors.Join(err, out.Close()))
	}
	o := forH100(t, plugin)
	assert.Equal(t, 1, o.status)
	assert.Regexp(t, `(?m)^pjrt: compile add\.mlir: CUDA's ptxas and libdevice, which the plugin compiles with, are not installed: run: pip install .*$`, o.stderr)
	assert.Less(t, len(o.stderr), 1000)
}

func TestInstallBringsTheCompilerForCUDAAheadOfTime(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cuda13", "cuda12", "cuda12@0.6.0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			launch(t, t.TempDir(), "install", name)
			o := forH100(t, plugintest.Path(t, name))
			assert.Zero(t, o.status, o.stderr)
			assert.Contains(t, o.stdout, "devices     1 of 1\n")
		})
	}
}
