// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package extensions says which extensions of the PJRT API a plugin offers. Each
// extension has a package of its own below this one; the raw structs and calls of all
// of them are in package capi.
//
// A plugin lists its extensions in a chain, which [All] reads. The function Supported of
// each package reports whether a plugin offers the extension. Calls to a plugin that does
// not offer it return an error, pjrt.ErrUnimplemented.
//
// # Which plugin offers what
//
// The table shows the chains of XLA's plugin for CPUs of API 0.81 (xla-cpu-pjrt 0.0.1),
// libtpu 0.0.51 (API 0.116) and XLA's plugin for CUDA 13 of API 0.116 (jax-cuda13-pjrt
// 0.12.0.1). The column since has the API minor with which the extension came.
//
//	package             extension            since  CPU 0.81  libtpu 0.0.51  CUDA 0.116
//	abiversion          AbiVersion             91       -          yes           yes
//	callback            Callback               77       -          yes            -
//	collectives         Collectives            94       -          yes            -
//	crosshost           CrossHostTransfers     74       -          yes           yes
//	custompartitioner   Custom_Partitioner     47       -           -            yes
//	deviceevent         (with raw buffers)    104       -          yes            -
//	example             Example                72       -           -             -
//	executablemetadata  ExecutableMetadata     75       -          yes            -
//	ffi                 FFI                    53      yes         yes           yes
//	gpu                 Gpu_Custom_Call        31       -           -            yes
//	hostallocator       HostMemoryAllocator   106       -          yes            -
//	layouts             Layouts                51      yes         yes           yes
//	megascale           Megascale              90       -          yes            -
//	memorydescriptions  MemoryDescriptions     59      yes         yes           yes
//	multislice          MultiSlice             96       -          yes            -
//	phasecompile        PhaseCompile           70    empty (1)     yes            -
//	profiler            Profiler               34       -          yes           yes
//	rawbuffer           RawBuffer              67       -          yes            -
//	shardings           Shardings              91       -          yes           yes
//	stream              Stream                 49       -           -            yes
//	tpuexecutable       TpuExecutable          90       -          yes            -
//	tputopology         TpuTopology            81       -          yes            -
//	triton              Triton                 65       -           -             -
//	xlatransform        XlaTransform          110       -          yes           yes
//
// (1) The extension is in the chain, but lacks the function that makes a compiler.
//
// The packages collectives, custompartitioner, deviceevent, gpu and triton only say
// whether a plugin has the extension, and name the calls in package capi.
//
// # An extension of your own
//
// The packages below this one use the packages pjrt, pjrt/raw and capi, and nothing
// internal. So the vendor of a plugin can write such a package for an extension of their
// own, in a module of their own. The folder testdata/outside has an example, which a test
// builds as a separate module.
package extensions
