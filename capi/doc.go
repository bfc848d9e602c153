// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package capi is the complete raw binding of PJRT's C API: every struct, enumeration, function and
// callback of the core table, its extensions and the profiler, as declared in the headers under
// third_party/xla. Package [github.com/purepjrt/purepjrt/capi/ffi] has the XLA FFI API.
//
// Most programs should use package pjrt instead, which is safe. This package checks nothing that C
// does not check: plugins crash the process on null handles, destroyed handles, and many other
// mistakes.
//
// # Calling
//
// A plugin is a [Table], which [Open] returns. A call is a [Call] with the args struct of the
// function as its type argument:
//
//	var c capi.Call[capi.ClientPlatformNameArgs]
//	c.Args.Client = client
//	if err := c.Do(table); err != nil {
//		return err
//	}
//	name := capi.String(c.Args.PlatformName, c.Args.PlatformNameSize)
//
// Do sets StructSize, clears the out fields, calls the function, and turns the plugin's error into
// an [*Error]. If the plugin does not have the function, or is too old to know an input field that
// is set, Do returns an *Error with the code [ErrorCodeUnimplemented] without calling. A Call can
// be used again, by one goroutine at a time. A call allocates nothing. The function [Do] makes a
// Call that is used once:
//
//	c, err := capi.Do(table, capi.ClientPlatformNameArgs{Client: client})
//
// # Memory
//
// Structs have the layout of their C originals. Objects of the plugin are pointers to distinct
// opaque types, strings are a *byte and a length, and words that only pass through C, such as
// user_arg, are uintptr. Memory that C uses after a call has returned must stay reachable from Go
// until C is done with it; the doc comment of each function says when that is. The garbage
// collector does not see a pointer in a union ([NamedValue], [BufferMemoryLayout]), so keep the
// memory that it points to alive.
//
// # Names
//
// PJRT_Client_Create_Args is ClientCreateArgs, PJRT_Error_Code_NOT_FOUND is ErrorCodeNotFound,
// PJRT_Layouts_MemoryLayout_Destroy_Args is LayoutsMemoryLayoutDestroyArgs. The handle PJRT_Error
// is [ErrorHandle], because [Error] is the Go error. Every generated comment starts with the C
// name, so that a search for it finds the Go declaration. Where there is nothing to add, the C name
// is the comment.
//
// ClientCreateArgsSize, and each constant of such a name, is PJRT_Client_Create_Args_STRUCT_SIZE in
// C: the size in bytes without the padding at the struct's end.
package capi
