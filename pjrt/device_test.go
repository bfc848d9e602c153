// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

func TestDevicesDescribeThemselves(t *testing.T) {
	client := newClient(t)
	for i, d := range client.Devices() {
		assert.Equal(t, i, d.ID())
		assert.Equal(t, i, d.LocalHardwareID())
		assert.Zero(t, d.ProcessIndex())
		assert.True(t, d.Addressable())
		assert.Equal(t, "cpu", d.Kind())
		assert.Contains(t, d.String(), "CpuDevice(id=")
		assert.Contains(t, d.Description().DebugString(), "CPU")
		assert.Empty(t, d.Description().Attributes())
		assert.Same(t, client, d.Client())
		assert.Equal(t, d.String(), d.Description().String())
		assert.Equal(t, d.ID(), d.Description().ID())
	}

	s := newSystem(t, capi.APIMinor)
	system := systemClientOf(t, s)
	require.Len(t, system.Devices(), 3)
	assert.Equal(t, system.Devices()[:2], system.AddressableDevices())
	far := system.Devices()[2]
	assert.False(t, far.Addressable())
	assert.Equal(t, 1, far.ProcessIndex())
	assert.Equal(t, -1, far.LocalHardwareID())
	assert.Empty(t, far.Memories())
	assert.Nil(t, far.DefaultMemory())
	assert.Equal(t, "model", far.Kind())
	assert.Empty(t, far.Description().DebugString(), "the plugin does not implement it")
	assert.Equal(t, 11, system.Devices()[1].LocalHardwareID())
	want := []pjrt.Attribute{{Name: "coords", Value: []int64{2, 0, 0}}}
	got := far.Description().Attributes()
	assert.Equal(t, want, got)
	got[0].Value.([]int64)[0] = 9
	assert.Equal(t, want, far.Description().Attributes(), "the attributes are the caller's")
	var none *pjrt.Device
	assert.Equal(t, "no device", none.String())
	var nothing *pjrt.DeviceDescription
	assert.Equal(t, "no device", nothing.String())
}

func TestDevicesListTheirMemoriesAndMemoriesTheirDevices(t *testing.T) {
	client := newClient(t)
	require.Len(t, client.Memories(), 12)
	ids := make(map[int]bool)
	kindIDs := make(map[string]int)
	for _, m := range client.Memories() {
		assert.False(t, ids[m.ID()])
		ids[m.ID()] = true
		if id, ok := kindIDs[m.Kind()]; ok {
			assert.Equal(t, id, m.KindID())
		}
		kindIDs[m.Kind()] = m.KindID()
		assert.NotEmpty(t, m.String())
		assert.NotEmpty(t, m.DebugString())
		assert.Same(t, client, m.Client())
		require.Len(t, m.Devices(), 1)
		assert.Contains(t, m.Devices()[0].Memories(), m)
	}
	require.Len(t, kindIDs, 3)
	assert.NotEqual(t, kindIDs["device"], kindIDs["pinned_host"])
	for _, d := range client.Devices() {
		assert.Len(t, d.Memories(), 3)
		assert.Contains(t, d.Memories(), d.DefaultMemory())
		for kind := range kindIDs {
			m, err := d.Memory(kind)
			require.NoError(t, err)
			assert.Equal(t, kind, m.Kind())
			assert.Same(t, m.Devices()[0], d)
		}
		_, err := d.Memory("hbm")
		require.ErrorIs(t, err, pjrt.ErrNotFound)
		assert.ErrorContains(t, err, "it has ")
	}
	var none *pjrt.Memory
	assert.Equal(t, "no memory", none.String())
}

func TestOldPluginsHaveNoMemories(t *testing.T) {
	s := newSystem(t, 45)
	sysWithout[capi.ClientAddressableMemoriesArgs](s)
	sysWithout[capi.DeviceAddressableMemoriesArgs](s)
	sysWithout[capi.DeviceDefaultMemoryArgs](s)
	client := systemClientOf(t, s)
	assert.Empty(t, client.Memories())
	assert.Empty(t, client.Devices()[0].Memories())
	assert.Nil(t, client.Devices()[0].DefaultMemory())
	_, err := client.Devices()[0].Memory("device")
	require.ErrorContains(t, err, "it has none")

	partly := newSystem(t, 45) // too old for PJRT_Memory_Kind_Id
	sysWithout[capi.MemoryAddressableByDevicesArgs](partly)
	m := systemClientOf(t, partly).Memories()[1]
	assert.Equal(t, "pinned_host", m.Kind())
	assert.Equal(t, -1, m.KindID())
	assert.Empty(t, m.Devices())

	full := systemClientOf(t, newSystem(t, capi.APIMinor)).Memories()[1]
	assert.Equal(t, len("pinned_host"), full.KindID())
	assert.Equal(t, "memory1", full.String())
	assert.Equal(t, "memory 1 in full", full.DebugString())
}

func TestLiveAttributesAreFreedOnce(t *testing.T) {
	s := newSystem(t, capi.APIMinor)
	client := systemClientOf(t, s)
	s.traces()
	got, err := client.Devices()[0].LiveAttributes()
	require.NoError(t, err)
	assert.Equal(t, []pjrt.Attribute{{Name: "temperature", Value: int64(60)}}, got)
	assert.Equal(t, []string{"delete attributes"}, s.traces())
}

func TestMemoryStatsHoldWhatThePluginCounts(t *testing.T) {
	s := newSystem(t, capi.APIMinor)
	client := systemClientOf(t, s)
	s.traces()
	device := client.Devices()[1]
	got, err := device.MemoryStats()
	require.NoError(t, err)
	known := func(n int64) *int64 { return &n }
	assert.Equal(t, pjrt.MemoryStats{
		InUse: 100, PeakInUse: known(200), Allocations: known(3), LargestAlloc: known(4), Limit: known(5), Reserved: known(6), PeakReserved: known(7),
		ReservableLimit: known(8), LargestFreeBlock: known(9), Pool: known(10), PeakPool: nil, PeakAllocated: known(12),
	}, got)
	require.NoError(t, device.ClearMemoryStats())
	assert.Equal(t, []string{"clear stats of device 1"}, s.traces())

	cpu := newClient(t).Devices()[0]
	_, err = cpu.MemoryStats()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "GetAllocatorStats is not supported")
	err = cpu.ClearMemoryStats()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "it came with API 0.106")
}

func TestTrackedWorkKeepsTheClientUntilItEnds(t *testing.T) {
	s := newSystem(t, capi.APIMinor)
	client := systemClientOf(t, s)
	s.traces()
	end, err := client.Devices()[0].TrackAsyncWork("upload")
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.Equal(t, 1, s.live(), "the tracking keeps the client")
	end()
	end()
	assert.Equal(t, []string{"track upload", "end of tracking"}, s.traces())
	assert.Zero(t, s.live())

	other := systemClientOf(t, newSystem(t, capi.APIMinor))
	endUntracked, err := other.Devices()[0].TrackAsyncWork("untracked")
	require.NoError(t, err)
	endUntracked()
	_, err = newClient(t).Devices()[0].TrackAsyncWork("x")
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
}

// deviceCalls are what can be asked of a device, beyond what is known of it.
var deviceCalls = map[string]func(d *pjrt.Device) error{
	"LiveAttributes":   func(d *pjrt.Device) error { _, err := d.LiveAttributes(); return err },
	"MemoryStats":      func(d *pjrt.Device) error { _, err := d.MemoryStats(); return err },
	"ClearMemoryStats": func(d *pjrt.Device) error { return d.ClearMemoryStats() },
	"TrackAsyncWork":   func(d *pjrt.Device) error { _, err := d.TrackAsyncWork("x"); return err },
}

func TestMisuseOfDevicesIsRefused(t *testing.T) {
	s := newSystem(t, capi.APIMinor)
	client := systemClientOf(t, s)
	s.traces()
	for name, call := range deviceCalls {
		require.ErrorContains(t, call(nil), "the device is nil", name)
		require.ErrorContains(t, call(client.Devices()[2]), "belongs to process 1, and this is process 0", name)
	}
	client.Close()
	for name, call := range deviceCalls {
		require.ErrorIs(t, call(client.Devices()[0]), pjrt.ErrClosed, name)
	}
	assert.Empty(t, s.traces(), "nothing reached the plugin")
	assert.Equal(t, "device0", client.Devices()[0].String(), "what is known stays readable")
}
