// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"runtime"
	"unsafe"
)

// WriteTo writes b to a file descriptor, whoever owns it.
func WriteTo(fd uintptr, b []byte) {
	LibC("write", fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	runtime.KeepAlive(b)
}
