// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// stackSize is the stack that callers from Go, Java and others may have for a call.
const stackSize = 256 << 10

// onSmallStack makes a call on a thread with a stack of stackSize. A PJRT function takes one
// pointer and returns one, just as the start routine of a thread does, so that the thread runs
// nothing else.
func onSmallStack[A any](t *check.T, args A) (A, error) {
	// One object on the heap, which does not move while other threads use it.
	held := &struct {
		args       A
		attributes [64]byte // at least the size of pthread_attr_t
		thread     uintptr
		result     *capi.ErrorHandle
	}{args: args}
	defer runtime.KeepAlive(held)
	f := check.FunctionOf[A]()
	*(*uintptr)(unsafe.Pointer(&held.args)) = f.Size // struct_size is the first field of all
	t.Require(f)
	slot := *(*uintptr)(unsafe.Add(unsafe.Pointer(t.Table().API()), f.Offset))
	call := func(name string, a ...uintptr) uintptr {
		f, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
		if err != nil {
			t.SkipEnvf("the C library has no %s: %v", name, err)
		}
		r, _, _ := purego.SyscallN(f, a...)
		return r
	}
	attr := uintptr(unsafe.Pointer(&held.attributes))
	if r := call("pthread_attr_init", attr); r != 0 {
		t.SkipEnvf("pthread_attr_init: error %d", r)
	}
	if r := call("pthread_attr_setstacksize", attr, stackSize); r != 0 {
		t.SkipEnvf("a stack of 256 KiB could not be made: error %d", r)
	}
	if r := call("pthread_create", uintptr(unsafe.Pointer(&held.thread)), attr, slot, uintptr(unsafe.Pointer(&held.args))); r != 0 {
		t.SkipEnvf("pthread_create: error %d", r)
	}
	if r := call("pthread_join", held.thread, uintptr(unsafe.Pointer(&held.result))); r != 0 {
		t.Fatalf("pthread_join: error %d", r)
	}
	return held.args, t.Table().TakeError(held.result)
}

// mustOnSmallStack is like onSmallStack, for a call that has to succeed.
func mustOnSmallStack[A any](t *check.T, args A) A {
	out, err := onSmallStack(t, args)
	if err != nil {
		t.Fatalf("%s on a thread with 256 KiB of stack: expected success, got %v", check.FunctionOf[A]().Name, err)
	}
	return out
}

// smallStack compiles on a small stack.
func smallStack(t *check.T) {
	args, err := onSmallStack(t, t.CompileArgs(t.Client(), check.Pair, check.Devices(1, 1)))
	if err != nil {
		t.Notef("refused: %v", err)
		return
	}
	if args.Executable == nil {
		t.Fatalf("PJRT_Client_Compile on a thread with 256 KiB of stack: success without an executable")
	}
	check.Own(t, args.Executable)
	out := t.Run(args.Executable, 2, check.Upload(t, t.Client(), []int32{1, 2, 3, 4, 5, 6}, 2, 3),
		check.Upload(t, t.Client(), []float32{3}, []int64{}...))
	check.ExpectBuffer(t, out[0], []int32{2, 4, 6, 8, 10, 12}, "a program that was compiled on a small stack")
}

// everydayOnSmallStack makes everyday calls, each on a small stack of its own.
func everydayOnSmallStack(t *check.T) {
	c := t.Client()
	exe := t.Compile(c, check.Heavy)
	const n = check.HeavyRows
	data := check.HeavyInput()
	await := func(e *capi.Event) { mustOnSmallStack(t, capi.EventAwaitArgs{Event: check.Own(t, e)}) }
	up := mustOnSmallStack(t, check.HostArgs(c, data, n, n))
	in := check.Own(t, up.Buffer)
	await(up.DoneWithHostBuffer)
	x := check.NewExecution(exe, 1, []*capi.Buffer{in})
	mustOnSmallStack(t, x.Args)
	out := check.Own(t, x.Outputs[0][0])
	await(x.Events[0])
	ready := mustOnSmallStack(t, capi.BufferReadyEventArgs{Buffer: out})
	await(ready.Event)
	got := make([]float32, n*n)
	t.Keep(got)
	down := mustOnSmallStack(t, capi.BufferToHostBufferArgs{
		Src: out, HostLayout: check.RowMajor(2), Dst: check.Pointer(got), DstSize: 4 * n * n,
	})
	await(down.Event)
	for i, want := range check.HeavyResult() {
		if got[i] != want {
			t.Fatalf("a program that was executed on a small stack: element %d: expected %v, got %v", i, want, got[i])
		}
	}
	runtime.KeepAlive(data)
	check.Disown(t, out)
	mustOnSmallStack(t, capi.BufferDestroyArgs{Buffer: out})
}

// stackOfThread returns the size of the calling thread's stack, or 0 if it is not known.
func stackOfThread() uintptr {
	held := new(struct {
		attributes [64]byte
		size       uintptr
	})
	defer runtime.KeepAlive(held)
	attr := uintptr(unsafe.Pointer(&held.attributes))
	call := func(name string, args ...uintptr) uintptr {
		f, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
		if err != nil {
			return 0
		}
		r, _, _ := purego.SyscallN(f, args...)
		return r
	}
	call("pthread_getattr_np", call("pthread_self"), attr)
	call("pthread_attr_getstacksize", attr, uintptr(unsafe.Pointer(&held.size)))
	return held.size
}
