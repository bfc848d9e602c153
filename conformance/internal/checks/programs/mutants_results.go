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
)

// More faults of compiling and executing: the second result, device, argument or
// execution, what the caller takes back after the call, and errors that get lost
// on the way.
var moreExecuteFaults = []fault{
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
	{"RUN-01", "mixes up results from the second execution on", func() []serve.Hook {
		var runs atomic.Int64
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil && runs.Add(1) > 1 {
				_, results := lists(a, 3)
				results[0][0], results[0][1] = results[0][1], results[0][0]
			}
		})}
	}, false},
	of("MULTI-01", "mixes up the results of the second device", func(c *serve.Invocation, a *execution) {
		if c.Forward(); c.Err() == nil && a.NumDevices > 1 {
			_, results := lists(a, outputsOf(c.Table(), a.Executable))
			slices.Reverse(results[1])
		}
	}),
	of("MULTI-01", "leaves out the results of the second device", func(c *serve.Invocation, a *execution) {
		if c.Forward(); c.Err() == nil && a.NumDevices > 1 {
			_, results := lists(a, 1)
			destroyed(c.Table(), capi.BufferDestroyArgs{Buffer: results[1][0]})
			results[1][0] = nil
		}
	}),
	of("MULTI-01", "leaves out the event of the second device", func(c *serve.Invocation, a *execution) {
		if c.Forward(); c.Err() == nil && a.NumDevices > 1 {
			events := view(a.DeviceCompleteEvents, 2)
			destroyed(c.Table(), capi.EventDestroyArgs{Event: events[1]})
			events[1] = nil
		}
	}),
	of("RUN-04", "leaves an event behind when it fails", func(c *serve.Invocation, a *execution) {
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
	}).inModel(),
	{"RUN-07", "gives events that are ready already", func() []serve.Hook {
		var early atomic.Pointer[capi.Buffer]
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
				if c.Forward(); c.Err() == nil {
					early.Store(zerosOn(c.Table(), a.Client))
				}
			}),
			serve.Around(func(c *serve.Invocation, a *execution) {
				if c.Forward(); c.Err() == nil && a.DeviceCompleteEvents != nil {
					e := &capi.Call[capi.BufferReadyEventArgs]{Args: capi.BufferReadyEventArgs{Buffer: early.Load()}}
					if e.Do(c.Table()) == nil {
						destroyed(c.Table(), capi.EventDestroyArgs{Event: *a.DeviceCompleteEvents})
						*a.DeviceCompleteEvents = e.Args.Event
					}
				}
			}),
		}
	}, false},
	after("RUN-07", "has events that never say that they are ready", func(a *capi.EventIsReadyArgs) { a.IsReady = false }),
	losesError("RUN-08", "forgets the error of results but the first", func(n, i int) bool { return i > 0 }),
	forgetsArgument("RUN-08", "looks at the error of the first argument only", func(t *capi.Table, b, first *capi.Buffer) bool { return failedBuffer(t, b) }),
	losesFailures("RUN-08", "forgets the error in the complete event"),
	forgetsArgument("RUN-10", "looks at the size of the first argument only", func(t *capi.Table, b, first *capi.Buffer) bool { return bytesOf(t, b) != bytesOf(t, first) }),
	forgetsArgument("RUN-14", "looks at the device of the first argument only", func(t *capi.Table, b, first *capi.Buffer) bool { return deviceOf(t, b) != deviceOf(t, first) }),
	{"CTX-03", "has one place for the user data of all contexts", func() []serve.Hook {
		var last atomic.Pointer[capi.ExecuteContext]
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ExecuteContextCreateArgs) {
				c.Forward()
				last.Store(a.Context)
			}),
			serve.Around(func(c *serve.Invocation, a *execution) {
				kept := a.Options
				own := *kept
				if own.Context != nil {
					own.Context = last.Load()
				}
				a.Options = &own
				c.Forward()
				a.Options = kept
			}),
		}
	}, false},
	of("RUN-22", "takes a launch on one device for one on two", func(c *serve.Invocation, a *execution) {
		d := new(capi.Call[capi.LoadedExecutableAddressableDevicesArgs])
		d.Args.Executable = a.Executable
		_ = d.Do(c.Table())
		if a.NumDevices == 1 && d.Args.NumAddressableDevices > 1 {
			arguments, results := lists(a, 1)
			results[0][0] = copied(c.Table(), arguments[0][0])
			return
		}
		c.Forward()
	}),
}

// looksBack makes a fault: the plugin looks at what the caller gave, when the
// execution is over, and fails if it is not what it was.
func looksBack(check, words string, keep func(a *execution) func() bool) fault {
	return fault{check, words, func() []serve.Hook {
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
	}, false}
}

// zerosOn makes four zeros on the first device of a client.
func zerosOn(t *capi.Table, client *capi.Client) *capi.Buffer {
	d := &capi.Call[capi.ClientAddressableDevicesArgs]{Args: capi.ClientAddressableDevicesArgs{Client: client}}
	_ = d.Do(t)
	data, dims := make([]float32, 4), []int64{4}
	up := &capi.Call[capi.ClientBufferFromHostBufferArgs]{Args: capi.ClientBufferFromHostBufferArgs{
		Client: client, Device: *d.Args.AddressableDevices, Type: capi.BufferTypeF32, Dims: &dims[0], NumDims: 1, Data: check.Pointer(data),
	}}
	_ = up.Do(t)
	if e := up.Args.DoneWithHostBuffer; e != nil {
		_ = (&capi.Call[capi.EventAwaitArgs]{Args: capi.EventAwaitArgs{Event: e}}).Do(t)
		destroyed(t, capi.EventDestroyArgs{Event: e})
	}
	return up.Args.Buffer
}

// failedBuffer waits for a buffer and reports whether it is an error.
func failedBuffer(t *capi.Table, b *capi.Buffer) bool {
	e := &capi.Call[capi.BufferReadyEventArgs]{Args: capi.BufferReadyEventArgs{Buffer: b}}
	if e.Do(t) != nil {
		return true
	}
	defer destroyed(t, capi.EventDestroyArgs{Event: e.Args.Event})
	return (&capi.Call[capi.EventAwaitArgs]{Args: capi.EventAwaitArgs{Event: e.Args.Event}}).Do(t) != nil
}

func bytesOf(t *capi.Table, b *capi.Buffer) uintptr {
	s := &capi.Call[capi.BufferOnDeviceSizeInBytesArgs]{Args: capi.BufferOnDeviceSizeInBytesArgs{Buffer: b}}
	_ = s.Do(t)
	return s.Args.OnDeviceSizeInBytes
}

func deviceOf(t *capi.Table, b *capi.Buffer) *capi.Device {
	d := &capi.Call[capi.BufferDeviceArgs]{Args: capi.BufferDeviceArgs{Buffer: b}}
	_ = d.Do(t)
	return d.Args.Device
}

// forgetsArgument makes a fault: where an argument but the first is wrong, the
// first stands in for it.
func forgetsArgument(check, words string, wrong func(t *capi.Table, b, first *capi.Buffer) bool) fault {
	return of(check, words, func(c *serve.Invocation, a *execution) {
		arguments, _ := lists(a, 0)
		for _, list := range arguments {
			kept := slices.Clone(list)
			defer copy(list, kept)
			for i := 1; i < len(list); i++ {
				if wrong(c.Table(), list[i], list[0]) {
					list[i] = list[0]
				}
			}
		}
		c.Forward()
	})
}

// losesError makes a fault: the results that which chooses of a failed execution
// are good ones.
func losesError(check, words string, which func(n, i int) bool) fault {
	return withClient(check, words, func(client *atomic.Pointer[capi.Client]) serve.Hook {
		return serve.Around(func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() != nil {
				return
			}
			n := outputsOf(c.Table(), a.Executable)
			_, results := lists(a, n)
			for i, b := range results[0] {
				if which(n, i) && failedBuffer(c.Table(), b) {
					destroyed(c.Table(), capi.BufferDestroyArgs{Buffer: b})
					results[0][i] = zerosOn(c.Table(), client.Load())
				}
			}
		})
	})
}

// losesFailures makes a fault: complete events never fail.
func losesFailures(check, words string) fault {
	return fault{check, words, func() []serve.Hook {
		var complete sync.Map
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *execution) {
				if c.Forward(); c.Err() == nil && a.DeviceCompleteEvents != nil {
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
	}, false}
}
