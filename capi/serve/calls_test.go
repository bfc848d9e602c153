// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// A func that waits holds a thread, and 10,000 threads end the process.
func TestOnlySoManyCallsFromGoAreUnderWay(t *testing.T) {
	const limit, callers = 1000, 1100
	goOn := make(chan struct{})
	var under, most atomic.Int64
	tab := table(t, &serve.Plugin{EventAwait: func(*capi.EventAwaitArgs) error {
		n := under.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-goOn
		under.Add(-1)
		return nil
	}})
	var done sync.WaitGroup
	for i := range callers {
		done.Go(func() {
			var c capi.Call[capi.EventAwaitArgs]
			if i%2 == 0 {
				assert.NoError(t, c.Do(tab))
				return
			}
			var s capi.Sequence
			s.Add(&c)
			_, err := s.Do(tab)
			assert.NoError(t, err)
		})
	}
	require.Eventually(t, func() bool { return under.Load() == limit }, time.Minute, time.Millisecond)
	close(goOn)
	done.Wait()
	assert.EqualValues(t, limit, most.Load())
}
