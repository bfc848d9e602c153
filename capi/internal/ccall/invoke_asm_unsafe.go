// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build (linux || darwin) && (amd64 || arm64)

package ccall

import (
	"unsafe"
)

// trampolineABI0, trampolineArgABI0 and chainABI0 are the code addresses of the assembly
// trampolines, as C calls them.
var trampolineABI0, trampolineArgABI0, chainABI0 uintptr

// The runtime keeps cgocall's signature stable for the packages that link to
// it by name; purego is one of them.
//
//go:linkname cgocall runtime.cgocall
func cgocall(fn uintptr, frame unsafe.Pointer) int32

// Invoke calls the function of the Frame at frame with the address after the Frame, and stores its
// result in the Frame. C may block and may call back into Go.
func Invoke(frame unsafe.Pointer) { cgocall(trampolineABI0, frame) }

// InvokeArg is Invoke with the argument of the ArgFrame at frame.
func InvokeArg(frame *ArgFrame) { cgocall(trampolineArgABI0, unsafe.Pointer(frame)) }

// InvokeChain makes the calls of a Chain, which must be on the heap, as Invoke would, in one
// crossing into C.
func InvokeChain(c *Chain) { cgocall(chainABI0, unsafe.Pointer(c)) }
