// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// waitedTime returns how long the threads of the process that still run have waited for a
// processor, in all.
func waitedTime() (all time.Duration) {
	files, _ := filepath.Glob("/proc/self/task/*/schedstat") // the pattern is well formed
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		var ran, waited int64
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			all += time.Duration(waited)
		}
	}
	return all
}
