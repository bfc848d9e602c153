// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

import "syscall"

// canLimitMemory says whether limitMemory works on this system.
const canLimitMemory = true

// limitMemory makes allocations fail when the process has n bytes of private, writable memory.
// Address space that is only reserved does not count, unlike with RLIMIT_AS.
func limitMemory(n int64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: uint64(n), Max: uint64(n)})
}
