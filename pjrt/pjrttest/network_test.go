// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// The C names of the functions that transfer between processes.
const (
	sends    = "PJRT_Transfers_PJRT_Client_CrossHostSendBuffers"
	receives = "PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers"
	makes    = "PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers"
	copies   = "PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice"
)

// job starts the plugins of two processes. The devices of the second one come after those
// of the first one.
func job(t testing.TB, opts pjrttest.Options) (a, b *world) {
	t.Helper()
	opts.Network, opts.Processes, opts.NoLeaks = new(pjrttest.Network), 2, true
	a = start(t, opts)
	opts.ProcessIndex = 1
	return a, start(t, opts)
}

// first returns the first device of the process.
func (w *world) first() *pjrt.Device { return w.c.AddressableDevices()[0] }

// of returns the device of another process's client as this process sees it.
func (w *world) of(d *pjrt.Device) *pjrt.Device { return w.c.Devices()[d.ID()] }

// way is a way of transferring a buffer. It is called once; either function of what it
// returns may be called first.
type way func(t testing.TB, a, b *world) passage

// passage begins the two ends of a transfer. Each function returns a wait for the end.
type passage struct {
	send    func(b *pjrt.Buffer) (wait func(context.Context) error)
	receive func(shape pjrt.Shape, layout *pjrt.Layout) *pjrt.Buffer
}

var transferKeys atomic.Int64

// ways are the ways of transferring a buffer from process a to process b.
var ways = map[string]way{
	"by key": func(t testing.TB, a, b *world) passage {
		key := transferKeys.Add(1)
		return passage{
			func(x *pjrt.Buffer) func(context.Context) error {
				events, err := crosshost.Send(a.ctx, a.c, []crosshost.Outgoing{{Buffer: x, To: a.of(b.first()), Key: key}}, nil)
				require.NoError(t, err)
				return func(ctx context.Context) error {
					defer events[0].Close()
					return events[0].Wait(ctx)
				}
			},
			func(shape pjrt.Shape, layout *pjrt.Layout) *pjrt.Buffer {
				list, err := crosshost.Receive(b.ctx, b.first(), []crosshost.Incoming{
					{Shape: shape, Layout: layout, From: b.of(a.first()), Key: key},
				}, nil)
				require.NoError(t, err)
				return list[0]
			},
		}
	},
	"by descriptor": func(t testing.TB, a, b *world) passage {
		descriptor := make(chan []byte, 1)
		return passage{
			func(x *pjrt.Buffer) func(context.Context) error {
				result := make(chan error, 1)
				go func() {
					_, err := crosshost.CopyToRemoteDevice(a.ctx, x, <-descriptor)
					result <- err
				}()
				return func(ctx context.Context) error {
					select {
					case err := <-result:
						return err
					case <-ctx.Done():
						return ctx.Err()
					}
				}
			},
			func(shape pjrt.Shape, layout *pjrt.Layout) *pjrt.Buffer {
				opts := &crosshost.ReceiverOptions{Layouts: []*pjrt.Layout{layout}}
				r, err := crosshost.NewReceiver(b.ctx, b.c, []pjrt.Shape{shape}, opts)
				require.NoError(t, err)
				list, err := r.Descriptors(b.ctx)
				require.NoError(t, err)
				descriptor <- list[0]
				return r.Buffers()[0]
			},
		}
	},
}

// carry begins both ends of a transfer of x to a buffer of a shape, which it returns with a
// wait for the end.
type carry func(x *pjrt.Buffer, shape pjrt.Shape, layout *pjrt.Layout) (y *pjrt.Buffer, wait func(context.Context) error)

// eachWay runs a test for each way, and for either process beginning first.
func eachWay(t *testing.T, fn func(t testing.TB, a, b *world, run carry)) {
	t.Helper()
	for name, w := range ways {
		for _, sendFirst := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, sent first %v", name, sendFirst), func(t *testing.T) {
				t.Parallel()
				a, b := job(t, pjrttest.Options{Devices: 2})
				fn(t, a, b, func(x *pjrt.Buffer, shape pjrt.Shape, layout *pjrt.Layout) (*pjrt.Buffer, func(context.Context) error) {
					p := w(t, a, b)
					if sendFirst {
						wait := p.send(x)
						return p.receive(shape, layout), wait
					}
					y := p.receive(shape, layout)
					return y, p.send(x)
				})
				settled(t, a.p)
				settled(t, b.p)
			})
		}
	}
}

func TestArraysTravelBetweenProcesses(t *testing.T) {
	t.Parallel()
	arrays := map[string]pjrt.HostArray{
		"a vector":      pjrt.ArrayOf([]float32{1, 2, 3}, 3),
		"a scalar":      pjrt.ScalarOf[int64](-7),
		"an empty one":  pjrt.ArrayOf([]float32{}, 3, 0, 2),
		"a packed one":  {Type: dtype.S4, Dims: []int64{3}, Data: []byte{1, 2, 15}},
		"a cube":        pjrt.ArrayOf([]int16{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2),
		"a large one":   pjrt.ArrayOf(make([]int32, 100_000), 1000, 100),
		"a packed grid": {Type: dtype.U4, Dims: []int64{3, 3}, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}},
	}
	eachWay(t, func(t testing.TB, a, b *world, run carry) {
		for name, array := range arrays {
			for _, there := range []*pjrt.Layout{nil, columns(len(array.Dims))} {
				x, err := a.c.BufferFromHost(a.ctx, array, &pjrt.BufferOptions{Layout: columns(len(array.Dims))})
				require.NoError(t, err)
				y, wait := run(x, array.Shape(), there)
				require.NoError(t, wait(a.ctx), name)
				require.NoError(t, x.Close())
				assert.Same(t, b.first(), must(t)(y.Device()))
				got, err := y.ToHost(b.ctx)
				require.NoError(t, err, name)
				assert.Equal(t, array.Data, got.Data, name)
				require.NoError(t, y.Close())
			}
		}
	})
}

// must returns a function that requires that a call has succeeded.
func must(t testing.TB) func(d *pjrt.Device, err error) *pjrt.Device {
	return func(d *pjrt.Device, err error) *pjrt.Device {
		t.Helper()
		require.NoError(t, err)
		return d
	}
}

func TestTransfersWaitForTheOtherProcess(t *testing.T) {
	t.Parallel()
	a, b := job(t, pjrttest.Options{})
	x := a.buffer(t, nil, 1)
	w := ways["by key"](t, a, b)
	wait := w.send(x)
	require.NoError(t, x.Delete(), "the transfer holds the contents")
	assert.Equal(t, 1, a.p.Live()["PJRT_Transfers transfer"])
	y := w.receive(x.Shape(), nil)
	assert.Zero(t, a.p.Live()["PJRT_Transfers transfer"], "the transfer is over when both have begun it")
	require.NoError(t, wait(a.ctx))
	assert.Equal(t, []float32{1}, b.values(t, y))

	x2 := a.buffer(t, nil, 2)
	late := ways["by key"](t, a, b)
	z := late.receive(x.Shape(), nil)
	over, _ := ready(t, z)
	assert.False(t, over)
	assert.Equal(t, 1, b.p.Live()["PJRT_Transfers transfer"])
	require.NoError(t, late.send(x2)(a.ctx))
	assert.Equal(t, []float32{2}, b.values(t, z))
	closeAll(t, x, x2, y, z)
}

func TestTransfersThatAreHeldWaitForTheTest(t *testing.T) {
	t.Parallel()
	a, b := job(t, pjrttest.Options{})
	x := a.buffer(t, nil, 1)
	a.p.Hold()
	b.p.Hold()
	w := ways["by key"](t, a, b)
	wait, y := w.send(x), w.receive(x.Shape(), nil)
	sent, received := a.p.Held(), b.p.Held()
	require.Len(t, sent, 1)
	require.Len(t, received, 1)
	assert.Equal(t, sends+" on device 0", sent[0].String())
	assert.Equal(t, receives+" on device 1", received[0].String())
	sent[0].Release()
	over, _ := ready(t, y)
	assert.False(t, over, "the receiver is not ready")
	received[0].Release()
	over, err := ready(t, y)
	assert.True(t, over)
	require.NoError(t, err)
	require.NoError(t, wait(a.ctx))

	r, err := crosshost.NewReceiver(b.ctx, b.c, []pjrt.Shape{x.Shape(), x.Shape()}, nil)
	require.NoError(t, err)
	require.Len(t, b.p.Held(), 1, "one operation for the descriptors of a call")
	assert.Equal(t, makes+" on device 1", b.p.Held()[0].String())
	short, stop := context.WithTimeout(b.ctx, time.Millisecond)
	defer stop()
	_, err = r.Descriptors(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	b.p.Release(-1)
	list, err := r.Descriptors(b.ctx)
	require.NoError(t, err)
	b.p.Resume()
	done := make(chan error, 2)
	for _, d := range list {
		go func() {
			_, err := crosshost.CopyToRemoteDevice(a.ctx, x, d)
			done <- err
		}()
	}
	copied, err := a.p.WaitHeld(a.ctx, 2)
	require.NoError(t, err)
	assert.Equal(t, copies+" on device 0", copied[0].String())
	over, _ = ready(t, r.Buffers()[0])
	assert.False(t, over)
	a.p.Resume()
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	for _, y := range r.Buffers() {
		assert.Equal(t, []float32{1}, b.values(t, y))
	}
	closeAll(t, append(r.Buffers(), x, y)...)
	settled(t, a.p)
	settled(t, b.p)
}

func TestSourcesThatAreNotReadyAreSentLater(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t testing.TB, a, b *world, run carry) {
		a.p.Hold()
		x := a.buffer(t, nil, 5)
		held := a.p.Held()
		a.p.Hold()
		y, wait := run(x, x.Shape(), nil)
		_, err := a.p.WaitHeld(a.ctx, 2)
		require.NoError(t, err)
		a.p.Held()[1].Release()
		over, _ := ready(t, y)
		assert.False(t, over, "the upload is not over")
		held[0].Release()
		require.NoError(t, wait(a.ctx))
		assert.Equal(t, []float32{5}, b.values(t, y))
		closeAll(t, x, y)
	})
}

func TestATransferFailsForBothProcesses(t *testing.T) {
	t.Parallel()
	away := &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "no network"}
	for name, c := range map[string]struct {
		prepare func(a, b *world) // before the transfer begins
		source  func(t testing.TB, a *world) *pjrt.Buffer
		shape   pjrt.Shape
		code    capi.ErrorCode
		text    string
	}{
		"the source is an error": {
			source: func(t testing.TB, a *world) *pjrt.Buffer {
				x, err := a.c.ErrorBuffer(a.ctx, vector(1), &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "the bits are gone"}, nil)
				require.NoError(t, err)
				return x
			},
			shape: vector(1), code: pjrt.ErrDataLoss, text: "the bits are gone",
		},
		"the sender has another shape": {
			shape: vector(2), code: pjrt.ErrInvalidArgument, text: "the sender sends f32[1], but the receiver receives f32[2]",
		},
		"the sender has another type": {
			shape: pjrt.Shape{Type: dtype.S32, Dims: []int64{1}}, code: pjrt.ErrInvalidArgument,
			text: "the sender sends f32[1], but the receiver receives i32[1]",
		},
		"the send fails": {
			prepare: func(a, b *world) {
				for _, f := range []string{sends, copies} {
					a.p.Fail(f, away.Code, away.Message, pjrttest.Async())
				}
			},
			shape: vector(1), code: away.Code, text: away.Message,
		},
		"the test fails the send": {
			prepare: func(a, b *world) {
				a.p.Hold()
				go func() {
					if held, err := a.p.WaitHeld(a.ctx, 1); err == nil {
						held[0].Fail(away)
					}
				}()
			},
			shape: vector(1), code: away.Code, text: away.Message,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t testing.TB, a, b *world, run carry) {
				x := a.buffer(t, nil, 1)
				if c.source != nil {
					closeAll(t, x)
					x = c.source(t, a)
				}
				if c.prepare != nil {
					c.prepare(a, b)
				}
				y, wait := run(x, c.shape, nil)
				for _, err := range []error{wait(a.ctx), y.Wait(b.ctx)} {
					assert.ErrorIs(t, err, c.code)
					assert.ErrorContains(t, err, c.text)
				}
				closeAll(t, x, y)
			})
		})
	}
}

func vector(n int64) pjrt.Shape { return pjrt.Shape{Type: dtype.F32, Dims: []int64{n}} }

func TestReceiversThatFailTellTheSender(t *testing.T) {
	t.Parallel()
	a, b := job(t, pjrttest.Options{})
	x := a.buffer(t, nil, 1)
	for _, sendFirst := range []bool{true, false} {
		b.p.Fail(receives, pjrt.ErrAborted, "at the receiver", pjrttest.Async(), pjrttest.Times(1))
		w := ways["by key"](t, a, b)
		var wait func(context.Context) error
		if sendFirst {
			wait = w.send(x)
		}
		y := w.receive(x.Shape(), nil)
		if !sendFirst {
			assert.ErrorContains(t, y.Wait(b.ctx), "at the receiver", "the sender has not come yet")
			wait = w.send(x)
		}
		assert.ErrorIs(t, wait(a.ctx), pjrt.ErrAborted)
		assert.ErrorIs(t, y.Wait(b.ctx), pjrt.ErrAborted)
		closeAll(t, y)
	}
	b.p.Fail(makes, pjrt.ErrAborted, "no descriptors", pjrttest.Async())
	r, err := crosshost.NewReceiver(b.ctx, b.c, []pjrt.Shape{x.Shape()}, nil)
	require.NoError(t, err)
	_, err = r.Descriptors(b.ctx)
	assert.ErrorContains(t, err, "no descriptors")
	assert.ErrorContains(t, r.Buffers()[0].Wait(b.ctx), "no descriptors")
	closeAll(t, x, r.Buffers()[0])
}

func TestCallsThatFailBeginNoTransfer(t *testing.T) {
	t.Parallel()
	a, b := job(t, pjrttest.Options{Memories: []pjrttest.MemoryOptions{{Kind: "device", Bytes: 100}}})
	x := a.buffer(t, nil, 1)
	there, here := a.of(b.first()), b.of(a.first())
	a.p.Fail(sends, pjrt.ErrUnavailable, "not now", pjrttest.Times(1))
	_, err := crosshost.Send(a.ctx, a.c, []crosshost.Outgoing{{Buffer: x, To: there, Key: 1}}, nil)
	assert.ErrorContains(t, err, "not now")
	for _, shapes := range [][]pjrt.Shape{{vector(26)}, {vector(20), vector(6)}} {
		var list []crosshost.Incoming
		for i, s := range shapes {
			list = append(list, crosshost.Incoming{Shape: s, From: here, Key: int64(i)})
		}
		_, err = crosshost.Receive(b.ctx, b.first(), list, nil)
		assert.ErrorIs(t, err, pjrt.ErrResourceExhausted)
		_, err = crosshost.NewReceiver(b.ctx, b.c, shapes, nil)
		assert.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	}
	stats, err := b.first().MemoryStats()
	require.NoError(t, err)
	assert.Zero(t, stats.InUse)
	a.p.Fail(copies, pjrt.ErrUnavailable, "not now", pjrttest.Times(1))
	enqueued, err := crosshost.CopyToRemoteDevice(a.ctx, x, []byte("x"))
	assert.False(t, enqueued)
	assert.ErrorContains(t, err, "not now")
	closeAll(t, x)
	settled(t, a.p)
	settled(t, b.p)
}

func TestKeysNameOneTransferBetweenTwoProcesses(t *testing.T) {
	t.Parallel()
	network := new(pjrttest.Network)
	var all []*world
	for i := range 3 {
		all = append(all, start(t, pjrttest.Options{Network: network, Processes: 3, ProcessIndex: i, Devices: 2, NoLeaks: true}))
	}
	send := func(from, to int, x *pjrt.Buffer) ([]*pjrt.Event, error) {
		w := all[from]
		return crosshost.Send(w.ctx, w.c, []crosshost.Outgoing{{Buffer: x, To: w.of(all[to].first()), Key: 1}}, nil)
	}
	receive := func(from, to int) ([]*pjrt.Buffer, error) {
		w := all[to]
		return crosshost.Receive(w.ctx, w.first(), []crosshost.Incoming{{Shape: vector(1), From: w.of(all[from].first()), Key: 1}}, nil)
	}
	pairs := [][2]int{{0, 1}, {1, 0}, {0, 2}, {2, 1}}
	var sources []*pjrt.Buffer
	var events []*pjrt.Event
	for i, p := range pairs {
		sources = append(sources, all[p[0]].buffer(t, nil, float32(i)))
		e, err := send(p[0], p[1], sources[i])
		require.NoError(t, err)
		events = append(events, e...)
	}
	_, err := send(0, 1, sources[0])
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "already a transfer with the key 1 from process 0 to process 1")
	for i, p := range slices.Backward(pairs) {
		got, err := receive(p[0], p[1])
		require.NoError(t, err)
		assert.Equal(t, []float32{float32(i)}, all[p[1]].values(t, got[0]))
		require.NoError(t, events[i].Wait(all[0].ctx))
		require.NoError(t, events[i].Close())
		closeAll(t, got[0])
	}
	// The devices must agree too.
	again, err := send(0, 1, sources[0])
	require.NoError(t, err, "the first transfer is over")
	w := all[1]
	got, err := crosshost.Receive(w.ctx, w.c.AddressableDevices()[1], []crosshost.Incoming{
		{Shape: vector(1), From: w.c.Devices()[1], Key: 1},
	}, nil)
	require.NoError(t, err)
	for _, err := range []error{again[0].Wait(w.ctx), got[0].Wait(w.ctx)} {
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err,
			"the sender sends from device 0 to device 2, but the receiver receives from device 1 on device 3")
	}
	require.NoError(t, again[0].Close())
	closeAll(t, append(sources, got[0])...)
}

func TestTransfersWithAProcessThatEndsFail(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world) error{
		"its plugin is closed": func(w *world) error { return w.p.Close() },
		"its client is closed": func(w *world) error { return w.c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := job(t, pjrttest.Options{})
			x := a.buffer(t, nil, 1)
			w := ways["by key"](t, a, b)
			wait := w.send(x)
			y, err := crosshost.Receive(a.ctx, a.first(), []crosshost.Incoming{{Shape: vector(1), From: a.of(b.first()), Key: 1}}, nil)
			require.NoError(t, err)
			held := ways["by key"](t, a, b)
			a.p.Hold()
			waitHeld := held.send(x)
			require.NoError(t, end(b))
			for _, err := range []error{wait(a.ctx), y[0].Wait(a.ctx), waitHeld(a.ctx)} {
				assert.ErrorIs(t, err, pjrt.ErrUnavailable)
				assert.ErrorContains(t, err, "process 1 has left")
			}
			assert.Empty(t, a.p.Held())
			_, err = crosshost.Send(a.ctx, a.c, []crosshost.Outgoing{{Buffer: x, To: a.of(a.c.Devices()[1]), Key: 9}}, nil)
			assert.ErrorIs(t, err, pjrt.ErrUnavailable)
			closeAll(t, x, y[0])
			settled(t, a.p)
		})
	}
}

func TestAProcessThatEndsFailsItsOwnTransfers(t *testing.T) {
	t.Parallel()
	a, b := job(t, pjrttest.Options{})
	x := a.buffer(t, nil, 1)
	w := ways["by key"](t, a, b)
	wait := w.send(x)
	r, err := crosshost.NewReceiver(a.ctx, a.c, []pjrt.Shape{vector(1)}, nil)
	require.NoError(t, err)
	list, err := r.Descriptors(a.ctx)
	require.NoError(t, err)
	a.p.Hold()
	late, err := crosshost.NewReceiver(a.ctx, a.c, []pjrt.Shape{vector(1)}, nil)
	require.NoError(t, err)
	require.NoError(t, a.p.Close())
	_, lateErr := late.Descriptors(a.ctx)
	for _, err := range []error{wait(a.ctx), r.Buffers()[0].Wait(a.ctx), late.Buffers()[0].Wait(a.ctx), lateErr} {
		assert.ErrorIs(t, err, pjrt.ErrCancelled)
		assert.ErrorContains(t, err, "the plugin was closed")
	}
	// What outlives the plugin takes part no more.
	_, err = crosshost.CopyToRemoteDevice(a.ctx, x, []byte("x"))
	assert.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	y := b.buffer(t, nil, 1)
	_, err = crosshost.CopyToRemoteDevice(b.ctx, y, list[0])
	assert.ErrorIs(t, err, pjrt.ErrNotFound)
	closeAll(t, x, y, r.Buffers()[0], late.Buffers()[0])
}

func TestAProcessCanStartAgain(t *testing.T) {
	t.Parallel()
	network := new(pjrttest.Network)
	opts := pjrttest.Options{Network: network, Processes: 2, NoLeaks: true}
	a := start(t, opts)
	opts.ProcessIndex = 1
	b := start(t, opts)
	x := a.buffer(t, nil, 1)
	w := ways["by key"](t, a, b)
	wait := w.send(x)
	require.NoError(t, b.p.Close())
	assert.ErrorIs(t, wait(a.ctx), pjrt.ErrUnavailable)
	b = start(t, opts)
	w = ways["by key"](t, a, b)
	wait = w.send(x)
	y := w.receive(x.Shape(), nil)
	require.NoError(t, wait(a.ctx))
	assert.Equal(t, []float32{1}, b.values(t, y))
	closeAll(t, x, y)
}

func TestTwoPluginsCannotBeOneProcess(t *testing.T) {
	t.Parallel()
	network := new(pjrttest.Network)
	first := start(t, pjrttest.Options{Network: network, Processes: 2})
	second := pjrttest.New(t, pjrttest.Options{Network: network, Processes: 2, NoLeaks: true})
	_, err := second.Plugin().NewClient(first.ctx, nil)
	assert.ErrorIs(t, err, capi.ErrorCodeAlreadyExists)
	assert.ErrorContains(t, err, "another plugin of the network is process 0")
	assert.Empty(t, second.Live())
	// One plugin may have several clients.
	c, err := first.p.Plugin().NewClient(first.ctx, nil)
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

func TestNetworksAddTheExtension(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		opts pjrttest.Options
		want bool
	}{
		{pjrttest.Options{}, false},
		{pjrttest.Options{Network: new(pjrttest.Network)}, true},
		{pjrttest.Options{Network: new(pjrttest.Network), Minor: 74}, true},
		{pjrttest.Options{Network: new(pjrttest.Network), Minor: 73}, false},
		{pjrttest.Options{Network: new(pjrttest.Network), Extensions: []capi.ExtensionType{}}, false},
		{pjrttest.Options{Network: new(pjrttest.Network), Extensions: []capi.ExtensionType{capi.ExtensionTypeCrossHostTransfers}}, true},
	} {
		p := pjrttest.New(t, c.opts)
		assert.Equal(t, c.want, extensions.Supported(p.Plugin(), capi.ExtensionTypeCrossHostTransfers), "%+v", c.opts)
	}
}

func TestNoLeaksFindsTransfersThatAreNotOver(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	p := pjrttest.New(r, pjrttest.Options{Network: new(pjrttest.Network), Processes: 2, NoLeaks: true})
	c := p.Client()
	list, err := crosshost.Receive(context.Background(), c.AddressableDevices()[0], []crosshost.Incoming{
		{Shape: vector(1), From: c.Devices()[1], Key: 1},
	}, nil)
	require.NoError(t, err)
	closeAll(t, list[0])
	assert.Equal(t, "pjrttest: the test left objects in the plugin: map[PJRT_Transfers transfer:1]", r.finish())
}

// TestManyTransfersAtOnce transfers from and to several goroutines, with faults, holds and
// cancels in between. It requires that each result is right or an error, and that nothing
// is left.
func TestManyTransfersAtOnce(t *testing.T) {
	t.Parallel()
	a, b := job(t, pjrttest.Options{})
	var right, wrong atomic.Int64
	transfer := func(r *rand.Rand, ctx context.Context, from, to *world) error {
		value := float32(r.IntN(1000))
		x, err := from.c.BufferFromHost(ctx, pjrt.ArrayOf([]float32{value}, 1), nil)
		if err != nil {
			return err
		}
		defer x.Close()
		var y *pjrt.Buffer
		sent := make(chan error, 1)
		if r.IntN(2) == 0 {
			key := transferKeys.Add(1)
			events, err := crosshost.Send(ctx, from.c, []crosshost.Outgoing{{Buffer: x, To: from.of(to.first()), Key: key}}, nil)
			if err != nil {
				return err
			}
			go func() {
				sent <- events[0].Wait(from.ctx)
				_ = events[0].Close()
			}()
			// The receiver tries until it gets through, because nothing else ends the transfer.
			for {
				list, err := crosshost.Receive(to.ctx, to.first(), []crosshost.Incoming{
					{Shape: vector(1), From: to.of(from.first()), Key: key},
				}, nil)
				if err == nil {
					y = list[0]
					break
				}
				require.ErrorIs(t, err, pjrt.ErrUnavailable)
			}
		} else {
			rec, err := crosshost.NewReceiver(ctx, to.c, []pjrt.Shape{vector(1)}, nil)
			if err != nil {
				return err
			}
			y = rec.Buffers()[0]
			defer y.Close()
			list, err := rec.Descriptors(to.ctx)
			if err != nil {
				return err
			}
			if r.IntN(3) == 0 {
				go func() { _ = rec.Cancel(to.ctx, 0, context.Canceled) }()
			}
			enqueued, err := crosshost.CopyToRemoteDevice(from.ctx, x, list[0])
			if err != nil && !enqueued {
				_ = rec.Cancel(to.ctx, 0, err)
			}
			sent <- err
		}
		defer y.Close()
		err = <-sent
		values, readErr := pjrt.ToSlice[float32](to.ctx, y)
		if readErr == nil {
			assert.NoError(t, err)
			assert.Equal(t, []float32{value}, values)
		}
		return readErr
	}
	begun := time.Now()
	going := func() bool {
		both := right.Load() > 0 && wrong.Load() > 0
		return time.Since(begun) < 200*time.Millisecond || !both && time.Since(begun) < patience
	}
	var group, disturb sync.WaitGroup
	for seed := range uint64(6) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			from, to := a, b
			if seed%2 == 0 {
				from, to = b, a
			}
			for going() {
				if err := transfer(r, a.ctx, from, to); err == nil {
					right.Add(1)
				} else {
					wrong.Add(1)
				}
			}
		})
	}
	stop := make(chan struct{})
	disturb.Go(func() {
		r := rand.New(rand.NewPCG(9, 9))
		functions := []string{sends, receives, makes, copies}
		for {
			select {
			case <-stop:
				return
			default:
			}
			p := []*pjrttest.Plugin{a.p, b.p}[r.IntN(2)]
			switch r.IntN(4) {
			case 0:
				p.Hold()
			case 1:
				for _, o := range p.Held() {
					if r.IntN(2) == 0 {
						o.Fail(&pjrt.Error{Code: pjrt.ErrAborted, Message: "at random"})
					}
				}
			case 2:
				options := []pjrttest.FaultOption{pjrttest.Times(1)}
				if r.IntN(2) == 0 {
					options = append(options, pjrttest.Async())
				}
				p.Fail(functions[r.IntN(len(functions))], pjrt.ErrUnavailable, "at random", options...)
			default:
				p.Resume()
			}
			time.Sleep(100 * time.Microsecond)
			a.p.Resume()
			b.p.Resume()
		}
	})
	group.Wait()
	close(stop)
	disturb.Wait()
	for _, w := range []*world{a, b} {
		w.p.Resume()
		settled(t, w.p)
		released(t, w.first())
	}
	assert.Positive(t, right.Load())
	assert.Positive(t, wrong.Load())
	t.Logf("%d transfers succeeded, %d failed", right.Load(), wrong.Load())
}

// TestAProcessEndsDuringManyTransfers requires that everything that waits for the process
// returns, and that nothing is left in the other one.
func TestAProcessEndsDuringManyTransfers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		a, b := job(t, pjrttest.Options{})
		r := rand.New(rand.NewPCG(seed, 1))
		// Each transfers until it fails, and returns the errors of both ends.
		byKey := func(key int64) (errs [2]error) {
			x, err := pjrt.FromSlice(a.ctx, a.c, []float32{1}, 1)
			if err != nil {
				return [2]error{err}
			}
			defer x.Close()
			events, err := crosshost.Send(a.ctx, a.c, []crosshost.Outgoing{{Buffer: x, To: a.of(b.first()), Key: key}}, nil)
			if err != nil {
				return [2]error{err}
			}
			defer events[0].Close()
			list, err := crosshost.Receive(b.ctx, b.first(), []crosshost.Incoming{{Shape: vector(1), From: b.of(a.first()), Key: key}}, nil)
			if err != nil {
				return [2]error{events[0].Wait(a.ctx), err}
			}
			defer list[0].Close()
			return [2]error{events[0].Wait(a.ctx), list[0].Wait(b.ctx)}
		}
		byDescriptor := func(int64) (errs [2]error) {
			rec, err := crosshost.NewReceiver(a.ctx, a.c, []pjrt.Shape{vector(1)}, nil)
			if err != nil {
				return [2]error{err}
			}
			y := rec.Buffers()[0]
			defer y.Close()
			list, err := rec.Descriptors(a.ctx)
			if err != nil {
				return [2]error{err}
			}
			x, err := pjrt.FromSlice(b.ctx, b.c, []float32{1}, 1)
			if err == nil {
				defer x.Close()
				var enqueued bool
				if enqueued, err = crosshost.CopyToRemoteDevice(b.ctx, x, list[0]); enqueued {
					return [2]error{err, y.Wait(a.ctx)}
				}
			}
			return [2]error{err, rec.Cancel(a.ctx, 0, err)}
		}
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				one := []func(int64) [2]error{byKey, byDescriptor}[i%2]
				for n := int64(0); ; n++ {
					errs := one(int64(i)<<32 | n)
					for _, err := range errs {
						assert.NotErrorIs(t, err, context.DeadlineExceeded)
					}
					if errs[0] != nil || errs[1] != nil {
						return
					}
				}
			})
		}
		if r.IntN(2) == 0 {
			b.p.Hold()
		}
		time.Sleep(time.Duration(r.IntN(500)) * time.Microsecond)
		require.NoError(t, b.p.Close())
		group.Wait()
		settled(t, a.p)
	}
}
