// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package rawbuffer reads and writes the memory behind a buffer as bytes, and waits for the
// events with which a device orders its work. It uses the extension RawBuffer, which came with
// API 0.67; libtpu has it, XLA's plugins for CPUs and GPUs do not. Device events came with
// API 0.104, and raw buffers have used them since API 0.112:
//
//	ready, err := rawBuffer.AllocationReady()
//	...
//	defer ready.Close()
//	err = ready.Wait(ctx)
package rawbuffer

import (
	"bytes"
	"context"
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// RawBuffer is the memory behind a buffer. It shares the memory with the buffer, and
// keeps the memory alive when the buffer is closed. Its methods may be called from any
// goroutine.
//
// Writes do not wait for executions that use the buffer: the program must not let an
// execution read or write the bytes at the same time.
type RawBuffer struct {
	client *pjrt.Client
	table  *capi.Table
	ref    *lifetime.Ref[capi.RawBuffer]
	size   int64
}

// Of waits until the buffer has its contents and returns the memory behind it
// (PJRT_RawBuffer_CreateRawAliasOfBuffer). The caller closes the RawBuffer. The error
// is pjrt.ErrUnimplemented if the plugin does not offer the extension.
func Of(ctx context.Context, b *pjrt.Buffer) (*RawBuffer, error) {
	return raw.Abandonable(ctx, func() (*RawBuffer, error) { return of(ctx, b) }, (*RawBuffer).Close)
}

func of(ctx context.Context, b *pjrt.Buffer) (*RawBuffer, error) {
	// Nothing may free the memory while the plugin makes the alias.
	h, release, err := raw.AcquireContents(ctx, b)
	if err != nil {
		return nil, err
	}
	defer release()
	r := &RawBuffer{client: b.Client(), table: raw.TableOf(b)}
	var c capi.Call[capi.RawBufferCreateRawAliasOfBufferArgs]
	c.Args.Buffer = h
	if err := c.Do(r.table); err != nil {
		return nil, err
	}
	table := r.table
	r.ref = lifetime.New("raw buffer", c.Args.RawBuffer, raw.Parent(r.client), func(h *capi.RawBuffer) {
		var d capi.Call[capi.RawBufferDestroyArgs]
		d.Args.Buffer = h
		_ = d.Do(table)
	})
	var size capi.Call[capi.RawBufferGetOnDeviceSizeInBytesArgs]
	size.Args.Buffer = c.Args.RawBuffer
	if err := size.Do(r.table); err != nil {
		r.Close()
		return nil, err
	}
	if r.size = int64(size.Args.OnDeviceSizeInBytes); r.size < 0 {
		r.Close()
		return nil, size.Function().Misbehaved("gave the impossible size of %d bytes", size.Args.OnDeviceSizeInBytes)
	}
	return r, nil
}

// Size returns the number of bytes (PJRT_RawBuffer_GetOnDeviceSizeInBytes).
func (r *RawBuffer) Size() int64 {
	if r == nil {
		return 0
	}
	return r.size
}

// Memory returns the memory that the bytes are in (PJRT_RawBuffer_GetMemorySpace).
func (r *RawBuffer) Memory() (*pjrt.Memory, error) {
	h, err := r.acquire()
	if err != nil {
		return nil, err
	}
	defer r.ref.Release()
	var c capi.Call[capi.RawBufferGetMemorySpaceArgs]
	c.Args.Buffer = h
	if err := c.Do(r.table); err != nil {
		return nil, err
	}
	return raw.MemoryOf(r.client, c.Args.MemorySpace)
}

// HostAddress returns the address at which the host can read and write the bytes, or 0 if
// the host cannot (PJRT_RawBuffer_GetHostPointer, API 0.73). The address is valid until
// Close.
func (r *RawBuffer) HostAddress() (uintptr, error) {
	h, err := r.acquire()
	if err != nil {
		return 0, err
	}
	defer r.ref.Release()
	var c capi.Call[capi.RawBufferGetHostPointerArgs]
	c.Args.Buffer = h
	err = c.Do(r.table)
	return uintptr(c.Args.HostPointer), err
}

// AllocationReady returns an event that is ready when the memory has been allocated (API 0.112).
// The caller closes it. The error is pjrt.ErrUnimplemented if the plugin is older, or if its raw
// buffers have no such event.
func (r *RawBuffer) AllocationReady() (*DeviceEvent, error) {
	h, err := r.acquire()
	if err != nil {
		return nil, err
	}
	defer r.ref.Release()
	_, minor := r.table.Version()
	const end = unsafe.Offsetof(h.Vtable.MakeAllocationReadyEvent) + unsafe.Sizeof(uintptr(0))
	if minor < eventsSince || h.Vtable == nil || h.Vtable.StructSize < end || h.Vtable.MakeAllocationReadyEvent == 0 {
		return nil, &pjrt.Error{Code: pjrt.ErrUnimplemented, Missing: true,
			Message: "the raw buffers of the plugin have no event for the allocation of their memory, which came with API 0.112"}
	}
	event := new(capi.DeviceEvent)
	if err := r.table.TakeError(h.Vtable.MakeAllocationReadyEvent.Call(h, event)); err != nil {
		return nil, err
	}
	return AdoptDeviceEvent(r.client.Plugin(), *event, r.ref)
}

// CopyFromHost writes src to the bytes that begin at offset (PJRT_RawBuffer_CopyRawHostToDevice)
// and waits for the end of the copy. If ctx can end, it copies a copy of src, since the plugin may
// read it after ctx has ended. The error is pjrt.ErrOutOfRange if src does not fit.
func (r *RawBuffer) CopyFromHost(ctx context.Context, src []byte, offset int64) error {
	if ctx.Done() != nil {
		src = bytes.Clone(src)
	}
	return awaitCopy(ctx, func() (*pjrt.Event, error) { return r.CopyFromHostAsync(src, offset) })
}

// CopyFromHostAsync is like [RawBuffer.CopyFromHost] but does not wait. The event is ready
// when the bytes have been copied. Until then src must not change, and the garbage
// collector does not free it. The caller closes the event.
func (r *RawBuffer) CopyFromHostAsync(src []byte, offset int64) (*pjrt.Event, error) {
	return r.copyAsync(src, offset, func(h *capi.RawBuffer) (*capi.Event, error) {
		var c capi.Call[capi.RawBufferCopyRawHostToDeviceArgs]
		c.Args.Buffer, c.Args.Src = h, address(src)
		c.Args.Offset, c.Args.TransferSize = offset, int64(len(src))
		err := c.Do(r.table)
		return c.Args.Event, err
	})
}

// CopyToHost fills dst with the bytes that begin at offset (PJRT_RawBuffer_CopyRawDeviceToHost) and
// waits for the end of the copy. After an error dst is unchanged. If ctx can end, the plugin copies
// to other memory first, since it may write there after ctx has ended. The error is
// pjrt.ErrOutOfRange if the buffer does not have that many bytes from offset on.
func (r *RawBuffer) CopyToHost(ctx context.Context, dst []byte, offset int64) error {
	data := dst
	if ctx.Done() != nil {
		data = make([]byte, len(dst))
	}
	err := awaitCopy(ctx, func() (*pjrt.Event, error) { return r.CopyToHostAsync(data, offset) })
	if err == nil && ctx.Done() != nil {
		copy(dst, data)
	}
	return err
}

// CopyToHostAsync is like [RawBuffer.CopyToHost] but does not wait. The event is ready
// when dst has the bytes. Until then dst belongs to the plugin, and the garbage collector
// does not free it. The caller closes the event.
func (r *RawBuffer) CopyToHostAsync(dst []byte, offset int64) (*pjrt.Event, error) {
	return r.copyAsync(dst, offset, func(h *capi.RawBuffer) (*capi.Event, error) {
		var c capi.Call[capi.RawBufferCopyRawDeviceToHostArgs]
		c.Args.Buffer, c.Args.Dst = h, address(dst)
		c.Args.Offset, c.Args.TransferSize = offset, int64(len(dst))
		err := c.Do(r.table)
		return c.Args.Event, err
	})
}

// address returns the address of data. It is never nil, because some plugins reject a null
// pointer even when there is nothing to copy.
func address(data []byte) unsafe.Pointer {
	if len(data) == 0 {
		data = make([]byte, 1)
	}
	return unsafe.Pointer(unsafe.SliceData(data))
}

// awaitCopy begins a copy and waits for its end. When ctx ends first, the copy goes on.
func awaitCopy(ctx context.Context, begin func() (*pjrt.Event, error)) error {
	return abandonable(ctx, func() error {
		e, err := begin()
		if err != nil {
			return err
		}
		defer e.Close()
		return e.Wait(ctx)
	})
}

// abandonable is raw.Abandonable without a result.
func abandonable(ctx context.Context, call func() error) error {
	_, err := raw.Abandonable(ctx, func() (struct{}, error) { return struct{}{}, call() }, func(struct{}) error { return nil })
	return err
}

// copyAsync begins a copy to or from data, and keeps data alive until the copy is over.
func (r *RawBuffer) copyAsync(data []byte, offset int64, begin func(h *capi.RawBuffer) (*capi.Event, error)) (*pjrt.Event, error) {
	h, err := r.acquire()
	if err != nil {
		return nil, err
	}
	if n := int64(len(data)); offset < 0 || offset > r.size || n > r.size-offset {
		r.ref.Release()
		return nil, pjrt.ErrOutOfRange.Errorf("%d bytes at %d are not within the %d bytes of the buffer", n, offset, r.size)
	}
	event, err := begin(h)
	if err != nil {
		r.ref.Release()
		return nil, err
	}
	return raw.AdoptEvent(r.client, event, func() {
		runtime.KeepAlive(data)
		r.ref.Release()
	}), nil
}

func (r *RawBuffer) acquire() (*capi.RawBuffer, error) {
	if r == nil || r.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the raw buffer is nil: make one with Of")
	}
	return r.ref.Acquire()
}

// Close destroys the raw buffer (PJRT_RawBuffer_Destroy) once the copies under way are
// over. Closing again does nothing.
func (r *RawBuffer) Close() error {
	if r == nil {
		return nil
	}
	return r.ref.Close()
}
