// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build (linux || darwin) && (amd64 || arm64)

package ccall

import (
	"unsafe"
)

// trampolineABI0 and trampolineArgABI0 are the code addresses of the assembly
// trampolines, as C calls them.
var trampolineABI0, trampolineArgABI0 uintptr

// The runtime keeps cgocall's signature stable for the packages that link to
// it by name; purego is one of them.
//
//go:linkname cgocall runtime.cgocall
func cgocall(fn uintptr, frame unsafe.Pointer) int32

// asmcgocall switches to the system stack and calls, without telling the
// scheduler.
//
//go:linkname asmcgocall runtime.asmcgocall
func asmcgocall(fn uintptr, frame unsafe.Pointer) int32

// Invoke calls the function that the Frame at frame names with the address
// behind the Frame, and stores its result in the Frame. C may block and may
// call back into Go.
func Invoke(frame unsafe.Pointer) { cgocall(trampolineABI0, frame) }

// InvokePure is Invoke for functions that return at once and never call back.
// The scheduler does not learn of the call: while it lasts the garbage
// collector waits for it, and a callback into Go ends the process.
func InvokePure(frame unsafe.Pointer) { asmcgocall(trampolineABI0, frame) }

// InvokeArg is Invoke with the argument that the ArgFrame at frame names.
func InvokeArg(frame *ArgFrame) { cgocall(trampolineArgABI0, unsafe.Pointer(frame)) }
