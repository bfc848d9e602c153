// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// callOnForeignThread calls the C function code with the argument arg, on a
// thread that does nothing else and ends with the call.
func callOnForeignThread(code uintptr, arg unsafe.Pointer) uintptr {
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(arg)
	result := make(chan uintptr)
	go func() {
		runtime.LockOSThread()
		r, _, _ := purego.SyscallN(code, uintptr(arg))
		result <- r
	}()
	return <-result
}
