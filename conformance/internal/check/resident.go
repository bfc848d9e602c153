// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// ResidentBytes returns how many bytes of the machine's memory the process uses, after the
// allocators of Go and of C have released what they do not use. It works only on Linux.
func ResidentBytes() (int64, error) {
	const file = "/proc/self/statm"
	giveBack()
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0, fmt.Errorf("%s holds %q", file, b)
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return pages * int64(os.Getpagesize()), nil
}

// ResetPeak makes the current memory of the process its peak, if Linux allows that.
func ResetPeak() error {
	giveBack()
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// PeakBytes returns the most memory of the machine that the process has used since
// ResetPeak.
func PeakBytes() (int64, error) {
	const file = "/proc/self/status"
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kilobytes, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte("kB")))), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("%s has no line VmHWM", file)
}
