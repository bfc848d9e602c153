// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"log/slog"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// collect keeps the garbage collector running until the test ends.
func collect(t *testing.T) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				garbage(1 << 14)
				runtime.GC()
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
}

var junk atomic.Pointer[[]*[64]byte]

// garbage allocates about n bytes in small pieces with a pattern in them.
func garbage(n int) {
	list := make([]*[64]byte, n/64)
	for i := range list {
		list[i] = new([64]byte)
		for j := range list[i] {
			list[i][j] = 0xee
		}
	}
	junk.Store(&list)
}

// onReady registers fn.
func (p *plugin) onReady(t testing.TB, e *capi.Event, fn func(*capi.ErrorHandle)) {
	t.Helper()
	callback, h := capi.NewEventOnReadyCallback(fn)
	do(t, p, capi.EventOnReadyArgs{Event: e, Callback: callback, UserArg: uintptr(h)})
}

func TestCallbacksFromThreadsOfThePluginUnderCollections(t *testing.T) {
	r := newRig(t)
	live := capi.LiveHandles()
	collect(t)
	const perDevice = 40
	var pending, ran, failed atomic.Int64
	var wg sync.WaitGroup
	var exes [4]*capi.LoadedExecutable
	for d := range exes {
		// device_assignment of one replica and one partition on device d
		options := append([]byte{0x1a, 15, 0x20, 1, 0x28, 1, 0x4a, 9}, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, byte(d))
		exes[d] = r.compile(t, heavyProgram, options)
	}
	for d, exe := range exes {
		in := r.upload(t, d, make([]float32, 256*256), 256, 256)
		t.Cleanup(func() { r.destroy(t, in) })
		wg.Go(func() {
			for range perDevice {
				x := newExecution(exe, 1, []*capi.Buffer{in})
				if _, err := try(r.plugin, x.args); err != nil {
					t.Error(err)
					return
				}
				ready, err := try(r.plugin, capi.EventIsReadyArgs{Event: x.events[0]})
				if err != nil {
					t.Error(err)
				}
				if !ready.IsReady {
					pending.Add(1)
				}
				done := make(chan struct{})
				r.onReady(t, x.events[0], func(e *capi.ErrorHandle) {
					garbage(1 << 12)
					if e != nil {
						failed.Add(1)
					}
					ran.Add(1)
					close(done)
				})
				// An event may be destroyed before it is ready. Its callback is still called.
				_, err = try(r.plugin, capi.EventDestroyArgs{Event: x.events[0]})
				assert.NoError(t, err)
				<-done
				_, err = try(r.plugin, capi.BufferDestroyArgs{Buffer: x.outputs[0][0]})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 4*perDevice, ran.Load())
	assert.Zero(t, failed.Load())
	assert.NotZero(t, pending.Load(), "no callback came from a thread of the plugin: the program is too fast")
	assert.Equal(t, live, capi.LiveHandles())
}

// Waiting with callbacks takes only goroutines. Waiting in the plugin takes a thread for each wait,
// and a Go process is limited to ten thousand threads.
func TestManyGoroutinesWaitOnOneEventWithoutThreads(t *testing.T) {
	r := newRig(t)
	live := capi.LiveHandles()
	e, fulfil := r.pendingEvent(t)
	threads := pprof.Lookup("threadcreate").Count()
	const n = 20000
	var wg sync.WaitGroup
	var registered atomic.Int64
	for range n {
		wg.Go(func() {
			done := make(chan struct{})
			r.onReady(t, e, func(*capi.ErrorHandle) { close(done) })
			registered.Add(1)
			<-done
		})
	}
	for registered.Load() < n {
		time.Sleep(time.Millisecond)
	}
	assert.Equal(t, live+n, capi.LiveHandles())
	fulfil()
	wg.Wait()
	assert.Less(t, pprof.Lookup("threadcreate").Count()-threads, 100)
	assert.Equal(t, live, capi.LiveHandles())
	do(t, r.plugin, capi.EventDestroyArgs{Event: e})
}

// A callback on an event that is ready runs inside PJRT_Event_OnReady, on the
// stack of the goroutine. It may move that stack and use the plugin.
func TestACallbackMayUseThePlugin(t *testing.T) {
	r := newRig(t)
	exe := r.compile(t, addProgram, oneDevice)
	a := r.upload(t, 0, []float32{1, 2, 3, 4})
	defer r.destroy(t, a)
	e := do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: a}).Event
	do(t, r.plugin, capi.EventAwaitArgs{Event: e})
	for range 20 {
		got := make(chan []float32, 1)
		go func() { // on a fresh, small stack
			r.onReady(t, e, func(*capi.ErrorHandle) {
				grow(256)
				out := newExecution(exe, 1, []*capi.Buffer{a, a}).run(t, r)[0][0]
				got <- download[float32](t, r, out)
				r.destroy(t, out)
			})
		}()
		require.Equal(t, []float32{2, 4, 6, 8}, <-got)
	}
	do(t, r.plugin, capi.EventDestroyArgs{Event: e})
}

// grow uses n KiB of stack, so that the goroutine's stack is copied elsewhere.
//
//go:noinline
func grow(n int) byte {
	var page [1024]byte
	page[n%len(page)] = byte(n)
	if n > 0 {
		page[0] += grow(n - 1)
	}
	return page[0] + page[n%len(page)]
}

// lineWriter sends each write to a channel.
type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// A panic on a thread of the plugin would end the process.
func TestAPanicInACallbackIsOnlyLogged(t *testing.T) {
	r := newRig(t)
	lines := make(lineWriter, 1)
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(lines, nil)))
	defer slog.SetDefault(old)
	exe := r.compile(t, heavyProgram, oneDevice)
	in := r.upload(t, 0, make([]float32, 256*256), 256, 256)
	x := newExecution(exe, 1, []*capi.Buffer{in})
	do(t, r.plugin, x.args)
	r.onReady(t, x.events[0], func(*capi.ErrorHandle) { panic("out of luck") })
	assert.Contains(t, <-lines, "panic=\"out of luck\"")
	require.NoError(t, r.wait(t, x.events[0]))
	r.destroy(t, in, x.outputs[0][0])
}

// The garbage collector waits for getters, which take the short path into C. If the plugin held a
// lock that getters need while it calls back into Go, and the callback waited for a garbage
// collection, there would be a deadlock.
func TestGettersAndCallbacksDoNotBlockEachOther(t *testing.T) {
	if !isolated(t) {
		return
	}
	r := newRig(t)
	collect(t)
	for range 50 {
		b, m := r.pendingBuffer(t, 4)
		e := do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: b}).Event
		called := make(chan struct{})
		r.onReady(t, e, func(*capi.ErrorHandle) {
			garbage(1 << 14)
			runtime.GC()
			close(called)
		})
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerBufferSizeArgs{TransferManager: m})
					do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerBufferCountArgs{TransferManager: m})
					do(t, r.plugin, capi.BufferIsDeletedArgs{Buffer: b})
					do(t, r.plugin, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b})
					do(t, r.plugin, capi.EventIsReadyArgs{Event: e})
				}
			}
		})
		data := []float32{1, 2, 3, 4}
		out := do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerTransferDataArgs{TransferManager: m, Data: pointer(data),
			TransferSize: 16, IsLastTransfer: true})
		require.NoError(t, r.wait(t, out.DoneWithH2dTransfer))
		<-called
		close(stop)
		wg.Wait()
		do(t, r.plugin, capi.EventDestroyArgs{Event: e})
		do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: m})
		r.destroy(t, b)
	}
}
