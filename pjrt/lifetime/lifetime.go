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
	"sync/atomic"
)

// ErrClosed is in the chain of the error that Acquire returns after Close.
var ErrClosed = errors.New("closed")

// Ref is the program's reference to one C object of type T. Its methods may be
// called from any goroutine, in any order. A Ref must not be copied.
type Ref[T any] struct {
	object *T
	state  *state
	guard  *guard // until Close
}

// state is apart from Ref, so that it can be reached without keeping the Ref
// alive.
type state struct {
	kind    string
	owned   destroyer // which this is part of
	parent  *state
	counter *counter
	child   atomic.Pointer[counter] // of the children's kind, as a rule the same
	tracked bool                    // set by New only

	// refs counts 1 for the Ref until it is closed, and 1 for each call and child;
	// closedBit says that the Ref is closed.
	refs atomic.Int64
	// gone says that the object was destroyed and nothing is left to do.
	gone atomic.Bool
}

const closedBit = 1 << 62

// owned is an object with its state, in one piece: there are many of them.
type owned[T, X any] struct {
	state
	object *T
	free   func(*T)
	extra  X
}

type destroyer interface{ destroy() }

func (o *owned[T, X]) destroy() { o.free(o.object) }

func (o *owned[T, X]) renew(object *T) { o.object = object }

// guard has a cleanup, by which the collector says that the Ref of the guard is
// gone. Registering a cleanup and taking it back costs as much as all the rest of
// a Ref, so that guards are used again: what is watched stands in watched.
type guard struct{ watched *watched }

type watched struct{ state atomic.Pointer[state] }

var guards = sync.Pool{New: func() any {
	g := &guard{new(watched)}
	runtime.AddCleanup(g, func(w *watched) {
		if s := w.state.Load(); s != nil {
			// The collector's own goroutine must not wait for C.
			go s.close()
		}
	}, g.watched)
	return g
}}

// New makes the reference to object, a C object that the caller owns. The kind
// is its name in errors and in Live, such as "buffer". destroy frees the object;
// it runs once, and may block. When the object was made from another one, its
// parent, that one is not destroyed before it; parent may be nil.
//
// A parent that is closed can still get children: the object exists already,
// made by a call that was under way.
func New[T any](kind string, object *T, parent Parent, destroy func(*T)) *Ref[T] {
	r := new(Ref[T])
	begin[T, struct{}](r, kind, object, parent, destroy)
	return r
}

// Init is New for a Ref that is part of something larger, whose zero value it
// fills in. It returns a zero X that lives as long as the object: what points to
// it does not keep the Ref from the collector.
func Init[T, X any](r *Ref[T], kind string, object *T, parent Parent, destroy func(*T)) *X {
	return begin[T, X](r, kind, object, parent, destroy)
}

func begin[T, X any](r *Ref[T], kind string, object *T, parent Parent, destroy func(*T)) *X {
	o := &owned[T, X]{object: object, free: destroy}
	s := &o.state
	s.kind, s.owned = kind, o
	s.refs.Store(1)
	if parent != nil {
		s.parent = parent.lifetime()
		s.parent.refs.Add(1)
	}
	s.counter = s.parent.counterOf(kind)
	s.counter.add(1)
	if tracking.Load() {
		s.track()
	}
	r.object, r.state, r.guard = object, s, guardOf(s)
	return &o.extra
}

func guardOf(s *state) *guard {
	g := guards.Get().(*guard)
	g.watched.state.Store(s)
	return g
}

// Claim reports whether the Ref was closed and its object is destroyed, so that it
// can refer to another one: whoever is told so calls Renew, and nobody else is told
// so before. Until then the Ref stays closed.
func (r *Ref[T]) Claim() bool {
	return r != nil && r.state != nil && r.state.gone.CompareAndSwap(true, false)
}

// Renew makes a Ref that was claimed the reference to another object, of the same
// kind, with the same parent, which must be in use, and the same way to destroy it.
// Whoever still has the Ref has the new object.
func (r *Ref[T]) Renew(object *T) {
	s := r.state
	s.owned.(interface{ renew(*T) }).renew(object)
	if s.parent != nil {
		s.parent.refs.Add(1)
	}
	s.counter.add(1)
	if s.tracked = false; tracking.Load() {
		s.track()
	}
	r.object, r.guard = object, guardOf(s)
	s.refs.Store(1) // from here on it can be acquired
}

// counterOf returns the counter of a child of s, which may be nil.
func (s *state) counterOf(kind string) *counter {
	if s == nil {
		return counterOf(kind)
	}
	if c := s.child.Load(); c != nil && c.kind == kind {
		return c
	}
	c := counterOf(kind)
	s.child.Store(c)
	return c
}

// Parent is a Ref of any type.
type Parent interface{ lifetime() *state }

func (r *Ref[T]) lifetime() *state { return r.state }

// Acquire returns the object for the length of a call, which Release ends. It
// fails with ErrClosed after Close.
func (r *Ref[T]) Acquire() (*T, error) {
	if r == nil || r.state == nil {
		return nil, errNil
	}
	s := r.state
	for {
		n := s.refs.Load()
		if n&closedBit != 0 {
			return nil, fmt.Errorf("%s is %w", s.kind, ErrClosed)
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return r.object, nil
		}
	}
}

var errNil = errors.New("nil object")

// Release ends what an Acquire that succeeded began.
func (r *Ref[T]) Release() { r.state.release() }

// Closed reports whether Close was called.
func (r *Ref[T]) Closed() bool { return r.state.refs.Load()&closedBit != 0 }

// Close gives the object up. It is destroyed at once, before Close returns, if
// nothing uses it; otherwise by whatever ends the last use. Closing again does
// nothing. The error is always nil; it is there for io.Closer.
func (r *Ref[T]) Close() error {
	if r == nil || r.state == nil || !r.state.markClosed() {
		return nil
	}
	g := r.guard
	r.guard = nil
	g.watched.state.Store(nil)
	guards.Put(g)
	r.state.release()
	return nil
}

// close is Close for a Ref that the program forgot.
func (s *state) close() {
	if s.markClosed() {
		s.release()
	}
}

// markClosed reports whether the caller is the first.
func (s *state) markClosed() bool { return s.refs.Or(closedBit)&closedBit == 0 }

// release drops one count, and destroys what nobody counts any longer: the
// object, and then perhaps its parent.
func (s *state) release() {
	for s != nil {
		if s.refs.Add(-1) != closedBit {
			return
		}
		s.owned.destroy()
		s.counter.add(-1)
		if s.tracked {
			s.untrack()
		}
		parent := s.parent
		s.gone.Store(true)
		s = parent
	}
}
