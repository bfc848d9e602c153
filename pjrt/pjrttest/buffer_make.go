// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// place returns the memory that the caller names, or the default memory of the device
// that the caller names. If both are given, the memory counts.
func (c *client) place(d *capi.Device, m *capi.Memory) (*memory, error) {
	switch {
	case m != nil:
		memory, err := find[*memory](c.p, m)
		if err != nil {
			return nil, err
		}
		if memory.client != c {
			return nil, invalid("the memory %s belongs to another client", memory.text)
		}
		return memory, nil
	case d != nil:
		device, err := find[*device](c.p, d)
		if err != nil {
			return nil, err
		}
		if device.client != c {
			return nil, invalid("device %d belongs to another client", device.id)
		}
		if err := device.reachable(); err != nil {
			return nil, err
		}
		return device.memories[0], nil
	}
	return nil, invalid("neither a device nor a memory is given")
}

func (p *Plugin) clientBufferFromHostBuffer(a *capi.ClientBufferFromHostBufferArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	shape, err := shapeOf(a.Type, a.Dims, a.NumDims)
	if err != nil {
		return err
	}
	strides := rowMajor(len(shape.Dims)).strides(shape)
	dense := true
	if a.NumByteStrides > 0 || a.ByteStrides != nil {
		if a.NumByteStrides != a.NumDims || a.ByteStrides == nil && a.NumDims > 0 {
			return invalid("there are %d strides for %d dimensions", a.NumByteStrides, a.NumDims)
		}
		given := slices.Clone(elements(a.ByteStrides, a.NumByteStrides))
		dense = slices.Equal(given, strides)
		strides = given
	}
	size, origin, err := extent(shape, strides)
	if err != nil {
		return err
	}
	if a.Data == nil && size > 0 {
		return invalid("the data is null, and the shape is %v", shape)
	}
	order, err := deviceOrder(a.DeviceLayout, shape)
	if err != nil {
		return err
	}
	in, err := c.place(a.Device, a.Memory)
	if err != nil {
		return err
	}
	src := strided{hostSpan(a.Data, size, origin), strides}
	zeroCopy := false
	switch a.HostBufferSemantics {
	case capi.HostBufferSemanticsImmutableOnlyDuringCall, capi.HostBufferSemanticsImmutableUntilTransferCompletes:
	case capi.HostBufferSemanticsImmutableZeroCopy, capi.HostBufferSemanticsMutableZeroCopy:
		zeroCopy = in.host && dense && size > 0 && isAligned(a.Data) && packed(shape.Type) == 1 && slices.Equal(order, rowMajor(len(order)))
	default:
		return invalid("%d is not a host buffer semantics", int32(a.HostBufferSemantics))
	}
	done := newFuture()
	if zeroCopy {
		constant := a.HostBufferSemantics == capi.HostBufferSemanticsImmutableZeroCopy
		data := in.borrow(src.bytes, constant, func() { done.complete(nil) })
		a.Buffer = p.upload(in, shape, order, data, done, nil)
		a.DoneWithHostBuffer = p.newEvent(done)
		return nil
	}
	data, err := in.newStorage(deviceSize(shape))
	if err != nil {
		return err
	}
	if a.HostBufferSemantics == capi.HostBufferSemanticsImmutableOnlyDuringCall {
		toDevice(data.bytes, order, src, shape)
		src = strided{}
	}
	a.Buffer = p.upload(in, shape, order, data, done, func() {
		if src.strides != nil {
			toDevice(data.bytes, order, src, shape)
		}
	})
	a.DoneWithHostBuffer = p.newEvent(done)
	if a.HostBufferSemantics == capi.HostBufferSemanticsImmutableOnlyDuringCall {
		done.complete(nil)
	}
	return nil
}

// upload begins the transfer into a new buffer. The transfer runs fill unless it is nil.
func (p *Plugin) upload(in *memory, s pjrt.Shape, o order, data *storage, done *future, fill func()) *capi.Buffer {
	contents := newContents(data, newFuture())
	h := in.newBuffer(s, o, contents)
	contents.use()
	p.start(&Operation{
		p: p, function: "PJRT_Client_BufferFromHostBuffer", device: in.device.id,
		run: func(err error) {
			if err == nil && fill != nil {
				fill()
			}
			contents.end(err)
			if fill != nil {
				// The caller gets the memory back even if the transfer fails.
				done.complete(nil)
			}
		},
	}, nil)
	return h
}

func (p *Plugin) clientCreateUninitializedBuffer(a *capi.ClientCreateUninitializedBufferArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	shape, order, err := givenShape(a.ShapeElementType, a.ShapeDims, a.ShapeNumDims, a.ShapeLayout)
	if err != nil {
		return err
	}
	in, err := c.place(a.Device, a.Memory)
	if err != nil {
		return err
	}
	data, err := in.newStorage(deviceSize(shape))
	if err != nil {
		return err
	}
	a.Buffer = in.newBuffer(shape, order, newContents(data, readyFuture(nil)))
	return nil
}

func givenShape(t capi.BufferType, dims *int64, n uintptr, l *capi.BufferMemoryLayout) (pjrt.Shape, order, error) {
	shape, err := shapeOf(t, dims, n)
	if err != nil {
		return shape, nil, err
	}
	order, err := deviceOrder(l, shape)
	return shape, order, err
}

func (p *Plugin) clientCreateErrorBuffer(a *capi.ClientCreateErrorBufferArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	layout := a.DeviceLayout
	if layout == nil {
		layout = a.ShapeLayout
	}
	shape, order, err := givenShape(a.ShapeElementType, a.ShapeDims, a.ShapeNumDims, layout)
	if err != nil {
		return err
	}
	in, err := c.place(nil, a.Memory)
	if err != nil {
		return err
	}
	cause, err := given(a.ErrorCode, a.ErrorMessage, a.ErrorMessageSize)
	if err != nil {
		return err
	}
	if cause == nil {
		return invalid("an error buffer cannot have the code OK")
	}
	if asError(cause).Payloads, err = payloads(a.Payload, a.NumPayload); err != nil {
		return err
	}
	a.Buffer = in.newBuffer(shape, order, newContents(nil, readyFuture(cause)))
	return nil
}

// alias is the promise of the contents of an alias buffer.
type alias struct {
	in       *memory
	shape    pjrt.Shape
	order    order
	contents *contents // the promise holds a use
}

func (p *Plugin) clientCreateAliasBuffer(a *capi.ClientCreateAliasBufferArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	shape, order, err := givenShape(a.ShapeElementType, a.ShapeDims, a.ShapeNumDims, a.ShapeLayout)
	if err != nil {
		return err
	}
	in, err := c.place(nil, a.Memory)
	if err != nil {
		return err
	}
	contents := newContents(nil, newFuture())
	a.AliasBuffer = in.newBuffer(shape, order, contents)
	promise := &alias{in: in, shape: shape, order: order, contents: contents.use()}
	a.FulfillAliasBufferCb = makeHandle[capi.FulfillAliasBufferCallback](p, promise, true)
	return nil
}

func (p *Plugin) clientFulfillAliasBuffer(a *capi.ClientFulfillAliasBufferArgs) error {
	if _, err := find[*client](p, a.Client); err != nil {
		return err
	}
	promise, err := find[*alias](p, a.FulfillAliasBufferCb)
	if err != nil {
		return err
	}
	cause, err := given(a.StatusCode, a.ErrorMessage, a.ErrorMessageSize)
	if err != nil {
		return err
	}
	var real *contents
	if cause == nil {
		b, err := find[*buffer](p, a.Buffer)
		if err != nil {
			return err
		}
		if !b.shape.Equal(promise.shape) || b.in != promise.in || !slices.Equal(b.order, promise.order) {
			return invalid("the alias is %v in %s with the layout %v, but the buffer is %v in %s with the layout %v",
				promise.shape, promise.in.text, promise.order, b.shape, b.in.text, b.order)
		}
		if real, err = b.use(); err != nil {
			return err
		}
	}
	if _, err := drop[*alias](p, a.FulfillAliasBufferCb); err != nil {
		if real != nil {
			real.release()
		}
		return err
	}
	if real == nil {
		promise.contents.end(cause)
		return nil
	}
	real.ready.onReady(func(err error) {
		if err == nil {
			promise.contents.data = real.data.use()
		}
		real.release()
		promise.contents.end(err)
	})
	return nil
}

func (p *Plugin) clientCreateViewOfDeviceBuffer(a *capi.ClientCreateViewOfDeviceBufferArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	shape, order, err := givenShape(a.ElementType, a.Dims, a.NumDims, a.Layout)
	if err != nil {
		return err
	}
	in, err := c.place(a.Device, a.Memory)
	if err != nil {
		return err
	}
	size := deviceSize(shape)
	switch {
	case a.DeviceBufferPtr == 0 && size > 0:
		return invalid("the address of the device memory is null")
	case size > 0 && a.DeviceBufferPtr%alignment != 0:
		return invalid("the device memory at %#x is not aligned to %d bytes", a.DeviceBufferPtr, alignment)
	}
	callback, address, arg := a.OnDeleteCallback, a.DeviceBufferPtr, a.OnDeleteCallbackArg
	data := in.borrow(deviceBytes(address, size), false, func() {
		if callback != 0 {
			callback.Call(address, arg)
		}
	})
	a.Buffer = in.newBuffer(shape, order, newContents(data, readyFuture(nil)))
	return nil
}
