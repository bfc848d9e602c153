// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !((linux || darwin) && (amd64 || arm64))

package ccall

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// Invoke calls the function that the Frame at frame names with the address
// behind the Frame, and stores its result in the Frame. C may block and may
// call back into Go.
func Invoke(frame unsafe.Pointer) {
	f := (*Frame)(frame)
	f.Ret, _, _ = purego.SyscallN(f.Code, uintptr(unsafe.Add(frame, FrameSize)))
}

// InvokePure is Invoke on this platform.
func InvokePure(frame unsafe.Pointer) { Invoke(frame) }

// InvokeArg is Invoke with the argument that the ArgFrame at frame names.
func InvokeArg(frame *ArgFrame) {
	frame.Ret, _, _ = purego.SyscallN(frame.Code, uintptr(frame.Arg))
}
