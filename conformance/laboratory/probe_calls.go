// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package laboratory

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
)

// caller finds out which functions of a plugin a client such as JAX can use: it calls each once or
// more, with valid arguments, in a process of its own that may die, and keeps what is wrong with
// them.
type caller struct {
	table   *capi.Table
	options []capi.Attribute
	skip    map[string]bool // functions that are not called
	wrong   map[string]callers.Mode
	details map[string]string

	client  *capi.Client
	device  *capi.Device
	other   *capi.Device // of the plugin's, or nil if there is one device
	memory  *capi.Memory
	current []int64 // the version of StableHLO that the plugin names, or nil
	offHost bool    // a buffer is not in the host's memory
}

// wrongNumbers notes that a function succeeded with wrong numbers.
func (c *caller) wrongNumbers(function string, got, want []float32) {
	if _, ok := c.wrong[function]; !ok {
		c.wrong[function] = callers.Miscomputes
		c.details[function] = fmt.Sprintf("%v came out, and %v was expected", got, want)
	}
}

// try calls a function and reports whether it succeeded.
func try[A any](c *caller, args *A) bool {
	f := check.FunctionOf[A]()
	if !c.table.Has(f) || c.skip[f.Name] {
		return false
	}
	call := &capi.Call[A]{Args: *args}
	err := call.Do(c.table)
	*args = call.Args
	if err == nil {
		return true
	}
	var e *capi.Error
	if errors.As(err, &e) && e.Missing {
		return false
	}
	mode := callers.Fails
	if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
		mode = callers.Unimplemented
	}
	if _, ok := c.wrong[f.Name]; !ok {
		c.wrong[f.Name], c.details[f.Name] = mode, err.Error()
	}
	return false
}

// run calls everything. What needs the result of a call that fails is left out.
func (c *caller) run() {
	try(c, &capi.PluginInitializeArgs{})
	var attributes capi.PluginAttributesArgs
	if try(c, &attributes) {
		for _, a := range capi.Attributes(attributes.Attributes, attributes.NumAttributes) {
			if v, ok := a.Value.([]int64); ok && a.Name == "stablehlo_current_version" {
				c.current = v
			}
		}
	}
	values, err := capi.NewNamedValues(c.options)
	if err != nil {
		c.wrong["PJRT_Client_Create"], c.details["PJRT_Client_Create"] = callers.Fails, err.Error()
		return
	}
	var create capi.ClientCreateArgs
	create.CreateOptions, create.NumOptions = values.Data()
	ok := try(c, &create)
	runtime.KeepAlive(values)
	if c.client = create.Client; !ok || c.client == nil {
		return
	}
	c.describe()
	if c.device != nil {
		c.buffers()
		c.programs()
	}
	try(c, &capi.ClientDestroyArgs{Client: c.client})
}

// describe asks for devices, memories and the topology.
func (c *caller) describe() {
	try(c, &capi.ClientPlatformNameArgs{Client: c.client})
	try(c, &capi.ClientPlatformVersionArgs{Client: c.client})
	try(c, &capi.ClientProcessIndexArgs{Client: c.client})
	topology := capi.ClientTopologyDescriptionArgs{Client: c.client}
	if try(c, &topology) && topology.Topology != nil {
		c.topology(topology.Topology)
	}
	devices := capi.ClientDevicesArgs{Client: c.client}
	if try(c, &devices) {
		for _, d := range capi.Slice(devices.Devices, devices.NumDevices) {
			c.describeDevice(d)
		}
	}
	addressable := capi.ClientAddressableDevicesArgs{Client: c.client}
	if try(c, &addressable) && addressable.NumAddressableDevices > 0 {
		list := capi.Slice(addressable.AddressableDevices, addressable.NumAddressableDevices)
		if c.device = list[0]; len(list) > 1 {
			c.other = list[1]
		}
	}
	memories := capi.ClientAddressableMemoriesArgs{Client: c.client}
	if try(c, &memories) {
		for _, m := range capi.Slice(memories.AddressableMemories, memories.NumAddressableMemories) {
			c.describeMemory(m)
		}
	}
	assignment := make([]int32, 1)
	args := capi.ClientDefaultDeviceAssignmentArgs{Client: c.client, NumReplicas: 1, NumPartitions: 1}
	args.DefaultAssignment, args.DefaultAssignmentSize = check.First(assignment)
	try(c, &args)
	runtime.KeepAlive(assignment)
}

func (c *caller) topology(t *capi.TopologyDescription) {
	try(c, &capi.TopologyDescriptionPlatformNameArgs{Topology: t})
	try(c, &capi.TopologyDescriptionPlatformVersionArgs{Topology: t})
	try(c, &capi.TopologyDescriptionAttributesArgs{Topology: t})
	try(c, &capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: t})
	s := capi.TopologyDescriptionSerializeArgs{Topology: t}
	if try(c, &s) && s.SerializedTopologyDeleter != 0 {
		s.SerializedTopologyDeleter.Call(s.SerializedTopology)
	}
}

func (c *caller) describeDevice(d *capi.Device) {
	addressable := capi.DeviceIsAddressableArgs{Device: d}
	usable := try(c, &addressable) && addressable.IsAddressable
	description := capi.DeviceGetDescriptionArgs{Device: d}
	if try(c, &description) && description.DeviceDescription != nil {
		x := description.DeviceDescription
		id := capi.DeviceDescriptionIDArgs{DeviceDescription: x}
		if try(c, &id) {
			try(c, &capi.ClientLookupDeviceArgs{Client: c.client, ID: id.ID})
		}
		try(c, &capi.DeviceDescriptionProcessIndexArgs{DeviceDescription: x})
		try(c, &capi.DeviceDescriptionAttributesArgs{DeviceDescription: x})
		try(c, &capi.DeviceDescriptionKindArgs{DeviceDescription: x})
		try(c, &capi.DeviceDescriptionDebugStringArgs{DeviceDescription: x})
		try(c, &capi.DeviceDescriptionToStringArgs{DeviceDescription: x})
	}
	if !usable {
		return
	}
	local := capi.DeviceLocalHardwareIDArgs{Device: d}
	if try(c, &local) && local.LocalHardwareID >= 0 {
		try(c, &capi.ClientLookupAddressableDeviceArgs{Client: c.client, LocalHardwareID: local.LocalHardwareID})
	}
	try(c, &capi.DeviceAddressableMemoriesArgs{Device: d})
	memory := capi.DeviceDefaultMemoryArgs{Device: d}
	if try(c, &memory) && c.memory == nil {
		c.memory = memory.Memory
	}
	try(c, &capi.DeviceMemoryStatsArgs{Device: d})
}

func (c *caller) describeMemory(m *capi.Memory) {
	try(c, &capi.MemoryIDArgs{Memory: m})
	try(c, &capi.MemoryKindArgs{Memory: m})
	try(c, &capi.MemoryKindIDArgs{Memory: m})
	try(c, &capi.MemoryDebugStringArgs{Memory: m})
	try(c, &capi.MemoryToStringArgs{Memory: m})
	try(c, &capi.MemoryAddressableByDevicesArgs{Memory: m})
}

// uploaded are the numbers in the buffers that upload makes.
func uploaded() []float32 { return []float32{1, 2, 3, 4} }

// upload makes a buffer of four numbers, or returns nil.
func (c *caller) upload() *capi.Buffer {
	data, dims := uploaded(), []int64{4}
	args := capi.ClientBufferFromHostBufferArgs{Client: c.client, Device: c.device, Type: capi.BufferTypeF32, Data: check.Pointer(data)}
	args.Dims, args.NumDims = check.First(dims)
	ok := try(c, &args)
	if ok {
		c.wait(args.DoneWithHostBuffer)
	}
	runtime.KeepAlive(data)
	runtime.KeepAlive(dims)
	if !ok {
		return nil
	}
	return args.Buffer
}

// wait waits for an event in every way that there is, and destroys it.
func (c *caller) wait(e *capi.Event) {
	if e == nil {
		return
	}
	done := make(chan struct{})
	callback, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
		if err != nil {
			_ = c.table.TakeError(err)
		}
		close(done)
	})
	if try(c, &capi.EventOnReadyArgs{Event: e, Callback: callback, UserArg: uintptr(handle)}) {
		<-done
	} else {
		handle.Delete()
	}
	if try(c, &capi.EventAwaitArgs{Event: e}) {
		ready := capi.EventIsReadyArgs{Event: e}
		if try(c, &ready) && ready.IsReady {
			try(c, &capi.EventErrorArgs{Event: e})
		}
	}
	try(c, &capi.EventDestroyArgs{Event: e})
}

func (c *caller) buffers() {
	b := c.upload()
	if b == nil {
		return
	}
	ready := capi.BufferReadyEventArgs{Buffer: b}
	if try(c, &ready) {
		c.wait(ready.Event)
	}
	try(c, &capi.BufferElementTypeArgs{Buffer: b})
	try(c, &capi.BufferDimensionsArgs{Buffer: b})
	try(c, &capi.BufferUnpaddedDimensionsArgs{Buffer: b})
	try(c, &capi.BufferDynamicDimensionIndicesArgs{Buffer: b})
	try(c, &capi.BufferOnDeviceSizeInBytesArgs{Buffer: b})
	try(c, &capi.BufferDeviceArgs{Buffer: b})
	try(c, &capi.BufferMemoryArgs{Buffer: b})
	try(c, &capi.BufferIsDeletedArgs{Buffer: b})
	onCPU := capi.BufferIsOnCPUArgs{Buffer: b}
	c.offHost = try(c, &onCPU) && !onCPU.IsOnCPU
	address := capi.BufferUnsafePointerArgs{Buffer: b}
	if try(c, &address) && !c.offHost {
		c.view(address.BufferPointer)
	}
	if try(c, &capi.BufferIncreaseExternalReferenceCountArgs{Buffer: b}) {
		try(c, &capi.BufferOpaqueDeviceMemoryDataPointerArgs{Buffer: b})
		try(c, &capi.BufferDecreaseExternalReferenceCountArgs{Buffer: b})
	}
	c.bufferLayout(b)
	c.expect(b, "PJRT_Client_BufferFromHostBuffer", uploaded())
	if c.other != nil {
		args := capi.BufferCopyToDeviceArgs{Buffer: b, DstDevice: c.other}
		if try(c, &args) {
			c.expect(args.DstBuffer, "PJRT_Buffer_CopyToDevice", uploaded())
			try(c, &capi.BufferDestroyArgs{Buffer: args.DstBuffer})
		}
	}
	if c.memory != nil {
		args := capi.BufferCopyToMemoryArgs{Buffer: b, DstMemory: c.memory}
		if try(c, &args) {
			c.expect(args.DstBuffer, "PJRT_Buffer_CopyToMemory", uploaded())
			try(c, &capi.BufferDestroyArgs{Buffer: args.DstBuffer})
		}
	}
	try(c, &capi.BufferDeleteArgs{Buffer: b})
	try(c, &capi.BufferDestroyArgs{Buffer: b})
}

// view makes a buffer of memory that holds the numbers of upload.
func (c *caller) view(address uintptr) {
	dims := []int64{int64(len(uploaded()))}
	args := capi.ClientCreateViewOfDeviceBufferArgs{
		Client: c.client, Device: c.device, DeviceBufferPtr: address, ElementType: capi.BufferTypeF32,
	}
	args.Dims, args.NumDims = check.First(dims)
	callback, handle := capi.NewOnDeleteCallback(func() {}) // some plugins die of a null one
	args.OnDeleteCallback, args.OnDeleteCallbackArg = callback, uintptr(handle)
	if try(c, &args) {
		c.expect(args.Buffer, "PJRT_Client_CreateViewOfDeviceBuffer", uploaded())
		try(c, &capi.BufferDestroyArgs{Buffer: args.Buffer})
	}
	runtime.KeepAlive(dims)
}

// expect reads a buffer of four numbers, and compares them with those that the function which made
// the buffer should have put there.
func (c *caller) expect(b *capi.Buffer, maker string, want []float32) {
	data, layout := make([]float32, len(want)), check.RowMajor(1)
	args := capi.BufferToHostBufferArgs{Src: b, HostLayout: layout, Dst: check.Pointer(data), DstSize: uintptr(4 * len(want))}
	ok := b != nil && try(c, &args)
	if ok {
		c.wait(args.Event)
	}
	runtime.KeepAlive(layout)
	if ok && !slices.Equal(data, want) {
		c.wrongNumbers(maker, data, want)
	}
}

func (c *caller) bufferLayout(b *capi.Buffer) {
	dims := []int64{4}
	standard := capi.LayoutsClientGetDefaultLayoutArgs{Client: c.client, Type: capi.BufferTypeF32}
	standard.Dims, standard.NumDims = check.First(dims)
	if try(c, &standard) {
		try(c, &capi.LayoutsMemoryLayoutDestroyArgs{Layout: standard.Layout})
	}
	runtime.KeepAlive(dims)
	layout := capi.LayoutsBufferMemoryLayoutArgs{Buffer: b}
	if !try(c, &layout) || layout.Layout == nil {
		return
	}
	s := capi.LayoutsMemoryLayoutSerializeArgs{Layout: layout.Layout}
	if try(c, &s) && s.SerializedLayoutDeleter != 0 {
		s.SerializedLayoutDeleter.Call(s.SerializedLayout)
	}
	try(c, &capi.LayoutsMemoryLayoutDestroyArgs{Layout: layout.Layout})
}

// artifact returns the newest portable artifact that the plugin says it reads, since clients such
// as JAX send no text. A plugin that names no version gets an old one.
func (c *caller) artifact() string {
	code := check.Artifacts[0].Code
	for _, a := range check.Artifacts {
		if c.current != nil && slices.Compare(a.Version, c.current) <= 0 {
			code = a.Code
		}
	}
	return code
}

// text is the program of the artifacts as text, which clients such as GoMLX send.
const text = `module { func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<[1.0e1, 2.0e1, 3.0e1, 4.0e1]> : tensor<4xf32>
  %s = stablehlo.add %a, %c : tensor<4xf32>
  return %s : tensor<4xf32>
} }`

// compileAll compiles the program in each form that clients send, and returns one of the results,
// or nil. Where only one form fails, that does not concern the clients that send the other.
func (c *caller) compileAll() (loaded *capi.LoadedExecutable) {
	compile := check.FunctionOf[capi.ClientCompileArgs]().Name
	failed := make(map[string]callers.Mode)
	details := make(map[string]string)
	for _, form := range []struct{ name, code string }{{callers.Artifacts, c.artifact()}, {callers.Text, text}} {
		x := c.compile(form.code)
		if mode, ok := c.wrong[compile]; ok && x == nil {
			failed[form.name], details[form.name] = mode, c.details[compile]
			delete(c.wrong, compile)
			delete(c.details, compile)
		}
		switch {
		case loaded == nil:
			loaded = x
		case x != nil:
			try(c, &capi.LoadedExecutableDestroyArgs{Executable: x})
		}
	}
	for form, mode := range failed {
		key := compile
		if loaded != nil {
			key += " of " + form
		}
		c.wrong[key], c.details[key] = mode, details[form]
	}
	return loaded
}

func (c *caller) compile(code string) *capi.LoadedExecutable {
	options := check.Devices(1, 1)
	program := check.Program("mlir", code)
	args := capi.ClientCompileArgs{Client: c.client, Program: program}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options)
	ok := try(c, &args)
	runtime.KeepAlive(options)
	runtime.KeepAlive(program)
	if !ok {
		return nil
	}
	return args.Executable
}

// computed are the numbers that the artifacts make of those that upload uploads.
func computed() []float32 { return []float32{11, 22, 33, 44} }

func (c *caller) programs() {
	loaded := c.compileAll()
	if loaded == nil {
		return
	}
	try(c, &capi.LoadedExecutableAddressableDevicesArgs{Executable: loaded})
	assignment := capi.LoadedExecutableGetDeviceAssignmentArgs{Executable: loaded}
	if try(c, &assignment) && assignment.SerializedDeviceAssignmentDeleter != 0 {
		assignment.SerializedDeviceAssignmentDeleter.Call(assignment.SerializedDeviceAssignment)
	}
	get := capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: loaded}
	if try(c, &get) && get.Executable != nil {
		c.executable(get.Executable)
		try(c, &capi.ExecutableDestroyArgs{Executable: get.Executable})
	}
	c.execute(loaded)
	try(c, &capi.LoadedExecutableDestroyArgs{Executable: loaded})
}

// executable asks for everything that a client asks about a program.
func (c *caller) executable(e *capi.Executable) {
	try(c, &capi.ExecutableNameArgs{Executable: e})
	try(c, &capi.ExecutableNumReplicasArgs{Executable: e})
	try(c, &capi.ExecutableNumPartitionsArgs{Executable: e})
	try(c, &capi.ExecutableNumOutputsArgs{Executable: e})
	try(c, &capi.ExecutableSizeOfGeneratedCodeInBytesArgs{Executable: e})
	try(c, &capi.ExecutableGetCostAnalysisArgs{Executable: e})
	try(c, &capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e})
	try(c, &capi.ExecutableOutputElementTypesArgs{Executable: e})
	try(c, &capi.ExecutableOutputDimensionsArgs{Executable: e})
	try(c, &capi.ExecutableOutputMemoryKindsArgs{Executable: e})
	try(c, &capi.ExecutableFingerprintArgs{Executable: e})
	try(c, &capi.LayoutsExecutableGetOutputLayoutsArgs{Executable: e})
	try(c, &capi.LayoutsExecutableGetParameterLayoutsArgs{Executable: e})
	c.optimized(e)
	s := capi.ExecutableSerializeArgs{Executable: e}
	if !try(c, &s) {
		return
	}
	load := capi.ExecutableDeserializeAndLoadArgs{Client: c.client}
	load.SerializedExecutable, load.SerializedExecutableSize = s.SerializedBytes, s.SerializedBytesSize
	if try(c, &load) && load.LoadedExecutable != nil {
		try(c, &capi.LoadedExecutableDestroyArgs{Executable: load.LoadedExecutable})
	}
	if s.SerializedExecutableDeleter != 0 {
		s.SerializedExecutableDeleter.Call(s.SerializedExecutable)
	}
}

// optimized asks for the size of the optimized program, and then for its code.
func (c *caller) optimized(e *capi.Executable) {
	p := &capi.Program{StructSize: capi.ProgramSize}
	if !try(c, &capi.ExecutableOptimizedProgramArgs{Executable: e, Program: p}) || p.CodeSize == 0 {
		return
	}
	code := make([]byte, p.CodeSize)
	p.Code = &code[0]
	try(c, &capi.ExecutableOptimizedProgramArgs{Executable: e, Program: p})
	runtime.KeepAlive(code)
}

func (c *caller) execute(loaded *capi.LoadedExecutable) {
	in := c.upload()
	if in == nil {
		return
	}
	x := check.NewExecution(loaded, 1, []*capi.Buffer{in})
	var context capi.ExecuteContextCreateArgs
	if try(c, &context) {
		x.Options.Context = context.Context
		c.userData(context.Context)
	}
	if try(c, &x.Args) {
		c.wait(x.Events[0])
		c.expect(x.Outputs[0][0], "PJRT_LoadedExecutable_Execute", computed())
		try(c, &capi.BufferDestroyArgs{Buffer: x.Outputs[0][0]})
	}
	runtime.KeepAlive(x)
	if context.Context != nil {
		try(c, &capi.ExecuteContextDestroyArgs{Context: context.Context})
	}
	try(c, &capi.BufferDestroyArgs{Buffer: in})
}

// types counts the types of this process, which stay registered.
var types atomic.Int64

// userData adds a value to an execute context.
func (c *caller) userData(x *capi.ExecuteContext) {
	r := capi.FFITypeRegisterArgs{TypeInfo: new(capi.FFITypeInfo)} // some plugins die of a null one
	r.TypeName, r.TypeNameSize = capi.StringData(fmt.Sprintf("purepjrt_probe_%d", types.Add(1)))
	if try(c, &r) {
		try(c, &capi.FFIUserDataAddArgs{Context: x, UserData: capi.FFIUserData{TypeID: r.TypeID, Data: 1}})
	}
	runtime.KeepAlive(r.TypeInfo)
}
