// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestErrorBuffers(t *testing.T) {
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
	_, err = newClient(t).ErrorBuffer(ctx, huge, cause, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "newer than the plugin")
}

func TestBitcast(t *testing.T) {
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
		"other size":     {pjrt.Shape{Type: dtype.F32, Dims: []int64{3}}, nil, "f32[2] cannot be made into f32[3], which has another number of bits"},
		"other bits":     {pjrt.Shape{Type: dtype.U4, Dims: []int64{8}}, nil, "another number of bits"},
		"no type":        {pjrt.Shape{Dims: []int64{2}}, nil, "have no host form"},
		"negative":       {pjrt.Shape{Type: dtype.F32, Dims: []int64{-2}}, nil, "negative dimension"},
		"overflow":       {pjrt.Shape{Type: dtype.F32, Dims: []int64{math.MaxInt64, 2}}, nil, "too large"},
		"strides":        {pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}, &pjrt.Layout{Strides: []int64{4}}, "takes no layout of strides"},
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
	assert.Equal(t, "u32[1,2]", words.Shape().String())
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

	old, err := pjrt.FromScalar(ctx, newClient(t), float32(1))
	require.NoError(t, err)
	defer old.Close()
	_, err = old.Bitcast(ctx, pjrt.Shape{Type: dtype.S32}, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "newer than the plugin")
}

func TestDonationWithAControlDependency(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	donate := func() (*pjrt.Buffer, *pjrt.Dependency) {
		b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		require.NoError(t, err)
		defer b.Close()
		out, d, err := b.DonateWithControlDependency(ctx)
		require.NoError(t, err)
		t.Cleanup(func() { out.Close(); d.Close() })
		gone, err := b.IsDeleted()
		require.NoError(t, err)
		assert.True(t, gone)
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		require.ErrorIs(t, out.Wait(short), context.DeadlineExceeded)
		return out, d
	}
	t.Run("done", func(t *testing.T) {
		out, d := donate()
		require.NoError(t, d.Done(nil))
		got, err := out.ToHost(ctx)
		require.NoError(t, err)
		assert.Equal(t, matrix(1, 2, 3, 4), got)
		require.ErrorIs(t, d.Done(nil), pjrt.ErrClosed, "only once")
	})
	t.Run("failed", func(t *testing.T) {
		out, d := donate()
		require.NoError(t, d.Done(&pjrt.Error{Code: pjrt.ErrAborted, Message: "no such luck"}))
		err := out.Wait(ctx)
		require.ErrorIs(t, err, pjrt.ErrAborted)
		require.ErrorContains(t, err, "no such luck")
	})
	t.Run("closed", func(t *testing.T) {
		out, d := donate()
		require.NoError(t, d.Close())
		require.NoError(t, d.Close())
		require.ErrorIs(t, out.Wait(ctx), pjrt.ErrCancelled)
	})
	t.Run("forgotten", func(t *testing.T) {
		b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		require.NoError(t, err)
		defer b.Close()
		out, _, err := b.DonateWithControlDependency(ctx)
		require.NoError(t, err)
		defer out.Close()
		collectUntilReady(t, out)
		require.ErrorIs(t, out.Wait(ctx), pjrt.ErrCancelled)
	})
	b := upload(t, newClient(t), matrix(1, 2, 3, 4))
	_, _, err := b.DonateWithControlDependency(ctx)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "newer than the plugin")
}

// collectUntilReady collects garbage until what the buffer waits for, which the
// program has forgotten, is given up.
func collectUntilReady(t *testing.T, b *pjrt.Buffer) {
	t.Helper()
	e, err := b.ReadyEvent()
	require.NoError(t, err)
	defer e.Close()
	require.Eventually(t, func() bool {
		runtime.GC()
		ready, err := e.Ready()
		return ready && err == nil
	}, 30*time.Second, time.Millisecond)
}

func TestRawCopiesWhoseDestinationComesLater(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	b, err := pjrt.FromSlice(ctx, client, []uint8{0, 1, 2, 3, 4, 5, 6, 7}, 8)
	require.NoError(t, err)
	defer b.Close()
	start := func() *pjrt.RawCopy {
		r, err := b.CopyRawToHostFuture(ctx, 2, 4)
		require.NoError(t, err)
		t.Cleanup(func() { r.Close() })
		assert.EqualValues(t, 4, r.Size())
		ready, err := r.Event().Ready()
		require.NoError(t, err)
		assert.False(t, ready)
		return r
	}
	t.Run("started", func(t *testing.T) {
		r := start()
		dst := make([]byte, 4)
		require.ErrorContains(t, r.Start(dst[:3]), "the copy takes 4 bytes, there is room for 3")
		require.NoError(t, r.Start(dst))
		require.NoError(t, r.Event().Wait(ctx))
		assert.Equal(t, []byte{2, 3, 4, 5}, dst)
		require.ErrorIs(t, r.Start(dst), pjrt.ErrClosed)
		require.ErrorIs(t, r.Fail(errors.New("late")), pjrt.ErrClosed)
	})
	t.Run("failed", func(t *testing.T) {
		r := start()
		require.ErrorContains(t, r.Fail(nil), "the error is nil")
		require.NoError(t, r.Fail(&pjrt.Error{Code: pjrt.ErrResourceExhausted, Message: "no room"}))
		require.ErrorIs(t, r.Event().Wait(ctx), pjrt.ErrResourceExhausted)
	})
	t.Run("closed", func(t *testing.T) {
		r := start()
		require.NoError(t, r.Close())
		require.NoError(t, r.Close())
		require.ErrorIs(t, r.Start(make([]byte, 4)), pjrt.ErrClosed)
	})
	t.Run("buffer closed before", func(t *testing.T) {
		b, err := pjrt.FromSlice(ctx, client, []uint8{9}, 1)
		require.NoError(t, err)
		r, err := b.CopyRawToHostFuture(ctx, 0, 1)
		require.NoError(t, err)
		defer r.Close()
		b.Close()
		dst := make([]byte, 1)
		require.NoError(t, r.Start(dst))
		require.NoError(t, r.Event().Wait(ctx))
		assert.Equal(t, []byte{9}, dst)
	})
	_, err = b.CopyRawToHostFuture(ctx, 6, 3)
	require.ErrorIs(t, err, pjrt.ErrOutOfRange)
	_, err = b.CopyRawToHostFuture(ctx, 0, -1)
	require.ErrorIs(t, err, pjrt.ErrOutOfRange)
}

func TestTransfersOfLiterals(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	want := matrix(1, 2, 3, 4)
	m, err := client.NewTransferManager(ctx, []pjrt.Shape{want.Shape(), want.Shape(), {Type: dtype.F32, Dims: []int64{0}}}, nil)
	require.NoError(t, err)
	defer m.Close()
	b, err := m.Buffer(0)
	require.NoError(t, err)
	defer b.Close()
	_, err = m.TransferLiteral(3, want)
	require.ErrorIs(t, err, pjrt.ErrOutOfRange)
	_, err = m.TransferLiteral(0, pjrt.ArrayOf([]float32{1, 2, 3, 4}, 4))
	require.ErrorContains(t, err, "the array is f32[4], buffer 0 is f32[2,2]")
	_, err = m.TransferLiteral(0, matrix(1))
	require.ErrorContains(t, err, "takes 16 bytes")
	e, err := m.TransferData(1, make([]byte, 4), 0, false)
	require.NoError(t, err)
	require.NoError(t, e.Wait(ctx))
	e.Close()
	_, err = m.TransferLiteral(1, want)
	require.ErrorContains(t, err, "has got pieces of its data already")
	for i, a := range map[int]pjrt.HostArray{0: want, 2: pjrt.ArrayOf([]float32{}, 0)} {
		e, err := m.TransferLiteral(i, a)
		require.NoError(t, err)
		require.NoError(t, e.Wait(ctx))
		e.Close()
	}
	got, err := b.ToHost(ctx)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	_, err = m.TransferLiteral(0, want)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition, "only once")
}

func TestMemoryIsReadOnlyWhereItIsThatOfTheArray(t *testing.T) {
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
		"packed one":  {pjrt.ArrayOf([]dtype.Uint4{1}), nil, 1},
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
