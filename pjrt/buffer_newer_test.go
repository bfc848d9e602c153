// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func TestErrorBuffersFailTheirReaders(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	huge := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 1 << 10}}
	cause := &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "the disk is gone", Payloads: []capi.Payload{{Key: "k", Value: []byte{0, 1}}}}
	b, err := client.ErrorBuffer(ctx, huge, cause, &pjrt.BufferOptions{Memory: client.Memories()[4]})
	require.NoError(t, err)
	defer b.Close()
	assert.Equal(t, huge, b.Shape())
	m, err := b.Memory()
	require.NoError(t, err)
	assert.Same(t, client.Memories()[4], m)
	for name, err := range map[string]error{
		"Wait":   b.Wait(ctx),
		"ToHost": func() error { _, err := b.ToHost(ctx); return err }(),
		"Into":   func() error { _, err := b.ToHostInto(ctx, make([]byte, 8<<10)); return err }(),
	} {
		require.ErrorIs(t, err, pjrt.ErrDataLoss, name)
		require.ErrorContains(t, err, "the disk is gone", name)
	}
	newer.mu.Lock()
	assert.Equal(t, []capi.Attribute{{Name: "k", Value: "\x00\x01"}}, newer.payloads)
	newer.mu.Unlock()

	for code, cause := range map[error]error{
		pjrt.ErrUnknown:          errors.New("plain"),
		pjrt.ErrDeadlineExceeded: context.DeadlineExceeded,
		pjrt.ErrNotFound:         errors.Join(errors.New("x"), pjrt.ErrNotFound),
	} {
		b, err := client.ErrorBuffer(ctx, huge, cause, nil)
		require.NoError(t, err)
		require.ErrorIs(t, b.Wait(ctx), code)
		b.Close()
	}
	b, err = client.ErrorBuffer(ctx, huge, &pjrt.Error{Message: "an error without a code"}, nil)
	require.NoError(t, err)
	require.ErrorIs(t, b.Wait(ctx), pjrt.ErrUnknown)
	b.Close()

	_, err = client.ErrorBuffer(ctx, huge, nil, nil)
	require.ErrorContains(t, err, "is nil")
	_, err = olderClient(t).ErrorBuffer(ctx, huge, cause, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "newer than the plugin")
}

func TestErrorBuffersHaveTheLayoutThatIsAskedFor(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	columns := &pjrt.Layout{MinorToMajor: []int{0, 1}}
	for _, minor := range []int{116, 117} {
		inner := pjrttest.New(t, pjrttest.Options{Minor: minor})
		var device, shape *capi.BufferMemoryLayout
		served, err := serve.Wrap(inner.Table(), serve.Around(func(c *serve.Invocation, args *capi.ClientCreateErrorBufferArgs) {
			if shape = args.ShapeLayout; minor >= 117 {
				device = args.DeviceLayout
			}
			c.Forward()
		}))
		require.NoError(t, err)
		plugin, err := raw.Plugin(served.Capi())
		require.NoError(t, err)
		client, err := plugin.NewClient(ctx, nil)
		require.NoError(t, err)
		b, err := client.ErrorBuffer(ctx, pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}}, errors.New("broken"),
			&pjrt.BufferOptions{Layout: columns})
		require.NoError(t, err)
		l, err := b.Layout()
		require.NoError(t, err)
		assert.Equal(t, []int{0, 1}, l.MinorToMajor)
		assert.NotNil(t, shape, "what plugins before API 0.117 read")
		assert.Equal(t, minor >= 117, device != nil)
		require.NoError(t, b.Close())
		require.NoError(t, client.Close())
	}
}

func TestBitcastKeepsTheBits(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	b, err := pjrt.FromSlice(ctx, client, []float32{1, -2}, 2)
	require.NoError(t, err)
	defer b.Close()
	for name, c := range map[string]struct {
		shape  pjrt.Shape
		layout *pjrt.Layout
		want   string
	}{
		"other size":     {pjrt.Shape{Type: dtype.F32, Dims: []int64{3}}, nil, "f32[2] cannot be cast to f32[3], which has a different number of bits"},
		"other bits":     {pjrt.Shape{Type: dtype.U4, Dims: []int64{8}}, nil, "different number of bits"},
		"no type":        {pjrt.Shape{Dims: []int64{2}}, nil, "have no host form"},
		"negative":       {pjrt.Shape{Type: dtype.F32, Dims: []int64{-2}}, nil, "negative dimension"},
		"overflow":       {pjrt.Shape{Type: dtype.F32, Dims: []int64{math.MaxInt64, 2}}, nil, "too large"},
		"strides":        {pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}, &pjrt.Layout{Strides: []int64{4}}, "does not take a layout of strides"},
		"layout of rank": {pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}, pjrt.RowMajor(2), "orders 2 dimensions"},
	} {
		_, err := b.Bitcast(ctx, c.shape, c.layout)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	newer.mu.Lock()
	before := newer.layouts
	newer.mu.Unlock()
	words, err := b.Bitcast(ctx, pjrt.Shape{Type: dtype.U32, Dims: []int64{1, 2}}, pjrt.RowMajor(2))
	require.NoError(t, err)
	defer words.Close()
	newer.mu.Lock()
	assert.Equal(t, before+1, newer.layouts)
	newer.mu.Unlock()
	assert.Equal(t, "ui32[1,2]", words.Shape().String())
	got, err := pjrt.ToSlice[uint32](ctx, words)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0x3f800000, 0xc0000000}, got)
	gone, err := b.IsDeleted()
	require.NoError(t, err)
	assert.True(t, gone)
	bits, err := words.Bitcast(ctx, pjrt.Shape{Type: dtype.U4, Dims: []int64{16}}, nil)
	if assert.NoError(t, err, "as many bits") {
		bits.Close()
	}

	old, err := pjrt.FromScalar(ctx, olderClient(t), float32(1))
	require.NoError(t, err)
	defer old.Close()
	_, err = old.Bitcast(ctx, pjrt.Shape{Type: dtype.S32}, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "newer than the plugin")
}

func TestArraysInOtherLayoutsAreNotReadInPlace(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	cases := map[string]struct {
		array     pjrt.HostArray
		layout    *pjrt.Layout
		transfers int64
	}{
		"dense":       {matrix(1, 2, 3, 4), nil, 0},
		"row-major":   {matrix(1, 2, 3, 4), pjrt.RowMajor(2), 0},
		"other order": {matrix(1, 2, 3, 4), &pjrt.Layout{MinorToMajor: []int{0, 1}}, 1},
		"packed":      {pjrt.ArrayOf([]dtype.Uint4{1, 2}, 2), nil, 1},
		"packed one":  {pjrt.ScalarOf[dtype.Uint4](1), nil, 1},
	}
	for name, c := range cases {
		b, err := client.BufferFromHost(ctx, c.array, &pjrt.BufferOptions{Layout: c.layout})
		require.NoError(t, err, name)
		defer b.Close()
		before := newer.transfers.Load()
		got, err := b.ToHost(ctx)
		require.NoError(t, err, name)
		assert.Equal(t, c.array.Data, got.Data, name)
		assert.Equal(t, c.transfers, newer.transfers.Load()-before, name)
	}
}
