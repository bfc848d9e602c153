// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package kv

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// Memory is a Store in the memory of this process. It keeps all values until the Memory itself is
// garbage. The zero Memory is empty.
type Memory struct {
	mu      sync.Mutex
	values  map[string][]byte  // guarded by mu; the slices never change
	waiters map[string]*waiter // guarded by mu; for keys without a value
}

// waiter lets all Gets of one key wait.
type waiter struct {
	ready chan struct{} // closed once there is a value
	value []byte        // set before ready is closed
	n     int           // Gets that wait; guarded by Memory.mu
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return new(Memory) }

// Get implements Store.
func (m *Memory) Get(ctx context.Context, key string) ([]byte, error) {
	if err := m.check(ctx, key); err != nil {
		return nil, err
	}
	value, w := m.await(key)
	if w == nil {
		return value, nil
	}
	select {
	case <-w.ready:
		return slices.Clone(w.value), nil
	case <-ctx.Done():
		m.leave(key, w)
		return nil, fmt.Errorf("no value for key %q: %w", excerpt.Of(key), ctx.Err())
	}
}

// await returns a copy of the value of key, or a waiter if there is none.
func (m *Memory) await(key string) ([]byte, *waiter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.values[key]; ok {
		return slices.Clone(v), nil
	}
	w := m.waiters[key]
	if w == nil {
		if m.waiters == nil {
			m.waiters = make(map[string]*waiter)
		}
		w = &waiter{ready: make(chan struct{})}
		m.waiters[key] = w
	}
	w.n++
	return nil, w
}

// leave removes the waiter when the last Get stops waiting.
func (m *Memory) leave(key string, w *waiter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.n--; w.n == 0 && m.waiters[key] == w {
		delete(m.waiters, key)
	}
}

// TryGet implements Store.
func (m *Memory) TryGet(ctx context.Context, key string) ([]byte, error) {
	if err := m.check(ctx, key); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, excerpt.Of(key))
	}
	return slices.Clone(v), nil
}

// Put implements Store.
func (m *Memory) Put(ctx context.Context, key string, value []byte) error {
	if err := m.check(ctx, key); err != nil {
		return err
	}
	// A nil value means an empty one, but bytes.Clone would return nil.
	v := append([]byte{}, value...)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = make(map[string][]byte)
	}
	m.values[key] = v
	if w := m.waiters[key]; w != nil {
		delete(m.waiters, key)
		w.value = v
		close(w.ready)
	}
	return nil
}

var errNilStore = errors.New("kv: the store is nil")

func (m *Memory) check(ctx context.Context, key string) error {
	if m == nil {
		return errNilStore
	}
	if key == "" {
		return ErrEmptyKey
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("key %q: %w", excerpt.Of(key), err)
	}
	return nil
}
