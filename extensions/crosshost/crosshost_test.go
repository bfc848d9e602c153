// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package crosshost_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// patience is how long a test waits for something that must happen, on a busy machine.
const patience = time.Minute

// newHosts returns two hosts, and checks that they leave nothing behind at the end of
// the test.
func newHosts(t testing.TB, minor int) (net *network, a, b *pjrt.Client) {
	t.Helper()
	net, err := startHosts(minor)
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, h := range net.hosts {
			assert.Eventually(t, func() bool {
				live := h.inner.Live()
				delete(live, "PJRT_Client")
				return len(live) == 0
			}, patience, time.Millisecond, "%v", h.inner.Live())
		}
		assert.NoError(t, net.close())
	})
	return net, net.hosts[0].client, net.hosts[1].client
}

func bufferOf(t testing.TB, c *pjrt.Client, values ...float32) *pjrt.Buffer {
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
			net, a, b := newHosts(t, 0)
			x, y := bufferOf(t, a, 1, 2, 3), bufferOf(t, a, 4)
			var events []*pjrt.Event
			send := func() {
				var err error
				events, err = crosshost.Send(ctx, a, []crosshost.Outgoing{{x, a.Devices()[1], 7}, {y, a.Devices()[1], -8}}, nil)
				require.NoError(t, err)
				require.Len(t, events, 2)
				require.NoError(t, x.Close(), "the buffers are borrowed for the call")
			}
			var got []*pjrt.Buffer
			receive := func() {
				var err error
				from := b.Devices()[0]
				got, err = crosshost.Receive(ctx, b.Devices()[1], []crosshost.Incoming{
					{Shape: f32(1), From: from, Key: -8},
					{Shape: f32(3), From: from, Key: 7, Layout: pjrt.RowMajor(1)},
				}, nil)
				require.NoError(t, err)
				require.Len(t, got, 2)
			}
			if sendFirst {
				send()
				ready, err := events[0].Ready()
				require.NoError(t, err)
				assert.False(t, ready, "the buffer was not received yet")
				receive()
			} else {
				receive()
				short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
				defer stop()
				assert.ErrorIs(t, got[0].Wait(short), context.DeadlineExceeded, "the buffer was not sent yet")
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
			assert.Equal(t, []sentKey{{1, 7}, {1, -8}}, net.sent)
		})
	}
}

func TestTransfersNameTheIncarnationsOfTheProcesses(t *testing.T) {
	ctx := context.Background()
	opts := &crosshost.Options{Incarnations: map[int]int64{1: -5, 0: 70}}
	for minor, want := range map[int]map[string]map[int32]int64{
		116: nil,
		117: {"send": {0: 70, 1: -5}, "receive": {0: 70, 1: -5}},
	} {
		net, a, b := newHosts(t, minor)
		x := bufferOf(t, a, 1)
		sends := []crosshost.Outgoing{{x, a.Devices()[1], 1}}
		receives := []crosshost.Incoming{{Shape: f32(1), From: b.Devices()[0], Key: 1}}
		if want == nil {
			_, err := crosshost.Send(ctx, a, sends, opts)
			require.ErrorIs(t, err, pjrt.ErrUnimplemented)
			_, err = crosshost.Receive(ctx, b.Devices()[1], receives, opts)
			require.ErrorIs(t, err, pjrt.ErrUnimplemented)
			opts := &crosshost.Options{Incarnations: map[int]int64{-1: 1}}
			_, err = crosshost.Send(ctx, a, sends, opts)
			require.ErrorContains(t, err, "the option Incarnations names process -1")
			_, err = crosshost.Receive(ctx, b.Devices()[1], receives, opts)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		}
		with := opts
		if want == nil {
			with = new(crosshost.Options)
		}
		events, err := crosshost.Send(ctx, a, sends, with)
		require.NoError(t, err)
		got, err := crosshost.Receive(ctx, b.Devices()[1], receives, with)
		require.NoError(t, err)
		require.NoError(t, got[0].Wait(ctx))
		require.NoError(t, events[0].Close())
		require.NoError(t, got[0].Close())
		require.NoError(t, x.Close())
		net.mu.Lock()
		assert.Equal(t, want, net.tasks)
		net.mu.Unlock()
	}
}

func TestMisuseOfTransfersByKeysIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	net, a, b := newHosts(t, 0)
	x, other := bufferOf(t, a, 1), bufferOf(t, b, 1)
	closed, deleted := bufferOf(t, a, 1), bufferOf(t, a, 1)
	require.NoError(t, closed.Close())
	require.NoError(t, deleted.Delete())
	mine, theirs := a.Devices()[0], a.Devices()[1]
	for name, sends := range map[string][]crosshost.Outgoing{
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
		events, err := crosshost.Send(ctx, a, sends, nil)
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
		receives []crosshost.Incoming
	}{
		"nothing":          {mine, nil},
		"no device":        {nil, []crosshost.Incoming{{f32(1), nil, theirs, 1}}},
		"not addressable":  {theirs, []crosshost.Incoming{{f32(1), nil, mine, 1}}},
		"another's device": {b.Devices()[1], []crosshost.Incoming{{f32(1), nil, theirs, 1}}},
		"no sender":        {mine, []crosshost.Incoming{{f32(1), nil, nil, 1}}},
		"from itself":      {mine, []crosshost.Incoming{{f32(1), nil, mine, 1}}},
		"another's sender": {mine, []crosshost.Incoming{{f32(1), nil, b.Devices()[1], 1}}},
		"negative":         {mine, []crosshost.Incoming{{f32(-1), nil, theirs, 1}}},
		"no type":          {mine, []crosshost.Incoming{{pjrt.Shape{}, nil, theirs, 1}}},
		"layout":           {mine, []crosshost.Incoming{{f32(1), bad, theirs, 1}}},
		"two of one key":   {mine, []crosshost.Incoming{{f32(1), nil, theirs, 1}, {f32(1), nil, theirs, 1}}},
	} {
		buffers, err := crosshost.Receive(ctx, c.device, c.receives, nil)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.Nil(t, buffers, name)
	}
	over, stop := context.WithCancel(ctx)
	stop()
	_, err := crosshost.Send(over, a, []crosshost.Outgoing{{x, theirs, 1}}, nil)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = crosshost.Receive(over, mine, []crosshost.Incoming{{f32(1), nil, theirs, 1}}, nil)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, net.sent, "C was not called")
	assert.Zero(t, net.received, "C was not called")
	for _, b := range []*pjrt.Buffer{x, other, deleted} {
		require.NoError(t, b.Close())
	}
}

func TestCrossHostTransfersAreUnimplementedWithoutTheExtension(t *testing.T) {
	ctx := context.Background()
	c := pjrttest.New(t, pjrttest.Options{Processes: 2}).Client()
	x := bufferOf(t, c, 1)
	_, err := crosshost.Send(ctx, c, []crosshost.Outgoing{{x, c.Devices()[1], 1}}, nil)
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = crosshost.Receive(ctx, c.Devices()[0], []crosshost.Incoming{{f32(1), nil, c.Devices()[1], 1}}, nil)
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = crosshost.NewReceiver(ctx, c, []pjrt.Shape{f32(1)}, nil)
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = crosshost.CopyToRemoteDevice(ctx, x, []byte("x"))
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	require.NoError(t, x.Close())
}

func TestOlderPluginsLackPartsOfCrossHostTransfers(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		minor                int
		keys, cancel, remote bool
	}{{79, false, false, false}, {81, true, false, false}, {84, true, false, false}, {85, true, true, false},
		{103, true, true, false}, {104, true, true, true}} {
		net, a, b := newHosts(t, c.minor)
		x := bufferOf(t, a, 1)
		_, err := crosshost.Send(ctx, a, nil, nil)
		assert.Equal(t, !c.keys, errors.Is(err, pjrt.ErrUnimplemented), "%d: %v", c.minor, err)
		r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(1)}, nil)
		require.NoError(t, err, c.minor)
		descriptors, err := r.Descriptors(ctx)
		require.NoError(t, err)
		_, err = crosshost.CopyToRemoteDevice(ctx, x, descriptors[0])
		assert.Equal(t, !c.remote, errors.Is(err, pjrt.ErrUnimplemented), "%d: %v", c.minor, err)
		if !c.remote {
			err = r.Cancel(ctx, 0, errors.New("nothing arrives"))
			assert.Equal(t, !c.cancel, errors.Is(err, pjrt.ErrUnimplemented), "%d: %v", c.minor, err)
			if !c.cancel {
				// The stand-in's sender gives up without a request.
				net.cancelled(newRequest(descriptors[0]))
			}
		}
		require.NoError(t, r.Buffers()[0].Close())
		require.NoError(t, x.Close())
	}
}

func TestABufferTravelsByItsDescriptor(t *testing.T) {
	ctx := context.Background()
	net, a, b := newHosts(t, 0)
	net.late = true
	x, y := bufferOf(t, a, 1, 2), bufferOf(t, a, 3)
	r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(2), f32(1)}, &crosshost.ReceiverOptions{
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
		enqueued, err := crosshost.CopyToRemoteDevice(ctx, b, descriptors[i])
		require.NoError(t, err)
		assert.True(t, enqueued)
		require.NoError(t, b.Close())
	}
	assert.Equal(t, 2, net.freed, "the plugin's descriptors are freed")
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
	_, _, b := newHosts(t, 0)
	r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(1), f32(1)}, nil)
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

func TestFailuresOfTransfersByDescriptorAreReported(t *testing.T) {
	ctx := context.Background()
	net, a, b := newHosts(t, 0)
	x := bufferOf(t, a, 1)
	away := &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "no network"}

	net.notify = away
	r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(1)}, nil)
	require.NoError(t, err)
	_, err = r.Descriptors(ctx)
	assert.ErrorIs(t, err, pjrt.ErrUnavailable)
	assert.ErrorContains(t, err, "no network")
	assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrUnavailable, "there is nothing to cancel")
	require.NoError(t, r.Buffers()[0].Close())

	enqueued, err := crosshost.CopyToRemoteDevice(ctx, x, []byte("nobody"))
	assert.False(t, enqueued)
	assert.ErrorIs(t, err, pjrt.ErrNotFound)
	net.refuse = away
	_, err = crosshost.CopyToRemoteDevice(ctx, x, []byte("nobody"))
	assert.ErrorContains(t, err, "no network")
	_, err = crosshost.CopyToRemoteDevice(ctx, x, nil)
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	over, stop := context.WithCancel(ctx)
	stop()
	_, err = crosshost.CopyToRemoteDevice(over, x, []byte("nobody"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, net.freed, "the descriptors that C saw")
	require.NoError(t, x.Close())
	_, err = crosshost.CopyToRemoteDevice(ctx, x, []byte("nobody"))
	assert.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestASendByDescriptorGoesOnAfterItsContextEnds(t *testing.T) {
	ctx := context.Background()
	net, a, b := newHosts(t, 0)
	x := bufferOf(t, a, 9)
	r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(1)}, nil)
	require.NoError(t, err)
	descriptors, err := r.Descriptors(ctx)
	require.NoError(t, err)
	net.late = true
	short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	_, err = crosshost.CopyToRemoteDevice(short, x, descriptors[0])
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, x.Close(), "the send keeps the buffer alive")
	descriptors[0][0]++ // and has a copy of the descriptor
	net.release()
	values, err := pjrt.ToSlice[float32](ctx, r.Buffers()[0])
	require.NoError(t, err)
	assert.Equal(t, []float32{9}, values)
	assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrNotFound, "the plugin reports the end of the send")
	require.NoError(t, r.Buffers()[0].Close())
}

func TestTransfersOfAClosedClientAreErrors(t *testing.T) {
	ctx := context.Background()
	net, a, b := newHosts(t, 0)
	x := bufferOf(t, a, 1)
	r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(1)}, nil)
	require.NoError(t, err)
	descriptors, err := r.Descriptors(ctx)
	require.NoError(t, err)
	for _, h := range net.hosts {
		require.NoError(t, h.client.Close())
	}
	_, err = crosshost.Send(ctx, a, []crosshost.Outgoing{{x, a.Devices()[1], 1}}, nil)
	assert.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = crosshost.Receive(ctx, b.Devices()[1], []crosshost.Incoming{{f32(1), nil, b.Devices()[0], 1}}, nil)
	assert.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(1)}, nil)
	assert.ErrorIs(t, err, pjrt.ErrClosed)
	assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrClosed)
	// Closing the client does not stop a transfer that already exists.
	_, err = crosshost.CopyToRemoteDevice(ctx, x, descriptors[0])
	require.NoError(t, err)
	require.NoError(t, r.Buffers()[0].Wait(ctx))
	require.NoError(t, x.Close())
	require.NoError(t, r.Buffers()[0].Close())
}

func TestMisuseOfReceiversIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	_, _, b := newHosts(t, 0)
	one := []pjrt.Shape{f32(1)}
	for name, c := range map[string]struct {
		shapes []pjrt.Shape
		opts   *crosshost.ReceiverOptions
	}{
		"nothing":         {nil, nil},
		"negative":        {[]pjrt.Shape{f32(-1)}, nil},
		"layouts":         {one, &crosshost.ReceiverOptions{Layouts: make([]*pjrt.Layout, 2)}},
		"a layout":        {one, &crosshost.ReceiverOptions{Layouts: []*pjrt.Layout{pjrt.RowMajor(3)}}},
		"not addressable": {one, &crosshost.ReceiverOptions{Device: b.Devices()[0]}},
	} {
		r, err := crosshost.NewReceiver(ctx, b, c.shapes, c.opts)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.Nil(t, r, name)
	}
	over, stop := context.WithCancel(ctx)
	stop()
	_, err := crosshost.NewReceiver(over, b, one, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTooFewBuffersFromThePluginAreAnError(t *testing.T) {
	net, _, b := newHosts(t, 0)
	net.fewer = true
	// The buffers that the plugin did make are closed, so the stand-in frees them.
	_, err := crosshost.NewReceiver(context.Background(), b, []pjrt.Shape{f32(1), f32(1)}, nil)
	assert.ErrorIs(t, err, pjrt.ErrInternal)
	for descriptor := range net.ends {
		net.cancelled(newRequest([]byte(descriptor)))
	}
}

func newRequest(descriptor []byte) capi.CrossHostCancelRequest {
	return capi.CrossHostCancelRequest{Descriptor: descriptor, Reason: pjrt.ErrCancelled, Message: "given up"}
}

func TestNilsAreErrorsHere(t *testing.T) {
	ctx := context.Background()
	_, err := crosshost.Send(ctx, nil, nil, nil)
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = crosshost.Receive(ctx, nil, nil, nil)
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = crosshost.NewReceiver(ctx, nil, nil, nil)
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = crosshost.CopyToRemoteDevice(ctx, nil, []byte("x"))
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.False(t, crosshost.Supported(nil))
	for _, r := range []*crosshost.Receiver{nil, {}} {
		assert.Empty(t, r.Buffers())
		_, err = r.Descriptors(ctx)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrInvalidArgument)
	}
}
