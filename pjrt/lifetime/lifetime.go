// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package lifetime decides when an object of a C library may be destroyed. It is for packages
// that make C objects of their own: those of package pjrt take part already.
//
// Each C object has a [Ref] in Go. The object is destroyed when its Ref has been closed or
// garbage collected, the last call that uses it has returned, and every object made from it,
// its children, has been destroyed. The garbage collector runs cleanups in any order, often
// parents before children, so only counts decide, never an order.
package lifetime

import (
	"io"

	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// ErrClosed is wrapped by the error that Acquire returns after Close.
var ErrClosed = lifetimes.ErrClosed

// Ref is the program's reference to one C object of type T. Its methods may be called from any
// goroutine, in any order. A Ref must not be copied. A nil Ref is of no object.
type Ref[T any] struct {
	ref lifetimes.Ref[T]
	parent
}

type parent = Parent // whose field is not exported

// Parent is a Ref of any type, or what raw.Parent returns.
type Parent = lifetimes.Parent

// New returns a reference to object, a C object that the caller owns. kind is its name in
// errors and in [Live], such as "buffer". destroy frees the object; it runs once, and may block.
// If the object was made from another one, that is its parent, which is not destroyed before
// it; parent may be nil.
//
// A closed parent can still get children, because a call that was in progress may have made
// the object.
func New[T any](kind string, object *T, parent Parent, destroy func(*T)) *Ref[T] {
	r := new(Ref[T])
	lifetimes.Init(&r.ref, kind, object, parent, func(object *T, _ *struct{}) { destroy(object) })
	r.parent = &r.ref
	return r
}

// Acquire returns the object for use in a call; call Release when the call has returned. After
// Close, Acquire fails with ErrClosed.
func (r *Ref[T]) Acquire() (*T, error) {
	if r == nil {
		return (*lifetimes.Ref[T])(nil).Acquire()
	}
	return r.ref.Acquire()
}

// Release undoes one successful Acquire. Of a nil or zero Ref, which nothing can acquire, it does
// nothing.
func (r *Ref[T]) Release() {
	if r != nil && r.parent != nil {
		r.ref.Release()
	}
}

// Close gives up the object. If nothing uses it, it is destroyed before Close returns,
// otherwise when the last use ends. Closing again does nothing. The error is always nil; it is
// there for io.Closer.
func (r *Ref[T]) Close() error {
	if r == nil {
		return nil
	}
	return r.ref.Close()
}

// Live returns how many C objects exist, by kind. It leaves out kinds without objects. A closed
// object counts as long as calls or children keep it.
func Live() map[string]int { return lifetimes.Live() }

// Track turns the recording of creation stacks on or off, for objects made from now on, and
// returns the previous setting. It is on from the start if the environment variable PJRT_TRACK
// is set to anything but 0. Recording costs a microsecond or two, and a few hundred bytes, for
// each object.
func Track(on bool) (was bool) { return lifetimes.Track(on) }

// Leak counts the objects of one kind that one place in the program made and that still exist.
type Leak = lifetimes.Leak

// Leaks returns the existing objects that were made while tracking was on, grouped by kind and
// by the place that made them, the largest group first.
func Leaks() []Leak { return lifetimes.Leaks() }

// WriteLeaks writes a readable report of Leaks. Nothing calls it at the end of a program, as Go
// runs no code of a package there: call it from a handler, or defer it in main, before the calls
// that close clients are deferred, and do not end with os.Exit.
func WriteLeaks(w io.Writer) error { return lifetimes.WriteLeaks(w) }
