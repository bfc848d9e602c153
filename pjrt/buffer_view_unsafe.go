// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// ViewOptions are the options of views.
type ViewOptions struct {
	// Device has the memory; nil means the first addressable device, unless Memory is set.
	// Set at most one of the two.
	Device *Device
	Memory *Memory // contains the viewed memory (API 0.66)
	Layout *Layout // of the array; nil means row-major
	Stream uintptr // the platform's stream that computes the contents; 0 if none does
	// OnDelete may be nil. It is called once, on a goroutine of its own, when the view is
	// closed and the plugin no longer uses the memory. A panic is logged. It is not called if
	// making the view fails, or if its context ends first.
	OnDelete func()
}

// viewOfDeviceMemory implements raw.ViewOfDeviceMemory.
func (c *Client) viewOfDeviceMemory(ctx context.Context, address uintptr, shape Shape, opts *ViewOptions) (*Buffer, error) {
	return c.viewOf(ctx, address, shape, opts, nil)
}

// viewOf makes a view, and keeps memory until the plugin no longer uses it.
func (c *Client) viewOf(ctx context.Context, address uintptr, shape Shape, opts *ViewOptions, memory []byte) (*Buffer, error) {
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	if opts == nil {
		opts = &ViewOptions{}
	}
	size, err := hostSize(shape)
	if err != nil {
		return nil, err
	}
	if err := knowsType(c.table, shape.Type); err != nil {
		return nil, err
	}
	if address == 0 && size > 0 {
		return nil, invalid("the address of the view is 0")
	}
	if opts.Layout != nil {
		c.permuted.Store(true)
	}
	layout, err := opts.Layout.encodeStated(shape)
	if err != nil {
		return nil, err
	}
	place, err := c.place(opts.Device, opts.Memory)
	if err != nil {
		return nil, err
	}
	own := Shape{Type: shape.Type, Dims: slices.Clone(shape.Dims)}
	v := view{client: c, shape: own, place: place, layout: layout, options: *opts, memory: memory}
	b, err := abandon.CallOn(ctx, &v.shape, func() (*Buffer, error) {
		onHost, err := c.onHost(ctx, v.options.Device, v.options.Memory)
		if err != nil {
			return nil, err
		}
		alignment := uintptr(shape.Type.Size())
		if onHost {
			alignment = HostAlignment
		}
		if address%alignment != 0 {
			return nil, invalid("the address %#x of the view is not a multiple of %d: use memory of AlignedSlice", address, alignment)
		}
		if onHost && shape.Type == dtype.Pred {
			if err := dtype.CheckBools(bytesAt(address, size)); err != nil {
				return nil, mistaken(err)
			}
		}
		return v.make(address)
	}, (*Buffer).Close)
	v.given.Store(err == nil)
	return b, err
}

// view is what it takes to make a view, checked.
type view struct {
	client  *Client
	shape   Shape
	place   placement
	layout  *cLayout
	options ViewOptions
	memory  []byte      // the program's memory that the view shows; nil for a device's
	given   atomic.Bool // the caller has the view
}

// make makes the view of the memory at an address.
func (v *view) make(address uintptr) (*Buffer, error) {
	c := v.client
	h, err := c.acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	var call capi.Call[capi.ClientCreateViewOfDeviceBufferArgs]
	args := &call.Args
	args.Client = h
	args.DeviceBufferPtr = address
	args.Dims, args.NumDims = unsafe.SliceData(v.shape.Dims), uintptr(len(v.shape.Dims))
	args.ElementType = capi.BufferType(v.shape.Type)
	args.Layout = v.layout.layout
	args.Device, args.Memory = v.place.device, v.place.memory
	args.Stream = int(v.options.Stream)
	// Without a callback, XLA's CPU plugin ends the process when the buffer is destroyed.
	callback, handle := capi.NewOnDeleteCallback(func() {
		runtime.KeepAlive(v.memory)
		if fn := v.options.OnDelete; fn != nil && v.given.Load() {
			go contained("the OnDelete function of a view", fn)
		}
	})
	args.OnDeleteCallback, args.OnDeleteCallbackArg = callback, uintptr(handle)
	err = call.Do(c.table)
	runtime.KeepAlive(v)
	if err != nil {
		handle.Delete()
		return nil, err
	}
	return c.newBuffer(args.Buffer, v.shape).obeyed(args.Buffer, v.options.Layout)
}

// ViewOfHostMemory makes a buffer of the program's memory, without a copy, on a CPU device; on
// others it returns ErrUnimplemented. a.Data must be aligned like memory of AlignedSlice, and must
// not be changed before OnDelete; the package keeps a reference to it until then. A computation to
// which the view is donated may overwrite it. opts may be nil.
func (c *Client) ViewOfHostMemory(ctx context.Context, a HostArray, opts *ViewOptions) (*Buffer, error) {
	if err := a.Check(); err != nil {
		return nil, mistaken(err)
	}
	var o ViewOptions
	if opts != nil {
		o = *opts
	}
	if a.Type.IsSubByte() {
		return nil, invalid("devices pack the elements of %v; copy the array instead of viewing it", a.Shape())
	}
	if o.Layout != nil && !o.Layout.rowMajor(a.Shape()) {
		return nil, invalid("arrays on the host are row-major, and the layout %v is not", o.Layout)
	}
	// Other devices also have memories on the host, but allocate them themselves.
	computes, err := abandon.Call(ctx, func() (bool, error) { return c.onHost(ctx, o.Device, nil) }, func(bool) error { return nil })
	if err != nil {
		return nil, err
	}
	if !computes {
		return nil, failed(ErrUnimplemented, "the device cannot use the memory of the host; copy the array instead of viewing it")
	}
	data := a.Data
	if len(data) == 0 {
		data = AlignedSlice[uint8](1) // plugins want an address even for no bytes
	}
	return c.viewOf(ctx, uintptr(unsafe.Pointer(unsafe.SliceData(data))), a.Shape(), &o, data)
}

// onHost reports whether the host can read the memory, or the device's default memory. It
// makes a buffer there the first time, because plugins answer this only for buffers.
func (c *Client) onHost(ctx context.Context, d *Device, m *Memory) (bool, error) {
	if c == nil || c.ref == nil {
		return false, errNilClient
	}
	place, err := c.place(d, m)
	if err != nil {
		return false, err
	}
	if known, ok := c.onHosts.Load(place); ok {
		return known.(bool), nil
	}
	b, err := c.BufferFromHost(ctx, HostArray{Type: dtype.U8, Data: []byte{0}}, &BufferOptions{Device: d, Memory: m})
	if err != nil {
		return false, err
	}
	defer b.Close()
	onHost, err := b.IsOnCPU()
	if err != nil {
		return false, err
	}
	c.onHosts.Store(place, onHost)
	return onHost, nil
}
