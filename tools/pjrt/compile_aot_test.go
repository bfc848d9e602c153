// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package main

import (
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

func TestCompileForCUDAWithoutPtxasIsOneSentence(t *testing.T) {
	t.Parallel()
	config, err := filepath.Abs("../../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), command, "compile", "--plugin", plugintest.Path(t, "cuda13"), "--topology", "h100",
		"--option", "target_config=@"+config, "--option", "topology=1x1x1", "add.mlir")
	c.Env = []string{"PATH=/nowhere", "HOME=" + os.Getenv("HOME")} // a Python may have ptxas
	o := finish(t, workplace(t), c)
	assert.Equal(t, 1, o.status)
	assert.Regexp(t, `(?m)^pjrt: compile add\.mlir: CUDA's ptxas and libdevice, which the plugin compiles with, are not installed: run: pip install .*$`, o.stderr)
	assert.Less(t, len(o.stderr), 1000)
}
