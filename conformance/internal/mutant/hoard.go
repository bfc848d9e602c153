// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"runtime/debug"
	"sync"

	"github.com/purepjrt/purepjrt/capi/serve"
)

// A Hoard keeps memory forever.
type Hoard struct {
	mu   sync.Mutex
	kept [][]byte // guarded by mu
}

// NewHoard returns an empty hoard. It returns free memory of the process to the system
// first, because that would hide what the hoard takes.
func NewHoard() *Hoard {
	debug.FreeOSMemory()
	return new(Hoard)
}

// Add keeps n more bytes and writes to them: memory that was never touched does not count.
func (h *Hoard) Add(n int) {
	b := make([]byte, n)
	for i := 0; i < n; i += 1024 {
		b[i] = 1
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, b)
}

// Leaks makes a mutant of a function that keeps memory of each call.
func Leaks[A any](check, fault string, bytes int) Mutant {
	return Hooked(check, fault, func() []serve.Hook {
		kept := NewHoard()
		return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *A) {
			kept.Add(bytes)
			c.Forward()
		})}
	})
}
