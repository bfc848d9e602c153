// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// Programs, in StableHLO.
const (
	addProgram = `module @add4 {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
	// pairProgram returns a sum and a product of different shapes.
	pairProgram = `module @pair {
  func.func @main(%a: tensor<2x3xi32>, %b: tensor<i32>) -> (tensor<2x3xi32>, tensor<i32>) {
    %0 = stablehlo.add %a, %a : tensor<2x3xi32>
    %1 = stablehlo.multiply %b, %b : tensor<i32>
    return %0, %1 : tensor<2x3xi32>, tensor<i32>
  }
}`
	// donateProgram may write its result to the memory of its argument.
	donateProgram = `module @donate {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
	// sumProgram adds its argument over two replicas.
	sumProgram = `module @sum {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
	// heavyProgram multiplies a few matrices, which takes long enough to run on a thread of the
	// plugin.
	heavyProgram = `module @heavy {
  func.func @main(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %2 = stablehlo.dot_general %1, %a, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    return %2 : tensor<256x256xf32>
  }
}`
)

// Compile options, serialized: an ExecutableBuildOptions with the numbers of
// replicas and partitions.
var (
	oneDevice   = []byte{0x1a, 4, 0x20, 1, 0x28, 1}
	twoReplicas = []byte{0x1a, 4, 0x20, 2, 0x28, 1}
)

// rig is a client of the CPU plugin with its devices.
type rig struct {
	*plugin
	client   *capi.Client
	devices  []*capi.Device
	memories []*capi.Memory
}

var rigOnce struct {
	sync.Once
	rig *rig
}

// newRig returns a client of the CPU plugin that the tests share. It is never destroyed.
func newRig(t testing.TB) *rig {
	t.Helper()
	rigOnce.Do(func() { rigOnce.rig = connect(t, cpu(t)) })
	require.NotNil(t, rigOnce.rig, "there is no client of the CPU plugin")
	return rigOnce.rig
}

// connect makes a client.
func connect(t testing.TB, p *plugin, options ...capi.Attribute) *rig {
	t.Helper()
	v, err := capi.NewNamedValues(options)
	require.NoError(t, err)
	var args capi.ClientCreateArgs
	args.CreateOptions, args.NumOptions = v.Data()
	r := &rig{plugin: p, client: do(t, p, args).Client}
	runtime.KeepAlive(v)
	require.NotNil(t, r.client)
	d := do(t, p, capi.ClientAddressableDevicesArgs{Client: r.client})
	r.devices = capi.Slice(d.AddressableDevices, d.NumAddressableDevices)
	m := do(t, p, capi.ClientAddressableMemoriesArgs{Client: r.client})
	r.memories = capi.Slice(m.AddressableMemories, m.NumAddressableMemories)
	return r
}

// wait waits for an event, destroys it and returns its error.
func (p *plugin) wait(t testing.TB, e *capi.Event) error {
	t.Helper()
	require.NotNil(t, e)
	_, err := try(p, capi.EventAwaitArgs{Event: e})
	do(t, p, capi.EventDestroyArgs{Event: e})
	return err
}

// isReady reports whether an event is ready.
func (p *plugin) isReady(t testing.TB, e *capi.Event) bool {
	t.Helper()
	return do(t, p, capi.EventIsReadyArgs{Event: e}).IsReady
}

func (r *rig) destroy(t testing.TB, buffers ...*capi.Buffer) {
	t.Helper()
	for _, b := range buffers {
		do(t, r.plugin, capi.BufferDestroyArgs{Buffer: b})
	}
}

// hostBuffer returns the arguments that copy data to the first device.
func hostBuffer[T any](r *rig, typ capi.BufferType, data []T, dims ...int64) capi.ClientBufferFromHostBufferArgs {
	args := capi.ClientBufferFromHostBufferArgs{Client: r.client, Device: r.devices[0], Type: typ, Data: pointer(data)}
	args.Dims, args.NumDims = first(dims)
	return args
}

// first returns the address of the first element and the number of elements.
func first[T any](s []T) (*T, uintptr) {
	if len(s) == 0 {
		return nil, 0
	}
	return &s[0], uintptr(len(s))
}

// upload copies floats to a device.
func (r *rig) upload(t testing.TB, device int, data []float32, dims ...int64) *capi.Buffer {
	t.Helper()
	if dims == nil {
		dims = []int64{int64(len(data))}
	}
	args := hostBuffer(r, capi.BufferTypeF32, data, dims...)
	args.Device = r.devices[device]
	out := do(t, r.plugin, args)
	require.NoError(t, r.wait(t, out.DoneWithHostBuffer))
	return out.Buffer
}

// download copies the contents of a buffer to the host.
func download[T any](t testing.TB, r *rig, b *capi.Buffer) []T {
	t.Helper()
	size := do(t, r.plugin, capi.BufferToHostBufferArgs{Src: b}).DstSize
	data := make([]T, int(size)/sizeOf[T]())
	out := do(t, r.plugin, capi.BufferToHostBufferArgs{Src: b, Dst: pointer(data), DstSize: size})
	require.NoError(t, r.wait(t, out.Event))
	return data
}

// program makes the struct of a program in MLIR text. A NUL follows the text, not included in its
// size, because plugins up to at least API 0.68 read until they find one.
func program(text string) *capi.Program {
	p := &capi.Program{StructSize: capi.ProgramSize, Code: capi.CString(text), CodeSize: uintptr(len(text))}
	p.Format, p.FormatSize = capi.StringData("mlir")
	return p
}

func (r *rig) compileArgs(text string, options []byte) capi.ClientCompileArgs {
	args := capi.ClientCompileArgs{Client: r.client, Program: program(text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options)
	return args
}

// compile compiles a program. The executable is destroyed at the end of the test.
func (r *rig) compile(t testing.TB, text string, options []byte) *capi.LoadedExecutable {
	t.Helper()
	exe := do(t, r.plugin, r.compileArgs(text, options)).Executable
	t.Cleanup(func() { do(t, r.plugin, capi.LoadedExecutableDestroyArgs{Executable: exe}) })
	return exe
}

// executable returns the Executable of a loaded executable, which has its properties.
func (r *rig) executable(t testing.TB, exe *capi.LoadedExecutable) *capi.Executable {
	t.Helper()
	e := do(t, r.plugin, capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: exe}).Executable
	t.Cleanup(func() { do(t, r.plugin, capi.ExecutableDestroyArgs{Executable: e}) })
	return e
}

// execution is a call of PJRT_LoadedExecutable_Execute, with everything that its arguments point
// to.
type execution struct {
	args    capi.LoadedExecutableExecuteArgs
	options *capi.ExecuteOptions
	outputs [][]*capi.Buffer
	events  []*capi.Event
}

// newExecution prepares an execution with one list of arguments per device.
func newExecution(exe *capi.LoadedExecutable, outputs int, arguments ...[]*capi.Buffer) *execution {
	x := &execution{
		options: &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize},
		outputs: make([][]*capi.Buffer, len(arguments)),
		events:  make([]*capi.Event, len(arguments)),
	}
	in, out := make([]**capi.Buffer, len(arguments)), make([]**capi.Buffer, len(arguments))
	for i := range arguments {
		x.outputs[i] = make([]*capi.Buffer, outputs)
		in[i], _ = first(arguments[i])
		out[i], _ = first(x.outputs[i])
	}
	x.args = capi.LoadedExecutableExecuteArgs{Executable: exe, Options: x.options, NumDevices: uintptr(len(arguments))}
	if len(arguments) > 0 {
		x.args.NumArgs = uintptr(len(arguments[0]))
	}
	x.args.ArgumentLists, _ = first(in)
	x.args.OutputLists, _ = first(out)
	x.args.DeviceCompleteEvents, _ = first(x.events)
	return x
}

// run executes and waits until every device is done.
func (x *execution) run(t testing.TB, r *rig) [][]*capi.Buffer {
	t.Helper()
	do(t, r.plugin, x.args)
	for _, e := range x.events {
		require.NoError(t, r.wait(t, e))
	}
	return x.outputs
}

// pendingBuffer makes a buffer that has no contents until the manager gets them.
func (r *rig) pendingBuffer(t testing.TB, elements int64) (*capi.Buffer, *capi.AsyncHostToDeviceTransferManager) {
	t.Helper()
	spec := capi.ShapeSpec{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeF32}
	spec.Dims, spec.NumDims = first([]int64{elements})
	m := do(t, r.plugin, capi.ClientCreateBuffersForAsyncHostToDeviceArgs{
		Client: r.client, ShapeSpecs: &spec, NumShapeSpecs: 1, Memory: r.memories[0],
	}).TransferManager
	b := do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: m}).BufferOut
	return b, m
}

// pendingEvent returns an event, and a function that makes it ready without an error.
func (r *rig) pendingEvent(t testing.TB) (event *capi.Event, fulfil func()) {
	t.Helper()
	b, m := r.pendingBuffer(t, 4)
	e := do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: b}).Event
	data := []float32{1, 2, 3, 4}
	return e, func() {
		t.Helper()
		out := do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerTransferDataArgs{
			TransferManager: m, Data: pointer(data), TransferSize: 16, IsLastTransfer: true,
		})
		require.NoError(t, r.wait(t, out.DoneWithH2dTransfer))
		do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: m})
		r.destroy(t, b)
	}
}

// raw copies bytes that a function returned.
func raw(p *byte, n uintptr) string { return capi.String(p, n) }

// texts copies a list of strings.
func texts(p **byte, sizes *uintptr, n uintptr) []string {
	var list []string
	lengths := capi.Slice(sizes, n)
	for i, s := range capi.Slice(p, n) {
		list = append(list, raw(s, lengths[i]))
	}
	return list
}

// rowMajor is the layout that XLA's own client sends for an array of so many dimensions.
func rowMajor(dimensions int) *capi.BufferMemoryLayout {
	order := make([]int64, dimensions)
	for i := range order {
		order[i] = int64(dimensions - 1 - i)
	}
	layout := &capi.BufferMemoryLayout{StructSize: capi.BufferMemoryLayoutSize, Type: capi.BufferMemoryLayoutTypeTiled}
	layout.Tiled().StructSize = capi.BufferMemoryLayoutTiledSize
	layout.Tiled().MinorToMajor, layout.Tiled().MinorToMajorSize = first(order)
	return layout
}
