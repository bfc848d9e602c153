// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// variedMutants are faults of what comes in several, and of ranks, which programs with one or two
// small arrays do not show.
func variedMutants() []mutant.Mutant {
	// listed changes the indices of arguments that must not be donated.
	listed := func(name, fault string, change func(list []int64) []int64) mutant.Mutant {
		return mutant.Of(name, fault, func(c *serve.Invocation, a *execution) {
			given := a.Options
			own := *given
			own.NonDonatableInputIndices, own.NumNonDonatableInputIndices = mutant.LastingArray(
				change(capi.Slice(own.NonDonatableInputIndices, own.NumNonDonatableInputIndices)))
			a.Options = &own
			c.Forward()
			a.Options = given
		})
	}
	return []mutant.Mutant{
		mutant.After("EXE-07", "has at most 16 results", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = min(a.NumOutputs, 16) }),
		mutant.Lists[capi.ExecutableOutputElementTypesArgs]("EXE-09", "gives the results behind the twelfth its type",
			func(list []capi.BufferType) []capi.BufferType {
				for i := 12; i < len(list); i++ {
					list[i] = list[11]
				}
				return list
			}),
		mutant.After("EXE-10", "tells the last two of at least four dimensions in the other order",
			func(a *capi.ExecutableOutputDimensionsArgs) {
				sizes := capi.Slice(a.DimSizes, a.NumOutputs)
				n := uintptr(0)
				for _, s := range sizes {
					n += s
				}
				all := capi.Slice(a.Dims, n)
				at := uintptr(0)
				for _, s := range sizes {
					copy(all[at:], mutant.LastExchanged(all[at:at+s], 4))
					at += s
				}
				a.Dims, _ = mutant.LastingArray(all)
			}),
		mutant.Of("MULTI-01", "mixes up the last two results of the last of four devices", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil && a.NumDevices > 3 {
				_, results := lists(a, outputsOf(c.Table(), a.Executable))
				copy(results[3], mutant.LastExchanged(results[3], 2))
			}
		}),
		mutant.Of("DON-01", "takes the argument in front of the last when the last of four is donated",
			func(c *serve.Invocation, a *execution) {
				if c.Forward(); c.Err() == nil && a.NumArgs == 4 {
					arguments, _ := lists(a, 0)
					mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: arguments[0][2]})
				}
			}),
		listed("DON-01", "looks at no index above 2 of those that are not donatable", func(list []int64) []int64 {
			return slices.DeleteFunc(list, func(i int64) bool { return i > 2 })
		}),
		mutant.Hooked("CDS-03", "counts two chunks at most", func() []serve.Hook {
			var mu sync.Mutex
			var sizes []int64 // guarded by mu
			return []serve.Hook{
				mutant.Ahead(func(a *addition) {
					mu.Lock()
					defer mu.Unlock()
					sizes = append(sizes, int64(a.Chunk.Size))
				}),
				mutant.Changed(func(a *capi.CopyToDeviceStreamCurrentBytesArgs, _ int64) {
					mu.Lock()
					defer mu.Unlock()
					if len(sizes) > 2 {
						a.CurrentBytes = sizes[0] + sizes[1]
					}
				}),
			}
		}).InMemory().On(granular),
	}
}
