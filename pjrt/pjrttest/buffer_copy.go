// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

func (p *Plugin) bufferToHostBuffer(a *capi.BufferToHostBufferArgs) error {
	b, err := find[*buffer](p, a.Src)
	if err != nil {
		return err
	}
	strides, err := hostStrides(a.HostLayout, b.order, b.shape)
	if err != nil {
		return err
	}
	size, origin, err := extent(b.shape, strides)
	if err != nil {
		return err
	}
	if origin > 0 {
		return capi.ErrorCodeUnimplemented.Errorf("a host layout with negative strides is not supported")
	}
	if a.Dst == nil {
		a.DstSize = uintptr(size)
		return nil
	}
	if a.DstSize < uintptr(size) {
		return invalid("an array of shape %v takes %d bytes, but the destination has room for %d", b.shape, size, a.DstSize)
	}
	c, err := b.use()
	if err != nil {
		return err
	}
	dst := strided{hostSpan(a.Dst, size, 0), strides}
	a.Event = p.transfer(a.Function().Name, b.in, c, func() { fromDevice(dst, c.data.bytes, b.order, b.shape) })
	return nil
}

// hostStrides returns the strides on the host of an array with the given layout, or with
// its layout on the device if none is given.
func hostStrides(l *capi.BufferMemoryLayout, device order, s pjrt.Shape) ([]int64, error) {
	if l == nil {
		return device.strides(s), nil
	}
	layout, err := read(l, "PJRT_Buffer_MemoryLayout", capi.BufferMemoryLayoutSize)
	if err != nil {
		return nil, err
	}
	if layout.Type == capi.BufferMemoryLayoutTypeStrides {
		return givenStrides(layout.Strides(), len(s.Dims))
	}
	o, err := deviceOrder(l, s)
	if err != nil {
		return nil, err
	}
	return o.strides(s), nil
}

// transfer begins an operation that reads contents, and returns its event. The operation
// releases the contents.
func (p *Plugin) transfer(function string, in *memory, c *contents, move func()) *capi.Event {
	over := newFuture()
	e := p.newEvent(over)
	p.start(&Operation{p: p, function: function, device: in.device.id, run: func(err error) {
		if err == nil {
			move()
		}
		c.release()
		over.complete(err)
	}}, []*future{c.ready})
	return e
}

// window returns an error unless the range is within the buffer's bytes.
func (b *buffer) window(offset, size int64) error {
	if offset < 0 || size < 0 || offset > b.size || size > b.size-offset {
		return invalid("%d bytes at %d are not within the %d bytes of the buffer", size, offset, b.size)
	}
	return nil
}

func (p *Plugin) bufferCopyRawToHost(a *capi.BufferCopyRawToHostArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	if err := b.window(a.Offset, a.TransferSize); err != nil {
		return err
	}
	if a.Dst == nil && a.TransferSize > 0 {
		return invalid("the destination of %d bytes is null", a.TransferSize)
	}
	c, err := b.use()
	if err != nil {
		return err
	}
	dst, offset := hostBytes(a.Dst, a.TransferSize), a.Offset
	a.Event = p.transfer(a.Function().Name, b.in, c, func() { copy(dst, c.data.bytes[offset:]) })
	return nil
}

// rawCopy is a copy to a destination on the host that the caller names later.
type rawCopy struct {
	p            *Plugin
	in           *memory
	contents     *contents
	offset, size int64
	over         *future
}

func (p *Plugin) bufferCopyRawToHostFuture(a *capi.BufferCopyRawToHostFutureArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	if err := b.window(a.Offset, a.TransferSize); err != nil {
		return err
	}
	c, err := b.use()
	if err != nil {
		return err
	}
	r := &rawCopy{p: p, in: b.in, contents: c, offset: a.Offset, size: a.TransferSize, over: newFuture()}
	a.Event = p.newEvent(r.over)
	a.FutureReadyCallback, a.CallbackData = rawCopyCallback(r)
	return nil
}

// begin starts the copy to the caller's destination, or ends it with the caller's error.
func (r *rawCopy) begin(cause error, dst []byte) {
	if cause == nil && int64(len(dst)) < r.size {
		cause = invalid("the destination of %d bytes is null", r.size)
	}
	if cause != nil {
		r.contents.release()
		r.over.complete(cause)
		return
	}
	r.p.start(&Operation{p: r.p, function: "PJRT_Buffer_CopyRawToHostFuture", device: r.in.device.id, run: func(err error) {
		if err == nil {
			copy(dst, r.contents.data.bytes[r.offset:])
		}
		r.contents.release()
		r.over.complete(err)
	}}, []*future{r.contents.ready})
}

func (p *Plugin) bufferCopyToDevice(a *capi.BufferCopyToDeviceArgs) (err error) {
	d, err := find[*device](p, a.DstDevice)
	if err != nil {
		return err
	}
	if err := d.reachable(); err != nil {
		return err
	}
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	if b.in.device == d {
		return invalid("the buffer is already on device %d", d.id)
	}
	a.DstBuffer, err = p.copyTo(a.Function().Name, b, d.memories[0])
	return err
}

func (p *Plugin) bufferCopyToMemory(a *capi.BufferCopyToMemoryArgs) (err error) {
	m, err := find[*memory](p, a.DstMemory)
	if err != nil {
		return err
	}
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	if b.in == m {
		return invalid("the buffer is already in %s", m.text)
	}
	a.DstBuffer, err = p.copyTo(a.Function().Name, b, m)
	return err
}

func (p *Plugin) copyTo(function string, b *buffer, to *memory) (*capi.Buffer, error) {
	if to.client != b.client {
		return nil, invalid("the buffer and %s belong to different clients", to.text)
	}
	from, err := b.use()
	if err != nil {
		return nil, err
	}
	data, err := to.newStorage(b.size)
	if err != nil {
		from.release()
		return nil, err
	}
	copied := newContents(data, newFuture())
	h := to.newBuffer(b.shape, b.order, copied)
	copied.use()
	p.start(&Operation{p: p, function: function, device: b.in.device.id, run: func(err error) {
		if err == nil {
			copy(data.bytes, from.data.bytes)
		}
		from.release()
		copied.end(err)
	}}, []*future{from.ready})
	return h, nil
}

func (p *Plugin) bufferBitcast(a *capi.BufferBitcastArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	shape, err := shapeOf(a.ElementType, a.Dims, a.NumDims)
	if err != nil {
		return err
	}
	if a.DeviceLayout != nil && a.DeviceLayout.Type != capi.BufferMemoryLayoutTypeTiled {
		return invalid("the layout of a bitcast must be an order of dimensions, not strides")
	}
	order, err := deviceOrder(a.DeviceLayout, shape)
	if err != nil {
		return err
	}
	if size := deviceSize(shape); size != b.size {
		return invalid("%v takes %d bytes on the device, but %v takes %d", shape, size, b.shape, b.size)
	}
	c, err := b.take("bitcast")
	if err != nil {
		return err
	}
	a.OutBuffer = b.in.newBuffer(shape, order, c)
	return nil
}

// dependency is the promise that a donated buffer waits for.
type dependency struct {
	from, to *contents
}

func (p *Plugin) bufferDonateWithControlDependency(a *capi.BufferDonateWithControlDependencyArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	b.mu.Lock()
	referenced := len(b.external) > 0
	b.mu.Unlock()
	if referenced {
		return capi.ErrorCodeFailedPrecondition.Errorf("the buffer of shape %v has external references, and cannot be donated", b.shape)
	}
	c, err := b.take("donated")
	if err != nil {
		return err
	}
	d := &dependency{from: c, to: newContents(nil, newFuture())}
	a.OutBuffer = b.in.newBuffer(b.shape, slices.Clone(b.order), d.to)
	d.to.use()
	a.DependencyReadyCallback, a.CallbackData = dependencyCallback(d)
	return nil
}

// end makes the new buffer ready, or fail.
func (d *dependency) end(cause error) {
	d.from.ready.onReady(func(err error) {
		if cause == nil {
			cause = err
		}
		if cause == nil {
			d.to.data = d.from.data.use()
		}
		d.from.release()
		d.to.end(cause)
	})
}
