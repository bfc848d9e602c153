// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetimes

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
)

// Otherwise a program that makes one client after the other would need more and more memory.
func TestACounterForgetsTheFamiliesOfClosedParents(t *testing.T) {
	type object struct{ _ int }
	kind := t.Name()
	none := func(*object, *int) {}
	for range 3 {
		parent := New(kind+" parent", new(object), nil, func(*object) {})
		family := NewFamily(kind, parent, none)
		var r Ref[object]
		family.Init(&r, new(object))
		assert.Len(t, counterOf(kind).places, 1)
		require.NoError(t, r.Close())
		require.NoError(t, parent.Close())
		assert.Empty(t, counterOf(kind).places)
		NewFamily(kind, parent, none)
		assert.Empty(t, counterOf(kind).places, "the parent is closed")
	}
}

// A state has as many generations as its count has room for. Then it must not serve again: the
// first generation's Refs would reach its object.
func TestAStateOfTheLastGenerationIsNotUsedAgain(t *testing.T) {
	type object struct{ _ int }
	for _, inUse := range []bool{false, true} {
		for _, withParent := range []bool{false, true} {
			destroyed := 0
			var parent Parent
			if withParent {
				parent = New(t.Name()+" parent", new(object), nil, func(*object) {})
			}
			family := NewFamily(t.Name(), parent, func(*object, *int) { destroyed++ })
			var r Ref[object]
			family.Init(&r, new(object))
			s := r.state
			r.age = oldest - 2
			s.refs.Store(r.age.refs(1))
			served := 0
			for r.state == s && served < 5 {
				served++
				if inUse {
					_, err := r.Acquire()
					require.NoError(t, err)
				}
				require.NoError(t, r.Close())
				if inUse {
					require.Equal(t, served-1, destroyed)
					r.Release()
				}
				require.Equal(t, served, destroyed)
				r = Ref[object]{}
				family.Init(&r, new(object))
			}
			assert.Contains(t, []int{2, 3}, served, "in use: %v, with a parent: %v", inUse, withParent) // some skip a generation
			assert.Zero(t, r.age)
			require.NoError(t, r.Close())
			assert.NotContains(t, Live(), t.Name())
		}
	}
}

// A state that keeps its guard is never freed, and a guard whose state seems to be open destroys
// the object again.
func TestWhatAFamilyLeavesIsFreedAndDestroysNothing(t *testing.T) {
	type object struct{ _ int }
	for name, withParent := range map[string]bool{"forgotten": false, "with a closed parent": true} {
		t.Run(name, func(t *testing.T) {
			var destroyed, freed atomic.Int32
			func() {
				var parent *Ref[object]
				family := NewFamily(t.Name(), nil, func(*object, *int) { destroyed.Add(1) })
				if withParent {
					parent = New(t.Name()+" parent", new(object), nil, func(*object) {})
					family = NewFamily(t.Name(), parent, func(*object, *int) { destroyed.Add(1) })
				}
				var refs [2]Ref[object] // one becomes the spare, if there is a parent
				for i := range refs {
					family.Init(&refs[i], new(object))
					runtime.AddCleanup(refs[i].guard, func(n *atomic.Int32) { n.Add(1) }, &freed)
				}
				for i := range refs {
					require.NoError(t, refs[i].Close())
				}
				require.NoError(t, parent.Close())
			}()
			require.True(t, collecting.Until(func() bool { return freed.Load() == 2 }))
			for range 10 {
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
			assert.EqualValues(t, 2, destroyed.Load())
			assert.NotContains(t, Live(), t.Name())
		})
	}
}
