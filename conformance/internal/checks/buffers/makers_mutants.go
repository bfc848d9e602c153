// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// pages is the page size: a plugin that copies whole pages stops at a multiple of it.
const pages = 4096

// stopsAtPages returns a plugin that leaves out the end of large arrays that one function
// makes.
func stopsAtPages[A any](name string, made func(*A) []*capi.Buffer) mutant.Mutant {
	return mutant.Hooked(name, "of more than a MiB, only whole pages arrive", func() []serve.Hook {
		m := new(mutant.Marks)
		return []serve.Hook{mutant.Marking(m, made), serve.Around(func(c *serve.Invocation, a *downloadArgs) {
			c.Forward()
			if c.Err() == nil && m.Has(a.Src) && a.Dst != nil && a.DstSize > 1<<20 && mutant.Await(c.Table(), a.Event) == nil {
				data := mutant.BytesAt(a.Dst, a.DstSize)
				clear(data[len(data)/pages*pages:])
			}
		})}
	})
}

// dropsOnes returns a plugin that keeps only some dims of the buffers that one function makes.
func dropsOnes[A any](name, fault string, made func(*A) []*capi.Buffer, keep func(dims []int64) []int64) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		m := new(mutant.Marks)
		change := func(p **int64, n *uintptr) {
			*p, *n = check.First(check.Retain(keep(capi.Slice(*p, *n))))
		}
		return []serve.Hook{mutant.Marking(m, made),
			mutant.AfterMarked(m, dimensionsOf, func(a *capi.BufferDimensionsArgs) { change(&a.Dims, &a.NumDims) }),
			mutant.AfterMarked(m, func(a *capi.BufferUnpaddedDimensionsArgs) *capi.Buffer { return a.Buffer },
				func(a *capi.BufferUnpaddedDimensionsArgs) { change(&a.UnpaddedDims, &a.NumDims) }),
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
	uploads := func(a *uploadArgs) []*capi.Buffer { return []*capi.Buffer{a.Buffer} }
	var ms []mutant.Mutant
	for _, list := range [][]mutant.Mutant{
		ofMaker("an upload", uploads),
		ofMaker("a copy to a device", copiedBuffers),
		ofMaker("a copy to a memory", func(a *capi.BufferCopyToMemoryArgs) []*capi.Buffer { return []*capi.Buffer{a.DstBuffer} }),
		ofMaker("a transfer manager", retrieved),
		ofMaker("a transfer manager, in two parts", retrieved),
		ofMaker("a view", func(a *capi.ClientCreateViewOfDeviceBufferArgs) []*capi.Buffer { return []*capi.Buffer{a.Buffer} }),
		ofMaker("an alias", func(a *capi.ClientCreateAliasBufferArgs) []*capi.Buffer { return []*capi.Buffer{a.AliasBuffer} }),
		ofMaker("an execution", outputBuffers),
	} {
		ms = append(ms, list...)
	}
	return append(ms,
		mutant.Before("RAW-01/uneven", "of more than a MiB, only whole pages are copied", func(a *capi.BufferCopyRawToHostArgs) {
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
		dropsOnes("UNI-01/dims of one", "drops dims of one",
			func(a *capi.ClientCreateUninitializedBufferArgs) []*capi.Buffer { return []*capi.Buffer{a.Buffer} }, withoutOnes),
		inMemory(dropsOnes("UNI-05/dims of one", "drops dims of one",
			func(a *capi.ClientCreateErrorBufferArgs) []*capi.Buffer { return []*capi.Buffer{a.Buffer} }, withoutOnes))[0],
	)
}

func retrieved(a *capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs) []*capi.Buffer {
	return []*capi.Buffer{a.BufferOut}
}
