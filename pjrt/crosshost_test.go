// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// newCrossHosts returns two hosts, of which nothing may be left at the end.
func newCrossHosts(t testing.TB, minor int) (net *crossHosts, a, b *pjrt.Client) {
	t.Helper()
	net, err := startCrossHosts(minor)
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, h := range net.hosts {
			assert.Eventually(t, func() bool {
				live := h.inner.Live()
				delete(live, "PJRT_Client")
				return len(live) == 0
			}, 5*time.Second, time.Millisecond, "%v", h.inner.Live())
		}
		assert.NoError(t, net.close())
	})
	return net, net.hosts[0].client, net.hosts[1].client
}

func crossHostBuffer(t testing.TB, c *pjrt.Client, values ...float32) *pjrt.Buffer {
	t.Helper()
	b, err := pjrt.FromSlice(context.Background(), c, values, int64(len(values)))
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func f32(dims ...int64) pjrt.Shape { return pjrt.Shape{Type: dtype.F32, Dims: dims} }

func TestBuffersTravelBetweenHostsByKeys(t *testing.T) {
	ctx := context.Background()
	for name, sendFirst := range map[string]bool{"sent first": true, "received first": false} {
		t.Run(name, func(t *testing.T) {
			net, a, b := newCrossHosts(t, 0)
			x, y := crossHostBuffer(t, a, 1, 2, 3), crossHostBuffer(t, a, 4)
			var events []*pjrt.Event
			send := func() {
				var err error
				events, err = a.CrossHostSend(ctx, []pjrt.CrossHostSend{{x, a.Devices()[1], 7}, {y, a.Devices()[1], -8}})
				require.NoError(t, err)
				require.Len(t, events, 2)
				require.NoError(t, x.Close(), "the buffers are borrowed for the call")
			}
			var got []*pjrt.Buffer
			receive := func() {
				var err error
				from := b.Devices()[0]
				got, err = b.CrossHostReceive(ctx, b.Devices()[1], []pjrt.CrossHostReceive{
					{Shape: f32(1), From: from, Key: -8},
					{Shape: f32(3), From: from, Key: 7, Layout: pjrt.RowMajor(1)},
				})
				require.NoError(t, err)
				require.Len(t, got, 2)
			}
			if sendFirst {
				send()
				ready, err := events[0].Ready()
				require.NoError(t, err)
				assert.False(t, ready, "nobody has received it")
				receive()
			} else {
				receive()
				short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
				defer stop()
				assert.ErrorIs(t, got[0].Wait(short), context.DeadlineExceeded, "nobody has sent it")
				send()
			}
			for _, e := range events {
				require.NoError(t, e.Wait(ctx))
				require.NoError(t, e.Close())
			}
			for i, want := range [][]float32{{4}, {1, 2, 3}} {
				values, err := pjrt.ToSlice[float32](ctx, got[i])
				require.NoError(t, err)
				assert.Equal(t, want, values)
				require.NoError(t, got[i].Close())
			}
			require.NoError(t, y.Close())
			assert.Equal(t, []crossHostSent{{1, 7}, {1, -8}}, net.sent)
		})
	}
}

func TestMisuseOfTransfersByKeysIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	net, a, b := newCrossHosts(t, 0)
	x, other := crossHostBuffer(t, a, 1), crossHostBuffer(t, b, 1)
	closed, deleted := crossHostBuffer(t, a, 1), crossHostBuffer(t, a, 1)
	require.NoError(t, closed.Close())
	require.NoError(t, deleted.Delete())
	mine, theirs := a.Devices()[0], a.Devices()[1]
	for name, sends := range map[string][]pjrt.CrossHostSend{
		"nothing":              nil,
		"no buffer":            {{nil, theirs, 1}},
		"another client":       {{other, theirs, 1}},
		"a closed buffer":      {{closed, theirs, 1}},
		"a deleted buffer":     {{deleted, theirs, 1}},
		"no device":            {{x, nil, 1}},
		"to itself":            {{x, mine, 1}},
		"another's device":     {{x, b.Devices()[1], 1}},
		"two of one key":       {{x, theirs, 1}, {x, theirs, 1}},
		"the second is broken": {{x, theirs, 1}, {nil, theirs, 2}},
	} {
		events, err := a.CrossHostSend(ctx, sends)
		assert.Error(t, err, name)
		assert.Nil(t, events, name)
		if name == "a closed buffer" {
			assert.ErrorIs(t, err, pjrt.ErrClosed)
		} else {
			assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		}
	}
	bad := pjrt.RowMajor(2)
	for name, c := range map[string]struct {
		device   *pjrt.Device
		receives []pjrt.CrossHostReceive
	}{
		"nothing":          {mine, nil},
		"no device":        {nil, []pjrt.CrossHostReceive{{f32(1), nil, theirs, 1}}},
		"not addressable":  {theirs, []pjrt.CrossHostReceive{{f32(1), nil, mine, 1}}},
		"another's device": {b.Devices()[1], []pjrt.CrossHostReceive{{f32(1), nil, theirs, 1}}},
		"no sender":        {mine, []pjrt.CrossHostReceive{{f32(1), nil, nil, 1}}},
		"from itself":      {mine, []pjrt.CrossHostReceive{{f32(1), nil, mine, 1}}},
		"another's sender": {mine, []pjrt.CrossHostReceive{{f32(1), nil, b.Devices()[1], 1}}},
		"negative":         {mine, []pjrt.CrossHostReceive{{f32(-1), nil, theirs, 1}}},
		"no type":          {mine, []pjrt.CrossHostReceive{{pjrt.Shape{}, nil, theirs, 1}}},
		"layout":           {mine, []pjrt.CrossHostReceive{{f32(1), bad, theirs, 1}}},
		"two of one key":   {mine, []pjrt.CrossHostReceive{{f32(1), nil, theirs, 1}, {f32(1), nil, theirs, 1}}},
	} {
		buffers, err := a.CrossHostReceive(ctx, c.device, c.receives)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.Nil(t, buffers, name)
	}
	over, stop := context.WithCancel(ctx)
	stop()
	_, err := a.CrossHostSend(over, []pjrt.CrossHostSend{{x, theirs, 1}})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = a.CrossHostReceive(over, mine, []pjrt.CrossHostReceive{{f32(1), nil, theirs, 1}})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, net.sent, "C was called")
	assert.Zero(t, net.received, "C was called")
	for _, b := range []*pjrt.Buffer{x, other, deleted} {
		require.NoError(t, b.Close())
	}
}

func TestPluginsWithoutCrossHostTransfersSaySo(t *testing.T) {
	ctx := context.Background()
	c := pjrttest.New(t, pjrttest.Options{Processes: 2}).Client()
	x := crossHostBuffer(t, c, 1)
	_, err := c.CrossHostSend(ctx, []pjrt.CrossHostSend{{x, c.Devices()[1], 1}})
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = c.CrossHostReceive(ctx, c.Devices()[0], []pjrt.CrossHostReceive{{f32(1), nil, c.Devices()[1], 1}})
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = c.NewCrossHostReceiver(ctx, []pjrt.Shape{f32(1)}, nil)
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = x.CopyToRemoteDevice(ctx, []byte("x"))
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	require.NoError(t, x.Close())
}

func TestOlderPluginsHaveLessOfCrossHostTransfers(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		minor                int
		keys, cancel, remote bool
	}{{79, false, false, false}, {81, true, false, false}, {84, true, false, false}, {85, true, true, false}, {103, true, true, false}, {104, true, true, true}} {
		net, a, b := newCrossHosts(t, c.minor)
		x := crossHostBuffer(t, a, 1)
		_, err := a.CrossHostSend(ctx, nil)
		assert.Equal(t, !c.keys, errors.Is(err, pjrt.ErrUnimplemented), "%d: %v", c.minor, err)
		r, err := b.NewCrossHostReceiver(ctx, []pjrt.Shape{f32(1)}, nil)
		require.NoError(t, err, c.minor)
		descriptors, err := r.Descriptors(ctx)
		require.NoError(t, err)
		_, err = x.CopyToRemoteDevice(ctx, descriptors[0])
		assert.Equal(t, !c.remote, errors.Is(err, pjrt.ErrUnimplemented), "%d: %v", c.minor, err)
		if !c.remote {
			err = r.Cancel(ctx, 0, errors.New("nobody comes"))
			assert.Equal(t, !c.cancel, errors.Is(err, pjrt.ErrUnimplemented), "%d: %v", c.minor, err)
			if !c.cancel {
				// The other side of the stand-in gives up by itself.
				net.cancelled(newRequest(descriptors[0]))
			}
		}
		require.NoError(t, r.Buffers()[0].Close())
		require.NoError(t, x.Close())
	}
}

func TestABufferTravelsByItsDescriptor(t *testing.T) {
	ctx := context.Background()
	net, a, b := newCrossHosts(t, 0)
	net.late = true
	x, y := crossHostBuffer(t, a, 1, 2), crossHostBuffer(t, a, 3)
	r, err := b.NewCrossHostReceiver(ctx, []pjrt.Shape{f32(2), f32(1)}, &pjrt.CrossHostReceiveOptions{
		Device: b.Devices()[1], Layouts: []*pjrt.Layout{nil, pjrt.RowMajor(1)},
	})
	require.NoError(t, err)
	short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	_, err = r.Descriptors(short)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the plugin is not ready")
	net.late = false
	go net.release()
	descriptors, err := r.Descriptors(ctx)
	require.NoError(t, err)
	require.Len(t, descriptors, 2)
	for i, b := range []*pjrt.Buffer{x, y} {
		enqueued, err := b.CopyToRemoteDevice(ctx, descriptors[i])
		require.NoError(t, err)
		assert.True(t, enqueued)
		require.NoError(t, b.Close())
	}
	assert.Equal(t, 2, net.freed, "descriptors are given back")
	for i, want := range [][]float32{{1, 2}, {3}} {
		values, err := pjrt.ToSlice[float32](ctx, r.Buffers()[i])
		require.NoError(t, err)
		assert.Equal(t, want, values)
		require.NoError(t, r.Buffers()[i].Close())
	}
	descriptors[0][0]++
	again, err := r.Descriptors(ctx)
	require.NoError(t, err)
	assert.NotEqual(t, descriptors[0], again[0], "descriptors are the caller's own")
}

func TestATransferByDescriptorIsCancelled(t *testing.T) {
	ctx := context.Background()
	_, _, b := newCrossHosts(t, 0)
	r, err := b.NewCrossHostReceiver(ctx, []pjrt.Shape{f32(1), f32(1)}, nil)
	require.NoError(t, err)
	for i, reason := range []error{&pjrt.Error{Code: pjrt.ErrUnavailable, Message: "the sender is away"}, context.DeadlineExceeded} {
		require.NoError(t, r.Cancel(ctx, i, reason))
		err := r.Buffers()[i].Wait(ctx)
		assert.Equal(t, capi.CodeOf(reason), capi.CodeOf(err))
		assert.ErrorIs(t, r.Cancel(ctx, i, reason), pjrt.ErrFailedPrecondition)
	}
	assert.ErrorContains(t, r.Buffers()[0].Wait(ctx), "the sender is away")
	assert.ErrorIs(t, r.Cancel(ctx, 2, context.Canceled), pjrt.ErrOutOfRange)
	assert.ErrorIs(t, r.Cancel(ctx, -1, context.Canceled), pjrt.ErrOutOfRange)
	assert.ErrorIs(t, r.Cancel(ctx, 0, nil), pjrt.ErrInvalidArgument)
	for _, b := range r.Buffers() {
		require.NoError(t, b.Close())
	}
}

func TestWhatGoesWrongWithDescriptorsIsTold(t *testing.T) {
	ctx := context.Background()
	net, a, b := newCrossHosts(t, 0)
	x := crossHostBuffer(t, a, 1)
	away := &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "no network"}

	net.notify = away
	r, err := b.NewCrossHostReceiver(ctx, []pjrt.Shape{f32(1)}, nil)
	require.NoError(t, err)
	_, err = r.Descriptors(ctx)
	assert.ErrorIs(t, err, pjrt.ErrUnavailable)
	assert.ErrorContains(t, err, "no network")
	assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrUnavailable, "there is nothing to cancel")
	require.NoError(t, r.Buffers()[0].Close())

	enqueued, err := x.CopyToRemoteDevice(ctx, []byte("nobody"))
	assert.False(t, enqueued)
	assert.ErrorIs(t, err, pjrt.ErrNotFound)
	net.refuse = away
	_, err = x.CopyToRemoteDevice(ctx, []byte("nobody"))
	assert.ErrorContains(t, err, "no network")
	_, err = x.CopyToRemoteDevice(ctx, nil)
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	over, stop := context.WithCancel(ctx)
	stop()
	_, err = x.CopyToRemoteDevice(over, []byte("nobody"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, net.freed, "those that C saw")
	require.NoError(t, x.Close())
	_, err = x.CopyToRemoteDevice(ctx, []byte("nobody"))
	assert.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestASendByDescriptorGoesOnWithoutWhoeverWaited(t *testing.T) {
	ctx := context.Background()
	net, a, b := newCrossHosts(t, 0)
	x := crossHostBuffer(t, a, 9)
	r, err := b.NewCrossHostReceiver(ctx, []pjrt.Shape{f32(1)}, nil)
	require.NoError(t, err)
	descriptors, err := r.Descriptors(ctx)
	require.NoError(t, err)
	net.late = true
	short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	_, err = x.CopyToRemoteDevice(short, descriptors[0])
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, x.Close(), "the send keeps it")
	descriptors[0][0]++ // and has a copy of the descriptor
	net.release()
	values, err := pjrt.ToSlice[float32](ctx, r.Buffers()[0])
	require.NoError(t, err)
	assert.Equal(t, []float32{9}, values)
	assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrNotFound, "the plugin says that it is over")
	require.NoError(t, r.Buffers()[0].Close())
}

func TestTransfersOfAClosedClientAreErrors(t *testing.T) {
	ctx := context.Background()
	net, a, b := newCrossHosts(t, 0)
	x := crossHostBuffer(t, a, 1)
	r, err := b.NewCrossHostReceiver(ctx, []pjrt.Shape{f32(1)}, nil)
	require.NoError(t, err)
	descriptors, err := r.Descriptors(ctx)
	require.NoError(t, err)
	for _, h := range net.hosts {
		require.NoError(t, h.client.Close())
	}
	_, err = a.CrossHostSend(ctx, []pjrt.CrossHostSend{{x, a.Devices()[1], 1}})
	assert.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = b.CrossHostReceive(ctx, b.Devices()[1], []pjrt.CrossHostReceive{{f32(1), nil, b.Devices()[0], 1}})
	assert.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = b.NewCrossHostReceiver(ctx, []pjrt.Shape{f32(1)}, nil)
	assert.ErrorIs(t, err, pjrt.ErrClosed)
	assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrClosed)
	// What exists already goes on.
	_, err = x.CopyToRemoteDevice(ctx, descriptors[0])
	require.NoError(t, err)
	require.NoError(t, r.Buffers()[0].Wait(ctx))
	require.NoError(t, x.Close())
	require.NoError(t, r.Buffers()[0].Close())
}

func TestMisuseOfReceiversIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	_, _, b := newCrossHosts(t, 0)
	one := []pjrt.Shape{f32(1)}
	for name, c := range map[string]struct {
		shapes []pjrt.Shape
		opts   *pjrt.CrossHostReceiveOptions
	}{
		"nothing":         {nil, nil},
		"negative":        {[]pjrt.Shape{f32(-1)}, nil},
		"layouts":         {one, &pjrt.CrossHostReceiveOptions{Layouts: make([]*pjrt.Layout, 2)}},
		"a layout":        {one, &pjrt.CrossHostReceiveOptions{Layouts: []*pjrt.Layout{pjrt.RowMajor(3)}}},
		"not addressable": {one, &pjrt.CrossHostReceiveOptions{Device: b.Devices()[0]}},
	} {
		r, err := b.NewCrossHostReceiver(ctx, c.shapes, c.opts)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.Nil(t, r, name)
	}
	over, stop := context.WithCancel(ctx)
	stop()
	_, err := b.NewCrossHostReceiver(over, one, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestAPluginThatMakesTooFewBuffersIsFound(t *testing.T) {
	net, _, b := newCrossHosts(t, 0)
	net.fewer = true
	// Its buffers are closed; what the stand-in has of them is given up.
	_, err := b.NewCrossHostReceiver(context.Background(), []pjrt.Shape{f32(1), f32(1)}, nil)
	assert.ErrorIs(t, err, pjrt.ErrInternal)
	for descriptor := range net.ends {
		net.cancelled(newRequest([]byte(descriptor)))
	}
}

func newRequest(descriptor []byte) capi.CrossHostCancelRequest {
	return capi.CrossHostCancelRequest{Descriptor: descriptor, Reason: pjrt.ErrCancelled, Message: "given up"}
}
