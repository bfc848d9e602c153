// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi/serve"
)

// Marks are the objects that a faulty plugin treats differently from the rest.
type Marks struct{ marked sync.Map }

// Add marks an object.
func (m *Marks) Add(handle any) { m.marked.Store(handle, true) }

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

// Marking marks the objects that successful calls return or name.
func Marking[A, H any](m *Marks, objects func(a *A) []*H) serve.Hook {
	return Changed(func(a *A, _ int64) {
		for _, h := range objects(a) {
			if h != nil {
				m.Add(h)
			}
		}
	})
}

// OfMarked handles calls about marked objects as f does.
func OfMarked[A, H any](m *Marks, object func(a *A) *H, f func(c *serve.Invocation, a *A)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *A) {
		if m.Has(object(a)) {
			f(c, a)
			return
		}
		c.Forward()
	})
}

// AfterMarked changes what successful calls say about marked objects.
func AfterMarked[A, H any](m *Marks, object func(a *A) *H, change func(a *A)) serve.Hook {
	return Changed(func(a *A, _ int64) {
		if m.Has(object(a)) {
			change(a)
		}
	})
}

// OfMade makes a mutant that handles calls about what the function that takes A made as f does.
func OfMade[A, B, H any](check, fault string, made func(a *A) []*H, object func(b *B) *H, f func(c *serve.Invocation, b *B)) Mutant {
	return Hooked(check, fault, func() []serve.Hook {
		m := new(Marks)
		return []serve.Hook{Marking(m, made), OfMarked(m, object, f)}
	})
}

// AfterMade makes a mutant that changes what successful calls say about what the function that
// takes A made.
func AfterMade[A, B, H any](check, fault string, made func(a *A) []*H, object func(b *B) *H, change func(b *B)) Mutant {
	return OfMade(check, fault, made, object, func(c *serve.Invocation, b *B) {
		if c.Forward(); c.Err() == nil {
			change(b)
		}
	})
}

// Again makes a mutant that handles all calls about an object but the first as f does.
func Again[A, H any](check, fault string, object func(a *A) *H, f func(c *serve.Invocation, a *A)) Mutant {
	return Hooked(check, fault, func() []serve.Hook {
		m := new(Marks)
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *A) {
			if m.Again(object(a)) {
				f(c, a)
				return
			}
			c.Forward()
		})}
	})
}
