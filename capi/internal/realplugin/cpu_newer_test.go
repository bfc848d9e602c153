// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// newer skips a test of functions that came with a minor version of the API, on plugins that are
// older. That they lack them is tested where missing functions are.
func newer(t *testing.T, minor int) {
	t.Helper()
	if _, has := cpu(t).table.Version(); has < minor {
		t.Skipf("the plugin has API 0.%d; the functions came until API 0.%d", has, minor)
	}
}

func cpuOwnEvents(t *testing.T) {
	newer(t, 106)
	p := cpu(t)
	e := do(t, p, capi.EventCreateArgs{}).Event
	assert.False(t, p.isReady(t, e))
	do(t, p, capi.EventSetArgs{Event: e})
	require.NoError(t, p.wait(t, e))
	e = do(t, p, capi.EventCreateArgs{}).Event
	failure := capi.EventSetArgs{Event: e, ErrorCode: capi.ErrorCodeAborted}
	failure.ErrorMessage, failure.ErrorMessageSize = capi.StringData("called off")
	do(t, p, failure)
	assert.EqualError(t, p.wait(t, e), "PJRT_Event_Await: ABORTED: called off")
}

func cpuPayloads(t *testing.T) {
	newer(t, 106)
	r := newRig(t)
	var c capi.Call[capi.ClientLookupDeviceArgs]
	c.Args = capi.ClientLookupDeviceArgs{StructSize: capi.ClientLookupDeviceArgsSize, Client: r.client, ID: 99}
	h, err := c.Raw(r.table)
	require.NoError(t, err)
	require.NotNil(t, h)
	visitor, user := capi.NewErrorPayloadVisitor(func(key string, _ []byte) { t.Errorf("a payload of a plain error: %s", key) })
	do(t, r.plugin, capi.ErrorForEachPayloadArgs{Error: h, Visitor: visitor, UserArg: uintptr(user)})
	user.Delete()
	do(t, r.plugin, capi.ErrorDestroyArgs{Error: h})
}

func cpuNewerBuffers(t *testing.T) {
	newer(t, 106)
	r := newRig(t)
	failed := capi.ClientCreateErrorBufferArgs{Client: r.client, ErrorCode: capi.ErrorCodeDataLoss, Memory: r.memories[0],
		ShapeElementType: capi.BufferTypeF32, ShapeLayout: rowMajor(1)}
	failed.ErrorMessage, failed.ErrorMessageSize = capi.StringData("the disk is gone")
	failed.ShapeDims, failed.ShapeNumDims = first([]int64{4})
	b := do(t, r.plugin, failed).Buffer
	err := r.wait(t, do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: b}).Event)
	assert.ErrorIs(t, err, capi.ErrorCodeDataLoss)
	assert.ErrorContains(t, err, "the disk is gone")
	r.destroy(t, b)

	b = r.upload(t, 0, []float32{1, -2})
	cast := capi.BufferBitcastArgs{Buffer: b, ElementType: capi.BufferTypeU32, DeviceLayout: rowMajor(2)}
	cast.Dims, cast.NumDims = first([]int64{1, 2})
	words := do(t, r.plugin, cast).OutBuffer
	assert.Equal(t, []uint32{0x3f800000, 0xc0000000}, download[uint32](t, r, words))
	r.destroy(t, b, words)

	b = r.upload(t, 0, []float32{1, 2, 3, 4})
	later := do(t, r.plugin, capi.BufferCopyRawToHostFutureArgs{Buffer: b, Offset: 4, TransferSize: 8})
	assert.False(t, r.isReady(t, later.Event))
	data := make([]float32, 2)
	later.FutureReadyCallback.Call(&capi.BufferCopyRawToHostFutureCallbackArgs{
		StructSize: capi.BufferCopyRawToHostFutureCallbackArgsSize, CallbackData: later.CallbackData, Dst: pointer(data),
	})
	require.NoError(t, r.wait(t, later.Event))
	assert.Equal(t, []float32{2, 3}, data)

	if !byAge(t, ages(false, false, true)) {
		fails(t, r.plugin, capi.BufferDonateWithControlDependencyArgs{Buffer: b}, capi.ErrorCodeUnimplemented, "is not supported")
		r.destroy(t, b)
		return
	}
	donation := do(t, r.plugin, capi.BufferDonateWithControlDependencyArgs{Buffer: b})
	donation.DependencyReadyCallback.Call(&capi.BufferDonateWithControlDependencyCallbackArgs{
		StructSize: capi.BufferDonateWithControlDependencyCallbackArgsSize, CallbackData: donation.CallbackData,
	})
	assert.Equal(t, []float32{1, 2, 3, 4}, download[float32](t, r, donation.OutBuffer))
	r.destroy(t, b, donation.OutBuffer)
}

func cpuLiteral(t *testing.T) {
	newer(t, 106)
	r := newRig(t)
	pending, m := r.pendingBuffer(t, 4)
	literal := capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs{TransferManager: m, Data: pointer([]float32{5, 6, 7, 8}),
		ShapeElementType: capi.BufferTypeF32, ShapeLayout: rowMajor(1)}
	literal.ShapeDims, literal.ShapeNumDims = first([]int64{4})
	require.NoError(t, r.wait(t, do(t, r.plugin, literal).DoneWithH2dTransfer))
	assert.Equal(t, []float32{5, 6, 7, 8}, download[float32](t, r, pending))
	do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: m})
	r.destroy(t, pending)
}

func cpuNewerDevices(t *testing.T) {
	newer(t, 106)
	r := newRig(t)
	d := r.devices[0]
	fails(t, r.plugin, capi.DeviceClearMemoryStatsArgs{Device: d}, capi.ErrorCodeUnimplemented, "ClearMemoryStats is not supported")
	a := do(t, r.plugin, capi.DeviceGetAttributesArgs{Device: d})
	assert.Empty(t, attributes(a.Attributes, a.NumAttributes))
	a.AttributesDeleter.Call(a.DeviceAttributes)
	track := capi.DeviceCreateAsyncTrackingEventArgs{Device: d}
	track.Description, track.DescriptionSize = capi.StringData("upload")
	tracking := do(t, r.plugin, track).Event
	assert.Nil(t, tracking, "the plugin tracks nothing")
	do(t, r.plugin, capi.AsyncTrackingEventDestroyArgs{Event: tracking})
	poison := capi.DevicePoisonExecutionArgs{Device: d, LaunchID: 7, ErrorCode: capi.ErrorCodeAborted}
	poison.ErrorMessage, poison.ErrorMessageSize = capi.StringData("called off")
	assert.False(t, do(t, r.plugin, poison).Poisoned, "no execution has the id")

	topology := do(t, r.plugin, capi.ClientTopologyDescriptionArgs{Client: r.client}).Topology
	assert.NotZero(t, do(t, r.plugin, capi.TopologyDescriptionFingerprintArgs{Topology: topology}).Fingerprint)
	newer(t, 115)
	k := do(t, r.plugin, capi.TopologyDescriptionGetMemorySpaceKindIDsArgs{Topology: topology})
	kinds := capi.Slice(k.MemorySpaceKindIDs, k.NumMemorySpaceKindIDs)
	require.Len(t, kinds, 3)
	assert.Contains(t, kinds, do(t, r.plugin, capi.MemoryKindIDArgs{Memory: r.memories[0]}).KindID)
	shape := capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs{
		Topology: topology, MemorySpaceKindID: kinds[0], ElementType: capi.BufferTypeF32,
	}
	shape.Dims, shape.NumDims = first([]int64{8, 128})
	made := do(t, r.plugin, shape)
	// A ShapeProto: element type F32, dimensions 8 and 128.
	assert.Contains(t, raw(made.SerializedShape, made.SerializedShapeSize), "\x10\x0b\x1a\x03\x08\x80\x01")
	made.SerializedShapeDeleter.Call(made.SerializedShape)
}

func cpuNewerExecutables(t *testing.T) {
	newer(t, 106)
	r := newRig(t)
	exe := r.compile(t, addProgram, oneDevice)
	e := r.executable(t, exe)
	ids := do(t, r.plugin, capi.LoadedExecutableAddressableDeviceLogicalIDsArgs{Executable: exe})
	assert.Equal(t, []capi.LogicalDeviceIDs{{}}, capi.Slice(ids.AddressableDeviceLogicalIDs, ids.NumAddressableDeviceLogicalIDs))
	if byAge(t, ages(false, false, true)) {
		in := do(t, r.plugin, capi.ExecutableParameterMemoryKindsArgs{Executable: e})
		assert.Equal(t, []string{"device", "device"}, texts(in.MemoryKinds, in.MemoryKindSizes, in.NumParameters))
	} else {
		fails(t, r.plugin, capi.ExecutableParameterMemoryKindsArgs{Executable: e}, capi.ErrorCodeUnimplemented, "GetParameterMemoryKinds is not supported")
	}
	o := do(t, r.plugin, capi.ExecutableGetCompileOptionsArgs{Executable: e})
	assert.Greater(t, int(o.SerializedBytesSize), len(oneDevice))
	o.SerializedCompileOptionsDeleter.Call(o.SerializedCompileOptions)

	// A loaded executable gives away what is loaded, so it cannot be loaded again.
	load := capi.ClientLoadArgs{Client: r.client, Executable: e}
	load.CompileOptions, load.CompileOptionsSize = capi.BytesData(oneDevice)
	fails(t, r.plugin, load, capi.ErrorCodeInvalidArgument, "")
}
