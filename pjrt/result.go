// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "sync"

// result passes one value from the goroutine that makes it to one that may no
// longer want it: exactly one of offer and abandon succeeds.
type result[T any] struct {
	ready chan struct{} // closed when value is set
	value T             // valid after ready

	mu      sync.Mutex
	settled bool // guarded by mu
}

func newResult[T any]() *result[T] { return &result[T]{ready: make(chan struct{})} }

// settle reports whether the caller is the first.
func (r *result[T]) settle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.settled
	r.settled = true
	return first
}

// offer hands v over and reports whether it was wanted.
func (r *result[T]) offer(v T) bool {
	if !r.settle() {
		return false
	}
	r.value = v
	close(r.ready)
	return true
}

// abandon reports that no value came and none will be taken. When it returns
// false a value is there, or about to be: receive from ready.
func (r *result[T]) abandon() bool {
	if r.settle() {
		return true
	}
	<-r.ready
	return false
}
