// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package ffi is the raw binding of XLA's C API for foreign functions: handlers
// written in Go, which a program calls as a custom call of API version 4, and
// the functions of the table XLA_FFI_Api that a handler may call. The structs,
// enumerations and function descriptors are generated from the header.
//
// # Handlers
//
// A handler is a C function without an argument of its own. [NewHandler] makes
// one of a Go function; it is registered with the plugin through PJRT's FFI
// extension (capi.FFIRegisterHandlerArgs), or through XLA's own table with
// [Register]:
//
//	h, err := ffi.NewHandler(func(frame *ffi.CallFrame) error {
//		in, err := frame.Args.Buffer(0)
//		...
//		x, err := ffi.Elements[float32](in)
//		...
//		scale, err := ffi.Attribute[float32](&frame.Attrs, "scale")
//		...
//		return nil
//	}, nil)
//
// XLA calls a handler on its own threads, several at a time, while a program
// runs. An error of the Go function fails the execution with its code and text,
// and a panic is an error of code INTERNAL. A process has [MaxHandlers]
// handlers at a time. Nothing unregisters a handler, so most live as long as the
// process.
//
// # Memory
//
// A frame and all that it leads to belong to XLA and end with the call. Names,
// dimensions and the values of attributes are copied; the memory of a buffer is
// not, and can be read here only where it is the host's, as on the platform
// Host. Nothing behind the struct_size that a struct states is read.
//
// # Versions
//
// The table comes from the plugin, in the version that the plugin was built
// with, which the handler takes on. [Table] makes it callable with capi.Call.
// Some functions took other structs before version 0.4: through Table they look
// missing, and [Register], [RegisterType], [CallFrame.SetState],
// [CallFrame.State] and [TakeError] call them in the form that the host knows.
package ffi
