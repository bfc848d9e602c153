// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package gomlx is a backend for GoMLX (github.com/gomlx/gomlx) that runs on any PJRT
// plugin and needs neither cgo nor a C compiler. Importing it registers the backend:
//
//	import _ "github.com/purepjrt/purepjrt/pjrt/gomlx"
//
//	backend, err := compute.NewWithConfig("pjrt:cpu")
//
// It is for GoMLX 0.28.8, whose go.mod says which version of github.com/gomlx/compute belongs to
// it. In a program with no other backend, compute.New returns it too. The environment
// variable GOMLX_BACKEND takes the same text as NewWithConfig.
//
// # Configuration
//
// The text after "pjrt:" names a plugin as for [plugins.Find]: by a name (cpu, cuda, tpu)
// or by the path of its library. Without a name, the backend uses the best plugin
// on the machine. Options follow after commas:
//
//	pjrt:cpu,cpu_device_count=8
//	pjrt:/opt/plugins/pjrt_c_api_my_plugin.so,cache
//	pjrt:cuda,memory_fraction=0.5,visible_devices=0;2,cache=/var/cache/models
//
// The option cache keeps compiled programs on disk, in the directory that it names or in the
// default directory of package cache. shared=false turns shared buffers off. reuse=true and
// reuse=false say whether results take the memory of donated arguments, see below.
// dynamic=true is about dynamic axes, see below. help is an error with a list of the options. All
// other options are create options of the plugin, see package platform; a list has semicolons
// between its elements. Where the text says nothing, the environment variables apply that
// [plugins.Open] reads, such as XLA_PYTHON_CLIENT_PREALLOCATE.
//
// # Devices
//
// The numbers of GoMLX's devices are positions in the list of the client's addressable
// devices. XLA's plugin for CPUs has 4 devices unless cpu_device_count says otherwise.
//
// # Buffers
//
// Where the devices use the host's memory, as with CPU plugins, buffers are shared: GoMLX
// reads results in place, and a tensor made on the host is used without a copy. Slices
// that NewSharedBuffer and Buffer.Data return are valid until Buffer.Finalize.
//
// # Executions
//
// Execute waits until the program is done. An argument that GoMLX donates, such as the old
// value of a variable, is deleted as soon as the execution is over. On devices with their
// own memory, which is scarce, a program to which the same large arguments are donated
// again and again, as in training, is compiled once more so that results take their
// memory. The option reuse=true extends this to CPUs: it saves memory there, and takes
// more time. A result that updates a donated argument (DynamicUpdateSlice), such as a cache of
// keys and values, takes its memory on all devices, unless reuse=false. Arguments that stay the
// same from call to call, such as the weights of a trained model, are bound: they are not checked
// again.
//
// # Dynamic axes
//
// Parameters of the main function may have axes with a name in place of a size
// (shapes.MakeDynamic). XLA compiles programs whose sizes are known, so an execution with
// sizes that have not come up lately compiles the program for them. Any operation may change a
// dynamic axis: concatenating, padding and reshaping it work too. Sizes that are values of the
// program, as DynamicReshape and others take them, follow from constants, sizes of axes and
// arguments of a few integers, whose numbers are like sizes. GoMLX uses dynamic axes
// where a program asks for them; with the option dynamic=true, it also does so by itself,
// which suits programs that see few sizes.
//
// What GoMLX hears about shapes while it builds a program follows from some sizes that the backend
// tries, small and large. An execution with sizes for which it does not hold is an error.
//
// # Fused operations
//
// Softmax, GELU, layer normalization, attention with its gradient, and its projection are made of
// StableHLO's operations, which XLA fuses; other gradients go through GoMLX's own form of them.
// The rest (FusedDense, quantized weights, attention with numbers that are added to its scores) is
// an error with compute.ErrNotImplemented in its chain, upon which GoMLX makes it of simpler
// operations.
//
// On CUDA devices of compute capability 8.0 and later, cuDNN computes attention and its gradient
// without keeping the scores, if their dtype is Float16 or BFloat16, there is no mask (lengths and
// causal attention are fine), and heads have a multiple of 8 features, at most 128, or 256 from 9.0
// on. The calls are those that JAX makes. cudnn=false leaves such attention to XLA too.
//
// # Errors
//
// Errors have GoMLX's form: they carry a stack trace, also where GoMLX panics with one.
// Their text begins with the name of the backend. Errors of plugins are in their chain,
// so errors.Is(err, pjrt.ErrResourceExhausted) and the like work.
//
// A backend, its buffers and executables may be used from several goroutines at once. A
// builder and its functions belong to one goroutine.
package gomlx
