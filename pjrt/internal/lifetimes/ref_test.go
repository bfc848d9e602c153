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

type object struct{ destroyed atomic.Int32 }

func destroy(o *object) { o.destroyed.Add(1) }

func TestCloseDestroysOnceWhateverTheOrder(t *testing.T) {
	for name, closeParentFirst := range map[string]bool{"parent first": true, "child first": false} {
		t.Run(name, func(t *testing.T) {
			var order []string
			parent := lifetimes.New(t.Name()+"p", new(object), nil, func(*object) { order = append(order, "parent") })
			child := lifetimes.New(t.Name()+"c", new(object), parent, func(*object) { order = append(order, "child") })
			if closeParentFirst {
				require.NoError(t, parent.Close())
				require.NoError(t, parent.Close())
				assert.Empty(t, order, "a parent outlives its children")
				_, err := child.Acquire()
				require.NoError(t, err, "a child outlives its parent's Close")
				child.Release()
			}
			require.NoError(t, child.Close())
			require.NoError(t, child.Close())
			require.NoError(t, parent.Close())
			assert.Equal(t, []string{"child", "parent"}, order)
		})
	}
}

func TestAChildThatComesTooLateDoesNotDestroyItsParentAgain(t *testing.T) {
	p, c := new(object), new(object)
	parent := lifetimes.New(t.Name()+"p", p, nil, destroy)
	require.NoError(t, parent.Close())
	child := lifetimes.New(t.Name()+"c", c, parent, destroy)
	require.NoError(t, child.Close())
	assert.EqualValues(t, 1, p.destroyed.Load())
	assert.EqualValues(t, 1, c.destroyed.Load())
}

func TestAnObjectInUseIsNotDestroyedByClose(t *testing.T) {
	o := new(object)
	r := lifetimes.New(t.Name(), o, nil, destroy)
	got, err := r.Acquire()
	require.NoError(t, err)
	assert.Same(t, o, got)
	require.NoError(t, r.Close())
	assert.Zero(t, o.destroyed.Load())
	assert.True(t, r.Closed())
	_, err = r.Acquire()
	require.ErrorIs(t, err, lifetimes.ErrClosed)
	assert.EqualError(t, err, t.Name()+" is closed")
	r.Release()
	assert.EqualValues(t, 1, o.destroyed.Load())
}

func TestTryAcquireIsAcquireWithoutAnError(t *testing.T) {
	o := new(object)
	r := lifetimes.New(t.Name(), o, nil, destroy)
	got, ok := r.TryAcquire()
	require.True(t, ok)
	assert.Same(t, o, got)
	require.NoError(t, r.Close())
	_, ok = r.TryAcquire()
	assert.False(t, ok, "closed")
	assert.Zero(t, o.destroyed.Load(), "in use")
	r.Release()
	assert.EqualValues(t, 1, o.destroyed.Load())
	_, ok = r.TryAcquire()
	assert.False(t, ok, "destroyed")
	for name, r := range map[string]*lifetimes.Ref[object]{"nil": nil, "zero": new(lifetimes.Ref[object])} {
		_, ok = r.TryAcquire()
		assert.False(t, ok, name)
	}
	assert.NotContains(t, lifetimes.Live(), t.Name())
}

func TestForgottenObjectsAreDestroyedChildrenFirst(t *testing.T) {
	const n = 200
	var parents, children atomic.Int32
	var early atomic.Bool
	func() {
		for range n {
			var mine atomic.Int32
			p := lifetimes.New("forgotten parent", new(object), nil, func(*object) {
				if mine.Load() != 3 {
					early.Store(true)
				}
				parents.Add(1)
			})
			for range 3 {
				lifetimes.New("forgotten child", new(object), p, func(*object) { mine.Add(1); children.Add(1) })
			}
		}
	}()
	require.True(t, collecting.Until(func() bool { return parents.Load() == n }))
	assert.EqualValues(t, 3*n, children.Load())
	assert.False(t, early.Load(), "a parent was destroyed before its children")
	require.Eventually(t, func() bool { return lifetimes.Live()["forgotten parent"] == 0 }, time.Minute, time.Millisecond)
}

func TestLiveCountsByKind(t *testing.T) {
	a := lifetimes.New("counted", new(object), nil, destroy)
	b := lifetimes.New("counted", new(object), nil, destroy)
	assert.Equal(t, 2, lifetimes.Live()["counted"])
	a.Close()
	b.Acquire()
	b.Close()
	assert.Equal(t, 1, lifetimes.Live()["counted"], "in use")
	b.Release()
	assert.NotContains(t, lifetimes.Live(), "counted")
}

func TestManyGoroutinesUseAndCloseOneObject(t *testing.T) {
	for range 200 {
		o := new(object)
		r := lifetimes.New("hammered", o, nil, destroy)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					got, err := r.Acquire()
					if err != nil {
						return
					}
					if got.destroyed.Load() != 0 {
						t.Error("acquired after its destruction")
					}
					r.Release()
				}
			})
		}
		wg.Go(func() { r.Close() })
		wg.Go(func() { r.Close() })
		wg.Wait()
		assert.EqualValues(t, 1, o.destroyed.Load())
	}
}

func TestNilRefs(t *testing.T) {
	var r *lifetimes.Ref[object]
	require.NoError(t, r.Close())
	_, err := r.Acquire()
	require.Error(t, err)
}

// Guards are reused, so a guard of a closed Ref must not watch it any more.
func TestOnlyForgottenRefsAreDestroyedHoweverManyWereClosedBefore(t *testing.T) {
	const n = 1000
	var kept []*lifetimes.Ref[object]
	var keptObjects []*object
	var forgotten atomic.Int32
	for range n {
		lifetimes.New("closed before", new(object), nil, destroy).Close()
		o := new(object)
		keptObjects = append(keptObjects, o)
		kept = append(kept, lifetimes.New("kept", o, nil, destroy))
		lifetimes.New("closed before", new(object), nil, destroy).Close()
		lifetimes.New("forgotten", new(object), nil, func(*object) { forgotten.Add(1) })
	}
	require.True(t, collecting.Until(func() bool { return forgotten.Load() == n }))
	for i, r := range kept {
		require.Zero(t, keptObjects[i].destroyed.Load())
		require.NoError(t, r.Close())
		require.EqualValues(t, 1, keptObjects[i].destroyed.Load())
	}
}

func TestTheExtraOfAnObjectDoesNotKeepItsRefAlive(t *testing.T) {
	type extra struct{ n int }
	type thing struct{ ref lifetimes.Ref[object] }
	var destroyed atomic.Bool
	x := func() *extra {
		th := new(thing)
		return lifetimes.Init[object, extra](&th.ref, "part of a thing", new(object), nil, func(*object, *extra) { destroyed.Store(true) })
	}()
	require.True(t, collecting.Until(func() bool { return destroyed.Load() }))
	x.n++
	assert.Equal(t, 1, x.n)
	_, err := new(thing).ref.Acquire()
	require.Error(t, err, "a Ref that was never initialized")
}

func TestARefIsRenewedOnceItsObjectIsGone(t *testing.T) {
	parent := lifetimes.New("parent of renewed", new(object), nil, destroy)
	a, b := new(object), new(object)
	r := lifetimes.New("renewed", a, parent, destroy)
	assert.False(t, r.Claim(), "open")
	_, err := r.Acquire()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.False(t, r.Claim(), "in use")
	r.Release()
	assert.True(t, r.Claim())
	assert.False(t, r.Claim(), "claimed")
	_, err = r.Acquire()
	require.ErrorIs(t, err, lifetimes.ErrClosed)
	r.Renew(b)
	assert.Equal(t, 1, lifetimes.Live()["renewed"])
	got, err := r.Acquire()
	require.NoError(t, err)
	assert.Same(t, b, got)
	require.NoError(t, parent.Close())
	require.NoError(t, r.Close())
	assert.Zero(t, b.destroyed.Load())
	r.Release()
	assert.EqualValues(t, 1, a.destroyed.Load())
	assert.EqualValues(t, 1, b.destroyed.Load())
	assert.NotContains(t, lifetimes.Live(), "renewed")
	assert.NotContains(t, lifetimes.Live(), "parent of renewed")
	assert.False(t, (*lifetimes.Ref[object])(nil).Claim())
}

func TestARenewedRefThatIsForgottenIsDestroyed(t *testing.T) {
	var destroyed atomic.Int32
	count := func(*object) { destroyed.Add(1) }
	func() {
		r := lifetimes.New("renewed and forgotten", new(object), nil, count)
		r.Close()
		require.True(t, r.Claim())
		r.Renew(new(object))
	}()
	require.True(t, collecting.Until(func() bool { return destroyed.Load() == 2 }))
}

// useMeanwhile uses r in goroutines, some of which also close it, until stop is called. It fails
// the test if one gets a destroyed object.
func useMeanwhile(t *testing.T, r *lifetimes.Ref[object], goroutines, closing int) (stop func()) {
	var stopped atomic.Bool
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for !stopped.Load() {
				if got, err := r.Acquire(); err == nil {
					if got.destroyed.Load() != 0 {
						t.Error("acquired after its destruction")
					}
					r.Release()
				}
				if i < closing {
					r.Close()
				}
				runtime.Gosched()
			}
		})
	}
	return func() {
		stopped.Store(true)
		wg.Wait()
	}
}

// Goroutines that still use an old Ref get the object that it has at that time, never a destroyed
// one.
func TestARefIsRenewedWhileOthersUseIt(t *testing.T) {
	r := lifetimes.New("renewed and hammered", new(object), nil, destroy)
	stop := useMeanwhile(t, r, 4, 4)
	deadline := time.Now().Add(time.Minute)
	renewed := 0
	for renewed < 2000 && time.Now().Before(deadline) {
		if r.Claim() {
			r.Renew(new(object))
			renewed++
		} else {
			runtime.Gosched()
		}
	}
	stop()
	r.Close()
	assert.Equal(t, 2000, renewed)
	assert.Zero(t, lifetimes.Live()["renewed and hammered"])
}

// BenchmarkNewAndClose measures the cost of a Ref.
func BenchmarkNewAndClose(b *testing.B) {
	o := new(object)
	parent := lifetimes.New("benchmark parent", o, nil, destroy)
	defer parent.Close()
	b.ReportAllocs()
	for b.Loop() {
		lifetimes.New("benchmark child", o, parent, destroy).Close()
	}
}

func TestARetainedObjectIsNotDestroyedByCloseOrItsLastCall(t *testing.T) {
	o := new(object)
	r := lifetimes.New(t.Name(), o, nil, destroy)
	_, err := r.Acquire()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	r.Retain()
	r.Release()
	assert.Zero(t, o.destroyed.Load(), "retained")
	r.Release()
	assert.EqualValues(t, 1, o.destroyed.Load())
}
