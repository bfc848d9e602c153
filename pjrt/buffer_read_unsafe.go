// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// ToHost waits until the array has been computed and copies it to the host
// (PJRT_Buffer_ToHostBuffer, or directly from memory that the host can read).
func (b *Buffer) ToHost(ctx context.Context) (array HostArray, err error) {
	op := begin(ctx, OperationDownload, subject{buffer: b})
	defer op.end(&err)
	f, err := b.fetch(ctx, math.MaxInt)
	if err != nil {
		return HostArray{}, err
	}
	return HostArray{Type: f.shape.Type, Dims: slices.Clone(f.shape.Dims), Data: f.data}, nil
}

// fetched is the array of a buffer on the host: the buffer's own memory, or a copy.
type fetched struct {
	shape Shape     // the caller must not change it
	view  *hostView // if not nil, the memory; the buffer is acquired then
	data  []byte    // a copy otherwise
}

// fetch waits until the array has been computed, and makes it readable for the host until close.
// Up to a size in bytes, it always copies.
func (b *Buffer) fetch(ctx context.Context, copied int) (fetched, error) {
	if ctx.Done() == nil {
		return b.fetchNow(ctx, copied)
	}
	return b.fetchAside(ctx, copied)
}

func (b *Buffer) fetchAside(ctx context.Context, copied int) (fetched, error) {
	return abandon.CallOn(ctx, b.subject(), func() (fetched, error) { return b.fetchNow(ctx, copied) }, func(f fetched) error {
		f.release()
		return nil
	})
}

// fetchNow is fetch on a goroutine that may block in C.
func (b *Buffer) fetchNow(ctx context.Context, copied int) (fetched, error) {
	shape, h, err := b.startRead(ctx)
	if err != nil {
		return fetched{}, err
	}
	size, err := hostSize(shape)
	if err != nil {
		b.ref.Release()
		return fetched{}, err
	}
	v, err := b.view(ctx, h, size)
	if v != nil && size > copied {
		return fetched{shape: shape, view: v}, nil
	}
	defer b.ref.Release()
	if err != nil {
		return fetched{}, err
	}
	if v != nil {
		defer v.close()
		data := make([]byte, size)
		preempt.Copy(data, v.bytes)
		return fetched{shape: shape, data: data}, nil
	}
	data, err := b.download(ctx, h, size, len(shape.Dims))
	return fetched{shape: shape, data: data}, err
}

// bytes returns the array, valid until close.
func (f fetched) bytes() []byte {
	if f.view != nil {
		return f.view.bytes
	}
	return f.data
}

// close gives the memory of the buffer back.
func (f fetched) close(ctx context.Context) {
	switch {
	case f.view == nil:
	case ctx.Done() == nil:
		f.release()
	default:
		f.releaseAside(ctx)
	}
}

func (f fetched) releaseAside(ctx context.Context) { abandon.CleanUp(ctx, f.release) }

// release is close on a goroutine that may block in C.
func (f fetched) release() {
	if v := f.view; v != nil {
		b := v.buffer
		v.close()
		b.ref.Release()
	}
}

// download copies an array of size bytes to new memory.
func (b *Buffer) download(ctx context.Context, h *capi.Buffer, size, rank int) ([]byte, error) {
	if size >= largeRead || ctx.Done() != nil {
		// The host may not have memory for an array that failed or was deleted, nor for one that
		// nobody waits for any more.
		if err := b.wait(ctx, h); err != nil && !errors.Is(err, ErrUnimplemented) { // then the transfer waits
			return nil, err
		}
		if err := b.alive(h); err != nil {
			return nil, err
		}
	}
	order, err := b.readsAs(ctx, h)
	if err != nil {
		return nil, err
	}
	data := make([]byte, max(size, 1)) // some plugins want an address even for no bytes
	e, err := useContents(ctx, b, h, func() (*capi.Event, error) { return b.transfer(h, data[:size], rank) })
	if err != nil {
		return nil, err
	}
	if err := awaitEvent(ctx, b.client.table, e, &transferUse{b, data}); err != nil {
		return nil, err
	}
	order.toRows(data[:size], *b.shape)
	return data[:size:size], nil
}

// largeRead is the size in bytes from which ToHost does not allocate memory before it
// knows that the array has contents.
const largeRead = 1 << 28

// ToHostInto is ToHost that copies to the beginning of dst, in the form of HostArray.Data, and
// returns the number of bytes, see [Shape.HostSize]. After an error dst is unchanged. If ctx can
// end, and the host cannot read the memory of the buffer, the plugin copies to other memory first.
func (b *Buffer) ToHostInto(ctx context.Context, dst []byte) (n int, err error) {
	op := begin(ctx, OperationDownload, subject{buffer: b})
	defer op.end(&err)
	if ctx.Done() == nil {
		return b.readAll(ctx, dst)
	}
	f, err := b.fetch(ctx, shortCopy)
	if err != nil {
		return 0, err
	}
	defer f.close(ctx)
	size := len(f.bytes())
	if err := hasRoom(dst, f.shape, size); err != nil {
		return 0, err
	}
	preempt.Copy(dst[:size], f.bytes())
	return size, nil
}

// hasRoom returns an error unless an array of the shape, which takes size bytes, fits into dst.
func hasRoom(dst []byte, shape Shape, size int) error {
	if len(dst) < size {
		return invalid("an array of shape %v takes %d bytes, and dst has %d", shape, size, len(dst))
	}
	return nil
}

// readAll is ToHostInto for a context that cannot end.
func (b *Buffer) readAll(ctx context.Context, dst []byte) (int, error) {
	shape, h, err := b.startRead(ctx)
	if err != nil {
		return 0, err
	}
	defer b.ref.Release()
	size, err := hostSize(shape)
	if err != nil {
		return 0, err
	}
	if err := hasRoom(dst, shape, size); err != nil {
		return 0, err
	}
	return size, b.readInto(ctx, h, dst[:size], len(shape.Dims))
}

// readInto fills dst, which is as long as the array. ctx cannot end.
func (b *Buffer) readInto(ctx context.Context, h *capi.Buffer, dst []byte, rank int) error {
	if copied, err := b.copyMemory(ctx, h, dst); copied || err != nil {
		return err
	}
	order, err := b.readsAs(ctx, h)
	if err != nil {
		return err
	}
	if err := b.beginTurn(ctx, turnUse); err != nil {
		return err
	}
	e, err := b.transfer(h, dst, rank)
	b.endTurn(turnUse, h)
	if err != nil {
		return err
	}
	if err := awaitEvent(ctx, b.client.table, e, b.client.ref); err != nil {
		return err
	}
	order.toRows(dst, *b.shape)
	return nil
}

// ToHostAsync is ToHost without waiting: it returns an event, which the caller closes, that is
// ready when dst has the array in the form of HostArray.Data. dst must have exactly the size of the
// array, which has no dimensions known only at run time. Until the event is ready, dst belongs to
// the plugin.
func (b *Buffer) ToHostAsync(dst []byte) (*Event, error) {
	if b == nil || b.client == nil {
		return nil, errNilBuffer
	}
	size, err := hostSize(*b.shape)
	if err != nil {
		return nil, err
	}
	if len(dst) != size {
		return nil, invalid("an array of shape %v takes %d bytes, and dst has %d", b.shape, size, len(dst))
	}
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	if dims, err := b.dynamicDims(h); err == nil && len(dims) > 0 {
		b.ref.Release()
		return nil, invalid("the size of %v is not known before it has been computed: use ToHost", b.shape)
	}
	order, err := b.readsAs(context.Background(), h)
	if err == nil {
		err = b.beginTurn(context.Background(), turnUse)
	}
	if err != nil {
		b.ref.Release()
		return nil, err
	}
	e, err := b.transfer(h, dst, len(b.shape.Dims))
	b.endTurn(turnUse, h)
	if err != nil {
		b.ref.Release()
		return nil, err
	}
	return b.asyncEvent(e, dst, order), nil
}

// asyncEvent owns the event of a transfer from b, which is acquired, to dst. It keeps
// both until the transfer is over. If order is not nil, the transfer leaves the elements in that
// order, and the result is ready when they are row-major.
func (b *Buffer) asyncEvent(h *capi.Event, dst []byte, order *Layout) *Event {
	e := newEvent(b.client.table, h, b.client.events)
	if order != nil {
		state, transfer := new(eventState), e
		finish := func(err error) {
			if err == nil {
				order.toRows(dst, *b.shape)
			}
			state.settle(err)
		}
		if err := transfer.OnReady(finish); err != nil {
			finish(err)
		}
		e = &Event{state: state, parts: []*Event{transfer}}
	}
	e.waits = b.waits
	e.after(func() {
		runtime.KeepAlive(dst)
		b.ref.Release()
	})
	return e
}

// startRead acquires the buffer and returns its actual shape, which the caller must not
// change.
func (b *Buffer) startRead(ctx context.Context) (Shape, *capi.Buffer, error) {
	if err := abandon.Err(ctx, b.subject(), ""); err != nil {
		return Shape{}, nil, err
	}
	h, err := b.acquire()
	if err != nil {
		return Shape{}, nil, err
	}
	if err := b.refuseToWait(ctx, h); err != nil {
		b.ref.Release()
		return Shape{}, nil, err
	}
	dims, err := b.realDims(ctx, h)
	if err != nil {
		b.ref.Release()
		return Shape{}, nil, err
	}
	return Shape{Type: b.shape.Type, Dims: dims}, h, nil
}

// waitForMemory waits for the contents of an acquired buffer, and reports whether the host may
// be able to read its memory as a dense array of size bytes. The error is that of ctx or of the
// contents.
func (b *Buffer) waitForMemory(ctx context.Context, h *capi.Buffer, size int) (bool, error) {
	if size == 0 || !b.knownReadable(h) {
		return false, nil
	}
	// The plugin may allocate the memory only with the contents.
	if err := b.wait(ctx, h); err != nil {
		if errors.Is(err, ErrUnimplemented) {
			return false, nil // the transfer waits, or reports the error of the contents
		}
		return false, err
	}
	return true, nil
}

// shortCopy is the size in bytes up to which the calls of a copy are made under one lock.
const shortCopy = 1 << 14

// copyMemory copies the memory of an acquired buffer to dst, which is as long as the array, after
// the wait for its contents. It reports whether it has copied.
func (b *Buffer) copyMemory(ctx context.Context, h *capi.Buffer, dst []byte) (bool, error) {
	if len(dst) > shortCopy {
		v, err := b.view(ctx, h, len(dst))
		if v == nil {
			return false, err
		}
		defer v.close()
		preempt.Copy(dst, v.bytes)
		return true, nil
	}
	if ok, err := b.waitForMemory(ctx, h, len(dst)); !ok {
		return false, err
	}
	v := hostViews.Get().(*hostView)
	v.set(b, h)
	copied := b.references.takeAndCopy(ctx, b.client.table, v, dst)
	v.put()
	return copied, nil // if not, the transfer may, or reports a better error
}

// view waits for the contents of an acquired buffer and returns its memory, or nil if the
// host cannot read it as a dense array of size bytes. The error is that of ctx or of the
// contents.
func (b *Buffer) view(ctx context.Context, h *capi.Buffer, size int) (*hostView, error) {
	if ok, err := b.waitForMemory(ctx, h, size); !ok {
		return nil, err
	}
	v := hostViews.Get().(*hostView)
	address, err := v.open(ctx, b, h)
	if err != nil {
		v.put()
		return nil, nil // the transfer reports a better error
	}
	if address == 0 {
		v.close()
		return nil, nil
	}
	v.bytes = bytesAt(address, size)
	return v, nil
}

// knownReadable is isReadable that asks the plugin once, or for one result of all of its kind. A
// plugin may fail to answer for one buffer, so a no is not said of others.
func (b *Buffer) knownReadable(h *capi.Buffer) bool {
	if b.kind.isReadable() {
		return true
	}
	yes := b.readable.get(func() bool { return b.isReadable(h) })
	if yes && b.kind != nil {
		b.kind.readable.Store(true)
	}
	return yes
}

// isReadable reports whether the host can read the memory of the buffer as a dense,
// row-major array.
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
	size, err := hostSize(*b.shape)
	if err != nil {
		return false
	}
	if n, err := b.onDeviceSize(h); n != int64(size) || err != nil {
		return false
	}
	l, err := b.layout(h)
	return err == nil && l.rowMajor(*b.shape)
}

// ReadInPlace waits until the array has been computed, calls fn with its data in the form
// of HostArray.Data, and returns fn's error. data is the buffer's own memory if the host
// can read that, and a copy otherwise. fn must not change data or use it after it
// returns; until then data stays valid, even if the buffer is deleted or closed.
func (b *Buffer) ReadInPlace(ctx context.Context, fn func(data []byte) error) error {
	if fn == nil {
		return invalid("the function is nil")
	}
	f, err := b.fetch(ctx, 0)
	if err != nil {
		return err
	}
	defer f.close(ctx)
	return fn(f.bytes())
}

// ToHostStrided waits for the array and copies it to dst, for example into columns of a larger
// array. strides are as in BufferOptions.Strides, but 0 only for dimensions of at most 1 element.
// dst has exactly the bytes that the array spans; those between elements stay unchanged. After an
// error the contents of dst are undefined.
func (b *Buffer) ToHostStrided(ctx context.Context, dst []byte, strides []int64) error {
	if b == nil || b.client == nil {
		return errNilBuffer
	}
	if strides == nil {
		if n, err := hostSize(*b.shape); err != nil || len(dst) != n {
			return firstOf(err, invalid("an array of shape %v takes %d bytes, and dst has %d", b.shape, n, len(dst)))
		}
		_, err := b.ToHostInto(ctx, dst)
		return err
	}
	size, origin, err := strided(*b.shape, strides)
	if err != nil {
		return err
	}
	if len(dst) != size {
		return invalid("an array of shape %v with strides %v spans %d bytes, and dst has %d", b.shape, strides, size, len(dst))
	}
	if size == 0 {
		return b.Wait(ctx)
	}
	for i, s := range strides {
		if s == 0 && b.shape.Dims[i] > 1 {
			return invalid("the strides %v put all elements of dimension %d in the same place", strides, i)
		}
	}
	strides = slices.Clone(strides)
	// Plugins accept other orders than row-major for the copy, and ignore them.
	return b.ReadInPlace(ctx, func(data []byte) error {
		if len(data)/b.shape.Type.Size() != product(b.shape.Dims) {
			return invalid("the array has dimensions that are known only at run time, and is smaller than %v: use ToHost", b.shape)
		}
		scatter(dst, origin, data, b.shape.Dims, strides, b.shape.Type.Size())
		return nil
	})
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
