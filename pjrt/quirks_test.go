// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// XNNPACK in XLA's CPU plugin keeps a packed copy of the second matrix for its address. From which
// size on XLA chooses it depends on the processor.
func TestAProductUsesTheContentsWhateverTheMemoryHeldBefore(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		t.Setenv("XLA_FLAGS", "")
		client := newClient(t)
		for _, n := range []int{16, 64, 128, 192, 256, 384, 512, 768, 1024} {
			t.Run(fmt.Sprint(n), func(t *testing.T) { testProducts(t, client, n) })
		}
	})
}

// testProducts multiplies matrices of n x n, of which the second changes at the same address.
func testProducts(t *testing.T, client *pjrt.Client, n int) {
	ctx := context.Background()
	square := strings.NewReplacer("SQUARE", fmt.Sprintf("tensor<%dx%[1]dxf32>", n))
	product := compile(t, client, square.Replace(`module @product {
  func.func @main(%a: SQUARE, %b: SQUARE) -> SQUARE {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (SQUARE, SQUARE) -> SQUARE
    return %0 : SQUARE
  }
}`))
	double := compile(t, client, square.Replace(`module @doubled {
  func.func @main(%a: SQUARE {tf.aliasing_output = 0 : i32}) -> SQUARE {
    %0 = stablehlo.add %a, %a : SQUARE
    return %0 : SQUARE
  }
}`))
	values := make([]float32, n*n)
	matrixOf := func(x float32) *pjrt.Buffer {
		for i := range values {
			values[i] = x
		}
		b, err := pjrt.FromSlice(ctx, client, values, int64(n), int64(n))
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
		require.NoError(t, outs[0].ReadInPlace(ctx, func(data []byte) error {
			got, err := dtype.View[float32](data)
			require.NoError(t, err)
			assert.Equal(t, float32(n)*x, got[0])
			assert.Equal(t, float32(n)*x, got[len(got)-1])
			return nil
		}))
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
		for i := range 4 {
			b := matrixOf(float32(i))
			check(b, float32(i))
			b.Close()
		}
	})
}

func TestDefaultFlagsGiveWayToTheCaller(t *testing.T) {
	client := newClient(t)
	const minMax, xnnpack = "xla_cpu_enable_fast_min_max", "xla_cpu_use_xnnpack"
	debugOptions := protowire.AppendVarint(protowire.AppendTag(nil, 140, protowire.VarintType), 1) // the first of them
	inBuild := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), debugOptions)
	for name, c := range map[string]struct {
		xla, debug string // environment variables XLA_FLAGS and XLA_DEBUG_OPTIONS
		opts       *pjrt.CompileOptions
		want       map[string]any
	}{
		"nothing is set":    {want: map[string]any{minMax: false, xnnpack: false}},
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
			if plugintest.Age(t) >= 106 { // has no need of the second flag
				if asked := c.opts != nil && c.opts.Flags[xnnpack] != nil; !asked {
					delete(c.want, xnnpack)
				}
			}
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

// Without a device the compilers for AMD's and Intel's GPUs end the process over functions of their
// vendors' libraries. With a client they measure these functions.
func TestOnlyCompilersWithoutADeviceDoWithoutLibraries(t *testing.T) {
	t.Setenv("XLA_FLAGS", "")
	const libraries, passes = "xla_gpu_experimental_disable_binary_libraries", "xla_disable_hlo_passes"
	for name, c := range map[string]struct {
		platform string
		minor    int
		flags    map[string]any // of the caller
		want     map[string]any
	}{
		"AMD":               {"rocm", 116, nil, map[string]any{libraries: true}},
		"AMD, older":        {"rocm", 115, nil, map[string]any{}},
		"AMD, asked":        {"rocm", 116, map[string]any{libraries: false}, map[string]any{libraries: false}},
		"Intel":             {"oneapi", 115, nil, map[string]any{passes: "cublas-gemm-rewriter"}},
		"Intel, asked":      {"oneapi", 115, map[string]any{passes: "dce"}, map[string]any{passes: "dce"}},
		"NVIDIA":            {"cuda", 116, nil, map[string]any{}},
		"a plugin for CPUs": {"cpu", 116, nil, map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			client := pjrttest.New(t, pjrttest.Options{
				PlatformName: c.platform, Minor: c.minor, Attributes: []pjrt.Attribute{{Name: "xla_version", Value: int64(2)}},
			}).Client()
			topology, err := client.Topology()
			require.NoError(t, err)
			flagsOf := func(compile func(opts *pjrt.CompileOptions) error) map[string]any {
				compiler := new(recordingCompiler)
				require.ErrorIs(t, compile(&pjrt.CompileOptions{Compiler: compiler, Flags: c.flags}), errRecorded)
				o, err := pjrt.DecodeCompileOptions(compiler.job.Options)
				require.NoError(t, err)
				maps.DeleteFunc(o.Flags, func(name string, _ any) bool { return name != libraries && name != passes })
				return o.Flags
			}
			program := pjrt.Program{Code: []byte(add)}
			assert.Equal(t, c.want, flagsOf(func(opts *pjrt.CompileOptions) error {
				_, err := client.Plugin().CompileFor(ctx, topology, program, opts)
				return err
			}))
			for _, flags := range []map[string]any{
				flagsOf(func(opts *pjrt.CompileOptions) error {
					_, err := client.CompileFor(ctx, topology, program, opts)
					return err
				}),
				flagsOf(func(opts *pjrt.CompileOptions) error { _, err := client.Compile(ctx, program, opts); return err }),
			} {
				assert.Len(t, flags, len(c.flags), "there are devices")
			}
		})
	}
}
