// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// These tests cover functions with callbacks, or with memory that points to more memory, that no
// plugin can be made to call here.

// freed counts the calls of the stand-in's deleters, by address.
var freed = make(map[uintptr]int)

var freeEntry = purego.NewCallback(func(p uintptr) { freed[p]++ })

// object is something that a deleter frees.
type object struct{ data []byte }

var stored = &object{[]byte("serialized")}

func TestDeletersOfThePluginGetTheirObject(t *testing.T) {
	clear(freed)
	s := newStandIn(t)
	provide[capi.ExecutableGetCompileOptionsArgs](t, s, getCompileOptions())
	provide[capi.DeviceGetAttributesArgs](t, s, getAttributes())
	provide[capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs](t, s, makeShape())

	o := do(t, s.plugin, capi.ExecutableGetCompileOptionsArgs{})
	assert.Equal(t, "serialized", raw(o.SerializedBytes, o.SerializedBytesSize))
	o.SerializedCompileOptionsDeleter.Call(o.SerializedCompileOptions)
	assert.Equal(t, map[uintptr]int{handleWord(o.SerializedCompileOptions): 1}, freed)

	clear(freed)
	a := do(t, s.plugin, capi.DeviceGetAttributesArgs{})
	assert.Equal(t, map[string]any{"cores": int64(2), "coords": []int64{1, 2, 3}, "name": "x"}, attributes(a.Attributes, a.NumAttributes))
	a.AttributesDeleter.Call(a.DeviceAttributes)
	assert.Equal(t, map[uintptr]int{handleWord(a.DeviceAttributes): 1}, freed)

	clear(freed)
	args := capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs{MemorySpaceKindID: 9, ElementType: capi.BufferTypeF32}
	args.Dims, args.NumDims = first([]int64{6, 7})
	m := do(t, s.plugin, args)
	assert.Equal(t, "\x09\x0b\x06\x07", raw(m.SerializedShape, m.SerializedShapeSize))
	m.SerializedShapeDeleter.Call(m.SerializedShape)
	assert.Equal(t, map[uintptr]int{handleWord(m.SerializedShape): 1}, freed)
}

var getCompileOptions = entryOf(func(a *capi.ExecutableGetCompileOptionsArgs) uintptr {
	a.SerializedBytes, a.SerializedBytesSize = first(stored.data)
	a.SerializedCompileOptions = handleOf[capi.SerializedCompileOptions](stored)
	a.SerializedCompileOptionsDeleter = capi.ExecutableGetCompileOptionsArgsSerializedCompileOptionsDeleter(freeEntry)
	return 0
})

var storedAttributes = func() *capi.NamedValues {
	v, err := capi.NewNamedValues([]capi.Attribute{
		{Name: "cores", Value: 2}, {Name: "coords", Value: []int64{1, 2, 3}}, {Name: "name", Value: "x"},
	})
	if err != nil {
		panic(err)
	}
	return v
}()

var getAttributes = entryOf(func(a *capi.DeviceGetAttributesArgs) uintptr {
	a.Attributes, a.NumAttributes = storedAttributes.Data()
	a.DeviceAttributes = handleOf[capi.DeviceAttributes](stored)
	a.AttributesDeleter = capi.DeviceGetAttributesArgsAttributesDeleter(freeEntry)
	return 0
})

// storedShape is the result of makeShape, which C would keep.
var storedShape []byte

var makeShape = entryOf(func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) uintptr {
	storedShape = []byte{byte(a.MemorySpaceKindID), byte(a.ElementType)}
	for _, d := range capi.Slice(a.Dims, a.NumDims) {
		storedShape = append(storedShape, byte(d))
	}
	a.SerializedShape, a.SerializedShapeSize = first(storedShape)
	a.SerializedShapeDeleter = capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgsSerializedShapeDeleter(freeEntry)
	return 0
})

// answered has the arguments of the plugin's own callbacks.
var answered struct {
	raw      capi.BufferCopyRawToHostFutureCallbackArgs
	donation capi.BufferDonateWithControlDependencyCallbackArgs
}

var (
	rawAnswer      = purego.NewCallback(func(a *capi.BufferCopyRawToHostFutureCallbackArgs) { answered.raw = *a })
	donationAnswer = purego.NewCallback(func(a *capi.BufferDonateWithControlDependencyCallbackArgs) { answered.donation = *a })
)

var copyRawFuture = entryOf(func(a *capi.BufferCopyRawToHostFutureArgs) uintptr {
	a.CallbackData = uintptr(a.Offset) // a small number, as C is free to use
	a.FutureReadyCallback = capi.BufferCopyRawToHostFutureArgsFutureReadyCallback(rawAnswer)
	return 0
})

var donateWithDependency = entryOf(func(a *capi.BufferDonateWithControlDependencyArgs) uintptr {
	a.CallbackData = 11
	a.DependencyReadyCallback = capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback(donationAnswer)
	return 0
})

func TestCallbacksOfThePluginGetTheirAnswer(t *testing.T) {
	s := newStandIn(t)
	provide[capi.BufferCopyRawToHostFutureArgs](t, s, copyRawFuture())
	provide[capi.BufferDonateWithControlDependencyArgs](t, s, donateWithDependency())

	future := do(t, s.plugin, capi.BufferCopyRawToHostFutureArgs{Offset: 7, TransferSize: 8})
	dst := make([]byte, 8)
	future.FutureReadyCallback.Call(&capi.BufferCopyRawToHostFutureCallbackArgs{
		StructSize: capi.BufferCopyRawToHostFutureCallbackArgsSize, CallbackData: future.CallbackData, Dst: pointer(dst),
	})
	assert.EqualValues(t, 7, answered.raw.CallbackData)
	assert.Equal(t, pointer(dst), answered.raw.Dst)

	donation := do(t, s.plugin, capi.BufferDonateWithControlDependencyArgs{})
	answer := capi.BufferDonateWithControlDependencyCallbackArgs{CallbackData: donation.CallbackData, ErrorCode: capi.ErrorCodeAborted}
	answer.ErrorMessage, answer.ErrorMessageSize = capi.StringData("no")
	donation.DependencyReadyCallback.Call(&answer)
	assert.Equal(t, answer, answered.donation)
}

var parameterKinds = entryOf(func(a *capi.ExecutableParameterMemoryKindsArgs) uintptr {
	a.NumParameters = 2
	a.MemoryKinds, a.MemoryKindSizes = &storedKinds.text[0], &storedKinds.size[0]
	return 0
})

var storedKinds = func() (k struct {
	text [2]*byte
	size [2]uintptr
}) {
	k.text[0], k.size[0] = capi.StringData("device")
	k.text[1], k.size[1] = capi.StringData("pinned_host")
	return k
}()

var logicalIDs = entryOf(func(a *capi.LoadedExecutableAddressableDeviceLogicalIDsArgs) uintptr {
	a.AddressableDeviceLogicalIDs, a.NumAddressableDeviceLogicalIDs = first(storedIDs)
	return 0
})

var storedIDs = []capi.LogicalDeviceIDs{{Replica: 0, Partition: 1}, {Replica: 2, Partition: 3}}

func TestListsOfThePluginAreRead(t *testing.T) {
	s := newStandIn(t)
	provide[capi.ExecutableParameterMemoryKindsArgs](t, s, parameterKinds())
	provide[capi.LoadedExecutableAddressableDeviceLogicalIDsArgs](t, s, logicalIDs())
	k := do(t, s.plugin, capi.ExecutableParameterMemoryKindsArgs{})
	sizes := capi.Slice(k.MemoryKindSizes, k.NumParameters)
	var kinds []string
	for i, text := range capi.Slice(k.MemoryKinds, k.NumParameters) {
		kinds = append(kinds, raw(text, sizes[i]))
	}
	assert.Equal(t, []string{"device", "pinned_host"}, kinds)
	ids := do(t, s.plugin, capi.LoadedExecutableAddressableDeviceLogicalIDsArgs{})
	assert.Equal(t, storedIDs, capi.Slice(ids.AddressableDeviceLogicalIDs, ids.NumAddressableDeviceLogicalIDs))
}

var forEachPayload = entryOf(func(a *capi.ErrorForEachPayloadArgs) uintptr {
	key, keySize := capi.StringData("type.googleapis.com/x")
	value, valueSize := capi.StringData("a\x00b")
	a.Visitor.Call(key, keySize, value, valueSize, a.UserArg)
	a.Visitor.Call(key, 4, nil, 0, a.UserArg)
	return 0
})

var errorBufferPayload []capi.Attribute

var createErrorBuffer = entryOf(func(a *capi.ClientCreateErrorBufferArgs) uintptr {
	errorBufferPayload = capi.Attributes(a.Payload, a.NumPayload)
	return 0
})

func TestPayloadsOfErrorsPassBothWays(t *testing.T) {
	s := newStandIn(t)
	provide[capi.ErrorForEachPayloadArgs](t, s, forEachPayload())
	provide[capi.ClientCreateErrorBufferArgs](t, s, createErrorBuffer())
	var got []capi.Payload
	visitor, h := capi.NewErrorPayloadVisitor(func(key string, value []byte) { got = append(got, capi.Payload{Key: key, Value: value}) })
	do(t, s.plugin, capi.ErrorForEachPayloadArgs{Visitor: visitor, UserArg: uintptr(h)})
	h.Delete()
	assert.Equal(t, []capi.Payload{{Key: "type.googleapis.com/x", Value: []byte("a\x00b")}, {Key: "type"}}, got)

	list := []capi.Attribute{{Name: "k", Value: "v"}}
	v, err := capi.NewNamedValues(list)
	require.NoError(t, err)
	args := capi.ClientCreateErrorBufferArgs{ErrorCode: capi.ErrorCodeDataLoss}
	args.Payload, args.NumPayload = v.Data()
	do(t, s.plugin, args)
	assert.Equal(t, list, errorBufferPayload)
}

// A stream from the host: the recv callback gets it, adds chunks and destroys it;
// the plugin deletes each chunk once it has read it.
var stream struct {
	capi.CopyToDeviceStream
	total, current int64
	destroyed      int
}

var (
	streamDestroy = entryOf(func(a *capi.CopyToDeviceStreamDestroyArgs) uintptr { stream.destroyed++; return 0 })
	streamAdd     = entryOf(func(a *capi.CopyToDeviceStreamAddChunkArgs) uintptr {
		stream.current += int64(a.Chunk.Size)
		a.Chunk.Deleter.Call(a.Chunk.Data, a.Chunk.DeleterArg)
		return 0
	})
	streamTotal   = entryOf(func(a *capi.CopyToDeviceStreamTotalBytesArgs) uintptr { a.TotalBytes = stream.total; return 0 })
	streamCurrent = entryOf(func(a *capi.CopyToDeviceStreamCurrentBytesArgs) uintptr { a.CurrentBytes = stream.current; return 0 })
	streamGranule = entryOf(func(a *capi.CopyToDeviceStreamGranuleSizeArgs) uintptr { a.GranuleSizeInBytes = 4; return 0 })
	streamExecute = entryOf(func(a *capi.LoadedExecutableExecuteArgs) uintptr {
		for _, info := range capi.Slice(*a.Options.RecvCallbacks, a.Options.NumRecvOps) {
			info.RecvCallback.Call(&stream.CopyToDeviceStream, info.UserArg)
		}
		return 0
	})
)

func TestAProgramReceivesChunksFromTheHost(t *testing.T) {
	s := newStandIn(t)
	provide[capi.CopyToDeviceStreamDestroyArgs](t, s, streamDestroy())
	provide[capi.CopyToDeviceStreamAddChunkArgs](t, s, streamAdd())
	provide[capi.CopyToDeviceStreamTotalBytesArgs](t, s, streamTotal())
	provide[capi.CopyToDeviceStreamCurrentBytesArgs](t, s, streamCurrent())
	provide[capi.CopyToDeviceStreamGranuleSizeArgs](t, s, streamGranule())
	provide[capi.LoadedExecutableExecuteArgs](t, s, streamExecute())
	stream.total, stream.current, stream.destroyed = 8, 0, 0

	deleted := 0
	live := capi.LiveHandles()
	recv, h := capi.NewRecvCallback(func(c *capi.CopyToDeviceStream) {
		assert.EqualValues(t, 4, do(t, s.plugin, capi.CopyToDeviceStreamGranuleSizeArgs{Stream: c}).GranuleSizeInBytes)
		total := do(t, s.plugin, capi.CopyToDeviceStreamTotalBytesArgs{Stream: c}).TotalBytes
		for do(t, s.plugin, capi.CopyToDeviceStreamCurrentBytesArgs{Stream: c}).CurrentBytes < total {
			deleter, arg := capi.NewChunkDeleter(func() { deleted++ })
			data := make([]byte, 4)
			do(t, s.plugin, capi.CopyToDeviceStreamAddChunkArgs{Stream: c,
				Chunk: &capi.Chunk{Data: pointer(data), Size: 4, Deleter: deleter, DeleterArg: uintptr(arg)}})
		}
		do(t, s.plugin, capi.CopyToDeviceStreamDestroyArgs{Stream: c})
	})
	x := newExecution(nil, 0, nil)
	callbacks := &capi.RecvCallbackInfo{ChannelID: 1, UserArg: uintptr(h), RecvCallback: recv}
	x.options.RecvCallbacks, _ = first([]*capi.RecvCallbackInfo{callbacks})
	x.options.NumRecvOps = 1
	do(t, s.plugin, x.args)
	h.Delete()
	assert.Equal(t, 2, deleted)
	assert.Equal(t, 1, stream.destroyed)
	assert.Equal(t, live, capi.LiveHandles())
}
