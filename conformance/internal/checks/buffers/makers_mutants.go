// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// pages is the page size: a plugin that copies whole pages stops at a multiple of it.
const pages = 4096

// stopsAtPages returns a plugin that leaves out the end of large arrays that one function
// makes.
func stopsAtPages[A any](name string, made func(*A) []*capi.Buffer) mutant.Mutant {
	return mutant.ArrivesFrom(name, "of more than a MiB, only whole pages arrive", made, nil, func(data []byte) {
		if len(data) > 1<<20 {
			clear(data[len(data)/pages*pages:])
		}
	})
}

// dropsOnes returns a plugin that keeps only some dims of the buffers that one function makes.
func dropsOnes[A any](name, fault string, made func(*A) []*capi.Buffer, keep func(dims []int64) []int64) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		m := new(mutant.Marks)
		return []serve.Hook{mutant.Marking(m, made),
			mutant.AfterMarked[capi.Buffer](m, func(a *capi.BufferDimensionsArgs) {
				mutant.Reply(a, keep(capi.Slice(a.Dims, a.NumDims)))
			}),
			mutant.AfterMarked[capi.Buffer](m, func(a *capi.BufferUnpaddedDimensionsArgs) {
				mutant.Reply(a, keep(capi.Slice(a.UnpaddedDims, a.NumDims)))
			}),
		}
	})
}

// withoutOnes drops every dim of one, and withoutLastOne the last.
func withoutOnes(dims []int64) []int64 {
	var kept []int64
	for _, d := range dims {
		if d != 1 {
			kept = append(kept, d)
		}
	}
	return kept
}

func withoutLastOne(dims []int64) []int64 {
	if n := len(dims); n > 0 && dims[n-1] == 1 {
		return slices.Clone(dims[:n-1])
	}
	return dims
}

// scalarAsOne gives a scalar the dim of an array.
func scalarAsOne(dims []int64) []int64 {
	if len(dims) == 0 {
		return []int64{1}
	}
	return dims
}

// ofMaker returns the mutants of the checks of one maker.
func ofMaker[A any](name string, made func(*A) []*capi.Buffer) []mutant.Mutant {
	for _, m := range makers {
		if m.name == name {
			return []mutant.Mutant{
				stopsAtPages(m.sizes+"/uneven/"+name, made),
				dropsOnes(m.dims+"/dims of one/"+name, "drops dims of one", made, withoutOnes),
				dropsOnes(m.dims+"/dims of one/"+name, "drops the last dim if it is one", made, withoutLastOne),
				dropsOnes(m.dims+"/dims of one/"+name, "makes a scalar an array of one", made, scalarAsOne),
			}
		}
	}
	panic("buffers: there is no maker " + name)
}

func makerMutants() []mutant.Mutant {
	ms := slices.Concat(
		ofMaker("an upload", mutant.Made[uploadArgs, capi.Buffer]),
		ofMaker("a copy to a device", copiedBuffers),
		ofMaker("a copy to a memory", movedBuffers),
		ofMaker("a transfer manager", mutant.Made[retrieveArgs, capi.Buffer]),
		ofMaker("a transfer manager, in two parts", mutant.Made[retrieveArgs, capi.Buffer]),
		ofMaker("a view", mutant.Made[viewOf, capi.Buffer]),
		ofMaker("an alias", mutant.Made[capi.ClientCreateAliasBufferArgs, capi.Buffer]),
		ofMaker("an execution", outputBuffers),
	)
	return append(ms,
		mutant.Before("RAW-01/uneven", "of more than a MiB, only whole pages are copied", func(a *rawArgs) {
			if a.TransferSize > 1<<20 {
				a.TransferSize = a.TransferSize / pages * pages
			}
		}),
		mutant.After("BUF-09/uneven", "counts whole pages of what is larger than a MiB", func(a *capi.BufferOnDeviceSizeInBytesArgs) {
			if a.OnDeviceSizeInBytes > 1<<20 {
				a.OnDeviceSizeInBytes = a.OnDeviceSizeInBytes / pages * pages
			}
		}),
		mutant.After("BUF-09/uneven", "asks for whole pages of the host", func(a *downloadArgs) {
			if a.Dst == nil {
				a.DstSize = (a.DstSize + pages - 1) / pages * pages
			}
		}),
		dropsOnes("UNI-01/dims of one", "drops dims of one", mutant.Made[uninitialized, capi.Buffer], withoutOnes),
		dropsOnes("UNI-05/dims of one", "drops dims of one", mutant.Made[errorBuffers, capi.Buffer], withoutOnes).InMemory(),
	)
}
