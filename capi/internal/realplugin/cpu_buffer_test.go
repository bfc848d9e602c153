// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func cpuBuffer(t *testing.T) {
	r := newRig(t)
	data := []int16{1, -2, 3, -4, 5, -6}
	out := do(t, r.plugin, hostBuffer(r, capi.BufferTypeS16, data, 2, 3))
	assert.True(t, r.isReady(t, out.DoneWithHostBuffer), "the data was copied during the call")
	require.NoError(t, r.wait(t, out.DoneWithHostBuffer))
	b := out.Buffer
	assert.Equal(t, capi.BufferTypeS16, do(t, r.plugin, capi.BufferElementTypeArgs{Buffer: b}).Type)
	dims := do(t, r.plugin, capi.BufferDimensionsArgs{Buffer: b})
	assert.Equal(t, []int64{2, 3}, capi.Slice(dims.Dims, dims.NumDims))
	unpadded := do(t, r.plugin, capi.BufferUnpaddedDimensionsArgs{Buffer: b})
	assert.Equal(t, []int64{2, 3}, capi.Slice(unpadded.UnpaddedDims, unpadded.NumDims))
	assert.Zero(t, do(t, r.plugin, capi.BufferDynamicDimensionIndicesArgs{Buffer: b}).NumDynamicDims)
	assert.EqualValues(t, 12, do(t, r.plugin, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b}).OnDeviceSizeInBytes)
	fails(t, r.plugin, capi.BufferDecreaseExternalReferenceCountArgs{Buffer: b}, capi.ErrorCodeInvalidArgument, "")
	do(t, r.plugin, capi.BufferIncreaseExternalReferenceCountArgs{Buffer: b})
	do(t, r.plugin, capi.BufferDecreaseExternalReferenceCountArgs{Buffer: b})
	fails(t, r.plugin, capi.BufferDecreaseExternalReferenceCountArgs{Buffer: b}, capi.ErrorCodeInvalidArgument, "")
	assert.Same(t, r.devices[0], do(t, r.plugin, capi.BufferDeviceArgs{Buffer: b}).Device)
	memory := do(t, r.plugin, capi.BufferMemoryArgs{Buffer: b}).Memory
	assert.Same(t, do(t, r.plugin, capi.DeviceDefaultMemoryArgs{Device: r.devices[0]}).Memory, memory)
	assert.True(t, do(t, r.plugin, capi.BufferIsOnCPUArgs{Buffer: b}).IsOnCPU)
	require.NoError(t, r.wait(t, do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: b}).Event))
	assert.Equal(t, data, download[int16](t, r, b))

	where := do(t, r.plugin, capi.BufferUnsafePointerArgs{Buffer: b}).BufferPointer
	assert.Equal(t, data, at[int16](where, 6))
	assert.Equal(t, where, do(t, r.plugin, capi.BufferOpaqueDeviceMemoryDataPointerArgs{Buffer: b}).DeviceMemoryPtr)

	part := make([]int16, 2)
	e := do(t, r.plugin, capi.BufferCopyRawToHostArgs{Buffer: b, Dst: pointer(part), Offset: 4, TransferSize: 4}).Event
	require.NoError(t, r.wait(t, e))
	assert.Equal(t, []int16{3, -4}, part)
	e = do(t, r.plugin, capi.BufferCopyRawToHostArgs{Buffer: b, Dst: pointer(part), Offset: 10, TransferSize: 4}).Event
	assert.Error(t, r.wait(t, e), "beyond the end")

	fails(t, r.plugin, capi.BufferToHostBufferArgs{Src: b, Dst: pointer(part), DstSize: 4}, capi.ErrorCodeInvalidArgument, "`dst_size` must be >= 12, got 4.")
	assert.False(t, do(t, r.plugin, capi.BufferIsDeletedArgs{Buffer: b}).IsDeleted)
	do(t, r.plugin, capi.BufferDeleteArgs{Buffer: b})
	assert.True(t, do(t, r.plugin, capi.BufferIsDeletedArgs{Buffer: b}).IsDeleted)
	e = do(t, r.plugin, capi.BufferToHostBufferArgs{Src: b, Dst: pointer(data), DstSize: 12}).Event
	err := r.wait(t, e)
	assert.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
	assert.ErrorContains(t, err, "deleted or donated buffer")
	r.destroy(t, b)
	do(t, r.plugin, capi.BufferDestroyArgs{}) // null is allowed
}

func cpuBufferCopies(t *testing.T) {
	r := newRig(t)
	a := r.upload(t, 0, []float32{1, 2, 3, 4})
	defer r.destroy(t, a)
	b := do(t, r.plugin, capi.BufferCopyToDeviceArgs{Buffer: a, DstDevice: r.devices[3]}).DstBuffer
	assert.Same(t, r.devices[3], do(t, r.plugin, capi.BufferDeviceArgs{Buffer: b}).Device)
	assert.Equal(t, []float32{1, 2, 3, 4}, download[float32](t, r, b))
	r.destroy(t, b)
	for _, m := range r.memories {
		b := do(t, r.plugin, capi.BufferCopyToMemoryArgs{Buffer: a, DstMemory: m}).DstBuffer
		assert.Same(t, m, do(t, r.plugin, capi.BufferMemoryArgs{Buffer: b}).Memory)
		assert.Equal(t, []float32{1, 2, 3, 4}, download[float32](t, r, b))
		r.destroy(t, b)
	}
}

func cpuLayouts(t *testing.T) {
	r := newRig(t)
	layout := &capi.BufferMemoryLayout{StructSize: capi.BufferMemoryLayoutSize, Type: capi.BufferMemoryLayoutTypeTiled}
	order := []int64{0, 1}
	tiled := layout.Tiled()
	tiled.StructSize = capi.BufferMemoryLayoutTiledSize
	tiled.MinorToMajor, tiled.MinorToMajorSize = first(order)
	args := hostBuffer(r, capi.BufferTypeF32, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	for name, c := range map[string]struct {
		layout *capi.BufferMemoryLayout
		want   []int64
	}{"default": {nil, []int64{1, 0}}, "column major": {layout, []int64{0, 1}}} {
		t.Run(name, func(t *testing.T) {
			args.DeviceLayout = c.layout
			out := do(t, r.plugin, args)
			require.NoError(t, r.wait(t, out.DoneWithHostBuffer))
			got := &do(t, r.plugin, capi.BufferGetMemoryLayoutArgs{Buffer: out.Buffer}).Layout
			assert.Equal(t, capi.BufferMemoryLayoutTypeTiled, got.Type)
			assert.Zero(t, got.Tiled().NumTiles)
			assert.Equal(t, c.want, capi.Slice(got.Tiled().MinorToMajor, got.Tiled().MinorToMajorSize))
			// Without a layout for the host, newer plugins copy the elements as they lie on the
			// device.
			elements := []float32{1, 2, 3, 4, 5, 6}
			if name == "column major" {
				elements = byAge(t, ages(elements, elements, []float32{1, 4, 2, 5, 3, 6}))
			}
			assert.Equal(t, elements, download[float32](t, r, out.Buffer))
			r.destroy(t, out.Buffer)
		})
	}
	strides := &capi.BufferMemoryLayout{StructSize: capi.BufferMemoryLayoutSize, Type: capi.BufferMemoryLayoutTypeStrides}
	strides.Strides().StructSize = capi.BufferMemoryLayoutStridesSize
	strides.Strides().ByteStrides, strides.Strides().NumByteStrides = first([]int64{12, 4})
	args.DeviceLayout = strides
	_, err := try(r.plugin, args)
	assert.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
}

func cpuStrides(t *testing.T) {
	r := newRig(t)
	data := []float32{1, 2, 3, 4, 5, 6}
	for name, c := range map[string]struct {
		start   int
		strides []int64
		want    []float32
	}{
		"transposed": {0, []int64{4, 8}, []float32{1, 3, 5, 2, 4, 6}},
		"repeated":   {1, []int64{0, 4}, []float32{2, 3, 4, 2, 3, 4}},
		"backwards":  {5, []int64{-12, -4}, []float32{6, 5, 4, 3, 2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			args := hostBuffer(r, capi.BufferTypeF32, data[c.start:], 2, 3)
			args.ByteStrides, args.NumByteStrides = first(c.strides)
			out := do(t, r.plugin, args)
			require.NoError(t, r.wait(t, out.DoneWithHostBuffer))
			assert.Equal(t, c.want, download[float32](t, r, out.Buffer))
			r.destroy(t, out.Buffer)
		})
	}
}

func cpuBadShapes(t *testing.T) {
	r := newRig(t)
	data := []float32{1}
	for _, dims := range [][]int64{{-1}, {1 << 62, 1 << 62}} {
		_, err := try(r.plugin, hostBuffer(r, capi.BufferTypeF32, data, dims...))
		assert.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, "%v", dims)
	}
	empty := do(t, r.plugin, hostBuffer(r, capi.BufferTypeF32, []float32(nil), 0, 3))
	require.NoError(t, r.wait(t, empty.DoneWithHostBuffer))
	assert.Empty(t, download[float32](t, r, empty.Buffer))
	r.destroy(t, empty.Buffer)
}

// What the plugin does with host memory depends on the semantics, and on whether the memory is
// aligned well enough to be used without copying.
func cpuHostBufferSemantics(t *testing.T) {
	r := newRig(t)
	for semantics, aliases := range map[capi.HostBufferSemantics]bool{
		capi.HostBufferSemanticsImmutableOnlyDuringCall:         false,
		capi.HostBufferSemanticsImmutableUntilTransferCompletes: false,
		capi.HostBufferSemanticsImmutableZeroCopy:               true,
		capi.HostBufferSemanticsMutableZeroCopy:                 true,
	} {
		for _, offset := range []int{0, 1} {
			aliases := aliases && offset == 0
			t.Run(fmt.Sprintf("%v from %d bytes off alignment", semantics, 4*offset), func(t *testing.T) {
				data := alignedTo[float32](64, 4, offset)
				copy(data, []float32{1, 2, 3, 4})
				args := hostBuffer(r, capi.BufferTypeF32, data, 4)
				args.HostBufferSemantics = semantics
				out := do(t, r.plugin, args)
				if !aliases {
					require.NoError(t, r.wait(t, out.DoneWithHostBuffer))
					data[0] = 100
					assert.Equal(t, []float32{1, 2, 3, 4}, download[float32](t, r, out.Buffer), "a copy")
					r.destroy(t, out.Buffer)
					return
				}
				assert.False(t, r.isReady(t, out.DoneWithHostBuffer), "the plugin uses the memory")
				assert.Equal(t, address(data), do(t, r.plugin, capi.BufferUnsafePointerArgs{Buffer: out.Buffer}).BufferPointer)
				data[0] = 100
				assert.Equal(t, []float32{100, 2, 3, 4}, download[float32](t, r, out.Buffer), "the buffer is the memory itself")
				r.destroy(t, out.Buffer)
				require.NoError(t, r.wait(t, out.DoneWithHostBuffer), "the event becomes ready when the buffer is gone")
			})
		}
	}
}

// Donating a buffer in host memory writes the result to that memory, if the host allowed it.
func cpuZeroCopyDonation(t *testing.T) {
	r := newRig(t)
	exe := r.compile(t, donateProgram, oneDevice)
	for semantics, want := range map[capi.HostBufferSemantics][]float32{
		capi.HostBufferSemanticsImmutableZeroCopy: {1, 2, 3, 4},
		capi.HostBufferSemanticsMutableZeroCopy:   {2, 4, 6, 8},
	} {
		t.Run(semantics.String(), func(t *testing.T) {
			data := alignedTo[float32](64, 4, 0)
			copy(data, []float32{1, 2, 3, 4})
			args := hostBuffer(r, capi.BufferTypeF32, data, 4)
			args.HostBufferSemantics = semantics
			in := do(t, r.plugin, args)
			out := newExecution(exe, 1, []*capi.Buffer{in.Buffer}).run(t, r)[0][0]
			assert.Equal(t, []float32{2, 4, 6, 8}, download[float32](t, r, out))
			assert.Equal(t, want, data)
			r.destroy(t, in.Buffer)
			if semantics == capi.HostBufferSemanticsMutableZeroCopy {
				assert.False(t, r.isReady(t, in.DoneWithHostBuffer), "the output uses the memory")
			}
			r.destroy(t, out)
			require.NoError(t, r.wait(t, in.DoneWithHostBuffer))
		})
	}
}

func cpuViews(t *testing.T) {
	r := newRig(t)
	data := alignedTo[float32](64, 4, 0)
	copy(data, []float32{1, 2, 3, 4})
	deleted := make(chan struct{})
	callback, h := capi.NewOnDeleteCallback(func() { close(deleted) })
	args := capi.ClientCreateViewOfDeviceBufferArgs{
		Client: r.client, Device: r.devices[0], DeviceBufferPtr: address(data), ElementType: capi.BufferTypeF32,
		OnDeleteCallback: callback, OnDeleteCallbackArg: uintptr(h),
	}
	args.Dims, args.NumDims = first([]int64{2, 2})
	view := do(t, r.plugin, args).Buffer
	data[3] = 40
	assert.Equal(t, []float32{1, 2, 3, 40}, download[float32](t, r, view))
	assert.Equal(t, address(data), do(t, r.plugin, capi.BufferUnsafePointerArgs{Buffer: view}).BufferPointer)
	select {
	case <-deleted:
		t.Error("the callback ran while the view was in use")
	default:
	}
	r.destroy(t, view)
	<-deleted // it may run after the call returned

	callback, h = capi.NewOnDeleteCallback(func() {})
	args.OnDeleteCallback, args.OnDeleteCallbackArg = callback, uintptr(h)
	args.DeviceBufferPtr += 4
	_, err := try(r.plugin, args)
	assert.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, "not aligned")
	h.Delete()
}

func cpuUninitializedBuffer(t *testing.T) {
	r := newRig(t)
	args := capi.ClientCreateUninitializedBufferArgs{Client: r.client, Device: r.devices[1], ShapeElementType: capi.BufferTypeF64}
	args.ShapeDims, args.ShapeNumDims = first([]int64{3})
	b := do(t, r.plugin, args).Buffer
	assert.Equal(t, capi.BufferTypeF64, do(t, r.plugin, capi.BufferElementTypeArgs{Buffer: b}).Type)
	assert.Same(t, r.devices[1], do(t, r.plugin, capi.BufferDeviceArgs{Buffer: b}).Device)
	where := do(t, r.plugin, capi.BufferUnsafePointerArgs{Buffer: b}).BufferPointer
	poke(where, [3]float64{1, 2, 3})
	assert.Equal(t, []float64{1, 2, 3}, download[float64](t, r, b))
	r.destroy(t, b)
}

func cpuAliasBuffer(t *testing.T) {
	r := newRig(t)
	// XLA's client always sends a layout, and newer plugins need one.
	args := capi.ClientCreateAliasBufferArgs{
		Client: r.client, Memory: r.memories[0], ShapeElementType: capi.BufferTypeF32, ShapeLayout: rowMajor(1),
	}
	args.ShapeDims, args.ShapeNumDims = first([]int64{4})
	alias := do(t, r.plugin, args)
	require.NotNil(t, alias.FulfillAliasBufferCb)
	e := do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: alias.AliasBuffer}).Event
	assert.False(t, r.isReady(t, e))
	b := r.upload(t, 0, []float32{1, 2, 3, 4})
	do(t, r.plugin, capi.ClientFulfillAliasBufferArgs{Client: r.client, Buffer: b, FulfillAliasBufferCb: alias.FulfillAliasBufferCb})
	require.NoError(t, r.wait(t, e))
	assert.Equal(t, []float32{1, 2, 3, 4}, download[float32](t, r, alias.AliasBuffer))
	r.destroy(t, b, alias.AliasBuffer)

	alias = do(t, r.plugin, args)
	e = do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: alias.AliasBuffer}).Event
	failed := capi.ClientFulfillAliasBufferArgs{Client: r.client, StatusCode: capi.ErrorCodeDataLoss,
		FulfillAliasBufferCb: alias.FulfillAliasBufferCb}
	failed.ErrorMessage, failed.ErrorMessageSize = capi.StringData("the source is gone")
	// This plugin also returns the failure to the caller.
	fails(t, r.plugin, failed, capi.ErrorCodeDataLoss, "the source is gone")
	err := r.wait(t, e)
	assert.ErrorIs(t, err, capi.ErrorCodeDataLoss)
	assert.ErrorContains(t, err, "the source is gone")
	r.destroy(t, alias.AliasBuffer)
}

func cpuAsyncTransfers(t *testing.T) {
	r := newRig(t)
	specs := []capi.ShapeSpec{
		{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeF32},
		{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeS8},
	}
	specs[0].Dims, specs[0].NumDims = first([]int64{2, 2})
	specs[1].Dims, specs[1].NumDims = first([]int64{3})
	args := capi.ClientCreateBuffersForAsyncHostToDeviceArgs{Client: r.client, Memory: r.memories[0]}
	args.ShapeSpecs, args.NumShapeSpecs = first(specs)
	m := do(t, r.plugin, args).TransferManager
	assert.Same(t, r.devices[0], do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerDeviceArgs{TransferManager: m}).DeviceOut)
	assert.EqualValues(t, 2, do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerBufferCountArgs{TransferManager: m}).BufferCount)
	for i, want := range []int{16, 3} {
		assert.EqualValues(t, want, do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerBufferSizeArgs{TransferManager: m,
			BufferIndex: int32(i)}).BufferSize)
	}
	metadata, err := capi.NewNamedValues([]capi.Attribute{{Name: "origin", Value: "test"}, {Name: "unit", Value: "bytes"}})
	require.NoError(t, err)
	add := capi.AsyncHostToDeviceTransferManagerAddMetadataArgs{TransferManager: m}
	add.TransferMetadata, add.NumMetadata = metadata.Data()
	do(t, r.plugin, add)

	before := do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: m}).BufferOut
	ready := do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: before}).Event
	data := []float32{1, 2, 3, 4}
	for i := range 2 { // in two halves
		assert.False(t, r.isReady(t, ready))
		e := do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerTransferDataArgs{
			TransferManager: m, Data: pointer(data[2*i:]), Offset: int64(8 * i), TransferSize: 8, IsLastTransfer: i == 1,
		}).DoneWithH2dTransfer
		require.NoError(t, r.wait(t, e))
	}
	require.NoError(t, r.wait(t, ready))
	assert.Equal(t, data, download[float32](t, r, before))

	broken := do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: m, BufferIndex: 1}).BufferOut
	failure := capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs{TransferManager: m, BufferIndex: 1,
		ErrorCode: capi.ErrorCodeOutOfRange}
	failure.ErrorMessage, failure.ErrorMessageSize = capi.StringData("no more data")
	do(t, r.plugin, failure)
	err = r.wait(t, do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: broken}).Event)
	assert.ErrorIs(t, err, capi.ErrorCodeOutOfRange)
	assert.ErrorContains(t, err, "no more data")
	do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: m})
	r.destroy(t, before, broken)
}

// Upload and download arrays of every element type that the plugin knows.
func cpuElementTypes(t *testing.T) {
	r := newRig(t)
	size := map[capi.BufferType]int{
		capi.BufferTypeS16: 2, capi.BufferTypeU16: 2, capi.BufferTypeF16: 2, capi.BufferTypeBF16: 2,
		capi.BufferTypeS32: 4, capi.BufferTypeU32: 4, capi.BufferTypeF32: 4,
		capi.BufferTypeS64: 8, capi.BufferTypeU64: 8, capi.BufferTypeF64: 8, capi.BufferTypeC64: 8, capi.BufferTypeC128: 16,
	}
	for typ := capi.BufferTypePred; typ <= capi.BufferTypeF4E2M1FN; typ++ {
		if typ == capi.BufferTypeToken {
			continue
		}
		n := max(size[typ], 1)
		data := make([]byte, 8*n)
		for i := range data {
			data[i] = byte(i/n) & 1
		}
		out := do(t, r.plugin, hostBuffer(r, typ, data, 8))
		require.NoError(t, r.wait(t, out.DoneWithHostBuffer))
		assert.Equal(t, typ, do(t, r.plugin, capi.BufferElementTypeArgs{Buffer: out.Buffer}).Type)
		assert.Equal(t, data, download[byte](t, r, out.Buffer), "%v", typ)
		r.destroy(t, out.Buffer)
	}
}
