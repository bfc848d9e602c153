// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// watch counts what a plugin does with callbacks that it was given: it must clean up once
// after each call, and may destroy them at most once.
type watch struct {
	mu       sync.Mutex
	cleanups []*cleanup // guarded by mu; of each call that needs a cleanup
	ended    int        // guarded by mu; calls of the destructor
}

// cleanup belongs to a call of a callback.
type cleanup struct {
	watch *watch
	next  func()
	times int // guarded by watch.mu
}

// watches finds the cleanup for the number that C passes back.
var watches struct {
	sync.Mutex
	cleanups []*cleanup
}

var (
	transforms   registry[capi.XLATransformCallbacks]
	partitioners registry[capi.JAXCustomCallPartitionerCallbacks]
)

// registry finds the struct of callbacks behind another one.
type registry[S any] struct{ behind sync.Map }

// put puts a watched struct behind outer, and returns outer.
func (r *registry[S]) put(outer *S, x watched[S]) *S {
	r.behind.Store(outer, x)
	return outer
}

func (r *registry[S]) of(outer *S) watched[S] {
	x, _ := r.behind.Load(outer)
	return x.(watched[S])
}

// watched is a struct of callbacks behind another one.
type watched[S any] struct {
	watch *watch
	inner *S
}

// later registers a cleanup and returns the number that C passes back.
func (w *watch) later(next func()) uintptr {
	c := &cleanup{watch: w, next: next}
	w.mu.Lock()
	w.cleanups = append(w.cleanups, c)
	w.mu.Unlock()
	watches.Lock()
	defer watches.Unlock()
	watches.cleanups = append(watches.cleanups, c)
	return uintptr(len(watches.cleanups))
}

var cleanupEntry = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(number uintptr) uintptr {
		watches.Lock()
		c := watches.cleanups[number-1]
		watches.Unlock()
		c.watch.mu.Lock()
		c.times++
		first := c.times == 1
		c.watch.mu.Unlock()
		if first {
			c.next()
		}
		return 0
	})
})

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended++
}

// check fails the check unless each call was cleaned up after exactly once.
func (w *watch) check(t *check.T, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, c := range w.cleanups {
		check.Equal(t, 1, c.times, "calls of cleanup_fn after call %d of %d of %s", i+1, len(w.cleanups), what)
	}
	if w.ended > 1 {
		t.Errorf("the dtor of %s: expected at most one call, got %d", what, w.ended)
	}
}

// watchTransform returns the callbacks of a transformation, with their calls counted by w.
func watchTransform(w *watch, x capi.XLATransform) *capi.XLATransformCallbacks {
	inner := capi.NewXLATransform(x)
	outer := &capi.XLATransformCallbacks{
		Version: inner.Version, Dtor: capi.XLATransformCallbacksDtor(transformDtorEntry()),
		TransformHLOModule: capi.XLATransformCallbacksTransformHLOModule(transformEntry()),
	}
	return transforms.put(outer, watched[capi.XLATransformCallbacks]{w, inner})
}

var transformEntry = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(p *capi.XLATransformCallbacks, args *capi.XLATransformArgs) uintptr {
		x := transforms.of(p)
		x.inner.TransformHLOModule.Call(x.inner, args)
		if h := &args.Header; h.CleanupFn != 0 {
			next, data := h.CleanupFn, h.Data
			h.CleanupFn, h.Data = capi.XLATransformVersionAndErrorCleanupFn(cleanupEntry()), x.watch.later(func() { next.Call(data) })
		}
		return 0
	})
})

var transformDtorEntry = dtorEntry(&transforms, func(x *capi.XLATransformCallbacks) { x.Dtor.Call(x) })

// dtorEntry returns the entry point of the destructor of watched callbacks, which counts its calls
// and passes them on to dtor.
func dtorEntry[S any](behind *registry[S], dtor func(inner *S)) func() uintptr {
	return sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(p *S) uintptr {
			x := behind.of(p)
			x.watch.end()
			dtor(x.inner)
			return 0
		})
	})
}

// watchPartitioner returns the callbacks of a partitioner, with their calls counted by w.
func watchPartitioner(w *watch, x capi.CustomCallPartitioner) *capi.JAXCustomCallPartitionerCallbacks {
	inner := capi.NewCustomCallPartitioner(x)
	outer := &capi.JAXCustomCallPartitionerCallbacks{
		Version: inner.Version, Dtor: capi.JAXCustomCallPartitionerCallbacksDtor(partitionerDtorEntry()),
		Partition:                              capi.JAXCustomCallPartitionerCallbacksPartition(partitionEntry()),
		InferSharding:                          capi.JAXCustomCallPartitionerCallbacksInferSharding(inferEntry()),
		PropagateUserSharding:                  capi.JAXCustomCallPartitionerCallbacksPropagateUserSharding(propagateEntry()),
		CanSideEffectingHaveReplicatedSharding: inner.CanSideEffectingHaveReplicatedSharding,
	}
	return partitioners.put(outer, watched[capi.JAXCustomCallPartitionerCallbacks]{w, inner})
}

// count replaces the cleanup of a partitioner's call by one that counts and then calls it.
func (w *watch) count(h *capi.JAXCustomCallPartitionerVersionAndError) {
	if h.CleanupFn == 0 {
		return
	}
	next, data := h.CleanupFn, h.Data
	h.CleanupFn, h.Data = capi.JAXCustomCallPartitionerVersionAndErrorCleanupFn(cleanupEntry()), w.later(func() { next.Call(data) })
}

// countedEntry returns the entry point of a function of partitioners: call forwards it, and
// returns the header of its arguments.
func countedEntry[A any](call func(inner *capi.JAXCustomCallPartitionerCallbacks,
	args *A) *capi.JAXCustomCallPartitionerVersionAndError) func() uintptr {
	return sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(p *capi.JAXCustomCallPartitionerCallbacks, args *A) uintptr {
			x := partitioners.of(p)
			x.watch.count(call(x.inner, args))
			return 0
		})
	})
}

var (
	partitionEntry = countedEntry(func(p *capi.JAXCustomCallPartitionerCallbacks,
		args *capi.JAXCustomCallPartitionerPartitionArgs) *capi.JAXCustomCallPartitionerVersionAndError {
		p.Partition.Call(p, args)
		return &args.Header
	})
	inferEntry = countedEntry(func(p *capi.JAXCustomCallPartitionerCallbacks,
		args *capi.JAXCustomCallPartitionerInferShardingFromOperandsArgs) *capi.JAXCustomCallPartitionerVersionAndError {
		p.InferSharding.Call(p, args)
		return &args.Header
	})
	propagateEntry = countedEntry(func(p *capi.JAXCustomCallPartitionerCallbacks,
		args *capi.JAXCustomCallPartitionerPropagateUserShardingArgs) *capi.JAXCustomCallPartitionerVersionAndError {
		p.PropagateUserSharding.Call(p, args)
		return &args.Header
	})
	partitionerDtorEntry = dtorEntry(&partitioners, func(x *capi.JAXCustomCallPartitionerCallbacks) { x.Dtor.Call(x) })
)
