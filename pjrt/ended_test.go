// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

func TestAnEndedContextSaysWhichCallOnWhatWaitedForWhat(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		options pjrttest.Options
		ended   bool // before the call
		call    func(ctx context.Context, s *withContext) error
		want    string
	}{
		"before the call": {ended: true, call: func(ctx context.Context, s *withContext) error {
			_, err := s.compile(same).Execute(ctx, []*pjrt.Buffer{s.buffer()}, nil)
			return err
		}, want: "pjrt.LoadedExecutable.Execute of same: context deadline exceeded"},
		"a function that blocks": {call: func(ctx context.Context, s *withContext) error {
			x := s.buffer()
			defer s.p.Block("PJRT_Buffer_ToHostBuffer")()
			_, err := pjrt.ToSlice[float32](ctx, x)
			return err
		}, want: "pjrt.ToSlice of f32[2]: context deadline exceeded while waiting for the plugin, whose function goes on"},
		"contents": {call: func(ctx context.Context, s *withContext) error {
			defer s.p.Resume()
			s.p.Hold()
			return s.buffer().Wait(ctx)
		}, want: "pjrt.Buffer.Wait of f32[2]: context deadline exceeded while waiting for its contents"},
		"the limit": {call: func(ctx context.Context, s *withContext) error {
			exe, x := s.compile(same), s.buffer()
			exe.LimitInFlight(1)
			defer s.p.Resume()
			s.p.Hold()
			outs, done, err := exe.Start(context.Background(), []*pjrt.Buffer{x}, nil)
			require.NoError(s.t, err)
			defer done.Close()
			defer outs[0].Close()
			_, err = exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
			return err
		}, want: "pjrt.LoadedExecutable.Execute of same: context deadline exceeded while waiting for " +
			"one of 1 executions under way, which is the limit"},
		"an event": {call: func(ctx context.Context, s *withContext) error {
			e, promise, err := s.p.Plugin().NewEvent()
			require.NoError(s.t, err)
			defer e.Close()
			defer promise.Close()
			return e.Wait(ctx)
		}, want: "pjrt.Event.Wait: context deadline exceeded while waiting for the end of the work"},
		"an upload": {call: func(ctx context.Context, s *withContext) error {
			defer s.p.Block("PJRT_Client_BufferFromHostBuffer")()
			_, err := pjrt.FromSlice(ctx, s.c, []float32{1, 2})
			return err
		}, want: "pjrt.FromSlice of f32[2]: context deadline exceeded while waiting for the plugin, whose function goes on"},
		"a goroutine of the program": {call: func(ctx context.Context, s *withContext) (err error) {
			x := s.buffer()
			defer s.p.Block("PJRT_Buffer_ReadyEvent")()
			over := make(chan struct{})
			go func() {
				defer close(over)
				_, err = x.Reference(ctx)
			}()
			<-over
			return err
		}, want: "pjrt.Buffer.Reference of f32[2]: context deadline exceeded while waiting for the plugin, whose function goes on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			within := func(limit time.Duration) error {
				p := pjrttest.New(t, tc.options)
				s := &withContext{t, p, p.Client()}
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				if tc.ended {
					<-ctx.Done()
				}
				return tc.call(ctx, s)
			}
			limit := 20 * time.Millisecond
			err := within(limit)
			// A busy machine may end the context before the call waits, or not get to the goroutine
			// that knows what it waits for. The error then says less, and is right.
			for err != nil && saysLess(err, tc.want) && limit < patience {
				limit *= 2
				err = within(limit)
			}
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.EqualError(t, err, tc.want)
		})
	}
}

// saysLess reports whether the error of an ended context says less than it may about what was
// waited for.
func saysLess(err error, want string) bool {
	_, waited, _ := strings.Cut(err.Error(), " while waiting for ")
	return err.Error() != want && (waited == "" || waited == abandon.Plugin)
}
