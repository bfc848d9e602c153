// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package ffi lets programs call functions outside of XLA: handlers of XLA's foreign
// function interface, by the operation stablehlo.custom_call. It uses the extension
// FFI, which came with API 0.53; XLA's plugins for CPUs, GPUs and TPUs have it.
//
// A handler is a C function, or a Go function that package capi/ffi turns into one:
//
//	h, err := cffi.NewHandler(func(frame *cffi.CallFrame) error { ... }, nil) // capi/ffi
//	...
//	err = ffi.Register(plugin, ffi.CustomCall{Target: "square", Platform: "Host", Handler: h})
//
// [Load] registers the handlers of a shared library. [Options] (API 0.116) and a [Context]
// carry data from whoever executes a program to the handlers that the program calls.
package ffi
