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

func TestCompileReportsAheadOfTimeForCUDA(t *testing.T) {
	t.Parallel()
	config, err := filepath.Abs("../../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	dir := workplace(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "layer.mlir"), []byte(`
module @layer {
  func.func @main(%x: tensor<256x512xbf16>, %w: tensor<512x1024xbf16>) -> tensor<256x1024xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x512xbf16>, tensor<512x1024xbf16>) -> tensor<256x1024xbf16>
    %1 = stablehlo.tanh %0 : tensor<256x1024xbf16>
    return %1 : tensor<256x1024xbf16>
  }
}`), 0o644))
	c := exec.CommandContext(t.Context(), command, "compile", "--plugin", plugintest.Path(t, "cuda13"), "--topology", "h100",
		"--option", "target_config=@"+config, "--option", "topology=1x1x1", "--report", "layer.html", "layer.mlir")
	o := finish(t, dir, c)
	require.Zero(t, o.status, o.stderr) // the plugin logs
	data, err := os.ReadFile(filepath.Join(dir, "layer.html"))
	require.NoError(t, err)
	page := string(data)
	for _, want := range []string{
		"<h1>layer</h1>", "bf16[256,512]", "bf16[512,1024]", "bf16[256,1024]", // arguments and results
		"1.25 MiB", "512 KiB", "Alive at the peak", // the arguments, the result
		"GetCostAnalysis is not supported", // what the plugin does not report
	} {
		assert.Contains(t, page, want)
	}
	assert.Regexp(t, `[1-9]\d* kernels`, page)
	assert.Regexp(t, `tanh\(`, page, "the program")
}
