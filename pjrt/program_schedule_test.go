// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
)

// countTo returns the row sums of exp(a·b) and its argument n, which a loop counts to. XLA's
// CPU compiler puts copies into the loop, and takes some of them out again.
const countTo = `module @count {
  func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<i32>) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %e = stablehlo.exponential %c : tensor<8x4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %w:2 = stablehlo.while(%x = %i, %y = %n) : tensor<i32>, tensor<i32>
      cond {
        %lt = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %lt : tensor<i1>
      } do {
        %next = stablehlo.add %x, %one : tensor<i32>
        stablehlo.return %next, %y : tensor<i32>, tensor<i32>
      }
    return %s, %w#0 : tensor<8xf32>, tensor<i32>
  }
}`

// The optimized program of XLA's compilers states the order of its instructions.
func TestAnOptimizedProgramCompilesAgain(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, countTo)
	optimized, err := exe.OptimizedProgram()
	require.NoError(t, err)
	require.Equal(t, pjrt.FormatHLOWithConfig, optimized.Format)
	wantSums, _ := countWith(t, client, exe)
	module, err := hlo.Decode(optimized.Code)
	require.NoError(t, err)
	alone, err := module.Encode()
	require.NoError(t, err)
	scheduled := 0
	for _, c := range module.Computations {
		scheduled += len(c.Schedule)
	}
	require.Positive(t, scheduled)
	again, err := client.Compile(ctx, pjrt.Program{Format: pjrt.FormatHLO, Code: alone}, nil)
	require.NoError(t, err)
	defer again.Close()
	sums, count := countWith(t, client, again)
	assert.Equal(t, wantSums, sums)
	assert.Equal(t, int32(1000), count)
}

// Compilers put arrays without layouts between the operations of a fusion, which they do not expect
// in a program that they are given.
func TestFusionsOfAnOptimizedProgramCompileAgain(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe, err := client.Compile(ctx, pjrt.Program{Code: fusionHLO()}, nil)
	require.NoError(t, err)
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	sums, err := pjrt.ToSlice[float32](ctx, outs[0])
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 8, 4, 10, 6, 12}, sums)
}

// Compilers put bitcasts between layouts that they chose, which they do not expect either.
func TestBitcastsOfAnOptimizedProgramCompileAgain(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	optimized, err := compile(t, client, `func.func @main(%a: tensor<6xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}`).OptimizedProgram()
	require.NoError(t, err)
	module, err := hlo.Decode(optimized.Code)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(module.Entry.Instructions, func(i *hlo.Instruction) bool { return i.Opcode == "bitcast" }))
	alone, err := module.Encode()
	require.NoError(t, err)
	again, err := client.Compile(ctx, pjrt.Program{Code: alone}, nil)
	require.NoError(t, err)
	defer again.Close()
	x := upload(t, client, floats(1, 2, 3, 4, 5, 6))
	outs, err := again.Execute(ctx, []*pjrt.Buffer{x}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, read(t, outs[0]))
}

// The memory of a bitcast is that of its operand, whatever order their layouts give to it.
func TestBitcastsBetweenAnyOrdersCompile(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	for _, c := range []struct {
		from, to           []int64
		fromOrder, toOrder []int
	}{
		{[]int64{2, 5, 4}, []int64{5, 2, 4}, []int{2, 1, 0}, []int{2, 0, 1}},
		{[]int64{2, 3, 4}, []int64{3, 8}, []int{1, 0, 2}, []int{0, 1}},
		{[]int64{6}, []int64{3, 2}, []int{0}, []int{0, 1}},
		{[]int64{4, 3}, []int64{2, 6}, []int{0, 1}, []int{1, 0}},
		{[]int64{1, 3, 2}, []int64{3, 1, 1, 2}, []int{0, 2, 1}, []int{0, 2, 1, 3}},
	} {
		exe, err := client.Compile(ctx, pjrt.Program{Code: bitcastHLO(c.from, c.to, c.fromOrder, c.toOrder)}, nil)
		require.NoError(t, err, c)
		defer exe.Close()
		x := upload(t, client, pjrt.HostArray{Type: dtype.F32, Dims: c.from, Data: ascendingBytes(c.from)})
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
		require.NoError(t, err, c)
		defer outs[0].Close()
		got, err := outs[0].ToHost(ctx)
		require.NoError(t, err, c)
		assert.Equal(t, c.to, got.Dims)
		assert.Equal(t, stored(ascendingBytes(c.from), c.from, c.fromOrder, 4), stored(got.Data, c.to, c.toOrder, 4), c)
	}
}

// ascendingBytes returns the memory of an array of f32 with these dimensions.
func ascendingBytes(dims []int64) []byte {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i)
	}
	return dtype.Bytes(list)
}

// bitcastHLO returns a module with a bitcast between two layouts.
func bitcastHLO(from, to []int64, fromOrder, toOrder []int) []byte {
	rowMajor := func(dims []int64) []int { return pjrt.RowMajor(len(dims)).MinorToMajor }
	shape := func(field protowire.Number, dims []int64, order []int) []byte {
		var sizes, minorToMajor []byte
		for i, d := range dims {
			sizes = append(sizes, byte(d))
			minorToMajor = append(minorToMajor, byte(order[i]))
		}
		return protoBytes(field, protoInt(2, 11), protoBytes(3, sizes), protoBytes(5, protoBytes(1, minorToMajor)))
	}
	program := protoBytes(4, shape(1, from, rowMajor(from)), shape(2, to, rowMajor(to)), protoText(3, "x"))
	entry := protoBytes(3, protoText(1, "e"),
		protoBytes(2, protoText(1, "x"), protoText(2, "parameter"), shape(3, from, rowMajor(from)), protoInt(35, 1)),
		protoBytes(2, protoText(1, "c"), protoText(2, "copy"), shape(3, from, fromOrder), protoInt(35, 2), protoBytes(36, []byte{1})),
		protoBytes(2, protoText(1, "b"), protoText(2, "bitcast"), shape(3, to, toOrder), protoInt(35, 3), protoBytes(36, []byte{2})),
		protoBytes(2, protoText(1, "r"), protoText(2, "copy"), shape(3, to, rowMajor(to)), protoInt(35, 4), protoBytes(36, []byte{3})),
		program, protoInt(5, 1), protoInt(6, 4))
	return slices.Concat(protoText(1, "m"), protoText(2, "e"), entry, program, protoInt(5, 1), protoInt(6, 1))
}

// countWith executes countTo with 1000.
func countWith(t *testing.T, client *pjrt.Client, exe *pjrt.LoadedExecutable) ([]float32, int32) {
	t.Helper()
	ctx := context.Background()
	ascending := func(rows, columns int64) *pjrt.Buffer {
		values := make([]float32, rows*columns)
		for i := range values {
			values[i] = float32(i) / 256
		}
		b, err := pjrt.FromSlice(ctx, client, values, rows, columns)
		require.NoError(t, err)
		t.Cleanup(func() { b.Close() })
		return b
	}
	n, err := pjrt.FromScalar(ctx, client, int32(1000))
	require.NoError(t, err)
	defer n.Close()
	out, err := exe.Execute(ctx, []*pjrt.Buffer{ascending(8, 16), ascending(16, 4), n}, nil)
	require.NoError(t, err)
	defer out[0].Close()
	defer out[1].Close()
	sums, err := pjrt.ToSlice[float32](ctx, out[0])
	require.NoError(t, err)
	count, err := pjrt.ToScalar[int32](ctx, out[1])
	require.NoError(t, err)
	return sums, count
}

// fusionHLO returns a module with a fusion that transposes an array and doubles it.
func fusionHLO() []byte {
	shape := func(field protowire.Number, rows, columns byte) []byte {
		return protoBytes(field, protoInt(2, 11), protoBytes(3, []byte{rows, columns}), protoBytes(5, protoBytes(1, []byte{1, 0})))
	}
	program := func(field protowire.Number) []byte {
		return protoBytes(field, shape(1, 2, 3), shape(2, 3, 2), protoText(3, "p"))
	}
	parameter := func(name string) []byte {
		return protoBytes(2, protoText(1, name), protoText(2, "parameter"), shape(3, 2, 3), protoInt(35, 1))
	}
	fused := protoBytes(3, protoText(1, "f"), parameter("p"),
		protoBytes(2, protoText(1, "t"), protoText(2, "transpose"), shape(3, 3, 2),
			protoBytes(14, []byte{1, 0}), protoInt(35, 2), protoBytes(36, []byte{1})),
		protoBytes(2, protoText(1, "s"), protoText(2, "add"), shape(3, 3, 2), protoInt(35, 3), protoBytes(36, []byte{2, 2})),
		program(4), protoInt(5, 1), protoInt(6, 3))
	entry := protoBytes(3, protoText(1, "e"), parameter("x"),
		protoBytes(2, protoText(1, "q"), protoText(2, "fusion"), shape(3, 3, 2), protoText(11, "kLoop"),
			protoInt(35, 2), protoBytes(36, []byte{1}), protoBytes(38, []byte{1})),
		program(4), protoInt(5, 2), protoInt(6, 2))
	return slices.Concat(protoText(1, "m"), protoText(2, "e"), fused, entry, program(4), protoInt(5, 1), protoInt(6, 2))
}
