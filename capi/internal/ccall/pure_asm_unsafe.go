// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build (linux || darwin) && (amd64 || arm64) && !go1.27 && !pjrt_noasmcgocall

package ccall

import (
	"unsafe"
)

// asmcgocall switches to the system stack and calls, without telling the
// scheduler. From Go 1.27 on, the linker refuses it.
//
//go:linkname asmcgocall runtime.asmcgocall
func asmcgocall(fn uintptr, frame unsafe.Pointer) int32

// InvokePure is Invoke for functions that return at once and never call back. The scheduler does
// not know about the call: the garbage collector waits for it to end, and a callback into Go would
// end the process.
func InvokePure(frame unsafe.Pointer) { asmcgocall(trampolineABI0, frame) }
