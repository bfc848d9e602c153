// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// hugeTemporary sorts 32 TiB, of which it returns one number.
const hugeTemporary = `module @huge {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.iota dim = 0 : tensor<8796093022208xf32>
    %1 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<8796093022208xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<8796093022208xf32>
    %3 = "stablehlo.sort"(%2) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<8796093022208xf32>) -> tensor<8796093022208xf32>
    %4 = stablehlo.slice %3 [5:6] : (tensor<8796093022208xf32>) -> tensor<1xf32>
    %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
    return %5 : tensor<f32>
  }
}`

func TestATemporaryThatDoesNotFitIsResourceExhaustedOnEveryPlugin(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		ctx := context.Background()
		client := newClient(t)
		exe := compile(t, client, hugeTemporary)
		x, err := pjrt.FromScalar(ctx, client, float32(1))
		require.NoError(t, err)
		defer x.Close()
		_, err = exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
		require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
		assert.ErrorContains(t, err, "huge needs 35184372088840 bytes on each device: 4 for arguments, 4 for results, 35184372088832 for temporaries")
		assert.ErrorContains(t, err, "use smaller arrays")

		outs, done, err := exe.Start(ctx, []*pjrt.Buffer{x}, nil)
		if err == nil {
			defer done.Close()
			defer outs[0].Close()
			err = done.Wait(ctx)
			assert.ErrorIs(t, outs[0].Wait(ctx), pjrt.ErrResourceExhausted)
		}
		assert.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	})
}

func TestAFullDeviceSaysHowMuchMemoryItHas(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{Memories: []pjrttest.MemoryOptions{{Kind: "device", Bytes: 100}}})
	client := p.Client()
	x, err := pjrt.FromSlice(t.Context(), client, make([]float32, 20))
	require.NoError(t, err)
	defer x.Close()
	_, err = pjrt.FromSlice(t.Context(), client, make([]float32, 20))
	require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	assert.ErrorContains(t, err, "has 80 bytes in use of 100, and the largest free block has 20; close buffers")
}

func TestRequiredMemoryIsThePeakOfAProgramWithoutTemporaries(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		stats, err := compile(t, newClient(t), donateBoth).MemoryStats()
		require.NoError(t, err)
		assert.Equal(t, stats.Peak, stats.Required(), "the results reuse the arguments")
		assert.Positive(t, stats.Required())
	})
	assert.EqualValues(t, 100+20+3-10, pjrt.CompiledMemoryStats{
		GeneratedCode: 1e6, Arguments: 100, Outputs: 20, Temporary: 3, Aliased: 10, HostArguments: 1e6, HostTemporary: 1e6, Total: 1e6,
	}.Required())
}
