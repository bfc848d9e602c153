// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var speedChecks = []check.Check{
	{Rule: "PERF-01", Run: dispatch},
	{Rule: "PERF-02", Run: bandwidth},
	{Rule: "PERF-03", Profile: check.Core, Run: compileTimes},
	{Rule: "PERF-04", Run: wakeUp},
	{Rule: "PERF-05", Run: overlap},
	{Rule: "PERF-06", Hostile: true, Run: overhead},
	{Rule: "PERF-07", Run: scaling},
	{Rule: "PERF-08", Run: metadata},
	{Rule: "PERF-09", Profile: check.Core, Run: matmul},
	{Rule: "PERF-10", Hostile: true, Run: idle},
	{Rule: "PERF-10", Variant: "waiting", Hostile: true, Run: idleWaiting},
}

// times runs f n times and returns how long the runs took, shortest first.
func times(t *check.T, n int, f func() error) []time.Duration {
	ds := make([]time.Duration, n)
	for i := range ds {
		start := time.Now()
		if err := f(); err != nil {
			t.Fatalf("%v", err)
		}
		ds[i] = time.Since(start)
	}
	slices.Sort(ds)
	return ds
}

// limit notes how long something took, and fails the check if even the shortest run
// took longer than most.
func limit(t *check.T, what string, ds []time.Duration, most time.Duration) {
	t.Notef("%s: best %v, half within %v, 99 of 100 within %v", what, ds[0], ds[len(ds)/2], ds[len(ds)*99/100])
	if ds[0] > most {
		t.Errorf("%s: expected the best of %d tries to take less than %v, got %v", what, len(ds), most, ds[0])
	}
}

func dispatch(t *check.T) {
	w := &worker{t: t, c: t.Client()}
	w.exe = t.Shared(check.AddOne)
	in := check.Upload(t, w.c, []float32{1, 2, 3, 4})
	limit(t, "execute and await", times(t, 200, func() error {
		out, err := w.addOne(in)
		if err != nil {
			return err
		}
		return w.destroy(out)
	}), 3*time.Millisecond)
	limit(t, "execute without events", times(t, 200, func() error {
		x := check.NewExecution(w.exe, 1, []*capi.Buffer{in})
		x.Args.DeviceCompleteEvents = nil
		if _, err := check.Try(t, x.Args); err != nil {
			return err
		}
		return w.destroy(x.Outputs[0][0])
	}), 3*time.Millisecond)
}

func bandwidth(t *check.T) {
	w := &worker{t: t, c: t.Client()}
	for _, size := range []int{1 << 10, 1 << 20, 1 << 24} {
		data := make([]float32, size/4)
		for _, s := range []capi.HostBufferSemantics{capi.HostBufferSemanticsImmutableOnlyDuringCall,
			capi.HostBufferSemanticsImmutableUntilTransferCompletes} {
			ds := times(t, 5, func() error {
				args := check.HostArgs(w.c, data)
				args.HostBufferSemantics = s
				out, err := check.Try(t, args)
				if err != nil {
					return err
				}
				if err := w.wait(out.DoneWithHostBuffer); err != nil {
					return err
				}
				return w.destroy(out.Buffer)
			})
			// A tenth of the speed of the slowest bus in use.
			limit(t, fmt.Sprintf("upload of %d bytes, %v", size, s), ds, 3*time.Millisecond+time.Duration(size/50)*time.Microsecond)
		}
		b := check.Upload(t, w.c, data)
		ds := times(t, 5, func() error {
			_, err := w.download(b, len(data))
			return err
		})
		limit(t, fmt.Sprintf("download of %d bytes", size), ds, 3*time.Millisecond+time.Duration(size/50)*time.Microsecond)
		check.Destroy(t, b)
	}
}

// chain returns a program of n operations.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("module @chain {\nfunc.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {\n")
	for i := range n {
		op := []string{"add", "multiply", "maximum"}[i%3]
		fmt.Fprintf(&b, "  %%v%d = stablehlo.%s %%v%d, %%v%d : tensor<4xf32>\n", i+1, op, i, i/2)
	}
	fmt.Fprintf(&b, "  return %%v%d : tensor<4xf32>\n}\n}\n", n)
	return b.String()
}

// compileTimes compares programs of 40 and 400 operations. Ten times the operations
// take up to a hundred times as long if each looks at all others.
func compileTimes(t *check.T) {
	best := map[int]time.Duration{}
	for _, n := range []int{40, 400} {
		text := chain(n)
		ds := times(t, 3, func() error { return compileOnce(t, t.CompileArgs(t.Client(), text, check.Devices(1, 1))) })
		best[n] = ds[0]
		t.Notef("compile of %d operations: best %v", n, ds[0])
	}
	if ratio := float64(best[400]) / float64(best[40]); ratio > 40 {
		t.Errorf("expected ten times the operations to take about ten times as long, got %.0f times: %v and %v", ratio, best[40], best[400])
	}
}

// wakeUp measures the time from the call that makes events ready to the return of Await
// on another thread, and to a callback.
func wakeUp(t *check.T) {
	c := t.Client()
	var await, callback []time.Duration
	for range 30 {
		p := t.NewPending(c, 4)
		e, f := t.Ready(p.Buffer), t.Ready(p.Buffer)
		woken := make(chan time.Time, 1)
		go func() {
			check.Try(t, capi.EventAwaitArgs{Event: e})
			woken <- time.Now()
		}()
		called := make(chan time.Time, 1)
		fn, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
			called <- time.Now()
			_ = t.Table().TakeError(err)
		})
		if _, err := check.Try(t, capi.EventOnReadyArgs{Event: f, Callback: fn, UserArg: uintptr(handle)}); err != nil {
			handle.Delete()
			t.Fatalf("PJRT_Event_OnReady: %v", err)
		}
		time.Sleep(200 * time.Microsecond)
		start := time.Now()
		p.Fulfil()
		for _, w := range []struct {
			c  chan time.Time
			to *[]time.Duration
		}{{woken, &await}, {called, &callback}} {
			select {
			case at := <-w.c:
				*w.to = append(*w.to, at.Sub(start))
			case <-time.After(patience):
				t.Fatalf("an event did not wake its waiter in time")
			}
		}
		check.Destroy(t, e)
		check.Destroy(t, f)
		check.Destroy(t, p.Buffer)
		check.Destroy(t, p.Manager)
	}
	slices.Sort(await)
	slices.Sort(callback)
	limit(t, "from the data to the return of PJRT_Event_Await", await, 2*time.Millisecond)
	limit(t, "from the data to the callback of PJRT_Event_OnReady", callback, 2*time.Millisecond)
}

// overlap notes how much of an execution is done when the call returns. Any amount is
// allowed; only a result that is missing when its event is ready is an error.
func overlap(t *check.T) {
	c := t.Client()
	exe := t.Compile(c, check.Heavy)
	in, want := check.HeavyArgument(t, c), check.HeavyResult()
	var back, whole time.Duration
	for range 5 {
		x := check.NewExecution(exe, 1, []*capi.Buffer{in})
		start := time.Now()
		if err := x.Start(t); err != nil {
			t.Fatalf("%v", err)
		}
		back = time.Since(start)
		if err := t.Await(x.Events[0]); err != nil {
			t.Fatalf("%v", err)
		}
		whole = time.Since(start)
		got := check.DownloadAs[float32](t, x.Outputs[0][0])
		if !slices.Equal(got, want) {
			t.Fatalf("expected sixteen times the identity, but got something else when the event was ready")
		}
	}
	t.Notef("PJRT_LoadedExecutable_Execute returns after %v of %v", back, whole)
}

// overhead measures the memory of many scalars.
func overhead(t *check.T) {
	if _, err := check.ResidentBytes(); err != nil {
		t.SkipEnvf("%v", err)
	}
	w := &worker{t: t, c: t.Client()}
	const n, windows = 2000, 3
	bs := make([]*capi.Buffer, 0, n*windows)
	// A pool of the plugin takes its memory at once, for the first buffers or when it is full, so
	// the window counts in which the process grows least.
	least := int64(math.MaxInt64)
	for range windows {
		before, _ := check.ResidentBytes()
		for range n {
			b, err := w.upload([]float32{1})
			if err != nil {
				t.Fatalf("%v", err)
			}
			bs = append(bs, b)
		}
		after, _ := check.ResidentBytes()
		least = min(least, (after-before)/n)
	}
	for _, b := range bs {
		if err := w.destroy(b); err != nil {
			t.Fatalf("%v", err)
		}
	}
	t.Notef("a buffer of one float takes %d bytes of the process", least)
	if least > 16<<10 {
		t.Errorf("expected a buffer of one float to take less than 16 KiB, got %d bytes", least)
	}
}

// scaling compares how many executions one thread and several threads complete.
func scaling(t *check.T) {
	c := t.Client()
	exe := t.Shared(check.AddOne)
	in := check.Upload(t, c, []float32{1, 2, 3, 4})
	// A busy system lets one thread run alone for long before others begin, which would look as if
	// they did not disturb each other: what counts is what is done once each has done something.
	rate := func(threads int) float64 {
		lasts := time.Duration(threads) * 150 * time.Millisecond
		var began, done atomic.Int64
		var start atomic.Pointer[time.Time]
		var failed atomic.Bool
		latest := time.Now().Add(10 * lasts) // for a thread that never gets its turn
		over := func() bool {
			if s := start.Load(); s != nil {
				return time.Since(*s) >= lasts
			}
			return time.Now().After(latest) || failed.Load()
		}
		var wg sync.WaitGroup
		for range threads {
			wg.Go(func() {
				w := &worker{t: t, c: c, exe: exe}
				for first := true; !over(); first = false {
					out, err := w.addOne(in)
					if err == nil {
						err = w.destroy(out)
					}
					switch {
					case err != nil:
						t.Errorf("%v", err)
						failed.Store(true)
						return
					case first && began.Add(1) == int64(threads):
						now := time.Now()
						start.Store(&now)
					case start.Load() != nil:
						done.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if start.Load() == nil {
			return 0
		}
		return float64(done.Load()) / time.Since(*start.Load()).Seconds()
	}
	one, four := 0.0, 0.0
	for range 3 {
		one, four = max(one, rate(1)), max(four, rate(4))
	}
	t.Notef("executions per second: %.0f on one thread, %.0f on four", one, four)
	if four < one/5 {
		t.Errorf("expected four threads to execute at least about as fast as one, got %.0f and %.0f executions per second", four, one)
	}
}

func metadata(t *check.T) {
	c := t.Client()
	d := t.Description(c.Devices[0])
	id := check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d}).ID
	for _, call := range []struct {
		name string
		f    func() error
	}{
		{"PJRT_DeviceDescription_Attributes", func() error {
			_, err := check.Try(t, capi.DeviceDescriptionAttributesArgs{DeviceDescription: d})
			return err
		}},
		{"PJRT_Client_LookupDevice", func() error {
			_, err := check.Try(t, capi.ClientLookupDeviceArgs{Client: c.Handle, ID: id})
			return err
		}},
		{"PJRT_Client_Devices", func() error {
			_, err := check.Try(t, capi.ClientDevicesArgs{Client: c.Handle})
			return err
		}},
	} {
		limit(t, call.name, times(t, 200, call.f), 500*time.Microsecond)
	}
}

// matmul notes the speed of a product of matrices, and checks it.
func matmul(t *check.T) {
	const n = 1024
	c := t.Client()
	exe := t.Compile(c, fmt.Sprintf(`module @matmul {
func.func @main(%%a: tensor<%[1]dx%[1]dxf32>) -> tensor<%[1]dx%[1]dxf32> {
  %%0 = stablehlo.dot_general %%a, %%a, contracting_dims = [1] x [0] : (tensor<%[1]dx%[1]dxf32>, tensor<%[1]dx%[1]dxf32>) -> tensor<%[1]dx%[1]dxf32>
  return %%0 : tensor<%[1]dx%[1]dxf32>
}
}`, n))
	data := make([]float32, n*n)
	for i := range n {
		data[i*n+(i+1)%n] = 1 // moves each row by one
	}
	in := check.Upload(t, c, data, n, n)
	var out *capi.Buffer
	ds := times(t, 3, func() error {
		if out != nil {
			check.Destroy(t, out)
		}
		out = t.Run(exe, 1, in)[0]
		return nil
	})
	got := check.DownloadAs[float32](t, out)
	for i := range n {
		if got[i*n+(i+2)%n] != 1 || got[i*n+i] != 0 {
			t.Fatalf("expected the product of two shifts to be a shift by two, but row %d is wrong", i)
		}
	}
	t.Notef("a product of two f32 matrices of %d rows: %.1f Gflop/s", n, 2*float64(n)*n*n/ds[0].Seconds()/1e9)
}
