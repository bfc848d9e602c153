// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// The calls here work on objects that are made for them.

// transferManager makes a transfer manager for a buffer of four f32. The check owns it.
func transferManager(t tt, s ss) (*capi.AsyncHostToDeviceTransferManager, error) {
	memory, err := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: s.device()})
	if err != nil {
		return nil, err
	}
	spec := &capi.ShapeSpec{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeF32}
	spec.Dims, spec.NumDims = check.First([]int64{4})
	out, err := check.Try(t, capi.ClientCreateBuffersForAsyncHostToDeviceArgs{
		Client: s.c(), Memory: memory.Memory, ShapeSpecs: spec, NumShapeSpecs: 1,
	})
	runtime.KeepAlive(spec)
	return check.Own(t, out.TransferManager), err
}

// transfers reports whether the plugin makes transfer managers.
func transfers(t tt, s ss) bool {
	_, err := transferManager(t, s)
	return err == nil
}

// manager returns a transfer manager; transfers must have reported that one can be
// made.
func manager(t tt, s ss) *capi.AsyncHostToDeviceTransferManager {
	m, err := transferManager(t, s)
	if err != nil {
		t.Fatalf("PJRT_Client_CreateBuffersForAsyncHostToDevice: success, and then %v", err)
	}
	return m
}

var transferCalls = []call{
	ofManager(func(t tt, _ ss, out capi.AsyncHostToDeviceTransferManagerDestroyArgs) {
		check.Disown(t, out.TransferManager)
	}),
	given(transfers, of(func(t tt, s ss) capi.AsyncHostToDeviceTransferManagerTransferDataArgs {
		return capi.AsyncHostToDeviceTransferManagerTransferDataArgs{
			TransferManager: manager(t, s), Data: check.Pointer([]float32{1, 2, 3, 4}), TransferSize: 16, IsLastTransfer: true,
		}
	}, func(t tt, _ ss, out capi.AsyncHostToDeviceTransferManagerTransferDataArgs) {
		wait(t, out.DoneWithH2dTransfer)
	})),
	ofManager(func(t tt, _ ss, out capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs) {
		check.Own(t, out.BufferOut)
	}),
	ofManager[capi.AsyncHostToDeviceTransferManagerDeviceArgs](nil),
	ofManager[capi.AsyncHostToDeviceTransferManagerBufferCountArgs](nil),
	ofManager[capi.AsyncHostToDeviceTransferManagerBufferSizeArgs](nil),
	given(transfers, of(func(t tt, s ss) (a capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs) {
		a.TransferManager, a.ErrorCode = manager(t, s), capi.ErrorCodeAborted
		a.ErrorMessage, a.ErrorMessageSize = capi.StringData("an error on purpose")
		return
	}, nil)),
	ofManager[capi.AsyncHostToDeviceTransferManagerAddMetadataArgs](nil),
}

// alias makes a buffer that stands for a later one.
func alias(t tt, s ss) (capi.ClientCreateAliasBufferArgs, error) {
	memory, err := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: s.device()})
	if err != nil {
		return capi.ClientCreateAliasBufferArgs{}, err
	}
	args := capi.ClientCreateAliasBufferArgs{Client: s.c(), Memory: memory.Memory, ShapeElementType: capi.BufferTypeF32,
		ShapeLayout: check.RowMajor(1)}
	args.ShapeDims, args.ShapeNumDims = check.First([]int64{4})
	return args, nil
}

// end lets an alias fail, so that nothing waits for it.
func end(t tt, out capi.ClientCreateAliasBufferArgs) {
	check.Own(t, out.AliasBuffer)
	args := capi.ClientFulfillAliasBufferArgs{Client: out.Client, StatusCode: capi.ErrorCodeAborted,
		FulfillAliasBufferCb: out.FulfillAliasBufferCb}
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData("no buffer, on purpose")
	_, _ = check.Try(t, args) // some plugins return the error that they were given
}

// dmaPage is host memory that calls map for a device.
var dmaPage = make([]byte, 1<<16)

// maps reports whether host memory can be mapped.
func maps(t tt, s ss) bool {
	_, err := check.Try(t, capi.ClientDMAMapArgs{Client: s.c(), Data: check.Pointer(dmaPage), Size: uintptr(len(dmaPage))})
	if err == nil {
		check.Call(t, capi.ClientDMAUnmapArgs{Client: s.c(), Data: check.Pointer(dmaPage)})
	}
	return err == nil
}

// anError returns an error that lives as long as the check.
func anError(t tt) *capi.ErrorHandle {
	h := failure(t)
	t.Cleanup(func() { destroyError(t, h) })
	return h
}

// restores reports whether the plugin reads the topologies that it writes.
func restores(t tt, s ss) bool {
	out, err := check.Try(t, serializedTopology(t, s))
	check.Own(t, out.Topology)
	return err == nil
}

func serializedTopology(t tt, s ss) (a capi.TopologyDescriptionDeserializeArgs) {
	out, err := check.Try(t, capi.TopologyDescriptionSerializeArgs{Topology: s.topo(t)})
	if err != nil {
		return a
	}
	defer out.SerializedTopologyDeleter.Call(out.SerializedTopology)
	a.SerializedTopology, a.SerializedTopologySize = capi.BytesData(capi.Bytes(out.SerializedBytes, out.SerializedBytesSize))
	return a
}

var madeCalls = map[string][]call{
	"topology": {
		of(func(tt, ss) (a capi.TopologyDescriptionDestroyArgs) { return }, nil),
		given(restores, of(serializedTopology, func(t tt, _ ss, out capi.TopologyDescriptionDeserializeArgs) { check.Own(t, out.Topology) })),
	},
	"client": {
		given(maps, of(func(_ tt, s ss) capi.ClientDMAMapArgs {
			return capi.ClientDMAMapArgs{Client: s.c(), Data: check.Pointer(dmaPage), Size: uintptr(len(dmaPage))}
		}, func(t tt, s ss, _ capi.ClientDMAMapArgs) {
			check.Call(t, capi.ClientDMAUnmapArgs{Client: s.c(), Data: check.Pointer(dmaPage)})
		})),
		given(hasMemories, of(func(t tt, s ss) capi.ClientCreateAliasBufferArgs {
			args, err := alias(t, s)
			if err != nil {
				t.Fatalf("PJRT_Device_DefaultMemory: success, and then %v", err)
			}
			return args
		}, func(t tt, _ ss, out capi.ClientCreateAliasBufferArgs) { end(t, out) })),
	},
	"event": {
		of(func(t tt, _ ss) capi.ErrorMessageArgs { return capi.ErrorMessageArgs{Error: anError(t)} },
			func(t tt, _ ss, out capi.ErrorMessageArgs) {
				if out.Message == nil { // it may be empty
					t.Errorf("PJRT_Error_Message: expected a message, got %d bytes at %v", out.MessageSize, out.Message)
				}
			}),
		of(func(t tt, _ ss) capi.ErrorGetCodeArgs { return capi.ErrorGetCodeArgs{Error: anError(t)} }, nil),
		of(func(t tt, _ ss) capi.ErrorForEachPayloadArgs {
			visitor, handle := capi.NewErrorPayloadVisitor(func(string, []byte) {})
			t.Cleanup(handle.Delete)
			return capi.ErrorForEachPayloadArgs{Error: anError(t), Visitor: visitor, UserArg: uintptr(handle)}
		}, nil),
	},
	"device": {
		of(func(t tt, s ss) (a capi.DeviceCreateAsyncTrackingEventArgs) {
			a.Device = s.device()
			a.Description, a.DescriptionSize = capi.StringData("conformance suite")
			return
		}, func(t tt, _ ss, out capi.DeviceCreateAsyncTrackingEventArgs) {
			check.Call(t, capi.AsyncTrackingEventDestroyArgs{Event: out.Event})
		}),
		of(func(tt, ss) (a capi.AsyncTrackingEventDestroyArgs) { return }, nil),
	},
	"buffer": {
		of(func(t tt, s ss) capi.BufferCopyToDeviceArgs {
			devices := s.client.Devices
			return capi.BufferCopyToDeviceArgs{Buffer: s.buf(t), DstDevice: devices[len(devices)-1]}
		}, func(t tt, _ ss, out capi.BufferCopyToDeviceArgs) { check.Own(t, out.DstBuffer) }),
		of(func(t tt, s ss) (a capi.BufferBitcastArgs) {
			a.Buffer, a.ElementType = s.upload(t), capi.BufferTypeS32 // it takes the buffer's place
			a.Dims, a.NumDims = check.First([]int64{4})
			return
		}, func(t tt, _ ss, out capi.BufferBitcastArgs) { check.Own(t, out.OutBuffer) }),
	},
	"executable": {
		ofLoaded(func(_ tt, _ ss, out capi.LoadedExecutableGetDeviceAssignmentArgs) {
			out.SerializedDeviceAssignmentDeleter.Call(out.SerializedDeviceAssignment)
		}),
		ofLoaded[capi.LoadedExecutableAddressableDeviceLogicalIDsArgs](nil),
		ofProgram[capi.ExecutableParameterMemoryKindsArgs](nil),
	},
	"transfer": transferCalls,
}
