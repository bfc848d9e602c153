// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetime

import (
	"sync"
	"sync/atomic"
)

// Family makes the Refs of many objects with one kind, one parent and one function that destroys them, such as the
// buffers of a client. What a Ref needs besides itself is used again for another object when its own has been destroyed,
// so that most objects need no memory but the Ref. Any goroutine may use a Family.
type Family[T, X any] struct {
	parent  *state
	age     generation // of the parent
	counter *counter
	destroy func(*T, *X)

	// Guards of states that nobody uses. The states are reachable from the cleanups of their guards, so they must keep
	// neither a guard nor the family alive.
	spare atomic.Pointer[guard] // most programs have one object after the other
	mu    sync.Mutex
	free  *guard // guarded by mu; a list
	n     int    // guarded by mu; length of the list
}

// maxFree is how many objects' memory a Family keeps, about 300 bytes each.
const maxFree = 1024

// NewFamily returns a Family of Refs that are as those of Init with the same arguments, but for this: X is not zero if it
// was that of another object before. destroy must leave it as it should be found.
func NewFamily[T, X any](kind string, parent Parent, destroy func(*T, *X)) *Family[T, X] {
	f := &Family[T, X]{counter: counterOf(kind), destroy: destroy}
	if parent != nil {
		f.parent, f.age = parent.lifetime()
	}
	return f
}

// Init fills in r, a zero Ref, for an object of the family.
func (f *Family[T, X]) Init(r *Ref[T], object *T) *X {
	e := f.Expect(1)
	return e.Init(r, object)
}

// InitHeld is Init for a caller who has acquired the parent: it takes over what Release would undo.
func (f *Family[T, X]) InitHeld(r *Ref[T], object *T) *X {
	e := f.expectHeld(1)
	return e.Init(r, object)
}

// InitRenewable is Init for a Ref that [Ref.Renew] is likely to be called for.
func (f *Family[T, X]) InitRenewable(r *Ref[T], object *T) *X {
	x := f.Init(r, object)
	r.shared, r.renewed = false, true
	return x
}

// Expected makes the Refs of objects that come together.
type Expected[T, X any] struct {
	family *Family[T, X]
	parent *state // of the objects
	left   int
	free   *guard // a list
}

// Expect counts n objects, for which the caller calls Init, and then Done.
func (f *Family[T, X]) Expect(n int) Expected[T, X] {
	if n == 0 {
		return Expected[T, X]{family: f}
	}
	held := f.parent == nil || f.parent.addChildren(f.age, int64(n))
	e := f.expectHeld(n)
	if !held {
		e.parent = nil // it would be destroyed a second time with the children
	}
	return e
}

// expectHeld is Expect for children that the parent counts already.
func (f *Family[T, X]) expectHeld(n int) Expected[T, X] {
	e := Expected[T, X]{family: f, parent: f.parent, left: n}
	f.counter.add(int64(n))
	if e.free = f.spare.Swap(nil); e.free != nil {
		n--
	}
	if n == 0 {
		return e
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for ; n > 0 && f.free != nil; n-- {
		g := f.free
		f.free, g.next, e.free = g.next, e.free, g
		f.n--
	}
	return e
}

// Init is Family.Init for the next object.
func (e *Expected[T, X]) Init(r *Ref[T], object *T) *X {
	e.left--
	var o *owned[T, X]
	g := e.free
	if g != nil {
		e.free, g.next = g.next, nil
		o = g.watched.state.Load().owned.(*owned[T, X])
	} else {
		o = &owned[T, X]{freeWith: e.family.destroy}
		o.owned, o.counter = o, e.family.counter
		g = guards.Get().(*guard)
		g.watched.state.Store(&o.state)
	}
	s := &o.state
	o.object, o.family = object, e.family
	if s.parent != e.parent {
		s.parent = e.parent
	}
	r.object, r.state, r.guard, r.shared = &o.object, s, g, true
	// Nobody can acquire the object with the Ref that had the state before, whose generation is over.
	n := s.refs.Load()
	if r.age = ageOf(n); unused(n) {
		r.age++
	}
	if s.tracked = false; tracking.Load() {
		s.track()
	}
	s.refs.Store(r.age.refs(1))
	return &o.extra
}

// Done ends the making of the objects, of which there may be fewer than expected.
func (e *Expected[T, X]) Done() {
	if e.left > 0 {
		e.family.counter.add(int64(-e.left))
		for range e.left {
			e.parent.release()
		}
		e.left = 0
	}
	for g := e.free; g != nil; g = e.free {
		e.free, g.next = g.next, nil
		e.family.keep(g)
	}
}

func (o *owned[T, X]) giveBack(g *guard) {
	if ageOf(o.refs.Load()) == oldest {
		return // the next generation would be the first again
	}
	f := o.family
	o.family = nil // which has the guard, which the state must not keep alive
	f.keep(g)
}

// keep adds the guard of a state that nobody uses to those that wait for objects, if there is room.
func (f *Family[T, X]) keep(g *guard) {
	if f.spare.Load() == nil && f.spare.CompareAndSwap(nil, g) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n < maxFree {
		g.next, f.free = f.free, g
		f.n++
	}
}
