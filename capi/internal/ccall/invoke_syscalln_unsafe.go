// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !((linux || darwin) && (amd64 || arm64))

package ccall

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// Invoke calls the function of the Frame at frame with the address after the Frame, and stores its
// result in the Frame. C may block and may call back into Go.
func Invoke(frame unsafe.Pointer) {
	f := (*Frame)(frame)
	f.Ret, _, _ = purego.SyscallN(f.Code, uintptr(unsafe.Add(frame, FrameSize)))
}

// InvokePure is Invoke on this platform.
func InvokePure(frame unsafe.Pointer) { Invoke(frame) }

// InvokeArg is Invoke with the argument of the ArgFrame at frame.
func InvokeArg(frame *ArgFrame) {
	frame.Ret, _, _ = purego.SyscallN(frame.Code, uintptr(frame.Arg))
}

// InvokeChain makes the calls of a Chain one after the other.
func InvokeChain(c *Chain) {
	for _, l := range c.Links[:c.Left] {
		word := uintptr(1)
		if l.From != nil {
			word = *(*uintptr)(l.From)
			*(*uintptr)(l.To) = word
		}
		l.Frame.Ret = 0
		if word != 0 {
			Invoke(unsafe.Pointer(l.Frame))
		}
		if l.Frame.Ret != 0 {
			return
		}
		c.Made++
	}
}
