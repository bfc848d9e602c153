// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"bytes"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// captureLog collects what is logged until the test ends.
func captureLog(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	return &log
}

// collect runs the garbage collector, and overwrites the freed memory, so that memory which only C
// uses does not survive by luck.
func collect() {
	for range 3 {
		runtime.GC()
		_ = bytes.Repeat([]byte{0xee}, 1<<16)
	}
}

// callback is a kind of callback without a result. make returns a function that calls the callback
// as C would; the callback runs hook.
type callback struct {
	name string
	once bool // the handle ends with the first call
	make func(hook func()) (call func(), h capi.Handle)
}

func kinds() []callback {
	return []callback{
		{"PJRT_RecvCallback", false, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewRecvCallback(func(*capi.CopyToDeviceStream) { hook() })
			return func() { f.Call(nil, uintptr(h)) }, h
		}},
		{"PJRT_HloOutputCallback", false, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewHLOOutputCallback(func(capi.HLOOutput) { hook() })
			return func() { f.Call(0, 0, nil, nil, 0, capi.BufferTypeF32, 0, uintptr(h)) }, h
		}},
		{"PJRT_Callback_Function", false, func(hook func()) (func(), capi.Handle) {
			args := &capi.CallbackPrefatalArgs{}
			f, h := capi.NewCallbackFunction(func(a unsafe.Pointer) {
				if a != unsafe.Pointer(args) {
					panic("other arguments")
				}
				hook()
			})
			return func() { f.Call(unsafe.Pointer(args), uintptr(h)) }, h
		}},
		{"PJRT_Megascale_ErrorHandler", false, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewMegascaleErrorHandler(func(b []byte) {
				if string(b) != "a\x00b" {
					panic("other bytes")
				}
				hook()
			})
			p, n := capi.StringData("a\x00b")
			return func() { f.Call(p, n, uintptr(h)) }, h
		}},
		{"PJRT_DeviceEvent_AndThen", true, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewDeviceEventAndThen(hook)
			return func() { f.Call(uintptr(h)) }, h
		}},
		{"allocation_event_callback", true, func(hook func()) (func(), capi.Handle) {
			e := (&fakeError{}).handle()
			f, h := capi.NewRawBufferAllocationCallback(func(got *capi.ErrorHandle) {
				if got != e {
					panic("another error")
				}
				hook()
			})
			return func() { f.Call(e, uintptr(h)) }, h
		}},
		{"PJRT_HostMemoryAllocator deleter", true, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewHostMemoryDeleter(hook)
			memory := make([]byte, 8)
			return func() { f.Call(unsafe.Pointer(&memory[0]), uintptr(h)) }, h
		}},
		{"PJRT_Transfers_CrossHostRecvNotifier", true, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewCrossHostRecvNotifier(func(capi.CrossHostReceive) { hook() })
			return func() { f.Notifier.Call(nil, nil, nil, 0, f.UserArg, 0, 0) }, h
		}},
		{"PJRT_Transfers_CrossHostOnCanceledCallback", true, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewCrossHostOnCanceledCallback(func(e *capi.ErrorHandle) { hook() })
			return func() { f.Call(nil, uintptr(h)) }, h
		}},
		{"PJRT_Transfers_CrossHostSendCancelNotifier", false, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewCrossHostSendCancelNotifier(func(capi.CrossHostCancelRequest) { hook() })
			return func() { f.Call(nil, 0, capi.ErrorCodeAborted, nil, 0, 0, 0, uintptr(h)) }, h
		}},
		{"PJRT_Transfers_CrossHostRemoteSendCallback", true, func(hook func()) (func(), capi.Handle) {
			e := (&fakeError{}).handle()
			f, h := capi.NewCrossHostRemoteSendCallback(func(got *capi.ErrorHandle, enqueued bool) {
				if got != e || !enqueued {
					panic("other arguments")
				}
				hook()
			})
			return func() { f.OnDone.Call(e, true, f.UserArg) }, h
		}},
		{"deleter of a handle", true, func(hook func()) (func(), capi.Handle) {
			f, h := capi.NewMemoryUserData(releaser(hook))
			return func() { f.Call(uintptr(h)) }, h
		}},
	}
}

// releaser is a value that runs a function when C releases it.
type releaser func()

func (r releaser) Release() { r() }

func TestExtensionCallbacksReachTheirFunction(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			log := captureLog(t)
			live := capi.LiveHandles()
			n := 0
			call, h := k.make(func() { n++ })
			assert.Equal(t, live+1, capi.LiveHandles())
			collect()
			call()
			call()
			if k.once {
				assert.Equal(t, 1, n)
			} else {
				assert.Equal(t, 2, n)
				assert.Equal(t, live+1, capi.LiveHandles())
			}
			h.Delete()
			assert.Equal(t, live, capi.LiveHandles())
			before := n
			call()
			assert.Equal(t, before, n, "called after the handle was deleted")
			assert.Empty(t, log.String())
		})
	}
}

func TestAPanicInAnExtensionCallbackIsLogged(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			log := captureLog(t)
			call, h := k.make(func() { panic("no such thing") })
			call()
			h.Delete()
			assert.Contains(t, log.String(), "no such thing")
			assert.Contains(t, log.String(), k.name)
			assert.Equal(t, 1, strings.Count(log.String(), "level=ERROR"))
		})
	}
}

func TestExtensionCallbacksOfAKindShareAnEntryPoint(t *testing.T) {
	a, h := capi.NewDeviceEventAndThen(func() {})
	h.Delete()
	b, h := capi.NewDeviceEventAndThen(func() {})
	h.Delete()
	assert.Equal(t, a, b)
	assert.Equal(t, capi.NewXLATransform(capi.XLATransform{}).Dtor, capi.NewXLATransform(capi.XLATransform{}).Dtor)
}

func TestUserDataIsAHandle(t *testing.T) {
	live := capi.LiveHandles()
	u, h := capi.NewFFIUserData(7, "value")
	assert.EqualValues(t, 7, u.TypeID)
	v, ok := capi.Handle(u.Data).Value()
	assert.True(t, ok)
	assert.Equal(t, "value", v)
	info := capi.NewFFITypeInfo()
	assert.Zero(t, info.Serialize)
	assert.Zero(t, info.Deserialize)
	info.Deleter.Call(u.Data)
	info.Deleter.Call(u.Data)
	_, ok = h.Value()
	assert.False(t, ok)
	assert.Equal(t, live, capi.LiveHandles())
}

func TestAReceiveNotifierCopiesTheDescriptors(t *testing.T) {
	var got capi.CrossHostReceive
	n, _ := capi.NewCrossHostRecvNotifier(func(r capi.CrossHostReceive) { got = r })
	first, second := []byte("first"), []byte("2nd")
	list, sizes := []*byte{&first[0], &second[0], nil}, []uintptr{5, 3, 0}
	var request capi.CrossHostCancelRequest
	cancel, h := capi.NewCrossHostSendCancelNotifier(func(r capi.CrossHostCancelRequest) { request = r })
	defer h.Delete()
	n.Notifier.Call(nil, &list[0], &sizes[0], 3, n.UserArg, cancel, uintptr(h))
	first[0], second[0] = 'x', 'x'
	assert.Nil(t, got.Err)
	assert.Equal(t, [][]byte{[]byte("first"), []byte("2nd"), nil}, got.Descriptors)

	live := capi.LiveHandles()
	var done []*capi.ErrorHandle
	assert.True(t, got.Cancel.Cancel(got.Descriptors[1], capi.ErrorCodeUnavailable, "sender died", func(e *capi.ErrorHandle) { done = append(done, e) }))
	assert.Equal(t, "2nd", string(request.Descriptor))
	assert.Equal(t, capi.ErrorCodeUnavailable, request.Reason)
	assert.Equal(t, "sender died", request.Message)
	assert.Empty(t, done)
	e := (&fakeError{}).handle()
	request.Done(e)
	request.Done(e)
	assert.Equal(t, []*capi.ErrorHandle{e}, done)
	assert.True(t, got.Cancel.Cancel(nil, capi.ErrorCodeCancelled, "", nil))
	request.Done(nil)
	assert.Equal(t, live, capi.LiveHandles())
	assert.False(t, capi.CrossHostCancel{}.Cancel(nil, capi.ErrorCodeCancelled, "", nil), "no notifier to call")
	capi.CrossHostCancelRequest{}.Done(nil)

	// A failure has no descriptors, whatever is in the arrays.
	n, _ = capi.NewCrossHostRecvNotifier(func(r capi.CrossHostReceive) { got = r })
	n.Notifier.Call(e, &list[0], &sizes[0], 3, n.UserArg, 0, 0)
	assert.Same(t, e, got.Err)
	assert.Empty(t, got.Descriptors)
}

func TestADescriptorLivesUntilThePluginFreesIt(t *testing.T) {
	log := captureLog(t)
	var args capi.TransfersBufferCopyToRemoteDeviceArgs
	func() {
		d := capi.NewCrossHostDescriptor()
		d.Fields(&args)
		d.Set([]byte("where to"))
	}()
	// From here on there are only integers, which keep nothing alive.
	data, size := uintptr(unsafe.Pointer(args.SerializedDescriptor)), uintptr(unsafe.Pointer(args.SerializedDescriptorSize))
	free := args.DescriptorDestructor
	args = capi.TransfersBufferCopyToRemoteDeviceArgs{}
	collect()
	p, n := *(***byte)(unsafe.Pointer(&data)), *(**uintptr)(unsafe.Pointer(&size))
	assert.Equal(t, "where to", capi.String(*p, *n))
	free.Call(p, n)
	assert.Empty(t, log.String())
	free.Call(p, n)
	assert.Contains(t, log.String(), "or freed it twice")

	d := capi.NewCrossHostDescriptor()
	d.Fields(&args)
	d.Delete()
	log.Reset()
	free.Call(args.SerializedDescriptor, args.SerializedDescriptorSize)
	assert.Contains(t, log.String(), "does not exist")
}

// call calls an XLA transform as a plugin does.
func call(c *capi.XLATransformCallbacks, module string) *capi.XLATransformArgs {
	a := &capi.XLATransformArgs{StructSize: capi.XLATransformArgsSize}
	a.Header.APIVersion = capi.XLATransformExtensionVersion
	a.HLOModule.Data, a.HLOModule.Size = capi.StringData(module)
	c.TransformHLOModule.Call(c, a)
	collect()
	return a
}

func (f *transformed) read(a *capi.XLATransformArgs) {
	*f = transformed{
		changed: a.Changed, module: capi.String(a.TransformedHLOModule.Data, a.TransformedHLOModule.Size),
		failed: a.Header.HasError, code: a.Header.Code, text: capi.String(a.Header.ErrorMsg.Data, a.Header.ErrorMsg.Size),
	}
	a.Header.CleanupFn.Call(a.Header.Data)
}

type transformed struct {
	changed bool
	module  string
	failed  bool
	code    capi.ErrorCode
	text    string
}

func TestXLATransformPassesThePrograms(t *testing.T) {
	live := capi.LiveHandles()
	cases := map[string]struct {
		fn   func([]byte) ([]byte, error)
		want transformed
	}{
		"changed":   {func(m []byte) ([]byte, error) { return append(m, " and more"...), nil }, transformed{changed: true, module: "module and more"}},
		"unchanged": {func([]byte) ([]byte, error) { return nil, nil }, transformed{}},
		"none":      {nil, transformed{}},
		"emptied":   {func([]byte) ([]byte, error) { return []byte{}, nil }, transformed{changed: true}},
		"error": {func([]byte) ([]byte, error) {
			return nil, &capi.Error{Code: capi.ErrorCodeOutOfRange, Message: "too long"}
		}, transformed{failed: true, code: capi.ErrorCodeOutOfRange, text: "too long"}},
		"plain": {func([]byte) ([]byte, error) { return []byte("x"), errors.New("no") }, transformed{failed: true, code: capi.ErrorCodeUnknown, text: "no"}},
		"ok":    {func([]byte) ([]byte, error) { return nil, capi.ErrorCodeOK }, transformed{failed: true, code: capi.ErrorCodeUnknown, text: "OK"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			deleted := 0
			x := capi.NewXLATransform(capi.XLATransform{Transform: c.fn, Deleted: func() { deleted++ }})
			assert.EqualValues(t, capi.XLATransformExtensionVersion, x.Version)
			var got transformed
			got.read(call(x, "module"))
			assert.Equal(t, c.want, got)
			assert.Equal(t, live, capi.LiveHandles(), "the cleanup function frees the results")
			x.Dtor.Call(x)
			x.Dtor.Call(x)
			assert.Equal(t, 1, deleted)
			got.read(call(x, "module"))
			assert.Equal(t, transformed{failed: true, code: capi.ErrorCodeFailedPrecondition, text: "PJRT_XlaTransform_Callbacks.transform_hlo_module was called after its destructor"}, got)
		})
	}
}

func TestXLATransformThatPanicsOrGetsTooShortArguments(t *testing.T) {
	log := captureLog(t)
	x := capi.NewXLATransform(capi.XLATransform{Transform: func([]byte) ([]byte, error) { panic("bad module") }, Deleted: func() { panic("bad end") }})
	var got transformed
	got.read(call(x, "module"))
	assert.True(t, got.failed)
	assert.Equal(t, capi.ErrorCodeInternal, got.code)
	assert.Contains(t, got.text, "panic in PJRT_XlaTransform_Callbacks.transform_hlo_module: bad module")
	short := &capi.XLATransformArgs{StructSize: capi.XLATransformArgsSize - 1}
	x.TransformHLOModule.Call(x, short)
	got.read(short)
	assert.Equal(t, capi.ErrorCodeInvalidArgument, got.code)
	x.Dtor.Call(x)
	assert.Contains(t, log.String(), "bad end")
}

func TestXLATransformStaysAliveWithoutItsMaker(t *testing.T) {
	address := func() uintptr {
		return uintptr(unsafe.Pointer(capi.NewXLATransform(capi.XLATransform{Transform: func(m []byte) ([]byte, error) { return m, nil }})))
	}()
	collect()
	x := *(**capi.XLATransformCallbacks)(unsafe.Pointer(&address))
	var got transformed
	got.read(call(x, "module"))
	assert.Equal(t, transformed{changed: true, module: "module"}, got)
	x.Dtor.Call(x)
}

func partitionerString(s string) (p capi.JAXCustomCallPartitionerString) {
	p.Data, p.Size = capi.StringData(s)
	return p
}

func text(s capi.JAXCustomCallPartitionerString) string { return capi.String(s.Data, s.Size) }

func partitionArgs() *capi.JAXCustomCallPartitionerPartitionArgs {
	operands := []capi.JAXCustomCallPartitionerAval{
		{Shape: partitionerString("shape0"), HasSharding: true, Sharding: partitionerString("sharding0")},
		{Shape: partitionerString("shape1"), Sharding: partitionerString("garbage")},
	}
	return &capi.JAXCustomCallPartitionerPartitionArgs{
		NumArgs: 2, OpArgs: &operands[0], BackendConfig: partitionerString("config"),
		OpResult: capi.JAXCustomCallPartitionerAval{Shape: partitionerString("shape"), HasSharding: true},
	}
}

var operands = []capi.CustomCallArray{{Shape: []byte("shape0"), Sharding: []byte("sharding0"), Sharded: true}, {Shape: []byte("shape1")}}

func TestPartitionerSplitsACustomCall(t *testing.T) {
	live := capi.LiveHandles()
	deleted := 0
	c := capi.NewCustomCallPartitioner(capi.CustomCallPartitioner{
		Partition: func(p capi.CustomCallPartition) (capi.PartitionedCustomCall, error) {
			assert.Equal(t, capi.CustomCallPartition{Operands: operands,
				Result: capi.CustomCallArray{Shape: []byte("shape"), Sharded: true}, BackendConfig: []byte("config")}, p)
			return capi.PartitionedCustomCall{Module: bytes.Repeat([]byte("m"), 3), Operands: [][]byte{[]byte("s0"), nil}, Result: []byte("r")}, nil
		},
		Infer: func(p capi.CustomCallInference) ([]byte, error) {
			assert.Equal(t, capi.CustomCallInference{Operands: operands, ResultShape: []byte("shape"), BackendConfig: []byte("config")}, p)
			return []byte("inferred"), nil
		},
		Propagate: func(p capi.CustomCallPropagation) ([]byte, error) {
			assert.Equal(t, capi.CustomCallPropagation{ResultShape: []byte("shape"), ResultSharding: []byte("asked"), BackendConfig: []byte("config")}, p)
			return []byte("better"), nil
		},
		ReplicateSideEffects: true,
		Deleted:              func() { deleted++ },
	})
	assert.EqualValues(t, capi.CustomPartitionerExtensionVersion, c.Version)
	assert.True(t, c.CanSideEffectingHaveReplicatedSharding)
	p := partitionArgs()
	c.Partition.Call(c, p)
	collect()
	require.False(t, p.Header.HasError)
	assert.Equal(t, "mmm", text(p.MLIRModule))
	shardings := unsafe.Slice(p.ArgsSharding, 2)
	assert.Equal(t, []string{"s0", ""}, []string{text(shardings[0]), text(shardings[1])})
	assert.Equal(t, "r", text(p.ResultSharding))
	p.Header.CleanupFn.Call(p.Header.Data)

	i := &capi.JAXCustomCallPartitionerInferShardingFromOperandsArgs{NumArgs: 2, OpArgs: partitionArgs().OpArgs,
		ResultShape: partitionerString("shape"), BackendConfig: partitionerString("config")}
	c.InferSharding.Call(c, i)
	collect()
	assert.True(t, i.HasResultSharding)
	assert.Equal(t, "inferred", text(i.ResultSharding))
	i.Header.CleanupFn.Call(i.Header.Data)

	u := &capi.JAXCustomCallPartitionerPropagateUserShardingArgs{ResultShape: partitionerString("shape"),
		ResultSharding: partitionerString("asked"), BackendConfig: partitionerString("config")}
	c.PropagateUserSharding.Call(c, u)
	collect()
	assert.Equal(t, "better", text(u.ResultSharding))
	u.Header.CleanupFn.Call(u.Header.Data)
	assert.Equal(t, live, capi.LiveHandles())

	c.Dtor.Call(c)
	c.Dtor.Call(c)
	assert.Equal(t, 1, deleted)
	c.Partition.Call(c, p)
	assert.True(t, p.Header.HasError)
	assert.Equal(t, capi.ErrorCodeFailedPrecondition, p.Header.Code)
	p.Header.CleanupFn.Call(p.Header.Data)
}

func TestPartitionerWithoutFunctions(t *testing.T) {
	c := capi.NewCustomCallPartitioner(capi.CustomCallPartitioner{})
	defer c.Dtor.Call(c)
	p := partitionArgs()
	c.Partition.Call(c, p)
	assert.Equal(t, capi.ErrorCodeUnimplemented, p.Header.Code)
	p.Header.CleanupFn.Call(p.Header.Data)
	i := &capi.JAXCustomCallPartitionerInferShardingFromOperandsArgs{HasResultSharding: true}
	c.InferSharding.Call(c, i)
	assert.False(t, i.Header.HasError)
	assert.False(t, i.HasResultSharding)
	u := &capi.JAXCustomCallPartitionerPropagateUserShardingArgs{ResultSharding: partitionerString("asked")}
	c.PropagateUserSharding.Call(c, u)
	assert.False(t, u.Header.HasError)
	assert.Equal(t, "asked", text(u.ResultSharding))
	for _, h := range []capi.JAXCustomCallPartitionerVersionAndError{i.Header, u.Header} {
		require.NotZero(t, h.CleanupFn, "XLA calls it without asking")
		h.CleanupFn.Call(h.Data)
	}
}

func TestPartitionerErrorsGoToTheHeader(t *testing.T) {
	live := capi.LiveHandles()
	cases := map[string]struct {
		fn   func(capi.CustomCallPartition) (capi.PartitionedCustomCall, error)
		code capi.ErrorCode
		text string
	}{
		"error": {func(capi.CustomCallPartition) (capi.PartitionedCustomCall, error) {
			return capi.PartitionedCustomCall{}, &capi.Error{Code: capi.ErrorCodeInvalidArgument, Message: "odd shape"}
		}, capi.ErrorCodeInvalidArgument, "odd shape"},
		"panic": {func(capi.CustomCallPartition) (capi.PartitionedCustomCall, error) { panic("split") }, capi.ErrorCodeInternal, "panic in JAX_CustomCallPartitioner_Callbacks.partition: split"},
		"count": {func(capi.CustomCallPartition) (capi.PartitionedCustomCall, error) {
			return capi.PartitionedCustomCall{Operands: make([][]byte, 1)}, nil
		}, capi.ErrorCodeInternal, "1 shardings for 2 operands"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			x := capi.NewCustomCallPartitioner(capi.CustomCallPartitioner{Partition: c.fn})
			defer x.Dtor.Call(x)
			p := partitionArgs()
			x.Partition.Call(x, p)
			collect()
			assert.True(t, p.Header.HasError)
			assert.Equal(t, c.code, p.Header.Code)
			assert.Contains(t, text(p.Header.ErrorMsg), c.text)
			p.Header.CleanupFn.Call(p.Header.Data)
			assert.Equal(t, live, capi.LiveHandles())
		})
	}
}
