// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package mlir

import "syscall"

// threadStack returns how many bytes of stack the C library gives a new thread.
func threadStack() int {
	const unlimited = 2 << 20 // what glibc gives if there is no limit
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &limit); err != nil || uint64(limit.Cur) > 1<<40 {
		return unlimited
	}
	return int(limit.Cur)
}
