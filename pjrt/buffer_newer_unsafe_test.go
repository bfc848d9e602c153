// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// newer is the CPU plugin with functions of later API versions, written in Go
// on top of those that it has.
var newer struct {
	once  sync.Once
	api   *capi.API
	table *capi.Table // of the unchanged CPU plugin

	mu       sync.Mutex
	payloads []capi.Attribute // guarded by mu; of the last error buffer
	layouts  int              // guarded by mu; layouts seen by Bitcast

	transfers atomic.Int64 // calls of ToHostBuffer
}

// newerClient makes a client of the plugin with the newer functions.
func newerClient(t testing.TB) *pjrt.Client {
	t.Helper()
	newer.once.Do(func() {
		plugin, err := pjrt.Open(plugintest.Path(t, "cpu"))
		require.NoError(t, err)
		newer.table = raw.Table(plugin)
		old := newer.table.API()
		newer.api = new(capi.API)
		size := unsafe.Sizeof(*newer.api)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(newer.api)), size), unsafe.Slice((*byte)(unsafe.Pointer(old)), old.StructSize))
		newer.api.StructSize = size
		newer.api.PJRTAPIVersion.MinorVersion = capi.APIMinor
		fill(toHostBuffer)
		fill(func(a *capi.ClientCreateArgs) uintptr { createClient(a); return 0 })
		fill(func(a *capi.ClientCreateErrorBufferArgs) uintptr { createErrorBuffer(a); return 0 })
		fill(func(a *capi.BufferBitcastArgs) uintptr { bitcast(a); return 0 })
	})
	table, err := capi.NewTable(newer.api, capi.Reentrant())
	require.NoError(t, err)
	plugin, err := raw.Plugin(table)
	require.NoError(t, err)
	client, err := plugin.NewClient(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// fill puts a Go function into the slot of the function that takes an A.
func fill[A any](fn func(*A) uintptr) {
	slot := unsafe.Add(unsafe.Pointer(newer.api), new(capi.Call[A]).Function().Offset)
	*(*uintptr)(slot) = purego.NewCallback(fn)
}

// do calls a function of the plugin as it is.
func do[A any](args A) *A {
	c := &capi.Call[A]{Args: args}
	if err := c.Do(newer.table); err != nil {
		panic(err)
	}
	return &c.Args
}

// toHostBuffer only counts.
func toHostBuffer(a *capi.BufferToHostBufferArgs) uintptr {
	newer.transfers.Add(1)
	c := &capi.Call[capi.BufferToHostBufferArgs]{Args: *a}
	failure, err := c.Raw(newer.table)
	if err != nil {
		panic(err)
	}
	*a = c.Args
	return uintptr(unsafe.Pointer(failure))
}

func createErrorBuffer(a *capi.ClientCreateErrorBufferArgs) {
	spec := &capi.ShapeSpec{StructSize: capi.ShapeSpecSize, Dims: a.ShapeDims, NumDims: a.ShapeNumDims, ElementType: a.ShapeElementType}
	m := do(capi.ClientCreateBuffersForAsyncHostToDeviceArgs{Client: a.Client, ShapeSpecs: spec, NumShapeSpecs: 1,
		Memory: a.Memory}).TransferManager
	a.Buffer = do(capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: m}).BufferOut
	do(capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs{
		TransferManager: m, ErrorCode: a.ErrorCode, ErrorMessage: a.ErrorMessage, ErrorMessageSize: a.ErrorMessageSize,
	})
	do(capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: m})
	newer.mu.Lock()
	defer newer.mu.Unlock()
	newer.payloads = capi.Attributes(a.Payload, a.NumPayload)
}

func countLayout(l *capi.BufferMemoryLayout) {
	newer.mu.Lock()
	defer newer.mu.Unlock()
	if l != nil && l.Tiled().MinorToMajorSize > 0 {
		newer.layouts++
	}
}

func bitcast(a *capi.BufferBitcastArgs) {
	countLayout(a.DeviceLayout)
	client := clientOf(a.Buffer)
	address := do(capi.BufferUnsafePointerArgs{Buffer: a.Buffer}).BufferPointer
	made := do(capi.ClientBufferFromHostBufferArgs{
		Client: client, Data: *(*unsafe.Pointer)(unsafe.Pointer(&address)), Type: a.ElementType, Dims: a.Dims, NumDims: a.NumDims,
		Memory: do(capi.BufferMemoryArgs{Buffer: a.Buffer}).Memory,
	})
	do(capi.EventDestroyArgs{Event: made.DoneWithHostBuffer})
	do(capi.BufferDeleteArgs{Buffer: a.Buffer})
	a.OutBuffer = made.Buffer
}

// newerClients are the clients by device, for functions that get only a buffer.
var newerClients sync.Map

func createClient(a *capi.ClientCreateArgs) {
	*a = *do(*a)
	devices := do(capi.ClientDevicesArgs{Client: a.Client})
	for _, d := range capi.Slice(devices.Devices, devices.NumDevices) {
		newerClients.Store(d, a.Client)
	}
}

func clientOf(b *capi.Buffer) *capi.Client {
	c, _ := newerClients.Load(do(capi.BufferDeviceArgs{Buffer: b}).Device)
	return c.(*capi.Client)
}
