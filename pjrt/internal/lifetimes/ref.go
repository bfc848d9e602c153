// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package lifetimes decides when an object of a C library may be destroyed. Package
// pjrt/lifetime shows to packages outside pjrt as much of it as they need.
//
// Each C object has a [Ref] in Go. The object is destroyed when its Ref has been closed or garbage
// collected, the last call that uses it has returned, and every object made from it, its children,
// has been destroyed. The garbage collector runs cleanups in any order, often parents before
// children, so only counts decide, never an order.
package lifetimes

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrClosed is wrapped by the error that Acquire returns after Close.
var ErrClosed = errors.New("closed")

// Ref is the program's reference to one C object of type T. Its methods may be
// called from any goroutine, in any order. A Ref must not be copied.
type Ref[T any] struct {
	object **T // in the owned that contains state
	state  *state
	guard  *guard     // watches the Ref until Close
	age    generation // of the state, as long as the Ref is open
	// Renew is likely to be called, so the Ref keeps its guard. Never changed.
	renewable bool
	shared    bool // the state goes back to a Family, for other Refs; never changed
}

// state is separate from Ref, so that a pointer to it does not keep the Ref alive.
//
// What is used each time comes last, in as few lines of the processor's caches as possible,
// together with what follows the state: C uses the caches as well, so each line costs more than
// many instructions.
type state struct {
	counter *counter
	guard   atomic.Pointer[guard]   // for the next child, or nil: programs close and make children in turns
	child   atomic.Pointer[counter] // of the kind of the last child, which is usually the same for all
	// gone says that the object has been destroyed, and that release has finished.
	gone    atomic.Bool
	tracked bool
	owned   ender // the owned that contains this state
	parent  *state
	places  atomic.Pointer[place] // of the families whose parent this is; a list
	// idle is the guard of a Ref of a Family that was closed while the object was in use. It
	// watches nothing until the object is destroyed.
	idle *guard
	// refs counts 1 for the Ref until it is closed, and 1 for each call and child. closedBit is set
	// when the Ref is closed. The bits between are the generation, which differs for each Ref that
	// has the state.
	refs atomic.Int64
}

// generation says which of the Refs that had a state after each other one is.
type generation uint32

const (
	closedBit = 1 << 62
	ageShift  = 32 // below are calls and children
	oldest    = closedBit>>ageShift - 1
	ageBits   = oldest << ageShift
)

// openAge returns the generation in a value of state.refs if the Ref is open, and otherwise one
// that no Ref has.
func openAge(refs int64) generation { return generation(refs >> ageShift) }

func ageOf(refs int64) generation { return openAge(refs) & oldest }

// refs is the value of state.refs for an open Ref with so many calls and children, itself included.
func (g generation) refs(count int64) int64 { return int64(g)<<ageShift + count }

// unused reports whether a value of state.refs says that the Ref is closed and nothing uses the
// object.
func unused(refs int64) bool { return refs&^ageBits == closedBit }

// owned is an object and its state in one allocation, because there are many objects.
type owned[T, X any] struct {
	state
	object   *T
	family   *Family[T, X] // the object's, if it has one; nil while Family.free has the state
	extra    X
	free     func(*T) // or nil
	freeWith func(*T, *X)
}

// ender is an owned of any type.
type ender interface {
	// end destroys the object, whose count is zero, and returns the parent, if that is to be
	// released. g is the guard for the family of the object, if the caller has it.
	end(g *guard) (parent *state)
}

func (o *owned[T, X]) end(g *guard) (parent *state) {
	switch {
	case o.family != nil:
		o.family.destroy(o.object, &o.extra)
	case o.free != nil:
		o.free(o.object)
	default:
		o.freeWith(o.object, &o.extra)
	}
	if o.tracked {
		o.untrack()
	}
	if g == nil {
		g, o.idle = o.idle, nil
	}
	if g != nil {
		return o.giveBack(g)
	}
	parent = o.parent
	o.counter.add(-1)
	o.gone.Store(true)
	return parent
}

// guard has a cleanup, which runs when the Ref that points to the guard is garbage. Registering and
// removing a cleanup costs as much as everything else in a Ref, so guards are reused, and watched
// says which Ref a guard watches now. What watched leads to must never lead to the guard, which
// would then never be garbage.
type guard struct {
	watched *watched
	next    *guard // in the list of a Family
}

type watched struct{ state atomic.Pointer[state] }

// watch makes g watch the Ref that has the state, or none.
func (g *guard) watch(s *state) {
	if w := &g.watched.state; w.Load() != s {
		w.Store(s)
	}
}

var guards = sync.Pool{New: func() any {
	g := &guard{watched: new(watched)}
	runtime.AddCleanup(g, func(w *watched) {
		if s := w.state.Load(); s != nil && s.refs.Load()&closedBit == 0 {
			// The goroutine that runs cleanups must not wait for C.
			go s.close()
		}
	}, g.watched)
	return g
}}

// New returns a reference to object, a C object that the caller owns. kind is its name in errors
// and in Live, such as "buffer". destroy frees the object; it runs once, and may block. If the
// object was made from another one, that is its parent, which is not destroyed before it; parent
// may be nil.
//
// A closed parent can still get children, because a call that was in progress may have made the
// object.
func New[T any](kind string, object *T, parent Parent, destroy func(*T)) *Ref[T] {
	r := new(Ref[T])
	begin(r, kind, parent, &owned[T, struct{}]{object: object, free: destroy})
	return r
}

// Init is New for a Ref that is a field of a larger struct: it fills in the zero Ref. It returns a
// zero X that lives as long as the object, and that destroy gets too. A pointer to that X does not
// keep the Ref alive.
func Init[T, X any](r *Ref[T], kind string, object *T, parent Parent, destroy func(*T, *X)) *X {
	o := &owned[T, X]{object: object, freeWith: destroy}
	begin(r, kind, parent, o)
	return &o.extra
}

func begin[T, X any](r *Ref[T], kind string, parent Parent, o *owned[T, X]) {
	s := &o.state
	s.owned = o
	s.refs.Store(1)
	var age generation
	if parent != nil {
		s.parent, age = parent.lifetime()
	}
	s.counter = s.parent.counterOf(kind)
	if s.parent != nil && !s.parent.addChildren(age, 1) {
		s.parent = nil // it would be destroyed a second time with the child
	}
	s.counter.add(1)
	if tracking.Load() {
		s.track()
	}
	r.object, r.state, r.guard = &o.object, s, guardOf(s)
}

// addChildren counts children of the object that the state had at an age, unless it is destroyed
// already.
func (s *state) addChildren(age generation, count int64) bool {
	for {
		n := s.refs.Load()
		if unused(n) || ageOf(n) != age {
			return false
		}
		if s.refs.CompareAndSwap(n, n+count) {
			return true
		}
	}
}

func guardOf(s *state) *guard {
	var g *guard
	if s.parent != nil {
		g = s.parent.guard.Swap(nil)
	}
	if g == nil {
		g = guards.Get().(*guard)
	}
	g.watch(s)
	return g
}

// spare keeps a guard that no longer watches a Ref of s.
func (s *state) spare(g *guard) {
	g.watch(nil)
	if s.parent == nil || !s.parent.guard.CompareAndSwap(nil, g) {
		guards.Put(g)
	}
}

// Claim reports whether the Ref was closed and its object destroyed, so that the Ref can be used
// for another object. If it returns true, the caller must call Renew, and until then Claim returns
// false to everyone else and the Ref stays closed.
func (r *Ref[T]) Claim() bool {
	return r != nil && r.state != nil && !r.shared && r.state.gone.CompareAndSwap(true, false)
}

// Renew makes a claimed Ref refer to another object, with the same kind, the same destroy function
// and the same parent, which must be in use. Anyone who still has the Ref now has the new object.
func (r *Ref[T]) Renew(object *T) {
	s := r.state
	*r.object = object
	if s.parent != nil {
		s.parent.refs.Add(1)
	}
	s.counter.add(1)
	if tracking.Load() {
		s.track()
	}
	if r.guard == nil {
		r.guard = guardOf(s)
	}
	s.refs.Store(r.age.refs(1)) // from now on it can be acquired
}

// Renewable reports whether r is from [Family.InitRenewable].
func (r *Ref[T]) Renewable() bool { return r != nil && r.renewable }

// BeginClose closes a Renewable Ref whose object nothing uses, and leaves the object to the caller,
// who ends this with Reopen or EndClose. To everyone else the Ref is closed until then. BeginClose
// returns false, and has done nothing, if the Ref is not such a one, or if its creation was
// recorded (see [Track]), since Reopen would not record it anew.
//
// It is for a caller that has the next object at once, and takes two atomic operations, where
// Close, Claim and Renew take eight: the object counts as existing all the while.
func (r *Ref[T]) BeginClose() (object *T, ok bool) {
	if r == nil || !r.renewable {
		return nil, false
	}
	s := r.state
	if s.places.Load() != nil || !s.refs.CompareAndSwap(r.age.refs(1), r.age.refs(closedBit)) {
		return nil, false
	}
	if s.tracked || tracking.Load() {
		r.Reopen(*r.object)
		return nil, false
	}
	return *r.object, true
}

// Reopen makes a Ref after BeginClose refer to another object, in place of one that the caller has
// destroyed, or to the same one, as if BeginClose had not been called.
func (r *Ref[T]) Reopen(object *T) {
	*r.object = object
	r.state.refs.Store(r.age.refs(1))
}

// EndClose makes what BeginClose began a Close. It destroys object, which is that of BeginClose, or
// nil if the caller has destroyed that; the function that destroys objects gets nil then.
func (r *Ref[T]) EndClose(object *T) {
	*r.object = object
	r.state.end()
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
type Parent interface {
	lifetime() (*state, generation)
}

func (r *Ref[T]) lifetime() (*state, generation) { return r.state, r.age }

// Acquire returns the object for use in a call; call Release when the call has returned. After
// Close, Acquire fails with ErrClosed.
func (r *Ref[T]) Acquire() (*T, error) {
	if r == nil || r.state == nil {
		return nil, errNil
	}
	s := r.state
	for {
		n := s.refs.Load()
		if openAge(n) != r.age {
			return nil, s.closed()
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return *r.object, nil
		}
	}
}

// TryAcquire is Acquire for a caller that has another way if it fails. It may also fail because
// someone else acquires or releases the object at the same time.
func (r *Ref[T]) TryAcquire() (object *T, ok bool) { // short enough for the compiler to inline it
	if r != nil && r.state != nil {
		s := r.state
		if n := s.refs.Load(); openAge(n) == r.age && s.refs.CompareAndSwap(n, n+1) {
			return *r.object, true
		}
	}
	return nil, false
}

// Object is Acquire for a caller that keeps the object in another way, such as by a child of it
// that it has acquired, and needs no Release.
func (r *Ref[T]) Object() (*T, error) {
	if r == nil || r.state == nil {
		return nil, errNil
	}
	if r.Closed() {
		return nil, r.state.closed()
	}
	return *r.object, nil
}

var errNil = errors.New("nil object")

func (s *state) closed() error { return fmt.Errorf("%s is %w", s.counter.kind, ErrClosed) }

// Retain is Acquire for an object that certainly exists, because the caller has acquired it or one
// of its children. It cannot fail, even after Close. Release undoes it.
func (r *Ref[T]) Retain() { r.state.refs.Add(1) }

// Release undoes one successful Acquire or TryAcquire, or one Retain.
func (r *Ref[T]) Release() { // short enough for the compiler to inline it
	if unused(r.state.refs.Add(-1)) {
		r.state.end()
	}
}

// Peek is Acquire that also succeeds after Close, as long as a call or a child keeps the object. It
// reports whether it succeeded. Release undoes it.
func (r *Ref[T]) Peek() bool { return r.state != nil && r.state.addChildren(r.age, 1) }

// Closed reports whether Close was called.
func (r *Ref[T]) Closed() bool { return openAge(r.state.refs.Load()) != r.age }

// Destroyed reports whether the object has been destroyed: Close was called, or the Ref was garbage
// collected, and the last use and the last child have ended. Of a Ref of a Family, it may be about
// to be.
func (r *Ref[T]) Destroyed() bool {
	if n := r.state.refs.Load(); r.shared {
		return unused(n) || ageOf(n) != r.age
	}
	return r.state.gone.Load()
}

// Close gives up the object. If nothing uses it, it is destroyed before Close returns, otherwise
// when the last use ends. Closing again does nothing. The error is always nil; it is there for
// io.Closer.
func (r *Ref[T]) Close() error {
	if r == nil || r.state == nil {
		return nil
	}
	s := r.state
	closed := r.age.refs(closedBit)
	if r.shared && r.age != oldest {
		closed = (r.age + 1).refs(1) // as the next Ref needs it
	}
	last := s.refs.CompareAndSwap(r.age.refs(1), closed)
	if !last && !s.markClosed(r.age) {
		return nil
	}
	var g *guard
	switch {
	case r.renewable:
	case r.shared && last:
		g, r.guard = r.guard, nil
	case r.shared:
		r.guard.watch(nil)
		s.idle, r.guard = r.guard, nil
	default:
		s.spare(r.guard)
		r.guard = nil
	}
	if s.places.Load() != nil {
		s.giveUp()
	}
	if last {
		if s = s.owned.end(g); s == nil {
			return nil
		}
	}
	s.release()
	return nil
}

// close is Close for a Ref that was garbage collected.
func (s *state) close() {
	if s.refs.Or(closedBit)&closedBit == 0 {
		s.giveUp()
		s.release()
	}
}

// markClosed reports whether the caller is the first to close the Ref that has the state at an age.
func (s *state) markClosed(age generation) bool {
	for {
		n := s.refs.Load()
		if openAge(n) != age {
			return false
		}
		if s.refs.CompareAndSwap(n, n|closedBit) {
			return true
		}
	}
}

// end destroys the object, whose count is zero, and then releases the parent.
func (s *state) end() { s.owned.end(nil).release() }

// release decrements the count. At zero it destroys the object, and then releases the parent in the
// same way.
func (s *state) release() {
	for s != nil && unused(s.refs.Add(-1)) {
		s = s.owned.end(nil)
	}
}
