// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package tpu describes systems of TPUs, reads executables for them without loading them, and calls
// Go functions when TPUs or their runtime fail. It uses the extensions TpuTopology, which came with
// API 0.81, TpuExecutable, which came with API 0.90, and Callback, which came with API 0.77; libtpu
// has them, the first two even without a TPU.
//
// # Systems
//
// [SystemOf] tells how a system is built: its chips, cores, devices and processes. Other functions
// say where each of them is, and describe parts of the system.
//
//	topology, err := plugin.NewTopology(ctx, "v4:2x2x2", nil)
//	system, err := tpu.SystemOf(topology)
//	fmt.Println(system.Chips, system.Bounds) // 8 [2 2 2]
//
// A device is what programs run on: a core, or all cores of a chip together, depending on
// the kind of TPU. Chips, devices and processes are numbered from 0. Coordinates are those
// of chips, one for each dimension of the system.
//
// The calls that list the systems of a kind of TPU by name are in package capi
// (capi.TPUTopologyGetSliceConfigArgs and those beside it): no name is known that libtpu
// accepts.
//
// # Executables
//
// A serialized executable has the program, its cost and memory, and what it was compiled for:
//
//	data, err := exe.Serialize(ctx)
//	program, err := tpu.Program(plugin, data)
//	m, err := hlo.Decode(program.Code)
//
// The arguments named executable are what Executable.Serialize of package pjrt returns, or
// libtpu's own part of it.
//
// # Failures
//
// [OnSliceFailure] and [OnFatal] take a function that the plugin calls when a slice of TPUs could
// not be built, or when an error is about to end the process:
//
//	err := tpu.OnFatal(client, func(err error) { log.Print("last words: ", err) })
//
// The functions run on threads of the plugin. A panic in them is logged and goes no further. They
// cannot be removed, and stay registered until the process ends.
package tpu
