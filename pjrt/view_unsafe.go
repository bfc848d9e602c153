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
)

// ViewOptions are the options of views.
type ViewOptions struct {
	// Device is where the memory is; nil means the client's first addressable
	// device, or that of Memory.
	Device *Device
	// Memory is where the memory is (since API 0.66). Give a device or a memory,
	// not both.
	Memory *Memory
	// Layout is how the array lies in the memory; nil means the plugin's default,
	// which is row-major on CPUs and GPUs.
	Layout *Layout
	// Stream is the platform's stream on which the contents are being computed,
	// 0 if they are there already.
	Stream uintptr
	// OnDelete is called once when the plugin no longer uses the memory, on a
	// goroutine of its own: after the view was closed, and after everything that
	// uses it is done. It is not called when making the view fails. May be nil.
	OnDelete func()
}

// ViewOfDeviceMemory makes a buffer of memory that something else allocated,
// without a copy (PJRT_Client_CreateViewOfDeviceBuffer). The address is one of
// the device's address space, and memory for the whole array must stay there
// until OnDelete: nothing can check that, and a wrong address ends the process.
// In memory of the host the address must be a multiple of HostAlignment, else of
// the element size. A computation to which the view is donated overwrites the
// memory. opts may be nil.
func (c *Client) ViewOfDeviceMemory(ctx context.Context, address uintptr, shape Shape, opts *ViewOptions) (*Buffer, error) {
	if opts == nil {
		opts = &ViewOptions{}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	size, err := shape.HostSize()
	if err != nil {
		return nil, err
	}
	if err := c.knows(shape.Type); err != nil {
		return nil, err
	}
	if address == 0 && size > 0 {
		return nil, invalid("the address of the view is 0")
	}
	layout, err := opts.Layout.encode(shape)
	if err != nil {
		return nil, err
	}
	place, err := c.place(opts.Device, opts.Memory)
	if err != nil {
		return nil, err
	}
	onHost, err := c.onHost(ctx, opts.Device, opts.Memory)
	if err != nil {
		return nil, err
	}
	alignment := uintptr(shape.Type.Size())
	if onHost {
		alignment = HostAlignment
	}
	if address%alignment != 0 {
		return nil, invalid("the address %#x of the view is no multiple of %d; see AlignedSlice", address, alignment)
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()

	var call capi.Call[capi.ClientCreateViewOfDeviceBufferArgs]
	args := &call.Args
	args.Client = h
	args.DeviceBufferPtr = address
	dims := slices.Clone(shape.Dims)
	args.Dims, args.NumDims = unsafe.SliceData(dims), uintptr(len(dims))
	args.ElementType = capi.BufferType(shape.Type)
	args.Layout = layout.layout
	args.Device, args.Memory = place.device, place.memory
	args.Stream = int(opts.Stream)
	var handle capi.Handle
	var made atomic.Bool
	if fn := opts.OnDelete; fn != nil {
		var callback capi.ClientCreateViewOfDeviceBufferArgsOnDeleteCallback
		callback, handle = capi.NewOnDeleteCallback(func() {
			if made.Load() {
				go fn()
			}
		})
		args.OnDeleteCallback, args.OnDeleteCallbackArg = callback, uintptr(handle)
	}
	err = call.Do(c.table)
	runtime.KeepAlive(layout)
	if err != nil {
		handle.Delete()
		return nil, err
	}
	made.Store(true)
	return c.newBuffer(args.Buffer, shape), nil
}

// ViewOfHostMemory makes a buffer of an array in the memory of the program,
// without a copy, on a device that computes there: a CPU. a.Data must be
// aligned, as that of AlignedSlice is, and must not be changed before OnDelete;
// it is kept referenced until then. A computation to which the view is donated
// overwrites it. On devices that cannot use the host's memory the error is
// ErrUnimplemented. opts may be nil.
func (c *Client) ViewOfHostMemory(ctx context.Context, a HostArray, opts *ViewOptions) (*Buffer, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	var o ViewOptions
	if opts != nil {
		o = *opts
	}
	if a.Type.IsSubByte() {
		return nil, invalid("devices pack the elements of %v; copy the array instead of viewing it", a.Shape())
	}
	if o.Layout != nil && !o.Layout.rowMajor(a.Shape()) {
		return nil, invalid("arrays on the host are row-major, the layout %v is not", o.Layout)
	}
	// Other devices have memories on the host as well, but of their own making.
	computes, err := c.onHost(ctx, o.Device, nil)
	if err != nil {
		return nil, err
	}
	if !computes {
		return nil, failed(ErrUnimplemented, "the device cannot use the memory of the host; copy the array instead of viewing it")
	}
	data, onDelete := a.Data, o.OnDelete
	if len(data) == 0 {
		data = AlignedSlice[uint8](1) // plugins want an address even so
	}
	o.OnDelete = func() {
		runtime.KeepAlive(data)
		if onDelete != nil {
			onDelete()
		}
	}
	return c.ViewOfDeviceMemory(ctx, uintptr(unsafe.Pointer(unsafe.SliceData(data))), a.Shape(), &o)
}

// onHost reports whether the memory, or the default memory of the device, is
// that of the host. Only a buffer can be asked, so that it makes one.
func (c *Client) onHost(ctx context.Context, d *Device, m *Memory) (bool, error) {
	b, err := c.BufferFromHost(ctx, HostArray{Type: dtype.U8, Data: []byte{0}}, &BufferOptions{Device: d, Memory: m})
	if err != nil {
		return false, err
	}
	defer b.Close()
	return b.IsOnCPU()
}
