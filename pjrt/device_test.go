// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
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
		debug := map[int]string{81: fmt.Sprintf("TFRT_CPU_%d", i), 106: fmt.Sprintf("cpu:%d", i), 115: fmt.Sprintf("cpu:%d", i)}
		assert.Equal(t, debug[plugintest.Age(t)], d.Description().DebugString())
		assert.Empty(t, d.Description().Attributes())
		assert.Same(t, client, d.Client())
		assert.Equal(t, d.String(), d.Description().String())
		assert.Equal(t, d.ID(), d.Description().ID())
	}

	s := pjrttest.New(t, pjrttest.Options{
		Devices: 2, Processes: 2, DeviceKind: "model",
		DeviceAttributes: func(id int) []pjrt.Attribute {
			return []pjrt.Attribute{{Name: "coords", Value: []int64{int64(id), 0, 0}}}
		},
	})
	s.Fail("PJRT_DeviceDescription_DebugString", pjrt.ErrUnimplemented, "no debug string")
	both := startClient(t, hooked(t, s, serve.Around(func(c *serve.Invocation, a *capi.DeviceLocalHardwareIDArgs) {
		c.Forward()
		a.LocalHardwareID += 10
	})))
	require.Len(t, both.Devices(), 4)
	assert.Equal(t, both.Devices()[:2], both.AddressableDevices())
	far := both.Devices()[2]
	assert.False(t, far.Addressable())
	assert.Equal(t, 1, far.ProcessIndex())
	assert.Equal(t, -1, far.LocalHardwareID())
	assert.Empty(t, far.Memories())
	assert.Nil(t, far.DefaultMemory())
	assert.Equal(t, "model", far.Kind())
	assert.Empty(t, far.Description().DebugString(), "the plugin does not implement it")
	assert.Equal(t, 11, both.Devices()[1].LocalHardwareID())
	want := []pjrt.Attribute{{Name: "coords", Value: []int64{2, 0, 0}}, {Name: "device_index", Value: int64(2)}}
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
	s := pjrttest.New(t, pjrttest.Options{Minor: serve.OldestMinor, Devices: 2})
	client := startClient(t, edited(t, s, func(api *capi.API) {
		api.PJRTAPIVersion.MinorVersion = capi.OldestMinor
		api.ClientAddressableMemories, api.DeviceAddressableMemories, api.DeviceDefaultMemory = 0, 0, 0
	}))
	assert.Empty(t, client.Memories())
	assert.Empty(t, client.Devices()[0].Memories())
	assert.Nil(t, client.Devices()[0].DefaultMemory())
	_, err := client.Devices()[0].Memory("device")
	require.ErrorContains(t, err, "it has none")

	m := startClient(t, edited(t, s, func(api *capi.API) {
		api.PJRTAPIVersion.MinorVersion = capi.OldestMinor
		api.MemoryKindID, api.MemoryAddressableByDevices = 0, 0
	})).Memories()[1]
	assert.Equal(t, "pinned_host", m.Kind())
	assert.Equal(t, -1, m.KindID())
	assert.Empty(t, m.Devices())

	full := pjrttest.New(t, pjrttest.Options{Devices: 2}).Client().Memories()[3]
	assert.Equal(t, 3, full.ID())
	assert.Equal(t, 1, full.KindID())
	assert.Equal(t, "pinned_host of device 1", full.String())
	assert.Equal(t, "pjrttest memory 3: pinned_host of device 1, 1073741824 bytes", full.DebugString())
}

func TestLiveAttributesAreFreedOnce(t *testing.T) {
	temperature := int64(20)
	s := pjrttest.New(t, pjrttest.Options{DeviceAttributes: func(int) []pjrt.Attribute {
		return []pjrt.Attribute{{Name: "temperature", Value: temperature}}
	}})
	device := s.Client().Devices()[0]
	temperature = 60
	assert.Empty(t, logged(t, func() {
		got, err := device.LiveAttributes()
		require.NoError(t, err)
		assert.Equal(t, []pjrt.Attribute{{Name: "device_index", Value: int64(0)}, {Name: "temperature", Value: int64(60)}}, got)
	}), "a deleter that is called twice logs that")
	assert.Equal(t, 1, s.Calls("PJRT_Device_GetAttributes"))
	assert.Equal(t, map[string]int{"PJRT_Client": 1}, s.Live())
}

func TestMemoryStatsHoldWhatThePluginCounts(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{Devices: 2})
	var cleared []*capi.Device
	client := startClient(t, hooked(t, s,
		serve.Around(func(_ *serve.Invocation, a *capi.DeviceMemoryStatsArgs) {
			a.BytesInUse, a.PeakBytesInUse, a.PeakBytesInUseIsSet = 100, 200, true
			a.NumAllocs, a.NumAllocsIsSet = 3, true
			a.LargestAllocSize, a.LargestAllocSizeIsSet = 4, true
			a.BytesLimit, a.BytesLimitIsSet = 5, true
			a.BytesReserved, a.BytesReservedIsSet = 6, true
			a.PeakBytesReserved, a.PeakBytesReservedIsSet = 7, true
			a.BytesReservableLimit, a.BytesReservableLimitIsSet = 8, true
			a.LargestFreeBlockBytes, a.LargestFreeBlockBytesIsSet = 9, true
			a.PoolBytes, a.PoolBytesIsSet = 10, true
			a.PeakPoolBytes = 11 // garbage, since its IsSet is false
			a.PeakAllocatedBytes, a.PeakAllocatedBytesIsSet = 12, true
		}),
		serve.Around(func(c *serve.Invocation, a *capi.DeviceClearMemoryStatsArgs) {
			cleared = append(cleared, a.Device)
			c.Forward()
		})))
	device := client.Devices()[1]
	got, err := device.MemoryStats()
	require.NoError(t, err)
	known := func(n int64) *int64 { return &n }
	assert.Equal(t, pjrt.MemoryStats{
		InUse: 100, PeakInUse: known(200), Allocations: known(3), LargestAlloc: known(4), Limit: known(5), Reserved: known(6), PeakReserved: known(7),
		ReservableLimit: known(8), LargestFreeBlock: known(9), Pool: known(10), PeakPool: nil, PeakAllocated: known(12),
	}, got)
	require.NoError(t, device.ClearMemoryStats())
	h, release, err := raw.AcquireDevice(device)
	require.NoError(t, err)
	defer release()
	require.Len(t, cleared, 1)
	assert.Same(t, h, cleared[0])

	cpu := newClient(t).Devices()[0]
	_, err = cpu.MemoryStats()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "GetAllocatorStats is not supported")
	err = cpu.ClearMemoryStats()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	if plugintest.Age(t) < 106 {
		assert.ErrorContains(t, err, "it came with API 0.106")
	} else {
		assert.ErrorContains(t, err, "ClearMemoryStats is not supported")
	}
	assert.ErrorContains(t, olderClient(t).Devices()[0].ClearMemoryStats(), "it came with API 0.106")
}

func TestTrackedWorkKeepsTheClientUntilItEnds(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{})
	var begun []string
	plugin := hooked(t, s, serve.Around(func(c *serve.Invocation, a *capi.DeviceCreateAsyncTrackingEventArgs) {
		what := capi.String(a.Description, a.DescriptionSize)
		if begun = append(begun, what); what != "untracked" {
			c.Forward()
		}
	}))
	client := startClient(t, plugin)
	end, err := client.Devices()[0].TrackAsyncWork("upload")
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.Equal(t, map[string]int{"PJRT_Client": 1, "PJRT_AsyncTrackingEvent": 1}, s.Live(), "the tracking keeps the client")
	end()
	end()
	assert.Equal(t, []string{"upload"}, begun)
	assert.Equal(t, 1, s.Calls("PJRT_AsyncTrackingEvent_Destroy"))
	assert.Empty(t, s.Live())

	other := startClient(t, plugin)
	endUntracked, err := other.Devices()[0].TrackAsyncWork("untracked")
	require.NoError(t, err)
	endUntracked()
	assert.Equal(t, 1, s.Calls("PJRT_AsyncTrackingEvent_Destroy"))
	_, err = olderClient(t).Devices()[0].TrackAsyncWork("x")
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
}

// deviceCalls are the methods of a device that call the plugin.
var deviceCalls = map[string]func(d *pjrt.Device) error{
	"LiveAttributes":   func(d *pjrt.Device) error { _, err := d.LiveAttributes(); return err },
	"MemoryStats":      func(d *pjrt.Device) error { _, err := d.MemoryStats(); return err },
	"ClearMemoryStats": func(d *pjrt.Device) error { return d.ClearMemoryStats() },
	"TrackAsyncWork":   func(d *pjrt.Device) error { _, err := d.TrackAsyncWork("x"); return err },
}

func TestMisuseOfDevicesIsRefused(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{Devices: 2, Processes: 2})
	client := s.Client()
	for name, call := range deviceCalls {
		require.ErrorContains(t, call(nil), "the device is nil", name)
		require.ErrorContains(t, call(client.Devices()[2]), "belongs to process 1, and this is process 0", name)
	}
	client.Close()
	for name, call := range deviceCalls {
		require.ErrorIs(t, call(client.Devices()[0]), pjrt.ErrClosed, name)
	}
	for _, function := range []string{
		"PJRT_Device_GetAttributes", "PJRT_Device_MemoryStats", "PJRT_Device_ClearMemoryStats", "PJRT_Device_CreateAsyncTrackingEvent",
	} {
		assert.Zero(t, s.Calls(function), function)
	}
	assert.Equal(t, "PJRTTEST_0", client.Devices()[0].String(), "what is known stays readable")
}
