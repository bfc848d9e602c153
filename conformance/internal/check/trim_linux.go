// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"runtime/debug"

	"github.com/ebitengine/purego"
)

// giveBack returns to the system what the allocators of Go and of C keep for later.
// Memory that C's allocator still has from earlier work would hide what a plugin keeps:
// the plugin's next arrays would use it, and the process would not grow.
func giveBack() {
	debug.FreeOSMemory()
	if trim, err := purego.Dlsym(purego.RTLD_DEFAULT, "malloc_trim"); err == nil { // only glibc has it
		purego.SyscallN(trim, 0)
	}
}
