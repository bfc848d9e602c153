// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

func TestMisuseOfBuffersWithoutHostMemoryIsRefused(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	good := pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}
	makers := map[string]func(context.Context, pjrt.Shape, *pjrt.BufferOptions) error{
		"uninitialized": func(ctx context.Context, s pjrt.Shape, o *pjrt.BufferOptions) error {
			return closing(client.UninitializedBuffer(ctx, s, o))
		},
		"error": func(ctx context.Context, s pjrt.Shape, o *pjrt.BufferOptions) error {
			return closing(newerClient(t).ErrorBuffer(ctx, s, errors.New("x"), o))
		},
	}
	cases := map[string]struct {
		shape pjrt.Shape
		opts  pjrt.BufferOptions
		want  string
	}{
		"no type":        {pjrt.Shape{}, pjrt.BufferOptions{}, "have no host form"},
		"token":          {pjrt.Shape{Type: dtype.Token}, pjrt.BufferOptions{}, "have no host form"},
		"negative":       {pjrt.Shape{Type: dtype.F32, Dims: []int64{-2}}, pjrt.BufferOptions{}, "negative dimension"},
		"overflow":       {pjrt.Shape{Type: dtype.F32, Dims: []int64{math.MaxInt64, 2}}, pjrt.BufferOptions{}, "too large"},
		"layout":         {good, pjrt.BufferOptions{Layout: pjrt.RowMajor(2)}, "orders 2 dimensions"},
		"semantics":      {good, pjrt.BufferOptions{Semantics: pjrt.MutableZeroCopy}, "options Semantics and Strides are only for buffers made from host memory"},
		"strides":        {good, pjrt.BufferOptions{Strides: []int64{4}}, "options Semantics and Strides are only for"},
		"foreign device": {good, pjrt.BufferOptions{Device: other.Devices()[0]}, "belongs to another client"},
		"foreign memory": {good, pjrt.BufferOptions{Memory: other.Memories()[0]}, "belongs to another client"},
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, create := range makers {
		for what, c := range cases {
			err := create(ctx, c.shape, &c.opts)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name+" "+what)
			assert.ErrorContains(t, err, c.want, name+" "+what)
		}
		require.ErrorIs(t, create(ended, good, nil), context.Canceled, name)
	}
	_, err := olderClient(t).UninitializedBuffer(ctx, pjrt.Shape{Type: dtype.F6E2M3FN, Dims: []int64{4}}, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "a type that is newer than the plugin")
	require.NoError(t, other.Close())
	_, err = other.UninitializedBuffer(ctx, good, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

// donating adds to its argument in place.
const donating = `module @donating {
  func.func @main(%x: tensor<1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024xf32> {
    %0 = stablehlo.add %x, %x : tensor<1024xf32>
    return %0 : tensor<1024xf32>
  }
}`

func TestDonatedHostMemoryBelongsToTheResult(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, donating)
	run := func(b *pjrt.Buffer) *pjrt.Buffer {
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{b}, nil)
		require.NoError(t, err)
		got, err := pjrt.ToSlice[float32](ctx, outs[0])
		require.NoError(t, err)
		require.EqualValues(t, 2, got[1023])
		return outs[0]
	}
	ones := func() []float32 {
		s := pjrt.AlignedSlice[float32](1024)
		for i := range s {
			s[i] = 1
		}
		return s
	}
	for semantics, left := range map[pjrt.HostBufferSemantics]float32{pjrt.ImmutableZeroCopy: 1, pjrt.MutableZeroCopy: 2} {
		data := ones()
		b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data, 1024), &pjrt.BufferOptions{Semantics: semantics})
		require.NoError(t, err)
		out := run(b)
		gone, err := b.IsDeleted()
		require.NoError(t, err)
		assert.True(t, gone, semantics)
		assert.Equal(t, left, data[0], semantics)
		b.Close()
		if semantics == pjrt.MutableZeroCopy {
			assert.False(t, isDone(b.HostDone()), "the result still is the memory")
		}
		out.Close()
		done(t, b.HostDone())
	}

	// A buffer with a reference is not donated.
	data := ones()
	b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data, 1024), &pjrt.BufferOptions{Semantics: pjrt.MutableZeroCopy})
	require.NoError(t, err)
	r, err := b.Reference(ctx)
	require.NoError(t, err)
	if outs, err := exe.Execute(ctx, []*pjrt.Buffer{b}, nil); err == nil {
		outs[0].Close()
	}
	assert.EqualValues(t, 1, data[0])
	r.Close()
	b.Close()
	done(t, b.HostDone())
}

// An upload that is over, well or not, keeps neither the memory of the host nor the options.
func TestUploadsKeepNothingReachable(t *testing.T) {
	ctx := context.Background()
	p := pjrttest.New(t, pjrttest.Options{})
	client := p.Client()
	gone := make(chan string, 8)
	want := 0
	note := func(data *[256]float32, opts *pjrt.BufferOptions) {
		runtime.AddCleanup(data, func(what string) { gone <- what }, "data")
		want++
		if opts != nil {
			runtime.AddCleanup(&opts.Strides[0], func(what string) { gone <- what }, "strides")
			want++
		}
	}
	for _, fails := range []bool{false, true} {
		// Go may put a few bytes without pointers together with others that live longer, so the
		// strides have more.
		for _, opts := range []*pjrt.BufferOptions{nil, {Strides: append(make([]int64, 0, 8), 4)}} {
			data := new([256]float32)
			note(data, opts)
			if fails {
				p.Fail("PJRT_Client_BufferFromHostBuffer", pjrt.ErrInternal, "no", pjrttest.Times(1))
			}
			b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data[:], 256), opts)
			assert.Equal(t, fails, err != nil)
			require.NoError(t, b.Close())
		}
	}
	collect(t, want, gone)
	runtime.KeepAlive(client)
}
