// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// unreadyMutants returns plugins that do not know the facts of a buffer before it has
// its contents.
func unreadyMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Of("BUF-09/before the contents", "the size is that of memory that is not allocated yet",
			func(c *serve.Invocation, a *capi.BufferOnDeviceSizeInBytesArgs) {
				if c.Forward(); mutant.Unsettled(c.Table(), a.Buffer) {
					a.OnDeviceSizeInBytes = 0
				}
			}),
		mutant.Of("BUF-09/before the contents", "the size waits for the contents",
			func(c *serve.Invocation, a *capi.BufferOnDeviceSizeInBytesArgs) {
				settle(c, a.Buffer)
				c.Forward()
			}),
		mutant.Hooked("D2H-02/before the contents", "the size of a download of an output waits for the execution", func() []serve.Hook {
			outputs := new(mutant.Marks)
			return []serve.Hook{mutant.Marking(outputs, outputBuffers), serve.Around(func(c *serve.Invocation, a *downloadArgs) {
				if outputs.Has(a.Src) && a.Dst == nil {
					settle(c, a.Src)
				}
				c.Forward()
			})}
		}).ReportedAs("tt-xla#3451"),
		mutant.Of("D2H-02/before the contents", "without contents there is nothing to download",
			func(c *serve.Invocation, a *downloadArgs) {
				if c.Forward(); a.Dst == nil && mutant.Unsettled(c.Table(), a.Src) {
					a.DstSize = 0
				}
			}),
		mutant.Of("BUF-02/before the contents", "dimensions come with the contents",
			func(c *serve.Invocation, a *capi.BufferDimensionsArgs) {
				if c.Forward(); mutant.Unsettled(c.Table(), a.Buffer) {
					a.NumDims = 0
				}
			}),
		mutant.Of("BUF-02/before the contents", "what has no contents counts as deleted",
			func(c *serve.Invocation, a *capi.BufferIsDeletedArgs) {
				if c.Forward(); mutant.Unsettled(c.Table(), a.Buffer) {
					a.IsDeleted = true
				}
			}),
		mutant.After("D2H-02", "of arrays of two dimensions, the size is that of whole tiles on the device", func(a *downloadArgs) {
			const tile = 32 * 32
			if a.Dst == nil && a.HostLayout != nil && a.HostLayout.Tiled().MinorToMajorSize == 2 && a.DstSize > 0 {
				a.DstSize = (a.DstSize + tile - 1) / tile * tile
			}
		}).ReportedAs("tt-xla#3458"),
	}
}

// hostViewMutants returns plugins that do not see that an array of the host is not
// dense.
func hostViewMutants() []mutant.Mutant {
	densely := func(a *uploadArgs) { a.ByteStrides, a.NumByteStrides = nil, 0 }
	// contiguous strides are those of a dense array in some order of its dimensions.
	contiguous := func(a *uploadArgs) bool {
		d, s := capi.Slice(a.Dims, a.NumDims), strides(a)
		for step := int64(dtype.Type(a.Type).Size()); len(s) > 0; {
			i := slices.Index(s, step)
			if i < 0 {
				return false
			}
			step *= d[i]
			d, s = slices.Delete(d, i, i+1), slices.Delete(s, i, i+1)
		}
		return true
	}
	return []mutant.Mutant{
		mutant.Before("STR-03/views", "memory of the host that is not contiguous is read as if it were", func(a *uploadArgs) {
			if !contiguous(a) {
				densely(a)
			}
		}).ReportedAs("tt-xla#5059"),
		mutant.Before("STR-03/views", "steps backwards are taken forwards in more than two dimensions", func(a *uploadArgs) {
			s := strides(a)
			for i := range s {
				if len(s) > 2 {
					s[i] = max(s[i], -s[i])
				}
			}
			restride(a, s)
		}),
		mutant.Before("STR-03/large view", "of more than a MiB, only the order of the strides counts", func(a *uploadArgs) {
			if count(a)*dtype.Type(a.Type).Size() > 1<<20 {
				strideOrder(a, false)
			}
		}),
		mutant.Refuses("STR-01/dims of one", "the stride of a dimension of one must be the dense one", capi.ErrorCodeInvalidArgument,
			func(a *uploadArgs) bool {
				d := capi.Slice(a.Dims, a.NumDims)
				dense := rowStrides(dtype.Type(a.Type).Size(), d)
				for i, s := range strides(a) {
					if d[i] == 1 && s != dense[i] {
						return true
					}
				}
				return false
			}),
		mutant.Refuses("H2D-04/strides", "an array without elements must have no strides", capi.ErrorCodeInvalidArgument,
			func(a *uploadArgs) bool { return a.NumByteStrides > 0 && count(a) == 0 }),
	}
}
