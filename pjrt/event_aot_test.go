// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package pjrt_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// libtpu lets a program make its own events, without a client and without a TPU.
func TestPromisesWorkAheadOfTime(t *testing.T) {
	plugin, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	nothingAlive(t)
	before := pjrt.Live()["event"]

	t.Run("many waiters", func(t *testing.T) {
		for name, want := range map[string]error{"success": nil, "failure": &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "lost"}} {
			e, promise, err := plugin.NewEvent()
			require.NoError(t, err)
			ready, err := e.Ready()
			require.NoError(t, err)
			assert.False(t, ready)
			require.NoError(t, e.Err())
			short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			require.ErrorIs(t, e.Wait(short), context.DeadlineExceeded)
			cancel()
			check := func(err error) {
				if want == nil {
					assert.NoError(t, err, name)
				} else {
					assert.EqualError(t, err, want.Error(), name)
				}
			}
			var wg sync.WaitGroup
			for i := range 3000 {
				wg.Go(func() {
					switch i % 4 {
					case 0:
						check(e.Wait(context.Background()))
					case 1:
						check(e.Wait(t.Context()))
					case 2:
						<-e.Done()
						check(e.Err())
					default:
						called := make(chan error)
						assert.NoError(t, e.OnReady(func(err error) { called <- err }))
						check(<-called)
					}
				})
			}
			require.NoError(t, keep(promise, want))
			wg.Wait()
			require.ErrorIs(t, promise.Fulfill(), pjrt.ErrFailedPrecondition)
			now, _ := threads(t)
			assert.Less(t, now, 1500, "half of the waiters")
			require.NoError(t, e.Close())
		}
	})
	t.Run("closed before it was set", func(t *testing.T) {
		e, promise, err := plugin.NewEvent()
		require.NoError(t, err)
		called := make(chan error, 1)
		require.NoError(t, e.OnReady(func(err error) { called <- err }))
		require.NoError(t, e.Close())
		require.NoError(t, promise.Close())
		require.ErrorIs(t, <-called, pjrt.ErrCancelled)
	})
	t.Run("forgotten", func(t *testing.T) {
		for range 100 {
			_, _, err := plugin.NewEvent()
			require.NoError(t, err)
		}
	})
	require.True(t, collecting.Until(func() bool { return pjrt.Live()["event"] == before }))
}
