// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package capi is the complete raw binding of PJRT's C API: every struct,
// enumeration, function and callback of the core table, of its extensions and
// of the profiler, as the headers under third_party/xla declare them. Package
// [github.com/purepjrt/purepjrt/capi/ffi] has the XLA FFI API.
//
// Most programs want package pjrt instead, which is safe. Here nothing checks
// what C does not check itself: plugins crash the process on null and dead
// handles, and on a good many other mistakes.
//
// # Calling
//
// A plugin is a [Table], made by [Open]. A call is a [Call] of the args struct
// of one function; the type of the struct says which function:
//
//	var c capi.Call[capi.ClientPlatformNameArgs]
//	c.Args.Client = client
//	if err := c.Do(table); err != nil {
//		return err
//	}
//	name := capi.String(c.Args.PlatformName, c.Args.PlatformNameSize)
//
// Do refuses a function that the plugin does not have, and an input field that
// the plugin is too old to know, with an [*Error] whose code is
// [ErrorCodeUnimplemented]. It sets StructSize, clears the out fields, calls,
// and turns the plugin's error into an *Error. A Call can be used again, by one
// goroutine at a time; a call allocates nothing.
//
// # Memory
//
// Structs have the layout of their C originals. Objects of the plugin are
// pointers to distinct opaque types, strings are a *byte and a length, and
// words that only travel through C (user_arg and its kin) are uintptr.
// Memory that C keeps after a call returns must stay reachable from Go until C
// is done with it; the doc comment of each function says when that is. A
// pointer stored in a union ([NamedValue], [BufferMemoryLayout]) is invisible to
// the garbage collector, so whoever builds one keeps what it points to alive.
//
// # Names
//
// PJRT_Client_Create_Args is ClientCreateArgs, PJRT_Error_Code_NOT_FOUND is
// ErrorCodeNotFound, PJRT_Layouts_MemoryLayout_Destroy_Args is
// LayoutsMemoryLayoutDestroyArgs. PJRT_Error, the handle, is [ErrorHandle],
// since [Error] is the Go error. Every generated comment starts with the C
// name, so a search for that finds the Go declaration.
package capi
