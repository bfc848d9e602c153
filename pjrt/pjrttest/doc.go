// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package pjrttest is a PJRT plugin in memory, for the tests of programs that use
// package pjrt: no library to load, no device, no file, a millisecond to start.
//
//	p := pjrttest.New(t, pjrttest.Options{Devices: 4})
//	p.Program("double", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
//	exe, err := p.Client().Compile(ctx, pjrt.Program{Code: []byte(stablehlo)}, nil)
//
// The plugin stands behind the C interface as others do, so package pjrt does with
// it what it does with them. It keeps to the contract of that interface: what a
// caller may do works, and what he may not is answered with INVALID_ARGUMENT or
// the code that fits better. Handles that were destroyed, or are none of the
// plugin's, are errors too.
//
// # Programs
//
// Programs are Go functions, registered with [Plugin.Program] under the name of
// the module that they stand for. What is compiled can be StableHLO text, of
// which only the name and the signature of the function main are read, or
// anything else that [Program.Match] knows. A program that is not registered is
// an INVALID_ARGUMENT at compilation. [Elementwise], [Map], [Identity], [Return]
// and [Failing] make simple ones; [Program.Launch] sees all devices of an
// execution, sends to the host and receives from it.
//
// # Time
//
// Transfers are done when the function that begins them returns, and executions
// soon after it. After [Plugin.Hold] neither gets done until the test says so:
// [Plugin.Release], [Plugin.Resume] and the methods of [Operation] complete what
// is pending, in any order, or let it fail.
//
// # Failures
//
// [Plugin.Fail] makes any function fail, always or some times, at once or in the
// events of what it began. Memories have a size: what does not fit is a
// RESOURCE_EXHAUSTED. A program fails by returning an error.
//
// # Other plugins
//
// [Options] make a plugin with the API of an older version, with functions and
// extensions missing, with several devices, memories and processes. Processes
// that have a key-value store in common learn from it how many devices the others
// have.
//
// # Leaks
//
// [Plugin.Live] counts what was not destroyed, as C sees it; [NoLeaks] does for all
// plugins of the process, as package pjrt sees it.
package pjrttest
