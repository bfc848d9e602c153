// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package pjrt compiles and runs programs on accelerators through PJRT plugins, the shared
// libraries that JAX and PyTorch/XLA use to reach CPUs, GPUs and TPUs. It needs neither cgo nor a C
// compiler. Package extensions has the API's extensions, folder docs guides, and examples programs.
//
// A [Plugin] is a loaded library, a [Client] one instance of it. The client compiles a
// [Program], StableHLO as text or bytecode, into a [LoadedExecutable], takes [HostArray]
// values to its devices as [Buffer] objects, and brings results back:
//
//	client, err := plugins.Open(ctx, "cpu", nil)
//	exe, err := client.Compile(ctx, pjrt.Program{Code: text}, nil)
//	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4}, 2, 2)
//	outs, err := exe.Run(ctx, x)
//	result, err := pjrt.ToSlice[float32](ctx, outs[0])
//
// # Safety
//
// Plugins end the process on many mistakes: null and freed objects, types that they do
// not know, options that make no sense. This package returns an error for a mistake before C
// sees it, and for the programs and options on which compilers are known to end the process,
// see [Program]. Plugins can still crash on their own.
//
// The methods of all objects may be called from any goroutine. On a nil object they return
// an error, or a zero value if they have no error result.
//
// # Contexts
//
// A call returns when its context ends, whichever function of the plugin blocks, with an error that
// says which call waited for what. That function cannot be stopped, and goes on in another
// goroutine: what it makes is closed once it exists, and what it uses is kept. It may still read
// memory that the call was given, which may be changed then, but must not be unmapped; the plugin
// does not write to it. If a method has other rules, its comment says so.
//
// Methods without a context that call the plugin, such as Close, wait as long as it does. In init
// functions, give no context that can end: plugins report the end of work to Go in threads of C,
// which Go keeps waiting until main begins.
//
// # Lifetimes
//
// Objects may be closed in any order and more than once. What C still needs, for a call
// under way or for something made from the object, is kept for as long as C needs it. What
// the program forgets to close is freed after the garbage collector finds it. Use of a
// closed object gives [ErrClosed]. [Live] counts what exists; with PJRT_TRACK=1 in the
// environment, lifetime.WriteLeaks says where it was made.
//
// # Errors
//
// Errors of plugins are [*Error] values, which name the C function and carry what the
// plugin attached. Test for a code with errors.Is(err, pjrt.ErrUnimplemented) and the like.
// A mistake that this package finds itself usually has the code [ErrInvalidArgument]. A
// function, field or extension that the plugin is too old for gives [ErrUnimplemented].
//
// # Making and reading buffers
//
// A buffer is made from a slice ([FromSlice], [FromScalar]), an array of any type
// ([Client.BufferFromHost]), a reader ([Client.BufferFromReader]) or existing memory
// ([Client.ViewOfHostMemory]; [AlignedSlice] makes memory that CPU plugins use without a copy).
// [Buffer.ToHost] brings an array back, [ToSlice] and [ReadSlice] into Go types,
// [Buffer.ToHostInto] into the program's memory, [Buffer.ReadInPlace] without a copy where
// the host can read the memory, and [Buffer.ToHostAsync] without waiting.
//
// # Compiling and executing
//
// [CompileOptions] has everything that XLA takes, and any XLA flag by name; its zero value
// means one device. [Plugin.CompileFor] compiles ahead of time for a [Topology], for
// instance on a laptop for a TPU. An [Executable] describes what was made.
//
// [LoadedExecutable.Run] waits for the end, and Execute has options; [LoadedExecutable.Start]
// returns an [Event], and [LoadedExecutable.ExecuteAll] runs a program on several devices. A server
// binds the weights of its model once, and puts each result where the last one was, which allocates
// nothing:
//
//	bound, err := exe.Bind(ctx, weights...)
//	opts := &pjrt.ExecuteOptions{Bound: bound, ReuseResults: true}
//	outs := make([]*pjrt.Buffer, results)
//	for input := range requests {
//		err := exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{input}, opts)
//	}
package pjrt
