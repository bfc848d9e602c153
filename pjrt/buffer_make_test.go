// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestMisuseOfBuffersWithoutHostMemoryIsAnErrorHere(t *testing.T) {
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
		"alias": func(ctx context.Context, s pjrt.Shape, o *pjrt.BufferOptions) error {
			b, f, err := client.AliasBuffer(ctx, s, o)
			if err == nil {
				b.Close()
				f.Close()
			}
			return err
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
		"semantics":      {good, pjrt.BufferOptions{Semantics: pjrt.MutableZeroCopy}, "semantics and strides are for buffers made from the host's memory"},
		"strides":        {good, pjrt.BufferOptions{Strides: []int64{4}}, "semantics and strides are for"},
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
	require.ErrorIs(t, makers["uninitialized"](ctx, pjrt.Shape{Type: dtype.F6E2M3FN, Dims: []int64{4}}, nil), pjrt.ErrUnimplemented)
	require.NoError(t, other.Close())
	_, err := other.UninitializedBuffer(ctx, good, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, _, err = other.AliasBuffer(ctx, good, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = other.NewTransferManager(ctx, []pjrt.Shape{good}, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestAnAliasStandsForAnotherBuffer(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	want := matrix(1, 2, 3, 4)
	t.Run("in a computation", func(t *testing.T) {
		exe := compile(t, client, add)
		a, f := pending(t, client, want.Shape())
		results := make(chan *pjrt.Buffer)
		go func() {
			outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, a}, nil)
			assert.NoError(t, err)
			results <- outs[0]
		}()
		time.Sleep(5 * time.Millisecond)
		assert.Empty(t, results)
		require.NoError(t, f.Fulfill(upload(t, client, want)))
		out := <-results
		defer out.Close()
		got, err := out.ToHost(ctx)
		require.NoError(t, err)
		assert.Equal(t, matrix(2, 4, 6, 8), got)
	})
	t.Run("that does not fit", func(t *testing.T) {
		a, f := pending(t, client, want.Shape())
		elsewhere, err := client.BufferFromHost(ctx, want, &pjrt.BufferOptions{Device: client.Devices()[1]})
		require.NoError(t, err)
		defer elsewhere.Close()
		columns, err := client.BufferFromHost(ctx, want, &pjrt.BufferOptions{Layout: &pjrt.Layout{MinorToMajor: []int{0, 1}}})
		require.NoError(t, err)
		defer columns.Close()
		for name, c := range map[string]struct {
			buffer *pjrt.Buffer
			want   string
		}{
			"nil":     {nil, "the buffer is nil"},
			"itself":  {a, "an alias cannot stand for itself"},
			"foreign": {upload(t, other, want), "belongs to another client"},
			"shape":   {upload(t, client, pjrt.ArrayOf([]float32{1}, 1)), "the buffer is f32[1], the alias f32[2,2]"},
			"memory":  {elsewhere, "in another memory than the alias"},
			"layout":  {columns, "the buffer has the layout {0,1}, the alias {1,0}"},
		} {
			err := f.Fulfill(c.buffer)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
			assert.ErrorContains(t, err, c.want, name)
		}
		require.ErrorContains(t, f.Fail(nil), "the error is nil")
		require.NoError(t, f.Fulfill(upload(t, client, want)), "the alias still waits")
		require.NoError(t, a.Wait(ctx))
		require.ErrorIs(t, f.Fulfill(upload(t, client, want)), pjrt.ErrClosed, "only once")
		require.ErrorIs(t, f.Fail(errors.New("late")), pjrt.ErrClosed)
	})
	t.Run("that fails", func(t *testing.T) {
		a, f := pending(t, client, want.Shape())
		require.NoError(t, f.Fail(&pjrt.Error{Code: pjrt.ErrNotFound, Message: "nowhere"}))
		err := a.Wait(ctx)
		require.ErrorIs(t, err, pjrt.ErrNotFound)
		require.ErrorContains(t, err, "nowhere")
	})
	t.Run("that is given up", func(t *testing.T) {
		a, f := pending(t, client, want.Shape())
		require.NoError(t, f.Close())
		require.NoError(t, f.Close())
		require.ErrorIs(t, a.Wait(ctx), pjrt.ErrCancelled)
		var none *pjrt.Fulfillment
		require.NoError(t, none.Close())
	})
	t.Run("that is forgotten", func(t *testing.T) {
		a, _, err := client.AliasBuffer(ctx, want.Shape(), nil)
		require.NoError(t, err)
		defer a.Close()
		collectUntilReady(t, a)
		require.ErrorIs(t, a.Wait(ctx), pjrt.ErrCancelled)
	})
	t.Run("after its end", func(t *testing.T) {
		for _, settle := range []func(*pjrt.Fulfillment) error{
			func(f *pjrt.Fulfillment) error { return f.Fulfill(upload(t, client, want)) },
			func(f *pjrt.Fulfillment) error { return f.Fail(errors.New("late")) },
			(*pjrt.Fulfillment).Close,
		} {
			a, f, err := client.AliasBuffer(ctx, want.Shape(), nil)
			require.NoError(t, err)
			require.NoError(t, a.Close())
			require.NoError(t, settle(f))
		}
	})
	t.Run("after its client's end", func(t *testing.T) {
		c := newClient(t)
		a, f, err := c.AliasBuffer(ctx, want.Shape(), nil)
		require.NoError(t, err)
		b, err := c.BufferFromHost(ctx, want, nil)
		require.NoError(t, err)
		defer b.Close()
		require.NoError(t, c.Close())
		require.NoError(t, f.Fulfill(b))
		got, err := a.ToHost(ctx)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		a.Close()
	})
}

// donating adds to its argument in place.
const donating = `module @donating {
  func.func @main(%x: tensor<1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024xf32> {
    %0 = stablehlo.add %x, %x : tensor<1024xf32>
    return %0 : tensor<1024xf32>
  }
}`

func TestDonationOfTheHostsMemory(t *testing.T) {
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

	// A reference keeps the memory from the program.
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
