// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// againMutants are faults of what was made of something of its kind, and of all but the first of
// what a call made: copies of copies, results behind the first, second events.
func againMutants() []mutant.Mutant {
	flipsFirst := func(data []byte) { data[0] ^= 1 }
	return []mutant.Mutant{
		generations("COPY-01", "a copy of a copy of a copy has another first byte",
			func(a *capi.BufferCopyToDeviceArgs) (from, to *capi.Buffer) { return a.Buffer, a.DstBuffer }, 3, flipsFirst),
		generations("COPY-08", "a copy of a copy of a copy has another first byte",
			func(a *capi.BufferCopyToMemoryArgs) (from, to *capi.Buffer) { return a.Buffer, a.DstBuffer }, 3, flipsFirst),
		mutant.AfterMade("COPY-08/other orders", "a copy's last two dimensions change places",
			movedBuffers, func(a *capi.BufferGetMemoryLayoutArgs) {
				tiled := a.Layout.Tiled()
				tiled.MinorToMajor, _ = mutant.LastingArray(mutant.LastExchanged(capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize), 2))
			}).InMemory(),
		mutant.AfterMade("COPY-01/other orders", "a copy says that it is row-major, whatever its source is",
			copiedBuffers, func(a *capi.BufferGetMemoryLayoutArgs) {
				tiled := a.Layout.Tiled()
				rows := make([]int64, tiled.MinorToMajorSize)
				for i := range rows {
					rows[i] = int64(len(rows) - 1 - i)
				}
				tiled.MinorToMajor, _ = mutant.LastingArray(rows)
			}).InMemory(),
		onReadyOf("BUF-19/waiting", "results behind the first are ready at once", laterOutputs, hasty),
		onReadyOf("BUF-19/waiting", "copies are ready at once",
			func(m *mutant.Marks) serve.Hook { return mutant.Marking(m, copiedBuffers) }, hasty),
		onReadyOf("BUF-19/waiting", "copies of copies are ready at once", func(m *mutant.Marks) serve.Hook {
			copied := new(mutant.Marks)
			return mutant.Changed(func(a *capi.BufferCopyToDeviceArgs, _ int64) {
				copied.Add(a.DstBuffer)
				if copied.Has(a.Buffer) {
					m.Add(a.DstBuffer)
				}
			})
		}, hasty),
		onReadyOf("BUF-19/waiting", "buffers of a transfer manager are ready once the third is", func(m *mutant.Marks) serve.Hook {
			return mutant.Changed(func(a *retrieveArgs, _ int64) {
				if a.BufferIndex == 3 {
					m.Add(a.BufferOut)
				}
			})
		}, hasty),
		mutant.Hooked("BUF-19/waiting", "the second ready event of a buffer is ready at once", func() []serve.Hook {
			asked, second := new(mutant.Marks), new(mutant.Marks)
			return slices.Concat([]serve.Hook{
				mutant.Changed(func(a *capi.BufferReadyEventArgs, _ int64) {
					if asked.Again(a.Buffer) {
						second.Add(a.Event)
					}
				}),
				mutant.Ahead(func(a *capi.BufferDestroyArgs) { asked.Remove(a.Buffer) }),
				unmarking(second),
			}, hasty(second))
		}),
	}
}

// generations makes a mutant whose downloads of copies of the n-th generation bring something else.
// ends returns what a call copied, and the copy.
func generations[A any](name, fault string, ends func(a *A) (from, to *capi.Buffer), n int, change func(data []byte)) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var depths sync.Map // by buffer
		depth := func(b *capi.Buffer) int {
			d, ok := depths.Load(b)
			if !ok {
				return 0
			}
			return d.(int)
		}
		return []serve.Hook{
			mutant.Changed(func(a *A, _ int64) {
				from, to := ends(a)
				depths.Store(to, depth(from)+1)
			}),
			mutant.Ahead(func(a *capi.BufferDestroyArgs) { depths.Delete(a.Buffer) }),
			mutant.Arrived(func(_ *serve.Invocation, a *downloadArgs, data []byte) {
				if depth(a.Src) >= n {
					change(data)
				}
			}),
		}
	})
}

// laterOutputs returns the hook that marks the results behind the first.
func laterOutputs(m *mutant.Marks) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
		if c.Forward(); c.Err() != nil {
			return
		}
		e, _ := mutant.Try(c.Table(), capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: a.Executable})
		n, _ := mutant.Try(c.Table(), capi.ExecutableNumOutputsArgs{Executable: e.Executable})
		mutant.Try(c.Table(), capi.ExecutableDestroyArgs{Executable: e.Executable})
		if n.NumOutputs > 1 {
			mutant.AddAll(m, mutant.View(*a.OutputLists, n.NumOutputs)[1:])
		}
	})
}
