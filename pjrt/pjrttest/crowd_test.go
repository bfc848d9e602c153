// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// Go ends a process with 10,000 threads. Goroutines that call the plugin at once, and those that
// wait within it, must not need one each.
func TestTenThousandGoroutinesUseThePluginAtOnce(t *testing.T) {
	const crowd = 10_000
	p := pjrttest.New(t, pjrttest.Options{})
	client := p.Client()
	p.Hold()
	b, err := client.BufferFromHost(t.Context(), pjrt.ArrayOf([]float32{1, 2}), nil)
	require.NoError(t, err)
	defer b.Close()
	var group sync.WaitGroup
	begin := make(chan struct{})
	for range crowd {
		group.Go(func() {
			<-begin
			v, err := client.BufferFromHost(t.Context(), pjrt.ArrayOf([]float32{3}), nil)
			if assert.NoError(t, err) {
				assert.NoError(t, v.Close())
			}
			got, err := pjrt.ToSlice[float32](t.Context(), b)
			assert.NoError(t, err)
			assert.Equal(t, []float32{1, 2}, got)
		})
	}
	close(begin)
	require.Eventually(t, func() bool { return len(p.Held()) > crowd/2 }, patience, time.Millisecond)
	p.Resume()
	group.Wait()
}

// A wait that is given up leaves nothing in memory, however long the buffer is pending.
func TestWaitsThatAreGivenUpKeepNoMemory(t *testing.T) {
	const rounds = 20_000
	p := pjrttest.New(t, pjrttest.Options{})
	client := p.Client()
	p.Hold()
	b, err := client.BufferFromHost(t.Context(), pjrt.ArrayOf([]float32{1}), nil)
	require.NoError(t, err)
	defer b.Close()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	give := func(n int) {
		for range n {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- b.Wait(ctx) }()
			runtime.Gosched()
			cancel()
			require.ErrorIs(t, <-done, context.Canceled)
		}
	}
	give(rounds / 10)
	first := heap()
	give(rounds)
	// What a wait was given up in returns when a busy machine lets it.
	assert.Eventually(t, func() bool { return heap() < first+rounds*100 }, time.Minute, 100*time.Millisecond,
		"a wait keeps less than 100 bytes: the 400 that it needs are given back")
	p.Resume()
	require.NoError(t, b.Wait(t.Context()))
}
