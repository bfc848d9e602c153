// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Buffer is an array in the memory of a device. Its methods may be called from
// any goroutine.
type Buffer struct {
	client *Client
	ref    *lifetime.Ref[capi.Buffer]
	shape  Shape
}

// BufferOptions are the options of BufferFromHost.
type BufferOptions struct {
	// Device receives the array; nil means the client's first addressable
	// device.
	Device *Device
}

// BufferFromHost copies an array to a device
// (PJRT_Client_BufferFromHostBuffer, semantics "immutable only during call"):
// when it returns the plugin has read a.Data, which the caller may change again.
// The buffer may be used at once; computations wait for its contents. opts may
// be nil.
func (c *Client) BufferFromHost(ctx context.Context, a HostArray, opts *BufferOptions) (*Buffer, error) {
	if opts == nil {
		opts = &BufferOptions{}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	if err := c.knows(a.Type); err != nil {
		return nil, err
	}
	device := opts.Device
	if device == nil {
		if len(c.addressable) == 0 {
			return nil, &Error{Code: ErrFailedPrecondition, Message: "the client has no device that this process can use"}
		}
		device = c.addressable[0]
	}
	dh, err := device.handleFor(c)
	if err != nil {
		return nil, err
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()

	var call capi.Call[capi.ClientBufferFromHostBufferArgs]
	args := &call.Args
	args.Client = h
	args.Data = unsafe.Pointer(unsafe.SliceData(a.Data))
	args.Type = capi.BufferType(a.Type)
	dims := slices.Clone(a.Dims)
	args.Dims, args.NumDims = unsafe.SliceData(dims), uintptr(len(dims))
	args.HostBufferSemantics = capi.HostBufferSemanticsImmutableOnlyDuringCall
	args.Device = dh
	err = call.Do(c.table)
	runtime.KeepAlive(a.Data)
	if err != nil {
		return nil, err
	}
	// With these semantics the event says nothing that the return did not.
	closeEvent(c.table, args.DoneWithHostBuffer)
	return c.newBuffer(args.Buffer, a.Shape()), nil
}

// knows refuses a type that the plugin is too old for: an unknown one crashes
// the process.
func (c *Client) knows(t dtype.Type) error {
	if _, minor := c.table.Version(); t.Since() > minor {
		return &Error{Code: ErrUnimplemented, Missing: true,
			Message: fmt.Sprintf("type %v came with API %d.%d, the plugin has %d.%d", t, capi.APIMajor, t.Since(), capi.APIMajor, minor)}
	}
	return nil
}

func closeEvent(table *capi.Table, e *capi.Event) {
	if e == nil {
		return
	}
	var d capi.Call[capi.EventDestroyArgs]
	d.Args.Event = e
	_ = d.Do(table) // there is nobody to tell
}

// newBuffer takes over a buffer of the plugin.
func (c *Client) newBuffer(h *capi.Buffer, shape Shape) *Buffer {
	table := c.table
	return &Buffer{client: c, shape: Shape{shape.Type, slices.Clone(shape.Dims)},
		ref: lifetime.New("buffer", h, c.ref, func(h *capi.Buffer) {
			var d capi.Call[capi.BufferDestroyArgs]
			d.Args.Buffer = h
			_ = d.Do(table) // there is nobody to tell
		})}
}

// adoptBuffer takes over a buffer of the plugin whose shape only the plugin
// knows.
func (c *Client) adoptBuffer(h *capi.Buffer) (*Buffer, error) {
	b := c.newBuffer(h, Shape{})
	var t capi.Call[capi.BufferElementTypeArgs]
	t.Args.Buffer = h
	var d capi.Call[capi.BufferDimensionsArgs]
	d.Args.Buffer = h
	if err := t.Do(c.table); err != nil {
		b.Close()
		return nil, err
	}
	if err := d.Do(c.table); err != nil {
		b.Close()
		return nil, err
	}
	b.shape = Shape{dtype.Type(t.Args.Type), capi.Slice(d.Args.Dims, d.Args.NumDims)}
	return b, nil
}

// Close gives the buffer up (PJRT_Buffer_Destroy). Computations that use it
// keep its memory until they are done.
func (b *Buffer) Close() error { return b.ref.Close() }

// Client returns the client of the buffer.
func (b *Buffer) Client() *Client { return b.client }

// Shape returns the type and the dimensions of the array.
func (b *Buffer) Shape() Shape { return Shape{b.shape.Type, slices.Clone(b.shape.Dims)} }

// ToHost copies the array to the host (PJRT_Buffer_ToHostBuffer), after it has
// been computed. When ctx ends first it returns ctx's error.
func (b *Buffer) ToHost(ctx context.Context) (HostArray, error) {
	if err := ctx.Err(); err != nil {
		return HostArray{}, err
	}
	size, err := b.shape.HostSize()
	if err != nil {
		return HostArray{}, err
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return HostArray{}, err
	}
	// The transfer reads the buffer until its event is ready.
	data := make([]byte, size+1)
	finished := func() {
		runtime.KeepAlive(data)
		b.ref.Release()
	}
	dims := b.shape.Dims
	layout := rowMajor(len(dims))
	var call capi.Call[capi.BufferToHostBufferArgs]
	args := &call.Args
	args.Src = h
	args.HostLayout = layout.layout
	args.Dst, args.DstSize = unsafe.Pointer(unsafe.SliceData(data)), uintptr(size)
	err = call.Do(b.client.table)
	runtime.KeepAlive(layout)
	if err != nil {
		finished()
		return HostArray{}, err
	}
	if err := waitAndClose(ctx, b.client.table, args.Event, b.client.ref, finished); err != nil {
		return HostArray{}, err
	}
	return HostArray{Type: b.shape.Type, Dims: slices.Clone(dims), Data: data[:size:size]}, nil
}

// denseLayout is a PJRT_Buffer_MemoryLayout with the memory that it points to,
// which the collector does not see through the union.
type denseLayout struct {
	layout *capi.BufferMemoryLayout
	order  []int64
}

// rowMajor returns the layout of a dense array whose last dimension varies
// fastest. Devices may keep arrays otherwise, and would copy them to the host
// as they are when not told.
func rowMajor(rank int) denseLayout {
	l := denseLayout{new(capi.BufferMemoryLayout), make([]int64, rank)}
	for i := range l.order {
		l.order[i] = int64(rank - 1 - i)
	}
	l.layout.StructSize = capi.BufferMemoryLayoutSize
	l.layout.Type = capi.BufferMemoryLayoutTypeTiled
	tiled := l.layout.Tiled()
	tiled.StructSize = capi.BufferMemoryLayoutTiledSize
	tiled.MinorToMajor, tiled.MinorToMajorSize = unsafe.SliceData(l.order), uintptr(rank)
	return l
}
