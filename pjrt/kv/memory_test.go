// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package kv_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/kv/kvtest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	kvtest.TestStore(t, func(*testing.T) kv.Store { return kv.NewMemory() })
}

func TestPrefixedStore(t *testing.T) {
	t.Parallel()
	kvtest.TestStore(t, func(*testing.T) kv.Store { return kv.Prefix(kv.NewMemory(), "run 1/") })
}

func TestAPrefixOfNoStoreIsAnError(t *testing.T) {
	t.Parallel()
	for name, none := range map[string]kv.Store{"nil": nil, "nil in an interface": (*kv.Memory)(nil), "twice": kv.Prefix(nil, "a/")} {
		s := kv.Prefix(none, "run 1/")
		_, err := s.Get(t.Context(), "key")
		require.ErrorContains(t, err, "the store is nil", name)
		_, err = s.TryGet(t.Context(), "key")
		require.ErrorContains(t, err, "the store is nil", name)
		require.ErrorContains(t, s.Put(t.Context(), "key", nil), "the store is nil", name)
	}
}

func TestPrefixesKeepProgramsApart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	all := kv.NewMemory()
	a, b := kv.Prefix(all, "a/"), kv.Prefix(all, "b/")
	require.NoError(t, a.Put(ctx, "key", []byte("of a")))
	_, err := b.TryGet(ctx, "key")
	require.ErrorIs(t, err, kv.ErrNotFound)
	assert.EqualError(t, err, `key not found: "b/key"`)
	require.NoError(t, kv.Prefix(b, "c/").Put(ctx, "key", []byte("of c in b")))
	for key, want := range map[string]string{"a/key": "of a", "b/c/key": "of c in b"} {
		v, err := all.Get(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, want, string(v))
	}
}

func TestMemoryNeitherPollsNorLeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := kv.NewMemory()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begin := time.Now()
		results := make(chan error)
		for range 100 {
			go func() {
				_, err := m.Get(ctx, "never")
				results <- err
			}()
		}
		// In this bubble, time advances only when all goroutines wait, and the deadline is the next
		// timer unless something polls.
		synctest.Wait()
		assert.Equal(t, 100, kv.Waiting(m, "never"))
		for range 100 {
			require.EqualError(t, <-results, `no value for key "never": context deadline exceeded`)
		}
		assert.Equal(t, time.Hour, time.Since(begin))
		synctest.Wait()
		assert.Zero(t, kv.Waiting(m, "never"))
		assert.Zero(t, kv.WaitedFor(m))
		// The bubble does not end before its goroutines do, and fails if one of them waits for
		// ever.
	})
}

func TestAWaitThatEndedDoesNotDisturbLaterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := kv.NewMemory()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.Get(short, "key")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		go func() {
			time.Sleep(time.Second)
			assert.NoError(t, m.Put(t.Context(), "key", []byte("value")))
		}()
		v, err := m.Get(t.Context(), "key")
		require.NoError(t, err)
		assert.Equal(t, "value", string(v))
		assert.Zero(t, kv.WaitedFor(m))
	})
}

func TestAnEmptyValueIsNotNil(t *testing.T) {
	t.Parallel()
	m := kv.NewMemory()
	require.NoError(t, m.Put(context.Background(), "key", nil))
	v, err := m.TryGet(context.Background(), "key")
	require.NoError(t, err)
	assert.Equal(t, []byte{}, v)
}
