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

// smallStack compiles on a thread with a stack of 256 KiB. A PJRT function
// takes one pointer and returns one, just as the start routine of a thread
// does, so that the thread runs nothing else.
func smallStack(t *check.T) {
	// One object on the heap, which does not move while other threads use it.
	held := &struct {
		args       capi.ClientCompileArgs
		attributes [64]byte // at least what pthread_attr_t takes
		thread     uintptr
		result     *capi.ErrorHandle
	}{args: check.CompileArgs(t.Client(), check.Pair, check.Devices(1, 1))}
	defer runtime.KeepAlive(held)
	f := held.args.Function()
	held.args.StructSize = f.Size
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
	if r := call("pthread_attr_setstacksize", attr, 256<<10); r != 0 {
		t.SkipEnvf("a stack of 256 KiB could not be made: error %d", r)
	}
	if r := call("pthread_create", uintptr(unsafe.Pointer(&held.thread)), attr, slot, uintptr(unsafe.Pointer(&held.args))); r != 0 {
		t.SkipEnvf("pthread_create: error %d", r)
	}
	if r := call("pthread_join", held.thread, uintptr(unsafe.Pointer(&held.result))); r != 0 {
		t.Fatalf("pthread_join: error %d", r)
	}
	if err := t.Table().TakeError(held.result); err != nil {
		t.Notef("refused: %v", err)
		return
	}
	if held.args.Executable == nil {
		t.Fatalf("PJRT_Client_Compile on a thread with 256 KiB of stack: success without an executable")
	}
	check.Own(t, held.args.Executable)
	out := t.Run(held.args.Executable, 2, check.Upload(t, t.Client(), []int32{1, 2, 3, 4, 5, 6}, 2, 3),
		check.Upload(t, t.Client(), []float32{3}, []int64{}...))
	check.ExpectBuffer(t, out[0], []int32{2, 4, 6, 8, 10, 12}, "a program that was compiled on a small stack")
}
