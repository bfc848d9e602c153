// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package pjrt_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const convolution = `module @convolution {
  func.func @main(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32> {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
      : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
    return %0 : tensor<1x8x8x4xf32>
  }
}`

// The plugin for AMD's GPUs finds empty libraries here. The compiler must not look for the fastest
// function of a library, since it can measure none.
func TestConvolutionsCompileAheadOfTimeForAMDsGPUs(t *testing.T) {
	const variable, disable = "PJRT_TEST_CONVOLUTION", "xla_gpu_experimental_disable_binary_libraries"
	path := plugintest.Path(t, "rocm10")
	if how := os.Getenv(variable); how != "" {
		ctx := context.Background()
		p, err := pjrt.Open(path)
		require.NoError(t, err)
		description, err := os.ReadFile("../conformance/topologies/mi300x.txtpb")
		require.NoError(t, err)
		topology := newTopology(t, p, "mi300x",
			pjrt.Attribute{Name: "target_config", Value: string(description)}, pjrt.Attribute{Name: "topology", Value: "1x1x1"})
		opts := new(pjrt.CompileOptions)
		if how == "with libraries" {
			opts.Flags = map[string]any{disable: false}
		}
		exe, err := p.CompileFor(ctx, topology, pjrt.Program{Code: []byte(convolution)}, opts)
		require.NoError(t, err)
		defer exe.Close()
		results, err := exe.Outputs()
		require.NoError(t, err)
		assert.Equal(t, []int64{1, 8, 8, 4}, results[0].Dims)
		fmt.Println("compiled", how)
		return
	}
	hollow := t.TempDir()
	out, err := exec.Command("../tools/hollow.sh", path, hollow).CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := runChild(t, "LD_LIBRARY_PATH="+hollow, "XLA_FLAGS=", variable+"=by default")
	require.NoError(t, err, "%s", text)
	assert.Contains(t, text, "compiled by default")
	text, err = runChild(t, "LD_LIBRARY_PATH="+hollow, "XLA_FLAGS=", variable+"=with libraries")
	require.Error(t, err, "the quirk is gone: remove it")
	assert.Contains(t, text, "Check failed: T::ClassOf(instr)", "%s", firstLines(text, 40))
}
