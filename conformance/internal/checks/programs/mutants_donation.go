// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// More faults of donation: each handles the first argument, or the first execution,
// correctly and another one wrongly.
func moreDonationFaults() []mutant.Mutant {
	return []mutant.Mutant{
		leavesReadable("DON-01", "marks only the first of the donated arguments", func(_ int64, n, i int) bool { return n == 2 && i == 1 }),
		leavesReadable("DON-01", "marks donated arguments at the first execution only", func(run int64, _, _ int) bool { return run > 1 }),
		leavesReadable("DON-03", "writes over arguments that were listed", func(_ int64, _, _ int) bool { return true }).And(ignoresList("")),
		readsList("DON-03", "reads the first of the indices only", func(list []int64) []int64 { return list[:min(len(list), 1)] }),
		readsList("DON-03", "knows the index 0 only", func(list []int64) []int64 {
			return slices.DeleteFunc(list, func(i int64) bool { return i != 0 })
		}),
		mutant.Hooked("DON-03", "takes the list of an executable's first execution for all", func() []serve.Hook {
			first := make(map[*capi.LoadedExecutable][]int64)
			return []serve.Hook{withList(func(a *execution, list []int64) []int64 {
				if _, ok := first[a.Executable]; !ok {
					first[a.Executable] = list
				}
				return first[a.Executable]
			})}
		}),
		readsList("XOPT-04", "forgets the list when an index of it is out of range", func(list []int64) []int64 {
			if slices.ContainsFunc(list, func(i int64) bool { return i < 0 || i > 3 }) {
				return nil
			}
			return list
		}),
		accepts("DON-05", "compares a donated argument with the next one only", func(list []*capi.Buffer) bool {
			return len(list) > 2 && list[0] == list[2] && list[0] != list[1]
		}),
		accepts("DON-06", "looks at the first argument only", nil),
		readsList("DON-01", "takes an index that is listed twice off the list again", func(list []int64) []int64 {
			return slices.DeleteFunc(slices.Clone(list), func(i int64) bool { return slices.Equal(list, []int64{i, i}) })
		}),
		mutant.Hooked("DON-01", "marks what the first device was given alone", func() []serve.Hook {
			m := new(mutant.Marks)
			return []serve.Hook{
				onLater(m.Add),
				mutant.Then(func(a *capi.BufferDestroyArgs) { m.Remove(a.Buffer) }),
				mutant.AfterMarked[capi.Buffer](m, func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = false }),
			}
		}),
		mutant.Of("DON-01", "consumes what later devices were given although it is listed", func(c *serve.Invocation, a *execution) {
			listed := capi.Slice(a.Options.NonDonatableInputIndices, a.Options.NumNonDonatableInputIndices)
			arguments, _ := lists(a, 0)
			if c.Forward(); c.Err() != nil || len(arguments) < 2 {
				return
			}
			for _, i := range listed {
				mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: arguments[1][i]})
			}
		}),
		garbageFor("DON-07"), garbageFor("DON-07/many"),
		mutant.Of("DON-09", "consumes arguments although it refuses their number", func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			if c.Forward(); c.Err() != nil && len(arguments[0]) != 2 {
				for _, b := range arguments[0] {
					mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: b})
				}
			}
		}),
		mutant.Of("DON-10", "leaves an argument half written when a program fails", func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			if c.Forward(); len(arguments[0]) == 2 {
				scribble(c.Table(), arguments[0][0])
			}
		}).And(keepsDonated("")),
	}
}

// copied returns another buffer with the same contents on the same device.
func copied(t *capi.Table, b *capi.Buffer) *capi.Buffer {
	out, err := mutant.Try(t, capi.BufferCopyToDeviceArgs{Buffer: b, DstDevice: mutant.DeviceOf(t, b)})
	if err != nil {
		return b
	}
	return out.DstBuffer
}

// scribble changes the first byte of a buffer in host memory.
func scribble(t *capi.Table, b *capi.Buffer) {
	if p := mutant.AddressOf(t, b); p != 0 {
		flipByte(check.PointerAt(p))
	}
}

// onLater shows the arguments of all devices but the first to f, when an execution has them.
func onLater(f func(handle any)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *execution) {
		var later []*capi.Buffer
		if arguments, _ := lists(a, 0); len(arguments) > 1 {
			later = slices.Concat(arguments[1:]...)
		}
		if c.Forward(); c.Err() == nil {
			for _, b := range later {
				f(b)
			}
		}
	})
}

// leavesReadable makes a fault: donated arguments can be read, and hold something else, if
// which is true for them. It is called with the number of the execution, the number of
// arguments, and the argument's index.
func leavesReadable(check, words string, which func(run int64, n, i int) bool) mutant.Mutant {
	return mutant.Hooked(check, words, func() []serve.Hook {
		var mu sync.Mutex
		runs := make(map[*capi.LoadedExecutable]int64)
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
			mu.Lock()
			runs[a.Executable]++
			run := runs[a.Executable]
			mu.Unlock()
			arguments, _ := lists(a, 0)
			for _, b := range forwardInstead(c, arguments[0], func(i int, b *capi.Buffer) *capi.Buffer {
				if which(run, len(arguments[0]), i) {
					return copied(c.Table(), b)
				}
				return b
			}) {
				scribble(c.Table(), b)
			}
		})}
	})
}

// keepsDonated makes a fault: nothing is donated.
func keepsDonated(check string) mutant.Mutant {
	return mutant.Of(check, "donates copies", func(c *serve.Invocation, a *execution) {
		executeOn(c, a, func(list []*capi.Buffer) {
			for i, b := range list {
				list[i] = copied(c.Table(), b)
			}
		})
	})
}

// readsList makes a fault: non_donatable_input_indices are replaced by what read returns.
func readsList(check, words string, read func([]int64) []int64) mutant.Mutant {
	return mutant.Hooked(check, words, func() []serve.Hook {
		return []serve.Hook{withList(func(_ *execution, list []int64) []int64 { return read(list) })}
	})
}

func withList(read func(a *execution, list []int64) []int64) serve.Hook {
	return otherOptions(func(a *execution, o *capi.ExecuteOptions) {
		list := read(a, capi.Slice(o.NonDonatableInputIndices, o.NumNonDonatableInputIndices))
		o.NonDonatableInputIndices, o.NumNonDonatableInputIndices = check.First(list)
	})
}

// otherOptions changes the options of executions.
func otherOptions(change func(a *execution, o *capi.ExecuteOptions)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *execution) {
		mutant.Forward(c, a, func(a *execution) {
			own := *a.Options
			change(a, &own)
			a.Options = &own
		})
	})
}

// accepts makes a fault: executions for whose arguments such is true run on copies. If such
// is nil, every deleted argument other than the first is replaced by the first.
func accepts(check, words string, such func(list []*capi.Buffer) bool) mutant.Mutant {
	return mutant.Of(check, words, func(c *serve.Invocation, a *execution) {
		executeOn(c, a, func(list []*capi.Buffer) {
			all := such != nil && such(list)
			for i, b := range list {
				if such == nil && i > 0 && deleted(c.Table(), b) {
					list[i] = list[0]
				} else if all {
					list[i] = copied(c.Table(), b)
				}
			}
		})
	})
}

// executeOn forwards an execution with other arguments: change gets those of the first device.
func executeOn(c *serve.Invocation, a *execution, change func(list []*capi.Buffer)) {
	arguments, _ := lists(a, 0)
	kept := slices.Clone(arguments[0])
	change(arguments[0])
	c.Forward()
	copy(arguments[0], kept)
}

// garbageFor makes a fault: an execution whose argument is gone succeeds on another buffer.
func garbageFor(check string) mutant.Mutant {
	return withClient(check, "computes with something else when a buffer is gone", func(client *atomic.Pointer[capi.Client]) serve.Hook {
		return serve.Around(func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil {
				return
			}
			arguments, _ := lists(a, 0)
			kept := arguments[0][0]
			arguments[0][0] = zerosOn(c.Table(), client.Load())
			c.Forward()
			mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: arguments[0][0]})
			arguments[0][0] = kept
		})
	})
}
