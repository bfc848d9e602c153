// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// faultMutants returns faults in what a plugin does without memory, and after another
// process was killed.
func faultMutants() []mutant.Mutant {
	dies := func(c *serve.Invocation) {
		if c.Forward(); c.ReadErr() != nil && c.ReadErr().Code == capi.ErrorCodeResourceExhausted {
			os.Exit(134) // like a plugin that an exception escapes from
		}
	}
	return []mutant.Mutant{
		mutant.Of("FAULT-03", "an upload without memory ends the process", func(c *serve.Invocation, _ *capi.ClientBufferFromHostBufferArgs) { dies(c) }),
		mutant.Of("FAULT-03", "an execution without memory ends the process", func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) { dies(c) }),
		mutant.Hooked("FAULT-03/compile", "a compilation of much ends the process", func() []serve.Hook {
			return []serve.Hook{large(func(*serve.Invocation) { os.Exit(134) })}
		}).On(func(real *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
			return serve.Wrap(real, append(faults, large(func(c *serve.Invocation) {
				c.Fail(capi.ErrorCodeResourceExhausted, "out of memory")
			}))...)
		}),
		mutant.Hooked("FAULT-03", "after memory was missing once, there is none any more", func() []serve.Hook {
			missing := false
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.ClientBufferFromHostBufferArgs) {
				if missing {
					c.Fail(capi.ErrorCodeResourceExhausted, "there is no memory")
					return
				}
				c.Forward()
				missing = c.Err() != nil
			})}
		}),
		keepsDevice("FAULT-08", "a device stays with the process that was killed", func(c *serve.Invocation) {
			c.Fail(capi.ErrorCodeUnavailable, "the device is in use by another process")
		}),
	}
}

// large calls answer for compilations of programs that are larger than the spare
// memory.
func large(answer func(*serve.Invocation)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
		if a.Program.CodeSize > spare {
			answer(c)
			return
		}
		c.Forward()
	})
}

// leftBehind returns the path of a file that one check's processes share.
func leftBehind(name string) string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("pjrt-mutant-%s-%d", name, os.Getppid()))
}

// keepsDevice makes a plugin whose device still belongs to a process that was killed
// while it executed one program after another.
func keepsDevice(name, fault string, refuse func(*serve.Invocation)) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		executions := 0
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
				if os.Remove(leftBehind("device")) == nil {
					refuse(c)
					return
				}
				c.Forward()
			}),
			serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) {
				if executions++; executions == 2 { // this is the process that keeps executing
					_ = os.WriteFile(leftBehind("device"), nil, 0o600)
				}
				c.Forward()
			}),
		}
	})
}
