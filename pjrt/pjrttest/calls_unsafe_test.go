// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// caller calls a plugin as a program in C does: nothing in between checks the arguments.
type caller struct {
	*testing.T
	p *Plugin
	c *capi.Client
}

func newCaller(t *testing.T, opts Options) *caller {
	x := &caller{T: t, p: New(t, opts)}
	x.p.Program("add", Signature{}, Elementwise(func(v ...float32) float32 { return v[0] + v[1] }))
	x.c = ok(x, capi.ClientCreateArgs{}).Client
	t.Cleanup(func() {
		ok(x, capi.ClientDestroyArgs{Client: x.c})
		assert.Empty(t, x.p.Live())
	})
	return x
}

// try calls the function that takes an A.
func try[A any](x *caller, args A) (A, error) {
	c := &capi.Call[A]{Args: args}
	err := c.Do(x.p.Table())
	return c.Args, err
}

// ok is try for a call that must succeed.
func ok[A any](x *caller, args A) A {
	x.Helper()
	out, err := try(x, args)
	require.NoError(x, err)
	return out
}

// wrong is try for a call that must fail with a message containing text and with
// INVALID_ARGUMENT, or another code if one is given.
func wrong[A any](x *caller, text string, args A, code ...capi.ErrorCode) {
	x.Helper()
	_, err := try(x, args)
	want := capi.ErrorCodeInvalidArgument
	if len(code) > 0 {
		want = code[0]
	}
	assert.ErrorIs(x, err, want)
	assert.ErrorContains(x, err, text)
}

func (x *caller) devices(c *capi.Client) []*capi.Device {
	a := ok(x, capi.ClientDevicesArgs{Client: c})
	return capi.Slice(a.Devices, a.NumDevices)
}

// upload makes a vector of float32 on a device.
func (x *caller) upload(c *capi.Client, d *capi.Device, data ...float32) *capi.Buffer {
	x.Helper()
	dims := []int64{int64(len(data))}
	a := ok(x, capi.ClientBufferFromHostBufferArgs{
		Client: c, Data: unsafe.Pointer(unsafe.SliceData(data)), Type: capi.BufferTypeF32, Dims: &dims[0], NumDims: 1, Device: d,
	})
	ok(x, capi.EventDestroyArgs{Event: a.DoneWithHostBuffer})
	return a.Buffer
}

func (x *caller) destroy(list ...*capi.Buffer) {
	x.Helper()
	for _, b := range list {
		ok(x, capi.BufferDestroyArgs{Buffer: b})
	}
}

func (x *caller) compile(name, signature string) *capi.LoadedExecutable {
	x.Helper()
	code := fmt.Sprintf("module @%s { func.func @main%s { } }", name, signature)
	program := &capi.Program{StructSize: capi.ProgramSize}
	program.Code, program.CodeSize = capi.StringData(code)
	program.Format, program.FormatSize = capi.StringData("mlir")
	return ok(x, capi.ClientCompileArgs{Client: x.c, Program: program}).Executable
}

// execution is the arguments of an execution on one device.
func execution(e *capi.LoadedExecutable, outputs []*capi.Buffer, args ...*capi.Buffer) capi.LoadedExecutableExecuteArgs {
	in, out := unsafe.SliceData(args), unsafe.SliceData(outputs)
	return capi.LoadedExecutableExecuteArgs{
		Executable: e, Options: &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize},
		ArgumentLists: &in, NumDevices: 1, NumArgs: uintptr(len(args)), OutputLists: &out,
	}
}

func TestExecutionsWithWrongArguments(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{Devices: 2})
	devices := x.devices(x.c)
	e := x.compile("add", "(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2xf32>) -> tensor<2xf32>")
	a, b := x.upload(x.c, devices[0], 1, 2), x.upload(x.c, devices[0], 3, 4)
	out := make([]*capi.Buffer, 1)
	other := ok(x, capi.ClientCreateArgs{}).Client
	foreign := x.upload(other, x.devices(other)[0], 1, 2)
	elsewhere, long := x.upload(x.c, devices[1], 1, 2), x.upload(x.c, devices[0], 1, 2, 3)
	deleted := x.upload(x.c, devices[0], 1, 2)
	ok(x, capi.BufferDeleteArgs{Buffer: deleted})

	wrong(x, "takes 2 arguments, but got 1", execution(e, out, a))
	wrong(x, "takes 2 arguments, but got 3", execution(e, out, a, b, b))
	wrong(x, "argument 1 for device 0: INVALID_ARGUMENT: the PJRT_Buffer is null", execution(e, out, a, nil))
	wrong(x, "argument 1 for device 0 belongs to another client", execution(e, out, a, foreign))
	wrong(x, "argument 1 is on device 1, but the program runs on device 0", execution(e, out, a, elsewhere))
	wrong(x, "argument 0 for device 0 is f32[3], but the program add takes f32[2]", execution(e, out, long, b))
	wrong(x, "argument 1 for device 0 was deleted", execution(e, out, a, deleted))
	wrong(x, "is donated, but also used in another place", execution(e, out, a, a))
	for text, change := range map[string]func(*capi.LoadedExecutableExecuteArgs){
		"PJRT_ExecuteOptions is null":    func(a *capi.LoadedExecutableExecuteArgs) { a.Options = nil },
		"arguments for 0 devices":        func(a *capi.LoadedExecutableExecuteArgs) { a.NumDevices = 0 },
		"arguments for 2 devices":        func(a *capi.LoadedExecutableExecuteArgs) { a.NumDevices = 2 },
		"argument lists are null":        func(a *capi.LoadedExecutableExecuteArgs) { a.ArgumentLists = nil },
		"argument list of device 0":      func(a *capi.LoadedExecutableExecuteArgs) { *a.ArgumentLists = nil },
		"output lists are null":          func(a *capi.LoadedExecutableExecuteArgs) { a.OutputLists = nil },
		"output list of device 0":        func(a *capi.LoadedExecutableExecuteArgs) { *a.OutputLists = nil },
		"not compiled for device 1":      func(a *capi.LoadedExecutableExecuteArgs) { a.ExecuteDevice = devices[1] },
		"belongs to another client":      func(a *capi.LoadedExecutableExecuteArgs) { a.ExecuteDevice = x.devices(other)[0] },
		"inputs not to donate is null":   func(a *capi.LoadedExecutableExecuteArgs) { a.Options.NumNonDonatableInputIndices = 1 },
		"send callbacks are null":        func(a *capi.LoadedExecutableExecuteArgs) { a.Options.NumSendOps = 1 },
		"recv callbacks are null":        func(a *capi.LoadedExecutableExecuteArgs) { a.Options.NumRecvOps = 1 },
		"output callbacks are null":      func(a *capi.LoadedExecutableExecuteArgs) { a.Options.NumHLOOutputCallbacks = 1 },
		"list of custom options is null": func(a *capi.LoadedExecutableExecuteArgs) { a.Options.NumCustomOptions = 1 },
		"is not a PJRT_ExecuteContext": func(a *capi.LoadedExecutableExecuteArgs) {
			a.Options.Context = (*capi.ExecuteContext)(unsafe.Pointer(new(cell)))
		},
		"struct_size is 8, and in API 0.": func(a *capi.LoadedExecutableExecuteArgs) { a.Options.StructSize = 8 },
	} {
		args := execution(e, out, a, b)
		change(&args)
		wrong(x, text, args)
	}
	assert.Nil(t, out[0], "nothing was made")
	assert.False(t, ok(x, capi.BufferIsDeletedArgs{Buffer: a}).IsDeleted, "nothing was consumed")

	args := execution(e, out, a, b)
	event := []*capi.Event{nil}
	args.DeviceCompleteEvents = &event[0]
	ok(x, args)
	ok(x, capi.EventAwaitArgs{Event: event[0]})
	got := make([]float32, 2)
	done := ok(x, capi.BufferToHostBufferArgs{Src: out[0], Dst: unsafe.Pointer(&got[0]), DstSize: 8}).Event
	ok(x, capi.EventAwaitArgs{Event: done})
	assert.Equal(t, []float32{4, 6}, got)
	ok(x, capi.EventDestroyArgs{Event: done})
	ok(x, capi.EventDestroyArgs{Event: event[0]})
	assert.True(t, ok(x, capi.BufferIsDeletedArgs{Buffer: a}).IsDeleted)
	ok(x, capi.LoadedExecutableDeleteArgs{Executable: e})
	wrong(x, "was deleted", execution(e, out, a, b), capi.ErrorCodeFailedPrecondition)
	x.destroy(a, b, out[0], foreign, elsewhere, long, deleted)
	ok(x, capi.LoadedExecutableDestroyArgs{Executable: e})
	ok(x, capi.ClientDestroyArgs{Client: other})
}

func TestMustAliases(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{})
	x.p.AddProgram(Program{Name: "must", Func: Identity, Aliases: []Alias{{Result: 0, Parameter: 0, Must: true}}})
	e := x.compile("must", "(%a: tensor<1xf32>) -> tensor<1xf32>")
	a, out := x.upload(x.c, x.devices(x.c)[0], 1), make([]*capi.Buffer, 1)
	args := execution(e, out, a)
	keep := []int64{-1, 0, 99}
	args.Options.NonDonatableInputIndices, args.Options.NumNonDonatableInputIndices = &keep[0], 3
	wrong(x, "argument 0 of the program must must be donated", args)
	args.Options.NumNonDonatableInputIndices = 1
	ok(x, args)
	assert.True(t, ok(x, capi.BufferIsDeletedArgs{Buffer: a}).IsDeleted)
	x.destroy(a, out[0])
	ok(x, capi.LoadedExecutableDestroyArgs{Executable: e})
}

func TestUploadsWithWrongArguments(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{Devices: 1, Processes: 2})
	devices := x.devices(x.c)
	data, dims := []float32{1, 2, 3, 4, 5, 6}, []int64{2, 3}
	good := func() capi.ClientBufferFromHostBufferArgs {
		return capi.ClientBufferFromHostBufferArgs{
			Client: x.c, Data: unsafe.Pointer(&data[0]), Type: capi.BufferTypeF32, Dims: &dims[0], NumDims: 2, Device: devices[0],
		}
	}
	int64s := func(list ...int64) *int64 { return &list[0] }
	tiled := func(order ...int64) *capi.BufferMemoryLayout {
		l := &capi.BufferMemoryLayout{StructSize: capi.BufferMemoryLayoutSize}
		t := l.Tiled()
		t.StructSize = capi.BufferMemoryLayoutTiledSize
		t.MinorToMajor, t.MinorToMajorSize = list(order)
		return l
	}
	type A = *capi.ClientBufferFromHostBufferArgs
	for text, change := range map[string]func(A){
		"arrays of the type INVALID":                                   func(a A) { a.Type = capi.BufferTypeInvalid },
		"arrays of the type BufferType(255)":                           func(a A) { a.Type = 255 },
		"9 is not a host buffer semantics":                             func(a A) { a.HostBufferSemantics = 9 },
		"the dimensions are null":                                      func(a A) { a.Dims = nil },
		"arrays of 65 dimensions":                                      func(a A) { a.NumDims = 65 },
		"negative dimension":                                           func(a A) { a.Dims = int64s(2, -3) },
		"is too large":                                                 func(a A) { a.Dims = int64s(1<<40, 1<<40) },
		"there are 1 strides for 2 dimensions":                         func(a A) { a.ByteStrides, a.NumByteStrides = int64s(4), 1 },
		"reach too far":                                                func(a A) { a.ByteStrides, a.NumByteStrides = int64s(1<<60, 4), 2 },
		"the data is null":                                             func(a A) { a.Data = nil },
		"neither a device nor a memory":                                func(a A) { a.Device = nil },
		"belongs to process 1":                                         func(a A) { a.Device = devices[1] },
		"which is not an order of 2 dimensions":                        func(a A) { a.DeviceLayout = tiled(0, 0) },
		"the layout has an order of 3 dimensions, but the array has 2": func(a A) { a.DeviceLayout = tiled(2, 1, 0) },
		"7 is not a layout type":                                       func(a A) { a.DeviceLayout = tiled(1, 0); a.DeviceLayout.Type = 7 },
		"the order of the layout is null":                              func(a A) { a.DeviceLayout = tiled(); a.DeviceLayout.Tiled().MinorToMajorSize = 2 },
		"has a struct_size of 0 bytes":                                 func(a A) { a.DeviceLayout = tiled(1, 0); a.DeviceLayout.Tiled().StructSize = 0 },
	} {
		a := good()
		change(&a)
		wrong(x, text, a)
	}
	a := good()
	a.DeviceLayout = tiled(1, 0)
	a.DeviceLayout.Tiled().NumTiles = 1
	wrong(x, "tiled layouts are not supported", a, capi.ErrorCodeUnimplemented)
	a = good()
	a.Type = capi.BufferTypeToken
	wrong(x, "tokens are not supported", a, capi.ErrorCodeUnimplemented)

	strides := func(list ...int64) *capi.BufferMemoryLayout {
		l := &capi.BufferMemoryLayout{StructSize: capi.BufferMemoryLayoutSize, Type: capi.BufferMemoryLayoutTypeStrides}
		s := l.Strides()
		s.StructSize = capi.BufferMemoryLayoutStridesSize
		s.ByteStrides, s.NumByteStrides = &list[0], uintptr(len(list))
		return l
	}
	a = good()
	a.DeviceLayout = strides(4, 100)
	wrong(x, "leave gaps", a, capi.ErrorCodeUnimplemented)
	a.DeviceLayout = strides(4)
	wrong(x, "the layout has 1 strides, but the array has 2 dimensions", a)
	a.DeviceLayout = strides(4, 8) // column-major
	made := ok(x, a)
	ok(x, capi.EventDestroyArgs{Event: made.DoneWithHostBuffer})

	// Downloads in every layout.
	download := func(l *capi.BufferMemoryLayout, n int) []float32 {
		x.Helper()
		size := ok(x, capi.BufferToHostBufferArgs{Src: made.Buffer, HostLayout: l}).DstSize
		require.Equal(t, uintptr(4*n), size)
		got := make([]float32, n)
		e := ok(x, capi.BufferToHostBufferArgs{Src: made.Buffer, HostLayout: l, Dst: unsafe.Pointer(&got[0]), DstSize: size}).Event
		ok(x, capi.EventDestroyArgs{Event: e})
		return got
	}
	assert.Equal(t, []float32{1, 4, 2, 5, 3, 6}, download(nil, 6), "that of the device")
	assert.Equal(t, data, download(tiled(1, 0), 6))
	assert.Equal(t, []float32{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}, download(strides(24, 8), 11))
	wrong(x, "negative strides", capi.BufferToHostBufferArgs{Src: made.Buffer, HostLayout: strides(-12, 4)}, capi.ErrorCodeUnimplemented)
	wrong(x, "takes 24 bytes, but the destination has room for 23",
		capi.BufferToHostBufferArgs{Src: made.Buffer, Dst: unsafe.Pointer(&data[0]), DstSize: 23})
	x.destroy(made.Buffer)
}

func TestEventsOfC(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{})
	e := ok(x, capi.EventCreateArgs{}).Event
	wrong(x, "the event is not ready", capi.EventErrorArgs{Event: e}, capi.ErrorCodeFailedPrecondition)
	wrong(x, "callback of PJRT_Event_OnReady is null", capi.EventOnReadyArgs{Event: e})
	wrong(x, "17 is not an error code", capi.EventSetArgs{Event: e, ErrorCode: 17})
	wrong(x, "the error message is null and has 3 bytes", capi.EventSetArgs{Event: e, ErrorCode: 1, ErrorMessageSize: 3})
	message := []byte("why")
	set := capi.EventSetArgs{Event: e, ErrorCode: capi.ErrorCodeDataLoss}
	set.ErrorMessage, set.ErrorMessageSize = capi.BytesData(message)
	ok(x, set)
	copy(message, "???")
	for range 2 {
		wrong(x, "why", capi.EventErrorArgs{Event: e}, capi.ErrorCodeDataLoss)
		wrong(x, "why", capi.EventAwaitArgs{Event: e}, capi.ErrorCodeDataLoss)
	}
	ok(x, capi.EventDestroyArgs{Event: e})

	never := ok(x, capi.EventCreateArgs{}).Event
	told := make(chan error, 1)
	callback, h := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) { told <- x.p.Table().TakeError(err) })
	ok(x, capi.EventOnReadyArgs{Event: never, Callback: callback, UserArg: uintptr(h)})
	ok(x, capi.EventDestroyArgs{Event: never})
	assert.ErrorIs(t, <-told, capi.ErrorCodeCancelled)

	b := x.upload(x.c, x.devices(x.c)[0], 1)
	ready := ok(x, capi.BufferReadyEventArgs{Buffer: b}).Event
	wrong(x, "was not made by PJRT_Event_Create", capi.EventSetArgs{Event: ready}, capi.ErrorCodeFailedPrecondition)
	ok(x, capi.EventDestroyArgs{Event: ready})
	x.destroy(b)
}

func TestRawBuffers(t *testing.T) {
	t.Parallel()
	for _, minor := range []int{rawBufferTableSince - 1, capi.APIMinor} {
		x := newCaller(t, Options{Minor: minor})
		memories := ok(x, capi.ClientAddressableMemoriesArgs{Client: x.c})
		b := x.upload(x.c, x.devices(x.c)[0], 1, 2)
		raw := ok(x, capi.RawBufferCreateRawAliasOfBufferArgs{Buffer: b}).RawBuffer
		assert.Equal(t, minor >= rawBufferTableSince, raw.Vtable != nil)
		assert.Equal(t, uintptr(8), ok(x, capi.RawBufferGetOnDeviceSizeInBytesArgs{Buffer: raw}).OnDeviceSizeInBytes)
		assert.Same(t, *memories.AddressableMemories, ok(x, capi.RawBufferGetMemorySpaceArgs{Buffer: raw}).MemorySpace)
		assert.Nil(t, ok(x, capi.RawBufferGetHostPointerArgs{Buffer: raw}).HostPointer, "not of the host")
		src := []float32{7}
		e := ok(x, capi.RawBufferCopyRawHostToDeviceArgs{Buffer: raw, Src: unsafe.Pointer(&src[0]), Offset: 4, TransferSize: 4}).Event
		ok(x, capi.EventAwaitArgs{Event: e})
		ok(x, capi.EventDestroyArgs{Event: e})
		assert.Equal(t, []float32{1, 7}, x.raw(raw, 2))
		wrong(x, "8 bytes at 4 are not within the 8 bytes of the buffer",
			capi.RawBufferCopyRawDeviceToHostArgs{Buffer: raw, Dst: unsafe.Pointer(&src[0]), Offset: 4, TransferSize: 8})
		wrong(x, "host memory of 4 bytes is null", capi.RawBufferCopyRawHostToDeviceArgs{Buffer: raw, TransferSize: 4})
		x.destroy(b)
		ok(x, capi.RawBufferDestroyArgs{Buffer: raw})
		wrong(x, "was destroyed", capi.RawBufferDestroyArgs{Buffer: raw})
	}
}

// raw reads n float32 through a raw buffer.
func (x *caller) raw(raw *capi.RawBuffer, n int) []float32 {
	x.Helper()
	dst := make([]float32, n)
	e := ok(x, capi.RawBufferCopyRawDeviceToHostArgs{Buffer: raw, Dst: unsafe.Pointer(&dst[0]), TransferSize: int64(4 * n)}).Event
	ok(x, capi.EventAwaitArgs{Event: e})
	ok(x, capi.EventDestroyArgs{Event: e})
	return dst
}

func TestTheTableOfRawBuffersAgreesWithTheExtension(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{HostDevices: true})
	b := x.upload(x.c, x.devices(x.c)[0], 1, 2, 3)
	raw := ok(x, capi.RawBufferCreateRawAliasOfBufferArgs{Buffer: b}).RawBuffer
	table := raw.Vtable
	p := ok(x, capi.RawBufferGetHostPointerArgs{Buffer: raw}).HostPointer
	assert.Equal(t, []float32{1, 2, 3}, unsafe.Slice((*float32)(p), 3))
	assert.Equal(t, p, table.GetHostPointer.Call(raw))
	assert.Equal(t, uintptr(p), table.OpaqueDeviceMemoryDataPointer.Call(raw))
	assert.Equal(t, uintptr(12), table.GetOnDeviceSizeInBytes.Call(raw))
	assert.Same(t, ok(x, capi.BufferMemoryArgs{Buffer: b}).Memory, table.GetMemorySpace.Call(raw))
	assert.True(t, table.IsMutable.Call(raw))

	var part *capi.RawBuffer
	require.NoError(t, x.p.Table().TakeError(table.Slice.Call(raw, 4, 8, &part)))
	assert.Equal(t, []float32{2, 3}, x.raw(part, 2))
	assert.Equal(t, unsafe.Add(p, 4), table.GetHostPointer.Call(part))
	assert.ErrorIs(t, x.p.Table().TakeError(table.Slice.Call(raw, 8, 8, &part)), capi.ErrorCodeInvalidArgument)
	for _, h := range []*capi.ErrorHandle{
		table.CopyRawHostToDeviceAndReturnEvent.Call(raw, p, 0, 4, nil, nil),
		table.CopyRawDeviceToHostAndReturnEvent.Call(raw, p, 0, 4, nil, nil),
		table.MakeAllocationReadyEvent.Call(raw, nil), table.GetRawBufferAsyncValue.Call(raw, nil),
	} {
		assert.ErrorIs(t, x.p.Table().TakeError(h), capi.ErrorCodeUnimplemented)
	}
	table.IncRef.Call(raw)
	ok(x, capi.RawBufferDestroyArgs{Buffer: raw})
	x.destroy(b)
	assert.Equal(t, []float32{1, 2, 3}, x.raw(raw, 3), "a reference is left")
	table.DecRef.Call(raw)
	table.DecRef.Call(part)
	assert.Zero(t, table.GetOnDeviceSizeInBytes.Call(raw), "of a raw buffer that is gone")
}

func TestProfilers(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{})
	h := ok(x, capi.ProfilerCreateArgs{}).Profiler
	wrong(x, "is not recording", capi.ProfilerStopArgs{Profiler: h}, capi.ErrorCodeFailedPrecondition)
	wrong(x, "no data before it is stopped", capi.ProfilerCollectDataArgs{Profiler: h}, capi.ErrorCodeFailedPrecondition)
	ok(x, capi.ProfilerStartArgs{Profiler: h})
	wrong(x, "was already started", capi.ProfilerStartArgs{Profiler: h}, capi.ErrorCodeFailedPrecondition)
	e := x.compile("add", "(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32>")
	a, out, event := x.upload(x.c, x.devices(x.c)[0], 1), make([]*capi.Buffer, 1), make([]*capi.Event, 1)
	args := execution(e, out, a, a)
	args.DeviceCompleteEvents = &event[0]
	ok(x, args)
	ok(x, capi.EventAwaitArgs{Event: event[0]})
	ok(x, capi.EventDestroyArgs{Event: event[0]})
	x.destroy(a, out[0])
	ok(x, capi.LoadedExecutableDestroyArgs{Executable: e})
	ok(x, capi.ProfilerStopArgs{Profiler: h})

	data := make([]byte, ok(x, capi.ProfilerCollectDataArgs{Profiler: h}).BufferSizeInBytes)
	ok(x, capi.ProfilerCollectDataArgs{Profiler: h, Buffer: &data[0]})
	plane := last(data, 1).Bytes
	assert.Equal(t, "/device:PJRTTEST:0", string(last(plane, 2).Bytes))
	assert.Equal(t, "add", string(last(last(last(plane, 4).Bytes, 2).Bytes, 2).Bytes))
	assert.NotEmpty(t, last(last(plane, 3).Bytes, 4).Bytes, "an event")

	r := ok(x, capi.ProfilerConsumeArgs{Profiler: h}).Result
	s := ok(x, capi.ProfilerSerializeArgs{Profiler: h, ConsumeResult: r})
	assert.Equal(t, data, capi.Bytes(s.SerializedBytes, s.SerializedSize))
	ok(x, capi.ProfilerConsumeResultDestroyArgs{ConsumeResult: r})
	ok(x, capi.ProfilerDestroyArgs{Profiler: h})
	wrong(x, "was destroyed", capi.ProfilerStartArgs{Profiler: h})
}

func TestPhases(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{})
	compiler := ok(x, capi.PhaseCompileGetCompilerArgs{}).PhaseCompiler
	texts := func(list **byte, sizes *uintptr, n uintptr) []string {
		var all []string
		for i, p := range capi.Slice(list, n) {
			all = append(all, capi.String(p, capi.Slice(sizes, n)[i]))
		}
		ok(x, capi.PhaseCompileCBuffersDestroyArgs{CharBuffers: list, CharBufferSizes: sizes, NumCharBuffers: n})
		return all
	}
	names := ok(x, capi.PhaseCompileGetPhaseNamesArgs{PhaseCompiler: compiler})
	assert.Equal(t, phases, texts(names.PhaseNames, names.PhaseNamesSizes, names.NumPhaseNames))

	topology := ok(x, capi.ClientTopologyDescriptionArgs{Client: x.c}).Topology
	run := func(program []byte, phases ...string) (string, error) {
		list, size := unsafe.SliceData(program), uintptr(len(program))
		a := capi.PhaseCompileRunPhaseArgs{
			PhaseCompiler: compiler, Topology: topology,
			InputPrograms: &list, InputProgramsSizes: &size, NumInputPrograms: 1, NumPhasesToRun: uintptr(len(phases)),
		}
		pointers, sizes := make([]*byte, len(phases)+1), make([]uintptr, len(phases)+1)
		for i, name := range phases {
			pointers[i], sizes[i] = capi.StringData(name)
		}
		a.PhasesToRun, a.PhasesToRunSizes = &pointers[0], &sizes[0]
		out, err := try(x, a)
		if err != nil {
			return "", err
		}
		return texts(out.OutputPrograms, out.OutputProgramsSizes, out.NumOutputPrograms)[0], nil
	}
	partial := func(code string) []byte {
		return wire.AppendBytes(wire.AppendBytes(nil, fieldPartialCode, code), fieldPartialFormat, "mlir")
	}
	const code = "module @add { func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> { } }"
	checked, err := run(partial(code), "check")
	require.NoError(t, err)
	assert.Equal(t, "finish", string(last([]byte(checked), fieldPartialConsumers).Bytes))
	finished, err := run([]byte(checked), "finish")
	require.NoError(t, err)
	both, err := run(partial(code), "check", "finish")
	require.NoError(t, err)
	assert.Equal(t, finished, both)
	assert.Equal(t, code, string(last([]byte(both), fieldPartialCode).Bytes))
	assert.Equal(t, "add", string(last([]byte(both), fieldPartialName).Bytes))
	for text, call := range map[string]func() (string, error){
		"there are no phases":            func() (string, error) { return run(partial(code)) },
		"there is no phase \"nonsense\"": func() (string, error) { return run(partial(code), "nonsense") },
		"the program comes from \"\"":    func() (string, error) { return run(partial(code), "finish") },
		"is not a partial program":       func() (string, error) { return run([]byte{1, 2, 3}, "check") },
		"is not known":                   func() (string, error) { return run(partial("module @other {}"), "check") },
	} {
		_, err := call()
		assert.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, text)
		assert.ErrorContains(t, err, text)
	}
	ok(x, capi.PhaseCompileDestroyCompilerArgs{PhaseCompiler: compiler})
	assert.False(t, New(t, Options{Minor: phasesSince - 1}).Plugin().Supports("PJRT_PhaseCompile_Get_Compiler"))
}

func TestLayoutsAndMemoryDescriptions(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{})
	dims := []int64{2, 3, 4}
	topology := ok(x, capi.ClientTopologyDescriptionArgs{Client: x.c}).Topology
	b := x.upload(x.c, x.devices(x.c)[0], 1)
	for want, l := range map[string]*capi.LayoutsMemoryLayout{
		"{2,1,0}": ok(x, capi.LayoutsClientGetDefaultLayoutArgs{Client: x.c, Type: capi.BufferTypeF32, Dims: &dims[0], NumDims: 3}).Layout,
		"{1,0}":   ok(x, capi.LayoutsTopologyGetDefaultLayoutArgs{TopologyDescription: topology, Type: capi.BufferTypeF32, Dims: &dims[0], NumDims: 2}).Layout,
		"{0}":     ok(x, capi.LayoutsBufferMemoryLayoutArgs{Buffer: b}).Layout,
	} {
		s := ok(x, capi.LayoutsMemoryLayoutSerializeArgs{Layout: l})
		assert.Equal(t, want, capi.String(s.SerializedBytes, s.SerializedBytesSize))
		s.SerializedLayoutDeleter.Call(s.SerializedLayout)
		ok(x, capi.LayoutsMemoryLayoutDestroyArgs{Layout: l})
	}
	x.destroy(b)
	wrong(x, "the topology belongs to its client", capi.TopologyDescriptionDestroyArgs{Topology: topology})

	descriptions := ok(x, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: topology})
	m := ok(x, capi.DeviceDescriptionMemoryDescriptionsArgs{DeviceDescription: *descriptions.Descriptions})
	assert.Zero(t, m.DefaultMemoryIndex)
	var kinds []string
	for i, h := range capi.Slice(m.MemoryDescriptions, m.NumMemoryDescriptions) {
		k := ok(x, capi.MemoryDescriptionKindArgs{MemoryDescription: h})
		kinds = append(kinds, capi.String(k.Kind, k.KindSize))
		assert.Equal(t, int32(i), k.KindID)
	}
	assert.Equal(t, []string{"device", "pinned_host"}, kinds)
}

func TestDonationsThatLoseARaceGiveBackWhatTheyTook(t *testing.T) {
	t.Parallel()
	p := New(t, Options{})
	c := p.newClient(0, []int{1})
	m := c.memories[0]
	buffers := make([]*buffer, 2)
	for i := range buffers {
		data, err := m.newStorage(4)
		require.NoError(t, err)
		shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{1}}
		h := m.newBuffer(shape, rowMajor(1), newContents(data, readyFuture(nil)))
		buffers[i], err = find[*buffer](p, h)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, p.bufferDestroy(&capi.BufferDestroyArgs{Buffer: h})) })
	}
	l := &launch{p: p, args: [][]argument{{{buffer: buffers[0], donated: true}, {buffer: buffers[1], donated: true}}}}
	buffers[1].delete("deleted") // the race is lost between the check and the donation
	assert.ErrorContains(t, l.takeArguments(), "was deleted")
	assert.False(t, buffers[0].isDeleted())
	assert.Equal(t, int64(4), m.inUse)
	require.NoError(t, p.clientDestroy(&capi.ClientDestroyArgs{Client: c.handle}))
}
