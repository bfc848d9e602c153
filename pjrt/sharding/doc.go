// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package sharding spreads arrays over devices, and runs programs on them.
//
// An [Executable] is a program that is divided among devices: [Of] makes one of what
// pjrt.Client.Compile returned. [Executable.Run] takes and returns arrays of the host. To
// leave arrays on the devices, [Executable.Scatter] cuts an argument into parts, one for
// each device, as the program takes it; [Executable.Execute] runs the program on such an
// [Array], and [Array.Gather] copies the parts of a result back to the host and puts them
// together.
//
// A [Mesh] arranges devices along named axes, for arrays that are cut before there is a
// program: [Mesh.Scatter] cuts an array of the host as a [Partition] says. [Mesh.Join] makes
// an Array of buffers that are already on the devices, such as the results of
// pjrt.LoadedExecutable.ExecuteAll.
//
// There is one order everywhere: of the axes of a mesh, of the names in a Partition and of
// the tiles of a [Spec], the last varies fastest. Devices are counted in the order of the
// mesh, or by the numbers of their partitions in the program; [LogicalIDs] says which
// replica and which partition each device runs.
package sharding
