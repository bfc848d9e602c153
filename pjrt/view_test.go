// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func TestAViewSharesTheMemory(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	for _, m := range append(client.Memories(), nil) {
		data := ints(1024)
		deleted := make(chan struct{})
		v, err := client.ViewOfHostMemory(ctx, pjrt.ArrayOf(data, 1024), &pjrt.ViewOptions{Memory: m, OnDelete: func() { close(deleted) }})
		require.NoError(t, err)
		if m != nil {
			in, err := v.Memory()
			require.NoError(t, err)
			assert.Same(t, m, in)
		}
		data[3] = -3
		got, err := pjrt.ToSlice[int32](ctx, v)
		require.NoError(t, err)
		assert.EqualValues(t, -3, got[3])
		c, err := v.CopyToDevice(ctx, client.Devices()[1])
		require.NoError(t, err)
		assert.False(t, isDone(deleted))
		v.Close()
		done(t, deleted)
		got, err = pjrt.ToSlice[int32](ctx, c)
		require.NoError(t, err)
		assert.EqualValues(t, -3, got[3])
		c.Close()
	}
}

func TestDeviceMemoryCanBeViewed(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	owner, err := client.BufferFromHost(ctx, pjrt.ArrayOf(ints(64), 64), nil)
	require.NoError(t, err)
	defer owner.Close()
	r, err := owner.Reference(ctx)
	require.NoError(t, err)
	address, err := r.Address()
	require.NoError(t, err)
	v, err := raw.ViewOfDeviceMemory(ctx, client, address+64, pjrt.Shape{Type: dtype.S32, Dims: []int64{4, 4}},
		&pjrt.ViewOptions{OnDelete: func() { r.Close() }})
	require.NoError(t, err)
	at, err := raw.UnsafePointer(ctx, v)
	require.NoError(t, err)
	assert.Equal(t, address+64, at)
	got, err := pjrt.ToSlice[int32](ctx, v)
	require.NoError(t, err)
	assert.Equal(t, ints(64)[16:32], got)
	v.Close()
	require.Eventually(t, func() bool { return raw.References(owner) == 0 }, 30e9, 1e6)
}

func TestAViewKeepsItsMemory(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	v, err := client.ViewOfHostMemory(ctx, pjrt.ArrayOf(ints(1<<16), 1<<16), nil)
	require.NoError(t, err)
	defer v.Close()
	for range 3 {
		runtime.GC()
		for range 8 { // would overwrite memory that was collected
			clear(ints(1 << 16))
		}
	}
	got, err := pjrt.ToSlice[int32](ctx, v)
	require.NoError(t, err)
	assert.Equal(t, ints(1<<16), got)
}

// Plugins say only of a buffer whether the host can read it, so this takes an upload.
func TestViewsAskOnceForEachPlaceWhetherItIsOnTheHost(t *testing.T) {
	ctx := t.Context()
	p := pjrttest.New(t, pjrttest.Options{Devices: 2, HostDevices: true})
	client := p.Client()
	data := pjrt.ArrayOf(pjrt.AlignedSlice[float32](4), 4)
	before := p.Calls("PJRT_Client_BufferFromHostBuffer")
	for _, d := range []*pjrt.Device{nil, client.Devices()[0], client.Devices()[1], client.Devices()[1]} {
		for range 2 {
			v, err := client.ViewOfHostMemory(ctx, data, &pjrt.ViewOptions{Device: d})
			require.NoError(t, err)
			v.Close()
		}
	}
	assert.Equal(t, 2, p.Calls("PJRT_Client_BufferFromHostBuffer")-before)
	_, err := client.ViewOfHostMemory(ctx, data, &pjrt.ViewOptions{Device: newClient(t).Devices()[0]})
	require.ErrorContains(t, err, "client")
}

func TestViewsMayBeEmpty(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	for _, a := range []pjrt.HostArray{pjrt.ArrayOf[float32](nil, 0), pjrt.ArrayOf([]float32{}, 2, 0)} {
		v, err := client.ViewOfHostMemory(ctx, a, nil)
		require.NoError(t, err)
		got, err := v.ToHost(ctx)
		require.NoError(t, err)
		assert.Equal(t, a.Dims, got.Dims)
		v.Close()
	}
}

func TestMisuseOfViewsIsRefused(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	shape := pjrt.Shape{Type: dtype.S32, Dims: []int64{4}}
	called := func() { t.Error("OnDelete of a view that was not made") }
	for name, c := range map[string]struct {
		address uintptr
		shape   pjrt.Shape
		opts    pjrt.ViewOptions
		want    string
	}{
		"null":           {0, shape, pjrt.ViewOptions{}, "the address of the view is 0"},
		"unaligned":      {1<<20 + 4, shape, pjrt.ViewOptions{}, "the address 0x100004 of the view is not a multiple of 64"},
		"no type":        {1 << 20, pjrt.Shape{}, pjrt.ViewOptions{}, "have no host form"},
		"negative":       {1 << 20, pjrt.Shape{Type: dtype.S32, Dims: []int64{-1}}, pjrt.ViewOptions{}, "negative dimension"},
		"layout":         {1 << 20, shape, pjrt.ViewOptions{Layout: pjrt.RowMajor(2)}, "orders 2 dimensions"},
		"strides":        {1 << 20, shape, pjrt.ViewOptions{Layout: &pjrt.Layout{Strides: []int64{4}}}, "Strides is not supported"},
		"foreign device": {1 << 20, shape, pjrt.ViewOptions{Device: other.Devices()[0]}, "belongs to another client"},
		"foreign memory": {1 << 20, shape, pjrt.ViewOptions{Memory: other.Memories()[0]}, "belongs to another client"},
		"both":           {1 << 20, shape, pjrt.ViewOptions{Device: client.Devices()[0], Memory: client.Memories()[0]}, "set one of them"},
	} {
		c.opts.OnDelete = called
		_, err := raw.ViewOfDeviceMemory(ctx, client, c.address, c.shape, &c.opts)
		require.Error(t, err, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	_, err := raw.ViewOfDeviceMemory(ctx, olderClient(t), 1<<20, pjrt.Shape{Type: dtype.F6E2M3FN, Dims: []int64{64}}, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	aligned := pjrt.AlignedSlice[int32](8)
	for name, c := range map[string]struct {
		array pjrt.HostArray
		opts  pjrt.ViewOptions
		want  string
	}{
		"unaligned": {pjrt.ArrayOf(aligned[1:5], 4), pjrt.ViewOptions{}, "is not a multiple of 64: use memory of AlignedSlice"},
		"short":     {pjrt.HostArray{Type: dtype.S32, Dims: []int64{9}, Data: dtype.Bytes(aligned)}, pjrt.ViewOptions{}, "takes 36 bytes"},
		"packed":    {pjrt.ArrayOf(pjrt.AlignedSlice[dtype.Int4](8), 8), pjrt.ViewOptions{}, "devices pack"},
		"layout":    {pjrt.ArrayOf(aligned, 2, 4), pjrt.ViewOptions{Layout: &pjrt.Layout{MinorToMajor: []int{0, 1}}}, "arrays on the host are row-major"},
	} {
		c.opts.OnDelete = called
		_, err := client.ViewOfHostMemory(ctx, c.array, &c.opts)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = client.ViewOfHostMemory(ended, pjrt.ArrayOf(aligned, 8), nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, other.Close())
	_, err = other.ViewOfHostMemory(ctx, pjrt.ArrayOf(aligned, 8), nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

// XLA's CPU plugin calls the callback without checking whether it has one.
func TestAViewNeedsNoOnDelete(t *testing.T) {
	if !inChild(t) {
		return
	}
	ctx := context.Background()
	client := newClient(t)
	data := pjrt.AlignedSlice[float32](4)
	for _, opts := range []*pjrt.ViewOptions{nil, {}, {Device: client.Devices()[0]}} {
		host, err := client.ViewOfHostMemory(ctx, pjrt.ArrayOf(data), opts)
		require.NoError(t, err)
		address, err := raw.UnsafePointer(ctx, host)
		require.NoError(t, err)
		device, err := raw.ViewOfDeviceMemory(ctx, client, address, host.Shape(), opts)
		require.NoError(t, err)
		require.NoError(t, device.Close())
		require.NoError(t, host.Close())
	}
}
