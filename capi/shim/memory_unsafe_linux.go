// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readMemory copies memory of this process. If the memory is unmapped, it returns false and does
// not crash.
func readMemory(to []byte, from uintptr) bool {
	local := []unix.Iovec{{Base: unsafe.SliceData(to)}}
	local[0].SetLen(len(to))
	n, err := unix.ProcessVMReadv(os.Getpid(), local, []unix.RemoteIovec{{Base: from, Len: len(to)}}, 0)
	return n == len(to) && err == nil
}

// memoryReadable reports whether readMemory works here. Some containers forbid the system call.
var memoryReadable = sync.OnceValue(func() bool {
	word, copied := byte(1), []byte{0}
	return readMemory(copied, uintptr(unsafe.Pointer(&word))) && copied[0] == word
})
