// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var errorChecks = []check.Check{
	{Rule: "ERR-01", Library: true, Hostile: true, Run: func(t *check.T) {
		check.Call(t, capi.ErrorDestroyArgs{})
	}},
	{Rule: "ERR-02", Library: true, Run: func(t *check.T) {
		h := failure(t)
		defer destroyError(t, h)
		p, n, before := errorText(t, h)
		for range 100 {
			destroyError(t, failure(t))
		}
		check.Equal(t, before, capi.String(p, n), "the message's bytes after 100 more errors")
		_, _, after := errorText(t, h)
		check.Equal(t, before, after, "the message from a second call")
	}},
	{Rule: "ERR-02", Variant: "of several errors", Library: true, Run: func(t *check.T) {
		var kept check.Kept
		var texts []string
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			// Another error of the same call, and one of another call.
			for _, call := range []func(*check.T) *capi.ErrorHandle{b.call, failure} {
				p, n, text := errorText(t, h)
				texts = append(texts, text)
				kept.Add(p, n, "the message of "+b.name)
				if other := call(t); other != nil {
					q, m, _ := errorText(t, other)
					kept.Add(q, m, "the message of an error after "+b.name)
					kept.Expect(t)
					destroyError(t, other)
				}
				kept = check.Kept{}
			}
		})
		if slices.Sort(texts); len(slices.Compact(texts)) < 2 {
			t.Notef("all errors have the same message, so that one that takes the place of another is not seen")
		}
	}},
	{Rule: "ERR-03", Library: true, Run: func(t *check.T) {
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			_, n, text := errorText(t, h)
			if at := strings.IndexByte(text, 0); at >= 0 {
				t.Errorf("%s: a zero byte at %d of a message of %d bytes: %q", b.name, at, n, text)
			}
		})
	}},
	{Rule: "ERR-04", Library: true, Run: func(t *check.T) {
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			p, n, text := errorText(t, h)
			switch {
			case n == 0:
				t.Errorf("%s: expected a message, got none", b.name)
			case p == nil:
				t.Errorf("%s: a message of %d bytes at null", b.name, n)
			case byteBehind(p, n) != 0:
				t.Errorf("%s: expected a zero byte after the message, got %#02x", b.name, byteBehind(p, n))
			case !utf8.ValidString(text):
				t.Errorf("%s: the message is not UTF-8: %q", b.name, text)
			}
		})
	}},
	{Rule: "ERR-05", Library: true, Run: func(t *check.T) {
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			if c := errorCode(t, h); c <= capi.ErrorCodeOK || c > capi.ErrorCodeUnauthenticated {
				t.Errorf("%s: expected a code from 1 to 16, got %d", b.name, c)
			}
		})
	}},
	{Rule: "ERR-06", Library: true, Run: func(t *check.T) {
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			if _, inner := rawCall(t, capi.ErrorGetCodeArgs{Error: h}); inner != nil {
				t.Errorf("%s: expected PJRT_Error_GetCode to return null, got an error", b.name)
				destroyError(t, inner)
			}
		})
	}},
	{Rule: "ERR-07", Library: true, Run: func(t *check.T) {
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			first := errorCode(t, h)
			for range 2 {
				errorText(t, h)
				check.Equal(t, first, errorCode(t, h), "%s: the code from a second call", b.name)
			}
		})
	}},
	{Rule: "ERR-08", Library: true, Run: func(t *check.T) {
		// The order in which several errors are destroyed, oldest first, newest first, and from the
		// middle.
		for _, next := range []func(left int) int{
			func(int) int { return 0 }, func(left int) int { return left - 1 }, func(left int) int { return left / 2 },
		} {
			independent(t, next)
		}
	}},
	{Rule: "ERR-09", Library: true, Hostile: true, Run: func(t *check.T) {
		c := t.NewClient()
		buffer := check.Upload(t, c, []float32{1, 2, 3, 4})
		var errs []*capi.ErrorHandle
		keep := func(h *capi.ErrorHandle) {
			if h != nil {
				errs = append(errs, h)
			}
		}
		keep(rawError(t, capi.ClientLookupDeviceArgs{Client: c.Handle, ID: -1}))
		keep(rawError(t, capi.BufferToHostBufferArgs{
			Src: buffer, HostLayout: check.RowMajor(1), Dst: check.Pointer(make([]byte, 64)), DstSize: 4,
		}))
		exe := t.Compile(c, check.AddOne)
		none := check.NewExecution(exe, 1, []*capi.Buffer{})
		keep(rawError(t, none.Args))
		if len(errs) == 0 {
			t.SkipEnvf("neither an unknown device, nor an array that is too short, nor an execution without its argument is an error")
		}
		var texts []string
		for _, h := range errs {
			_, _, text := errorText(t, h)
			texts = append(texts, text)
		}
		check.Destroy(t, buffer)
		check.Destroy(t, exe)
		check.Destroy(t, c.Handle)
		for i, h := range errs {
			_, _, text := errorText(t, h)
			check.Equal(t, texts[i], text, "the message after the object that it is about was destroyed")
			destroyError(t, h)
		}
		chosenErrors(t)
	}},
	{Rule: "ERR-10", Library: true, Run: func(t *check.T) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		h := failure(t)
		_, _, text := errorText(t, h)
		c := errorCode(t, h)
		done := make(chan struct{})
		go func() { // on another thread, since this goroutine keeps its own
			defer close(done)
			_, _, other := errorText(t, h)
			check.Equal(t, text, other, "the message on another thread")
			check.Equal(t, c, errorCode(t, h), "the code on another thread")
			destroyError(t, h)
		}()
		<-done
	}},
	{Rule: "ERR-15", Library: true, Hostile: true, Run: func(t *check.T) {
		requireErrorTable(t)
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			v := h.Vtable
			switch {
			case v == nil:
				t.Errorf("%s: the first word of the error is null", b.name)
			case v.StructSize < capi.ErrorFunctionTableSize:
				t.Errorf("%s: function table: expected a struct_size of at least %d, got %d", b.name, capi.ErrorFunctionTableSize,
					v.StructSize)
			case v.Destroy == 0 || v.Message == 0 || v.GetCode == 0 || v.ForEachPayload == 0:
				t.Errorf("%s: function table: expected four functions, got destroy %#x, message %#x, get_code %#x, for_each_payload %#x",
					b.name, v.Destroy, v.Message, v.GetCode, v.ForEachPayload)
			}
		})
	}},
	{Rule: "ERR-16", Library: true, Hostile: true, Run: func(t *check.T) {
		requireErrorTable(t)
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			v := h.Vtable
			if v == nil || v.StructSize < capi.ErrorFunctionTableSize || v.Message == 0 || v.GetCode == 0 {
				t.Errorf("%s: the error has no usable function table", b.name)
				return
			}
			_, _, text := errorText(t, h)
			var p *byte
			var n uintptr
			v.Message.Call(h, &p, &n)
			check.Equal(t, text, capi.String(p, n), "%s: message of the function table", b.name)
			check.Equal(t, errorCode(t, h), v.GetCode.Call(h), "%s: get_code of the function table", b.name)
		})
	}},
	{Rule: "ERR-17", Run: untouchedOutputs},
	{Rule: "ERR-19", Library: true, Run: func(t *check.T) {
		eachError(t, func(b badCall, h *capi.ErrorHandle) {
			first := errorCode(t, h)
			for range 9 {
				again := b.call(t)
				if again == nil {
					t.Errorf("%s: expected %v each time, got success", b.name, first)
					return
				}
				check.Equal(t, first, errorCode(t, again), "%s: the code of the same call", b.name)
				destroyError(t, again)
			}
		})
	}},
}

// eachError makes every bad call, passes the errors that it gets to f and destroys
// them.
func eachError(t *check.T, f func(b badCall, h *capi.ErrorHandle)) {
	looked := 0
	for _, b := range badCalls {
		if b.client && t.Env().NoDevice != "" {
			continue
		}
		h := b.call(t)
		if h == nil {
			continue
		}
		looked++
		f(b, h)
		destroyError(t, h)
	}
	if looked == 0 {
		t.SkipEnvf("the plugin takes every bad argument that was tried, so there is no error to look at")
	}
}

// aliveError is an error that is not yet destroyed, and what it said when it came.
type aliveError struct {
	*capi.ErrorHandle
	what, text string
	at         *byte // the text
	size       uintptr
	code       capi.ErrorCode
}

// independent makes two errors of each bad call, which are all alive at once, and destroys them in
// some order: next returns which of those that are left is destroyed. Each must say the same as
// long as it lives.
func independent(t *check.T, next func(left int) int) {
	var alive []aliveError
	codes := make(map[capi.ErrorCode]bool)
	for range 2 {
		for _, b := range badCalls {
			if b.client && t.Env().NoDevice != "" {
				continue
			}
			h := b.call(t)
			if h == nil {
				continue
			}
			for _, e := range alive {
				if e.ErrorHandle == h {
					t.Fatalf("%s and %s returned the same error object", e.what, b.name)
				}
			}
			at, size, text := errorText(t, h)
			e := aliveError{h, b.name, text, at, size, errorCode(t, h)}
			codes[e.code] = true
			alive = append(alive, e)
		}
	}
	if len(alive) == 0 {
		t.SkipEnvf("the plugin takes every bad argument that was tried, so there is no error to look at")
	}
	if len(codes) < 2 {
		t.Notef("all errors have the same code, so that one that takes the place of another is not seen")
	}
	expect := func(when string) {
		for i, e := range alive {
			check.Equal(t, e.text, capi.String(e.at, e.size), "the bytes of the message of error %d of %d, of %s, %s", i, len(alive),
				e.what, when)
			_, _, text := errorText(t, e.ErrorHandle)
			check.Equal(t, e.text, text, "the message of error %d of %d, of %s, %s", i, len(alive), e.what, when)
		}
		for i, e := range slices.Backward(alive) { // in another order than the messages
			check.Equal(t, e.code, errorCode(t, e.ErrorHandle), "the code of error %d of %d, of %s, %s", i, len(alive), e.what, when)
		}
	}
	expect("after later ones were made")
	for len(alive) > 0 {
		i := next(len(alive))
		gone := alive[i]
		destroyError(t, gone.ErrorHandle)
		if alive = slices.Delete(alive, i, i+1); t.Failed() {
			continue // the report is about the first that is wrong
		}
		expect("after that of " + gone.what + " was destroyed")
	}
}

// chosenError is an error whose code and text the check chose.
type chosenError struct {
	*capi.ErrorHandle
	code capi.ErrorCode
	text string
}

// chosenErrors makes buffers that fail, each with another code and text, and looks at the errors of
// their events while all are there, after the events, the buffers and the client were destroyed. It
// does nothing if the plugin does not make such buffers.
func chosenErrors(t *check.T) {
	alive := []chosenError{
		{nil, capi.ErrorCodeDataLoss, check.Words(17, 1)}, {nil, capi.ErrorCodeAborted, check.Words(1025, 2)},
		{nil, capi.ErrorCodeNotFound, check.Words(3, 3)}, {nil, capi.ErrorCodeDataLoss, check.Words(255, 4)},
		{nil, capi.ErrorCodeUnavailable, check.Words(64, 5)},
	}
	c := t.NewClient()
	home, err := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: c.Devices[0]})
	if err != nil {
		t.Notef("buffers that fail are not made: %v", err)
		return
	}
	spec := capi.ShapeSpec{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeF32}
	spec.Dims, spec.NumDims = check.First([]int64{4})
	args := capi.ClientCreateBuffersForAsyncHostToDeviceArgs{Client: c.Handle, Memory: home.Memory}
	args.ShapeSpecs, args.NumShapeSpecs = check.First(slices.Repeat([]capi.ShapeSpec{spec}, len(alive)))
	made, err := check.Try(t, args)
	if err != nil {
		t.Notef("buffers that fail are not made: %v", err)
		return
	}
	m := check.Own(t, made.TransferManager)
	var buffers []*capi.Buffer
	for i := range alive {
		out := check.Optional(t, capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: m, BufferIndex: int32(i)})
		buffers = append(buffers, check.Own(t, out.BufferOut))
	}
	for i := range alive {
		e := &alive[i]
		fail := capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs{TransferManager: m, BufferIndex: int32(i), ErrorCode: e.code}
		fail.ErrorMessage, fail.ErrorMessageSize = check.Message(e.text)
		if _, err := check.Try(t, fail); err != nil {
			t.Notef("buffers that fail are not made: %v", err)
			return
		}
		event := t.Ready(buffers[i])
		if e.ErrorHandle = rawError(t, capi.EventAwaitArgs{Event: event}); e.ErrorHandle == nil {
			t.Errorf("ready event of buffer %d of %d, which was set to an error: expected that error, got success", i, len(alive))
			return
		}
		check.Destroy(t, event)
	}
	expect := func(when string) {
		for i, e := range alive {
			if _, _, text := errorText(t, e.ErrorHandle); !check.Says(text, e.text) {
				t.Errorf("the message of error %d of %d, %s: expected one with the %d bytes %q, got %q",
					i, len(alive), when, len(e.text), e.text, text)
			}
		}
		for i, e := range slices.Backward(alive) {
			check.Equal(t, e.code, errorCode(t, e.ErrorHandle), "the code of error %d of %d, %s", i, len(alive), when)
		}
	}
	expect("when the events were destroyed")
	for _, b := range buffers {
		check.Destroy(t, b)
	}
	check.Destroy(t, m)
	check.Destroy(t, c.Handle)
	expect("when the buffers and the client were destroyed")
	for _, i := range []int{2, 0, 2, 1, 0} {
		destroyError(t, alive[i].ErrorHandle)
		if alive = slices.Delete(alive, i, i+1); !t.Failed() {
			expect("when others were destroyed")
		}
	}
}

func requireErrorTable(t *check.T) {
	const since = 107
	if t.Minor() < since {
		t.SkipAbsentf("errors have a function table since API 0.%d, but the plugin has 0.%d", since, t.Minor())
	}
}

// untouchedOutputs looks at what a failed call left in place of its result: what was
// there before, or null.
func untouchedOutputs(t *check.T) {
	looked := 0
	failed := func(name string, h *capi.ErrorHandle) bool {
		if h == nil {
			return false
		}
		looked++
		destroyError(t, h)
		return true
	}
	c := t.Client()
	device := new(capi.Device)
	lookup, h := rawCall(t, capi.ClientLookupDeviceArgs{Client: c.Handle, ID: -1, Device: device})
	if name := "PJRT_Client_LookupDevice"; failed(name, h) {
		untouched(t, device, lookup.Device, name+" of id -1: device")
	}
	local, h := rawCall(t, capi.ClientLookupAddressableDeviceArgs{Client: c.Handle, LocalHardwareID: 9999, AddressableDevice: device})
	if name := "PJRT_Client_LookupAddressableDevice"; failed(name, h) {
		untouched(t, device, local.AddressableDevice, name+" of id 9999: addressable_device")
	}
	loaded := new(capi.LoadedExecutable)
	args := t.CompileArgs(c, "this is no program", check.Devices(1, 1))
	args.Executable = loaded
	compiled, h := rawCall(t, args)
	if name := "PJRT_Client_Compile"; failed(name, h) {
		untouched(t, loaded, compiled.Executable, name+" of no program: executable")
	}
	buffer, event := new(capi.Buffer), new(capi.Event)
	upload := check.HostArgs(c, []float32{1, 2, 3, 4}, -4)
	upload.Buffer, upload.DoneWithHostBuffer = buffer, event
	uploaded, h := rawCall(t, upload)
	if name := "PJRT_Client_BufferFromHostBuffer"; failed(name, h) {
		untouched(t, buffer, uploaded.Buffer, name+" of a negative dimension: buffer")
		untouched(t, event, uploaded.DoneWithHostBuffer, name+" of a negative dimension: done_with_host_buffer")
	}
	download := capi.BufferToHostBufferArgs{
		Src: check.Upload(t, c, []float32{1, 2, 3, 4}), HostLayout: check.RowMajor(1), Dst: check.Pointer(make([]byte, 64)), DstSize: 4, Event: event,
	}
	downloaded, h := rawCall(t, download)
	if name := "PJRT_Buffer_ToHostBuffer"; failed(name, h) {
		untouched(t, event, downloaded.Event, name+" into too short an array: event")
	}
	execution := check.NewExecution(t.Compile(c, check.AddOne), 1, []*capi.Buffer{})
	execution.Outputs[0][0], execution.Events[0] = buffer, event
	_, h = rawCall(t, execution.Args)
	if name := "PJRT_LoadedExecutable_Execute"; failed(name, h) {
		untouched(t, buffer, execution.Outputs[0][0], name+" without an argument: output")
		untouched(t, event, execution.Events[0], name+" without an argument: device_complete_event")
	}
	client := new(capi.Client)
	create := capi.ClientCreateArgs{Client: client}
	create.CreateOptions, create.NumOptions = t.NamedValues(capi.Attribute{Name: "no_such_option", Value: int64(1)})
	second, h := rawCall(t, create)
	if name := "PJRT_Client_Create"; failed(name, h) {
		untouched(t, client, second.Client, name+" with an unknown option: client")
	} else if second.Client != client {
		check.Own(t, second.Client)
	}
	topology := new(capi.TopologyDescription)
	named := capi.TopologyDescriptionCreateArgs{Topology: topology}
	named.TopologyName, named.TopologyNameSize = capi.StringData("no such topology")
	made, h := rawCall(t, named)
	if name := "PJRT_TopologyDescription_Create"; failed(name, h) {
		untouched(t, topology, made.Topology, name+" of an unknown name: topology")
	} else if made.Topology != topology {
		check.Own(t, made.Topology)
	}
	load := capi.ExecutableDeserializeAndLoadArgs{Client: c.Handle, LoadedExecutable: loaded}
	load.SerializedExecutable, load.SerializedExecutableSize = capi.StringData("this is no executable")
	reloaded, h := rawCall(t, load)
	if name := "PJRT_Executable_DeserializeAndLoad"; failed(name, h) {
		untouched(t, loaded, reloaded.LoadedExecutable, name+" of no executable: loaded_executable")
	}
	if looked == 0 {
		t.SkipEnvf("the plugin takes every bad argument that was tried")
	}
}

func untouched[P comparable](t *check.T, before, after P, what string) {
	var none P
	if after != before && after != none {
		t.Errorf("%s: expected null or the previous value, got %v with an error", what, after)
	}
}
