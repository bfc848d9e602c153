// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir/mlirtest"
)

func protoBytes(field protowire.Number, parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), all)
}

func protoText(field protowire.Number, s string) []byte { return protoBytes(field, []byte(s)) }

func protoInt(field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(v))
}

// negateHLO returns an HLO module that computes -x of an array of f32.
func negateHLO(dims ...int64) []byte {
	var packed []byte
	for _, d := range dims {
		packed = protowire.AppendVarint(packed, uint64(d))
	}
	var order []byte
	for i := range dims {
		order = protowire.AppendVarint(order, uint64(len(dims)-1-i))
	}
	shape := func(field protowire.Number) []byte {
		return protoBytes(field, protoInt(2, 11), protoBytes(3, packed), protoBytes(5, protoBytes(1, order)))
	}
	program := func(field protowire.Number) []byte {
		return protoBytes(field, shape(1), shape(2), protoText(3, "x"))
	}
	computation := protoBytes(3, protoText(1, "e"),
		protoBytes(2, protoText(1, "x"), protoText(2, "parameter"), shape(3), protoInt(35, 1)),
		protoBytes(2, protoText(1, "y"), protoText(2, "negate"), shape(3), protoInt(35, 2), protoBytes(36, []byte{1})),
		program(4), protoInt(5, 1), protoInt(6, 2))
	var module []byte
	for _, part := range [][]byte{protoText(1, "m"), protoText(2, "e"), computation, program(4), protoInt(5, 1), protoInt(6, 1)} {
		module = append(module, part...)
	}
	return module
}

func TestArraysLargerThanMemoryAreRefusedInHLO(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe, err := client.Compile(ctx, pjrt.Program{Code: negateHLO(4)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{upload(t, client, floats(1, 2, 3, 4))}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	assert.Equal(t, []float32{-1, -2, -3, -4}, read(t, outs[0]))

	for _, dims := range [][]int64{{1 << 51}, {1 << 40, 1 << 40}, {-1}, {0, 1 << 62}} {
		_, err := client.Compile(ctx, pjrt.Program{Code: negateHLO(dims...)}, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, dims)
		assert.ErrorContains(t, err, "too large for any memory", dims)
		_, err = client.Compile(ctx, pjrt.Program{Code: protoBytes(1, negateHLO(dims...)), Format: pjrt.FormatHLOWithConfig}, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, dims)
	}
}

// moreResultsHLO returns a module that states two results, and whose entry has one.
func moreResultsHLO() []byte {
	array := func(field protowire.Number) []byte {
		return protoBytes(field, protoInt(2, 11), protoBytes(3, []byte{4}), protoBytes(5, protoBytes(1, []byte{0})))
	}
	tuple := func(field protowire.Number, n int) []byte {
		return protoBytes(field, append(protoInt(2, 13), bytes.Repeat(array(4), n)...))
	}
	program := func(results int) []byte { return protoBytes(4, array(1), tuple(2, results), protoText(3, "x")) }
	computation := protoBytes(3, protoText(1, "e"),
		protoBytes(2, protoText(1, "x"), protoText(2, "parameter"), array(3), protoInt(35, 1)),
		protoBytes(2, protoText(1, "y"), protoText(2, "tuple"), tuple(3, 1), protoInt(35, 2), protoBytes(36, []byte{1})),
		program(1), protoInt(5, 1), protoInt(6, 2))
	return slices.Concat(protoText(1, "m"), protoText(2, "e"), computation, program(2), protoInt(5, 1), protoInt(6, 1))
}

func TestResultsOfHLOAreThoseOfItsEntry(t *testing.T) {
	client := newClient(t)
	_, err := client.Compile(context.Background(), pjrt.Program{Code: moreResultsHLO()}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "states other results than the root of its entry computation has")
}

func TestDumpsOfXLARun(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	proto := protoBytes(1, negateHLO(4))
	for name, dump := range map[string][]byte{
		"module": negateHLO(4), "HloProto": proto, "HloSnapshot": append(protoBytes(1, proto), protoBytes(4, []byte("Host"))...),
	} {
		exe, err := client.Compile(ctx, pjrt.Program{Code: dump}, nil)
		require.NoError(t, err, name)
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{upload(t, client, floats(1, 2, 3, 4))}, nil)
		require.NoError(t, err, name)
		assert.Equal(t, []float32{-1, -2, -3, -4}, read(t, outs[0]), name)
		outs[0].Close()
		exe.Close()
	}
}

// A program of HLO that has its arguments in one tuple is compiled as such, since no other way to
// pass them exists. Plugins end the process, or fail, when they execute it otherwise.
func TestProgramsOfHLOTakeTheirTuple(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	forms, _, err := mlirtest.Forms("tuple parameter")
	require.NoError(t, err)
	for _, opts := range []*pjrt.CompileOptions{nil, {TupledArguments: true}} {
		exe, err := client.Compile(ctx, pjrt.Program{Code: forms[mlirtest.FormHLO]}, opts)
		require.NoError(t, err)
		x, err := pjrt.FromSlice(ctx, client, []float32{1, 2}, 2)
		require.NoError(t, err)
		n, err := pjrt.FromScalar(ctx, client, int32(3))
		require.NoError(t, err)
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{x, n}, nil)
		require.NoError(t, err)
		got, err := pjrt.ToSlice[float32](ctx, outs[0])
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 2}, got)
		exe.Close()
	}
}
