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
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// CopyToDevice copies the array to the default memory of a device of the same client
// (PJRT_Buffer_CopyToDevice). The copy can be used at once. Plugins may refuse to copy to the same
// device. If the plugin does not implement copies, CopyToDevice waits for the contents and copies
// them through the host.
func (b *Buffer) CopyToDevice(ctx context.Context, d *Device) (copied *Buffer, err error) {
	if b == nil || b.client == nil {
		return nil, errNilBuffer
	}
	op := begin(ctx, OperationCopy, subject{buffer: b})
	defer op.end(&err)
	op.on(d)
	if _, err := d.handleFor(b.client); err != nil {
		return nil, err
	}
	return b.copyTo(ctx, &BufferOptions{Device: d}, (*capi.BufferCopyToDeviceArgs)(nil).Function(),
		func(h *capi.Buffer) (*capi.Buffer, error) { return b.client.copyToDevice(h, d) })
}

// copyTo copies the array to the device or the memory in where, by begin, which calls f.
func (b *Buffer) copyTo(ctx context.Context, where *BufferOptions, f *capi.Function,
	begin func(*capi.Buffer) (*capi.Buffer, error)) (*Buffer, error) {
	return abandon.CallOn(ctx, b.subject(), func() (*Buffer, error) {
		if order, err := b.order(ctx); order != nil || err != nil {
			return b.copyInOrder(ctx, order, err, where)
		}
		copied, err := b.copied(ctx, begin)
		if err != nil {
			return b.copyByHost(ctx, f, err, where)
		}
		if where.Device != nil {
			copied.device.Store(where.Device.handle)
		}
		return copied, nil
	}, (*Buffer).Close)
}

// copied returns the copy that begin begins.
func (b *Buffer) copied(ctx context.Context, begin func(*capi.Buffer) (*capi.Buffer, error)) (*Buffer, error) {
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	copied, err := useContents(ctx, b, h, func() (*capi.Buffer, error) {
		return allocated(ctx, func() (*capi.Buffer, error) { return begin(h) })
	})
	if err != nil {
		return nil, err
	}
	return b.derived(copied, *b.shape), nil
}

// CopyToMemory is CopyToDevice for a memory (PJRT_Buffer_CopyToMemory).
func (b *Buffer) CopyToMemory(ctx context.Context, m *Memory) (copied *Buffer, err error) {
	if b == nil || b.client == nil {
		return nil, errNilBuffer
	}
	op := begin(ctx, OperationCopy, subject{buffer: b})
	defer op.end(&err)
	if m == nil {
		return nil, invalid("the memory is nil")
	}
	if _, err := m.handleIn(b.client); err != nil {
		return nil, err
	}
	return b.copyTo(ctx, &BufferOptions{Memory: m}, (*capi.BufferCopyToMemoryArgs)(nil).Function(),
		func(h *capi.Buffer) (*capi.Buffer, error) { return b.client.copyToMemory(h, m) })
}

// copyByHost copies the array through the memory of the host, and waits for its contents,
// if err says that the plugin does not have the function f.
func (b *Buffer) copyByHost(ctx context.Context, f *capi.Function, err error, opts *BufferOptions) (*Buffer, error) {
	if e, ok := err.(*Error); !ok || e.Code != ErrUnimplemented || e.Func != f.Name {
		return nil, err
	}
	a, herr := b.ToHost(ctx)
	if herr != nil {
		return nil, err
	}
	return b.client.BufferFromHost(ctx, a, opts)
}

// order is readsAs for a buffer that is not acquired. Plugins whose transfers leave the elements in
// the order of the device do so when they copy to another memory, where they forget the order.
func (b *Buffer) order(ctx context.Context) (*Layout, error) {
	if !b.client.permuted.Load() {
		return nil, nil
	}
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	return b.readsAs(ctx, h)
}

// copyInOrder copies the array, which is in the order of the layout, through the memory of the
// host.
func (b *Buffer) copyInOrder(ctx context.Context, order *Layout, err error, opts *BufferOptions) (*Buffer, error) {
	if err != nil {
		return nil, err
	}
	a, err := b.ToHost(ctx)
	if err != nil {
		return nil, err
	}
	opts.Layout = order
	return b.client.BufferFromHost(ctx, a, opts)
}

// Bitcast returns a buffer of another type and shape over the same bytes (PJRT_Buffer_Bitcast, API
// 0.98). Both shapes must have as many bits. A nil layout means the default one. Success deletes b,
// which the caller still closes.
func (b *Buffer) Bitcast(ctx context.Context, shape Shape, layout *Layout) (*Buffer, error) {
	if b == nil || b.client == nil {
		return nil, errNilBuffer
	}
	if err := b.hasElements(); err != nil {
		return nil, err
	}
	if err := knowsType(b.client.table, shape.Type); err != nil {
		return nil, err
	}
	if _, err := hostSize(shape); err != nil {
		return nil, err
	}
	if !sameBits(*b.shape, shape) {
		return nil, invalid("%v cannot be cast to %v, which has a different number of bits", b.shape, shape)
	}
	if layout != nil && layout.Strides != nil {
		return nil, invalid("Bitcast does not take a layout of strides: use one with an order of dimensions")
	}
	c, err := layout.encodeOnDevice(shape)
	if err != nil {
		return nil, err
	}
	if layout != nil {
		b.client.permuted.Store(true)
	}
	dims := slices.Clone(shape.Dims)
	return abandon.CallOn(ctx, b.subject(), func() (*Buffer, error) {
		h, release, err := b.acquireToConsume()
		if err != nil {
			return nil, err
		}
		defer release()
		var call capi.Call[capi.BufferBitcastArgs]
		args := &call.Args
		args.Buffer = h
		args.ElementType = capi.BufferType(shape.Type)
		args.Dims, args.NumDims = unsafe.SliceData(dims), uintptr(len(dims))
		args.DeviceLayout = c.layout
		err = call.Do(b.client.table)
		runtime.KeepAlive(c)
		if err != nil {
			return nil, err
		}
		return b.derived(args.OutBuffer, Shape{Type: shape.Type, Dims: dims}).obeyed(args.OutBuffer, layout)
	}, (*Buffer).Close)
}

// sameBits reports whether arrays of both shapes, packed as tightly as their types allow,
// have the same number of bits.
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
