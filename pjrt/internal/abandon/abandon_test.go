// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package abandon_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

func keep(int) error { return nil }

// contexts returns one of each kind that Call tells apart.
func contexts(t *testing.T) map[string]context.Context {
	return map[string]context.Context{"without an end": context.Background(), "with an end": t.Context()}
}

func TestACallReturnsItsResult(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, ctx := range contexts(t) {
		v, err := abandon.Call(ctx, func() (int, error) { return 7, nil }, keep)
		require.NoError(t, err, name)
		assert.Equal(t, 7, v, name)
		_, err = abandon.Call(ctx, func() (int, error) { return 0, broken }, keep)
		require.ErrorIs(t, err, broken, name)
		require.ErrorIs(t, abandon.Do(ctx, func() error { return broken }), broken, name)
		done := false
		assert.True(t, abandon.CleanUp(ctx, func() { done = true }), name)
		assert.True(t, done, name)
	}
}

func TestTheResultOfAnAbandonedCallIsClosed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	begun, goOn, closed := make(chan struct{}), make(chan struct{}), make(chan int)
	go func() {
		<-begun
		cancel()
	}()
	_, err := abandon.Call(ctx, func() (int, error) {
		close(begun)
		<-goOn
		return 7, nil
	}, func(v int) error { closed <- v; return nil })
	require.ErrorIs(t, err, context.Canceled)
	close(goOn)
	assert.Equal(t, 7, <-closed)
	_, err = abandon.Call(ctx, func() (int, error) { panic("it must not be called") }, keep)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestCleaningUpGoesOnAfterTheEndOfTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	goOn, done := make(chan struct{}), make(chan struct{})
	assert.False(t, abandon.CleanUp(ctx, func() {
		<-goOn
		close(done)
	}))
	close(goOn)
	<-done
}

// The call runs in another goroutine, but its caller may want to recover from the panic.
func TestAPanicReachesTheCaller(t *testing.T) {
	t.Parallel()
	for name, ctx := range contexts(t) {
		assert.PanicsWithValue(t, "ouch", func() { _, _ = abandon.Call(ctx, func() (int, error) { panic("ouch") }, keep) }, name)
	}
}

func TestACallThatEndsItsGoroutineEndsThatOfTheCaller(t *testing.T) {
	t.Parallel()
	for name, ctx := range contexts(t) {
		ended, went := make(chan struct{}), false
		go func() {
			defer close(ended)
			_, _ = abandon.Call(ctx, func() (int, error) { runtime.Goexit(); return 0, nil }, keep)
			went = true
		}()
		<-ended
		assert.False(t, went, name)
	}
}

type job struct{ run, drop func() }

func (j *job) Run()  { j.run() }
func (j *job) Drop() { j.drop() }

func TestAHandOverIsUsedAgain(t *testing.T) {
	h, n := abandon.NewHandOver(), 0
	j := &job{run: func() { n++ }, drop: func() { t.Error("nobody has gone") }}
	ctx := t.Context()
	assert.Zero(t, testing.AllocsPerRun(100, func() { assert.True(t, h.Run(ctx, j)) }))
	assert.Equal(t, 101, n)
}

func BenchmarkACall(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	for name, ctx := range map[string]context.Context{"without an end": context.Background(), "with an end": ctx} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = abandon.Call(ctx, func() (int, error) { return 7, nil }, keep)
			}
		})
	}
	b.Run("handed over again", func(b *testing.B) {
		b.ReportAllocs()
		h, j := abandon.NewHandOver(), &job{run: func() {}}
		for b.Loop() {
			h.Run(ctx, j)
		}
	})
}
