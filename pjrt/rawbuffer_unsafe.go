// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// RawBuffer is the memory behind a buffer, as bytes to read and to write
// (extension RawBuffer, API 0.67). It shares the memory with the buffer, and keeps
// it when the buffer is closed. Its methods may be called from any goroutine.
//
// Writing does not wait for those who use the buffer: the program sees to it that
// no execution reads or writes the bytes at the same time.
type RawBuffer struct {
	client *Client
	ref    *lifetime.Ref[capi.RawBuffer]
	size   int64
}

// Raw waits until the array has its contents and returns the memory behind it
// (PJRT_RawBuffer_CreateRawAliasOfBuffer). The caller closes the RawBuffer.
func (b *Buffer) Raw(ctx context.Context) (*RawBuffer, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	if err := b.wait(ctx, h); err != nil {
		return nil, err
	}
	// Nothing may take the memory while it is asked for.
	b.references.beginReference()
	defer b.references.endReference()
	if err := b.alive(h); err != nil {
		return nil, err
	}
	table := b.client.table
	var c capi.Call[capi.RawBufferCreateRawAliasOfBufferArgs]
	c.Args.Buffer = h
	if err := c.Do(table); err != nil {
		return nil, err
	}
	if c.Args.RawBuffer == nil {
		return nil, failed(ErrInternal, "the plugin gives no raw buffer")
	}
	r := &RawBuffer{client: b.client}
	r.ref = lifetime.New("raw buffer", c.Args.RawBuffer, b.client.ref, func(h *capi.RawBuffer) {
		var d capi.Call[capi.RawBufferDestroyArgs]
		d.Args.Buffer = h
		_ = d.Do(table) // there is nobody to tell
	})
	var size capi.Call[capi.RawBufferGetOnDeviceSizeInBytesArgs]
	size.Args.Buffer = c.Args.RawBuffer
	if err := size.Do(table); err != nil {
		r.Close()
		return nil, err
	}
	r.size = int64(size.Args.OnDeviceSizeInBytes)
	return r, nil
}

// Size returns the number of bytes (PJRT_RawBuffer_GetOnDeviceSizeInBytes).
func (r *RawBuffer) Size() int64 { return r.size }

// Memory returns the memory that the bytes are in (PJRT_RawBuffer_GetMemorySpace).
func (r *RawBuffer) Memory() (*Memory, error) {
	h, err := r.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer r.ref.Release()
	var c capi.Call[capi.RawBufferGetMemorySpaceArgs]
	c.Args.Buffer = h
	if err := c.Do(r.client.table); err != nil {
		return nil, err
	}
	if m := r.client.memoryByHandle[c.Args.MemorySpace]; m != nil {
		return m, nil
	}
	return nil, failed(ErrInternal, "the plugin names a memory that is not among those of the client")
}

// HostAddress returns where the host can read and write the bytes, and 0 where it
// cannot (PJRT_RawBuffer_GetHostPointer, API 0.73). It is valid until Close.
func (r *RawBuffer) HostAddress() (uintptr, error) {
	h, err := r.ref.Acquire()
	if err != nil {
		return 0, err
	}
	defer r.ref.Release()
	var c capi.Call[capi.RawBufferGetHostPointerArgs]
	c.Args.Buffer = h
	err = c.Do(r.client.table)
	return uintptr(c.Args.HostPointer), err
}

// CopyFromHost writes src to the bytes that begin at offset
// (PJRT_RawBuffer_CopyRawHostToDevice) and waits until that is done, whatever
// becomes of ctx, which is looked at before.
func (r *RawBuffer) CopyFromHost(ctx context.Context, src []byte, offset int64) error {
	return r.awaitCopy(ctx, func() (*Event, error) { return r.CopyFromHostAsync(src, offset) })
}

// CopyFromHostAsync is CopyFromHost without waiting. The event is ready when the
// bytes are there; until then src must not be changed, and is kept referenced. The
// caller closes the event.
func (r *RawBuffer) CopyFromHostAsync(src []byte, offset int64) (*Event, error) {
	return r.copyAsync(src, offset, func(h *capi.RawBuffer) (*capi.Event, error) {
		var c capi.Call[capi.RawBufferCopyRawHostToDeviceArgs]
		c.Args.Buffer, c.Args.Src = h, address(src)
		c.Args.Offset, c.Args.TransferSize = offset, int64(len(src))
		err := c.Do(r.client.table)
		return c.Args.Event, err
	})
}

// CopyToHost fills dst with the bytes that begin at offset
// (PJRT_RawBuffer_CopyRawDeviceToHost) and waits until that is done, whatever
// becomes of ctx, which is looked at before.
func (r *RawBuffer) CopyToHost(ctx context.Context, dst []byte, offset int64) error {
	return r.awaitCopy(ctx, func() (*Event, error) { return r.CopyToHostAsync(dst, offset) })
}

// CopyToHostAsync is CopyToHost without waiting. The event is ready when dst has the
// bytes; until then dst belongs to the plugin, and is kept referenced. The caller
// closes the event.
func (r *RawBuffer) CopyToHostAsync(dst []byte, offset int64) (*Event, error) {
	return r.copyAsync(dst, offset, func(h *capi.RawBuffer) (*capi.Event, error) {
		var c capi.Call[capi.RawBufferCopyRawDeviceToHostArgs]
		c.Args.Buffer, c.Args.Dst = h, address(dst)
		c.Args.Offset, c.Args.TransferSize = offset, int64(len(dst))
		err := c.Do(r.client.table)
		return c.Args.Event, err
	})
}

// address is that of data, which is none that is nil: some plugins want one.
func address(data []byte) unsafe.Pointer {
	if len(data) == 0 {
		data = make([]byte, 1)
	}
	return unsafe.Pointer(unsafe.SliceData(data))
}

// awaitCopy waits for a copy. The memory of the host is the plugin's until it is
// over, so that no context can end the wait.
func (r *RawBuffer) awaitCopy(ctx context.Context, begin func() (*Event, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := begin()
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Wait(context.Background())
}

// copyAsync begins a copy to or from data, which it keeps until the copy is over.
func (r *RawBuffer) copyAsync(data []byte, offset int64, begin func(h *capi.RawBuffer) (*capi.Event, error)) (*Event, error) {
	h, err := r.ref.Acquire()
	if err != nil {
		return nil, err
	}
	if size := int64(len(data)); offset < 0 || offset > r.size || size > r.size-offset {
		r.ref.Release()
		return nil, rangeError(offset, size, r.size)
	}
	event, err := begin(h)
	if err != nil {
		r.ref.Release()
		return nil, err
	}
	if event == nil {
		r.ref.Release()
		return nil, failed(ErrInternal, "the plugin gives no event for a transfer")
	}
	e := newEvent(r.client.table, event, r.client.ref)
	e.after(func() {
		runtime.KeepAlive(data)
		r.ref.Release()
	})
	return e, nil
}

// Close gives the raw buffer up (PJRT_RawBuffer_Destroy). Copies under way go on.
func (r *RawBuffer) Close() error {
	if r == nil {
		return nil
	}
	return r.ref.Close()
}

// Aliases reports whether two buffers share memory, all of it or some: because one
// is a view of the other's memory, or both are of the same memory of the host. It
// waits until both have their contents. Buffers on different devices of a client do
// not share memory, unless it is the host's.
func (b *Buffer) Aliases(ctx context.Context, o *Buffer) (bool, error) {
	if o == nil {
		return false, invalid("the other buffer is nil")
	}
	if b == o {
		return true, ctx.Err()
	}
	if b.client != o.client {
		return false, invalid("the buffers belong to two clients")
	}
	mine, size, err := b.extent(ctx)
	if err != nil {
		return false, err
	}
	theirs, otherSize, err := o.extent(ctx)
	if err != nil {
		return false, err
	}
	if mine == 0 || theirs == 0 || mine >= theirs+otherSize || theirs >= mine+size {
		return false, nil
	}
	// Addresses of two devices' own memories mean nothing to each other.
	for _, x := range []*Buffer{b, o} {
		if on, err := x.IsOnCPU(); err != nil || !on {
			d, err := b.Device()
			if err != nil {
				return false, err
			}
			od, err := o.Device()
			return d == od, err
		}
	}
	return true, nil
}

// extent returns where the memory of the buffer is, and its size.
func (b *Buffer) extent(ctx context.Context) (start, size uintptr, err error) {
	r, err := b.Reference(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	n, err := b.OnDeviceSize()
	return r.address, uintptr(n), err
}
