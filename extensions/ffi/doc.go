// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package ffi lets programs call functions outside XLA: handlers of XLA's foreign function
// interface, with the operation stablehlo.custom_call. It uses the extension FFI, which
// came with API 0.53; XLA's plugins for CPUs, GPUs and TPUs have it.
//
// # Handlers in Go
//
// A struct describes a call, and a function handles it:
//
//	type scale struct {
//		In     ffi.Arg[float32]
//		Out    ffi.Ret[float32]
//		Factor float32
//	}
//
//	err := ffi.Register(plugin, "scale", func(c *ffi.Call, op *scale) error {
//		for i, x := range op.In.Data {
//			op.Out.Data[i] = x * op.Factor
//		}
//		return nil
//	})
//
// [Func] makes a handler of a function on two slices.
//
// Arguments and results are views of the program's memory. [Target] writes the operation
// that calls the handler:
//
//	%1 = stablehlo.custom_call @scale(%0) {api_version = 4 : i32, backend_config = {factor = 2.0 : f32}, ...} : ...
//
// [Handler] says which fields a struct can have, what a handler may do, and how it keeps a
// state for each executable. A [Call] has the context of the execution and the data that
// its caller passed: Go [Values], [Options] (API 0.116) and a [Context], which handlers in
// C see too.
//
// [Print], [Assert] and [Progress] are ready-made. Package extensions/ffi/lapack has the
// functions of LAPACK that programs of JAX for CPUs call.
//
// On platforms other than Host, handlers get addresses in the device's memory, and the
// stream on which it works.
//
// # Handlers in C
//
// [RegisterC] registers the address of a C function, and [Load] those of a shared library.
package ffi
