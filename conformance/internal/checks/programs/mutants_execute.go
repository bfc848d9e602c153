// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"bytes"
	"math/bits"
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

func executeFaults() []mutant.Mutant {
	return []mutant.Mutant{
		onOutputs("RUN-01", "gives the results in another order", slices.Reverse),
		instead("RUN-02", "stablehlo.multiply", "stablehlo.add"),
		instead("RUN-02/add-of-i1", "stablehlo.add", "stablehlo.subtract").On(lowering),
		mutant.Of("RUN-03", "leaves a result out", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil {
				_, results := lists(a, 3)
				mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: results[0][1]})
				results[0][1] = nil
			}
		}),
		mutant.Of("RUN-04", "leaves results behind when it fails", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() != nil {
				_, results := lists(a, 1)
				results[0][0] = leftOver
			}
		}),
		instead("RUN-05", "%0, %a, contracting", "%a, %a, contracting"),
		mutant.Fails("RUN-06", "wants device_complete_events", func(a *execution) bool { return a.DeviceCompleteEvents == nil }),
		mutant.After("RUN-07", "says that all is ready", func(a *capi.EventIsReadyArgs) { a.IsReady = true }),
		mutant.Swallows[capi.EventAwaitArgs]("RUN-08", "tells nobody of a failure").And(mutant.Swallows[execution]("", "")),
		mutant.Swallows[execution]("RUN-09", "does nothing when there are too many or too few arguments"),
		mutant.Swallows[execution]("RUN-10", "does nothing when an argument has a wrong size"),
		mutant.Swallows[execution]("RUN-11", "takes one type for another").InMemory(),
		mutant.Swallows[execution]("RUN-12", "takes one shape for another").InMemory(),
		instead("RUN-13", "stablehlo.add", "stablehlo.multiply"),
		mutant.Swallows[execution]("RUN-14", "does nothing when an argument is elsewhere"),
		mutant.Swallows[execution]("RUN-15", "does nothing when an argument is elsewhere").And(instead("", "dense<1.0>", "dense<2.0>")),
		mutant.Swallows[execution]("RUN-16", "does nothing when an argument is null").InMemory(),
		mutant.Of("RUN-17", "refuses a buffer that is passed twice", func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			mutant.FailIf(c, len(arguments[0]) == 2 && arguments[0][0] == arguments[0][1], capi.ErrorCodeInvalidArgument, "twice")
		}),
		mutant.Of("RUN-18", "returns an argument as the result", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil {
				arguments, results := lists(a, 1)
				mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: results[0][0]})
				results[0][0] = arguments[0][0]
			}
		}),
		mutant.Of("RUN-19", "returns a buffer twice", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil {
				if _, results := lists(a, outputsOf(c.Table(), a.Executable)); len(results[0]) == 2 {
					mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: results[0][1]})
					results[0][1] = results[0][0]
				}
			}
		}),
		loses("RUN-20"),
		mixesArguments("RUN-21"), mixesArguments("RUN-21/many"),
		mutant.Swallows[execution]("RUN-22", "ignores num_devices"),
		executesOnFirst("RUN-23"),
		mutant.Swallows[execution]("RUN-24", "ignores num_devices when there is an execute_device"),
		mutant.Swallows[execution]("RUN-25", "ignores an execute_device that it does not know"),
		mutant.Fails("RUN-26", "wants arguments", func(a *execution) bool { return a.NumArgs == 0 }),
		mutant.Fails("RUN-27", "cannot launch nothing", mutant.Always[execution]),
		mutant.Leaks[execution]("RUN-28", "keeps memory of each execution", 2*leftBehind),
		mutant.Leaks[execution]("RUN-28/n=10000", "keeps memory of each execution", leftBehind*5/4),
		startsEarly("RUN-28/waiting", "does not wait for an argument that is not ready"),
		garbles("RUN-29", 5), garbles("RUN-29/n=100", 5),
		mutant.Of("RUN-30", "says INTERNAL when there is no memory", func(c *serve.Invocation, _ *execution) {
			if c.Forward(); c.Err() != nil {
				c.Fail(capi.ErrorCodeInternal, "something went wrong")
			}
		}).And(onCompile("", "", func(c *compilation) {
			if c.Forward(); c.Err() != nil {
				c.Fail(capi.ErrorCodeInternal, "something went wrong")
			}
		})),
		mutant.Swallows[capi.EventAwaitArgs]("RUN-31", "tells nobody of a failure").And(mutant.Swallows[execution]("", "")),
		instead("RUN-32", "dynamic_update_slice %a, %u, %i", "dynamic_update_slice %a, %a, %i").And(mutant.Fails("", "", mutant.Always[execution])),
		mutant.Swallows[execution]("RUN-33", "takes one bound for another").On(lowering),
	}
}

// leftOver stands for a buffer that a failed execution left behind. It must not be used.
var leftOver = new(capi.Buffer)

// loses makes a fault: one of many executions runs on the argument of the one before.
func loses(check string) mutant.Mutant {
	return mutant.OfEach(check, "starts before its argument is there", func(c *serve.Invocation, a *execution, n int64) {
		if n != 500 {
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
	})
}

// mixesArguments makes a fault: an execution gets the argument of another.
func mixesArguments(check string) mutant.Mutant {
	return mutant.Hooked(check, "mixes up what is executed at the same time", func() []serve.Hook {
		var last atomic.Pointer[capi.Buffer]
		var calls atomic.Int64
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
			executeOn(c, a, func(list []*capi.Buffer) {
				if other := last.Swap(list[0]); calls.Add(1)%3 == 0 && other != nil {
					list[0] = other
				}
			})
		})}
	})
}

func executeOptionFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Fails("XOPT-01", "wants a context", func(a *execution) bool { return a.Options.Context == nil }),
		mutant.Fails("XOPT-02", "refuses launch_id 0", func(a *execution) bool { return a.Options.LaunchID == 0 }),
		instead("XOPT-04", "stablehlo.add", "stablehlo.multiply"),
		mutant.Fails("XOPT-05", "refuses a call_location", func(a *execution) bool { return a.Options.CallLocation != nil }),
		mutant.Fails("XOPT-06", "refuses incarnations", func(a *execution) bool { return a.Options.NumTasks > 0 }),
		mutant.Fails("XOPT-07", "wants a multi_slice_config", func(a *execution) bool { return a.Options.MultiSliceConfig == nil }).InMemory(),
		mutant.Fails("XOPT-22", "wants custom options", func(a *execution) bool { return a.Options.CustomOptions == nil }).InMemory(),
		mutant.Fails("XOPT-22", "refuses an option that is a switch", func(a *execution) bool {
			return slices.ContainsFunc(capi.Slice(a.Options.CustomOptions, a.Options.NumCustomOptions),
				func(v capi.NamedValue) bool { return v.Type == capi.NamedValueBool })
		}).InMemory(),
		mutant.Fails("CDS-09", "refuses null", func(a *capi.CopyToDeviceStreamDestroyArgs) bool { return a.Stream == nil }),
		mutant.Hooked("CTX-01", "has one context", func() []serve.Hook {
			var only atomic.Pointer[capi.ExecuteContext]
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ExecuteContextCreateArgs) {
				if a.Context = only.Load(); a.Context == nil {
					c.Forward()
					only.Store(a.Context)
				}
			})}
		}),
		mutant.Fails("CTX-02", "refuses null", func(a *capi.ExecuteContextDestroyArgs) bool { return a.Context == nil }),
		mutant.Before("CTX-03", "keeps the lower half of user data", func(a *capi.FFIUserDataAddArgs) {
			a.UserData.Data &= ^uintptr(0) >> (bits.UintSize / 2)
		}),
		mutant.LikeFirst[capi.ExecuteContext]("CTX-03", "has the user data of a context's first type for all",
			func(a, first *capi.FFIUserDataAddArgs) { a.UserData.Data = first.UserData.Data }),
		mutant.Of("CTX-03", "drops user data", func(*serve.Invocation, *capi.FFIUserDataAddArgs) {}),
		mutant.Hooked("CTX-04", "takes a context once", func() []serve.Hook {
			var used atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
				mutant.FailIf(c, a.Options.Context != nil && used.Add(1) > 1, capi.ErrorCodeInternal, "the context is gone")
			})}
		}),
		mutant.OnceFails[capi.ExecuteContextDestroyArgs, capi.EventAwaitArgs]("CTX-05", "cancels executions when their context is destroyed", capi.ErrorCodeCancelled),
	}
}

func donationFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("DON-01", "does not know that an argument is deleted", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = false }),
		instead("DON-02", "dims = [0]", "dims = []"),
		instead("DON-02", "stablehlo.add", "stablehlo.multiply"),
		ignoresList("DON-03"), ignoresMust("DON-04"),
		mutant.Swallows[execution]("DON-05", "does nothing when a buffer is donated twice"),
		mutant.Swallows[execution]("DON-06", "does nothing when a buffer is gone"),
		instead("DON-07", "dense<1.0>", "dense<2.0>"), instead("DON-07/many", "dense<1.0>", "dense<2.0>"),
		mutant.Of("DON-08", "counts no references", func(*serve.Invocation, *capi.BufferIncreaseExternalReferenceCountArgs) {}),
		mutant.Of("DON-09", "consumes arguments although it refuses the launch", func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			if c.Forward(); c.Err() != nil {
				mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: arguments[0][0]})
			}
		}),
		mutant.After("DON-10", "lets deleted arguments be read", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = true }).And(mutant.Swallows[capi.BufferToHostBufferArgs]("", "")),
		mutant.Of("DON-15", "copies what could be done in place", func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) {
			copied := bytes.Repeat([]byte{1}, inPlaceSize)
			c.Forward()
			runtime.KeepAlive(copied)
		}),
	}
}

// ignoresList makes a fault: non_donatable_input_indices are ignored.
func ignoresList(check string) mutant.Mutant {
	return readsList(check, "ignores non_donatable_input_indices", func([]int64) []int64 { return nil })
}

// ignoresMust makes the same fault of the model, which refuses the list.
func ignoresMust(check string) mutant.Mutant { return ignoresList(check).InMemory() }

func multiFaults() []mutant.Mutant {
	return []mutant.Mutant{
		swapsDevices("MULTI-01"), swapsDevices("MULTI-02"), swapsDevices("MULTI-08"),
		instead("MULTI-03", "stablehlo.add %x", "stablehlo.maximum %x"),
		instead("MULTI-04", "[[0, 1], [1, 0]]", "[[0, 0], [1, 1]]"),
		instead("MULTI-05", "[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]"),
		instead("MULTI-06/channel", "stablehlo.add %x", "stablehlo.maximum %x"),
		instead("MULTI-06/global-ids", "[[0, 3], [1, 2]]", "[[0, 1], [2, 3]]"),
		instead("MULTI-07", "stablehlo.partition_id", "stablehlo.replica_id").InMemory(),
		mutant.Swallows[execution]("MULTI-09", "does nothing when an argument of one device is wrong").InMemory(),
		instead("MULTI-10", "stablehlo.maximum %x", "stablehlo.minimum %x"),
		mutant.Swallows[capi.EventAwaitArgs]("MULTI-12", "does nothing when an argument of one device is an error").InMemory(),
		mutant.Hooked("MULTI-11", "waits for the devices that are not launched yet", func() []serve.Hook {
			second := make(chan struct{})
			var calls atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
				if c.Forward(); a.ExecuteDevice == nil {
					return
				}
				if calls.Add(1) == 2 {
					close(second)
				}
				<-second
			})}
		}).InMemory().On(gathers),
		mutant.Hooked("MULTI-13", "copies another buffer", func() []serve.Hook {
			var first atomic.Pointer[capi.Buffer]
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.BufferCopyToDeviceArgs) {
				first.CompareAndSwap(nil, a.Buffer)
				mutant.Forward(c, a, func(a *capi.BufferCopyToDeviceArgs) {
					if b := first.Load(); mutant.DeviceOf(c.Table(), b) != a.DstDevice {
						a.Buffer = b
					}
				})
			})}
		}),
		mutant.First("MULTI-14", "knows one device only", func(a *capi.BufferDeviceArgs) **capi.Device { return &a.Device }),
	}
}

// swapsDevices makes a fault: the results of the first two devices are swapped.
func swapsDevices(check string) mutant.Mutant {
	return mutant.After(check, "gives the results of one device for those of another", func(a *execution) {
		if a.NumDevices > 1 {
			_, results := lists(a, 1)
			results[0][0], results[1][0] = results[1][0], results[0][0]
		}
	})
}
