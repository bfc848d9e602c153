// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inside_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

func begin(x *inside.Execution) *inside.Execution {
	if x.Context == nil {
		x.Context = context.Background()
	}
	inside.Begin(x)
	return x
}

// deep calls fn with n more frames on the stack.
//
//go:noinline
func deep(n int, fn func()) {
	if n == 0 {
		fn()
		return
	}
	deep(n-1, fn)
}

func TestAHandlerKnowsItsExecutionHoweverDeepItIs(t *testing.T) {
	ctx := context.Background()
	var all []*inside.Execution
	for range 300 {
		all = append(all, begin(&inside.Execution{}))
	}
	var group sync.WaitGroup
	running := make(chan struct{})
	for i, x := range all {
		group.Go(func() {
			err := errors.New("of the handler")
			assert.Equal(t, err, inside.Run(x, func() error {
				<-running
				for _, n := range []int{0, 1, 61, 62, 63, 64, 65, i} {
					deep(n, func() { assert.Same(t, x, inside.Current(ctx)) })
				}
				return err
			}))
		})
	}
	close(running)
	group.Wait()
	assert.False(t, inside.Any())
	assert.Nil(t, inside.Current(all[0].ContextOf()), "no handler runs")
	for _, x := range all {
		inside.Finish(x)
	}
}

func TestAHandlerWithinAnotherBelongsToBoth(t *testing.T) {
	ctx := context.Background()
	outer := begin(&inside.Execution{Client: 1})
	require.NoError(t, inside.Run(outer, func() error {
		inner := begin(&inside.Execution{Client: 1, Outer: inside.Current(ctx)})
		assert.Same(t, outer, inner.Outer)
		require.NoError(t, inside.Run(inner, func() error {
			assert.Same(t, inner, inside.Current(ctx))
			assert.True(t, inner.Awaits(inner.Waits))
			assert.True(t, inner.Awaits(outer.Waits))
			assert.False(t, inner.Awaits(nil))
			assert.ElementsMatch(t, standin.Set{outer.End, inner.End}, *inside.Earlier(1))
			assert.Nil(t, inside.Earlier(2))
			found := make(chan *inside.Execution)
			go func() { found <- inside.Current(ctx) }()
			assert.Nil(t, <-found, "another goroutine")
			go func() { found <- inside.Current(inner.ContextOf()) }()
			assert.Same(t, inner, <-found, "with the context")
			return nil
		}))
		assert.Same(t, outer, inside.Current(ctx))
		inside.Finish(inner)
		assert.False(t, outer.Awaits(inner.Waits))
		return nil
	}))
	inside.Finish(outer)
	assert.Nil(t, inside.Earlier(1))
	assert.False(t, standin.Any())
}

func TestAPanicOfAHandlerLeavesNothingBehind(t *testing.T) {
	x := begin(&inside.Execution{})
	assert.Panics(t, func() { _ = inside.Run(x, func() error { panic("of the handler") }) })
	assert.False(t, inside.Any())
	inside.Finish(x)
}

func TestExecutionsAreFoundByTheirNumbers(t *testing.T) {
	a, b := begin(&inside.Execution{}), begin(&inside.Execution{ID: 77})
	assert.Same(t, a, inside.Find(int64(a.ID)))
	assert.Same(t, b, inside.Find(77))
	c := begin(&inside.Execution{ID: 77})
	assert.Nil(t, inside.Find(77), "two have the number")
	inside.Finish(b)
	assert.Same(t, c, inside.Find(77))
	inside.Finish(c)
	inside.Finish(a)
	assert.Nil(t, inside.Find(77))
	assert.Nil(t, inside.Find(1<<40))
}

func TestOnlySoManyHandlersRunAtATime(t *testing.T) {
	x := begin(&inside.Execution{})
	defer inside.Finish(x)
	var nest func(n int) (int, error)
	nest = func(n int) (depth int, err error) {
		err = inside.Run(x, func() error {
			var err error
			depth, err = nest(n + 1)
			return err
		})
		if errors.Is(err, inside.ErrTooMany) {
			return max(depth, n), nil
		}
		return depth, err
	}
	n, err := nest(0)
	require.NoError(t, err)
	assert.Equal(t, 4096, n)
	assert.False(t, inside.Any())
}
