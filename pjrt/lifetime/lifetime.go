// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package lifetime decides when an object of a C library may be destroyed.
//
// Each C object has a [Ref] in Go. The object is destroyed once all of this has
// happened: its Ref was closed, or forgotten by the program; the last call that
// uses it has returned; and every object made from it, its children, has been
// destroyed. The garbage collector runs cleanups in no order, parents before
// children as often as not, so nothing here depends on an order: only the
// counts decide.
package lifetime

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// ErrClosed is in the chain of the error that Acquire returns after Close.
var ErrClosed = errors.New("closed")

// Ref is the program's reference to one C object of type T. Its methods may be
// called from any goroutine, in any order.
type Ref[T any] struct {
	object  *T
	state   *state
	cleanup runtime.Cleanup
}

// state is apart from Ref, so that the cleanup of a Ref can reach it without
// keeping the Ref alive.
type state struct {
	kind    string
	owned   destroyer // which this is part of
	parent  *state
	counter *counter
	tracked bool // set by New only

	mu     sync.Mutex
	closed bool // guarded by mu
	refs   int  // guarded by mu; 1 for the Ref until it is closed, 1 for each call and child
}

// owned is an object with its state, in one piece: there are many of them.
type owned[T any] struct {
	state
	object *T
	free   func(*T)
}

type destroyer interface{ destroy() }

func (o *owned[T]) destroy() { o.free(o.object) }

// New makes the reference to object, a C object that the caller owns. The kind
// is its name in errors and in Live, such as "buffer". destroy frees the object;
// it runs once, and may block. When the object was made from another one, its
// parent, that one is not destroyed before it; parent may be nil.
//
// A parent that is closed can still get children: the object exists already,
// made by a call that was under way.
func New[T any](kind string, object *T, parent Parent, destroy func(*T)) *Ref[T] {
	o := &owned[T]{state: state{kind: kind, counter: counterOf(kind), refs: 1}, object: object, free: destroy}
	s := &o.state
	s.owned = o
	if parent != nil {
		s.parent = parent.lifetime()
		s.parent.retain()
	}
	s.counter.add(1)
	if tracking.Load() {
		s.track()
	}
	r := &Ref[T]{object: object, state: s}
	// The collector's own goroutine must not wait for C.
	r.cleanup = runtime.AddCleanup(r, func(s *state) { go s.close() }, s)
	return r
}

// Parent is a Ref of any type.
type Parent interface{ lifetime() *state }

func (r *Ref[T]) lifetime() *state { return r.state }

// Acquire returns the object for the length of a call, which Release ends. It
// fails with ErrClosed after Close.
func (r *Ref[T]) Acquire() (*T, error) {
	if r == nil {
		return nil, errors.New("nil object")
	}
	s := r.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("%s is %w", s.kind, ErrClosed)
	}
	s.refs++
	return r.object, nil
}

// Release ends what an Acquire that succeeded began.
func (r *Ref[T]) Release() { r.state.release() }

// Closed reports whether Close was called.
func (r *Ref[T]) Closed() bool {
	r.state.mu.Lock()
	defer r.state.mu.Unlock()
	return r.state.closed
}

// Close gives the object up. It is destroyed at once, before Close returns, if
// nothing uses it; otherwise by whatever ends the last use. Closing again does
// nothing. The error is always nil; it is there for io.Closer.
func (r *Ref[T]) Close() error {
	if r == nil {
		return nil
	}
	r.cleanup.Stop()
	r.state.close()
	return nil
}

func (s *state) retain() {
	s.mu.Lock()
	s.refs++
	s.mu.Unlock()
}

func (s *state) close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.mu.Unlock()
	s.release()
}

// release drops one count, and destroys what nobody counts any longer: the
// object, and then perhaps its parent.
func (s *state) release() {
	for s != nil {
		s.mu.Lock()
		s.refs--
		last := s.refs == 0
		s.mu.Unlock()
		if !last {
			return
		}
		s.owned.destroy()
		s.counter.add(-1)
		if s.tracked {
			s.untrack()
		}
		s = s.parent
	}
}
