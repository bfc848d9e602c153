// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package gomlx is a backend for GoMLX (github.com/gomlx/gomlx) that runs on any PJRT
// plugin and needs neither cgo nor a C compiler. Importing it registers the backend:
//
//	import _ "github.com/purepjrt/purepjrt/pjrt/gomlx"
//
//	backend, err := backends.NewWithConfig("pjrt:cpu")
//
// In a program with no other backend, backends.New returns it too. The environment
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
// reuse=false say whether results take the memory of donated arguments, see below. All other
// options are create options of the plugin, see package platform; a list has semicolons
// between its elements.
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
// that NewSharedBuffer and BufferData return are valid until BufferFinalize.
//
// # Executions
//
// Execute waits until the program is done. An argument that GoMLX donates, such as the old
// value of a variable, is deleted as soon as the execution is over. On devices with their
// own memory, which is scarce, a program to which the same large arguments are donated
// again and again, as in training, is compiled once more so that results take their
// memory. The option reuse=true extends this to CPUs: it saves memory there, and takes
// more time. Arguments that stay the same from call to call, such as the weights of a
// trained model, are bound: they are not checked again.
//
// # Errors
//
// Errors have GoMLX's form: they carry a stack trace, also where GoMLX panics with one.
// Their text begins with the name of the backend. Errors of plugins are in their chain,
// so errors.Is(err, pjrt.ErrResourceExhausted) and the like work.
//
// A backend, its buffers and executables may be used from several goroutines at once. A
// builder belongs to one goroutine.
package gomlx
