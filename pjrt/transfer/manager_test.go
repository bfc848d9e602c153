// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

func send(t testing.TB, m *transfer.Manager, index int, data []byte, offset int64, last bool) {
	t.Helper()
	e, err := m.Send(index, data, offset, last)
	require.NoError(t, err)
	require.NoError(t, e.Wait(context.Background()))
	e.Close()
}

func TestPiecesComeInAnyOrder(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	const n, size, piece = 3, 4000, 10
	shapes := make([]pjrt.Shape, n)
	for i := range shapes {
		shapes[i] = pjrt.Shape{Type: dtype.S32, Dims: []int64{size / 4}}
	}
	m, err := transfer.NewManager(ctx, client, shapes, &transfer.ManagerOptions{Device: client.Devices()[1]})
	require.NoError(t, err)
	defer m.Close()
	assert.Equal(t, n, m.Len())
	d, err := m.Device()
	require.NoError(t, err)
	assert.Same(t, client.Devices()[1], d)
	require.NoError(t, m.AddMetadata(map[string]string{"step": "7", "empty": ""}))
	require.NoError(t, m.AddMetadata(nil))
	data := pjrt.ArrayOf(ints(size/4), size/4).Data
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			bytes, err := m.Size(i)
			assert.NoError(t, err)
			assert.EqualValues(t, size, bytes)
			b, err := m.Buffer(i)
			if !assert.NoError(t, err) {
				return
			}
			defer b.Close()
			order := rand.New(rand.NewPCG(uint64(i), 1)).Perm(size / piece)
			for j, k := range order {
				e, err := b.ReadyEvent()
				assert.NoError(t, err)
				ready, err := e.Ready()
				assert.NoError(t, err)
				assert.False(t, ready, "before piece %d", j)
				e.Close()
				send(t, m, i, data[k*piece:][:piece], int64(k*piece), j == len(order)-1)
			}
			got, err := pjrt.ToSlice[int32](ctx, b)
			assert.NoError(t, err)
			assert.Equal(t, ints(size/4), got)
		})
	}
	wg.Wait()
}

func TestMisuseOfATransferManagerIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	shape := pjrt.Shape{Type: dtype.U8, Dims: []int64{8}}
	for name, c := range map[string]struct {
		shapes []pjrt.Shape
		opts   transfer.ManagerOptions
		want   string
	}{
		"no shapes":      {nil, transfer.ManagerOptions{}, "needs at least one shape"},
		"no type":        {[]pjrt.Shape{shape, {}}, transfer.ManagerOptions{}, "have no host form"},
		"negative":       {[]pjrt.Shape{{Type: dtype.U8, Dims: []int64{-1}}}, transfer.ManagerOptions{}, "negative dimension"},
		"layouts":        {[]pjrt.Shape{shape, shape}, transfer.ManagerOptions{Layouts: []*pjrt.Layout{nil}}, "there are 1 layouts for 2 shapes"},
		"layout":         {[]pjrt.Shape{shape}, transfer.ManagerOptions{Layouts: []*pjrt.Layout{pjrt.RowMajor(2)}}, "orders 2 dimensions"},
		"foreign memory": {[]pjrt.Shape{shape}, transfer.ManagerOptions{Memory: other.Memories()[0]}, "belongs to another client"},
		"foreign device": {[]pjrt.Shape{shape}, transfer.ManagerOptions{Device: other.Devices()[0]}, "belongs to another client"},
		"both":           {[]pjrt.Shape{shape}, transfer.ManagerOptions{Device: client.Devices()[0], Memory: client.Memories()[0]}, "set one of them"},
	} {
		_, err := transfer.NewManager(ctx, client, c.shapes, &c.opts)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	_, err := transfer.NewManager(ctx, olderClient(t), []pjrt.Shape{{Type: dtype.F6E2M3FN, Dims: []int64{4}}}, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "a type that is newer than the plugin")

	m, err := transfer.NewManager(ctx, client, []pjrt.Shape{shape, shape}, nil)
	require.NoError(t, err)
	defer m.Close()
	for _, i := range []int{-1, 2, math.MaxInt32 + 1, math.MinInt} {
		_, err := m.Size(i)
		require.ErrorIs(t, err, pjrt.ErrOutOfRange)
		require.ErrorContains(t, err, "is not among the 2 of the transfer manager")
		_, err = m.Buffer(i)
		require.ErrorIs(t, err, pjrt.ErrOutOfRange)
		_, err = m.Send(i, nil, 0, true)
		require.ErrorIs(t, err, pjrt.ErrOutOfRange)
		_, err = m.SendArray(i, pjrt.HostArray{})
		require.ErrorIs(t, err, pjrt.ErrOutOfRange)
		require.ErrorIs(t, m.Fail(i, errors.New("x")), pjrt.ErrOutOfRange)
	}
	for _, c := range []struct {
		size   int
		offset int64
	}{{9, 0}, {1, 8}, {0, 9}, {1, -1}, {1, math.MaxInt64}, {0, math.MinInt64}} {
		_, err := m.Send(0, make([]byte, c.size), c.offset, false)
		require.ErrorIs(t, err, pjrt.ErrOutOfRange, c)
	}
	b, err := m.Buffer(0)
	require.NoError(t, err)
	defer b.Close()
	_, err = m.Buffer(0)
	require.ErrorContains(t, err, "buffer 0 was already handed out")
	require.ErrorContains(t, m.Fail(0, nil), "the error is nil")
	require.ErrorContains(t, m.AddMetadata(map[string]string{"": "x"}), "has no name")

	send(t, m, 0, []byte{0, 1, 2}, 0, false)
	send(t, m, 0, []byte{6, 7}, 6, false)
	_, err = m.Send(0, nil, 0, true)
	require.ErrorContains(t, err, "the last piece of buffer 0 leaves a gap at byte 3 of 8")
	send(t, m, 0, []byte{2, 3, 4, 5, 6}, 2, false)
	send(t, m, 0, nil, 0, true)
	got, err := pjrt.ToSlice[uint8](ctx, b)
	require.NoError(t, err)
	assert.Equal(t, []uint8{0, 1, 2, 3, 4, 5, 6, 7}, got)
	_, err = m.Send(0, nil, 0, false)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.ErrorIs(t, m.Fail(0, errors.New("late")), pjrt.ErrFailedPrecondition)

	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	for name, err := range map[string]error{
		"Buffer":      func() error { _, err := m.Buffer(1); return err }(),
		"Device":      func() error { _, err := m.Device(); return err }(),
		"Send":        func() error { _, err := m.Send(1, nil, 0, false); return err }(),
		"Fail":        m.Fail(1, errors.New("x")),
		"AddMetadata": m.AddMetadata(nil),
	} {
		require.ErrorIs(t, err, pjrt.ErrClosed, name)
	}
	_, err = transfer.NewManager(ctx, nil, []pjrt.Shape{shape}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.NoError(t, other.Close())
	_, err = transfer.NewManager(ctx, other, []pjrt.Shape{shape}, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	for _, none := range []*transfer.Manager{nil, {}} {
		for name, err := range map[string]error{
			"Size":        func() error { _, err := none.Size(0); return err }(),
			"Device":      func() error { _, err := none.Device(); return err }(),
			"Buffer":      func() error { _, err := none.Buffer(0); return err }(),
			"Send":        func() error { _, err := none.Send(0, nil, 0, true); return err }(),
			"SendArray":   func() error { _, err := none.SendArray(0, pjrt.HostArray{}); return err }(),
			"Fail":        none.Fail(0, errors.New("x")),
			"AddMetadata": none.AddMetadata(nil),
		} {
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		}
		assert.Zero(t, none.Len())
		require.NoError(t, none.Close())
	}
}

func TestUnfinishedTransfersFail(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	shape := pjrt.Shape{Type: dtype.U8, Dims: []int64{2}}
	m, err := transfer.NewManager(ctx, client, []pjrt.Shape{shape, shape, shape}, nil)
	require.NoError(t, err)
	var buffers []*pjrt.Buffer
	for i := range 3 {
		b, err := m.Buffer(i)
		require.NoError(t, err)
		defer b.Close()
		buffers = append(buffers, b)
	}
	require.NoError(t, m.Fail(0, &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "lost"}))
	require.ErrorIs(t, m.Fail(0, errors.New("again")), pjrt.ErrFailedPrecondition)
	_, err = m.Send(0, nil, 0, false)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	send(t, m, 1, []byte{1, 2}, 0, true)
	send(t, m, 2, []byte{1}, 0, false)
	require.NoError(t, m.Close())
	require.ErrorIs(t, buffers[0].Wait(ctx), pjrt.ErrDataLoss)
	require.ErrorContains(t, buffers[0].Wait(ctx), "lost")
	require.NoError(t, buffers[1].Wait(ctx), "a complete buffer outlives the manager")
	require.ErrorIs(t, buffers[2].Wait(ctx), pjrt.ErrInternal)
}

func TestTransfersOfLiterals(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	want := matrix(1, 2, 3, 4)
	m, err := transfer.NewManager(ctx, client, []pjrt.Shape{want.Shape(), want.Shape(), {Type: dtype.F32, Dims: []int64{0}}}, nil)
	require.NoError(t, err)
	defer m.Close()
	b, err := m.Buffer(0)
	require.NoError(t, err)
	defer b.Close()
	_, err = m.SendArray(3, want)
	require.ErrorIs(t, err, pjrt.ErrOutOfRange)
	_, err = m.SendArray(0, pjrt.ArrayOf([]float32{1, 2, 3, 4}, 4))
	require.ErrorContains(t, err, "the array has the shape f32[4], but buffer 0 has f32[2,2]")
	_, err = m.SendArray(0, matrix(1))
	require.ErrorContains(t, err, "takes 16 bytes")
	e, err := m.Send(1, make([]byte, 4), 0, false)
	require.NoError(t, err)
	require.NoError(t, e.Wait(ctx))
	e.Close()
	_, err = m.SendArray(1, want)
	require.ErrorContains(t, err, "already has pieces of its data")
	for i, a := range map[int]pjrt.HostArray{0: want, 2: pjrt.ArrayOf([]float32{}, 0)} {
		e, err := m.SendArray(i, a)
		require.NoError(t, err)
		require.NoError(t, e.Wait(ctx))
		e.Close()
	}
	got, err := b.ToHost(ctx)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	_, err = m.SendArray(0, want)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition, "only once")
}
