// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// allCategories is LC_ALL.
const allCategories = 6

// kernelProperties returns the handlers of signals, the signals that the thread
// blocks, and the buffering of standard output.
func kernelProperties() []property {
	var list []property
	for s := syscall.Signal(1); s < 32; s++ {
		// The kernel's mask has 8 bytes; the handler comes first, then the flags.
		var action [8]uintptr
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&action)),
			8, 0, 0); errno == 0 {
			list = append(list, property{fmt.Sprintf("the handler of %v", s), fmt.Sprintf("%#x", action[0])})
		}
	}
	var blocked uint64
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, 0, uintptr(unsafe.Pointer(&blocked)), 8, 0, 0); errno == 0 {
		list = append(list, property{"the signals that the thread which called blocks", fmt.Sprintf("%#x", blocked)})
	}
	if mode := buffering(); mode != "" {
		list = append(list, property{"the buffering of standard output", mode})
	}
	return list
}

// buffering returns how C's standard output is buffered, or "" if that cannot be found
// out.
func buffering() string {
	stdout, err1 := purego.Dlsym(purego.RTLD_DEFAULT, "stdout")
	byLine, err2 := purego.Dlsym(purego.RTLD_DEFAULT, "__flbf")
	size, err3 := purego.Dlsym(purego.RTLD_DEFAULT, "__fbufsize")
	if err1 != nil || err2 != nil || err3 != nil {
		return ""
	}
	file := **(**uintptr)(unsafe.Pointer(&stdout))
	if n, _, _ := purego.SyscallN(byLine, file); n&0xff != 0 {
		return "by line"
	}
	// The first output makes the buffer; an unbuffered file has one of a single byte.
	if n, _, _ := purego.SyscallN(size, file); n == 1 {
		return "none"
	}
	return "full"
}
