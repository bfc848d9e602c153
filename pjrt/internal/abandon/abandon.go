// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package abandon lets a caller stop waiting for a C call, which cannot be interrupted.
package abandon

import (
	"context"
	"sync"
)

// Call runs make, which cannot be interrupted, and returns its result. If ctx ends first, Call
// returns ctx's error, make continues in its own goroutine, and close gets its result. A panic in
// make is passed on to the caller.
func Call[T any](ctx context.Context, make func() (T, error), close func(T) error) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if ctx.Done() == nil {
		return make()
	}
	type result struct {
		value T
		err   error
		panic any
	}
	done := NewOffer[result]()
	go func() {
		var r result
		defer func() {
			r.panic = recover()
			switch wanted := done.Make(r); {
			case wanted:
			case r.panic != nil:
				panic(r.panic)
			case r.err == nil:
				_ = close(r.value)
			}
		}()
		r.value, r.err = make()
	}()
	r, err := done.Await(ctx)
	if err != nil {
		return none, err
	}
	if r.panic != nil {
		panic(r.panic)
	}
	return r.value, r.err
}

// Offer passes one value from the goroutine that makes it to one that may no
// longer want it: exactly one of Make and Abandon succeeds.
type Offer[T any] struct {
	ready chan struct{} // closed when value is set
	value T             // valid after ready

	mu      sync.Mutex
	settled bool // guarded by mu
}

// NewOffer returns an Offer without a value.
func NewOffer[T any]() *Offer[T] { return &Offer[T]{ready: make(chan struct{})} }

// Make passes v on and reports whether it is still wanted.
func (o *Offer[T]) Make(v T) bool {
	if !o.settle() {
		return false
	}
	o.value = v
	close(o.ready)
	return true
}

// Ready returns a channel that is closed when there is a value.
func (o *Offer[T]) Ready() <-chan struct{} { return o.ready }

// Value returns the value. It may be called after Ready's channel is closed.
func (o *Offer[T]) Value() T { return o.value }

// Await waits for the value. If ctx ends first, Await gives up the offer and returns ctx's error.
func (o *Offer[T]) Await(ctx context.Context) (T, error) {
	select {
	case <-o.ready:
	case <-ctx.Done():
		if o.Abandon() {
			var none T
			return none, ctx.Err()
		}
	}
	return o.value, nil
}

// Abandon gives up the offer. It reports whether it was called before Make; if not, there is a
// value.
func (o *Offer[T]) Abandon() bool {
	if o.settle() {
		return true
	}
	<-o.ready
	return false
}

// settle reports whether it is called for the first time.
func (o *Offer[T]) settle() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := !o.settled
	o.settled = true
	return first
}
