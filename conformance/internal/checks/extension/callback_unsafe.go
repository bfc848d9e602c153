// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// heard registers a callback, calls it with args, and returns how often it was
// called and with what.
func heard(t *check.T, kind capi.CallbackType, args unsafe.Pointer) []unsafe.Pointer {
	var got []unsafe.Pointer
	client := t.Client().Handle
	fn, handle := capi.NewCallbackFunction(func(p unsafe.Pointer) { got = append(got, p) })
	check.Call(t, capi.CallbackRegisterCallbackArgs{Client: client, Type: kind, Callback: fn, UserArg: uintptr(handle)})
	check.Call(t, capi.CallbackInvokeCallbackArgs{Client: client, Type: kind, Args: args})
	return got
}

var callbackChecks = []check.Check{
	rule("XCB-01", func(t *check.T) {
		slice := &capi.CallbackTPUSliceBuilderArgs{StructSize: capi.CallbackTPUSliceBuilderArgsSize, FailureType: capi.CallbackTPUSliceFailureTypeInitError}
		prefatal := &capi.CallbackPrefatalArgs{StructSize: capi.CallbackPrefatalArgsSize, ErrorCode: capi.ErrorCodeAborted}
		prefatal.ErrorMessage, prefatal.ErrorMessageSize = capi.StringData("on purpose")
		for kind, args := range map[capi.CallbackType]unsafe.Pointer{
			capi.CallbackTypeTPUSliceBuilder: unsafe.Pointer(slice), capi.CallbackTypePrefatal: unsafe.Pointer(prefatal),
		} {
			got := heard(t, kind, args)
			if check.Equal(t, 1, len(got), "calls of the callback %v", kind) && got[0] == nil {
				t.Errorf("the callback %v was called without args", kind)
			}
		}
	}),
	hostile(rule("XCB-02", func(t *check.T) {
		client := t.Client().Handle
		fn, handle := capi.NewCallbackFunction(func(unsafe.Pointer) {})
		_, err := check.Try(t, capi.CallbackRegisterCallbackArgs{Client: client, Type: 99, Callback: fn, UserArg: uintptr(handle)})
		t.ErrorCode(err, "registering a callback of the type 99")
		_, err = check.Try(t, capi.CallbackInvokeCallbackArgs{Client: client, Type: 99})
		t.ErrorCode(err, "calling the callbacks of the type 99")
	})),
	hostile(rule("XCB-03", func(t *check.T) {
		message := "on purpose, and more that is not meant"
		args := &capi.CallbackPrefatalArgs{StructSize: capi.CallbackPrefatalArgsSize, ErrorCode: capi.ErrorCodeAborted}
		args.ErrorMessage, _ = capi.StringData(message)
		args.ErrorMessageSize = 10
		text, n := "", 0
		client := t.Client().Handle
		fn, handle := capi.NewCallbackFunction(func(p unsafe.Pointer) {
			n++
			a := (*capi.CallbackPrefatalArgs)(p)
			text = string(capi.Bytes(a.ErrorMessage, a.ErrorMessageSize))
		})
		check.Call(t, capi.CallbackRegisterCallbackArgs{Client: client, Type: capi.CallbackTypePrefatal, Callback: fn, UserArg: uintptr(handle)})
		check.Call(t, capi.CallbackInvokeCallbackArgs{Client: client, Type: capi.CallbackTypePrefatal, Args: unsafe.Pointer(args)})
		check.Equal(t, 1, n, "calls of the callback")
		check.Equal(t, message[:10], text, "the message that the callback got")
	})),
}

// receive prepares to receive arrays of f32 by descriptors; the notifier sends
// what it is told to the channel.
func receive(t *check.T, dims ...int64) (*capi.Buffer, capi.CrossHostReceive) {
	c := t.Client()
	told := make(chan capi.CrossHostReceive, 1)
	notifier, _ := capi.NewCrossHostRecvNotifier(func(r capi.CrossHostReceive) {
		for i := range r.Descriptors {
			r.Descriptors[i] = append([]byte(nil), r.Descriptors[i]...)
		}
		told <- r
	})
	args := capi.TransfersClientMakeCrossHostReceiveBuffersArgs{Client: c.Handle, NumShapes: 1, Device: c.Devices[0], Notifier: notifier}
	shape, n := check.First(dims)
	args.NumDims, _ = check.First([]*int64{shape})
	args.ShapeNumDims, _ = check.First([]uintptr{n})
	args.ElementTypes, _ = check.First([]capi.BufferType{capi.BufferTypeF32})
	args.Layouts, _ = check.First([]*capi.BufferMemoryLayout{nil})
	buffers := make([]*capi.Buffer, 1)
	args.Buffers, _ = check.First(buffers)
	check.Optional(t, args)
	check.Own(t, buffers[0])
	select {
	case r := <-told:
		return buffers[0], r
	case <-time.After(10 * time.Second):
		t.Fatalf("the notifier of a receive was not called within 10 s")
		panic("unreachable")
	}
}

var transferChecks = []check.Check{
	hostile(rule("XXHT-02", func(t *check.T) {
		c := t.Client()
		b := check.Upload(t, c, []float32{1, 2, 3, 4})
		id := check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: check.Call(t, capi.DeviceGetDescriptionArgs{Device: c.Devices[0]}).DeviceDescription}).ID
		args := capi.TransfersClientCrossHostSendBuffersArgs{Client: c.Handle, NumBuffers: 1}
		args.Buffers, _ = check.First([]*capi.Buffer{b})
		args.DstGlobalDeviceIDs, _ = check.First([]int32{id})
		args.TransferKeys, _ = check.First([]int64{4711})
		events := make([]*capi.Event, 1)
		args.SendEvents, _ = check.First(events)
		_, err := check.Try(t, args)
		if err == nil && events[0] != nil {
			err = t.Wait(events[0])
		}
		if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
			t.SkipUnimplf("%v", err)
		}
		t.ErrorCode(err, fmt.Sprintf("sending a buffer of device %d to device %d", id, id))
	})),
	hostile(rule("XXHT-03", func(t *check.T) {
		b, r := receive(t, 4)
		if len(r.Descriptors) != 1 {
			t.Fatalf("expected a descriptor for one buffer, got %d", len(r.Descriptors))
		}
		done := make(chan struct{})
		if !r.Cancel.Cancel(r.Descriptors[0], capi.ErrorCodeCancelled, "on purpose", func(*capi.ErrorHandle) { close(done) }) {
			t.Fatalf("the receive cannot be cancelled")
		}
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatalf("the callback of a cancelled receive was not called within 10 s")
		}
		t.ErrorCode(t.Await(t.Ready(b)), "the ready event of a cancelled receive", capi.ErrorCodeCancelled)
	})),
	hostile(rule("XXHT-05", func(t *check.T) {
		_, r := receive(t, 4)
		if len(r.Descriptors) != 1 {
			t.Fatalf("expected a descriptor for one buffer, got %d", len(r.Descriptors))
		}
		d := capi.NewCrossHostDescriptor()
		d.Set(r.Descriptors[0])
		sent := make(chan error, 1)
		args := capi.TransfersBufferCopyToRemoteDeviceArgs{Buffer: check.Upload(t, t.Client(), []float32{1, 2, 3, 4})}
		args.OnDone, _ = capi.NewCrossHostRemoteSendCallback(func(h *capi.ErrorHandle, _ bool) { sent <- t.Table().TakeError(h) })
		d.Fields(&args)
		destructor, count := args.DescriptorDestructor, new(int)
		args.DescriptorDestructor = counted(count, destructor)
		check.Call(t, args)
		select {
		case err := <-sent:
			t.Notef("a copy to a receiver in the same process: %v", err)
		case <-time.After(10 * time.Second):
			t.Fatalf("on_done was not called within 10 s")
		}
		check.Equal(t, 1, *count, "calls of the destructor of the descriptor")
	})),
}
