// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package pjrttest provides a PJRT plugin for testing programs that use package pjrt. The
// plugin lives in memory and needs no library, no device and no file; it starts within a
// millisecond.
//
//	p := pjrttest.New(t, pjrttest.Options{Devices: 4})
//	p.Program("double", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
//	exe, err := p.Client().Compile(ctx, pjrt.Program{Code: []byte(stablehlo)}, nil)
//
// The plugin implements the C interface like any other, so package pjrt treats it like
// any other. It keeps to that interface's contract: calls that the contract allows
// succeed, and all others return INVALID_ARGUMENT or a code that fits better. That
// includes calls with a handle that was destroyed, or that the plugin never made.
//
// # Programs
//
// Programs are Go functions. [Plugin.Program] registers one under the name of the module
// that it stands for. A test can then compile StableHLO text, of which the plugin reads
// only the name of the module and the signature of the function main, or any other code
// that [Program.Match] accepts. Compiling a program that is not registered fails with
// INVALID_ARGUMENT. [Elementwise], [Map], [Identity], [Return] and [Failing] make simple
// programs. A [Program.Launch] sees all devices of an execution, and can send data to the
// host and receive data from it.
//
// # Time
//
// Transfers are done when the function that begins them returns, and executions soon
// after. After [Plugin.Hold] both stay pending until the test says so: [Plugin.Release],
// [Plugin.Resume] and the methods of [Operation] complete them, in any order, or make them
// fail. After [Plugin.Block] the calls of one function wait themselves.
//
// # Failures
//
// [Plugin.Fail] makes any function fail, always or for some calls, either in the call
// itself or in the events of the operation that the call began. Memories have a size; an
// allocation that does not fit fails with RESOURCE_EXHAUSTED. A program fails by
// returning an error.
//
// # Other plugins
//
// [Options] describe plugins with an older version of the API, with functions and
// extensions missing, or with several devices, memories and processes. Processes that
// share a key-value store learn from it how many devices the others have. Those that share
// a [Network] can send buffers to one another with package crosshost.
//
// Code for TPUs and GPUs can be tested, too. If [Options].Extensions names them, the plugin
// has the extensions that only such plugins have: it arranges its devices as the chips of a
// system of TPUs (those of a topology with a name such as 4x4x2 as the name says), makes
// configurations of several slices, has streams, and registers custom calls, which nothing
// calls.
//
// # Leaks
//
// [Plugin.Live] counts the C objects of the plugin that were not destroyed, and the
// transfers between processes that are not over. [NoLeaks]
// counts the objects of package pjrt, for all plugins of the process.
package pjrttest
