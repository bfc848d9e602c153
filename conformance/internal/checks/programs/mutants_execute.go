// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func replaced(s, from, to string) string { return strings.ReplaceAll(s, from, to) }

type execution = capi.LoadedExecutableExecuteArgs

func executeFaults() []fault {
	return []fault{
		onOutputs("RUN-01", "gives the results in another order", slices.Reverse),
		instead("RUN-02", "stablehlo.multiply", "stablehlo.add"),
		instead("RUN-02/add-of-i1", "stablehlo.add", "stablehlo.subtract").inModel(),
		of("RUN-03", "leaves a result out", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil {
				_, results := lists(a, 3)
				mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: results[0][1]})
				results[0][1] = nil
			}
		}),
		of("RUN-04", "leaves results behind when it fails", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() != nil {
				_, results := lists(a, 1)
				results[0][0] = leftOver
			}
		}),
		instead("RUN-05", "%0, %a, contracting", "%a, %a, contracting"),
		fails("RUN-06", "wants device_complete_events", func(a *execution) bool { return a.DeviceCompleteEvents == nil }),
		after("RUN-07", "says that all is ready", func(a *capi.EventIsReadyArgs) { a.IsReady = true }),
		swallows[capi.EventAwaitArgs]("RUN-08", "tells nobody of a failure").and(swallows[execution]("", "")),
		swallows[execution]("RUN-09", "does nothing when there are too many or too few arguments"),
		swallows[execution]("RUN-10", "does nothing when an argument has a wrong size"),
		swallows[execution]("RUN-11", "takes one type for another").inModel(),
		swallows[execution]("RUN-12", "takes one shape for another").inModel(),
		instead("RUN-13", "stablehlo.add", "stablehlo.multiply"),
		swallows[execution]("RUN-14", "does nothing when an argument is elsewhere"),
		swallows[execution]("RUN-15", "does nothing when an argument is elsewhere").and(instead("", "dense<1.0>", "dense<2.0>")),
		swallows[execution]("RUN-16", "does nothing when an argument is null").inModel(),
		of("RUN-17", "refuses a buffer that is passed twice", func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			if len(arguments[0]) == 2 && arguments[0][0] == arguments[0][1] {
				c.Fail(capi.ErrorCodeInvalidArgument, "twice")
				return
			}
			c.Forward()
		}),
		of("RUN-18", "returns an argument as the result", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil {
				arguments, results := lists(a, 1)
				mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: results[0][0]})
				results[0][0] = arguments[0][0]
			}
		}),
		of("RUN-19", "returns a buffer twice", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil {
				if _, results := lists(a, outputsOf(c.Table(), a.Executable)); len(results[0]) == 2 {
					mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: results[0][1]})
					results[0][1] = results[0][0]
				}
			}
		}),
		loses("RUN-20"),
		mixesArguments("RUN-21"), mixesArguments("RUN-21/many"),
		swallows[execution]("RUN-22", "ignores num_devices"),
		executesOnFirst("RUN-23"),
		swallows[execution]("RUN-24", "ignores num_devices when there is an execute_device"),
		swallows[execution]("RUN-25", "ignores an execute_device that it does not know"),
		fails("RUN-26", "wants arguments", func(a *execution) bool { return a.NumArgs == 0 }),
		fails("RUN-27", "cannot launch nothing", mutant.Always[execution]),
		leaksExecuting("RUN-28", 2*leftBehind), leaksExecuting("RUN-28/n=10000", leftBehind*5/4),
		garbles("RUN-29", 5), garbles("RUN-29/n=100", 5),
		of("RUN-30", "says INTERNAL when there is no memory", func(c *serve.Invocation, _ *execution) {
			if c.Forward(); c.Err() != nil {
				c.Fail(capi.ErrorCodeInternal, "something went wrong")
			}
		}).and(onCompile("", "", func(c *compilation) {
			if c.Forward(); c.Err() != nil {
				c.Fail(capi.ErrorCodeInternal, "something went wrong")
			}
		})),
		swallows[capi.EventAwaitArgs]("RUN-31", "tells nobody of a failure").and(swallows[execution]("", "")),
		instead("RUN-32", "dynamic_update_slice %a, %u, %i", "dynamic_update_slice %a, %a, %i").and(fails("", "", mutant.Always[execution])),
		swallows[execution]("RUN-33", "takes one bound for another").inModel(),
	}
}

// leftOver stands for a buffer that a failed execution left behind. It must not be used.
var leftOver = new(capi.Buffer)

// loses makes a fault: one of many executions runs on the argument of the one before.
func loses(check string) fault {
	return hooked(check, "starts before its argument is there", func() []serve.Hook {
		now := nth(500)
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
			if !now() {
				c.Forward()
				return
			}
			// Twice, the second time on the result, which is new to the program.
			arguments, results := lists(a, 1)
			first := arguments[0][0]
			c.Forward()
			arguments[0][0] = results[0][0]
			c.Forward()
			arguments[0][0] = first
		})}
	})
}

// mixesArguments makes a fault: an execution gets the argument of another.
func mixesArguments(check string) fault {
	return hooked(check, "mixes up what is executed at the same time", func() []serve.Hook {
		var last atomic.Pointer[capi.Buffer]
		var calls atomic.Int64
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			own := arguments[0][0]
			other := last.Swap(own)
			if calls.Add(1)%3 == 0 && other != nil {
				arguments[0][0] = other
			}
			c.Forward()
			arguments[0][0] = own
		})}
	})
}

// leaksExecuting makes a fault: each execution leaks memory.
func leaksExecuting(check string, n int) fault {
	return hooked(check, "keeps memory of each execution", func() []serve.Hook {
		kept := newHoard()
		return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *execution) {
			kept.add(n)
			c.Forward()
		})}
	})
}

func executeOptionFaults() []fault {
	return []fault{
		fails("XOPT-01", "wants a context", func(a *execution) bool { return a.Options.Context == nil }),
		fails("XOPT-02", "refuses launch_id 0", func(a *execution) bool { return a.Options.LaunchID == 0 }),
		instead("XOPT-04", "stablehlo.add", "stablehlo.multiply"),
		fails("XOPT-05", "refuses a call_location", func(a *execution) bool { return a.Options.CallLocation != nil }),
		fails("XOPT-06", "refuses incarnations", func(a *execution) bool { return a.Options.NumTasks > 0 }),
		fails("XOPT-07", "wants a multi_slice_config", func(a *execution) bool { return a.Options.MultiSliceConfig == nil }).inModel(),
		fails("XOPT-22", "wants custom options", func(a *execution) bool { return a.Options.CustomOptions == nil }).inModel(),
		fails("XOPT-22", "refuses an option that is a switch", func(a *execution) bool {
			return slices.ContainsFunc(capi.Slice(a.Options.CustomOptions, a.Options.NumCustomOptions),
				func(v capi.NamedValue) bool { return v.Type == capi.NamedValueBool })
		}).inModel(),
		fails("CDS-09", "refuses null", func(a *capi.CopyToDeviceStreamDestroyArgs) bool { return a.Stream == nil }),
		hooked("CTX-01", "has one context", func() []serve.Hook {
			var only atomic.Pointer[capi.ExecuteContext]
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ExecuteContextCreateArgs) {
				if a.Context = only.Load(); a.Context == nil {
					c.Forward()
					only.Store(a.Context)
				}
			})}
		}),
		fails("CTX-02", "refuses null", func(a *capi.ExecuteContextDestroyArgs) bool { return a.Context == nil }),
		of("CTX-03", "drops user data", func(*serve.Invocation, *capi.FFIUserDataAddArgs) {}),
		hooked("CTX-04", "takes a context once", func() []serve.Hook {
			var used atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
				if a.Options.Context != nil && used.Add(1) > 1 {
					c.Fail(capi.ErrorCodeInternal, "the context is gone")
					return
				}
				c.Forward()
			})}
		}),
		endsWith[capi.ExecuteContextDestroyArgs]("CTX-05", "cancels executions when their context is destroyed"),
	}
}

func donationFaults() []fault {
	return []fault{
		after("DON-01", "does not know that an argument is deleted", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = false }),
		instead("DON-02", "dims = [0]", "dims = []"),
		instead("DON-02", "stablehlo.add", "stablehlo.multiply"),
		ignoresList("DON-03"), ignoresMust("DON-04"),
		swallows[execution]("DON-05", "does nothing when a buffer is donated twice"),
		swallows[execution]("DON-06", "does nothing when a buffer is gone"),
		instead("DON-07", "dense<1.0>", "dense<2.0>"), instead("DON-07/many", "dense<1.0>", "dense<2.0>"),
		of("DON-08", "counts no references", func(*serve.Invocation, *capi.BufferIncreaseExternalReferenceCountArgs) {}),
		of("DON-09", "consumes arguments although it refuses the launch", func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			if c.Forward(); c.Err() != nil {
				mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: arguments[0][0]})
			}
		}),
		after("DON-10", "lets deleted arguments be read", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = true }).and(swallows[capi.BufferToHostBufferArgs]("", "")),
		hooked("DON-15", "copies what could be done in place", func() []serve.Hook {
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) {
				copied := bytes.Repeat([]byte{1}, inPlaceSize)
				c.Forward()
				runtime.KeepAlive(copied)
			})}
		}),
	}
}

// ignoresList makes a fault: non_donatable_input_indices are ignored.
func ignoresList(check string) fault {
	return of(check, "ignores non_donatable_input_indices", func(c *serve.Invocation, a *execution) {
		kept := a.Options
		own := *kept
		own.NumNonDonatableInputIndices = 0
		a.Options = &own
		c.Forward()
		a.Options = kept
	})
}

// ignoresMust makes the same fault of the model, which refuses the list.
func ignoresMust(check string) fault { return ignoresList(check).inModel() }

func multiFaults() []fault {
	return []fault{
		swapsDevices("MULTI-01"), swapsDevices("MULTI-02"), swapsDevices("MULTI-08"),
		instead("MULTI-03", "stablehlo.add %x", "stablehlo.maximum %x"),
		instead("MULTI-04", "[[0, 1], [1, 0]]", "[[0, 0], [1, 1]]"),
		instead("MULTI-05", "[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]"),
		instead("MULTI-06/channel", "stablehlo.add %x", "stablehlo.maximum %x"),
		instead("MULTI-06/global-ids", "[[0, 3], [1, 2]]", "[[0, 1], [2, 3]]"),
		instead("MULTI-07", "stablehlo.partition_id", "stablehlo.replica_id").inModel(),
		swallows[execution]("MULTI-09", "does nothing when an argument of one device is wrong").inModel(),
		instead("MULTI-10", "stablehlo.maximum %x", "stablehlo.minimum %x"),
		swallows[execution]("MULTI-12", "does nothing when an argument of one device is an error").inModel(),
		hooked("MULTI-13", "copies another buffer", func() []serve.Hook {
			var first atomic.Pointer[capi.Buffer]
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.BufferCopyToDeviceArgs) {
				first.CompareAndSwap(nil, a.Buffer)
				own := a.Buffer
				if deviceOf(c.Table(), first.Load()) != a.DstDevice {
					a.Buffer = first.Load()
				}
				c.Forward()
				a.Buffer = own
			})}
		}),
		hooked("MULTI-14", "knows one device only", func() []serve.Hook {
			var first atomic.Pointer[capi.Device]
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.BufferDeviceArgs) {
				c.Forward()
				first.CompareAndSwap(nil, a.Device)
				a.Device = first.Load()
			})}
		}),
	}
}

// swapsDevices makes a fault: the results of the first two devices are swapped.
func swapsDevices(check string) fault {
	return of(check, "gives the results of one device for those of another", func(c *serve.Invocation, a *execution) {
		if c.Forward(); c.Err() == nil && a.NumDevices > 1 {
			_, results := lists(a, 1)
			results[0][0], results[1][0] = results[1][0], results[0][0]
		}
	})
}
