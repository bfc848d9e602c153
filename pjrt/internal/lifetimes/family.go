// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetimes

import (
	"sync"
	"sync/atomic"
)

// Family makes the Refs of many objects with one kind, one parent and one function that destroys
// them, such as the buffers of a client. What a Ref needs besides itself is used again for another
// object when its own has been destroyed, so that most objects need no memory but the Ref. Any
// goroutine may use a Family.
type Family[T, X any] struct {
	// spare watches the state of the last object that was destroyed. The state still counts what
	// the object did: 1 among the children of the parent, and 1 among the existing objects. Most
	// programs have one object after the other, and need not count the next one. The state is that
	// of an open Ref of the next generation. Soon after the parent is closed there is no spare for
	// ever.
	spare   atomic.Pointer[guard]
	age     generation // of the parent
	parent  *state
	counter *counter
	destroy func(*T, *X)

	mu   sync.Mutex
	free *guard // guarded by mu; a list of guards that watch states that nobody uses
	n    int    // guarded by mu; length of the list
}

// place is the spare of a family, as the parent and the counter see it.
type place struct {
	counter *counter // which must not keep the family, since all states keep the counter
	isFull  func() bool
	giveUp  func() bool // ends the spare, and reports whether there was one
	next    *place      // of the same parent
}

// giveUp gives up the spares of all families whose parent is s, which is closed. The caller still
// counts in s.
func (s *state) giveUp() {
	for p := s.places.Swap(nil); p != nil; p = p.next {
		p.counter.forget(p)
		if p.giveUp() {
			p.counter.add(-1)
			s.refs.Add(-1)
		}
	}
}

// maxFree is how many objects' memory a Family keeps, about 300 bytes each.
const maxFree = 1024

// NewFamily returns a Family of Refs that are as those of Init with the same arguments, but for
// this: X is not zero if it was that of another object before. destroy must leave it as it should
// be found. The parent keeps the Family until it is closed.
func NewFamily[T, X any](kind string, parent Parent, destroy func(*T, *X)) *Family[T, X] {
	f := &Family[T, X]{counter: counterOf(kind), destroy: destroy}
	if parent == nil {
		return f
	}
	f.parent, f.age = parent.lifetime()
	p := &place{counter: f.counter, isFull: func() bool { return f.spare.Load() != nil }, giveUp: f.giveUp}
	f.counter.note(p)
	for {
		p.next = f.parent.places.Load()
		if f.parent.places.CompareAndSwap(p.next, p) {
			break
		}
	}
	if !f.isOpen() {
		f.parent.giveUp()
	}
	return f
}

func (f *Family[T, X]) giveUp() bool {
	g := f.takeSpare()
	if g == nil {
		return false
	}
	g.watch(nil) // nobody watches with it again
	return true
}

// takeSpare returns the spare, if there is one, and leaves none.
func (f *Family[T, X]) takeSpare() *guard {
	if f.spare.Load() == nil {
		return nil
	}
	return f.spare.Swap(nil)
}

// stateOf returns the state that a guard of the family watches, and what lies around it.
func (f *Family[T, X]) stateOf(g *guard) *owned[T, X] {
	return g.watched.state.Load().owned.(*owned[T, X])
}

// isOpen reports whether the parent has not been closed.
func (f *Family[T, X]) isOpen() bool { return openAge(f.parent.refs.Load()) == f.age }

// Init fills in r, a zero Ref, for an object of the family.
func (f *Family[T, X]) Init(r *Ref[T], object *T) *X {
	var e Expected[T, X]
	f.Expect(&e, 1)
	return e.Init(r, object)
}

// InitRenewable is Init for a Ref that [Ref.Renew] is likely to be called for.
func (f *Family[T, X]) InitRenewable(r *Ref[T], object *T) *X {
	x := f.Init(r, object)
	r.shared, r.renewable = false, true
	return x
}

// Expected makes the Refs of objects that come together. See [Family.Expect].
type Expected[T, X any] struct {
	family *Family[T, X]
	parent *state // of the objects
	left   int
	spare  *guard // or nil
	free   *guard // a list
}

// Expect fills in e, which is zero, for n objects. It counts them, and the caller calls e.Init for
// each of them, and then e.Done. Unless the parent has been destroyed, they keep it from then on.
//
// It does not return e, because processors wait when a value of several words is copied that was
// written a moment ago.
func (f *Family[T, X]) Expect(e *Expected[T, X], n int) {
	e.family, e.parent, e.left = f, f.parent, n
	if n > 0 && f.parent != nil {
		if e.spare = f.takeSpare(); e.spare != nil {
			n--
		}
	}
	if n > 0 {
		f.expectMore(e, n)
	}
}

// expectMore is Expect for n objects that there is no spare for.
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
	g := e.spare
	var o *owned[T, X]
	if g != nil {
		e.spare = nil
		o = e.family.stateOf(g)
	} else {
		o, g = e.next()
	}
	s := &o.state
	o.object, o.family, o.parent = object, e.family, e.parent
	g.watch(s)
	r.object, r.state, r.guard, r.age, r.shared = &o.object, s, g, ageOf(s.refs.Load()), true
	if tracking.Load() {
		s.track()
	}
	e.left--
	return &o.extra
}

// next returns what an object needs that the spare is not for.
func (e *Expected[T, X]) next() (o *owned[T, X], g *guard) {
	if g = e.free; g != nil {
		e.free, g.next = g.next, nil
		o = e.family.stateOf(g)
		// Nobody can acquire the object with the Ref that had the state before, whose generation is
		// over.
		o.refs.Store((ageOf(o.refs.Load()) + 1).refs(1))
	} else {
		o = new(owned[T, X])
		o.owned, o.counter = o, e.family.counter
		g = guards.Get().(*guard)
		o.refs.Store(1)
	}
	return o, g
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
	if g := e.spare; g != nil {
		e.spare = nil
		e.family.keep(e.family.stateOf(g), g)
	}
	for g := e.free; g != nil; g = e.free {
		e.free, g.next = g.next, nil
		e.family.keepGuard(g)
	}
}

// giveBack hands the state and its guard to their family, once nobody uses them, and returns the
// parent unless the family keeps what the object counted. The state then belongs to the next
// object.
func (o *owned[T, X]) giveBack(g *guard) (parent *state) {
	f, parent := o.family, o.parent
	// The state must not lead to the guard, which the family has, and the parent has the family.
	o.family, o.parent = nil, nil
	g.watch(&o.state) // for the next
	if parent != nil && o.renew() && f.spare.CompareAndSwap(nil, g) {
		if f.isOpen() {
			return nil
		}
		// Whoever closed the parent may have come too early for the spare.
		if g = f.takeSpare(); g == nil {
			return nil
		}
		o = f.stateOf(g)
	}
	f.keep(o, g)
	f.counter.add(-1)
	return parent
}

// renew makes the state one of an open Ref of the next generation, which nobody has yet. It reports
// whether it could.
func (s *state) renew() bool {
	n := s.refs.Load()
	if !unused(n) {
		return true // Close has done so
	}
	if ageOf(n) == oldest {
		return false // the next generation would be the first again
	}
	s.refs.Store((ageOf(n) + 1).refs(1))
	return true
}

// keep keeps a state that nobody uses, and the guard that watches it.
func (f *Family[T, X]) keep(o *owned[T, X], g *guard) {
	s := &o.state
	// Without this the cleanup of the guard, should the family be forgotten, would destroy the
	// object again.
	age := ageOf(s.refs.Load())
	s.refs.Store(age.refs(closedBit))
	if age != oldest {
		f.keepGuard(g)
	}
}

// keepGuard adds the guard of a state that nobody uses to those that wait for objects, if there is
// room.
func (f *Family[T, X]) keepGuard(g *guard) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n < maxFree {
		g.next, f.free = f.free, g
		f.n++
	}
}
