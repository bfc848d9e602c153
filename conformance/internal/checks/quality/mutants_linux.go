// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"sync"
	"syscall"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// threadMutants are faults that have to know which thread calls.
func threadMutants() []mutant.Mutant {
	return []mutant.Mutant{{Check: "THR-02", Fault: "the context of a buffer is that of a thread", Hooks: func() []serve.Hook {
		var mu sync.Mutex
		threads := make(map[*capi.Buffer]int)
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ClientBufferFromHostBufferArgs) {
				c.Forward()
				mu.Lock()
				defer mu.Unlock()
				threads[a.Buffer] = syscall.Gettid()
			}),
			serve.Around(func(c *serve.Invocation, a *capi.BufferDestroyArgs) {
				mu.Lock()
				thread, known := threads[a.Buffer]
				delete(threads, a.Buffer)
				mu.Unlock()
				if c.Forward(); known && thread != syscall.Gettid() {
					c.Fail(capi.ErrorCodeInternal, "this thread has no context")
				}
			}),
		}
	}}}
}
