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
	place *place // nil if there is no parent
	mu    sync.Mutex
	free  *guard // guarded by mu; a list
	n     int    // guarded by mu; length of the list
}

// place keeps the guard of the last object of a family that was destroyed, together with what the object counted: 1 among
// the children of its parent, and 1 among the existing objects. Most programs have one object after the other, and need
// not count the next one.
type place struct {
	spare   atomic.Pointer[guard] // nil if there is none, and for ever soon after the parent is closed
	counter *counter
	next    *place // of the same parent
}

// giveUp gives up the places of all families whose parent is s, which is closed. The caller still counts in s.
func (s *state) giveUp() {
	for p := s.places.Swap(nil); p != nil; p = p.next {
		p.counter.forget(p)
		if g := p.spare.Swap(nil); g != nil {
			g.watched.state.Store(nil) // nobody watches with it again
			p.counter.add(-1)
			s.refs.Add(-1)
		}
	}
}

// maxFree is how many objects' memory a Family keeps, about 300 bytes each.
const maxFree = 1024

// NewFamily returns a Family of Refs that are as those of Init with the same arguments, but for this: X is not zero if it
// was that of another object before. destroy must leave it as it should be found.
func NewFamily[T, X any](kind string, parent Parent, destroy func(*T, *X)) *Family[T, X] {
	f := &Family[T, X]{counter: counterOf(kind), destroy: destroy}
	if parent == nil {
		return f
	}
	f.parent, f.age = parent.lifetime()
	f.place = &place{counter: f.counter}
	f.counter.note(f.place)
	for {
		f.place.next = f.parent.places.Load()
		if f.parent.places.CompareAndSwap(f.place.next, f.place) {
			break
		}
	}
	if !f.isOpen() {
		f.parent.giveUp()
	}
	return f
}

// isOpen reports whether the parent has not been closed.
func (f *Family[T, X]) isOpen() bool { return openAge(f.parent.refs.Load()) == f.age }

// Init fills in r, a zero Ref, for an object of the family.
func (f *Family[T, X]) Init(r *Ref[T], object *T) *X {
	e := f.Expect(1)
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

// Expect counts n objects, for which the caller calls Init, and then Done. Unless the parent has been destroyed, they keep
// it from then on.
func (f *Family[T, X]) Expect(n int) Expected[T, X] {
	e := Expected[T, X]{family: f, parent: f.parent, left: n}
	if n > 0 && f.place != nil {
		if e.free = f.place.spare.Swap(nil); e.free != nil {
			n--
		}
	}
	if n > 0 {
		f.expectMore(&e, n)
	}
	return e
}

// expectMore is Expect for n objects that have no place.
func (f *Family[T, X]) expectMore(e *Expected[T, X], n int) {
	f.counter.add(int64(n))
	if f.parent != nil && !f.parent.addChildren(f.age, int64(n)) {
		e.parent = nil // it would be destroyed a second time with the children
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for ; n > 0 && f.free != nil; n-- {
		g := f.free
		f.free, g.next, e.free = g.next, e.free, g
		f.n--
	}
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

func (o *owned[T, X]) giveBack(g *guard) (kept bool) {
	if ageOf(o.refs.Load()) == oldest {
		return false // the next generation would be the first again
	}
	f, parent := o.family, o.parent
	o.family = nil // which has the guard, which the state must not keep alive
	if p := f.place; p != nil && parent == f.parent && p.spare.Load() == nil && p.spare.CompareAndSwap(nil, g) {
		if f.isOpen() {
			return true
		}
		// Whoever closed the parent may have come too early for the place.
		if g = p.spare.Swap(nil); g == nil {
			return true
		}
	}
	f.keep(g)
	return false
}

// keep adds the guard of a state that nobody uses to those that wait for objects, if there is room.
func (f *Family[T, X]) keep(g *guard) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n < maxFree {
		g.next, f.free = f.free, g
		f.n++
	}
}
