// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package ffi is the raw binding of XLA's C API for foreign functions. It has handlers written in
// Go, which a program calls as a custom call of API version 4, and the functions of the table
// XLA_FFI_Api that a handler may call. The structs, enumerations and function descriptors are
// generated from the header.
//
// # Handlers
//
// A handler is a C function without a user argument. [NewHandler] makes one from a Go function.
// Register it with the plugin through PJRT's FFI extension (capi.FFIRegisterHandlerArgs), or
// through XLA's own table with [Register]:
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
// XLA calls a handler on its own threads, on several at once, while a program runs. If the Go
// function returns an error, the execution fails with its code and text. A panic becomes an error
// with the code INTERNAL. A process can have [MaxHandlers] handlers at a time. Handlers cannot be
// unregistered, so most live as long as the process.
//
// # Memory
//
// A frame, and everything reached from it, belongs to XLA and is valid only during the call. Names,
// dimensions and the values of attributes are copied. The memory of a buffer is not copied, and can
// be read only if it is host memory, as on the platform Host. This package never reads beyond the
// struct_size of a struct.
//
// # Versions
//
// The table comes from the plugin, in the version that the plugin was built with, and a handler
// reports that version as its own. [Table] makes it callable with capi.Call. Some functions took
// other structs before version 0.4. In a Table for such a version they are missing, but [Register],
// [RegisterType], [CallFrame.SetState], [CallFrame.State] and [TakeError] can call them.
package ffi
