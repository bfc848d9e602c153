// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
)

func TestExecutionsThroughTheGateLeaveRoomForDirectCalls(t *testing.T) {
	t.Parallel()
	traffic := newTraffic(32)
	pass := func(ctx context.Context) error {
		err := traffic.passGate(ctx, false)
		if err == nil {
			<-traffic.gate // the call is over, the execution is not
		}
		return err
	}
	room := int64(cap(traffic.gate))
	for range room + 3 {
		require.NoError(t, pass(t.Context()), "there is no direct call")
	}
	traffic.queued.Store(room - 1)
	traffic.counts.Store(int64(traffic.free))
	require.True(t, traffic.beginDirect())
	require.NoError(t, pass(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, pass(ctx), context.DeadlineExceeded, "a direct call is under way")
	assert.EqualValues(t, room, traffic.queued.Load())
	assert.Empty(t, traffic.gate)
	traffic.counts.Add(-oneDirect)
	assert.NoError(t, pass(t.Context()))
	traffic.counts.Store(int64(traffic.free) + 1)
	assert.False(t, traffic.beginDirect())
	assert.Zero(t, traffic.direct())
}

func TestLeavingAnAdmissionFreesItsPlaces(t *testing.T) {
	t.Parallel()
	traffic := newTraffic(2) // one direct call, one through the gate
	traffic.limit.set(3)
	var program limit
	program.set(3)
	var first, second admission
	require.NoError(t, first.enter(t.Context(), &program, &traffic, false))
	direct, err := first.beginCall(t.Context())
	require.NoError(t, err)
	assert.True(t, direct)
	first.endCall(direct)

	require.NoError(t, second.enter(t.Context(), &program, &traffic, false))
	for range 2 { // the second call is made because the first one failed
		direct, err = second.beginCall(t.Context())
		require.NoError(t, err)
		assert.False(t, direct)
		assert.Equal(t, queued, second.state)
		second.endCall(direct)
	}
	assert.EqualValues(t, 1, traffic.queued.Load())
	assert.EqualValues(t, 2, traffic.underWay())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var third admission
	traffic.limit.set(1)
	var fourth admission
	require.NoError(t, third.enter(t.Context(), &program, &traffic, false))
	require.ErrorIs(t, fourth.enter(ctx, &program, &traffic, false), context.Canceled)
	for _, a := range []*admission{&first, &second, &third, &fourth} {
		a.leave()
		assert.Equal(t, notAdmitted, a.state)
	}
	assert.Zero(t, traffic.queued.Load())
	assert.Zero(t, traffic.underWay())
	assert.Empty(t, *program.slots.Load())
	assert.Empty(t, *traffic.limit.slots.Load())
}

func TestExecutionsOnSeveralDevicesWaitUntilThePluginHasPlaces(t *testing.T) {
	t.Parallel()
	traffic := newTraffic(2)
	var program limit
	begin := func(a *admission, ctx context.Context) error {
		a.spread = true
		if err := a.enter(ctx, &program, &traffic, false); err != nil {
			return err
		}
		direct, err := a.beginCall(ctx)
		if err == nil {
			a.endCall(direct) // the call is over, the execution is not
		}
		return err
	}
	var direct, queued, waiting admission
	require.NoError(t, begin(&direct, t.Context()))
	require.NoError(t, begin(&queued, t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, begin(&waiting, ctx), context.DeadlineExceeded)
	waiting.leave()
	queued.leave()
	require.NoError(t, begin(&waiting, t.Context()))
	waiting.leave()
	direct.leave()
	assert.Empty(t, traffic.spread)
	assert.Zero(t, traffic.queued.Load())
	assert.Zero(t, traffic.underWay())
}

func TestAHandlerPassesTheGateOnlyWithoutWaiting(t *testing.T) {
	t.Parallel()
	ctx := (&inside.Execution{Program: "main", Context: t.Context()}).HandlerContext()
	traffic := newTraffic(4)
	for range cap(traffic.gate) {
		require.NoError(t, traffic.passGate(ctx, true))
		<-traffic.gate // the call is over, the execution is not
	}
	for _, spread := range []bool{false, true} {
		err := traffic.passGate(ctx, spread)
		require.ErrorIs(t, err, ErrFailedPrecondition)
		assert.ErrorContains(t, err, "a handler of a custom call in main cannot wait for the end of one")
		assert.ErrorContains(t, err, "limit those of main to 2 with LimitInFlight")
	}
	assert.Empty(t, traffic.gate)
	traffic.queued.Add(-1)
	<-traffic.spread
	for range cap(traffic.gate) {
		traffic.gate <- struct{}{}
	}
	require.ErrorIs(t, traffic.passGate(ctx, true), ErrFailedPrecondition)
	assert.Len(t, traffic.spread, 1, "it has given its place back")
	assert.EqualValues(t, 1, traffic.queued.Load())
}
