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

// threadMutants returns faults that depend on the calling thread.
func threadMutants() []mutant.Mutant {
	return []mutant.Mutant{
		deepStack[capi.LoadedExecutableExecuteArgs]("an execution puts its arguments on the stack, and runs out of it"),
		deepStack[capi.BufferToHostBufferArgs]("a download copies over the stack, and runs out of it"),
		mutant.Hooked("THR-02", "the context of a buffer is that of a thread", func() []serve.Hook {
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
		})}
}

// deepStack makes a plugin that ends the process if a thread has little stack.
func deepStack[A any](fault string) mutant.Mutant {
	return mutant.Dies("THR-06/everyday calls", fault, func(*A) bool {
		size := stackOfThread()
		return size > 0 && size <= stackSize
	})
}
