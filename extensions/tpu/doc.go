// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package tpu describes systems of TPUs, and reads executables for them without loading them. It
// uses the extensions TpuTopology, which came with API 0.81, and TpuExecutable, which came with API
// 0.90; libtpu has both, even without a TPU.
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
package tpu
