// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package memories has what plugins say about memory: which kinds of it a device has, without a
// client, and how arrays are laid out in it. It also allocates host memory to which the devices of
// a client have fast access.
//
// [OfDevice] and [OfTopology] use the extension MemoryDescriptions, which came with API 0.59. XLA's
// plugins for CPUs, GPUs and TPUs have it, but only libtpu describes any memory. For the memories
// of a client's device, see pjrt.Device.Memories.
//
// [LayoutOf], [DefaultLayout] and [DefaultLayoutFor] use the extension Layouts of API 0.51, which
// XLA's plugins for CPUs, GPUs and TPUs have. The layouts of a program's arguments and results are
// in package pjrt: Executable.ParameterLayouts and Executable.OutputLayouts.
//
// [Allocate] uses the extension HostMemoryAllocator, which came with API 0.106; libtpu has it. It
// replaces the extension HostAllocator, whose functions are not known.
//
//	m, err := memories.Allocate(client, 1<<20, nil)
//	...
//	defer m.Close()
//	err = m.Use(func(b []byte) error {
//		... // fill b, and upload it
//	})
package memories
