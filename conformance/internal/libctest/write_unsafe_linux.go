// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package libctest

import (
	"runtime"
	"unsafe"
)

// Write writes b to a file descriptor, whoever owns it.
func Write(fd uintptr, b []byte) {
	Call("write", fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	runtime.KeepAlive(b)
}
