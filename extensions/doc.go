// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package extensions reports which extensions of the PJRT API a plugin offers. Packages below
// this one have what users do with them; package capi has the raw structs and calls of them all.
//
// A plugin lists its extensions in a chain, which [All] reads. [Supported] reports whether a
// plugin offers an extension. Calls to a plugin that does not offer it return an error,
// pjrt.ErrUnimplemented.
//
// # Which plugins offer what
//
// The table shows the chains of XLA's plugin for CPUs of API 0.81 (xla-cpu-pjrt 0.0.1), 0.106
// (fastatomstruct-xla-cpu 2026.6.23) and 0.115 (lammps-jax-pjrt-cpu 0.11.2), libtpu 0.0.52 (API
// 0.117) and XLA's plugin for CUDA 13 of API 0.116 (jax-cuda13-pjrt 0.12.0.1). The column since
// gives the API minor that introduced the extension. 4/7 means that the plugin has 7 functions of
// the extension, and that tests call 4 of them on it through the package. The tests run on machines
// without TPUs and GPUs, where libtpu and the plugin for CUDA only compile: most of the other
// functions need a device, and the test in census_aot_test.go names them all. The column all is the
// number of functions that there are: tests call them on a stand-in. Each package also has examples
// and tests of what its functions do, on the plugins that the tests can call.
//
//	extension           since package           0.81 0.106 0.115 libtpu  CUDA all  for
//	AbiVersion             91 executables          -     -     -   5/12  5/12  12  binary compatibility
//	Callback               77 tpu                  -     -     -    0/2     -   2  reports of a plugin's own
//	Collectives            94 megascale            -     -     -    9/9     -   9  sums between processes
//	CrossHostTransfers     74 crosshost            -     -     -    0/4   0/4   4  buffers for other processes
//	Custom_Partitioner     47 custompartitioner    -     -     -      -   2/2   2  how custom calls are split
//	DeviceEvent           104 rawbuffer            -     -     -    0/6     -   6  the order of a device's work
//	Example                72 capi                 -     -     -      -     -   3  XLA's sample of an extension
//	ExecutableMetadata     75 executables          -     -     -    2/2     -   2  notes about executables
//	FFI                    53 ffi                3/3   3/3   3/3    2/3   3/3   3  custom calls in Go and C
//	Gpu_Custom_Call        31 gpu                  -     -     -      -   1/1   1  custom calls in older C
//	HostMemoryAllocator   106 memories             -     -     -    0/1     -   1  host memory for transfers
//	Layouts                51 memories           6/6   7/7   7/7    5/7   5/7   7  layouts of arrays
//	Megascale              90 megascale            -     -     -  22/23     -  23  programs on several slices
//	MemoryDescriptions     59 memories           1/2   1/2   1/2    2/2   1/2   2  memories without a client
//	MultiSlice             96 megascale            -     -     -    5/5     -   5  configurations of slices
//	PhaseCompile           70 phasecompile       0/3   0/3   0/3    5/5     -   5  compiling phase by phase
//	Profiler               34 profiler             -     -     -   8/11   5/8  11  recordings of a plugin
//	RawBuffer              67 rawbuffer            -     -     -    0/7     -   7  the bytes behind a buffer
//	Shardings              91 executables          -   2/2   2/2    2/2   2/2   2  shardings of a program
//	Stream                 49 gpu                  -     -     -      -   0/2   2  order with other libraries
//	TpuExecutable          90 tpu                  -     -     -    8/8     -   8  contents of executables
//	TpuTopology            81 tpu                  -     -     -  31/31     -  31  where devices are
//	Triton                 65 capi                 -     -     -      -     -   1  kernels in Triton
//	XlaTransform          110 xlatransform         -     -   3/4    3/4   3/4   4  Go functions as passes
//
// Example and Triton have no package, because no plugin at hand offers them: their calls, such as
// capi.TritonCompileArgs, are in package capi. The node of Example has the type Unknown, so any
// other extension without a number can be mistaken for it. Three functions of TpuTopology that look
// up platforms by name are in package capi too: no name is known that libtpu accepts.
//
// The plugins for CPUs have the extension PhaseCompile without the function that makes a compiler,
// and describe no memory; they run no passes for a trace. Device events are not in the chain: raw
// buffers have had them since API 0.112.
//
// # An extension of your own
//
// The packages below this one use the packages pjrt, pjrt/raw and capi, and nothing
// internal. So a vendor can write a package for their plugin's own extension in a separate
// module. The folder testdata/outside has an example, which a test builds.
package extensions
