// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func cpuPlugin(t *testing.T) {
	p := cpu(t)
	do(t, p, capi.PluginInitializeArgs{}) // a second call is not an error
	a := do(t, p, capi.PluginAttributesArgs{})
	assert.Equal(t, map[string]any{
		"xla_version":               int64(2),
		"stablehlo_current_version": byAge(t, ages([]int64{1, 13, 3}, []int64{1, 16, 1}, []int64{1, 20, 0})),
		"stablehlo_minimum_version": []int64{0, 9, 0},
	}, attributes(a.Attributes, a.NumAttributes))
}

func cpuErrors(t *testing.T) {
	r := newRig(t)
	var c capi.Call[capi.ClientLookupDeviceArgs]
	c.Args = capi.ClientLookupDeviceArgs{StructSize: capi.ClientLookupDeviceArgsSize, Client: r.client, ID: 99}
	h, err := c.Raw(r.table)
	require.NoError(t, err)
	require.NotNil(t, h)
	assert.Equal(t, capi.ErrorCodeInvalidArgument, do(t, r.plugin, capi.ErrorGetCodeArgs{Error: h}).Code)
	m := do(t, r.plugin, capi.ErrorMessageArgs{Error: h})
	assert.Equal(t, "No matching device found for device_id 99", raw(m.Message, m.MessageSize))
	do(t, r.plugin, capi.ErrorDestroyArgs{Error: h})
	do(t, r.plugin, capi.ErrorDestroyArgs{}) // null is allowed
}

func cpuEvents(t *testing.T) {
	r := newRig(t)
	e, fulfil := r.pendingEvent(t)
	assert.False(t, r.isReady(t, e))
	called := make(chan *capi.ErrorHandle, 1)
	callback, h := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) { called <- err })
	do(t, r.plugin, capi.EventOnReadyArgs{Event: e, Callback: callback, UserArg: uintptr(h)})
	assert.Empty(t, called, "before the event is ready")
	fulfil()
	do(t, r.plugin, capi.EventAwaitArgs{Event: e})
	assert.Nil(t, <-called)
	assert.True(t, r.isReady(t, e))
	do(t, r.plugin, capi.EventErrorArgs{Event: e})
	do(t, r.plugin, capi.EventDestroyArgs{Event: e})

	b, m := r.pendingBuffer(t, 1)
	e = do(t, r.plugin, capi.BufferReadyEventArgs{Buffer: b}).Event
	do(t, r.plugin, capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: m})
	const lost = "Async transfer object was deleted before transfers completed."
	fails(t, r.plugin, capi.EventAwaitArgs{Event: e}, capi.ErrorCodeInternal, lost)
	fails(t, r.plugin, capi.EventErrorArgs{Event: e}, capi.ErrorCodeInternal, lost)
	callback, h = capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) { called <- err })
	do(t, r.plugin, capi.EventOnReadyArgs{Event: e, Callback: callback, UserArg: uintptr(h)})
	err := r.table.TakeError(<-called)
	assert.ErrorIs(t, err, capi.ErrorCodeInternal)
	assert.ErrorContains(t, err, lost)
	do(t, r.plugin, capi.EventDestroyArgs{Event: e})
	r.destroy(t, b)
}

func cpuClient(t *testing.T) {
	p := cpu(t)
	r := connect(t, p, capi.Attribute{Name: "cpu_device_count", Value: int64(3)})
	name := do(t, p, capi.ClientPlatformNameArgs{Client: r.client})
	assert.Equal(t, "cpu", raw(name.PlatformName, name.PlatformNameSize))
	version := do(t, p, capi.ClientPlatformVersionArgs{Client: r.client})
	assert.Equal(t, "cpu", raw(version.PlatformVersion, version.PlatformVersionSize))
	assert.Zero(t, do(t, p, capi.ClientProcessIndexArgs{Client: r.client}).ProcessIndex)

	all := do(t, p, capi.ClientDevicesArgs{Client: r.client})
	devices := capi.Slice(all.Devices, all.NumDevices)
	require.Len(t, devices, 3)
	assert.Equal(t, devices, r.devices)
	for id, d := range devices {
		assert.Same(t, d, do(t, p, capi.ClientLookupDeviceArgs{Client: r.client, ID: int32(id)}).Device)
		assert.Same(t, d, do(t, p, capi.ClientLookupAddressableDeviceArgs{Client: r.client, LocalHardwareID: int32(id)}).AddressableDevice)
	}
	fails(t, p, capi.ClientLookupDeviceArgs{Client: r.client, ID: 3}, capi.ErrorCodeInvalidArgument, "device_id 3")
	assert.NotEmpty(t, r.memories)

	assignment := make([]int32, 3)
	args := capi.ClientDefaultDeviceAssignmentArgs{Client: r.client, NumReplicas: 3, NumPartitions: 1}
	args.DefaultAssignment, args.DefaultAssignmentSize = first(assignment)
	do(t, p, args)
	assert.Equal(t, []int32{0, 1, 2}, assignment)
	args.DefaultAssignmentSize = 2
	fails(t, p, args, capi.ErrorCodeFailedPrecondition, "")

	info := capi.ProcessInfo{StructSize: capi.ProcessInfoSize, TaskID: 0, IncarnationID: 7, State: capi.ProcessStateConnected}
	do(t, p, capi.ClientUpdateGlobalProcessInfoArgs{Client: r.client, ProcessInfos: &info, NumProcessInfos: 1})

	page := alignedTo[byte](64, 64, 0)
	fails(t, p, capi.ClientDMAMapArgs{Client: r.client, Data: pointer(page), Size: 64}, capi.ErrorCodeUnimplemented, byAge(t, ages("DmaMap not supported on platform cpu", "DmaMap not supported on platform cpu", "DmaMap is not supported.")))
	fails(t, p, capi.ClientDMAUnmapArgs{Client: r.client, Data: pointer(page)}, capi.ErrorCodeUnimplemented, byAge(t, ages("DmaUnmap not supported on platform cpu", "DmaUnmap not supported on platform cpu", "DmaUnmap is not supported.")))
	do(t, p, capi.ClientDestroyArgs{Client: r.client})
}

// A client of one process accepts a key-value store, but does not use it.
func cpuKeyValueStore(t *testing.T) {
	p := cpu(t)
	unused := errors.New("the store was used")
	get, getArg := capi.NewKeyValueGetCallback(func(string, time.Duration) ([]byte, error) { t.Error(unused); return nil, unused })
	try, tryArg := capi.NewKeyValueTryGetCallback(func(string) ([]byte, error) { t.Error(unused); return nil, unused })
	put, putArg := capi.NewKeyValuePutCallback(func(string, []byte) error { t.Error(unused); return unused })
	client := do(t, p, capi.ClientCreateArgs{
		KVGetCallback: get, KVGetUserArg: uintptr(getArg), KVTryGetCallback: try, KVTryGetUserArg: uintptr(tryArg), KVPutCallback: put, KVPutUserArg: uintptr(putArg),
	}).Client
	assert.EqualValues(t, 4, do(t, p, capi.ClientDevicesArgs{Client: client}).NumDevices)
	do(t, p, capi.ClientDestroyArgs{Client: client})
	getArg.Delete()
	tryArg.Delete()
	putArg.Delete()
}

func cpuDevices(t *testing.T) {
	r := newRig(t)
	require.Len(t, r.devices, 4, "the plugin makes four devices unless told otherwise")
	for id, d := range r.devices {
		assert.True(t, do(t, r.plugin, capi.DeviceIsAddressableArgs{Device: d}).IsAddressable)
		assert.EqualValues(t, id, do(t, r.plugin, capi.DeviceLocalHardwareIDArgs{Device: d}).LocalHardwareID)
		m := do(t, r.plugin, capi.DeviceAddressableMemoriesArgs{Device: d})
		memories := capi.Slice(m.Memories, m.NumMemories)
		assert.Len(t, memories, 3)
		assert.Contains(t, memories, do(t, r.plugin, capi.DeviceDefaultMemoryArgs{Device: d}).Memory)
		fails(t, r.plugin, capi.DeviceMemoryStatsArgs{Device: d}, capi.ErrorCodeUnimplemented, "GetAllocatorStats is not supported")

		description := do(t, r.plugin, capi.DeviceGetDescriptionArgs{Device: d}).DeviceDescription
		assert.EqualValues(t, id, do(t, r.plugin, capi.DeviceDescriptionIDArgs{DeviceDescription: description}).ID)
		assert.Zero(t, do(t, r.plugin, capi.DeviceDescriptionProcessIndexArgs{DeviceDescription: description}).ProcessIndex)
		a := do(t, r.plugin, capi.DeviceDescriptionAttributesArgs{DeviceDescription: description})
		assert.Empty(t, attributes(a.Attributes, a.NumAttributes))
		k := do(t, r.plugin, capi.DeviceDescriptionKindArgs{DeviceDescription: description})
		assert.Equal(t, "cpu", raw(k.DeviceKind, k.DeviceKindSize))
		debug := do(t, r.plugin, capi.DeviceDescriptionDebugStringArgs{DeviceDescription: description})
		assert.Equal(t, fmt.Sprintf(byAge(t, ages("TFRT_CPU_%d", "cpu:%d", "cpu:%d")), id), raw(debug.DebugString, debug.DebugStringSize))
		text := do(t, r.plugin, capi.DeviceDescriptionToStringArgs{DeviceDescription: description})
		assert.Contains(t, raw(text.ToString, text.ToStringSize), "CpuDevice(id="+string(rune('0'+id))+")")
	}
}

func cpuMemories(t *testing.T) {
	r := newRig(t)
	kinds := make(map[string]int)
	ids := make(map[int32]bool)
	for _, m := range r.memories {
		ids[do(t, r.plugin, capi.MemoryIDArgs{Memory: m}).ID] = true
		k := do(t, r.plugin, capi.MemoryKindArgs{Memory: m})
		kind := raw(k.Kind, k.KindSize)
		kinds[kind]++
		assert.NotZero(t, do(t, r.plugin, capi.MemoryKindIDArgs{Memory: m}).KindID)
		d := do(t, r.plugin, capi.MemoryDebugStringArgs{Memory: m})
		assert.NotEmpty(t, raw(d.DebugString, d.DebugStringSize))
		s := do(t, r.plugin, capi.MemoryToStringArgs{Memory: m})
		assert.NotEmpty(t, raw(s.ToString, s.ToStringSize))
		a := do(t, r.plugin, capi.MemoryAddressableByDevicesArgs{Memory: m})
		devices := capi.Slice(a.Devices, a.NumDevices)
		require.Len(t, devices, 1)
		assert.Contains(t, r.devices, devices[0])
	}
	assert.Len(t, ids, len(r.memories), "every memory has a different id")
	assert.Equal(t, map[string]int{"device": 4, "pinned_host": 4, "unpinned_host": 4}, kinds)
}

func cpuTopology(t *testing.T) {
	r := newRig(t)
	topology := do(t, r.plugin, capi.ClientTopologyDescriptionArgs{Client: r.client}).Topology
	name := do(t, r.plugin, capi.TopologyDescriptionPlatformNameArgs{Topology: topology})
	assert.Equal(t, "cpu", raw(name.PlatformName, name.PlatformNameSize))
	version := do(t, r.plugin, capi.TopologyDescriptionPlatformVersionArgs{Topology: topology})
	assert.Equal(t, "cpu", raw(version.PlatformVersion, version.PlatformVersionSize))
	d := do(t, r.plugin, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: topology})
	for i, description := range capi.Slice(d.Descriptions, d.NumDescriptions) {
		assert.EqualValues(t, i, do(t, r.plugin, capi.DeviceDescriptionIDArgs{DeviceDescription: description}).ID)
	}
	assert.EqualValues(t, 4, d.NumDescriptions)
	a := do(t, r.plugin, capi.TopologyDescriptionAttributesArgs{Topology: topology})
	assert.Empty(t, attributes(a.Attributes, a.NumAttributes))
	s := do(t, r.plugin, capi.TopologyDescriptionSerializeArgs{Topology: topology})
	serialized := capi.Bytes(s.SerializedBytes, s.SerializedBytesSize)
	s.SerializedTopologyDeleter.Call(s.SerializedTopology)
	assert.NotEmpty(t, serialized)

	deserialize := capi.TopologyDescriptionDeserializeArgs{}
	deserialize.SerializedTopology, deserialize.SerializedTopologySize = capi.BytesData(serialized)
	compiler := byAge(t, ages("No compiler registered for platform", "No compiler factory for platform", ""))
	if compiler != "" {
		fails(t, r.plugin, deserialize, capi.ErrorCodeNotFound, compiler)
	} else {
		copied := do(t, r.plugin, deserialize).Topology
		assert.EqualValues(t, 4, do(t, r.plugin, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: copied}).NumDescriptions)
		do(t, r.plugin, capi.TopologyDescriptionDestroyArgs{Topology: copied})
	}
	create := capi.TopologyDescriptionCreateArgs{}
	create.TopologyName, create.TopologyNameSize = capi.StringData("cpu")
	fails(t, r.plugin, create, capi.ErrorCodeUnimplemented, "Topology not supported for CPU compilation.")
	compile := capi.CompileArgs{Topology: topology, Program: program(addProgram), Client: r.client}
	compile.CompileOptions, compile.CompileOptionsSize = capi.BytesData(oneDevice)
	if compiler != "" {
		fails(t, r.plugin, compile, capi.ErrorCodeNotFound, compiler)
	} else {
		e := do(t, r.plugin, compile).Executable
		assert.EqualValues(t, 1, do(t, r.plugin, capi.ExecutableNumOutputsArgs{Executable: e}).NumOutputs)
		do(t, r.plugin, capi.ExecutableDestroyArgs{Executable: e})
	}
	// The client owns its topology.
	do(t, r.plugin, capi.TopologyDescriptionDestroyArgs{})
	do(t, r.plugin, capi.CopyToDeviceStreamDestroyArgs{})
}
