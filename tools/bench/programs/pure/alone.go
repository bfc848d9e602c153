// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
	"github.com/purepjrt/purepjrt/tools/bench/internal/child"
)

// prepareAlone prepares the jobs that no other program has.
func (o *ours) prepareAlone(job string, param int) (*child.Job, error) {
	switch job {
	case "cache-hit":
		return o.cacheHit()
	case "cache-key":
		code, _, err := program("add", 1)
		if err != nil {
			return nil, err
		}
		return child.Loop(func() error {
			_, err := o.client.CompileKey(pjrt.Program{Code: code}, nil)
			return err
		}, nil), nil
	case "customcall":
		return o.customCall()
	case "waiters":
		return o.waiters(param)
	case "zerocopy-collected":
		return o.collected(o.viewFresh, param)
	case "download-collected":
		return o.collected(o.downloadFresh, param)
	case "pause":
		return o.pause(param)
	case "memory":
		return o.memory(param)
	}
	return nil, nil
}

// cacheHit loads a program from a cache that has it.
func (o *ours) cacheHit() (*child.Job, error) {
	code, _, err := program("add", 1)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	c, err := cache.Open(dir, cache.Options{})
	if err != nil {
		return nil, err
	}
	load := func(want bool) error {
		exe, hit, err := c.Compile(o.ctx, o.client, pjrt.Program{Code: code}, nil)
		if err != nil {
			return err
		}
		if hit != want {
			return fmt.Errorf("the cache was hit: %t", hit)
		}
		return exe.Close()
	}
	if err := load(false); err != nil {
		return nil, err
	}
	return child.Loop(func() error { return load(true) }, func() error { return os.RemoveAll(dir) }), nil
}

// passing is a call that returns its argument.
type passing struct {
	In  ffi.Arg[float32]
	Out ffi.Ret[float32]
}

// customCall runs an addition followed by a call into Go.
func (o *ours) customCall() (*child.Job, error) {
	const target = "bench_pass"
	if !o.registered {
		if err := ffi.Register(o.plugin, target, func(_ *ffi.Call, op *passing) error {
			copy(op.Out.Data, op.In.Data)
			return nil
		}); err != nil {
			return nil, err
		}
		o.registered = true
	}
	exe, err := o.client.Compile(o.ctx, pjrt.Program{Code: []byte(`func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.custom_call @` + target + `(%0) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}`)}, nil)
	if err != nil {
		return nil, err
	}
	x, err := pjrt.FromSlice(o.ctx, o.client, []float32{1, 2, 3, 4}, 4)
	if err != nil {
		return nil, err
	}
	args, outs := []*pjrt.Buffer{x, x}, make([]*pjrt.Buffer, 1)
	return child.Loop(func() error {
		if err := exe.ExecuteInto(o.ctx, outs, args, nil); err != nil {
			return err
		}
		return outs[0].Close()
	}, func() error { return errors.Join(x.Close(), exe.Close()) }), nil
}

// waiters lets goroutines wait for an execution, each with a context that can end. It times how
// long all of them take to return once the argument that the execution waits for is there.
func (o *ours) waiters(count int) (*child.Job, error) {
	p, err := o.load("add", 1, 0)
	if err != nil {
		return nil, err
	}
	value := pjrt.ArrayOf([]float32{1, 2, 3, 4}, 4)
	once := func() (time.Duration, error) {
		m, err := transfer.NewManager(o.ctx, o.client, []pjrt.Shape{value.Shape()}, nil)
		if err != nil {
			return 0, err
		}
		defer m.Close()
		x, err := m.Buffer(0)
		if err != nil {
			return 0, err
		}
		defer x.Close()
		outs, done, err := p.exe.Start(o.ctx, []*pjrt.Buffer{x, x}, nil)
		if err != nil {
			return 0, err
		}
		ctx, cancel := context.WithCancel(o.ctx)
		defer cancel()
		var there atomic.Int64
		var failed atomic.Pointer[error]
		var wg sync.WaitGroup
		for range count {
			wg.Go(func() {
				there.Add(1)
				if err := done.Wait(ctx); err != nil {
					failed.Store(&err)
				}
			})
		}
		for there.Load() < int64(count) {
			runtime.Gosched()
		}
		start := time.Now()
		sent, err := m.Send(0, value.Data, 0, true)
		if err != nil {
			return 0, err
		}
		wg.Wait()
		took := time.Since(start)
		if err := failed.Load(); err != nil {
			return 0, *err
		}
		sent.Close()
		done.Close()
		return took, outs[0].Close()
	}
	return &child.Job{Run: func(n int) (all time.Duration, err error) {
		for range n {
			took, err := once()
			if err != nil {
				return 0, err
			}
			all += took
		}
		return all, nil
	}, Close: p.Close}, nil
}

// collected does something with fresh memory while the garbage collector runs constantly.
func (o *ours) collected(once func(bytes int, value float32) error, bytes int) (*child.Job, error) {
	return &child.Job{Run: func(n int) (time.Duration, error) {
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					runtime.GC()
				}
			}
		}()
		defer func() { close(stop); <-stopped }()
		start := time.Now()
		for i := range n {
			if err := once(bytes, float32(i)); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}}, nil
}

// viewFresh makes a buffer of memory that nothing else refers to, and reads it.
func (o *ours) viewFresh(bytes int, value float32) error {
	data := pjrt.AlignedSlice[float32](bytes / 4)
	for i := range data {
		data[i] = value
	}
	b, err := o.client.BufferFromHost(o.ctx, pjrt.ArrayOf(data, int64(len(data))), &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
	if err != nil {
		return err
	}
	data = nil
	runtime.GC()
	return compare(o.ctx, b, value)
}

// compare reads a buffer, checks its elements and closes it.
func compare(ctx context.Context, b *pjrt.Buffer, want float32) error {
	got, err := pjrt.ToSlice[float32](ctx, b)
	if err != nil {
		return err
	}
	for i, x := range got {
		if x != want {
			return fmt.Errorf("element %d is %g, not %g", i, x, want)
		}
	}
	return b.Close()
}

// downloadFresh starts a transfer into memory that nothing else refers to until it is done.
func (o *ours) downloadFresh(bytes int, value float32) error {
	data := make([]float32, bytes/4)
	for i := range data {
		data[i] = value
	}
	b, err := pjrt.FromSlice(o.ctx, o.client, data, int64(len(data)))
	if err != nil {
		return err
	}
	dst := make([]float32, bytes/4)
	done, err := b.ToHostAsync(dtype.Bytes(dst))
	if err != nil {
		return err
	}
	runtime.GC()
	if err := done.Wait(o.ctx); err != nil {
		return err
	}
	done.Close()
	for i, x := range dst {
		if x != value {
			return fmt.Errorf("element %d is %g, not %g", i, x, value)
		}
	}
	return b.Close()
}

// pause measures how long a collection stops the world while buffers are alive; with none, how long
// the runtime alone needs. Each collection does the same work, and other processes only make pauses
// longer, so the shortest of ten counts.
func (o *ours) pause(count int) (*child.Job, error) {
	all := [][]*pjrt.Buffer{make([]*pjrt.Buffer, count)}
	var err error
	for i := range all[0] {
		if all[0][i], err = pjrt.FromSlice(o.ctx, o.client, []float32{1, 2, 3, 4}, 4); err != nil {
			return nil, err
		}
	}
	return &child.Job{Run: func(n int) (time.Duration, error) {
		shortest := uint64(math.MaxUint64)
		var stats runtime.MemStats
		for range 10 * n {
			runtime.GC()
			runtime.ReadMemStats(&stats)
			shortest = min(shortest, stats.PauseNs[(stats.NumGC+255)%256])
		}
		runtime.KeepAlive(all)
		return time.Duration(shortest) * time.Duration(n), nil
	}, Close: func() error { return closeAll(all) }}, nil
}

// memory measures by how many bytes the process grows in many executions. The bytes stand in for
// nanoseconds.
func (o *ours) memory(executions int) (*child.Job, error) {
	j, err := o.execute(o.ctx)
	if err != nil {
		return nil, err
	}
	run := j.Run
	j.Run = func(n int) (grown time.Duration, err error) {
		for range n {
			if _, err := run(executions / 10); err != nil { // until pools and heaps reach their sizes
				return 0, err
			}
			before, err := resident()
			if err != nil {
				return 0, err
			}
			if _, err := run(executions); err != nil {
				return 0, err
			}
			after, err := resident()
			if err != nil {
				return 0, err
			}
			grown += time.Duration(max(0, after-before))
		}
		return grown, nil
	}
	return j, nil
}

// resident returns the resident memory of the process in bytes.
func resident() (int, error) {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var size, pages int
	_, err = fmt.Sscan(string(text), &size, &pages)
	return pages * os.Getpagesize(), err
}
