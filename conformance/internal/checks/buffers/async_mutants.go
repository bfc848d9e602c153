// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"cmp"
	"slices"
	"sync"
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
		mutant.Before("STR-01", "column-major without strides", func(a *uploadArgs) {
			if a.NumByteStrides == 0 {
				columns(a)
			}
		}),
		mutant.Before("STR-01", "squares are column-major without strides", func(a *uploadArgs) {
			if d := capi.Slice(a.Dims, a.NumDims); len(d) == 2 && d[0] == d[1] && a.NumByteStrides == 0 {
				columns(a)
			}
		}),
		mutant.Before("STR-02", "the permutation is inverted", func(a *uploadArgs) { strideOrder(a, true) }),
		mutant.Before("STR-02", "strides of single bytes are ignored", func(a *uploadArgs) {
			if dtype.Type(a.Type).Size() == 1 {
				ignored(a)
			}
		}),
		mutant.Before("STR-03", "only the order of strides counts", func(a *uploadArgs) { strideOrder(a, false) }),
		touches("STR-03", "the gap behind the last row is read", func(a *uploadArgs) int {
			if a.NumByteStrides == 0 || *a.Dims == 0 {
				return 0
			}
			return int(*a.ByteStrides * *a.Dims)
		}),
		touches("STR-04", "as much is read as without strides", func(a *uploadArgs) int {
			if a.NumByteStrides == 0 {
				return 0
			}
			return count(a) * dtype.Type(a.Type).Size()
		}),
		mutant.Before("STR-04", "zero stands for the dense stride", func(a *uploadArgs) {
			s, dense := strides(a), rowStrides(dtype.Type(a.Type).Size(), capi.Slice(a.Dims, a.NumDims))
			for i := range s {
				if s[i] == 0 {
					s[i] = dense[i]
				}
			}
			restride(a, s)
		}),
		mutant.Before("STR-05", "the sign is ignored", func(a *uploadArgs) {
			s := strides(a)
			for i := range s {
				s[i] = max(s[i], -s[i])
			}
			restride(a, s)
		}),
		mutant.Before("STR-05", "data is taken for the lowest address", func(a *uploadArgs) {
			first := uintptr(a.Data)
			for i, s := range strides(a) {
				if s < 0 {
					first += uintptr(-s * (capi.Slice(a.Dims, a.NumDims)[i] - 1))
				}
			}
			a.Data = check.PointerAt(first)
		}),
		mutant.Refuses("STR-04", "strides of zero are refused", capi.ErrorCodeInvalidArgument,
			withStride(func(s int64) bool { return s == 0 })),
		mutant.Refuses("STR-05", "negative strides are refused", capi.ErrorCodeInvalidArgument,
			withStride(func(s int64) bool { return s < 0 })),
		mutant.Before("STR-07", "strides are rounded", func(a *uploadArgs) {
			if a.NumByteStrides == 1 {
				a.ByteStrides, a.NumByteStrides = dims(4)
			}
		}),
		mutant.Before("STR-07", "strides of two dimensions are rounded", func(a *uploadArgs) {
			s := strides(a)
			for i := range s {
				s[i] &^= 3
			}
			if len(s) == 2 {
				restride(a, s)
			}
		}),
		mutant.Before("STR-08", "an odd number of elements is packed first", func(a *uploadArgs) {
			if dtype.Type(a.Type).IsSubByte() && count(a)%2 == 1 {
				ignored(a)
			}
		}),
		mutant.Before("STR-08", "strides of narrow types are ignored", func(a *uploadArgs) {
			if dtype.Type(a.Type).IsSubByte() {
				ignored(a)
			}
		}),
		mutant.Before("STR-09", "strides are ignored where the memory is used", func(a *uploadArgs) {
			if a.HostBufferSemantics >= capi.HostBufferSemanticsImmutableZeroCopy {
				ignored(a)
			}
		}),
		mutant.Before("STR-09", "strides are ignored where the call copies", func(a *uploadArgs) {
			if a.HostBufferSemantics == duringCall {
				ignored(a)
			}
		}),
		mutant.Before("STR-10", "the data is transposed", func(a *uploadArgs) {
			if a.DeviceLayout != nil && *a.DeviceLayout.Tiled().MinorToMajor == 0 {
				columns(a)
			}
		}),
		mutant.Before("STR-11", "the layout is dropped", noLayout),
		mutant.Before("STR-13", "ignored", func(a *uploadArgs) {
			if a.DeviceLayout != nil && a.DeviceLayout.Type == capi.BufferMemoryLayoutTypeStrides {
				noLayout(a)
			}
		}),
		mutant.Before("STR-15", "only one bit counts", func(a *uploadArgs) {
			if a.DeviceLayout != nil {
				a.DeviceLayout.Type &= 1
			}
		}),
		mutant.Fails("STR-13", "fails in another way", func(a *uploadArgs) bool { return a.DeviceLayout != nil }),
		mutant.Before("STR-14", "tiles are dropped", noLayout),
		mutant.Before("STR-15", "taken for none", func(a *uploadArgs) {
			if a.DeviceLayout != nil && a.DeviceLayout.Type == 7 {
				noLayout(a)
			}
		}),
	}, mutant.InMemory(
		mutant.Before("STR-06/more", "the last one is ignored", ignored),
		mutant.Before("STR-06/fewer", "they are ignored", ignored),
		mutant.Before("STR-12", "a wrong order is ignored", noLayout),
		mutant.Before("STR-12", "an order that is too long is cut", func(a *uploadArgs) {
			if a.DeviceLayout != nil && a.DeviceLayout.Tiled().MinorToMajorSize > a.NumDims {
				noLayout(a)
			}
		}),
		mutant.Before("STR-12", "a dimension may stand twice", func(a *uploadArgs) {
			if a.DeviceLayout == nil {
				return
			}
			if order := capi.Slice(a.DeviceLayout.Tiled().MinorToMajor, a.DeviceLayout.Tiled().MinorToMajorSize); len(order) == 2 &&
				order[0] == order[1] {
				noLayout(a)
			}
		}),
	))
}

// strides returns a copy of the strides of an upload.
func strides(a *uploadArgs) []int64 {
	return capi.Slice(a.ByteStrides, a.NumByteStrides)
}

// restride changes the strides of an upload that has some.
func restride(a *uploadArgs, s []int64) {
	if len(s) > 0 {
		a.ByteStrides, a.NumByteStrides = dims(s...)
	}
}

// strideOrder gives an upload the strides of dense data in the same order of
// dimensions, or in the inverse order.
func strideOrder(a *uploadArgs, inverse bool) {
	s := strides(a)
	order := make([]int64, len(s))
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortStableFunc(order, func(x, y int64) int { return cmp.Compare(s[x], s[y]) })
	if inverse {
		inverted := make([]int64, len(s))
		for i, d := range order {
			inverted[d] = int64(i)
		}
		order = inverted
	}
	restride(a, stridesOf(dtype.Type(a.Type).Size(), capi.Slice(a.Dims, a.NumDims), order))
}

func asyncMutants() []mutant.Mutant {
	return slices.Concat([]mutant.Mutant{
		mutant.After("AH2D-01", "one buffer", func(a *countArgs) { a.BufferCount = 1 }),
		mutant.Of("AH2D-01", "the memory of the first device, always", func(c *serve.Invocation, a *managers) {
			if out, err := mutant.Try(c.Table(), capi.DeviceDefaultMemoryArgs{Device: deviceOf(c, a.Client, 0)}); err == nil {
				a.Memory = out.Memory
			}
			c.Forward()
		}),
		mutant.Before("AH2D-01", "all buffers have the first shape", func(a *managers) {
			list := capi.Slice(a.ShapeSpecs, a.NumShapeSpecs)
			for i := range list {
				list[i] = list[0]
			}
			a.ShapeSpecs, _ = check.First(check.Retain(list))
		}),
		mutant.Refuses("AH2D-02", "a null among layouts is refused", capi.ErrorCodeInvalidArgument, func(a *managers) bool {
			return slices.Contains(capi.Slice(a.DeviceLayouts, a.NumDeviceLayouts), nil)
		}),
		mutant.Before("AH2D-02", "layouts are column-major whatever they say", func(a *managers) {
			if a.NumDeviceLayouts == 2 {
				a.DeviceLayouts, _ = check.First(check.Retain([]*capi.BufferMemoryLayout{check.TiledLayout([]int64{0, 1}),
					check.TiledLayout([]int64{0, 1})}))
			}
		}),
		mutant.Before("AH2D-03", "too many layouts are ignored",
			func(a *managers) { a.NumDeviceLayouts = min(a.NumDeviceLayouts, a.NumShapeSpecs) }),
		mutant.Refuses("AH2D-02", "null is refused", capi.ErrorCodeInvalidArgument,
			func(a *managers) bool { return a.DeviceLayouts == nil }),
		mutant.Before("AH2D-03", "too few layouts are ignored", func(a *managers) {
			if a.NumDeviceLayouts != a.NumShapeSpecs {
				a.DeviceLayouts, a.NumDeviceLayouts = nil, 0
			}
		}),
		mutant.After("AH2D-04", "at least one buffer", func(a *countArgs) { a.BufferCount = max(a.BufferCount, 1) }),
		mutant.Hooked("AH2D-05", "decreases", func() []serve.Hook {
			var taken atomic.Uintptr
			return []serve.Hook{
				mutant.Then(func(*retrieveArgs) { taken.Add(1) }),
				mutant.Then(func(a *countArgs) { a.BufferCount -= taken.Load() }),
			}
		}),
		mutant.After("AH2D-06", "another size", func(a *sizeArgs) { a.BufferSize++ }),
		mutant.Before("AH2D-06", "the size of the first buffer", func(a *sizeArgs) { a.BufferIndex = 0 }),
		mutant.First("AH2D-08", "the first device always",
			func(a *capi.AsyncHostToDeviceTransferManagerDeviceArgs) **capi.Device { return &a.DeviceOut }),
		mutant.After("AH2D-08", "no device", func(a *capi.AsyncHostToDeviceTransferManagerDeviceArgs) { a.DeviceOut = nil }),
		anyReady("AH2D-09", "ready early"),
		mutant.Hooked("AH2D-09", "the last transfer to a buffer ends those to all", func() []serve.Hook {
			ended, events := new(mutant.Marks), new(sync.Map) // managers by buffer, buffers by event
			of := new(sync.Map)
			return []serve.Hook{
				mutant.Changed(func(a *retrieveArgs, _ int64) { of.Store(a.BufferOut, a.TransferManager) }),
				mutant.Changed(func(a *transferArgs, _ int64) {
					if a.IsLastTransfer {
						ended.Add(a.TransferManager)
					}
				}),
				mutant.Changed(func(a *capi.BufferReadyEventArgs, _ int64) { events.Store(a.Event, a.Buffer) }),
				mutant.Then(func(a *capi.EventIsReadyArgs) {
					if b, ok := events.Load(a.Event); ok {
						m, _ := of.Load(b)
						a.IsReady = a.IsReady || m != nil && ended.Has(m)
					}
				}),
			}
		}),
		mutant.First("AH2D-16", "has one event for all transfers",
			func(a *transferArgs) **capi.Event { return &a.DoneWithH2dTransfer }),
		mutant.OnceAfter[transferArgs]("AH2D-09", "ready after the first transfer", func(a *capi.EventIsReadyArgs) { a.IsReady = true }),
		mutant.Before("AH2D-12", "data is for the first buffer, whatever the index", func(a *transferArgs) { a.BufferIndex = 0 }).Waiting(),
		mutant.Before("AH2D-12", "the last byte of an odd number is lost", func(a *transferArgs) {
			if a.TransferSize%2 == 1 {
				data := check.Retain(slices.Clone(mutant.BytesAt(a.Data, uintptr(a.TransferSize))))
				data[len(data)-1] ^= 1
				a.Data = check.Pointer(data)
			}
		}),
		mutant.Before("AH2D-13", "offsets are rounded to four", func(a *transferArgs) { a.Offset &^= 3 }),
		mutant.Before("AH2D-13", "offsets have twelve bits", func(a *transferArgs) { a.Offset &= 0xfff }),
		mutant.Hooked("AH2D-13", "one behind the other, whatever the offset", func() []serve.Hook {
			var next atomic.Int64
			return []serve.Hook{mutant.Ahead(func(a *transferArgs) {
				a.Offset = next.Add(a.TransferSize) - a.TransferSize
			})}
		}).Waiting(),
		mutant.Nothing[transferArgs]("AH2D-15", "success").And(mutant.Swallows[capi.EventAwaitArgs]("", "")),
		mutant.Before("AH2D-15", "one byte too many is cut off", func(a *transferArgs) {
			if a.Offset == 0 && a.TransferSize == 17 {
				a.TransferSize--
			}
		}),
		mutant.Before("AH2D-15", "a negative offset counts as zero", func(a *transferArgs) { a.Offset = max(a.Offset, 0) }),
		mutant.Before("AH2D-16", "done comes before small transfers", func(a *transferArgs) {
			if a.TransferSize <= 64 {
				a.Data = check.Pointer(check.Retain(make([]byte, a.TransferSize)))
			}
		}),
		mutant.Before("AH2D-16", "done comes before the transfer", func(a *transferArgs) {
			late := check.Retain(make([]byte, a.TransferSize))
			a.Data = check.Pointer(late)
		}),
		mutant.Ignores("AH2D-17", "nothing to do", func(a *transferArgs) bool { return a.TransferSize == 0 }),
		mutant.Swallows[transferArgs]("AH2D-18", "success"),
		mutant.Of("AH2D-22", "all buffers fail", func(c *serve.Invocation, a *errorArgs) {
			c.Forward()
			other := *a
			other.BufferIndex = 1
			mutant.Try(c.Table(), other)
		}),
		mutant.LosesMessage[capi.EventAwaitArgs]("AH2D-22", "the message is lost"),
		mutant.Hooked("AH2D-24", "keeps the pointer", func() []serve.Hook {
			var kept *capi.NamedValue
			return []serve.Hook{
				mutant.Ahead(func(a *metadataArgs) { kept = a.TransferMetadata }),
				serve.Around(func(c *serve.Invocation, _ *transferArgs) {
					mutant.FailIf(c, kept != nil && kept.Name == nil, capi.ErrorCodeInternal, "metadata without a name")
				}),
			}
		}),
		mutant.Refuses("AH2D-26", "null is refused", capi.ErrorCodeInvalidArgument,
			func(a *endArgs) bool { return a.TransferManager == nil }),
		mutant.Nothing[endArgs]("AH2D-27", "never ready"),
		mutant.Arrives("AH2D-28", "freed under the transfer", flip),
		anyReady("AH2D-29", "runs early"),
		nth("AH2D-30", "a lock is missing", 4),
	}, mutant.InMemory(
		mutant.Swallows[sizeArgs]("AH2D-07/negative", "success with garbage"),
		mutant.Swallows[sizeArgs]("AH2D-07/count", "success with garbage"),
		mutant.Swallows[retrieveArgs]("AH2D-10", "success without a buffer"),
		mutant.Swallows[retrieveArgs]("AH2D-11", "success without a buffer"),
		mutant.Swallows[transferArgs]("AH2D-14", "takes what comes after the last transfer, and forgets it").And(
			mutant.Of("", "", func(_ *serve.Invocation, a *capi.EventIsReadyArgs) { a.IsReady = true })),
		mutant.Before("AH2D-10", "negative means the first", func(a *retrieveArgs) { a.BufferIndex = max(a.BufferIndex, 0) }),
		mutant.Before("AH2D-19", "strides are ignored", func(a *literals) {
			if a.ShapeLayout != nil && a.ShapeLayout.Type == capi.BufferMemoryLayoutTypeStrides {
				a.ShapeLayout = nil
			}
		}),
		mutant.ForgivesSome("AH2D-20", "another type of the same size is taken",
			func(a *literals) bool { return a.ShapeElementType == capi.BufferTypeS32 }, nil),
		mutant.Before("AH2D-20", "another shape of the same size is taken", func(a *literals) {
			if d := capi.Slice(a.ShapeDims, a.ShapeNumDims); slices.Equal(d, []int64{3, 2}) {
				a.ShapeDims, a.ShapeNumDims = dims(2, 3)
			}
		}),
		mutant.Before("AH2D-19", "a literal is for the first buffer, whatever the index", func(a *literals) { a.BufferIndex = 0 }),
		mutant.OfEach("AH2D-24", "metadata is taken once", func(c *serve.Invocation, _ *metadataArgs, n int64) {
			mutant.FailIf(c, n > 1, capi.ErrorCodeFailedPrecondition, "there is metadata already")
		}),
		mutant.Before("AH2D-19", "the layout is ignored", func(a *literals) { a.ShapeLayout = nil }),
		mutant.Swallows[literals]("AH2D-20", "success"),
		mutant.Before("AH2D-21", "the last element of an odd number is lost", func(a *literals) {
			if n := check.Elements(capi.Slice(a.ShapeDims, a.ShapeNumDims)...); n%2 == 1 && dtype.Type(a.ShapeElementType).IsSubByte() {
				data := check.Retain(slices.Clone(mutant.BytesAt(a.Data, uintptr(n))))
				data[n-1] = 0
				a.Data = check.Pointer(data)
			}
		}),
		arrivesOf("AH2D-21", "two bits are packed as four", func(c *serve.Invocation, b *capi.Buffer) bool {
			e := mutant.TypeOf(c.Table(), b)
			return e.IsSubByte() && e.Bits() == 2
		}, func(data []byte) {
			for i := range data {
				data[i] = data[i/2] // only half of them are there
			}
		}),
		mutant.OnceFails[errorArgs, capi.EventAwaitArgs]("AH2D-23/late", "the buffer turns into an error", capi.ErrorCodeInternal),
		mutant.OnceFails[errorArgs, capi.EventAwaitArgs]("AH2D-23/twice", "another error", capi.ErrorCodeInternal),
		mutant.Swallows[metadataArgs]("AH2D-25", "success"),
	))
}
