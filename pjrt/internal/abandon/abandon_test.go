// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package abandon_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

func keep(int) error { return nil }

func TestACallReturnsItsResult(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, ctx := range map[string]context.Context{"without an end": context.Background(), "with an end": t.Context()} {
		v, err := abandon.Call(ctx, func() (int, error) { return 7, nil }, keep)
		require.NoError(t, err, name)
		assert.Equal(t, 7, v, name)
		_, err = abandon.Call(ctx, func() (int, error) { return 0, broken }, keep)
		assert.ErrorIs(t, err, broken, name)
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

// The call runs in another goroutine, but its caller may want to recover from the panic.
func TestAPanicReachesTheCaller(t *testing.T) {
	t.Parallel()
	for name, ctx := range map[string]context.Context{"without an end": context.Background(), "with an end": t.Context()} {
		assert.PanicsWithValue(t, "ouch", func() { _, _ = abandon.Call(ctx, func() (int, error) { panic("ouch") }, keep) }, name)
	}
}

func TestAnOfferIsTakenOrAbandonedOnce(t *testing.T) {
	t.Parallel()
	taken := abandon.NewOffer[int]()
	assert.True(t, taken.Make(1))
	assert.False(t, taken.Make(2))
	assert.False(t, taken.Abandon())
	<-taken.Ready()
	assert.Equal(t, 1, taken.Value())
	abandoned := abandon.NewOffer[int]()
	assert.True(t, abandoned.Abandon())
	assert.False(t, abandoned.Make(1))
}
