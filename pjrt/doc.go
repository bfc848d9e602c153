// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package pjrt compiles and runs programs on accelerators through PJRT plugins,
// the shared libraries by which JAX and PyTorch/XLA reach CPUs, GPUs and TPUs.
// It needs neither cgo nor a C compiler.
//
// A [Plugin] is a loaded library, a [Client] one use of it. The client compiles
// a [Program], StableHLO text or bytecode, into a [LoadedExecutable], takes
// [HostArray]s to its devices as [Buffer]s, and brings results back:
//
//	plugin, err := pjrt.Open(path)
//	client, err := plugin.NewClient(ctx, nil)
//	exe, err := client.Compile(ctx, pjrt.Program{Code: text}, nil)
//	x, err := client.BufferFromHost(ctx, array, nil)
//	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
//	result, err := outs[0].ToHost(ctx)
//
// # Safety
//
// Plugins end the process on many mistakes: null and freed objects, types they
// do not know, options that make no sense. What a program does with this
// package is checked before C sees it, and a mistake is an error. Plugins can
// still crash by themselves, while they compile for instance.
//
// # Lifetimes
//
// Objects of a plugin may be closed in any order, more than once, from any
// goroutine. What C needs for longer, because a call is under way or because
// something made from it still exists, is kept until then; what the program
// forgets to close is freed after the garbage collector finds it. Using an
// object after its Close is an error. [Live] counts what exists.
//
// # Errors
//
// Errors of plugins are [*Error] values; errors.Is(err, pjrt.ErrUnimplemented)
// and the like ask for a code. A function, field or extension that the plugin is
// too old for gives ErrUnimplemented as well.
package pjrt
