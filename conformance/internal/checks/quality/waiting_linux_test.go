// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Of more threads than processors, some wait.
func TestThreadsThatShareAProcessorWait(t *testing.T) {
	threads := 2 * runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads + 1))
	var over atomic.Bool
	defer over.Store(true)
	for range threads {
		go func() {
			for !over.Load() {
			}
		}()
	}
	for before := waitedTime(); waitedTime() < before+10*time.Millisecond; {
		time.Sleep(time.Millisecond)
	}
}
