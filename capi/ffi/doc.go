// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package ffi is the raw binding of XLA's C API for foreign functions: the
// structs that a handler gets, and the functions of the table XLA_FFI_Api that
// it may call. All of it but the table's opening is generated from the header.
//
// A handler is a C function that the plugin calls while a program runs; one
// written in Go is made with a callback of package capi.
package ffi
