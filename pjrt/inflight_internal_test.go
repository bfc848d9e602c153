// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExecutionsThatPassTheGateLeaveRoomForCallsThatExpectIt(t *testing.T) {
	t.Parallel()
	f := newFlight()
	pass := func(ctx context.Context) error {
		leave, err := f.passGate(ctx)
		if err == nil {
			leave() // the call is over, the execution is not
		}
		return err
	}
	for range gateSize + 3 {
		require.NoError(t, pass(t.Context()), "no call expects room")
	}
	f.aside.Store(gateSize - 1)
	f.n.Store(crowd)
	require.True(t, f.enterDirect())
	require.NoError(t, pass(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, pass(ctx), context.DeadlineExceeded, "a call is on its way")
	assert.EqualValues(t, gateSize, f.aside.Load())
	assert.Empty(t, f.gate)
	f.leaveDirect()
	assert.NoError(t, pass(t.Context()))
	f.n.Store(crowd + 1)
	assert.False(t, f.enterDirect())
	assert.Zero(t, f.direct.Load())
}
