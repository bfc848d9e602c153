// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package pjrt compiles and runs programs on accelerators through PJRT plugins,
// the shared libraries by which JAX and PyTorch/XLA reach CPUs, GPUs and TPUs.
// It needs neither cgo nor a C compiler.
//
// A [Plugin] is a loaded library, a [Client] one use of it. The client compiles
// a [Program], StableHLO text or bytecode, into a [LoadedExecutable], takes
// [HostArray] values to its devices as [Buffer] objects, and brings results back:
//
//	path, err := plugins.Find("cpu")
//	plugin, err := pjrt.Open(path)
//	client, err := plugin.NewClient(ctx, nil)
//	exe, err := client.Compile(ctx, pjrt.Program{Code: text}, nil)
//	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4}, 2, 2)
//	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
//	result, err := pjrt.ToSlice[float32](ctx, outs[0])
//
// # Safety
//
// Plugins end the process on many mistakes: null and freed objects, types they
// do not know, options that make no sense. What a program does with this
// package is checked before C sees it, and a mistake is an error. What is known
// of programs and options on which compilers end the process is refused too, see
// [Program] and [CheckXLAFlags]. Plugins can still crash by themselves. The few
// functions that take an address for what the caller says it is,
// [Register], [Client.ViewOfDeviceMemory] and [Plugin.RegisterCustomCall], say so.
//
// # Plugins
//
// Package [github.com/purepjrt/purepjrt/pjrt/plugins] finds plugins by name, alias
// or platform, in the places where JAX and others look, tells what is wrong with
// those that cannot be used, installs some, and prepares the environment that
// libtpu and CUDA want. [Open] loads one by its path, [Register] takes one that is
// in the process already, [FromTable] one that is written in Go. There is one
// Plugin for each library. [Plugin.Supports], [Plugin.Functions],
// [Plugin.Extensions] and [Plugin.Version] say what it can do: a function, field or
// extension that it is too old for gives [ErrUnimplemented], never a crash.
//
// # Clients and their options
//
// [ClientOptions] takes typed options for the families of XLA's plugins,
// [CPUOptions], [GPUOptions] and [TPUOptions], or options by the plugin's own
// names, also from text ([ParseCreateOptions]). They are checked, since a value of
// the wrong type ends the process. A GPU client takes most of the memory of its
// devices, so the parts of a program share one: [Plugin.SharedClient]. A warning
// tells of a second client that preallocates, and of a slow start.
//
// # Devices, memories, topologies
//
// A [Device] has a [DeviceDescription] that never changes, memories ([Memory]) of
// several kinds, and counters ([Device.MemoryStats]). A [Topology] describes the
// devices of a system that need not be at hand: [Plugin.NewTopology] makes one by
// name, and [Plugin.CompileFor] compiles for it, for a TPU on a laptop. Where a
// compiler works in phases, [Plugin.CompilePhases] runs single ones.
//
// # Buffers
//
// A [Buffer] is an array in the memory of a device. It is made from slices
// ([FromSlice], [FromScalar]), arrays of any type ([Client.BufferFromHost], with
// [BufferOptions] for the place, the layout, strides, and who may use the memory of
// the host for how long), readers ([Client.BufferFromReader]), in pieces
// ([Client.NewTransferManager]), when it is first used ([Client.LazyBuffer]), or of
// memory that exists ([Client.ViewOfHostMemory], [Client.ViewOfDeviceMemory]).
// [AlignedSlice] makes memory that CPU plugins use without a copy. There are
// buffers without contents ([Client.UninitializedBuffer]), with an error in their
// place ([Client.ErrorBuffer]), and ones that stand for another ([Client.AliasBuffer]).
//
// [Buffer.ToHost] brings an array back, [ToSlice] and [ReadSlice] into Go types,
// [Buffer.ToHostInto] and [Buffer.ToHostStrided] into memory that the program has,
// [Buffer.WriteHostTo] to a writer, [Buffer.ReadInPlace] without a copy where that
// can be, [Buffer.ToHostAsync] without waiting. [Buffer.Raw] writes to a buffer's
// bytes. [Buffer.Reference] keeps the memory for another library, and package
// [github.com/purepjrt/purepjrt/pjrt/dlpack] passes it on in DLPack's form. A [Mesh]
// scatters arrays over devices and gathers them.
//
// Element types are in package [github.com/purepjrt/purepjrt/pjrt/dtype], with Go
// types for those that Go lacks; NumPy's files and way of printing in
// [github.com/purepjrt/purepjrt/pjrt/npy], the weights of models in
// [github.com/purepjrt/purepjrt/pjrt/safetensors].
//
// # Compiling
//
// [Client.Compile] takes StableHLO as text or bytecode, and HLO ([DetectFormat]).
// [CompileOptions] has everything that XLA takes, and any XLA flag by name; its zero
// value is one device. An [Executable] tells what was made: shapes, layouts,
// shardings, memory, cost, the optimized program, and its bytes, which
// [Client.DeserializeAndLoad] loads again. Package
// [github.com/purepjrt/purepjrt/pjrt/cache] keeps compiled programs on disk.
// [Plugin.RegisterCustomCall] lets programs call functions of Go, by package
// [github.com/purepjrt/purepjrt/capi/ffi]. [SaveFailedPrograms] keeps what a
// compiler refused.
//
// # Executing
//
// [LoadedExecutable.Execute] runs a program and waits, [LoadedExecutable.Start] does
// not wait, [LoadedExecutable.ExecuteAll] and [LoadedExecutable.StartAll] run one on
// several devices, and [LoadedExecutable.ExecuteInto] allocates nothing but the
// results. Arguments are compared with the program first: plugins take one of
// another type for what it is not. [LoadedExecutable.Bind] fixes some of them, such
// as the weights of a model, and [Arguments] takes them out of Go structs.
// [ExecuteOptions] says what may be consumed ([Donation]), where to run, and what
// the program exchanges with the host while it runs ([HostTransfers], [HLOOutput]).
// [Client.LimitInFlight] and [LoadedExecutable.LimitInFlight] hold fast producers
// back. When a device is out of memory, forgotten buffers are collected and the call
// is made once more.
//
// # Events
//
// Work on devices goes on while the program does something else. An [Event] says
// when it is over: [Event.Wait] blocks until then or until the context ends,
// [Event.Done] is a channel, [Event.OnReady] calls a function. Any number of
// goroutines may wait; they take no threads. [Plugin.NewEvent] makes an event of the
// program's own.
//
// Calls that cannot be called off, because C cannot be, return when their context
// ends all the same; what they made is closed when it comes, and what C still uses
// is kept.
//
// # Lifetimes
//
// Objects of a plugin may be closed in any order, more than once, from any
// goroutine. What C needs for longer, because a call is under way or because
// something made from it still exists, is kept until then; what the program
// forgets to close is freed after the garbage collector finds it. Using an
// object after its Close is an error, [ErrClosed]. [Live] counts what exists, and
// with PJRT_TRACK=1 in the environment
// [github.com/purepjrt/purepjrt/pjrt/lifetime.WriteLeaks] tells where it was made.
// Package [github.com/purepjrt/purepjrt/pjrt/pjrttest] checks tests for leaks.
//
// # Several processes
//
// The processes of a program that share devices find each other through a key-value
// store: ClientOptions.KeyValueStore, NodeID and NumNodes. Package
// [github.com/purepjrt/purepjrt/pjrt/kv] has one for a single process, and its
// module etcd one for many machines.
//
// Where the plugin has the extension, buffers travel from one process to another
// without a program: [Client.CrossHostSend] and [Client.CrossHostReceive] meet under
// a key, and a [CrossHostReceiver] has descriptors that [Buffer.CopyToRemoteDevice]
// takes. Other plugins give [ErrUnimplemented].
//
// # Watching
//
// [SetLogger] writes what the package does to slog, with durations and sizes.
// [Observe] tells it to any [Observer]; module pjrt/otel makes spans and metrics of
// OpenTelemetry out of it. Package
// [github.com/purepjrt/purepjrt/pjrt/pluginlog] quiets what plugins write to
// standard error, or takes it into slog. [Plugin.NewProfiler] records what a plugin
// does on its devices, for xprof. XLA writes its intermediate programs where the
// flag xla_dump_to says.
//
// # Errors
//
// Errors of plugins are [*Error] values; errors.Is(err, pjrt.ErrUnimplemented)
// and the like ask for a code. They name the C function and carry what the plugin
// attached. A mistake that this package finds has the code [ErrInvalidArgument] as
// a rule, and no function.
package pjrt
