// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// A short execution is called, awaited and its event destroyed in one crossing into C.
// Whatever fails in it, nothing is left, and the next one works.
func TestAShortExecutionMayFailInAnyOfItsCalls(t *testing.T) {
	ctx := context.Background()
	client := standInClient(t, 1)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	args := []*pjrt.Buffer{a, a}
	execute := func() {
		outs, err := exe.Execute(ctx, args, nil)
		require.NoError(t, err)
		require.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
		require.NoError(t, outs[0].Close())
	}
	for name, c := range map[string]struct {
		fault func(t *testing.T)
		want  error
		left  int // results that the plugin made
	}{
		"nothing": {func(*testing.T) {}, nil, 1},
		"the call": {func(t *testing.T) {
			on(t, func(*capi.LoadedExecutableExecuteArgs, func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
				return failWith(pjrt.ErrAborted, "never started")
			})
		}, pjrt.ErrAborted, 0},
		"the work": {func(t *testing.T) { exhausted(t, 1, pjrt.ErrDataLoss, false, nil) }, pjrt.ErrDataLoss, 1},
		"the wait": {func(t *testing.T) {
			on(t, func(a *capi.EventAwaitArgs, next func(*capi.EventAwaitArgs) uintptr) uintptr {
				return failWith(pjrt.ErrUnavailable, "no wait")
			})
		}, pjrt.ErrUnavailable, 1},
		"the end of the event": {func(t *testing.T) {
			on(t, func(a *capi.EventDestroyArgs, next func(*capi.EventDestroyArgs) uintptr) uintptr {
				next(a)
				return failWith(pjrt.ErrInternal, "no end")
			})
		}, nil, 1},
		"out of memory once": {func(t *testing.T) { exhausted(t, 1, pjrt.ErrResourceExhausted, true, nil) }, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			require.Eventually(t, func() bool { execute(); return pjrt.IsShort(exe) }, patience, time.Microsecond)
			before, events := pjrt.Live(), standInEvents()
			destroyed := count[capi.BufferDestroyArgs](t)
			c.fault(t)
			outs, err := exe.Execute(ctx, args, nil)
			require.ErrorIs(t, err, c.want)
			for _, o := range outs {
				o.Close()
			}
			require.Eventually(t, func() bool { return noMoreThan(before, pjrt.Live()) && standInEvents() <= events },
				patience, time.Millisecond, "something is left")
			assert.Equal(t, c.left, destroyed())
		})
		execute()
	}
}

// The turns of a short execution end with it, and those of its arguments' later users begin.
func TestAfterShortExecutionsItsArgumentsCanBeDonatedAndDeleted(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe, take := compile(t, client, add), compile(t, client, donor)
	for range 20 {
		a, b := upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(5, 6, 7, 8))
		for range 10 {
			outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, b}, nil)
			require.NoError(t, err)
			outs[0].Close()
		}
		outs, err := take.Execute(ctx, []*pjrt.Buffer{a, b}, nil)
		require.NoError(t, err)
		outs[0].Close()
		_, err = exe.Execute(ctx, []*pjrt.Buffer{a, b}, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, "a was donated")
		require.ErrorIs(t, a.Wait(ctx), pjrt.ErrInvalidArgument)
		require.NoError(t, b.Wait(ctx))
		require.NoError(t, b.Delete())
		require.Error(t, b.Wait(ctx))
		_, err = exe.Execute(ctx, []*pjrt.Buffer{b, b}, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, "b was deleted")
		a.Close()
		b.Close()
	}
}
