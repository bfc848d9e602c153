// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlatransform_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// The extension came with API 0.110: of the CPU plugins, only the one of API 0.115 has it.
func TestTheCPUPluginRunsAPass(t *testing.T) {
	ctx := t.Context()
	plugin, err := pjrt.Open(plugintest.Path(t, "cpu@0.115"))
	require.NoError(t, err)
	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer client.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{1, -2})
	require.NoError(t, err)
	defer x.Close()
	run := func() []float32 {
		t.Helper()
		const program = `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}`
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
		require.NoError(t, err)
		defer exe.Close()
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
		require.NoError(t, err)
		defer outs[0].Close()
		got, err := pjrt.ToSlice[float32](ctx, outs[0])
		require.NoError(t, err)
		return got
	}
	assert.Equal(t, []float32{-1, 2}, run())
	for _, stage := range []xlatransform.Stage{xlatransform.PreScheduler, xlatransform.PostScheduler} {
		changed := 0
		pass, err := xlatransform.Register(plugin, "absolute", func(m *hlo.Module) (bool, error) {
			before := changed
			for _, i := range m.All() {
				if i.Opcode == "negate" {
					i.Opcode = "abs"
					changed++
				}
			}
			return changed > before, nil
		}, &xlatransform.Options{Stage: stage})
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 2}, run(), "stage %v", stage)
		assert.Equal(t, 1, changed)
		require.NoError(t, pass.Close())
		assert.Equal(t, []float32{-1, 2}, run(), "the pass is gone")
	}
}
