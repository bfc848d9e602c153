// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"math/bits"
	"runtime"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// CopyToDevice copies the array to the default memory of a device of the same
// client (PJRT_Buffer_CopyToDevice). It does not wait for the copy, which can be
// used at once. Plugins may refuse the device that the buffer is on already.
func (b *Buffer) CopyToDevice(ctx context.Context, d *Device) (_ *Buffer, err error) {
	op := begin(ctx, OperationCopy, subject{buffer: b})
	defer op.end(&err)
	op.on(d)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dh, err := d.handleFor(b.client)
	if err != nil {
		return nil, err
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	var call capi.Call[capi.BufferCopyToDeviceArgs]
	call.Args.Buffer, call.Args.DstDevice = h, dh
	if err := allocate(ctx, b.client.table, &call); err != nil {
		return nil, err
	}
	return b.client.adoptBuffer(call.Args.DstBuffer)
}

// CopyToMemory copies the array to a memory of the same client
// (PJRT_Buffer_CopyToMemory). It does not wait for the copy, which can be used
// at once. Plugins may refuse the memory that the buffer is in already.
func (b *Buffer) CopyToMemory(ctx context.Context, m *Memory) (_ *Buffer, err error) {
	op := begin(ctx, OperationCopy, subject{buffer: b})
	defer op.end(&err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, invalid("the memory is nil")
	}
	mh, err := m.handleIn(b.client)
	if err != nil {
		return nil, err
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	var call capi.Call[capi.BufferCopyToMemoryArgs]
	call.Args.Buffer, call.Args.DstMemory = h, mh
	if err := allocate(ctx, b.client.table, &call); err != nil {
		return nil, err
	}
	return b.client.adoptBuffer(call.Args.DstBuffer)
}

// Bitcast makes the buffer into one of another type and shape over the same
// bytes (PJRT_Buffer_Bitcast, since API 0.98). Both shapes must have as many
// bits. Success deletes b, which is still the caller's to close. layout may be
// nil, for the default one of the new shape.
func (b *Buffer) Bitcast(ctx context.Context, shape Shape, layout *Layout) (*Buffer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := b.client.knows(shape.Type); err != nil {
		return nil, err
	}
	if _, err := shape.HostSize(); err != nil {
		return nil, err
	}
	if !sameBits(b.shape, shape) {
		return nil, invalid("%v cannot be made into %v, which has another number of bits", b.shape, shape)
	}
	if layout != nil && layout.Strides != nil {
		return nil, invalid("Bitcast takes no layout of strides; give an order of dimensions")
	}
	c, err := layout.encode(shape)
	if err != nil {
		return nil, err
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	if err := b.alive(h); err != nil {
		return nil, err
	}
	var call capi.Call[capi.BufferBitcastArgs]
	args := &call.Args
	args.Buffer = h
	args.ElementType = capi.BufferType(shape.Type)
	dims := slices.Clone(shape.Dims)
	args.Dims, args.NumDims = unsafe.SliceData(dims), uintptr(len(dims))
	args.DeviceLayout = c.layout
	b.references.beginConsume()
	err = call.Do(b.client.table)
	b.references.endConsume()
	runtime.KeepAlive(c)
	if err != nil {
		return nil, err
	}
	return b.client.newBuffer(args.OutBuffer, shape), nil
}

// sameBits reports whether arrays of both shapes have as many bits when they are
// packed as tightly as their types allow.
func sameBits(a, b Shape) bool {
	na, err := a.Len()
	if err != nil {
		return false
	}
	nb, err := b.Len()
	if err != nil {
		return false
	}
	ah, al := bits.Mul64(uint64(na), uint64(a.Type.Bits()))
	bh, bl := bits.Mul64(uint64(nb), uint64(b.Type.Bits()))
	return ah == bh && al == bl
}

// CopyRawToHost fills dst with the bytes that begin at offset in the memory of
// the buffer, as they lie on the device, whatever the type and the layout
// (PJRT_Buffer_CopyRawToHost, since API 0.57). The bytes must lie within
// OnDeviceSize.
//
// When ctx ends while the array is being computed, CopyRawToHost returns ctx's
// error and dst is unchanged. The copy itself is always waited for.
func (b *Buffer) CopyRawToHost(ctx context.Context, dst []byte, offset int64) (err error) {
	op := begin(ctx, OperationDownload, subject{client: b.client, bytes: len(dst)})
	defer op.end(&err)
	h, err := b.ref.Acquire()
	if err != nil {
		return err
	}
	defer b.ref.Release()
	if err := b.checkRange(h, offset, int64(len(dst))); err != nil {
		return err
	}
	// Once bytes move, dst is the plugin's until all have.
	if err := b.wait(ctx, h); err != nil {
		return err
	}
	e, err := b.copyRaw(h, dst, offset)
	if err != nil {
		return err
	}
	err = b.client.waitEvent(context.Background(), e)
	runtime.KeepAlive(dst)
	return err
}

// CopyRawToHostAsync is CopyRawToHost without waiting for the copy; it does wait
// until the array has been computed, because plugins crash when there is nothing
// to copy yet. It returns an event that is ready when dst has the bytes; until
// then dst belongs to the plugin, and is kept referenced. The caller closes the
// event.
func (b *Buffer) CopyRawToHostAsync(ctx context.Context, dst []byte, offset int64) (*Event, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	err = b.checkRange(h, offset, int64(len(dst)))
	if err == nil {
		err = b.wait(ctx, h)
	}
	if err != nil {
		b.ref.Release()
		return nil, err
	}
	e, err := b.copyRaw(h, dst, offset)
	if err != nil {
		b.ref.Release()
		return nil, err
	}
	return b.asyncEvent(e, dst)
}

func (b *Buffer) copyRaw(h *capi.Buffer, dst []byte, offset int64) (*capi.Event, error) {
	if len(dst) == 0 {
		dst = make([]byte, 1)[:0]
	}
	var call capi.Call[capi.BufferCopyRawToHostArgs]
	args := &call.Args
	args.Buffer = h
	args.Dst = unsafe.Pointer(unsafe.SliceData(dst))
	args.Offset, args.TransferSize = offset, int64(len(dst))
	err := call.Do(b.client.table)
	return args.Event, err
}

// checkRange refuses a range of bytes beyond the buffer.
func (b *Buffer) checkRange(h *capi.Buffer, offset, size int64) error {
	total, err := b.onDeviceSize(h)
	if err != nil {
		return err
	}
	if offset < 0 || size < 0 || offset > total || size > total-offset {
		return rangeError(offset, size, total)
	}
	return nil
}

// RawCopy is a copy of bytes of a buffer to the host whose destination is not
// known yet. Its methods may be called from any goroutine.
type RawCopy struct {
	client  *Client
	size    int64
	event   *Event
	promise *promise
	start   capi.BufferCopyRawToHostFutureArgsFutureReadyCallback
	data    uintptr
}

// CopyRawToHostFuture prepares a copy of size bytes at offset, like
// CopyRawToHost, whose destination comes later, by Start
// (PJRT_Buffer_CopyRawToHostFuture, since API 0.84). It waits until the array
// has been computed. The caller closes the RawCopy; the buffer may be closed
// before.
func (b *Buffer) CopyRawToHostFuture(ctx context.Context, offset, size int64) (*RawCopy, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	if err := b.checkRange(h, offset, size); err != nil {
		return nil, err
	}
	if err := b.wait(ctx, h); err != nil {
		return nil, err
	}
	var call capi.Call[capi.BufferCopyRawToHostFutureArgs]
	args := &call.Args
	args.Buffer, args.Offset, args.TransferSize = h, offset, size
	if err := call.Do(b.client.table); err != nil {
		return nil, err
	}
	start, data := args.FutureReadyCallback, args.CallbackData
	if args.Event == nil || start == 0 {
		closeEvent(b.client.table, args.Event)
		return nil, failed(ErrInternal, "the plugin gives no event or no callback for a prepared copy")
	}
	r := &RawCopy{client: b.client, size: size, start: start, data: data}
	r.event = newEvent(b.client.table, args.Event, b.client.ref)
	r.promise = newPromise("raw copy", b.client, func(err error) error {
		c := &capi.BufferCopyRawToHostFutureCallbackArgs{StructSize: capi.BufferCopyRawToHostFutureCallbackArgsSize, CallbackData: data}
		code, message := failure(err)
		c.ErrorCode = code
		c.ErrorMessage, c.ErrorMessageSize = capi.StringData(message)
		start.Call(c)
		runtime.KeepAlive(c)
		return nil
	})
	return r, nil
}

// Size returns the number of bytes to copy.
func (r *RawCopy) Size() int64 { return r.size }

// Event returns the event that is ready when the bytes have been copied, or that
// carries the error in place of them. It belongs to the RawCopy.
func (r *RawCopy) Event() *Event { return r.event }

// Start begins the copy to dst, which must have the size of the copy, belongs to
// the plugin until the event is ready, and is kept referenced until then. A copy
// is started or failed once.
func (r *RawCopy) Start(dst []byte) error {
	if int64(len(dst)) != r.size {
		return invalid("the copy takes %d bytes, there is room for %d", r.size, len(dst))
	}
	return r.promise.keep(func() error {
		room := dst
		if len(room) == 0 {
			room = make([]byte, 1)
		}
		c := &capi.BufferCopyRawToHostFutureCallbackArgs{StructSize: capi.BufferCopyRawToHostFutureCallbackArgsSize, CallbackData: r.data}
		c.Dst = unsafe.Pointer(unsafe.SliceData(room))
		r.start.Call(c)
		r.event.after(func() { runtime.KeepAlive(room) })
		return nil
	})
}

// Fail gives the copy up: the event takes the error on.
func (r *RawCopy) Fail(err error) error { return r.promise.fail(err) }

// Close fails the copy with ErrCancelled if it was not started, and closes the
// event. A copy under way goes on.
func (r *RawCopy) Close() error {
	if r == nil {
		return nil
	}
	r.promise.close()
	return r.event.Close()
}

func rangeError(offset, size, total int64) error {
	return failed(ErrOutOfRange, "%d bytes at %d are not within the %d bytes of the buffer", size, offset, total)
}
