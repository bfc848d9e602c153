// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Buffers without contents, errors in the form of buffers, and buffers that
// stand for others.
var placeholderChecks = []check.Check{
	{Rule: "UNI-01", Run: func(t *check.T) {
		for _, e := range types(t) {
			for i, d := range t.Client().Devices {
				args := uninitializedArgs(t, e, 2, 3)
				args.Device = d
				out, err := check.Try(t, args)
				if code := capi.CodeOf(err); e != dtype.F32 &&
					(code == capi.ErrorCodeUnimplemented || code == capi.ErrorCodeInvalidArgument) {
					t.Notef("the plugin makes no uninitialised %v: %v", e, err)
					break
				}
				if err != nil {
					out = check.Call(t, args)
				}
				b := check.Own(t, out.Buffer)
				t.NoError(t.Await(t.Ready(b)), "ready event of an uninitialised buffer")
				check.Equal(t, capi.BufferType(e), t.ElementType(b), "type of an uninitialised buffer")
				expectDimensions(t, b, []int64{2, 3}, "an uninitialised buffer")
				check.Equal(t, d, t.DeviceOf(b), "device of an uninitialised buffer on device %d", i)
				if size := t.SizeOnDevice(b); size < uintptr(6*e.Bits()+7)/8 {
					t.Errorf("size on the device of an uninitialised %v[2 3]: expected at least %d, got %d", e, (6*e.Bits()+7)/8, size)
				}
				check.Equal(t, 6*e.Size(), len(t.Download(b)), "bytes of an uninitialised %v[2 3]", e)
				check.Destroy(t, b)
			}
		}
		for i, dims := range check.Each(t, slices.Concat(check.Shapes, check.Degenerate)) {
			for _, e := range check.Widths(i) {
				out, err := check.Try(t, uninitializedArgs(t, e, dims...))
				if err != nil {
					t.Notef("the plugin makes no uninitialised %v%v: %v", e, dims, err)
					continue
				}
				b := check.Own(t, out.Buffer)
				check.Equal(t, capi.BufferType(e), t.ElementType(b), "type of an uninitialised %v%v", e, dims)
				expectDims(t, b, dims, "an uninitialised "+e.String())
				check.Equal(t, check.Elements(dims...)*e.Size(), len(t.Download(b)), "bytes of an uninitialised %v%v", e, dims)
				check.Destroy(t, b)
			}
		}
		for _, m := range t.Client().Memories {
			args := uninitializedArgs(t, dtype.F32, 4)
			args.Device, args.Memory = nil, m
			out, err := check.Try(t, args)
			if declined(err) {
				t.Notef("the plugin makes no uninitialised buffer in %s: %v", memoryName(t, m), err)
				continue
			} else if err != nil {
				out = check.Call(t, args)
			}
			b := check.Own(t, out.Buffer)
			check.Equal(t, m, t.MemoryOf(b), "memory of an uninitialised buffer in %s", memoryName(t, m))
			check.Destroy(t, b)
		}
		keepsLayouts(t, "an uninitialised", func(e dtype.Type, dims []int64, layout *capi.BufferMemoryLayout) (*capi.Buffer, error) {
			args := uninitializedArgs(t, e, dims...)
			args.ShapeLayout = layout
			out, err := check.Try(t, args)
			return out.Buffer, err
		})
	}},
	{Rule: "UNI-02", Devices: 2, Run: func(t *check.T) {
		// Which of the two wins is open; a third place is wrong.
		devices := t.Client().Devices
		args := uninitializedArgs(t, dtype.F32, 4)
		memory := func(d *capi.Device) *capi.Memory {
			return check.Optional(t, capi.DeviceDefaultMemoryArgs{Device: d}).Memory
		}
		args.Device, args.Memory = devices[0], memory(devices[1])
		b := check.Own(t, check.Call(t, args).Buffer)
		got := t.MemoryOf(b)
		on := devices[1]
		if got == memory(devices[0]) {
			on = devices[0]
			t.Notef("open: the device wins over the memory")
		} else if got != args.Memory {
			t.Errorf("memory of an uninitialised buffer with device 0 and a memory of device 1: expected one of the two, got another")
		}
		check.Equal(t, on, t.DeviceOf(b), "device of an uninitialised buffer, which has the memory")
	}},
	{Rule: "UNI-03", Run: func(t *check.T) {
		const n = 1 << 16
		secret := bytes.Repeat([]byte("a secret of mine"), n/16)
		seen := 0
		for range 20 {
			b := upload(t, dtype.U8, secret, n)
			t.NoError(t.Await(t.Ready(b)), "ready event")
			check.Destroy(t, b)
			b = check.Own(t, check.Call(t, uninitializedArgs(t, dtype.U8, n)).Buffer)
			got := t.Download(b)
			if check.Equal(t, n, len(got), "bytes of an uninitialised buffer"); bytes.Contains(got, secret[:64]) {
				seen++
			}
			check.Destroy(t, b)
		}
		t.Notef("%d of 20 uninitialised buffers showed what another buffer held before, which the header does not forbid", seen)
	}},
	{Rule: "UNI-04", Run: func(t *check.T) {
		exe := compiled(t, check.Donate)
		b := check.Own(t, check.Call(t, uninitializedArgs(t, dtype.F32, 4)).Buffer)
		out := t.Run(exe, 1, b)[0]
		t.NoError(t.Await(t.Ready(out)), "ready event of the output of a program that an uninitialised buffer was donated to")
		check.Equal(t, 16, len(t.Download(out)), "bytes of that output")
		check.ExpectBuffer(t, t.Run(exe, 1, small(t))[0], []float32{2, 4, 6, 8}, "output of that program for another argument")
		if other := small(t); t.IsDeleted(b) != donates(t, exe, other) {
			t.Errorf("is_deleted of an uninitialised buffer that was donated: expected the same as for any other")
		}
	}},
	{Rule: "UNI-05", Run: func(t *check.T) {
		home := t.DefaultMemory(t.Client())
		for code := capi.ErrorCodeCancelled; code <= capi.ErrorCodeUnauthenticated; code++ {
			message := fmt.Sprintf("failure number %d", code)
			b := check.Own(t, check.Call(t, errorBufferArgs(t, code, message, 2, 3)).Buffer)
			expectError(t, t.Await(t.Ready(b)), code, message, "ready event of an error buffer")
			dst := room(t, 24)
			err := read(t, downloadArgs{Src: b, HostLayout: check.RowMajor(2), Dst: check.Pointer(dst), DstSize: 24})
			expectError(t, err, code, message, "download of an error buffer")
			expectDimensions(t, b, []int64{2, 3}, "an error buffer")
			check.Equal(t, home, t.MemoryOf(b), "memory of an error buffer")
			check.Equal(t, capi.BufferTypeF32, t.ElementType(b), "type of an error buffer")
			check.Destroy(t, b)
		}
		for _, m := range t.Client().Memories {
			args := errorBufferArgs(t, failureCode, failureMessage, 4)
			args.Memory = m
			b := check.Own(t, check.Call(t, args).Buffer)
			check.Equal(t, m, t.MemoryOf(b), "memory of an error buffer in %s", memoryName(t, m))
		}
		// Several that live at once, each with its own shape and error.
		var list []*capi.Buffer
		several := slices.Concat(check.Shapes, check.Degenerate, check.Shapes)
		for i, dims := range several {
			code, message := failure(i)
			args := errorBufferArgs(t, code, message, dims...)
			args.ShapeElementType = capi.BufferType(check.Width(i))
			list = append(list, check.Own(t, check.Call(t, args).Buffer))
		}
		for i, b := range list {
			code, message := failure(i)
			what := "error buffer " + show(i) + " of several"
			expectError(t, t.Await(t.Ready(b)), code, message, "ready event of "+what)
			expectDims(t, b, several[i], what)
			check.Equal(t, capi.BufferType(check.Width(i)), t.ElementType(b), "type of %s", what)
		}
	}},
	{Rule: "UNI-06", Run: func(t *check.T) {
		b := check.Own(t, check.Call(t, errorBufferArgs(t, failureCode, failureMessage, 4)).Buffer)
		x := check.NewExecution(compiled(t, check.AddOne), 1, []*capi.Buffer{b})
		err := x.Start(t)
		if err == nil {
			err = t.Await(t.Ready(x.Outputs[0][0]))
		}
		if t.ErrorCode(err, "output of an execution whose argument is an error buffer"); err != nil &&
			!strings.Contains(err.Error(), failureMessage) {
			t.Errorf("output of an execution whose argument is an error buffer: expected an error that says %q, got %v",
				failureMessage, err)
		}
	}},
	{Rule: "UNI-07", Run: func(t *check.T) {
		b := check.Own(t, check.Call(t, errorBufferArgs(t, failureCode, failureMessage, 1<<38)).Buffer)
		expectError(t, t.Await(t.Ready(b)), failureCode, failureMessage, "ready event of an error buffer of 1 TiB")
	}},
	{Rule: "UNI-08", Run: func(t *check.T) {
		want := []capi.Payload{{Key: "type/a", Value: []byte("first")}, {Key: "type/b", Value: []byte("second")},
			{Key: "type/c", Value: []byte("third")}}
		list := []capi.Attribute{{Name: "type/a", Value: "first"}, {Name: "type/b", Value: "second"}, {Name: "type/c", Value: "third"}}
		for i, n := range check.Lengths {
			p := capi.Payload{Key: "type/" + show(i) + check.Words(check.Names[i%len(check.Names)], i), Value: []byte(check.Words(n, i))}
			want, list = append(want, p), append(list, capi.Attribute{Name: p.Key, Value: string(p.Value)})
		}
		args := withPayload(t, list...)
		b := check.Own(t, check.Call(t, args).Buffer)
		t.Require(check.FunctionOf[capi.ErrorForEachPayloadArgs]())
		err := t.Await(t.Ready(b))
		var e *capi.Error
		if !errors.As(err, &e) {
			t.Fatalf("ready event of an error buffer: expected an error, got %v", err)
		}
		for _, w := range want {
			if !slices.ContainsFunc(e.Payloads, func(p capi.Payload) bool { return p.Key == w.Key && bytes.Equal(p.Value, w.Value) }) {
				t.Errorf("payloads of the error: expected %s = %q among them, got %q", w.Key, w.Value, e.Payloads)
			}
		}
	}},
	{Rule: "UNI-09", Hostile: true, Run: func(t *check.T) {
		args := withPayload(t, capi.Attribute{Name: "number", Value: int64(7)})
		out, err := check.Try(t, args)
		if err == nil {
			check.Own(t, out.Buffer)
		}
		t.ErrorCode(err, "error buffer whose payload is a number")
	}},
	{Rule: "UNI-10", Hostile: true, Run: func(t *check.T) {
		check.Own(t, check.Call(t, errorBufferArgs(t, failureCode, failureMessage, 4)).Buffer)
		out, err := check.Try(t, errorBufferArgs(t, capi.ErrorCodeOK, "", 4))
		if err != nil {
			t.Notef("an error buffer with the code OK is refused: %v", err)
		} else if err := t.Await(t.Ready(check.Own(t, out.Buffer))); err != nil {
			t.Notef("an error buffer with the code OK says %v", err)
		}
		check.ExpectBuffer(t, small(t), floats(4), "another buffer")
	}},
	{Rule: "UNI-11", Hostile: true, Run: func(t *check.T) {
		check.Own(t, check.Call(t, errorBufferArgs(t, failureCode, failureMessage, 4)).Buffer)
		args := errorBufferArgs(t, failureCode, failureMessage)
		args.ShapeElementType = capi.BufferTypeToken
		out, err := check.Try(t, args)
		if err != nil {
			t.ErrorCode(err, "error buffer in the shape of a token", capi.ErrorCodeUnimplemented)
			return
		}
		b := check.Own(t, out.Buffer)
		check.Equal(t, capi.BufferTypeToken, t.ElementType(b), "type of an error buffer in the shape of a token")
	}},
	{Rule: "UNI-21", Run: func(t *check.T) {
		check.Own(t, check.Call(t, errorBufferArgs(t, failureCode, failureMessage, 2, 3)).Buffer)
		t.Since(117, "device_layout")
		keepsLayouts(t, "an error buffer with the device_layout", func(e dtype.Type, dims []int64,
			layout *capi.BufferMemoryLayout) (*capi.Buffer, error) {
			args := errorBufferArgs(t, failureCode, failureMessage, dims...)
			args.ShapeElementType, args.DeviceLayout = capi.BufferType(e), layout
			out, err := check.Try(t, args)
			return out.Buffer, err
		})
	}},
	{Rule: "UNI-12", Run: func(t *check.T) {
		exe := compiled(t, check.AddOne)
		for i := range 100 {
			bad := failedBuffer(t, failureCode, failureMessage)
			x := check.NewExecution(exe, 1, []*capi.Buffer{bad})
			err := x.Start(t)
			if err == nil {
				err = t.Await(t.Ready(x.Outputs[0][0]))
			}
			if !t.ErrorCode(err, "execution whose argument is an error") {
				return
			}
			if !check.ExpectBuffer(t, t.Run(exe, 1, small(t))[0], []float32{2, 3, 4, 5}, "execution after "+show(i+1)+" that failed") {
				return
			}
		}
	}},
	{Rule: "UNI-13", Run: func(t *check.T) {
		a := alias(t, 2, 3)
		e := t.Ready(a.AliasBuffer)
		check.Equal(t, capi.BufferTypeF32, t.ElementType(a.AliasBuffer), "type of an alias buffer")
		expectDimensions(t, a.AliasBuffer, []int64{2, 3}, "an alias buffer")
		check.Equal(t, t.DefaultMemory(t.Client()), t.MemoryOf(a.AliasBuffer), "memory of an alias buffer")
		time.Sleep(while)
		check.Equal(t, false, t.IsReady(e), "is_ready of an alias buffer before it was fulfilled")
		fulfil(t, a, check.Upload(t, t.Client(), floats(6), 2, 3))
		t.NoError(t.Await(e), "ready event of an alias buffer that was fulfilled")
	}},
	{Rule: "UNI-14", Run: func(t *check.T) {
		a := alias(t, 4)
		dst := room(t, 16)
		args := into(a.AliasBuffer, dst)
		early := make(chan error, 1)
		t.Begin(func() { // the call may wait, too
			out, err := check.Try(t, args)
			if err == nil {
				_, err = check.Try(t, capi.EventAwaitArgs{Event: check.Own(t, out.Event)})
			}
			early <- err
		}).Settle(while)
		fulfil(t, a, small(t))
		select {
		case err := <-early:
			if err != nil {
				t.Fatalf("download that was waiting for an alias buffer: expected success, got %v", err)
			}
		case <-time.After(t.Patience()):
			t.Stuck("download that was waiting for an alias buffer: it was not over %v after the buffer was fulfilled", t.Patience())
		}
		expectBytes(t, dtype.Bytes(floats(4)), dst, 0xff, "download that was waiting for an alias buffer")
		check.ExpectBuffer(t, a.AliasBuffer, floats(4), "later download of the alias buffer")
		// Several, the last of which is fulfilled first.
		var arrays []check.HostArray
		var list []capi.ClientCreateAliasBufferArgs
		for i, dims := range check.Each(t, check.Shapes) {
			arrays = append(arrays, check.HostArrayOf(dtype.F32, uint64(i), dims...))
			list = append(list, alias(t, dims...))
		}
		for i, a := range slices.Backward(arrays) {
			fulfil(t, list[i], upload(t, a.Type, a.Data, a.Dims...))
		}
		for i, a := range arrays {
			expectAll(t, list[i].AliasBuffer, a, "in one of several alias buffers")
		}
	}},
	{Rule: "UNI-15", Run: func(t *check.T) {
		a := alias(t, 4)
		e := t.Ready(a.AliasBuffer)
		args := fulfilArgs{Client: t.Client().Handle, StatusCode: failureCode,
			FulfillAliasBufferCb: a.FulfillAliasBufferCb}
		args.ErrorMessage, args.ErrorMessageSize = check.Message(failureMessage)
		if _, err := check.Try(t, args); err != nil {
			t.Notef("the plugin hands the failure to the caller as well: %v", err)
		}
		if becomesReady(t, e, "an alias buffer that was given an error becomes ready") {
			expectError(t, t.Await(e), failureCode, failureMessage, "ready event of an alias buffer that was given an error")
		}
		dst := room(t, 16)
		err := read(t, into(a.AliasBuffer, dst))
		expectError(t, err, failureCode, failureMessage, "download of an alias buffer that was given an error")
		var list []capi.ClientCreateAliasBufferArgs
		for range check.Lengths {
			list = append(list, alias(t, 4))
		}
		for i, a := range slices.Backward(list) {
			code, message := failure(i)
			args := fulfilArgs{Client: t.Client().Handle, StatusCode: code, FulfillAliasBufferCb: a.FulfillAliasBufferCb}
			args.ErrorMessage, args.ErrorMessageSize = check.Message(message)
			_, _ = check.Try(t, args) // the failure may go to the caller as well
		}
		for i, a := range list {
			code, message := failure(i)
			e := t.Ready(a.AliasBuffer)
			if !becomesReady(t, e, "an alias buffer that was given an error becomes ready") {
				return
			}
			expectError(t, t.Await(e), code, message, "ready event of alias buffer "+show(i)+" of several that were given errors")
		}
	}},
	{Rule: "UNI-16", Hostile: true, Run: func(t *check.T) {
		a := alias(t, 4)
		_, err := check.Try(t, fulfilArgs{Client: t.Client().Handle, Buffer: small(t)})
		t.ErrorCode(err, "PJRT_Client_FulfillAliasBuffer without a callback handle", capi.ErrorCodeInvalidArgument)
		_, err = check.Try(t, fulfilArgs{Client: t.Client().Handle, FulfillAliasBufferCb: a.FulfillAliasBufferCb})
		t.ErrorCode(err, "PJRT_Client_FulfillAliasBuffer with OK and no buffer", capi.ErrorCodeInvalidArgument)
	}},
	{Rule: "UNI-17", Hostile: true, Run: func(t *check.T) {
		fulfilmentIsRefused(t, "f32[5]", check.Upload(t, t.Client(), floats(5)))
		fulfilmentIsRefused(t, "f32[2 2]", check.Upload(t, t.Client(), floats(4), 2, 2))
		fulfilmentIsRefused(t, "i32[4]", check.Upload(t, t.Client(), []int32{1, 2, 3, 4}))
	}},
	{Rule: "UNI-17", Variant: "memory", Devices: 2, Hostile: true, Run: func(t *check.T) {
		fulfilmentIsRefused(t, "f32[4] in a memory of another device", check.UploadTo(t, t.Client(), t.Client().Devices[1], floats(4)))
	}},
	{Rule: "UNI-18", Hostile: true, Run: func(t *check.T) {
		a := alias(t, 4)
		b := small(t)
		fulfil(t, a, b)
		check.Destroy(t, b)
		churnLittle(t)
		check.ExpectBuffer(t, a.AliasBuffer, floats(4), "alias of a buffer that was destroyed")
	}},
	{Rule: "UNI-19", Hostile: true, Run: func(t *check.T) {
		a := alias(t, 4)
		check.Disown(t, a.AliasBuffer)
		within(t, "PJRT_Buffer_Destroy of an alias buffer that was not fulfilled",
			func() { check.Try(t, capi.BufferDestroyArgs{Buffer: a.AliasBuffer}) })
		b := small(t)
		within(t, "PJRT_Client_FulfillAliasBuffer of a buffer that was destroyed", func() {
			_, err := check.Try(t, fulfilArgs{Client: t.Client().Handle, Buffer: b,
				FulfillAliasBufferCb: a.FulfillAliasBufferCb})
			t.Notef("fulfilling an alias buffer that was destroyed gave %v", err)
		})
		check.ExpectBuffer(t, small(t), floats(4), "another buffer")
	}},
	{Rule: "UNI-20", Run: func(t *check.T) {
		exe := compiled(t, check.AddOne)
		a := alias(t, 4)
		out := early(t, exe, a.AliasBuffer, func() { fulfil(t, a, small(t)) })
		check.ExpectBuffer(t, out, []float32{2, 3, 4, 5}, "output of an execution that was started before its argument was fulfilled")
	}},
}

func uninitializedArgs(t *check.T, e dtype.Type, dims ...int64) uninitialized {
	args := uninitialized{Client: t.Client().Handle, Device: t.Client().Devices[0],
		ShapeElementType: capi.BufferType(e), ShapeLayout: check.RowMajor(len(dims))}
	args.ShapeDims, args.ShapeNumDims = check.First(dims)
	return args
}

// donates reports whether a program takes the memory of its argument.
func donates(t *check.T, exe *capi.LoadedExecutable, b *capi.Buffer) bool {
	t.Run(exe, 1, b)
	return t.IsDeleted(b)
}

// withPayload returns the arguments of an error buffer with payloads, if the plugin knows
// payloads.
func withPayload(t *check.T, attributes ...capi.Attribute) errorBuffers {
	args := errorBufferArgs(t, failureCode, failureMessage, 4)
	check.Own(t, check.Call(t, args).Buffer) // skips if there is no such function
	if t.Minor() < 103 {
		t.SkipAbsentf("payloads came with API 0.103, but the plugin has API 0.%d", t.Minor())
	}
	args.Payload, args.NumPayload = t.NamedValues(attributes...)
	return args
}

// alias makes an alias buffer of f32. The check owns it.
func alias(t *check.T, dims ...int64) capi.ClientCreateAliasBufferArgs {
	return aliasOf(t, dtype.F32, dims...)
}

// aliasOf is like alias, of any type.
func aliasOf(t *check.T, e dtype.Type, dims ...int64) capi.ClientCreateAliasBufferArgs {
	t.Require(check.FunctionOf[capi.ClientCreateAliasBufferArgs]())
	args := capi.ClientCreateAliasBufferArgs{Client: t.Client().Handle, Memory: t.DefaultMemory(t.Client()),
		ShapeElementType: capi.BufferType(e), ShapeLayout: check.RowMajor(len(dims))} // as XLA's client does
	args.ShapeDims, args.ShapeNumDims = check.First(dims)
	out := check.Call(t, args)
	if out.AliasBuffer == nil || out.FulfillAliasBufferCb == nil {
		t.Fatalf("PJRT_Client_CreateAliasBuffer: success without a buffer or without a callback handle")
	}
	check.Own(t, out.AliasBuffer)
	hold(t, func() {
		check.Try(t, fulfilArgs{Client: t.Client().Handle, StatusCode: failureCode,
			FulfillAliasBufferCb: out.FulfillAliasBufferCb})
	})
	return out
}

// fulfilmentIsRefused fails the check unless an alias of f32[4] rejects the buffer, at once
// or through its ready event.
func fulfilmentIsRefused(t *check.T, what string, b *capi.Buffer) {
	a := alias(t, 4)
	_, err := check.Try(t, fulfilArgs{Client: t.Client().Handle, Buffer: b,
		FulfillAliasBufferCb: a.FulfillAliasBufferCb})
	if err == nil {
		e := t.Ready(a.AliasBuffer)
		if becomesReady(t, e, "an alias buffer that was fulfilled becomes ready") {
			err = t.Await(e)
		}
	}
	t.ErrorCode(err, "fulfilment of an alias buffer f32[4] with "+what)
}

func fulfil(t *check.T, a capi.ClientCreateAliasBufferArgs, b *capi.Buffer) {
	check.Call(t, fulfilArgs{Client: t.Client().Handle, Buffer: b, FulfillAliasBufferCb: a.FulfillAliasBufferCb})
}
