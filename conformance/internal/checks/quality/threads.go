// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// patience is how long a check waits for what should happen at once.
const patience = 10 * time.Second

// lasting makes a check for each profile, each longer than the one before.
func lasting(rule string, hostile bool, run func(*check.T, time.Duration)) []check.Check {
	of := func(variant string, p check.Profile, d time.Duration) check.Check {
		return check.Check{
			Rule: rule, Variant: variant, Profile: p, Timeout: check.DefaultTimeout + 4*d, Hostile: hostile,
			Run: func(t *check.T) { run(t, d) },
		}
	}
	return []check.Check{
		of("", check.Quick, 300*time.Millisecond),
		of("5s", check.Core, 5*time.Second),
		of("60s", check.Full, time.Minute),
	}
}

// counted makes a check with few rounds, and one with many.
func counted(rule string, few, many int, hostile bool, run func(*check.T, int)) []check.Check {
	return []check.Check{
		{Rule: rule, Hostile: hostile, Run: func(t *check.T) { run(t, few) }},
		{Rule: rule, Variant: "many", Profile: check.Full, Timeout: 10 * time.Minute, Hostile: hostile, Run: func(t *check.T) { run(t, many) }},
	}
}

var threadChecks = slices.Concat(
	lasting("THR-01", false, mixture),
	counted("THR-02", 50, 5000, false, handOver),
	lasting("THR-03", false, compileWhileRunning),
	counted("THR-04", 100, 20000, false, eventsInParallel),
	counted("THR-05", 200, 10000, true, shortLived),
	[]check.Check{
		{Rule: "THR-06", Hostile: true, Run: smallStack},
		{Rule: "THR-06", Variant: "everyday calls", Hostile: true, Run: everydayOnSmallStack},
	},
	lasting("THR-07", false, signalled),
	counted("THR-08", 20, 2000, false, foreignThreads),
	[]check.Check{{Rule: "THR-09", Hostile: true, Run: forkAndExec}},
)

// worker is what one goroutine of a check works with. Its methods return errors, since
// only the check's own goroutine may end the check.
type worker struct {
	t    *check.T
	c    *check.Client
	exe  *capi.LoadedExecutable
	rand *rand.Rand
}

// upload makes a buffer of four floats.
func (w *worker) upload(data []float32) (*capi.Buffer, error) {
	out, err := check.Try(w.t, check.HostArgs(w.c, data))
	if err != nil {
		return nil, err
	}
	if err := w.wait(out.DoneWithHostBuffer); err != nil {
		return nil, err
	}
	runtime.KeepAlive(data)
	return out.Buffer, nil
}

func (w *worker) wait(e *capi.Event) error { return check.TryWait(w.t, e) }

func (w *worker) download(b *capi.Buffer, n int) ([]float32, error) {
	got := make([]float32, n)
	out, err := check.Try(w.t, capi.BufferToHostBufferArgs{Src: b, Dst: check.Pointer(got), DstSize: uintptr(4 * n),
		HostLayout: check.RowMajor(1)})
	if err != nil {
		return nil, err
	}
	return got, w.wait(out.Event)
}

func (w *worker) destroy(b *capi.Buffer) error {
	_, err := check.Try(w.t, capi.BufferDestroyArgs{Buffer: b})
	return err
}

// addOne runs check.AddOne on a buffer.
func (w *worker) addOne(b *capi.Buffer) (*capi.Buffer, error) {
	x := check.NewExecution(w.exe, 1, []*capi.Buffer{b})
	if err := x.Execute(w.t); err != nil {
		return nil, err
	}
	return x.Outputs[0][0], w.wait(x.Events[0])
}

// round uploads random numbers, does something with them, and checks the result.
func (w *worker) round() error {
	data := make([]float32, 4)
	for i := range data {
		data[i] = float32(w.rand.IntN(1 << 20))
	}
	b, err := w.upload(data)
	if err != nil {
		return err
	}
	want := slices.Clone(data)
	switch w.rand.IntN(3) {
	case 0:
		out, err := w.addOne(b)
		if err != nil {
			return err
		}
		if err := w.destroy(b); err != nil {
			return err
		}
		for i := range want {
			want[i]++
		}
		b = out
	case 1:
		if _, err := check.Try(w.t, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b}); err != nil {
			return err
		}
	}
	got, err := w.download(b, 4)
	if err != nil {
		return err
	}
	for i := range want {
		if got[i] != want[i] {
			w.t.Errorf("expected %v, got %v", want, got)
			break
		}
	}
	if w.rand.IntN(2) == 0 {
		if _, err := check.Try(w.t, capi.BufferDeleteArgs{Buffer: b}); err != nil {
			return err
		}
	}
	return w.destroy(b)
}

// leastRounds is how many rounds each goroutine of parallel makes, however slow the
// machine is; leastCompiles is how many compilations run beside them.
const (
	leastRounds   = 20
	leastCompiles = 5
)

// parallel runs f in n goroutines until it fails or the time is up.
func parallel(t *check.T, n int, d time.Duration, f func(w *worker) error) {
	c := t.Client()
	exe := t.Shared(check.AddOne)
	deadline := time.Now().Add(d)
	var rounds atomic.Int64
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			w := &worker{t: t, c: c, exe: exe, rand: rand.New(rand.NewPCG(uint64(i), 42))}
			for round := 0; (round < leastRounds || time.Now().Before(deadline)) && !t.Failed() && t.Context().Err() == nil; round++ {
				if err := f(w); err != nil {
					t.Errorf("with %d threads: %v", n, err)
					return
				}
				rounds.Add(1)
			}
		})
	}
	wg.Wait()
	t.Notef("%d rounds of %d threads in %v", rounds.Load(), n, d)
}

func mixture(t *check.T, d time.Duration) {
	parallel(t, 2*runtime.NumCPU(), d, (*worker).round)
}

// onThread runs f on an operating system thread of its own, which ends with f.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // without unlocking, so that the thread ends
		f()
	}()
	<-done
}

// handOver makes buffers on one thread, uses them on a second and destroys them
// on a third.
func handOver(t *check.T, n int) {
	w := &worker{t: t, c: t.Client()}
	w.exe = t.Compile(w.c, check.AddOne)
	for range n {
		var in, out *capi.Buffer
		var got []float32
		var err error
		onThread(func() { in, err = w.upload([]float32{1, 2, 3, 4}) })
		if err == nil {
			onThread(func() { out, err = w.addOne(in) })
		}
		if err == nil {
			onThread(func() { got, err = w.download(out, 4) })
		}
		if err == nil {
			onThread(func() { err = w.destroy(in) })
		}
		if err == nil {
			onThread(func() { err = w.destroy(out) })
		}
		if err != nil {
			t.Fatalf("on another thread: %v", err)
		}
		if got[0] != 2 || got[3] != 5 {
			t.Fatalf("on another thread: expected [2 3 4 5], got %v", got)
		}
	}
}

func compileWhileRunning(t *check.T, d time.Duration) {
	c := t.Client()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var compiles atomic.Int64
	wg.Go(func() {
		for ; ; compiles.Add(1) {
			select {
			case <-stop:
				t.Notef("%d compiles meanwhile", compiles.Load())
				return
			default:
			}
			if err := compileOnce(t, t.CompileArgs(c, check.Pair, check.Devices(1, 1))); err != nil {
				t.Errorf("compile while programs run: %v", err)
				return
			}
		}
	})
	parallel(t, 2, d, (*worker).round)
	for compiles.Load() < leastCompiles && !t.Failed() && t.Context().Err() == nil {
		parallel(t, 2, 0, (*worker).round)
	}
	close(stop)
	wg.Wait()
}

// eventsInParallel waits for several events of one buffer at once, in every way there
// is, and destroys others.
func eventsInParallel(t *check.T, n int) {
	c := t.Client()
	for range n {
		p := t.NewPending(c, 4)
		var wg sync.WaitGroup
		for i := range 4 {
			e := check.Call(t, capi.BufferReadyEventArgs{Buffer: p.Buffer}).Event
			wg.Go(func() {
				defer check.Try(t, capi.EventDestroyArgs{Event: e})
				switch i {
				case 0:
					if _, err := check.Try(t, capi.EventAwaitArgs{Event: e}); err != nil {
						t.Errorf("await: %v", err)
					}
				case 1:
					called := make(chan struct{})
					fn, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
						if err := t.Table().TakeError(err); err != nil {
							t.Errorf("on ready: %v", err)
						}
						close(called)
					})
					if _, err := check.Try(t, capi.EventOnReadyArgs{Event: e, Callback: fn, UserArg: uintptr(handle)}); err != nil {
						handle.Delete()
						t.Errorf("on ready: %v", err)
						return
					}
					select {
					case <-called:
					case <-time.After(patience):
						t.Errorf("the callback of an event did not come in time")
					}
				case 2:
					for deadline := time.Now().Add(patience); ; runtime.Gosched() {
						ready, err := check.Try(t, capi.EventIsReadyArgs{Event: e})
						if err != nil {
							t.Errorf("is ready: %v", err)
							return
						}
						if ready.IsReady {
							return
						}
						if time.Now().After(deadline) {
							t.Errorf("an event was not ready in time")
							return
						}
					}
				}
			})
		}
		p.Fulfil()
		wg.Wait()
		check.Destroy(t, p.Buffer)
		check.Destroy(t, p.Manager)
		if t.Failed() {
			return
		}
	}
}

// perThread is how much memory a thread may leave behind: less than its stack or an
// arena of its own.
const perThread = 48 << 10

func shortLived(t *check.T, n int) {
	w := &worker{t: t, c: t.Client()}
	t.Flat(n, perThread, "an upload from a new thread", func() {
		var err error
		onThread(func() {
			var b *capi.Buffer
			if b, err = w.upload([]float32{1, 2, 3, 4}); err == nil {
				err = w.destroy(b)
			}
		})
		if err != nil {
			t.Fatalf("upload from a new thread: %v", err)
		}
	})
}

func foreignThreads(t *check.T, n int) {
	c := t.Client()
	for range n {
		p := t.NewPending(c, 4)
		e := t.Ready(p.Buffer)
		done := make(chan int, 1)
		fn, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
			if err := t.Table().TakeError(err); err != nil {
				t.Errorf("callback: %v", err)
			}
			// Go's runtime must cope with allocation, stack growth and a collection on
			// a thread that it did not make.
			runtime.GC()
			done <- deep(200)
		})
		if _, err := check.Try(t, capi.EventOnReadyArgs{Event: e, Callback: fn, UserArg: uintptr(handle)}); err != nil {
			handle.Delete()
			t.Fatalf("PJRT_Event_OnReady: %v", err)
		}
		p.Fulfil()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatalf("the callback did not come in time")
		}
		check.Destroy(t, p.Buffer)
		check.Destroy(t, p.Manager)
	}
}

// deep grows the stack.
func deep(n int) int {
	var frame [256]byte
	if n == 0 {
		return int(frame[0])
	}
	frame[n%256] = 1
	return deep(n-1) + int(frame[n%256])
}

// forkAndExec starts a program, which forks this process, and then continues to use the
// plugin.
func forkAndExec(t *check.T) {
	w := &worker{t: t, c: t.Client(), rand: rand.New(rand.NewPCG(1, 2))}
	w.exe = t.Compile(w.c, check.AddOne)
	path, err := exec.LookPath("true")
	if err != nil {
		t.SkipEnvf("there is no program called true to start: %v", err)
	}
	for range 5 {
		if err := exec.CommandContext(t.Context(), path).Run(); err != nil {
			t.Fatalf("a program could not be started with the plugin loaded: %v", err)
		}
		if err := w.round(); err != nil {
			t.Fatalf("after a fork: %v", err)
		}
	}
}
