// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func stridesMutants() []mutant.Mutant {
	ignored := func(a *uploadArgs) { a.ByteStrides, a.NumByteStrides = nil, 0 }
	columns := func(a *uploadArgs) {
		if a.NumDims == 2 {
			d := capi.Slice(a.Dims, a.NumDims)
			a.ByteStrides, a.NumByteStrides = dims(4, 4*d[0])
		}
	}
	withStride := func(bad func(int64) bool) func(*uploadArgs) bool {
		return func(a *uploadArgs) bool { return slices.ContainsFunc(capi.Slice(a.ByteStrides, a.NumByteStrides), bad) }
	}
	noLayout := func(a *uploadArgs) { a.DeviceLayout = nil }
	return slices.Concat([]mutant.Mutant{
		before("STR-01", "column-major without strides", func(a *uploadArgs) {
			if a.NumByteStrides == 0 {
				columns(a)
			}
		}),
		before("STR-02", "strides are ignored", ignored),
		before("STR-03", "strides are ignored", ignored),
		refuses("STR-04", "strides of zero are refused", capi.ErrorCodeInvalidArgument, withStride(func(s int64) bool { return s == 0 })),
		refuses("STR-05", "negative strides are refused", capi.ErrorCodeInvalidArgument, withStride(func(s int64) bool { return s < 0 })),
		before("STR-07", "strides are rounded", func(a *uploadArgs) {
			if a.NumByteStrides == 1 {
				a.ByteStrides, a.NumByteStrides = dims(4)
			}
		}),
		before("STR-08", "strides of narrow types are ignored", func(a *uploadArgs) {
			if dtype.Type(a.Type).IsSubByte() {
				ignored(a)
			}
		}),
		before("STR-09", "strides are ignored where the memory is used", func(a *uploadArgs) {
			if a.HostBufferSemantics >= capi.HostBufferSemanticsImmutableZeroCopy {
				ignored(a)
			}
		}),
		before("STR-10", "the data is transposed", func(a *uploadArgs) {
			if a.DeviceLayout != nil && *a.DeviceLayout.Tiled().MinorToMajor == 0 {
				columns(a)
			}
		}),
		before("STR-11", "the layout is dropped", noLayout),
		mutant.Of("STR-13", "fails in another way", func(c *invocation, a *uploadArgs) {
			if a.DeviceLayout != nil {
				c.Fail(capi.ErrorCodeInternal, "what is this")
				return
			}
			c.Forward()
		}),
		before("STR-14", "tiles are dropped", noLayout),
		before("STR-15", "taken for none", func(a *uploadArgs) {
			if a.DeviceLayout != nil && a.DeviceLayout.Type == 7 {
				noLayout(a)
			}
		}),
	}, inMemory(
		before("STR-06/more", "the last one is ignored", ignored),
		before("STR-06/fewer", "they are ignored", ignored),
		before("STR-12", "a wrong order is ignored", noLayout),
	))
}

type (
	transferArgs = capi.AsyncHostToDeviceTransferManagerTransferDataArgs
	retrieveArgs = capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs
	literals     = capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs
	managers     = capi.ClientCreateBuffersForAsyncHostToDeviceArgs
	errorArgs    = capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs
	metadataArgs = capi.AsyncHostToDeviceTransferManagerAddMetadataArgs
	countArgs    = capi.AsyncHostToDeviceTransferManagerBufferCountArgs
	sizeArgs     = capi.AsyncHostToDeviceTransferManagerBufferSizeArgs
	endArgs      = capi.AsyncHostToDeviceTransferManagerDestroyArgs
)

func asyncMutants() []mutant.Mutant {
	return slices.Concat([]mutant.Mutant{
		after("AH2D-01", "one buffer", func(a *countArgs) { a.BufferCount = 1 }),
		refuses("AH2D-02", "null is refused", capi.ErrorCodeInvalidArgument, func(a *managers) bool { return a.DeviceLayouts == nil }),
		before("AH2D-03", "too few layouts are ignored", func(a *managers) {
			if a.NumDeviceLayouts != a.NumShapeSpecs {
				a.DeviceLayouts, a.NumDeviceLayouts = nil, 0
			}
		}),
		after("AH2D-04", "at least one buffer", func(a *countArgs) { a.BufferCount = max(a.BufferCount, 1) }),
		hooked("AH2D-05", "decreases", func() []serve.Hook {
			var taken atomic.Uintptr
			return []serve.Hook{
				serve.Around(func(c *invocation, _ *retrieveArgs) {
					c.Forward()
					taken.Add(1)
				}),
				serve.Around(func(c *invocation, a *countArgs) {
					c.Forward()
					a.BufferCount -= taken.Load()
				}),
			}
		}),
		after("AH2D-06", "another size", func(a *sizeArgs) { a.BufferSize++ }),
		after("AH2D-08", "no device", func(a *capi.AsyncHostToDeviceTransferManagerDeviceArgs) { a.DeviceOut = nil }),
		anyReady("AH2D-09", "ready early"),
		arrives("AH2D-12", "a bit is wrong", flip),
		hooked("AH2D-13", "one behind the other, whatever the offset", func() []serve.Hook {
			var next atomic.Int64
			return []serve.Hook{serve.Around(func(c *invocation, a *transferArgs) {
				a.Offset = next.Add(a.TransferSize) - a.TransferSize
				c.Forward()
			})}
		}),
		hooked("AH2D-15", "success", func() []serve.Hook {
			return []serve.Hook{
				serve.Around(func(c *invocation, a *transferArgs) {}),
				serve.Around(func(c *invocation, a *capi.EventAwaitArgs) {
					c.Forward()
					c.FailWith(nil)
				}),
			}
		}),
		mutant.Of("AH2D-16", "done comes before the transfer", func(c *invocation, a *transferArgs) {
			// What was there at the end of the call is lost: the plugin reads later.
			late := retain(make([]byte, a.TransferSize))
			a.Data = check.Pointer(late)
			c.Forward()
		}),
		ignores("AH2D-17", "nothing to do", func(a *transferArgs) bool { return a.TransferSize == 0 }),
		forgives[transferArgs]("AH2D-18", "success"),
		mutant.Of("AH2D-22", "all buffers fail", func(c *invocation, a *errorArgs) {
			c.Forward()
			other := &capi.Call[errorArgs]{Args: *a}
			other.Args.BufferIndex = 1
			other.Do(c.Table())
		}),
		hooked("AH2D-24", "keeps the pointer", func() []serve.Hook {
			var kept *capi.NamedValue
			return []serve.Hook{
				serve.Around(func(c *invocation, a *metadataArgs) {
					kept = a.TransferMetadata
					c.Forward()
				}),
				serve.Around(func(c *invocation, _ *transferArgs) {
					if kept != nil && kept.Name == nil {
						c.Fail(capi.ErrorCodeInternal, "metadata without a name")
						return
					}
					c.Forward()
				}),
			}
		}),
		refuses("AH2D-26", "null is refused", capi.ErrorCodeInvalidArgument, func(a *endArgs) bool { return a.TransferManager == nil }),
		ignores("AH2D-27", "never ready", always[endArgs]),
		arrives("AH2D-28", "freed under the transfer", flip),
		anyReady("AH2D-29", "runs early"),
		nth("AH2D-30", "a lock is missing", 4),
	}, inMemory(
		forgives[sizeArgs]("AH2D-07/negative", "success with garbage"),
		forgives[sizeArgs]("AH2D-07/count", "success with garbage"),
		forgives[retrieveArgs]("AH2D-10", "success without a buffer"),
		forgives[retrieveArgs]("AH2D-11", "success without a buffer"),
		hooked("AH2D-14", "ready with holes", func() []serve.Hook {
			return []serve.Hook{
				serve.Around(func(c *invocation, a *transferArgs) {
					c.Forward()
					c.FailWith(nil)
				}),
				serve.Around(func(c *invocation, a *capi.EventIsReadyArgs) { a.IsReady = true }),
			}
		}),
		before("AH2D-19", "the layout is ignored", func(a *literals) { a.ShapeLayout = nil }),
		forgives[literals]("AH2D-20", "success"),
		arrives("AH2D-21", "packed wrongly", flip),
		failsAfter[errorArgs]("AH2D-23/late", "the buffer turns into an error"),
		failsAfter[errorArgs]("AH2D-23/twice", "another error"),
		forgives[metadataArgs]("AH2D-25", "success"),
	))
}
