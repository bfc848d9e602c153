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

// faultMutants are the faults of what a plugin does without memory, and after
// the end of another process.
func faultMutants() []mutant.Mutant {
	dies := func(c *serve.Invocation) {
		if c.Forward(); c.ReadErr() != nil && c.ReadErr().Code == capi.ErrorCodeResourceExhausted {
			os.Exit(134) // as a plugin does from which an exception escapes
		}
	}
	return []mutant.Mutant{
		mutant.Of("FAULT-03", "an upload without memory ends the process", func(c *serve.Invocation, _ *capi.ClientBufferFromHostBufferArgs) { dies(c) }),
		mutant.Of("FAULT-03", "an execution without memory ends the process", func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) { dies(c) }),
		{
			Check: "FAULT-03/compile", Fault: "a compilation of much ends the process",
			Wrap: func(real *capi.Table) (*serve.Table, error) {
				return serve.Wrap(real, large(func(*serve.Invocation) { os.Exit(134) }))
			},
			Sound: func(real *capi.Table) (*serve.Table, error) {
				return serve.Wrap(real, large(func(c *serve.Invocation) { c.Fail(capi.ErrorCodeResourceExhausted, "out of memory") }))
			},
		},
		mutant.Mutant{Check: "FAULT-03", Fault: "after memory was missing once, there is none any more", Hooks: func() []serve.Hook {
			missing := false
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.ClientBufferFromHostBufferArgs) {
				if missing {
					c.Fail(capi.ErrorCodeResourceExhausted, "there is no memory")
					return
				}
				c.Forward()
				missing = c.Err() != nil
			})}
		}},
		keepsDevice("FAULT-08", "a device stays with the process that was killed", func(c *serve.Invocation) {
			c.Fail(capi.ErrorCodeUnavailable, "the device is in use by another process")
		}),
	}
}

// large answers compilations of programs that are larger than the memory that is
// to spare.
func large(answer func(*serve.Invocation)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
		if a.Program.CodeSize > spare {
			answer(c)
			return
		}
		c.Forward()
	})
}

// leftBehind is a file that the processes of one check share.
func leftBehind(name string) string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("pjrt-mutant-%s-%d", name, os.Getppid()))
}

// keepsDevice makes a plugin whose device stays with a process that is killed while it
// executes one program after another.
func keepsDevice(name, fault string, refuse func(*serve.Invocation)) mutant.Mutant {
	return mutant.Mutant{Check: name, Fault: fault, Hooks: func() []serve.Hook {
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
				if executions++; executions == 2 { // it is the process that goes on
					_ = os.WriteFile(leftBehind("device"), nil, 0o600)
				}
				c.Forward()
			}),
		}
	}}
}
