// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package crosshost_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// patience is how long a test waits for something that must happen, on a busy machine.
const patience = time.Minute

// The C names of the functions of the extension.
const (
	sends    = "PJRT_Transfers_PJRT_Client_CrossHostSendBuffers"
	receives = "PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers"
	makes    = "PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers"
	copies   = "PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice"
)

// newHosts returns the plugins of two processes, of which process i has device i, and
// checks that the test leaves nothing behind in them.
func newHosts(t testing.TB, minor int) (hosts [2]*pjrttest.Plugin) {
	t.Helper()
	network := new(pjrttest.Network)
	for i := range hosts {
		p := pjrttest.New(t, pjrttest.Options{Minor: minor, Processes: 2, ProcessIndex: i, Network: network, NoLeaks: true})
		t.Cleanup(func() {
			assert.Eventually(t, func() bool {
				live := p.Live()
				delete(live, "PJRT_Client")
				return len(live) == 0
			}, patience, time.Millisecond, "%v", p.Live())
		})
		hosts[i] = p
	}
	return hosts
}

// clients returns the clients of both processes.
func clients(hosts [2]*pjrttest.Plugin) (a, b *pjrt.Client) {
	return hosts[0].Client(), hosts[1].Client()
}

// hooked returns a client whose calls of the plugin meet a hook first.
func hooked(t testing.TB, p *pjrttest.Plugin, hook serve.Hook) *pjrt.Client {
	t.Helper()
	wrapped, err := serve.Wrap(p.Table(), hook)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, wrapped.Close()) })
	plugin, err := raw.Plugin(wrapped.Capi())
	require.NoError(t, err)
	c, err := plugin.NewClient(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// freed counts the descriptors that plugins behind counted have freed.
var freed atomic.Int32

// countingDestructor is a destructor that counts, made once because a process cannot have
// many C entry points.
var countingDestructor = sync.OnceValue(func() capi.TransfersDescriptorDestructor {
	var a capi.TransfersBufferCopyToRemoteDeviceArgs
	d := capi.NewCrossHostDescriptor()
	d.Fields(&a)
	d.Delete()
	return capi.TransfersDescriptorDestructor(purego.NewCallback(func(data **byte, size *uintptr) (word uintptr) {
		freed.Add(1)
		a.DescriptorDestructor.Call(data, size)
		return
	}))
})

// counted returns a client of the plugin that counts in freed, from 0.
func counted(t testing.TB, p *pjrttest.Plugin) *pjrt.Client {
	freed.Store(0)
	return hooked(t, p, serve.Around(func(c *serve.Invocation, a *capi.TransfersBufferCopyToRemoteDeviceArgs) {
		given := a.DescriptorDestructor
		a.DescriptorDestructor = countingDestructor()
		c.Forward()
		a.DescriptorDestructor = given
	}))
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
			hosts := newHosts(t, 0)
			a, b := clients(hosts)
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
			assert.Equal(t, 1, hosts[0].Calls(sends), "one call for all")
			assert.Equal(t, 1, hosts[1].Calls(receives))
		})
	}
}

func TestTransfersNameTheIncarnationsOfTheProcesses(t *testing.T) {
	ctx := context.Background()
	opts := func(zero, one int64) *crosshost.Options {
		return &crosshost.Options{Incarnations: map[int]int64{1: one, 0: zero}}
	}
	for name, c := range map[string]struct {
		send, receive *crosshost.Options
		want          string
	}{
		"both agree":          {opts(70, -5), opts(70, -5), ""},
		"only one knows":      {opts(70, -5), nil, ""},
		"the sender is new":   {opts(71, -5), opts(70, -5), "process 0 is of incarnation 71 for the sender, but of incarnation 70 for the receiver"},
		"the receiver is new": {opts(70, -5), opts(70, -6), "process 1 is of incarnation -5 for the sender, but of incarnation -6 for the receiver"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := clients(newHosts(t, 0))
			x := bufferOf(t, a, 1)
			events, err := crosshost.Send(ctx, a, []crosshost.Outgoing{{x, a.Devices()[1], 1}}, c.send)
			require.NoError(t, err)
			received := []crosshost.Incoming{{Shape: f32(1), From: b.Devices()[0], Key: 1}}
			got, err := crosshost.Receive(ctx, b.Devices()[1], received, c.receive)
			require.NoError(t, err)
			for _, err := range []error{events[0].Wait(ctx), got[0].Wait(ctx)} {
				if c.want == "" {
					assert.NoError(t, err)
				} else {
					assert.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
					assert.ErrorContains(t, err, c.want)
				}
			}
			require.NoError(t, events[0].Close())
			require.NoError(t, got[0].Close())
			require.NoError(t, x.Close())
		})
	}
}

func TestOlderPluginsTakeNoIncarnations(t *testing.T) {
	ctx := context.Background()
	hosts := newHosts(t, 116)
	a, b := clients(hosts)
	x := bufferOf(t, a, 1)
	sent := []crosshost.Outgoing{{x, a.Devices()[1], 1}}
	received := []crosshost.Incoming{{Shape: f32(1), From: b.Devices()[0], Key: 1}}
	opts := &crosshost.Options{Incarnations: map[int]int64{1: -5, 0: 70}}
	_, err := crosshost.Send(ctx, a, sent, opts)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = crosshost.Receive(ctx, b.Devices()[1], received, opts)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	opts = &crosshost.Options{Incarnations: map[int]int64{-1: 1}}
	_, err = crosshost.Send(ctx, a, sent, opts)
	require.ErrorContains(t, err, "the option Incarnations names process -1")
	_, err = crosshost.Receive(ctx, b.Devices()[1], received, opts)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)

	events, err := crosshost.Send(ctx, a, sent, new(crosshost.Options))
	require.NoError(t, err)
	got, err := crosshost.Receive(ctx, b.Devices()[1], received, new(crosshost.Options))
	require.NoError(t, err)
	require.NoError(t, got[0].Wait(ctx))
	require.NoError(t, events[0].Close())
	require.NoError(t, got[0].Close())
	require.NoError(t, x.Close())
	assert.Equal(t, 1, hosts[0].Calls(sends), "the refused calls did not reach C")
	assert.Equal(t, 1, hosts[1].Calls(receives), "the refused calls did not reach C")
}

func TestMisuseOfTransfersByKeysIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	hosts := newHosts(t, 0)
	a, b := clients(hosts)
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
	for _, p := range hosts {
		assert.Zero(t, p.Calls(sends), "C was not called")
		assert.Zero(t, p.Calls(receives), "C was not called")
	}
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
		hosts := newHosts(t, c.minor)
		a, b := clients(hosts)
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
				require.NoError(t, hosts[1].Close(), "nothing else ends the transfer")
			}
		}
		require.NoError(t, r.Buffers()[0].Close())
		require.NoError(t, x.Close())
	}
}

func TestABufferTravelsByItsDescriptor(t *testing.T) {
	ctx := context.Background()
	hosts := newHosts(t, 0)
	a, b := clients(hosts)
	a = counted(t, hosts[0])
	hosts[1].Hold()
	x, y := bufferOf(t, a, 1, 2), bufferOf(t, a, 3)
	r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(2), f32(1)}, &crosshost.ReceiverOptions{
		Device: b.Devices()[1], Layouts: []*pjrt.Layout{nil, pjrt.RowMajor(1)},
	})
	require.NoError(t, err)
	short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	_, err = r.Descriptors(short)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the plugin is not ready")
	go hosts[1].Resume()
	descriptors, err := r.Descriptors(ctx)
	require.NoError(t, err)
	require.Len(t, descriptors, 2)
	for i, b := range []*pjrt.Buffer{x, y} {
		enqueued, err := crosshost.CopyToRemoteDevice(ctx, b, descriptors[i])
		require.NoError(t, err)
		assert.True(t, enqueued)
		require.NoError(t, b.Close())
	}
	assert.EqualValues(t, 2, freed.Load(), "the plugin frees its descriptors")
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
	_, b := clients(newHosts(t, 0))
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
	hosts := newHosts(t, 0)
	a, b := clients(hosts)
	a = counted(t, hosts[0])
	x := bufferOf(t, a, 1)
	away := &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "no network"}

	hosts[1].Fail(makes, away.Code, away.Message, pjrttest.Times(1), pjrttest.Async())
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
	hosts[0].Fail(copies, away.Code, away.Message, pjrttest.Times(1))
	_, err = crosshost.CopyToRemoteDevice(ctx, x, []byte("nobody"))
	assert.ErrorContains(t, err, "no network")
	_, err = crosshost.CopyToRemoteDevice(ctx, x, nil)
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	over, stop := context.WithCancel(ctx)
	stop()
	_, err = crosshost.CopyToRemoteDevice(over, x, []byte("nobody"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.EqualValues(t, 2, freed.Load(), "the descriptors that C saw")
	require.NoError(t, x.Close())
	_, err = crosshost.CopyToRemoteDevice(ctx, x, []byte("nobody"))
	assert.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestASendByDescriptorGoesOnAfterItsContextEnds(t *testing.T) {
	ctx := context.Background()
	hosts := newHosts(t, 0)
	a, b := clients(hosts)
	x := bufferOf(t, a, 9)
	r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(1)}, nil)
	require.NoError(t, err)
	descriptors, err := r.Descriptors(ctx)
	require.NoError(t, err)
	hosts[0].Hold()
	underWay, stop := context.WithCancel(ctx)
	go func() {
		_, err := hosts[0].WaitHeld(ctx, 1)
		assert.NoError(t, err)
		stop()
	}()
	_, err = crosshost.CopyToRemoteDevice(underWay, x, descriptors[0])
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, x.Close(), "the send keeps the buffer alive")
	descriptors[0][0]++ // and has a copy of the descriptor
	hosts[0].Resume()
	values, err := pjrt.ToSlice[float32](ctx, r.Buffers()[0])
	require.NoError(t, err)
	assert.Equal(t, []float32{9}, values)
	assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrNotFound, "the plugin reports the end of the send")
	require.NoError(t, r.Buffers()[0].Close())
}

func TestTransfersOfAClosedClientAreErrors(t *testing.T) {
	ctx := context.Background()
	hosts := newHosts(t, 0)
	a, b := clients(hosts)
	x := bufferOf(t, a, 1)
	r, err := crosshost.NewReceiver(ctx, b, []pjrt.Shape{f32(1)}, nil)
	require.NoError(t, err)
	descriptors, err := r.Descriptors(ctx)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
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
	_, b := clients(newHosts(t, 0))
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
	hosts := newHosts(t, 0)
	b := hooked(t, hosts[1], serve.Around(func(c *serve.Invocation, a *capi.TransfersClientMakeCrossHostReceiveBuffersArgs) {
		n := a.NumShapes
		a.NumShapes = 1
		c.Forward()
		a.NumShapes = n
	}))
	// The buffer that the plugin did make is closed.
	_, err := crosshost.NewReceiver(context.Background(), b, []pjrt.Shape{f32(1), f32(1)}, nil)
	assert.ErrorIs(t, err, pjrt.ErrInternal)
	require.NoError(t, hosts[1].Close(), "nothing else ends the transfer")
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
	assert.False(t, extensions.Supported(nil, capi.ExtensionTypeCrossHostTransfers))
	for _, r := range []*crosshost.Receiver{nil, {}} {
		assert.Empty(t, r.Buffers())
		_, err = r.Descriptors(ctx)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorIs(t, r.Cancel(ctx, 0, context.Canceled), pjrt.ErrInvalidArgument)
	}
}
