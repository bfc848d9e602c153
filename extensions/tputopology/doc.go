// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package tputopology describes how a system of TPUs is built: its chips, cores, devices
// and processes, where each of them is, and the parts of the system. It uses the extension
// TpuTopology, which came with API 0.81; libtpu has it, even without a TPU.
//
//	topology, err := plugin.NewTopology(ctx, "v4:2x2x2", nil)
//	system, err := tputopology.Of(topology)
//	fmt.Println(system.Chips, system.Bounds) // 8 [2 2 2]
//
// A device is what programs run on: a core, or all cores of a chip together, depending on
// the kind of TPU. Chips, devices and processes are numbered from 0. Coordinates are those
// of chips, one for each dimension of the system.
//
// The calls that list the systems of a kind of TPU by name are in package capi
// (capi.TPUTopologyGetSliceConfigArgs and those beside it): no name is known that libtpu
// accepts.
package tputopology
