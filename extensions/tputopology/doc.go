// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package tputopology tells how a system of TPUs is built: its chips, cores, devices and
// processes, where each of them is, and what parts of the system are. It uses the extension
// TpuTopology, which came with API 0.81; libtpu has it, without a TPU too.
//
//	topology, err := plugin.NewTopology(ctx, "v4:2x2x2", nil)
//	system, err := tputopology.Of(topology)
//	fmt.Println(system.Chips, system.Bounds) // 8 [2 2 2]
//
// A device is what programs run on: a core, or all cores of a chip together, as the kind of
// TPU has it. Chips, devices and processes have numbers from 0. Coordinates are those of
// chips, one for each dimension of the system.
//
// The calls that list the systems of a kind of TPU by name are in package capi
// (capi.TPUTopologyGetSliceConfigArgs and those beside it): no name is known that libtpu takes.
package tputopology
