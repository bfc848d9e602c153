// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// rawBuffer is one PJRT_RawBuffer.
type rawBuffer struct {
	in           *memory
	contents     *contents // the raw buffer holds a use
	offset, size int64     // in the contents
	references   atomic.Int32
}

// rawBufferTableSince is the API minor that gave raw buffers a function table.
const rawBufferTableSince = 112

// newRawBuffer makes a raw buffer with one reference. The raw buffer releases the contents.
func (m *memory) newRawBuffer(c *contents, offset, size int64) *capi.RawBuffer {
	r := &rawBuffer{in: m, contents: c, offset: offset, size: size}
	r.references.Store(1)
	p := m.client.p
	if p.opts.Minor < rawBufferTableSince {
		return makeHandle[capi.RawBuffer](p, r, true)
	}
	return makeHandleWith[capi.RawBuffer](p, r, true, unsafe.Pointer(rawBufferTable()))
}

// dropReference ends a reference. The last one ends the raw buffer.
func dropReference(p *Plugin, h *capi.RawBuffer) error {
	r, err := find[*rawBuffer](p, h)
	if err != nil || r.references.Add(-1) > 0 {
		return err
	}
	return destroy(p, h, func(r *rawBuffer) { r.contents.release() })
}

// bytes waits for the contents and returns the bytes of the raw buffer.
func (r *rawBuffer) bytes() ([]byte, error) {
	<-r.contents.ready.done
	if err, _ := r.contents.ready.result(); err != nil {
		return nil, err
	}
	return r.contents.data.bytes[r.offset : r.offset+r.size], nil
}

// hostPointer returns the address of the bytes for the host, or nil if the host has no
// access.
func (r *rawBuffer) hostPointer() (unsafe.Pointer, error) {
	if !r.in.host {
		return nil, nil
	}
	b, err := r.bytes()
	return unsafe.Pointer(unsafe.SliceData(b)), err
}

func (p *Plugin) rawBufferCreate(a *capi.RawBufferCreateRawAliasOfBufferArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	c, err := b.use()
	if err != nil {
		return err
	}
	a.RawBuffer = b.in.newRawBuffer(c, 0, b.size)
	return nil
}

func (p *Plugin) rawBufferDestroy(a *capi.RawBufferDestroyArgs) error {
	if a.Buffer == nil {
		return nil
	}
	return dropReference(p, a.Buffer)
}

func (p *Plugin) rawBufferSize(a *capi.RawBufferGetOnDeviceSizeInBytesArgs) error {
	return with(p, a.Buffer, func(r *rawBuffer) { a.OnDeviceSizeInBytes = uintptr(r.size) })
}

func (p *Plugin) rawBufferMemory(a *capi.RawBufferGetMemorySpaceArgs) error {
	return with(p, a.Buffer, func(r *rawBuffer) { a.MemorySpace = r.in.handle })
}

func (p *Plugin) rawBufferHostPointer(a *capi.RawBufferGetHostPointerArgs) error {
	r, err := find[*rawBuffer](p, a.Buffer)
	if err != nil {
		return err
	}
	a.HostPointer, err = r.hostPointer()
	return err
}

// window returns an error unless the range is within the bytes.
func (r *rawBuffer) window(offset, size int64, host bool) error {
	if offset < 0 || size < 0 || offset > r.size || size > r.size-offset {
		return invalid("%d bytes at %d are not within the %d bytes of the buffer", size, offset, r.size)
	}
	if !host && size > 0 {
		return invalid("the host memory of %d bytes is null", size)
	}
	return nil
}

func (p *Plugin) rawBufferToDevice(a *capi.RawBufferCopyRawHostToDeviceArgs) error {
	r, err := find[*rawBuffer](p, a.Buffer)
	if err != nil {
		return err
	}
	if err := r.window(a.Offset, a.TransferSize, a.Src != nil); err != nil {
		return err
	}
	src, offset := hostBytes(a.Src, a.TransferSize), r.offset+a.Offset
	a.Event = p.transfer(a.Function().Name, r.in, r.contents.use(), func() { copy(r.contents.data.bytes[offset:], src) })
	return nil
}

func (p *Plugin) rawBufferToHost(a *capi.RawBufferCopyRawDeviceToHostArgs) error {
	r, err := find[*rawBuffer](p, a.Buffer)
	if err != nil {
		return err
	}
	if err := r.window(a.Offset, a.TransferSize, a.Dst != nil); err != nil {
		return err
	}
	dst, offset := hostBytes(a.Dst, a.TransferSize), r.offset+a.Offset
	a.Event = p.transfer(a.Function().Name, r.in, r.contents.use(), func() { copy(dst, r.contents.data.bytes[offset:]) })
	return nil
}

// rawBuffers is the function table of raw buffers, made on first use.
var rawBuffers struct {
	once  sync.Once
	table *capi.RawBufferFunctionTable
}

func rawBufferTable() *capi.RawBufferFunctionTable {
	rawBuffers.once.Do(func() { rawBuffers.table = makeRawBufferTable() })
	return rawBuffers.table
}

// makeRawBufferTable makes the function table. Its functions that need device events are
// unimplemented, because the plugin has none.
func makeRawBufferTable() *capi.RawBufferFunctionTable {
	entry := func(fn any) uintptr { return purego.NewCallback(fn) }
	noEvents := func() *capi.ErrorHandle {
		return serve.NewError(capi.ErrorCodeUnimplemented.Errorf("this plugin has no device events"))
	}
	return &capi.RawBufferFunctionTable{
		StructSize: capi.RawBufferFunctionTableSize, InstanceSize: capi.RawBufferSize,
		IncRef: capi.RawBufferFunctionTableIncRef(entry(func(h *capi.RawBuffer) (word uintptr) {
			defer survive("inc_ref")
			if r, err := find[*rawBuffer](nil, h); err == nil {
				r.references.Add(1)
			}
			return
		})),
		DecRef: capi.RawBufferFunctionTableDecRef(entry(func(h *capi.RawBuffer) (word uintptr) {
			defer survive("dec_ref")
			_ = dropReference(nil, h) // the function returns nothing
			return
		})),
		GetOnDeviceSizeInBytes: capi.RawBufferFunctionTableGetOnDeviceSizeInBytes(entry(func(h *capi.RawBuffer) (size uintptr) {
			defer survive("get_on_device_size_in_bytes")
			if r, err := find[*rawBuffer](nil, h); err == nil {
				size = uintptr(r.size)
			}
			return
		})),
		GetMemorySpace: capi.RawBufferFunctionTableGetMemorySpace(entry(func(h *capi.RawBuffer) (m *capi.Memory) {
			defer survive("get_memory_space")
			if r, err := find[*rawBuffer](nil, h); err == nil {
				m = r.in.handle
			}
			return
		})),
		GetHostPointer: capi.RawBufferFunctionTableGetHostPointer(entry(func(h *capi.RawBuffer) (p unsafe.Pointer) {
			defer survive("get_host_pointer")
			if r, err := find[*rawBuffer](nil, h); err == nil {
				p, _ = r.hostPointer()
			}
			return
		})),
		CopyRawHostToDeviceAndReturnEvent: capi.RawBufferFunctionTableCopyRawHostToDeviceAndReturnEvent(
			entry(func(_, _, _, _, _, _ uintptr) *capi.ErrorHandle { return noEvents() })),
		CopyRawDeviceToHostAndReturnEvent: capi.RawBufferFunctionTableCopyRawDeviceToHostAndReturnEvent(
			entry(func(_, _, _, _, _, _ uintptr) *capi.ErrorHandle { return noEvents() })),
		OpaqueDeviceMemoryDataPointer: capi.RawBufferFunctionTableOpaqueDeviceMemoryDataPointer(
			entry(func(h *capi.RawBuffer) (p unsafe.Pointer) {
				defer survive("opaque_device_memory_data_pointer")
				if r, err := find[*rawBuffer](nil, h); err == nil {
					b, _ := r.bytes()
					p = unsafe.Pointer(unsafe.SliceData(b))
				}
				return
			})),
		MakeAllocationReadyEvent: capi.RawBufferFunctionTableMakeAllocationReadyEvent(
			entry(func(_, _ uintptr) *capi.ErrorHandle { return noEvents() })),
		GetRawBufferAsyncValue: capi.RawBufferFunctionTableGetRawBufferAsyncValue(
			entry(func(_, _ uintptr) *capi.ErrorHandle { return noEvents() })),
		IsMutable: capi.RawBufferFunctionTableIsMutable(entry(func(h *capi.RawBuffer) (yes uintptr) {
			defer survive("is_mutable")
			if r, err := find[*rawBuffer](nil, h); err == nil && r.contents.data != nil && !r.contents.data.constant {
				yes = 1
			}
			return
		})),
		Slice: capi.RawBufferFunctionTableSlice(entry(func(h *capi.RawBuffer, offset, size int64, out **capi.RawBuffer) *capi.ErrorHandle {
			defer survive("slice")
			r, err := find[*rawBuffer](nil, h)
			if err == nil {
				err = r.window(offset, size, true)
			}
			if err == nil {
				*out = r.in.newRawBuffer(r.contents.use(), r.offset+offset, size)
			}
			return serve.NewError(err)
		})),
		ScheduleCopyTo: capi.RawBufferFunctionTableScheduleCopyTo(entry(func(_, _, _, _, _, done, arg uintptr) (word uintptr) {
			defer survive("schedule_copy_to")
			if callback := capi.RawBufferFunctionTableScheduleCopyToAllocationEventCallback(done); callback != 0 {
				// The header does not say who owns the status.
				status := noEvents()
				callback.Call(status, arg)
				serve.DestroyError(status)
			}
			return
		})),
	}
}
