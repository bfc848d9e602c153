// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
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

func TestDefaultFlagsGiveWayToTheCaller(t *testing.T) {
	client := newClient(t)
	const minMax, xnnpack = "xla_cpu_enable_fast_min_max", "xla_cpu_use_xnnpack"
	both := map[string]any{minMax: false, xnnpack: false}
	debugOptions := protowire.AppendVarint(protowire.AppendTag(nil, 140, protowire.VarintType), 1) // the first of them
	inBuild := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), debugOptions)
	for name, c := range map[string]struct {
		xla, debug string // environment variables XLA_FLAGS and XLA_DEBUG_OPTIONS
		opts       *pjrt.CompileOptions
		want       map[string]any
	}{
		"nothing is set":    {want: both},
		"another flag":      {opts: &pjrt.CompileOptions{Flags: map[string]any{"xla_dump_to": "x"}}, want: map[string]any{minMax: false, xnnpack: false, "xla_dump_to": "x"}},
		"in the options":    {opts: &pjrt.CompileOptions{Flags: map[string]any{xnnpack: true}}, want: map[string]any{minMax: false, xnnpack: true}},
		"XLA_FLAGS":         {xla: "--" + xnnpack, want: map[string]any{minMax: false}},
		"XLA_DEBUG_OPTIONS": {debug: minMax + ": true", want: map[string]any{minMax: true, xnnpack: false}},
		"all flags":         {opts: &pjrt.CompileOptions{DebugOptions: debugOptions}, want: nil},
		"all flags, in Extra": {
			opts: &pjrt.CompileOptions{Extra: protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), inBuild)}, want: nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XLA_FLAGS", c.xla)
			t.Setenv("XLA_DEBUG_OPTIONS", c.debug)
			code, err := client.EncodeCompileOptions(c.opts)
			require.NoError(t, err)
			read, err := pjrt.DecodeCompileOptions(code)
			require.NoError(t, err)
			assert.Equal(t, c.want, read.Flags)
		})
	}
}

// JAX sets these flags for every platform. The numbers of a program must not depend on how
// this package came to know what a plugin is for.
func TestXLAsPluginsGetTheFlagsThatJAXSets(t *testing.T) {
	t.Setenv("XLA_FLAGS", "")
	isXLA := pjrt.Attribute{Name: "xla_version", Value: int64(2)}
	gpu, cpu := "xla_gpu_enable_fast_min_max", "xla_cpu_enable_fast_min_max"
	for name, c := range map[string]struct {
		platform   string
		attributes []pjrt.Attribute
		want       string // the flag, or ""
	}{
		"for CPUs":           {"cpu", []pjrt.Attribute{isXLA}, cpu},
		"for CUDA":           {"cuda", []pjrt.Attribute{isXLA, {Name: "cuda_version", Value: int64(13000)}}, gpu},
		"for ROCm":           {"rocm", []pjrt.Attribute{isXLA}, gpu},
		"for oneAPI":         {"sycl", []pjrt.Attribute{isXLA}, gpu},
		"for TPUs":           {"tpu", []pjrt.Attribute{isXLA}, ""},
		"for something else": {"ttnn", []pjrt.Attribute{isXLA}, ""},
		"another maker's":    {"cpu", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := pjrttest.New(t, pjrttest.Options{PlatformName: c.platform, Attributes: c.attributes}).Client()
			code, err := client.EncodeCompileOptions(nil)
			require.NoError(t, err)
			read, err := pjrt.DecodeCompileOptions(code)
			require.NoError(t, err)
			if c.want == "" {
				assert.Empty(t, read.Flags)
				return
			}
			assert.Contains(t, read.Flags, c.want)
			assert.Equal(t, false, read.Flags[c.want])
		})
	}
}
