// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// ResidentBytes returns how much memory of the machine the process has. Only
// Linux says it without a library.
func ResidentBytes() (int64, error) {
	const file = "/proc/self/statm"
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
