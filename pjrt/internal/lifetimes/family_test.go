// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetimes_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// scratch is the extra of the objects of the families here.
type scratch struct{ left int }

func newFamily(t *testing.T, parent lifetimes.Parent) *lifetimes.Family[object, scratch] {
	t.Helper()
	return lifetimes.NewFamily(t.Name(), parent, func(o *object, x *scratch) {
		destroy(o)
		x.left = 0
	})
}

func TestMembersOfAFamilyAreDestroyedOnceAndBeforeTheirParent(t *testing.T) {
	p := new(object)
	parent := lifetimes.New(t.Name()+"p", p, nil, destroy)
	family := newFamily(t, parent)
	var refs [5]lifetimes.Ref[object]
	var objects [5]object
	family.Init(&refs[0], &objects[0])
	family.Init(&refs[1], &objects[1])
	var expected lifetimes.Expected[object, scratch]
	family.Expect(&expected, 4) // and there are three
	for i := 2; i < 5; i++ {
		expected.Init(&refs[i], &objects[i])
	}
	assert.Equal(t, 6, lifetimes.Live()[t.Name()])
	expected.Done()
	assert.Equal(t, 5, lifetimes.Live()[t.Name()])
	require.NoError(t, parent.Close())
	for i := range refs {
		assert.Zero(t, p.destroyed.Load())
		got, err := refs[i].Acquire()
		require.NoError(t, err)
		assert.Same(t, &objects[i], got)
		require.NoError(t, refs[i].Close())
		require.NoError(t, refs[i].Close())
		assert.Zero(t, objects[i].destroyed.Load(), "in use")
		assert.True(t, refs[i].Peek(), "in use")
		refs[i].Release()
		refs[i].Release()
		assert.EqualValues(t, 1, objects[i].destroyed.Load())
		assert.False(t, refs[i].Peek())
		assert.True(t, refs[i].Destroyed())
	}
	assert.EqualValues(t, 1, p.destroyed.Load())
	assert.NotContains(t, lifetimes.Live(), t.Name())
}

// A closed Ref must not reach the object that has its memory now.
func TestAClosedMemberDoesNotReachItsSuccessor(t *testing.T) {
	family := newFamily(t, nil)
	var old, next lifetimes.Ref[object]
	x := family.Init(&old, new(object))
	x.left = 1
	require.NoError(t, old.Close())
	o := new(object)
	y := family.Init(&next, o)
	require.Same(t, x, y, "the memory is used again")
	assert.Zero(t, y.left)

	_, err := old.Acquire()
	require.ErrorIs(t, err, lifetimes.ErrClosed)
	require.NoError(t, old.Close())
	assert.True(t, old.Closed())
	assert.True(t, old.Destroyed())
	assert.False(t, old.Peek())
	assert.False(t, old.Claim())
	late := lifetimes.New(t.Name()+" child", new(object), &old, destroy)
	require.NoError(t, late.Close())

	assert.False(t, next.Closed())
	got, err := next.Acquire()
	require.NoError(t, err)
	assert.Same(t, o, got)
	next.Release()
	assert.Zero(t, o.destroyed.Load())
	require.NoError(t, next.Close())
	assert.EqualValues(t, 1, o.destroyed.Load())
}

// A family keeps a place among the children of its parent for its next member. The place must
// neither keep the parent nor count as an object.
func TestAFamilyWithoutMembersDoesNotKeepItsParent(t *testing.T) {
	for _, c := range []struct {
		name  string
		close func(parent *lifetimes.Ref[object])
	}{
		{"closed", func(parent *lifetimes.Ref[object]) { parent.Close() }},
		{"forgotten", func(*lifetimes.Ref[object]) {}},
		{"closed in use", func(parent *lifetimes.Ref[object]) {
			if _, err := parent.Acquire(); err == nil {
				parent.Close()
				parent.Release()
			}
		}},
		{"closed with another family's member", func(parent *lifetimes.Ref[object]) {
			var r lifetimes.Ref[object]
			newFamily(t, parent).Init(&r, new(object))
			parent.Close()
			r.Close()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := new(object)
			func() {
				parent := lifetimes.New(t.Name()+"p", p, nil, destroy)
				family := newFamily(t, parent)
				for range 3 {
					var r lifetimes.Ref[object]
					family.Init(&r, new(object))
					assert.Equal(t, 1, lifetimes.Live()[t.Name()])
					require.NoError(t, r.Close())
					assert.NotContains(t, lifetimes.Live(), t.Name())
				}
				assert.Zero(t, p.destroyed.Load())
				c.close(parent)
			}()
			if c.name == "forgotten" {
				require.True(t, collecting.Until(func() bool { return p.destroyed.Load() == 1 }))
			}
			assert.EqualValues(t, 1, p.destroyed.Load())
			assert.NotContains(t, lifetimes.Live(), t.Name())
			assert.NotContains(t, lifetimes.Live(), t.Name()+"p")
		})
	}
}

// The last members are closed while their parent is.
func TestAParentIsDestroyedOnceWhileItsFamilyEnds(t *testing.T) {
	for range 2000 {
		p := new(object)
		parent := lifetimes.New(t.Name()+"p", p, nil, destroy)
		family := newFamily(t, parent)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for range 3 {
					var r lifetimes.Ref[object]
					family.Init(&r, new(object))
					r.Close()
				}
			})
		}
		wg.Go(func() { parent.Close() })
		wg.Wait()
		require.EqualValues(t, 1, p.destroyed.Load())
	}
	assert.NotContains(t, lifetimes.Live(), t.Name())
	assert.NotContains(t, lifetimes.Live(), t.Name()+"p")
}

// Members that are expected and do not come count no longer.
func TestExpectedMembersThatDoNotComeAreForgotten(t *testing.T) {
	p := new(object)
	parent := lifetimes.New(t.Name()+"p", p, nil, destroy)
	family := newFamily(t, parent)
	var last *scratch
	for n := range 4 { // the first without a spare, the others with one
		var expected lifetimes.Expected[object, scratch]
		family.Expect(&expected, n)
		assert.Equal(t, n, lifetimes.Live()[t.Name()])
		expected.Done()
		assert.NotContains(t, lifetimes.Live(), t.Name())
		var r lifetimes.Ref[object]
		x := family.Init(&r, new(object))
		assert.True(t, n == 0 || x == last, "the memory is kept")
		last = x
		r.Close()
	}
	var expected lifetimes.Expected[object, scratch]
	family.Expect(&expected, 2)
	require.NoError(t, parent.Close())
	assert.Zero(t, p.destroyed.Load(), "a member is expected")
	expected.Done()
	assert.EqualValues(t, 1, p.destroyed.Load())
}

func TestForgottenMembersOfAFamilyAreDestroyed(t *testing.T) {
	const n = 300
	family := newFamily(t, nil)
	var forgotten, closed [n]object
	kept := make([]lifetimes.Ref[object], n)
	var keptObjects [n]object
	for i := range n { // with memory that others had, and without
		r := new(lifetimes.Ref[object])
		family.Init(r, &closed[i])
		r.Close()
		family.Init(new(lifetimes.Ref[object]), &forgotten[i])
		family.Init(&kept[i], &keptObjects[i])
	}
	require.True(t, collecting.Until(func() bool { return lifetimes.Live()[t.Name()] == n }))
	for i := range n {
		assert.EqualValues(t, 1, closed[i].destroyed.Load())
		assert.EqualValues(t, 1, forgotten[i].destroyed.Load())
		assert.Zero(t, keptObjects[i].destroyed.Load())
		kept[i].Close()
		assert.EqualValues(t, 1, keptObjects[i].destroyed.Load())
	}
}

// What a family keeps must not keep the family.
func TestAForgottenFamilyGoes(t *testing.T) {
	var gone atomic.Bool
	func() {
		family := newFamily(t, nil)
		var refs [10]lifetimes.Ref[object]
		for i := range refs {
			family.Init(&refs[i], new(object))
		}
		for i := range refs {
			refs[i].Close()
		}
		runtime.AddCleanup(family, func(*atomic.Bool) { gone.Store(true) }, &gone)
	}()
	require.True(t, collecting.Until(func() bool { return gone.Load() }))
}

func TestARenewableMemberOfAFamilyKeepsItsMemory(t *testing.T) {
	parent := lifetimes.New(t.Name()+"p", new(object), nil, destroy)
	family := newFamily(t, parent)
	r := new(lifetimes.Ref[object])
	a, b := new(object), new(object)
	x := family.InitRenewable(r, a)
	require.NoError(t, r.Close())
	var other lifetimes.Ref[object]
	assert.NotSame(t, x, family.Init(&other, new(object)))
	require.True(t, r.Claim())
	r.Renew(b)
	got, err := r.Acquire()
	require.NoError(t, err)
	assert.Same(t, b, got)
	r.Release()
	require.NoError(t, r.Close())
	require.NoError(t, other.Close())
	assert.EqualValues(t, 1, a.destroyed.Load())
	assert.EqualValues(t, 1, b.destroyed.Load())
	assert.NotContains(t, lifetimes.Live(), t.Name())
}

// BeginClose is for whoever has the next object at once.
func TestARenewableMemberGetsItsNextObjectInPlaceOfTheLast(t *testing.T) {
	parent := lifetimes.New(t.Name()+"p", new(object), nil, destroy)
	family := lifetimes.NewFamily(t.Name(), parent, func(o *object, x *scratch) {
		if o != nil {
			destroy(o)
		}
		x.left = 0
	})
	a, b := new(object), new(object)
	r := new(lifetimes.Ref[object])
	x := family.InitRenewable(r, a)
	x.left = 3
	closedMeanwhile := func() {
		_, err := r.Acquire()
		require.ErrorIs(t, err, lifetimes.ErrClosed)
		assert.True(t, r.Closed())
		assert.False(t, r.Peek())
		assert.False(t, r.Claim())
		assert.False(t, r.Destroyed())
		require.NoError(t, r.Close())
		_, ok := r.BeginClose()
		assert.False(t, ok)
		assert.Equal(t, 1, lifetimes.Live()[t.Name()])
	}

	_, err := r.Acquire()
	require.NoError(t, err)
	_, ok := r.BeginClose()
	assert.False(t, ok, "in use")
	r.Release()
	got, ok := r.BeginClose()
	require.True(t, ok)
	assert.Same(t, a, got)
	closedMeanwhile()
	r.Reopen(b)
	got, err = r.Acquire()
	require.NoError(t, err)
	assert.Same(t, b, got)
	r.Release()
	assert.Equal(t, 3, x.left, "the caller's")
	assert.Zero(t, a.destroyed.Load()+b.destroyed.Load(), "the caller's")

	got, ok = r.BeginClose()
	require.True(t, ok)
	closedMeanwhile()
	r.EndClose(got)
	assert.EqualValues(t, 1, b.destroyed.Load())
	assert.Zero(t, x.left)
	assert.True(t, r.Destroyed())
	assert.NotContains(t, lifetimes.Live(), t.Name())
	_, ok = r.BeginClose()
	assert.False(t, ok, "closed")

	require.True(t, r.Claim())
	r.Renew(a)
	_, ok = r.BeginClose()
	require.True(t, ok)
	r.EndClose(nil)
	assert.Zero(t, a.destroyed.Load(), "by the caller before")
	assert.NotContains(t, lifetimes.Live(), t.Name())

	for name, other := range map[string]*lifetimes.Ref[object]{
		"nil": nil, "zero": new(lifetimes.Ref[object]), "of no family": lifetimes.New(t.Name(), new(object), nil, destroy),
	} {
		_, ok := other.BeginClose()
		assert.False(t, ok, name)
		assert.False(t, other.Renewable(), name)
		require.NoError(t, other.Close())
	}
	shared := new(lifetimes.Ref[object])
	family.Init(shared, new(object))
	_, ok = shared.BeginClose()
	assert.False(t, ok)
	require.NoError(t, shared.Close())

	defer lifetimes.Track(lifetimes.Track(true))
	r = new(lifetimes.Ref[object])
	family.InitRenewable(r, a)
	_, ok = r.BeginClose()
	assert.False(t, ok, "recorded")
	_, err = r.Acquire()
	require.NoError(t, err)
	r.Release()
	require.NoError(t, r.Close())
	assert.NotContains(t, lifetimes.Live(), t.Name())
	require.NoError(t, parent.Close())
	assert.NotContains(t, lifetimes.Live(), t.Name()+"p")
}

func TestObjectsAreReplacedWhileOthersUseThem(t *testing.T) {
	parent := lifetimes.New(t.Name()+"p", new(object), nil, destroy)
	family := newFamily(t, parent)
	r := new(lifetimes.Ref[object])
	family.InitRenewable(r, new(object))
	stop := useMeanwhile(t, r, 3, 1)
	replaced := 0
	for deadline := time.Now().Add(time.Minute); replaced < 2000 && time.Now().Before(deadline); {
		if old, ok := r.BeginClose(); ok {
			old.destroyed.Add(1)
			r.Reopen(new(object))
			replaced++
		} else if r.Claim() {
			r.Renew(new(object))
		} else {
			runtime.Gosched()
		}
	}
	stop()
	r.Close()
	assert.Equal(t, 2000, replaced)
	assert.NotContains(t, lifetimes.Live(), t.Name())
	require.NoError(t, parent.Close())
	assert.NotContains(t, lifetimes.Live(), t.Name()+"p")
}

// Goroutines hold on to Refs that others close, while the memory goes from one to the next.
func TestManyGoroutinesUseTheMembersOfAFamily(t *testing.T) {
	parent := lifetimes.New(t.Name()+"p", new(object), nil, destroy)
	family := newFamily(t, parent)
	var shared [16]atomic.Pointer[lifetimes.Ref[object]]
	var made, ended atomic.Int64
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 3000 {
				place := &shared[(i*7+g)%len(shared)]
				if r := place.Load(); r != nil {
					if got, err := r.Acquire(); err == nil {
						if got.destroyed.Load() != 0 {
							t.Error("acquired after its destruction")
						}
						r.Close()
						r.Release()
					}
				}
				var expected lifetimes.Expected[object, scratch]
				family.Expect(&expected, 1+i%3)
				for range 1 + i%3 {
					r := new(lifetimes.Ref[object])
					expected.Init(r, new(object))
					made.Add(1)
					if old := place.Swap(r); old != nil {
						old.Close()
						ended.Add(1)
					}
				}
				expected.Done()
			}
		})
	}
	wg.Wait()
	for i := range shared {
		if r := shared[i].Load(); r != nil {
			r.Close()
			ended.Add(1)
		}
	}
	assert.Equal(t, made.Load(), ended.Load())
	assert.NotContains(t, lifetimes.Live(), t.Name())
	require.NoError(t, parent.Close())
	assert.NotContains(t, lifetimes.Live(), t.Name()+"p")
}

func TestAMemberOfAFamilyAllocatesNothing(t *testing.T) {
	family := newFamily(t, nil)
	o := new(object)
	refs := make([]lifetimes.Ref[object], 20)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		var expected lifetimes.Expected[object, scratch]
		family.Expect(&expected, len(refs))
		for i := range refs {
			refs[i] = lifetimes.Ref[object]{}
			expected.Init(&refs[i], o)
		}
		expected.Done()
		for i := range refs {
			refs[i].Close()
		}
	}))
}

// Makers of objects whose calls overlap: at most one of them has the spare.
func TestMembersThatOverlapAreCountedOnce(t *testing.T) {
	parent := lifetimes.New(t.Name()+"p", new(object), nil, destroy)
	family := newFamily(t, parent)
	var r [4]lifetimes.Ref[object]
	for range 2 { // first without a spare, then with one
		var none, first, second, third, fourth, fifth lifetimes.Expected[object, scratch]
		family.Expect(&none, 0)
		family.Expect(&first, 2)
		family.Expect(&second, 1)
		first.Init(&r[0], new(object))
		second.Init(&r[1], new(object))
		second.Done()
		family.Expect(&third, 1)
		first.Init(&r[2], new(object))
		third.Done()
		family.Expect(&fourth, 1)
		fourth.Done()
		family.Expect(&fifth, 1)
		fifth.Init(&r[3], new(object))
		assert.Equal(t, 4, lifetimes.Live()[t.Name()])
		for i := range r {
			require.NoError(t, r[i].Close())
			r[i] = lifetimes.Ref[object]{}
		}
		assert.NotContains(t, lifetimes.Live(), t.Name())
	}
	require.NoError(t, parent.Close())
	assert.NotContains(t, lifetimes.Live(), t.Name()+"p")
}

func TestManyMakersAtOnceLeaveNothing(t *testing.T) {
	parent := lifetimes.New(t.Name()+"p", new(object), nil, destroy)
	family := newFamily(t, parent)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 5000 {
				var expected lifetimes.Expected[object, scratch]
				var r lifetimes.Ref[object]
				family.Expect(&expected, 1)
				if i%8 == 0 {
					runtime.Gosched()
				}
				if i%3 == 0 {
					expected.Done()
					continue
				}
				o := new(object)
				expected.Init(&r, o)
				if i%5 == 0 { // closed while in use
					if _, err := r.Acquire(); err != nil {
						t.Error(err)
					}
					r.Close()
					r.Release()
				}
				r.Close()
				if n := o.destroyed.Load(); n != 1 {
					t.Errorf("an object was destroyed %d times", n)
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, parent.Close())
	assert.NotContains(t, lifetimes.Live(), t.Name())
	assert.NotContains(t, lifetimes.Live(), t.Name()+"p")
}

// BenchmarkFamily measures the cost of a Ref that is a field of the object that users hold, as
// those of buffers are. The row alone/lifetime of tools/bench is this number.
func BenchmarkFamily(b *testing.B) {
	family := lifetimes.NewFamily("benchmark member", nil, func(*object, *struct{}) {})
	o, holders := new(object), make([]struct{ ref lifetimes.Ref[object] }, 1)
	b.ReportAllocs()
	for b.Loop() {
		clear(holders)
		family.Init(&holders[0].ref, o)
		holders[0].ref.Close()
	}
}
