// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// More faults of compiling and executing: those of the second result, device, argument or
// execution, of what the caller takes back after the call, and of errors that get lost on
// the way.
func moreExecuteFaults() []mutant.Mutant {
	return []mutant.Mutant{
		onCompile("CMP-05", "compares formats as far as they go", func(c *compilation) {
			if f := c.format(); f != "" && strings.HasPrefix("mlir", f) {
				c.with("mlir", c.code())
				return
			}
			c.Forward()
		}),
		onCompile("CMP-18", "loses the end of a dense constant", func(c *compilation) {
			code := c.code()
			if at := strings.Index(code, `"> : tensor<`); at > 64 && strings.Contains(code, `dense<"0x`) {
				code = code[:at-64] + strings.Repeat("0", 64) + code[at:]
			}
			c.with(c.format(), code)
		}),
		mutant.AfterEach("RUN-01", "mixes up results from the second execution on", func(a *execution, n int64) {
			if _, results := lists(a, 3); n > 1 {
				results[0][0], results[0][1] = results[0][1], results[0][0]
			}
		}),
		mutant.Of("MULTI-01", "mixes up the results of the second device", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil && a.NumDevices > 1 {
				_, results := lists(a, outputsOf(c.Table(), a.Executable))
				slices.Reverse(results[1])
			}
		}),
		mutant.Of("MULTI-01", "leaves out the results of the second device", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil && a.NumDevices > 1 {
				_, results := lists(a, 1)
				mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: results[1][0]})
				results[1][0] = nil
			}
		}),
		mutant.Of("MULTI-01", "leaves out the event of the second device", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil && a.NumDevices > 1 {
				events := mutant.View(a.DeviceCompleteEvents, 2)
				mutant.Try(c.Table(), capi.EventDestroyArgs{Event: events[1]})
				events[1] = nil
			}
		}),
		mutant.Of("RUN-04", "leaves an event behind when it fails", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() != nil && a.DeviceCompleteEvents != nil {
				*a.DeviceCompleteEvents = new(capi.Event)
			}
		}),
		looksBack("RUN-05", "reads the options when the execution is over", func(a *execution) func() bool {
			o := a.Options
			return func() bool { return o.StructSize != 0 }
		}),
		looksBack("RUN-05", "reads the arguments when the execution is over", func(a *execution) func() bool {
			arguments, _ := lists(a, 0)
			return func() bool { return len(arguments) == 0 || len(arguments[0]) == 0 || arguments[0][0] != nil }
		}),
		looksBack("XOPT-05", "reads call_location when the execution is over", func(a *execution) func() bool {
			p := a.Options.CallLocation
			return func() bool { return p == nil || *p != 'x' }
		}),
		looksBack("XOPT-06", "reads the incarnations when the execution is over", func(a *execution) func() bool {
			p := a.Options.IncarnationIDs
			return func() bool { return p == nil || *p > 0 }
		}),
		looksBack("XOPT-22", "reads the custom options when the execution is over", func(a *execution) func() bool {
			p := a.Options.CustomOptions
			return func() bool { return p == nil || p.Name != nil }
		}).InMemory(),
		mutant.Hooked("RUN-07", "gives events that are ready already", func() []serve.Hook {
			var early atomic.Pointer[capi.Buffer]
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
					if c.Forward(); c.Err() == nil {
						early.Store(zerosOn(c.Table(), a.Client))
					}
				}),
				serve.Around(func(c *serve.Invocation, a *execution) {
					if c.Forward(); c.Err() == nil && a.DeviceCompleteEvents != nil {
						if out, err := mutant.Try(c.Table(), capi.BufferReadyEventArgs{Buffer: early.Load()}); err == nil {
							mutant.Try(c.Table(), capi.EventDestroyArgs{Event: *a.DeviceCompleteEvents})
							*a.DeviceCompleteEvents = out.Event
						}
					}
				}),
			}
		}),
		mutant.After("RUN-07", "has events that never say that they are ready", func(a *capi.EventIsReadyArgs) { a.IsReady = false }),
		losesError("RUN-08", "forgets the error of results but the first", func(n, i int) bool { return i > 0 }),
		forgetsArgument("RUN-08", "looks at the error of the first argument only", func(t *capi.Table, b, first *capi.Buffer) bool { return failedBuffer(t, b) }),
		losesFailures("RUN-08", "forgets the error in the complete event"),
		forgetsArgument("RUN-10", "looks at the size of the first argument only", func(t *capi.Table, b, first *capi.Buffer) bool { return mutant.SizeOf(t, b) != mutant.SizeOf(t, first) }),
		forgetsArgument("RUN-14", "looks at the device of the first argument only", func(t *capi.Table, b, first *capi.Buffer) bool {
			return mutant.DeviceOf(t, b) != mutant.DeviceOf(t, first)
		}),
		mutant.Hooked("CTX-03", "has one place for the user data of all contexts", func() []serve.Hook {
			var last atomic.Pointer[capi.ExecuteContext]
			return []serve.Hook{
				mutant.Changed(func(a *capi.ExecuteContextCreateArgs, _ int64) { last.Store(a.Context) }),
				otherOptions(func(_ *execution, o *capi.ExecuteOptions) {
					if o.Context != nil {
						o.Context = last.Load()
					}
				}),
			}
		}),
		mutant.Of("RUN-22", "takes a launch on one device for one on two", func(c *serve.Invocation, a *execution) {
			out, _ := mutant.Try(c.Table(), capi.LoadedExecutableAddressableDevicesArgs{Executable: a.Executable})
			if a.NumDevices == 1 && out.NumAddressableDevices > 1 {
				arguments, results := lists(a, 1)
				results[0][0] = copied(c.Table(), arguments[0][0])
				return
			}
			c.Forward()
		}),
	}
}

// looksBack makes a fault: after the execution the plugin checks what the caller passed,
// and fails if it has changed.
func looksBack(check, words string, keep func(a *execution) func() bool) mutant.Mutant {
	return mutant.Hooked(check, words, func() []serve.Hook {
		var mu sync.Mutex
		intact := make(map[*capi.Event]func() bool)
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *execution) {
				still := keep(a)
				if c.Forward(); c.Err() == nil && a.DeviceCompleteEvents != nil {
					mu.Lock()
					intact[*a.DeviceCompleteEvents] = still
					mu.Unlock()
				}
			}),
			serve.Around(func(c *serve.Invocation, a *capi.EventAwaitArgs) {
				c.Forward()
				mu.Lock()
				still := intact[a.Event]
				mu.Unlock()
				if still != nil && !still() {
					c.Fail(capi.ErrorCodeInternal, "what the caller gave is gone")
				}
			}),
		}
	})
}

// zerosOn makes a buffer of four zeros on the first device of a client.
func zerosOn(t *capi.Table, client *capi.Client) *capi.Buffer {
	out, _ := mutant.Try(t, capi.ClientAddressableDevicesArgs{Client: client})
	data, dims := make([]float32, 4), []int64{4}
	return uploaded(t, capi.ClientBufferFromHostBufferArgs{
		Client: client, Device: *out.AddressableDevices, Type: capi.BufferTypeF32, Dims: &dims[0], NumDims: 1, Data: check.Pointer(data),
	})
}

// failedBuffer waits for a buffer and reports whether it is an error.
func failedBuffer(t *capi.Table, b *capi.Buffer) bool {
	out, err := mutant.Try(t, capi.BufferReadyEventArgs{Buffer: b})
	return err != nil || mutant.Finish(t, out.Event) != nil
}

func deleted(t *capi.Table, b *capi.Buffer) bool {
	out, _ := mutant.Try(t, capi.BufferIsDeletedArgs{Buffer: b})
	return out.IsDeleted
}

// forgetsArgument makes a fault: where an argument other than the first is wrong, the first
// takes its place.
func forgetsArgument(check, words string, wrong func(t *capi.Table, b, first *capi.Buffer) bool) mutant.Mutant {
	return mutant.Of(check, words, func(c *serve.Invocation, a *execution) {
		arguments, _ := lists(a, 0)
		for _, list := range arguments {
			defer copy(list, slices.Clone(list))
			for i := 1; i < len(list); i++ {
				if wrong(c.Table(), list[i], list[0]) {
					list[i] = list[0]
				}
			}
		}
		c.Forward()
	})
}

// losesError makes a fault: those results of a failed execution for which which is true are
// good ones.
func losesError(check, words string, which func(n, i int) bool) mutant.Mutant {
	return withClient(check, words, func(client *atomic.Pointer[capi.Client]) serve.Hook {
		return serve.Around(func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() != nil {
				return
			}
			n := outputsOf(c.Table(), a.Executable)
			_, results := lists(a, n)
			for i, b := range results[0] {
				if which(n, i) && failedBuffer(c.Table(), b) {
					mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: b})
					results[0][i] = zerosOn(c.Table(), client.Load())
				}
			}
		})
	})
}

// losesFailures makes a fault: complete events never fail.
func losesFailures(check, words string) mutant.Mutant {
	return mutant.Hooked(check, words, func() []serve.Hook {
		var complete sync.Map
		return []serve.Hook{
			mutant.Changed(func(a *execution, _ int64) {
				if a.DeviceCompleteEvents != nil {
					complete.Store(*a.DeviceCompleteEvents, true)
				}
			}),
			serve.Around(func(c *serve.Invocation, a *capi.EventAwaitArgs) {
				c.Forward()
				if _, ok := complete.Load(a.Event); ok {
					c.FailWith(nil)
				}
			}),
		}
	})
}
