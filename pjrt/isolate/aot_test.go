// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package isolate_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// newTPUs returns the topology of four TPUs.
func newTPUs(t *testing.T) *pjrt.Topology {
	t.Helper()
	plugin, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	topology, err := plugin.NewTopology(context.Background(), "v5e:2x2", nil)
	require.NoError(t, err)
	t.Cleanup(func() { topology.Close() })
	return topology
}

func TestAheadOfTimeTheExecutableIsTheSame(t *testing.T) {
	ctx := context.Background()
	topology := newTPUs(t)
	plugin := topology.Plugin()
	direct, err := plugin.CompileFor(ctx, topology, scale(2, ""), nil)
	require.NoError(t, err)
	defer direct.Close()
	compiler := newCompiler(t, isolate.Options{})
	exe, err := plugin.CompileFor(ctx, topology, scale(2, ""), &pjrt.CompileOptions{Compiler: compiler})
	require.NoError(t, err)
	defer exe.Close()
	assert.Equal(t, direct.String(), exe.String())
	assert.Equal(t, [3]int{1, 1, 1}, [3]int{exe.NumReplicas(), exe.NumPartitions(), exe.NumOutputs()})
	want := []pjrt.Shape{{Type: dtype.F32, Dims: []int64{2}}}
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	assert.Equal(t, want, parameters)
	outputs, err := exe.Outputs()
	require.NoError(t, err)
	assert.Equal(t, want, outputs)
	a, err := direct.Serialize(ctx)
	require.NoError(t, err)
	b, err := exe.Serialize(ctx)
	require.NoError(t, err)
	assert.Equal(t, a, b, "bit for bit")
	_, err = exe.MemoryStats()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	_, err = exe.OptimizedProgram()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)

	_, err = plugin.CompileFor(ctx, topology, text("module @x {"), &pjrt.CompileOptions{Compiler: compiler})
	require.ErrorContains(t, err, "PJRT_Compile: UNKNOWN: ", "the plugin's own error")
	assert.Len(t, compiler.IdleProcesses(), 1)
}

// Package pjrt refuses the program, so it goes to the compiler without it.
func TestAheadOfTimeACrashIsAnError(t *testing.T) {
	ctx := context.Background()
	cuda, err := pjrt.Open(plugintest.Path(t, "cuda13"))
	require.NoError(t, err)
	h100, err := os.ReadFile("../../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	gpu, err := cuda.NewTopology(ctx, "", &pjrt.TopologyOptions{
		Create: []pjrt.Attribute{{Name: "target_config", Value: string(h100)}, {Name: "topology", Value: "1x1x1"}},
	})
	require.NoError(t, err)
	defer gpu.Close()
	compiler := newCompiler(t, isolate.Options{})
	const recursion = "func.func @main(%a: tensor<f32>) -> tensor<f32> { %0 = func.call @main(%a) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }"
	for _, topology := range []*pjrt.Topology{newTPUs(t), gpu} {
		options, err := raw.EncodeCompileOptions(topology, nil)
		require.NoError(t, err)
		plugin := topology.Plugin()
		_, err = compiler.Compile(ctx, &compile.Job{
			Target: compile.Target{Plugin: plugin.Path(), Kind: plugin.Kind(), Topology: topology.Serialize},
			Code:   []byte(recursion), Format: "mlir", Options: options,
		})
		var crash *isolate.Crash
		require.ErrorAs(t, err, &crash, plugin.Kind())
		assert.Equal(t, "SIGSEGV", crash.Signal)
	}
}

// libtpu has no code for them, which its log says before a long stack; see pjrt/docs/tpu.md.
func TestAheadOfTimeTheErrorSaysWhichCheckOfTheCompilerFailed(t *testing.T) {
	topology := newTPUs(t)
	_, err := topology.Plugin().CompileFor(t.Context(), topology,
		text("func.func @main(%a: tensor<4xi2>) -> tensor<4xi32> { %0 = stablehlo.convert %a : (tensor<4xi2>) -> tensor<4xi32> return %0 : tensor<4xi32> }"),
		&pjrt.CompileOptions{Compiler: newCompiler(t, isolate.Options{})})
	var crash *isolate.Crash
	require.ErrorAs(t, err, &crash)
	assert.Equal(t, "SIGABRT", crash.Signal)
	assert.Contains(t, crash.Output, "Check failed: operand.span_size.RawSize() > 0")
}
