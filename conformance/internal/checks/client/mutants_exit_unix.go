// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package client

import (
	"sync/atomic"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// exitMutants returns plugins that do something when the process ends, as destructors of
// static objects do.
func exitMutants() []mutant.Mutant {
	busy := func(under *atomic.Int32) []serve.Hook {
		return []serve.Hook{
			mutant.Then(func(*capi.LoadedExecutableExecuteArgs) { under.Add(1) }),
			mutant.Then(func(*capi.EventAwaitArgs) { under.Add(-1) }),
		}
	}
	return []mutant.Mutant{
		atExit("CLI-38/idle", "fails at the end of a process that did not destroy its client", func() ([]serve.Hook, func()) {
			return nil, mutant.Die
		}),
		atExit("CLI-38/running", "destroys the threads' queue at the end of the process, under the executions in it",
			func() ([]serve.Hook, func()) {
				under := new(atomic.Int32)
				return busy(under), func() {
					if under.Load() > 0 {
						mutant.Die()
					}
				}
			}),
		atExit("CLI-38/waiting", "waits at the end of the process for all that is under way", func() ([]serve.Hook, func()) {
			var pending atomic.Int32
			return []serve.Hook{
					mutant.Then(func(*capi.ClientCreateBuffersForAsyncHostToDeviceArgs) { pending.Add(1) }),
				}, func() {
					if pending.Load() > 0 {
						select {}
					}
				}
		}).Waiting(),
	}
}

// atExit returns a plugin that does something when a process in which it made a client ends.
func atExit(check, fault string, make func() (hooks []serve.Hook, end func())) mutant.Mutant {
	return mutant.Hooked(check, fault, func() []serve.Hook {
		hooks, end := make()
		var clients atomic.Int32
		return append(hooks, serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
			if c.Forward(); c.Err() != nil || clients.Add(1) > 1 {
				return
			}
			// The C library links atexit into each program, and exports only this one.
			register, err := purego.Dlsym(purego.RTLD_DEFAULT, "__cxa_atexit")
			if err != nil {
				c.Fail(capi.ErrorCodeInternal, "the C library: %v", err)
				return
			}
			purego.SyscallN(register, purego.NewCallback(func(uintptr) uintptr {
				end()
				return 0
			}), 0, 0)
		}))
	})
}
