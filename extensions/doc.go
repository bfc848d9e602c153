// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package extensions reports which extensions of the PJRT API a plugin offers. Each
// extension has its own package below this one; package capi has the raw structs and calls
// of them all.
//
// A plugin lists its extensions in a chain, which [All] reads. The function Supported of
// each package reports whether a plugin offers the extension. Calls to a plugin that does
// not offer it return an error, pjrt.ErrUnimplemented.
//
// # Which plugin offers what
//
// The table shows the chains of XLA's plugin for CPUs of API 0.81 (xla-cpu-pjrt 0.0.1),
// libtpu 0.0.51 (API 0.116) and XLA's plugin for CUDA 13 of API 0.116 (jax-cuda13-pjrt
// 0.12.0.1). The column since gives the API minor that introduced the extension. 4/7 means
// that the plugin has 7 functions of the extension, and that tests call 4 of them on it
// through the package. The tests run on machines without TPUs and GPUs, where libtpu and the
// plugin for CUDA only compile: most of the other functions need a device, and the test in
// census_aot_test.go names them all. The last column is the number of functions that tests
// call on a stand-in: all that there are. Each package also has examples and tests of what
// its functions do, on the plugins that the tests can call.
//
//	package             extension            since  CPU 0.81  libtpu 0.0.51  CUDA 0.116  stand-in
//	abiversion          AbiVersion             91         -           5/12        5/12        12
//	callback            Callback               77         -            0/2           -         2
//	collectives         Collectives            94         -            9/9           -         9
//	crosshost           CrossHostTransfers     74         -            0/4         0/4         4
//	custompartitioner   Custom_Partitioner     47         -              -         2/2         2
//	deviceevent         (with raw buffers)    104         -            0/6           -         6
//	example             Example                72         -              -           -         3
//	executablemetadata  ExecutableMetadata     75         -            2/2           -         2
//	ffi                 FFI                    53       3/3            2/3         3/3         3
//	gpu                 Gpu_Custom_Call        31         -              -         1/1         1
//	hostallocator       HostMemoryAllocator   106         -            0/1           -         1
//	layouts             Layouts                51       6/6            5/7         5/7         7
//	megascale           Megascale              90         -          22/23           -        23
//	memorydescriptions  MemoryDescriptions     59       1/2            2/2         1/2         2
//	multislice          MultiSlice             96         -            5/5           -         5
//	phasecompile        PhaseCompile           70       0/3            5/5           -         5
//	profiler            Profiler               34         -           8/11         5/8        11
//	rawbuffer           RawBuffer              67         -            0/7           -         7
//	shardings           Shardings              91         -            2/2         2/2         2
//	stream              Stream                 49         -              -         0/2         2
//	tpuexecutable       TpuExecutable          90         -            8/8           -         8
//	tputopology         TpuTopology            81         -          31/31           -        31
//	triton              Triton                 65         -              -           -         1
//	xlatransform        XlaTransform          110         -            4/4         3/4         4
//
// The plugin for CPUs has the extension PhaseCompile without the function that makes a
// compiler, and describes no memory. Device events are not in the chain: raw buffers have
// had them since API 0.112.
//
// Two packages are thin, because no plugin at hand offers the extension: example and triton
// only say whether a plugin has it, and name the calls in package capi. The same holds for
// three functions of TpuTopology that look up platforms by name: no name is known that
// libtpu accepts.
//
// # An extension of your own
//
// The packages below this one use the packages pjrt, pjrt/raw and capi, and nothing
// internal. So a vendor can write a package for their plugin's own extension in a separate
// module. The folder testdata/outside has an example, which a test builds.
package extensions
