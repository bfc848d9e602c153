// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// besideOnly is the environment variable with the one method that
// TestAnyMethodRunsBesideItself calls, such as Buffer.Close.
const besideOnly = "PJRT_BESIDE"

// TestAnyMethodRunsBesideItself calls each method of an object from several goroutines at
// once, with any arguments: plugins change some of their state without a lock.
func TestAnyMethodRunsBesideItself(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("calls every method many times: make test-all")
	}
	if !inChild(t) {
		return
	}
	long := 30 * time.Millisecond // for each method
	if os.Getenv(besideOnly) != "" {
		long = 5 * time.Second
	}
	plugin := plugintest.Plugin(t)
	trace, err := os.Create(filepath.Join(t.TempDir(), "trace"))
	require.NoError(t, err)
	defer trace.Close()
	lifetimes.Track(true)
	goroutines := runtime.NumGoroutine()
	f := &fuzzer{plugin: plugin, trace: trace}
	workers := make([]*fuzzWorker, fuzzGoroutines)
	for i := range workers {
		workers[i] = &fuzzWorker{fuzzer: f, number: i, Rand: rand.New(rand.NewPCG(1, uint64(i)))}
	}
	called := make(map[reflect.Type]bool)
	var last reflect.Type
	for _, typ := range wildTypeList {
		if typ == last {
			continue
		}
		last = typ
		for m := range typ.NumMethod() {
			name := typ.Elem().Name() + "." + typ.Method(m).Name
			if only := os.Getenv(besideOnly); never(name) || only != "" && only != name {
				continue
			}
			fmt.Println(name) // the parent shows it if this ends the process
			for end := time.Now().Add(long); ; {
				workers[0].wildSeeds()
				if receiver, ok := f.wild.pick(workers[0], typ); ok {
					called[typ] = true
					besideItself(workers, name, receiver.Method(m))
				}
				if time.Now().After(end) {
					break
				}
			}
		}
	}
	f.closeAll()
	f.checkLeft(goroutines)
	assert.Zero(t, f.failures.Load())
	if os.Getenv(besideOnly) != "" {
		return
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[*pjrt.Buffer](), reflect.TypeFor[*pjrt.Event](), reflect.TypeFor[*pjrt.Executable](),
		reflect.TypeFor[*pjrt.LoadedExecutable](), reflect.TypeFor[*pjrt.Bound](), reflect.TypeFor[*pjrt.Reference](),
		reflect.TypeFor[*pjrt.Topology](), reflect.TypeFor[*ffi.Context](), reflect.TypeFor[*transfer.Manager](),
		reflect.TypeFor[*transfer.Alias](),
	} {
		assert.True(t, called[typ], "%v", typ)
	}
}

// besideItself calls a method of one object in all workers at the same time, each with
// its own arguments.
func besideItself(workers []*fuzzWorker, name string, method reflect.Value) {
	const calls = 50
	var ready, done sync.WaitGroup
	ready.Add(len(workers))
	for _, w := range workers {
		done.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					w.fail("%s: panic: %v\n%s", name, v, debug.Stack())
				}
			}()
			w.name = name
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			lists := make([][]reflect.Value, calls)
			for i := range lists {
				lists[i] = w.wildList(method.Type(), ctx)
			}
			var results []reflect.Value
			ready.Done()
			ready.Wait()
			for _, args := range lists {
				results = append(results, callWith(method, args)...)
				if ctx.Err() != nil {
					break
				}
			}
			for _, r := range results {
				w.wild.put(w, r)
			}
		})
	}
	done.Wait()
}

// wildSeeds makes an object of each type that the plugin has.
func (w *fuzzWorker) wildSeeds() {
	ctx := context.Background()
	for range 4 {
		w.wildSeed()
	}
	x, _ := ffi.NewContext(w.plugin)
	w.wild.put(w, reflect.ValueOf(x))
	event, promise, _ := w.plugin.NewEvent()
	w.wild.put(w, reflect.ValueOf(event))
	w.wild.put(w, reflect.ValueOf(promise))
	if c, ok := w.wild.pick(w, reflect.TypeFor[*pjrt.Client]()); ok {
		c := c.Interface().(*pjrt.Client)
		topology, _ := c.Topology()
		w.wild.put(w, reflect.ValueOf(topology))
		// The contents of other buffers may never arrive, and a reference waits for them.
		if b, err := pjrt.FromSlice(ctx, c, []float32{1, 2, 3, 4}); err == nil {
			r, _ := b.Reference(ctx)
			w.wild.put(w, reflect.ValueOf(b))
			w.wild.put(w, reflect.ValueOf(r))
		}
	}
	if b, ok := w.wild.pick(w, reflect.TypeFor[*pjrt.Buffer]()); ok {
		b := b.Interface().(*pjrt.Buffer)
		if ready, err := b.ReadyEvent(); err == nil {
			w.wild.put(w, reflect.ValueOf(ready))
		}
	}
	if e, ok := w.wild.pick(w, reflect.TypeFor[*pjrt.LoadedExecutable]()); ok {
		e := e.Interface().(*pjrt.LoadedExecutable)
		if bound, err := e.Bind(ctx); err == nil {
			w.wild.put(w, reflect.ValueOf(bound))
		}
		w.wild.put(w, reflect.ValueOf(e.Executable))
	}
}
