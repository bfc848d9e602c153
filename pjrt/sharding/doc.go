// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package sharding spreads arrays over devices, and runs programs on them.
//
// An [Executable] is a program that is divided among devices: [Of] makes one from what
// pjrt.Client.Compile returned. [Executable.Run] takes and returns host arrays. To leave
// arrays on the devices, [Executable.Scatter] cuts an argument into parts, one for each
// device, the way the program takes it; [Executable.Execute] runs the program on [Array]
// values, and [Array.Gather] copies the parts of a result back to the host and puts them
// together.
//
// A [Mesh] arranges devices along named axes, for arrays that are cut before there is a
// program: [Mesh.Scatter] cuts a host array as a [Partition] says. [Mesh.Join] makes an Array
// from buffers that are already on the devices, such as the results of
// pjrt.LoadedExecutable.ExecuteAll.
//
// The order is the same everywhere: the last of a mesh's axes, of the names in a Partition
// and of the tiles of a [Spec] varies fastest. Devices are numbered in the order of the mesh,
// or by their partitions in the program; [LogicalIDs] says which replica and which partition
// each device runs.
package sharding
