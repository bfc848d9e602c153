// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"
	"syscall"
	"unsafe"
)

// allCategories is LC_ALL.
const allCategories = 6

// changedHandlers says in words which signals no longer have the handler of the
// Go runtime, which is one function for all of them.
func changedHandlers() []string {
	var list []string
	want := handler(syscall.SIGURG) // which the runtime itself needs
	for _, s := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGABRT, syscall.SIGTRAP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE} {
		// A process that was started with a signal ignored goes on to ignore it.
		if got := handler(s); got != want && got != ignored {
			list = append(list, fmt.Sprintf("expected the handler of %v to be the program's, at %#x, got %#x", s, want, got))
		}
	}
	return list
}

const ignored = 1

// handler returns the address of a signal's handler.
func handler(s syscall.Signal) uintptr {
	var action [8]uintptr // the handler stands first; the kernel's mask has 8 bytes
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0); errno != 0 {
		return ignored
	}
	return action[0]
}
