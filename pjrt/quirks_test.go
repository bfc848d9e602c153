// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

const (
	square       = "tensor<256x256xf32>"
	productBy256 = `module @product {
  func.func @main(%a: ` + square + `, %b: ` + square + `) -> ` + square + ` {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (` + square + `, ` + square + `) -> ` + square + `
    return %0 : ` + square + `
  }
}`
	doubledInPlace = `module @doubled {
  func.func @main(%a: ` + square + ` {tf.aliasing_output = 0 : i32}) -> ` + square + ` {
    %0 = stablehlo.add %a, %a : ` + square + `
    return %0 : ` + square + `
  }
}`
)

// XNNPACK in XLA's CPU plugin keeps a packed copy of the second matrix for its address.
func TestAProductUsesTheContentsWhateverTheMemoryHeldBefore(t *testing.T) {
	t.Setenv("XLA_FLAGS", "")
	ctx := context.Background()
	client := newClient(t)
	product, double := compile(t, client, productBy256), compile(t, client, doubledInPlace)
	matrixOf := func(x float32) *pjrt.Buffer {
		values := make([]float32, 256*256)
		for i := range values {
			values[i] = x
		}
		b, err := pjrt.FromSlice(ctx, client, values, 256, 256)
		require.NoError(t, err)
		return b
	}
	ones := matrixOf(1)
	defer ones.Close()
	check := func(b *pjrt.Buffer, x float32) {
		t.Helper()
		outs, err := product.Execute(ctx, []*pjrt.Buffer{ones, b}, &pjrt.ExecuteOptions{KeepAll: true})
		require.NoError(t, err)
		defer outs[0].Close()
		host, err := outs[0].ToHost(ctx)
		require.NoError(t, err)
		values, err := dtype.View[float32](host.Data)
		require.NoError(t, err)
		assert.Equal(t, 256*x, values[0])
	}
	t.Run("changed in place by donation", func(t *testing.T) {
		b := matrixOf(1)
		for i := range 4 {
			check(b, float32(int(1)<<i))
			outs, err := double.Execute(ctx, []*pjrt.Buffer{b}, nil)
			require.NoError(t, err)
			b.Close()
			b = outs[0]
		}
		b.Close()
	})
	t.Run("in memory that was freed", func(t *testing.T) {
		for i := range 16 {
			b := matrixOf(float32(i))
			check(b, float32(i))
			b.Close()
		}
	})
}

func TestAFlagThatWorksAroundAFaultGivesWayToTheCaller(t *testing.T) {
	client := newClient(t)
	overrides := func(opts *pjrt.CompileOptions) map[string]any {
		t.Helper()
		code, err := client.EncodeCompileOptions(opts)
		require.NoError(t, err)
		read, err := pjrt.DecodeCompileOptions(code)
		require.NoError(t, err)
		return read.Flags
	}
	t.Setenv("XLA_FLAGS", "")
	assert.Equal(t, map[string]any{"xla_cpu_use_xnnpack": false}, overrides(nil))
	assert.Equal(t, map[string]any{"xla_cpu_use_xnnpack": true},
		overrides(&pjrt.CompileOptions{Flags: map[string]any{"xla_cpu_use_xnnpack": true}}))
	t.Setenv("XLA_FLAGS", "--xla_cpu_use_xnnpack")
	assert.Empty(t, overrides(nil))
}
