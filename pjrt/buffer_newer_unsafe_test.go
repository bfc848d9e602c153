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
)

// newer is the CPU plugin with functions of later API versions, written in Go
// on top of those that it has.
var newer struct {
	once  sync.Once
	api   *capi.API
	table *capi.Table // of the CPU plugin as it is

	mu       sync.Mutex
	payloads []capi.Attribute // guarded by mu; of the last error buffer
	layouts  int              // guarded by mu; layouts seen by TransferLiteral and Bitcast

	transfers atomic.Int64 // calls of ToHostBuffer
}

// newerClient makes a client of the plugin with the newer functions.
func newerClient(t testing.TB) *pjrt.Client {
	t.Helper()
	newer.once.Do(func() {
		plugin, err := pjrt.Open(plugintest.Path(t, "cpu"))
		require.NoError(t, err)
		newer.table = plugin.Table()
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
		fill(func(a *capi.BufferDonateWithControlDependencyArgs) uintptr { donate(a); return 0 })
		fill(func(a *capi.BufferCopyRawToHostFutureArgs) uintptr { copyRawFuture(a); return 0 })
		fill(func(a *capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs) uintptr {
			transferLiteral(a)
			return 0
		})
	})
	table, err := capi.NewTable(newer.api, capi.Reentrant())
	require.NoError(t, err)
	plugin, err := pjrt.FromTable(table)
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
	m := do(capi.ClientCreateBuffersForAsyncHostToDeviceArgs{Client: a.Client, ShapeSpecs: spec, NumShapeSpecs: 1, Memory: a.Memory}).TransferManager
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

func aliasOf(b *capi.Buffer) *capi.ClientCreateAliasBufferArgs {
	dims := do(capi.BufferDimensionsArgs{Buffer: b})
	return do(capi.ClientCreateAliasBufferArgs{
		Client: clientOf(b), Memory: do(capi.BufferMemoryArgs{Buffer: b}).Memory,
		ShapeDims: dims.Dims, ShapeNumDims: dims.NumDims, ShapeElementType: do(capi.BufferElementTypeArgs{Buffer: b}).Type,
	})
}

// prepared is a copy of a buffer that an alias gets when somebody says so.
type prepared struct {
	client *capi.Client
	copied *capi.Buffer
	alias  *capi.ClientCreateAliasBufferArgs
	offset int64
	size   int64
}

func prepare(b *capi.Buffer) *prepared {
	return &prepared{client: clientOf(b), alias: aliasOf(b),
		copied: do(capi.BufferCopyToMemoryArgs{Buffer: b, DstMemory: do(capi.BufferMemoryArgs{Buffer: b}).Memory}).DstBuffer}
}

func (p *prepared) settle(code capi.ErrorCode, message *byte, size uintptr) {
	c := &capi.Call[capi.ClientFulfillAliasBufferArgs]{Args: capi.ClientFulfillAliasBufferArgs{
		Client: p.client, Buffer: p.copied, StatusCode: code, ErrorMessage: message, ErrorMessageSize: size,
		FulfillAliasBufferCb: p.alias.FulfillAliasBufferCb,
	}}
	_ = c.Do(newer.table) // the plugin answers an error with itself
	do(capi.BufferDestroyArgs{Buffer: p.copied})
}

func take(data uintptr) *prepared {
	v, _ := capi.Handle(data).Value()
	capi.Handle(data).Delete()
	return v.(*prepared)
}

var dependencyReady = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(a *capi.BufferDonateWithControlDependencyCallbackArgs) {
		take(a.CallbackData).settle(a.ErrorCode, a.ErrorMessage, a.ErrorMessageSize)
	})
})

func donate(a *capi.BufferDonateWithControlDependencyArgs) {
	p := prepare(a.Buffer)
	do(capi.BufferDeleteArgs{Buffer: a.Buffer})
	a.OutBuffer = p.alias.AliasBuffer
	a.CallbackData = uintptr(capi.NewHandle(p))
	a.DependencyReadyCallback = capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback(dependencyReady())
}

var rawCopyReady = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(a *capi.BufferCopyRawToHostFutureCallbackArgs) {
		p := take(a.CallbackData)
		if a.ErrorCode == capi.ErrorCodeOK {
			e := do(capi.BufferCopyRawToHostArgs{Buffer: p.copied, Dst: a.Dst, Offset: p.offset, TransferSize: p.size}).Event
			do(capi.EventAwaitArgs{Event: e})
			do(capi.EventDestroyArgs{Event: e})
		}
		p.settle(a.ErrorCode, a.ErrorMessage, a.ErrorMessageSize)
		do(capi.BufferDestroyArgs{Buffer: p.alias.AliasBuffer})
	})
})

func copyRawFuture(a *capi.BufferCopyRawToHostFutureArgs) {
	p := prepare(a.Buffer)
	p.offset, p.size = a.Offset, a.TransferSize
	a.Event = do(capi.BufferReadyEventArgs{Buffer: p.alias.AliasBuffer}).Event
	a.CallbackData = uintptr(capi.NewHandle(p))
	a.FutureReadyCallback = capi.BufferCopyRawToHostFutureArgsFutureReadyCallback(rawCopyReady())
}

func transferLiteral(a *capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs) {
	countLayout(a.ShapeLayout)
	size := do(capi.AsyncHostToDeviceTransferManagerBufferSizeArgs{TransferManager: a.TransferManager, BufferIndex: a.BufferIndex}).BufferSize
	a.DoneWithH2dTransfer = do(capi.AsyncHostToDeviceTransferManagerTransferDataArgs{
		TransferManager: a.TransferManager, BufferIndex: a.BufferIndex, Data: a.Data, TransferSize: int64(size), IsLastTransfer: true,
	}).DoneWithH2dTransfer
}
