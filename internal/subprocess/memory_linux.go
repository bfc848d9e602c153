// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package subprocess

import "syscall"

// CanLimitMemory says whether LimitMemory works on this system.
const CanLimitMemory = true

// LimitMemory makes allocations fail when the process has n bytes of private, writable memory.
// Address space that is only reserved does not count, unlike with RLIMIT_AS.
func LimitMemory(n int64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: uint64(n), Max: uint64(n)})
}

// MachineMemory returns the size of this machine's memory in bytes, or 0 if it is not known.
func MachineMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit))
}
