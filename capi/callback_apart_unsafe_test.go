// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package capi_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// fallible is a kind of callback that can fail. make returns a function that calls the callback as
// C would, and returns the error that C gets; the callback runs hook. free ends the callback.
type fallible struct {
	name string
	make func(hook func()) (call func() *fakeError, free func())
}

// byError returns a call of a callback that returns its error, and the function that ends it.
func byError(h capi.Handle, call func(*capi.CallbackError) *capi.ErrorHandle) (func() *fakeError, func()) {
	return func() *fakeError {
		ce := newCallbackError()
		if call(ce) == nil || len(made) != 1 {
			return nil
		}
		return made[0]
	}, h.Delete
}

// byHeader returns a call of a function of a partitioner, and the function that ends it.
func byHeader(
	p capi.CustomCallPartitioner, call func(*capi.JAXCustomCallPartitionerCallbacks) *capi.JAXCustomCallPartitionerVersionAndError,
) (func() *fakeError, func()) {
	c := capi.NewCustomCallPartitioner(p)
	return func() *fakeError {
		h := call(c)
		defer h.CleanupFn.Call(h.Data)
		if !h.HasError {
			return nil
		}
		return &fakeError{code: h.Code, message: strings.Clone(text(h.ErrorMsg))}
	}, func() { c.Dtor.Call(c) }
}

func fallibles() []fallible {
	return []fallible{
		{"PJRT_SendCallback", func(hook func()) (func() *fakeError, func()) {
			f, h := capi.NewSendCallback(func(*capi.Chunk, uintptr, bool) error { hook(); return nil })
			return byError(h, func(ce *capi.CallbackError) *capi.ErrorHandle { return f.Call(&capi.Chunk{}, ce, 0, true, uintptr(h)) })
		}},
		{"PJRT_KeyValueGetCallback", func(hook func()) (func() *fakeError, func()) {
			f, h := capi.NewKeyValueGetCallback(func(string, time.Duration) ([]byte, error) { hook(); return nil, nil })
			return byError(h, func(ce *capi.CallbackError) *capi.ErrorHandle {
				return f.Call(&capi.KeyValueGetCallbackArgs{CallbackError: ce, UserArg: uintptr(h)})
			})
		}},
		{"PJRT_KeyValueTryGetCallback", func(hook func()) (func() *fakeError, func()) {
			f, h := capi.NewKeyValueTryGetCallback(func(string) ([]byte, error) { hook(); return nil, nil })
			return byError(h, func(ce *capi.CallbackError) *capi.ErrorHandle {
				return f.Call(&capi.KeyValueTryGetCallbackArgs{CallbackError: ce, UserArg: uintptr(h)})
			})
		}},
		{"PJRT_KeyValuePutCallback", func(hook func()) (func() *fakeError, func()) {
			f, h := capi.NewKeyValuePutCallback(func(string, []byte) error { hook(); return nil })
			return byError(h, func(ce *capi.CallbackError) *capi.ErrorHandle {
				return f.Call(&capi.KeyValuePutCallbackArgs{CallbackError: ce, UserArg: uintptr(h)})
			})
		}},
		{"JAX_CustomCallPartitioner_Callbacks.partition", func(hook func()) (func() *fakeError, func()) {
			return byHeader(capi.CustomCallPartitioner{Partition: func(capi.CustomCallPartition) (capi.PartitionedCustomCall, error) {
				hook()
				return capi.PartitionedCustomCall{}, nil
			}}, func(c *capi.JAXCustomCallPartitionerCallbacks) *capi.JAXCustomCallPartitionerVersionAndError {
				args := &capi.JAXCustomCallPartitionerPartitionArgs{}
				c.Partition.Call(c, args)
				return &args.Header
			})
		}},
		{"JAX_CustomCallPartitioner_Callbacks.infer_sharding", func(hook func()) (func() *fakeError, func()) {
			return byHeader(capi.CustomCallPartitioner{Infer: func(capi.CustomCallInference) ([]byte, error) { hook(); return nil, nil }},
				func(c *capi.JAXCustomCallPartitionerCallbacks) *capi.JAXCustomCallPartitionerVersionAndError {
					args := &capi.JAXCustomCallPartitionerInferShardingFromOperandsArgs{}
					c.InferSharding.Call(c, args)
					return &args.Header
				})
		}},
		{"JAX_CustomCallPartitioner_Callbacks.propagate_user_sharding", func(hook func()) (func() *fakeError, func()) {
			propagate := func(capi.CustomCallPropagation) ([]byte, error) { hook(); return nil, nil }
			return byHeader(capi.CustomCallPartitioner{Propagate: propagate},
				func(c *capi.JAXCustomCallPartitionerCallbacks) *capi.JAXCustomCallPartitionerVersionAndError {
					args := &capi.JAXCustomCallPartitionerPropagateUserShardingArgs{}
					c.PropagateUserSharding.Call(c, args)
					return &args.Header
				})
		}},
		{"PJRT_XlaTransform_Callbacks.transform_hlo_module", func(hook func()) (func() *fakeError, func()) {
			x := capi.NewXLATransform(capi.XLATransform{Transform: func([]byte) ([]byte, error) { hook(); return nil, nil }})
			return func() *fakeError {
				var got transformed
				got.read(call(x, "module"))
				if !got.failed {
					return nil
				}
				return &fakeError{code: got.code, message: got.text}
			}, func() { x.Dtor.Call(x) }
		}},
	}
}

// destructors returns the destructors of callbacks, which are told of their end by hook.
func destructors() []callback {
	return []callback{
		{"JAX_CustomCallPartitioner_Callbacks.dtor", true, func(hook func()) (func(), capi.Handle) {
			c := capi.NewCustomCallPartitioner(capi.CustomCallPartitioner{Deleted: hook})
			return func() { c.Dtor.Call(c) }, 0
		}},
		{"PJRT_XlaTransform_Callbacks.dtor", true, func(hook func()) (func(), capi.Handle) {
			x := capi.NewXLATransform(capi.XLATransform{Deleted: hook})
			return func() { x.Dtor.Call(x) }, 0
		}},
	}
}

// onCallersThread has the callbacks whose functions run on the thread that C called, and so must
// not end their goroutine.
var onCallersThread = map[string]bool{"PJRT_DeviceEvent_AndThen": true, "PJRT_HostMemoryAllocator deleter": true}

// threadEntry is the start routine of a thread that runs the func() of a handle.
var threadEntry = purego.NewCallback(func(h uintptr) uintptr {
	fn, _ := capi.Handle(h).Value()
	fn.(func())()
	return 0
})

// onThreadOfC runs fn on a thread that C has made.
func onThreadOfC(t *testing.T, fn func()) {
	h := capi.NewHandle(fn)
	defer h.Delete()
	thread := new(uintptr)
	r, _, _ := purego.SyscallN(libc(t, "pthread_create"), uintptr(unsafe.Pointer(thread)), 0, threadEntry, uintptr(h))
	require.Zero(t, r)
	r, _, _ = purego.SyscallN(libc(t, "pthread_join"), *thread, 0)
	require.Zero(t, r)
}

// onGoroutine runs fn in a goroutine, which fn may end.
func onGoroutine(_ *testing.T, fn func()) {
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	<-done
}

// endings makes a child process run the test below.
const endings = "CAPI_TEST_ENDINGS"

// A function that runs on the thread that C called would end the process there, so a child tries
// it.
func TestFunctionsThatCCallsMayEndTheirGoroutine(t *testing.T) {
	if os.Getenv(endings) != "" {
		for name, run := range map[string]func(*testing.T, func()){"goroutine": onGoroutine, "thread of C": onThreadOfC} {
			t.Run(name, func(t *testing.T) { testEndings(t, run) })
		}
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), endings+"=1")
	out, err := child.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulated program cannot start itself")
	}
	require.NoError(t, err, "%s", out)
}

// testEndings ends the goroutine of each function that a callback of C calls in run.
func testEndings(t *testing.T, run func(*testing.T, func())) {
	live := capi.LiveHandles()
	for _, k := range fallibles() {
		call, free := k.make(runtime.Goexit)
		var got *fakeError
		returned := false
		run(t, func() { got = call(); returned = true })
		assert.True(t, returned, k.name)
		if assert.NotNil(t, got, k.name) {
			assert.Equal(t, capi.ErrorCodeAborted, got.code, k.name)
			assert.Equal(t, k.name+": the function ended its goroutine without a result", got.message)
		}
		free()
		assert.Equal(t, live, capi.LiveHandles(), k.name)
	}
	for _, k := range append(kinds(), destructors()...) {
		if onCallersThread[k.name] {
			continue
		}
		log := captureLog(t)
		call, h := k.make(runtime.Goexit)
		returned := false
		run(t, func() { call(); returned = true })
		assert.True(t, returned, k.name)
		h.Delete()
		assert.Contains(t, log.String(), "ended its goroutine", k.name)
		assert.Contains(t, log.String(), k.name)
		assert.Equal(t, live, capi.LiveHandles(), k.name)
	}
}
