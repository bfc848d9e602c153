// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package collecting waits in tests for what the garbage collector brings about.
package collecting

import (
	"runtime"
	"time"
)

// Tests wait at least this long, and through this many collections. One collection takes up to a
// minute where the runtime looks for cleanups that keep their own objects, so neither bound would
// do alone.
const (
	patience    = time.Minute
	collections = 20
)

// Until collects garbage until something has happened. It reports whether it has happened, or
// gives up after a minute and twenty collections.
func Until(happened func() bool) bool {
	begin := time.Now()
	for n := 0; !happened(); n++ {
		if n >= collections && time.Since(begin) > patience {
			return false
		}
		runtime.GC()
		// Cleanups, and threads of the plugin, run while the test waits.
		time.Sleep(time.Millisecond)
	}
	return true
}
