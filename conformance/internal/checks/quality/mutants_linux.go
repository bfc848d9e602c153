// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"os"
	"sync"
	"syscall"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// threadMutants are faults that have to know which thread calls.
func threadMutants() []mutant.Mutant {
	return []mutant.Mutant{
		deepStack[capi.LoadedExecutableExecuteArgs]("an execution puts its arguments on the stack, and runs out of it"),
		deepStack[capi.BufferToHostBufferArgs]("a download copies over the stack, and runs out of it"),
		{Check: "THR-02", Fault: "the context of a buffer is that of a thread", Hooks: func() []serve.Hook {
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

// deepStack makes a plugin that ends the process where a thread has little stack.
func deepStack[A any](fault string) mutant.Mutant {
	return mutant.Of("THR-06/everyday calls", fault, func(c *serve.Invocation, _ *A) {
		if size := stackOfThread(); size > 0 && size <= stackSize {
			os.Exit(139)
		}
		c.Forward()
	})
}
