// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"fmt"
	"os"
)

// resident returns how many bytes of memory the process holds.
func resident() (float64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("the memory of the process cannot be read: %w", err)
	}
	var size, pages float64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0, fmt.Errorf("the memory of the process cannot be read: %w", err)
	}
	return pages * float64(os.Getpagesize()), nil
}

// held returns how many threads and open files the process has.
func held() (threads, files int) {
	count := func(dir string) int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return 0
		}
		return len(entries)
	}
	return count("/proc/self/task"), count("/proc/self/fd")
}
