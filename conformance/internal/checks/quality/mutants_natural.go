// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// naturalMutants returns faults that plugins really have.
func naturalMutants() []mutant.Mutant {
	ms := []mutant.Mutant{
		mutant.Hooked("THR-01", "uploads at the same time share staging memory", func() []serve.Hook {
			var under atomic.Int32
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ClientBufferFromHostBufferArgs) {
				n := under.Add(1)
				defer under.Add(-1)
				runtime.Gosched()
				if n > 1 {
					mutant.Forward(c, a, func(a *capi.ClientBufferFromHostBufferArgs) { a.Data = check.Pointer(make([]byte, 16)) })
					return
				}
				time.Sleep(50 * time.Microsecond) // the other threads arrive meanwhile
				c.Forward()
			})}
		}),
		mutant.Hooked("THR-03", "nothing runs while something is compiled", func() []serve.Hook {
			var compiling atomic.Int32
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, _ *capi.ClientCompileArgs) {
					compiling.Add(1)
					defer compiling.Add(-1)
					c.Forward()
				}),
				serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) {
					mutant.FailIf(c, compiling.Load() > 0, capi.ErrorCodeUnavailable, "the compiler is busy")
				}),
			}
		}),
		{Check: "LEAK-03/device", Fault: "device memory of buffers is never freed", Waits: true, Base: mutant.Memory,
			Hooks: func() []serve.Hook {
				var lost atomic.Int64
				return []serve.Hook{
					serve.Around(func(c *serve.Invocation, _ *capi.ClientBufferFromHostBufferArgs) {
						lost.Add(1 << 16)
						c.Forward()
					}),
					serve.Around(func(c *serve.Invocation, a *capi.DeviceMemoryStatsArgs) {
						c.Forward()
						a.BytesInUse += lost.Load()
					}),
				}
			}},
		{Check: "LEAK-06", Fault: "the threads of a client never end", Waits: true, Hooks: func() []serve.Hook {
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
				for range 2 {
					started := make(chan bool)
					go func() {
						runtime.LockOSThread()
						started <- true
						select {}
					}()
					<-started
				}
				c.Forward()
			})}
		}},
		{Check: "LEAK-06", Fault: "the files of a client are never closed", Waits: true, Hooks: func() []serve.Hook {
			var files []*os.File
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
				for range 2 {
					if f, err := os.Open(os.DevNull); err == nil {
						files = append(files, f)
					}
				}
				c.Forward()
			})}
		}},
		mutant.After("LEAK-09", "dims are changed in the caller's array", func(a *capi.ClientBufferFromHostBufferArgs) {
			if a.NumDims > 1 {
				*a.Dims = 0
			}
		}),
		mutant.After("LEAK-09", "a program is changed in the caller's memory", func(a *capi.ClientCompileArgs) { *a.Program.Code = 0 }),
		mutant.After("LEAK-09", "the list of arguments is used for other things", func(a *capi.LoadedExecutableExecuteArgs) { **a.ArgumentLists = nil }),
		mutant.Of("FUZZ-02", "a damaged program ends the process", func(c *serve.Invocation, _ *capi.ClientCompileArgs) {
			if c.Forward(); c.Err() != nil {
				os.Exit(134)
			}
		}),
		mutant.Of("FUZZ-03", "a damaged executable ends the process", func(c *serve.Invocation, _ *capi.ExecutableDeserializeAndLoadArgs) {
			if c.Forward(); c.Err() != nil {
				os.Exit(134)
			}
		}),
		{Check: "FUZZ-04", Fault: "downloads what was deleted", Base: mutant.Memory, Hooks: func() []serve.Hook {
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
				if c.Forward(); c.Err() == nil {
					return
				}
				c.FailWith(nil)
				a.Event = readyEvent(c.Table())
			})}
		}},
		mutant.Of("FUZZ-04", "a deletion takes place later", func(*serve.Invocation, *capi.BufferDeleteArgs) {}),
		slow[capi.DeviceDescriptionAttributesArgs]("PERF-08", "attributes are read from the driver each time", 2*time.Millisecond),
		{Check: "PERF-10", Fault: "a thread of the client polls its queue without a pause", Waits: true, Hooks: func() []serve.Hook {
			var polls atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
				if c.Forward(); c.Err() != nil {
					return
				}
				go func() {
					for {
						polls.Add(1)
					}
				}()
			})}
		}},
		mutant.Of("PERF-10/waiting", "who waits for an event asks again and again", func(c *serve.Invocation, a *capi.EventAwaitArgs) {
			for {
				if out, err := mutant.Try(c.Table(), capi.EventIsReadyArgs{Event: a.Event}); err != nil || out.IsReady {
					break
				}
			}
			c.Forward()
		}).Waiting(),
		slow[capi.BufferToHostBufferArgs]("PERF-02", "a download waits for a timer", 400*time.Millisecond).Waiting(),
	}
	for _, variant := range []string{"", "/many"} {
		ms = append(ms, mutant.Leaks[capi.ClientBufferFromHostBufferArgs]("THR-05"+variant,
			"each thread has an arena that is never freed", 256<<10))
	}
	return ms
}

// readyEvent returns an event that is already set.
func readyEvent(table *capi.Table) *capi.Event {
	out, err := mutant.Try(table, capi.EventCreateArgs{})
	if err != nil {
		return nil
	}
	mutant.Try(table, capi.EventSetArgs{Event: out.Event})
	return out.Event
}
