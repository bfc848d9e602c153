// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Marks are the objects that a faulty plugin treats differently from the rest.
type Marks struct{ marked sync.Map }

// Add marks an object.
func (m *Marks) Add(handle any) { m.marked.Store(handle, true) }

// AddAll marks the objects of a list, which may be nil.
func AddAll[H any](m *Marks, list []*H) {
	for _, h := range list {
		if h != nil {
			m.Add(h)
		}
	}
}

// Remove forgets an object, since the address of a destroyed one is used again.
func (m *Marks) Remove(handle any) { m.marked.Delete(handle) }

// Has reports whether an object is marked.
func (m *Marks) Has(handle any) bool {
	_, ok := m.marked.Load(handle)
	return ok
}

// Again marks an object, and reports whether it was marked before.
func (m *Marks) Again(handle any) bool {
	_, again := m.marked.LoadOrStore(handle, true)
	return again
}

// Object returns the object of type H that args are about.
func Object[H, A any](args *A) *H { return *check.Handles[A, H](args)[0] }

// Made returns the object that a call made, in a list.
func Made[A, H any](args *A) []*H {
	handles := check.Handles[A, H](args)
	return []*H{*handles[len(handles)-1]}
}

// Marking marks the objects that successful calls return or name.
func Marking[A, H any](m *Marks, objects func(a *A) []*H) serve.Hook {
	return Changed(func(a *A, _ int64) { AddAll(m, objects(a)) })
}

// OfMarked handles calls about marked objects of type H as f does.
func OfMarked[H, A any](m *Marks, f func(c *serve.Invocation, a *A)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *A) {
		if m.Has(Object[H](a)) {
			f(c, a)
			return
		}
		c.Forward()
	})
}

// AfterMarked changes what successful calls say about marked objects of type H.
func AfterMarked[H, A any](m *Marks, change func(a *A)) serve.Hook {
	return Changed(func(a *A, _ int64) {
		if m.Has(Object[H](a)) {
			change(a)
		}
	})
}

// OfMade makes a mutant that handles calls about what the function that takes A made as f does.
func OfMade[A, B, H any](name, fault string, made func(a *A) []*H, f func(c *serve.Invocation, b *B)) Mutant {
	return Hooked(name, fault, func() []serve.Hook {
		m := new(Marks)
		return []serve.Hook{Marking(m, made), OfMarked[H](m, f)}
	})
}

// AfterMade makes a mutant that changes what successful calls say about what the function that
// takes A made.
func AfterMade[A, B, H any](name, fault string, made func(a *A) []*H, change func(b *B)) Mutant {
	return OfMade(name, fault, made, func(c *serve.Invocation, b *B) {
		if c.Forward(); c.Err() == nil {
			change(b)
		}
	})
}

// AfterFirst makes a mutant that changes what successful calls say about an object of type H, but
// for the first of them.
func AfterFirst[H, A any](name, fault string, change func(a *A)) Mutant {
	return Again[H](name, fault, func(c *serve.Invocation, a *A) {
		if c.Forward(); c.Err() == nil {
			change(a)
		}
	})
}

// LikeFormer makes a mutant that, from some object of type H on, says about each what it said about
// the object in front of that one: about the second and all later ones what is so of the first, if
// from is 2. answer copies the answer from former to a.
func LikeFormer[H, A any](name, fault string, from int, answer func(a, former *A)) Mutant {
	return Hooked(name, fault, func() []serve.Hook {
		var mu sync.Mutex
		places := make(map[*H]int) // guarded by mu
		var former A
		return []serve.Hook{Changed(func(a *A, _ int64) {
			mu.Lock()
			defer mu.Unlock()
			h := Object[H](a)
			if places[h] == 0 {
				places[h] = len(places) + 1
			}
			switch {
			case places[h] == from-1:
				former = *a
			case places[h] >= from:
				answer(a, &former)
			}
		})}
	})
}

// Again makes a mutant that handles all calls about an object of type H but the first as f does.
func Again[H, A any](name, fault string, f func(c *serve.Invocation, a *A)) Mutant {
	return Hooked(name, fault, func() []serve.Hook {
		m := new(Marks)
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *A) {
			if m.Again(Object[H](a)) {
				f(c, a)
				return
			}
			c.Forward()
		})}
	})
}
