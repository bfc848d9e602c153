// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package sharding spreads arrays over devices.
//
// A [Mesh] arranges devices along named axes. [Mesh.Scatter] cuts an array of the host
// into parts, one for each device, as a [Partition] says. The result is an [Array],
// whose buffers a program that runs on these devices takes as its argument.
// [Mesh.Join] makes an Array of buffers that are already on the devices, such as the
// results of a program. [Array.Gather] copies the parts back to the host and puts them
// together.
//
// [LogicalIDs] says which replica and which partition of a program each device runs.
//
// The package only moves data: it neither compiles nor executes a program.
package sharding
