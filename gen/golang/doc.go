// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package golang is the generator's back end: it turns headers in the form of
// package model into the Go files of packages capi and capi/ffi.
//
// Generate works in two steps. The first gives every C declaration its Go name
// and finds the functions that plugins offer; a name that two declarations would
// share is an error here. The second writes the files with jennifer, which
// formats them. The result depends on the input alone. GenerateExtension, whose
// headers nobody here has seen, type checks its package before it returns it.
//
// What no rule covers (the names of unions, which void pointers are not
// addresses, which functions may take the short call path and so on) is in the
// tables of exceptions.go.
package golang
