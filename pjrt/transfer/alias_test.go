// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// add is a program of two arguments and one result.
const add = `module @add {
  func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}`

// pending returns a buffer whose contents have not arrived yet.
func pending(t testing.TB, c *pjrt.Client, shape pjrt.Shape) (*pjrt.Buffer, *transfer.Alias) {
	t.Helper()
	b, a, err := transfer.NewAlias(context.Background(), c, shape, nil)
	require.NoError(t, err)
	t.Cleanup(func() { a.Close(); b.Close() })
	return b, a
}

func TestAnAliasStandsForAnotherBuffer(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	want := matrix(1, 2, 3, 4)
	t.Run("in a computation", func(t *testing.T) {
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
		require.NoError(t, err)
		defer exe.Close()
		a, f := pending(t, client, want.Shape())
		outs, x, err := exe.Start(ctx, []*pjrt.Buffer{a, a}, nil)
		require.NoError(t, err)
		defer x.Close()
		out := outs[0]
		defer out.Close()
		ready, err := x.Ready()
		require.NoError(t, err)
		assert.False(t, ready)
		require.NoError(t, f.Fulfill(upload(t, client, want)))
		got, err := out.ToHost(ctx)
		require.NoError(t, err)
		assert.Equal(t, matrix(2, 4, 6, 8), got)
	})
	t.Run("that does not match", func(t *testing.T) {
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
			"shape":   {upload(t, client, pjrt.ArrayOf([]float32{1}, 1)), "the buffer has the shape f32[1], but the alias has f32[2,2]"},
			"memory":  {elsewhere, "they must be in the same memory"},
			"layout":  {columns, "the buffer has the layout {0,1}, but the alias has {1,0}"},
		} {
			err := f.Fulfill(c.buffer)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
			assert.ErrorContains(t, err, c.want, name)
		}
		require.ErrorContains(t, f.Fail(nil), "the error is nil; Fulfill is for success")
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
	})
	t.Run("that is forgotten", func(t *testing.T) {
		a, _, err := transfer.NewAlias(ctx, client, want.Shape(), nil)
		require.NoError(t, err)
		defer a.Close()
		collectUntilReady(t, a)
		require.ErrorIs(t, a.Wait(ctx), pjrt.ErrCancelled)
	})
	t.Run("after its end", func(t *testing.T) {
		for _, settle := range []func(*transfer.Alias) error{
			func(f *transfer.Alias) error { return f.Fulfill(upload(t, client, want)) },
			func(f *transfer.Alias) error { return f.Fail(errors.New("late")) },
			(*transfer.Alias).Close,
		} {
			a, f, err := transfer.NewAlias(ctx, client, want.Shape(), nil)
			require.NoError(t, err)
			require.NoError(t, a.Close())
			require.NoError(t, settle(f))
		}
	})
	t.Run("after its client's end", func(t *testing.T) {
		c := newClient(t)
		a, f, err := transfer.NewAlias(ctx, c, want.Shape(), nil)
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

func TestMisuseOfAliasesIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	good := pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}
	for name, c := range map[string]struct {
		shape pjrt.Shape
		opts  pjrt.BufferOptions
		want  string
	}{
		"no type":        {pjrt.Shape{}, pjrt.BufferOptions{}, "have no host form"},
		"token":          {pjrt.Shape{Type: dtype.Token}, pjrt.BufferOptions{}, "have no host form"},
		"negative":       {pjrt.Shape{Type: dtype.F32, Dims: []int64{-2}}, pjrt.BufferOptions{}, "negative dimension"},
		"overflow":       {pjrt.Shape{Type: dtype.F32, Dims: []int64{math.MaxInt64, 2}}, pjrt.BufferOptions{}, "too large"},
		"layout":         {good, pjrt.BufferOptions{Layout: pjrt.RowMajor(2)}, "orders 2 dimensions"},
		"semantics":      {good, pjrt.BufferOptions{Semantics: pjrt.MutableZeroCopy}, "an alias takes no semantics and no strides"},
		"strides":        {good, pjrt.BufferOptions{Strides: []int64{4}}, "an alias takes no semantics and no strides"},
		"foreign device": {good, pjrt.BufferOptions{Device: other.Devices()[0]}, "belongs to another client"},
		"foreign memory": {good, pjrt.BufferOptions{Memory: other.Memories()[0]}, "belongs to another client"},
	} {
		_, _, err := transfer.NewAlias(ctx, client, c.shape, &c.opts)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err := transfer.NewAlias(ended, client, good, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, other.Close())
	_, _, err = transfer.NewAlias(ctx, other, good, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, _, err = transfer.NewAlias(ctx, nil, good, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	for _, none := range []*transfer.Alias{nil, {}} {
		require.ErrorIs(t, none.Fulfill(upload(t, client, matrix(1, 2, 3, 4))), pjrt.ErrInvalidArgument)
		require.ErrorIs(t, none.Fail(errors.New("x")), pjrt.ErrInvalidArgument)
		require.NoError(t, none.Close())
	}
}

// What waits for itself would never arrive, and the plugin would keep its objects for
// ever.
func TestAnAliasIsNotFulfilledWithContentsThatWaitForIt(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	device := client.AddressableDevices()[0]
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	want := matrix(1, 2, 3, 4)
	copied := func(t *testing.T, b *pjrt.Buffer) *pjrt.Buffer {
		t.Helper()
		c, err := b.CopyToDevice(ctx, device)
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	}
	started := func(t *testing.T, outs []*pjrt.Buffer, x *pjrt.Event, err error) *pjrt.Buffer {
		t.Helper()
		require.NoError(t, err)
		t.Cleanup(func() { x.Close(); outs[0].Close() })
		return outs[0]
	}
	one := upload(t, client, want)
	for name, of := range map[string]func(*testing.T, *pjrt.Buffer) *pjrt.Buffer{
		"a copy":           copied,
		"a copy of a copy": func(t *testing.T, b *pjrt.Buffer) *pjrt.Buffer { return copied(t, copied(t, b)) },
		"a copy in a memory": func(t *testing.T, b *pjrt.Buffer) *pjrt.Buffer {
			m, err := b.Memory()
			require.NoError(t, err)
			c, err := b.CopyToMemory(ctx, m)
			require.NoError(t, err)
			t.Cleanup(func() { c.Close() })
			return c
		},
		"a result": func(t *testing.T, b *pjrt.Buffer) *pjrt.Buffer {
			outs, x, err := exe.Start(ctx, []*pjrt.Buffer{one, b}, nil)
			return started(t, outs, x, err)
		},
		"a result of bound arguments": func(t *testing.T, b *pjrt.Buffer) *pjrt.Buffer {
			bound, err := exe.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
			require.NoError(t, err)
			t.Cleanup(func() { bound.Close() })
			outs, x, err := exe.Start(ctx, []*pjrt.Buffer{one}, &pjrt.ExecuteOptions{Bound: bound})
			return started(t, outs, x, err)
		},
		"another alias": func(t *testing.T, b *pjrt.Buffer) *pjrt.Buffer {
			second, f := pending(t, client, want.Shape())
			c := copied(t, second)
			require.NoError(t, f.Fulfill(copied(t, b)))
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, a := pending(t, client, want.Shape())
			waits := of(t, b)
			err := a.Fulfill(waits)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, "wait for those of the alias")
			// The alias is still to be fulfilled, and nothing waits for ever.
			require.NoError(t, a.Fulfill(upload(t, client, want)))
			require.NoError(t, waits.Wait(ctx))
			// What no longer waits is not refused either.
			_, next := pending(t, client, want.Shape())
			assert.NoError(t, next.Fulfill(waits))
		})
	}
}

func TestAnAliasGoesWhereTheOptionsSay(t *testing.T) {
	client := newClient(t)
	shape := pjrt.Shape{Type: dtype.S32, Dims: []int64{3, 2}}
	b, a, err := transfer.NewAlias(t.Context(), client, shape, &pjrt.BufferOptions{
		Device: client.Devices()[1], Layout: &pjrt.Layout{MinorToMajor: []int{0, 1}},
	})
	require.NoError(t, err)
	defer b.Close()
	defer a.Close()
	d, err := b.Device()
	require.NoError(t, err)
	assert.Same(t, client.Devices()[1], d)
	l, err := b.Layout()
	require.NoError(t, err)
	assert.Equal(t, "{0,1}", l.String())
	assert.Equal(t, shape, b.Shape())
}
