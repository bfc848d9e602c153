// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// The plugin of API 0.81 counts with XLA's HloCostAnalysis.
func TestCostsAreThoseOfXLA(t *testing.T) {
	plugin, err := pjrt.Open(plugintest.Path(t, "cpu@0.81"))
	require.NoError(t, err)
	client, err := plugin.NewClient(t.Context(), nil)
	require.NoError(t, err)
	defer client.Close()
	names := []string{
		"conv2d_gradients", "cond_switch", "complex_c64", "dot_general_batched", "fft_c64", "integers_64", "math_f32", "random_bit_generator",
		"scan_stacked", "scatter_ops", "argsort", "top_k", "pooling",
	}
	if !testing.Short() {
		names = []string{"*"}
	}
	var files []string
	for _, name := range names {
		list, err := filepath.Glob("../../tools/pjrt/testdata/programs/" + name + "/program.mlir*")
		require.NoError(t, err)
		require.NotEmpty(t, list, name)
		files = append(files, list...)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		exe, err := client.Compile(t.Context(), pjrt.Program{Code: code}, nil)
		require.NoError(t, err, file)
		list, err := exe.CostAnalysis()
		require.NoError(t, err)
		want := make(map[string]float32) // without those that are 0
		for _, a := range list {
			want[a.Name], _ = a.Value.(float32)
		}
		program, err := exe.OptimizedProgram()
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		m, err := hlo.Decode(program.Code)
		require.NoError(t, err)
		got := m.Cost()
		// XLA takes 1 off both for a custom call, of which it knows nothing.
		unknown := float32(strings.Count(m.String(), " custom-call("))
		assert.Equal(t, want["flops"], float32(got.Flops)-unknown, "flops of %s", file)
		assert.Equal(t, want["transcendentals"], float32(got.Transcendentals), "transcendentals of %s", file)
		assert.Equal(t, want["bytes accessed"], float32(got.Bytes)-unknown, "bytes of %s", file)
	}
}

func TestCostsOfWhatNoCompilerMakes(t *testing.T) {
	t.Parallel()
	assert.Zero(t, (*hlo.Module)(nil).Cost())
	assert.Zero(t, new(hlo.Module).Cost())
	in := &hlo.Instruction{Opcode: "parameter", Shape: hlo.Array(dtype.F32, 8)}
	loop := &hlo.Computation{Instructions: []*hlo.Instruction{in, nil}}
	loop.Instructions = append(loop.Instructions, &hlo.Instruction{Opcode: "call", Called: []*hlo.Computation{loop, nil}})
	for _, opcode := range []string{"reduce", "reduce-window", "select-and-scatter", "map", "scatter", "sort", "fft", "rng", "all-reduce", "fusion", "while",
		"conditional", "slice", "dynamic-slice", "gather", "dynamic-update-slice", "tuple", "dot", "convolution", "custom-call"} {
		loop.Instructions = append(loop.Instructions, &hlo.Instruction{Opcode: opcode, Shape: hlo.Tuple(), Called: []*hlo.Computation{nil}})
	}
	assert.Zero(t, (&hlo.Module{Entry: loop}).Cost(), "a computation that calls itself")

	sums := &hlo.Computation{}
	one := &hlo.Instruction{Opcode: "parameter", Shape: hlo.Array(dtype.F32)}
	sums.Instructions = []*hlo.Instruction{one, {Opcode: "add", Shape: one.Shape}}
	reduced := &hlo.Instruction{Opcode: "all-reduce", Shape: hlo.Array(dtype.F32, 8), Called: []*hlo.Computation{sums, sums}}
	cost := (&hlo.Module{Entry: &hlo.Computation{Instructions: []*hlo.Instruction{reduced, reduced}}}).Cost()
	assert.Equal(t, 2*reduced.Flops(), cost.Flops, "a computation that is counted once")

	huge := &hlo.Instruction{Opcode: "parameter", Shape: hlo.Array(dtype.F64, 1<<40, 1<<22)}
	sum := &hlo.Instruction{Opcode: "exponential", Shape: huge.Shape, Operands: []*hlo.Instruction{huge}}
	twice := &hlo.Instruction{Opcode: "add", Shape: huge.Shape, Operands: []*hlo.Instruction{sum, sum}}
	entry := &hlo.Computation{Instructions: []*hlo.Instruction{huge, sum, twice}}
	assert.Equal(t, hlo.Cost{Flops: 1 << 62, Transcendentals: 1 << 62, Bytes: math.MaxInt64}, (&hlo.Module{Entry: entry}).Cost())
}
