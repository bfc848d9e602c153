// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package ccall_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// frame is a call with an args struct like those of PJRT.
type frame struct {
	ccall.Frame
	Args struct {
		Size uintptr
		In   *[4]uint64
		Out  uint64
	}
}

func TestTheStructLiesDirectlyBehindTheFrame(t *testing.T) {
	assert.Equal(t, ccall.FrameSize, unsafe.Offsetof(frame{}.Args))
	assert.EqualValues(t, 16, ccall.FrameSize, "the trampolines add this as a literal")
}

// callee makes a C function from fn, which gets the address after the frame.
func callee(fn func(args uintptr) uintptr) uintptr { return purego.NewCallback(fn) }

func TestInvokePassesTheStructAndKeepsAll64BitsOfTheResult(t *testing.T) {
	var got uintptr
	f := new(frame)
	f.Code = callee(func(args uintptr) uintptr {
		got = args
		return 0xfeedfacecafebeef
	})
	ccall.Invoke(unsafe.Pointer(&f.Frame))
	assert.Equal(t, uintptr(unsafe.Pointer(&f.Args)), got)
	assert.Equal(t, uintptr(0xfeedfacecafebeef), f.Ret)
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

var sink atomic.Uint64

// If the frame were on the goroutine's stack, a callback could move the stack, and C would write
// its results to the old place.
func TestResultsArriveAlthoughACallbackMovesTheStack(t *testing.T) {
	write := callee(func(args uintptr) uintptr {
		sink.Add(uint64(grow(512)))
		a := (*struct {
			size uintptr
			in   *[4]uint64
			out  uint64
		})(*(*unsafe.Pointer)(unsafe.Pointer(&args)))
		a.out = a.in[0] + 0xfeed
		return 0x1234
	})
	for range 100 {
		done := make(chan [2]uint64)
		go func() { // a fresh, small stack
			var f frame // escapes to the heap, since Invoke says so
			f.Code = write
			f.Args.In = &[4]uint64{1}
			ccall.Invoke(unsafe.Pointer(&f.Frame))
			done <- [2]uint64{uint64(f.Ret), f.Args.Out}
		}()
		require.Equal(t, [2]uint64{0x1234, 0xfeee}, <-done)
	}
}

// Objects that only the frame points to must survive garbage collections during the call.
func TestWhatTheFramePointsToLivesAsLongAsTheCall(t *testing.T) {
	var freed atomic.Bool
	sum := callee(func(args uintptr) uintptr {
		for range 5 {
			runtime.GC()
			sink.Add(uint64(len(make([]byte, 1<<16))))
		}
		if freed.Load() {
			return 0
		}
		a := *(**frameArgs)(unsafe.Pointer(&args))
		return uintptr(a.in[0] + a.in[1] + a.in[2] + a.in[3])
	})
	f := new(frame)
	f.Code = sum
	f.Args.In = &[4]uint64{1, 2, 3, 4}
	runtime.AddCleanup(f.Args.In, func(int) { freed.Store(true) }, 0)
	ccall.Invoke(unsafe.Pointer(&f.Frame))
	assert.EqualValues(t, 10, f.Ret)
}

type frameArgs struct {
	size   uintptr
	in     *[4]uint64
	result uint64
}

func TestInvokePureCallsC(t *testing.T) {
	strlen := libc(t, "strlen")
	type call struct {
		ccall.Frame
		Args [64]byte
	}
	c := new(call)
	c.Code = strlen
	for n := range 60 {
		c.Args = [64]byte{}
		for i := range n {
			c.Args[i] = 'x'
		}
		ccall.InvokePure(unsafe.Pointer(&c.Frame))
		require.EqualValues(t, n, c.Ret)
	}
}

func TestCallNPassesEveryWordInOrder(t *testing.T) {
	var got [9]uintptr
	fn := purego.NewCallback(func(a, b, c, d, e, f, g, h, i uintptr) uintptr {
		got = [9]uintptr{a, b, c, d, e, f, g, h, i}
		return a ^ i
	})
	r, _ := ccall.CallN(fn, 1, 2, 3, 4, 5, 6, 7, 8, 1<<63)
	assert.Equal(t, [9]uintptr{1, 2, 3, 4, 5, 6, 7, 8, 1 << 63}, got)
	assert.Equal(t, uintptr(1<<63|1), r)
}

func TestInvokeDoesNotAllocate(t *testing.T) {
	type call struct {
		ccall.Frame
		Args [64]byte
	}
	c := new(call)
	c.Code = libc(t, "strlen")
	assert.Zero(t, testing.AllocsPerRun(1000, func() { ccall.Invoke(unsafe.Pointer(&c.Frame)) }))
	assert.Zero(t, testing.AllocsPerRun(1000, func() { ccall.InvokePure(unsafe.Pointer(&c.Frame)) }))
}

func TestAChainMakesItsCallsUntilOneFails(t *testing.T) {
	var made []uintptr
	result := uintptr(0)
	fn := callee(func(args uintptr) uintptr {
		a := *(**frameArgs)(unsafe.Pointer(&args))
		made = append(made, a.size)
		a.result = uint64(a.size) + 100
		if a.size == result {
			return 7
		}
		return 0
	})
	type call struct {
		ccall.Frame
		Args frameArgs
	}
	var calls [ccall.ChainLength]*call
	c := new(ccall.Chain)
	for i := range calls {
		calls[i] = new(call)
		calls[i].Code, calls[i].Args.size = fn, uintptr(i+1)
		c.Links[i].Frame = &calls[i].Frame
	}
	// The second call takes the first one's result as its input, and the third takes zero.
	c.Links[1].From, c.Links[1].To = unsafe.Pointer(&calls[0].Args.result), unsafe.Pointer(&calls[1].Args.size)
	none := new(uintptr)
	c.Links[2].From, c.Links[2].To = unsafe.Pointer(none), unsafe.Pointer(&calls[2].Args.size)
	for _, want := range []struct {
		failing uintptr
		calls   []uintptr
		made    uintptr
	}{
		{0, []uintptr{1, 101, 4, 5, 6, 7, 8}, 8},
		{1, []uintptr{1}, 0},
		{101, []uintptr{1, 101}, 1},
		{8, []uintptr{1, 101, 4, 5, 6, 7, 8}, 7},
	} {
		made, result = nil, want.failing
		c.Left, c.Made = ccall.ChainLength, 0
		ccall.InvokeChain(c)
		assert.Equal(t, want.calls, made)
		assert.Equal(t, want.made, c.Made)
	}
	assert.EqualValues(t, 7, calls[7].Ret)
	assert.Zero(t, calls[2].Ret)
	calls[0].Code, calls[0].Args.size = libc(t, "strlen"), 0 // the length of no text
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		c.Left, c.Made = 1, 0
		ccall.InvokeChain(c)
	}))
}
