// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// betweenDevices returns the faults of the families of programs for several devices.
func betweenDevices() []mutant.Mutant {
	var list []mutant.Mutant
	for _, c := range exchangeChecks() {
		list = append(list, collectiveFaults(c.Name(), c.Profile == check.Quick)...)
	}
	for _, c := range shardingChecks() {
		list = append(list, takesZeros(c.Name()))
	}
	list = append(list, swapsDevices("MULTI-08/rows/mhlo"), swapsDevices("MULTI-08/rows-and-columns/sdy"), swapsDevices("DIFF-04/rows"),
		regroups("MULTI-06/all_reduce/global-partitions", "takes global ids for partition*replicas+replica", transposed),
		regroups("MULTI-06/all_gather/global-replicas", "takes global ids for partition*replicas+replica", transposed))
	return list
}

// collectiveFaults returns the faults of a check of one collective: a check of an operation
// that moves data must see a swap, and one of a reduction a group that is too small.
func collectiveFaults(name string, more bool) []mutant.Mutant {
	_, what, _ := strings.Cut(name, "/")
	operation, rest, _ := strings.Cut(what, "/")
	alone := rest == "alone" || rest == "single-replicas-and-channel"
	var list []mutant.Mutant
	switch {
	case rest == "empty":
		list = append(list, mutant.Fails(name, "cannot launch nothing", mutant.Always[execution]))
	case operation == "in-flight":
		list = append(list, swapsEnds(name), repeatsArguments(name))
	case operation == "collective_permute", operation == "all_to_all", strings.HasPrefix(operation, "reduce_scatter"), alone &&
		operation != "all_reduce":
		list = append(list, swapsEnds(name))
	case operation == "all_gather", operation == "collective_broadcast":
		list = append(list, regroups(name, "counts the members of a group from its end", backwards))
	case alone:
		list = append(list, regroups(name, "puts all into one group",
			func(groups [][]int) [][]int { return [][]int{counting(len(groups))} }))
	default:
		list = append(list, regroups(name, "leaves each alone", singles))
	}
	if more && operation != "collective_broadcast" && operation != "in-flight" {
		list = append(list, takesZeros(name))
	}
	if lacking(operation, rest) {
		for i := range list {
			list[i] = list[i].On(lowering)
		}
	}
	return list
}

// lacking reports whether XLA's CPU plugin 0.81 refuses the programs of a check.
func lacking(operation, rest string) bool {
	if rest == "asynchronous" || operation == "collective_broadcast" {
		return true
	}
	of, err := dtype.Parse(rest)
	return (operation == "and" || operation == "or") && err == nil && of != dtype.Pred
}

func singles(groups [][]int) [][]int {
	var list [][]int
	for _, g := range groups {
		for _, id := range g {
			list = append(list, []int{id})
		}
	}
	return list
}

func backwards(groups [][]int) [][]int {
	var list [][]int
	for _, g := range groups {
		g = slices.Clone(g)
		slices.Reverse(g)
		list = append(list, g)
	}
	return list
}

// transposed replaces the ids of 2 x 2 devices by those in the other order.
func transposed(groups [][]int) [][]int {
	var list [][]int
	for _, g := range groups {
		list = append(list, mapped(g, func(id int) int { return id%2*2 + id/2 }))
	}
	return list
}

var groupsText = regexp.MustCompile(`replica_groups = dense<\[\[(.*?)\]\]> : tensor<\d+x\d+xi64>`)

// regroups makes a fault of collectives: they use other groups.
func regroups(check, words string, change func([][]int) [][]int) mutant.Mutant {
	return onCompile(check, words, func(c *compilation) {
		c.with(c.format(), groupsText.ReplaceAllStringFunc(c.code(), func(s string) string {
			return "replica_groups = " + listOfLists(change(readGroups(groupsText.FindStringSubmatch(s)[1])))
		}))
	})
}

// readGroups reads lists such as 0, 1], [2, 3.
func readGroups(s string) [][]int {
	var groups [][]int
	for list := range strings.SplitSeq(s, "], [") {
		var group []int
		for word := range strings.SplitSeq(list, ", ") {
			if id, err := strconv.Atoi(word); err == nil && id >= 0 {
				group = append(group, id)
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// swapsEnds makes a fault: the results of the first and the last device are swapped.
func swapsEnds(check string) mutant.Mutant {
	return mutant.After(check, "gives the results of the first device for those of the last", func(a *execution) {
		if a.NumDevices > 1 {
			_, results := lists(a, 1)
			last := a.NumDevices - 1
			results[0][0], results[last][0] = results[last][0], results[0][0]
		}
	})
}

// takesZeros makes a fault: the arguments of the last of several devices count as zeros.
func takesZeros(check string) mutant.Mutant {
	return withClient(check, "takes zeros for the arguments of the last device", func(client *atomic.Pointer[capi.Client]) serve.Hook {
		return serve.Around(func(c *serve.Invocation, a *execution) {
			if a.NumDevices < 2 {
				c.Forward()
				return
			}
			arguments, _ := lists(a, 0)
			forwardZeros(c, client.Load(), arguments[a.NumDevices-1])
		})
	})
}

// withClient makes a fault of one hook that knows the newest client.
func withClient(check, words string, hook func(*atomic.Pointer[capi.Client]) serve.Hook) mutant.Mutant {
	return mutant.Hooked(check, words, func() []serve.Hook {
		var client atomic.Pointer[capi.Client]
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
				c.Forward()
				client.Store(a.Client)
			}),
			hook(&client),
		}
	})
}

// forwardZeros forwards an execution with zeros in place of the given arguments.
func forwardZeros(c *serve.Invocation, client *capi.Client, arguments []*capi.Buffer) {
	forwardInstead(c, arguments, func(_ int, b *capi.Buffer) *capi.Buffer { return zerosLike(c.Table(), client, b) })
}

// forwardInstead forwards an execution with other arguments: instead returns an argument itself,
// or a buffer in its place, which is destroyed afterwards. It returns the arguments that others
// took the place of.
func forwardInstead(
	c *serve.Invocation, arguments []*capi.Buffer, instead func(i int, b *capi.Buffer) *capi.Buffer,
) (spared []*capi.Buffer) {
	own := slices.Clone(arguments)
	for i, b := range own {
		arguments[i] = instead(i, b)
	}
	c.Forward()
	for i, b := range own {
		if arguments[i] != b {
			mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: arguments[i]})
			spared = append(spared, b)
		}
	}
	copy(arguments, own)
	return spared
}

// zerosLike makes a buffer of zeros with the type, the shape and the device of another.
func zerosLike(t *capi.Table, client *capi.Client, b *capi.Buffer) *capi.Buffer {
	dims := mutant.DimsOf(t, b)
	args := capi.ClientBufferFromHostBufferArgs{
		Client: client, Device: mutant.DeviceOf(t, b), Type: capi.BufferType(mutant.TypeOf(t, b)),
		Data: check.Pointer(make([]byte, max(volume(dims)*16, 16))),
	}
	args.Dims, args.NumDims = check.First(dims)
	return uploaded(t, args)
}

// uploaded makes a buffer, and waits until its memory on the host is free again.
func uploaded(t *capi.Table, args capi.ClientBufferFromHostBufferArgs) *capi.Buffer {
	out, _ := mutant.Try(t, args)
	if out.DoneWithHostBuffer != nil {
		mutant.Finish(t, out.DoneWithHostBuffer)
	}
	return out.Buffer
}

// repeatsArguments makes a fault of executions that are in flight together: one of them
// gets the arguments of the one before.
func repeatsArguments(check string) mutant.Mutant {
	return mutant.Hooked(check, "executes once more on the arguments of the execution before", func() []serve.Hook {
		now := nth(7)
		var before []*capi.Buffer
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			var own []*capi.Buffer
			again := now()
			for i, list := range arguments {
				own = append(own, list[0])
				if again {
					list[0] = before[i]
				}
			}
			c.Forward()
			for i, list := range arguments {
				list[0] = own[i]
			}
			before = own
		})}
	})
}
