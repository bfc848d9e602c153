// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"io"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// ToHost copies the array to the host, after it has been computed
// (PJRT_Buffer_ToHostBuffer, or straight from the buffer's memory where the host
// can read it). When ctx ends first it returns ctx's error.
func (b *Buffer) ToHost(ctx context.Context) (_ HostArray, err error) {
	op := begin(ctx, OperationDownload, subject{buffer: b})
	defer op.end(&err)
	shape, h, err := b.startRead(ctx)
	if err != nil {
		return HostArray{}, err
	}
	release := b.ref.Release
	defer func() { release() }()
	size, err := shape.HostSize()
	if err != nil {
		return HostArray{}, err
	}
	if v, err := b.view(ctx, h, size); err != nil {
		return HostArray{}, err
	} else if v != nil {
		defer v.close()
		data := make([]byte, size)
		copyInSteps(data, v.bytes)
		return HostArray{Type: shape.Type, Dims: slices.Clone(shape.Dims), Data: data}, nil
	}
	if size >= largeRead {
		// An array that failed, or is gone, may be larger than there is memory.
		if err := b.wait(ctx, h); err != nil {
			return HostArray{}, err
		}
		if err := b.alive(h); err != nil {
			return HostArray{}, err
		}
	}
	data := make([]byte, max(size, 1)) // not empty: some plugins want an address
	e, err := b.transfer(h, data[:size], len(shape.Dims))
	if err != nil {
		return HostArray{}, err
	}
	// The transfer reads the buffer and writes data until its event is ready.
	finished := func() {
		runtime.KeepAlive(data)
		b.ref.Release()
	}
	release = func() {}
	if err := waitAndClose(ctx, b.client.table, e, b.client.ref, finished); err != nil {
		return HostArray{}, err
	}
	return HostArray{Type: shape.Type, Dims: slices.Clone(shape.Dims), Data: data[:size:size]}, nil
}

// largeRead is a number of bytes beyond which an allocation in vain matters.
const largeRead = 1 << 28

// ToHostInto copies the array to dst, in the form of a HostArray's data, and
// returns the number of bytes, which dst must have room for (see
// Shape.HostSize). What dst has beyond stays as it is.
//
// When ctx ends while the array is being computed, ToHostInto returns ctx's
// error and dst is unchanged. The copy itself is always waited for.
func (b *Buffer) ToHostInto(ctx context.Context, dst []byte) (_ int, err error) {
	op := begin(ctx, OperationDownload, subject{buffer: b})
	defer op.end(&err)
	shape, h, err := b.startRead(ctx)
	if err != nil {
		return 0, err
	}
	defer b.ref.Release()
	size, err := shape.HostSize()
	if err != nil {
		return 0, err
	}
	if len(dst) < size {
		return 0, invalid("an array of shape %v takes %d bytes, there is room for %d", shape, size, len(dst))
	}
	return size, b.readInto(ctx, h, dst[:size], len(shape.Dims))
}

// readInto fills dst, which is as long as the array.
func (b *Buffer) readInto(ctx context.Context, h *capi.Buffer, dst []byte, rank int) error {
	v, err := b.view(ctx, h, len(dst))
	if err != nil {
		return err
	}
	if v != nil {
		defer v.close()
		copyInSteps(dst, v.bytes)
		return nil
	}
	if ctx.Done() != nil {
		// Once bytes move, dst is the plugin's until all have.
		if err := b.wait(ctx, h); err != nil {
			return err
		}
	}
	e, err := b.transfer(h, dst, rank)
	if err != nil {
		return err
	}
	err = b.client.waitEvent(context.Background(), e)
	runtime.KeepAlive(dst)
	return err
}

// ToHostAsync begins to copy the array to dst, in the form of a HostArray's
// data, and returns an event that is ready when dst has it. The array may still
// be computed then; nothing waits. dst must have exactly the size of the array,
// and belongs to the plugin until the event is ready; it is kept referenced.
// Arrays with dimensions that are known only at run time are refused. The caller
// closes the event.
func (b *Buffer) ToHostAsync(dst []byte) (*Event, error) {
	size, err := b.shape.HostSize()
	if err != nil {
		return nil, err
	}
	if len(dst) != size {
		return nil, invalid("an array of shape %v takes %d bytes, there is room for %d", b.shape, size, len(dst))
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	if dims, err := b.dynamicDims(h); err == nil && len(dims) > 0 {
		b.ref.Release()
		return nil, invalid("the size of %v is not known before it has been computed; use ToHost", b.shape)
	}
	e, err := b.transfer(h, dst, len(b.shape.Dims))
	if err != nil {
		b.ref.Release()
		return nil, err
	}
	return b.asyncEvent(e, dst)
}

// asyncEvent takes over the event of a transfer from b, which is acquired, to
// dst, and keeps both until it is over.
func (b *Buffer) asyncEvent(h *capi.Event, dst []byte) (*Event, error) {
	if h == nil {
		b.ref.Release()
		return nil, failed(ErrInternal, "the plugin gives no event for a transfer")
	}
	e := newEvent(b.client.table, h, b.client.ref)
	e.after(func() {
		runtime.KeepAlive(dst)
		b.ref.Release()
	})
	return e, nil
}

// startRead acquires the buffer and returns the shape that it really has, which
// must not be changed.
func (b *Buffer) startRead(ctx context.Context) (Shape, *capi.Buffer, error) {
	if err := ctx.Err(); err != nil {
		return Shape{}, nil, err
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return Shape{}, nil, err
	}
	dims, err := b.realDims(ctx, h)
	if err != nil {
		b.ref.Release()
		return Shape{}, nil, err
	}
	return Shape{b.shape.Type, dims}, h, nil
}

// transfer begins a copy to dst by PJRT_Buffer_ToHostBuffer.
func (b *Buffer) transfer(h *capi.Buffer, dst []byte, rank int) (*capi.Event, error) {
	if len(dst) == 0 {
		dst = make([]byte, 1)[:0] // a null address asks for the size only
	}
	layout := rowMajorLayout(rank)
	var call capi.Call[capi.BufferToHostBufferArgs]
	args := &call.Args
	args.Src = h
	args.HostLayout = layout.layout
	args.Dst, args.DstSize = unsafe.Pointer(unsafe.SliceData(dst)), uintptr(len(dst))
	err := call.Do(b.client.table)
	runtime.KeepAlive(layout)
	return args.Event, err
}

// hostView is the memory of a buffer, which stays until it is closed. It holds
// the calls that it needs, so that reading through it allocates nothing.
type hostView struct {
	buffer *Buffer
	bytes  []byte

	deleted capi.Call[capi.BufferIsDeletedArgs]
	up      capi.Call[capi.BufferIncreaseExternalReferenceCountArgs]
	pointer capi.Call[capi.BufferOpaqueDeviceMemoryDataPointerArgs]
	down    capi.Call[capi.BufferDecreaseExternalReferenceCountArgs]
}

var hostViews = sync.Pool{New: func() any { return new(hostView) }}

// view waits for the contents and returns the memory of an acquired buffer, if
// the host can read there a dense array of size bytes; else nil. The error is
// that of ctx or of the contents.
func (b *Buffer) view(ctx context.Context, h *capi.Buffer, size int) (*hostView, error) {
	if size == 0 || !b.readable.get(func() bool { return b.isReadable(h) }) {
		return nil, nil
	}
	// Before the contents are there, the memory need not be there either.
	if err := b.wait(ctx, h); err != nil {
		return nil, err
	}
	v := hostViews.Get().(*hostView)
	address, err := v.open(b, h)
	if err != nil {
		v.buffer = nil
		hostViews.Put(v)
		return nil, nil // the transfer has the better error
	}
	if address == 0 {
		v.close()
		return nil, nil
	}
	v.bytes = unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), size)
	return v, nil
}

// open takes an external reference and returns the address of the memory.
func (v *hostView) open(b *Buffer, h *capi.Buffer) (uintptr, error) {
	v.up.Args.Buffer, v.pointer.Args.Buffer, v.down.Args.Buffer = h, h, h
	v.buffer = b
	return b.references.take(b.client.table, v)
}

func (v *hostView) close() {
	v.buffer.references.drop(v.buffer.client.table, &v.down)
	v.buffer, v.bytes = nil, nil
	hostViews.Put(v)
}

// isReadable reports whether the memory of the buffer is that of a dense,
// row-major array which the host can read.
func (b *Buffer) isReadable(h *capi.Buffer) bool {
	if b.shape.Type.IsSubByte() { // packed on the device
		return false
	}
	if dims, err := b.dynamicDims(h); err == nil && len(dims) > 0 {
		return false
	}
	if yes, err := b.isOnCPU(h); !yes || err != nil {
		return false
	}
	size, err := b.shape.HostSize()
	if err != nil {
		return false
	}
	if n, err := b.onDeviceSize(h); n != int64(size) || err != nil {
		return false
	}
	l, err := b.layout(h)
	return err == nil && l.rowMajor(b.shape)
}

// copyInSteps is copy in pieces between which the goroutine can be preempted:
// the collector waits for a copy that is under way.
func copyInSteps(dst, src []byte) {
	const step = 1 << 20
	for len(src) > step {
		copy(dst, src[:step])
		dst, src = dst[step:], src[step:]
	}
	copy(dst, src)
}

// ReadInPlace calls fn with the data of the array, in the form of a HostArray's,
// after it has been computed, and returns fn's error. Where the host can read
// the memory of the buffer, data is that memory and nothing is copied; else it
// is a copy. fn must not change data, nor use it after it has returned; the
// memory stays until then, even if the buffer is deleted or closed.
func (b *Buffer) ReadInPlace(ctx context.Context, fn func(data []byte) error) error {
	if fn == nil {
		return invalid("the function is nil")
	}
	shape, h, err := b.startRead(ctx)
	if err != nil {
		return err
	}
	defer b.ref.Release()
	size, err := shape.HostSize()
	if err != nil {
		return err
	}
	v, err := b.view(ctx, h, size)
	if err != nil {
		return err
	}
	if v != nil {
		defer v.close()
		return fn(v.bytes)
	}
	a, err := b.ToHost(ctx)
	if err != nil {
		return err
	}
	return fn(a.Data)
}

// WriteHostTo writes the data of the array, in the form of a HostArray's, to w
// after it has been computed, without a copy where the host can read the memory
// of the buffer. It returns the number of bytes written.
func (b *Buffer) WriteHostTo(ctx context.Context, w io.Writer) (n int64, err error) {
	if w == nil {
		return 0, invalid("the writer is nil")
	}
	err = b.ReadInPlace(ctx, func(data []byte) error {
		written, err := w.Write(data)
		n = int64(written)
		return err
	})
	return n, err
}
