// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package threads_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/threads"
)

const patience = time.Minute

// working counts the goroutines of pools. No other test may run meanwhile.
func working() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "threads.(*thread).work(")
}

func TestOneThreadIsKeptForUsers(t *testing.T) {
	p := new(threads.Pool)
	count := func(want int, when string) {
		t.Helper()
		require.Eventually(t, func() bool { return working() == want }, patience, time.Millisecond, when)
	}
	together := func() { // fails by a timeout if calls wait for each other
		var begun, ended sync.WaitGroup
		begun.Add(4)
		for range 4 {
			ended.Go(func() {
				assert.NoError(t, p.Do(func() error { begun.Done(); begun.Wait(); return nil }))
			})
		}
		ended.Wait()
	}
	together()
	count(0, "nobody uses the pool")
	p.Join()
	p.Join()
	together()
	count(1, "calls are over")
	p.Leave()
	together()
	count(1, "a user is left")
	p.Leave()
	count(0, "no user is left")
	p.Join()
	require.NoError(t, p.Do(func() error { p.Leave(); return nil }))
	count(0, "the last user left during a call")
	together()
	count(0, "calls without a user")
}

func TestACallEndsAsItsCallDoes(t *testing.T) {
	p := new(threads.Pool)
	p.Join()
	defer p.Leave()
	broken := errors.New("broken")
	for range 2 { // on the kept thread, and on a new one where it has ended
		require.ErrorIs(t, p.Do(func() error { return broken }), broken)
		require.PanicsWithValue(t, "ouch", func() { _ = p.Do(func() error { panic("ouch") }) })
		ended, went := make(chan struct{}), false
		go func() {
			defer close(ended)
			_ = p.Do(func() error { runtime.Goexit(); return nil })
			went = true
		}()
		<-ended
		require.False(t, went)
		require.NoError(t, p.Do(func() error { return nil }))
	}
}
