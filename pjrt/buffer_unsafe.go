// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Buffer is an array in the memory of a device. Its methods may be called from
// any goroutine.
type Buffer struct {
	client *Client
	ref    lifetime.Ref[capi.Buffer]
	shape  Shape

	hostDone   <-chan struct{} // nil when C kept no memory of the host
	onDestroy  bool            // something is done when it is destroyed
	references *references     // external ones
	dynamic    answer          // does it have dimensions known only at run time?
	readable   answer          // is its memory that of a dense array on the host?
	device     atomic.Pointer[capi.Device]
	inMemory   atomic.Pointer[Layout] // see knownLayout
}

// HostBufferSemantics say what a plugin does with memory of the host that
// becomes a buffer, and for how long.
type HostBufferSemantics = capi.HostBufferSemantics

const (
	// OnlyDuringCall means that the plugin has copied the memory when the call
	// returns.
	OnlyDuringCall = capi.HostBufferSemanticsImmutableOnlyDuringCall
	// UntilTransferCompletes means that the plugin reads the memory until the
	// transfer is over.
	UntilTransferCompletes = capi.HostBufferSemanticsImmutableUntilTransferCompletes
	// ImmutableZeroCopy means that the buffer may be the memory itself, which
	// the plugin reads as long as the buffer exists and never writes to.
	ImmutableZeroCopy = capi.HostBufferSemanticsImmutableZeroCopy
	// MutableZeroCopy is ImmutableZeroCopy with leave to write: a program to
	// which the buffer is donated may put its result there. Since API 0.48.
	MutableZeroCopy = capi.HostBufferSemanticsMutableZeroCopy
)

// mutableZeroCopySince is the API minor that knows MutableZeroCopy.
const mutableZeroCopySince = 48

// BufferOptions are the options of BufferFromHost and of other ways to make a
// buffer, which refuse those that do not concern them.
type BufferOptions struct {
	// Device receives the array, in its default memory. Nil means the client's
	// first addressable device, or that of Memory.
	Device *Device
	// Memory receives the array. Give a device or a memory, not both.
	Memory *Memory
	// Semantics say how long the plugin uses the memory of the host. The zero
	// value is OnlyDuringCall. With all others the memory must stay unchanged
	// until Buffer.HostDone; the package keeps it referenced until then, so it
	// may be forgotten.
	Semantics HostBufferSemantics
	// Strides are the distances in bytes between neighbours in the host's
	// memory, one for each dimension; 0 repeats an element, and negative ones
	// walk backwards. Nil means dense and row-major. The array spans the whole
	// of HostArray.Data, so that with negative strides the element whose indices
	// are all 0 is not at its beginning.
	Strides []int64
	// Layout is how the array is to lie in the memory of the device; nil leaves
	// that to the plugin. It does not change what the array's elements are.
	Layout *Layout
}

// placement is where a buffer goes: one of the two.
type placement struct {
	device *capi.Device
	memory *capi.Memory
}

// place returns where opts want a buffer, with the default in place of neither.
func (c *Client) place(d *Device, m *Memory) (placement, error) {
	if m != nil {
		if d != nil {
			return placement{}, invalid("both device %v and memory %v are given; give one of them", d, m)
		}
		h, err := m.handleIn(c)
		return placement{memory: h}, err
	}
	if d == nil {
		if len(c.addressable) == 0 {
			return placement{}, failed(ErrFailedPrecondition, "the client has no device that this process can use")
		}
		d = c.addressable[0]
	}
	h, err := d.handleFor(c)
	return placement{device: h}, err
}

// placeInMemory is place for functions that take a memory only. The client must
// be acquired.
func (c *Client) placeInMemory(d *Device, m *Memory) (*capi.Memory, error) {
	p, err := c.place(d, m)
	if err != nil || p.memory != nil {
		return p.memory, err
	}
	var call capi.Call[capi.DeviceDefaultMemoryArgs]
	call.Args.Device = p.device
	if err := call.Do(c.table); err != nil {
		return nil, err
	}
	if call.Args.Memory == nil {
		return nil, failed(ErrInternal, "the plugin names no default memory of device %v", d)
	}
	return call.Args.Memory, nil
}

// handleIn returns the C object if m can be used with client.
func (m *Memory) handleIn(client *Client) (*capi.Memory, error) {
	if m.client != client {
		return nil, invalid("memory %v belongs to another client", m)
	}
	return m.handle, nil
}

// BufferFromHost makes a buffer of an array (PJRT_Client_BufferFromHostBuffer).
// The buffer may be used at once; computations wait for its contents. With the
// default semantics the plugin has read a.Data when BufferFromHost returns, and
// the caller may change it again. opts may be nil.
//
// When a device is out of memory, buffers that the program forgot are collected
// first, and the plugin is asked once more; other functions that make buffers do
// the same. A plugin that finds out only later gives the buffer that error in place
// of its contents.
func (c *Client) BufferFromHost(ctx context.Context, a HostArray, opts *BufferOptions) (_ *Buffer, err error) {
	op := begin(ctx, OperationUpload, subject{client: c, bytes: len(a.Data)})
	defer op.end(&err)
	if opts == nil {
		opts = &BufferOptions{}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	origin, err := a.origin(opts.Strides)
	if err != nil {
		return nil, err
	}
	if err := c.knows(a.Type); err != nil {
		return nil, err
	}
	if err := c.knowsSemantics(opts.Semantics); err != nil {
		return nil, err
	}
	place, err := c.place(opts.Device, opts.Memory)
	if err != nil {
		return nil, err
	}
	op.at(c, place)
	layout, err := opts.Layout.encode(a.Shape())
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
	args.Data = unsafe.Pointer(unsafe.SliceData(a.Data[origin:]))
	args.Type = capi.BufferType(a.Type)
	dims, strides := slices.Clone(a.Dims), slices.Clone(opts.Strides)
	args.Dims, args.NumDims = unsafe.SliceData(dims), uintptr(len(dims))
	if len(strides) > 0 {
		args.ByteStrides, args.NumByteStrides = unsafe.SliceData(strides), uintptr(len(strides))
	}
	args.HostBufferSemantics = opts.Semantics
	args.Device, args.Memory = place.device, place.memory
	args.DeviceLayout = layout.layout
	err = allocate(ctx, c.table, &call)
	runtime.KeepAlive(a.Data)
	runtime.KeepAlive(layout)
	if err != nil {
		return nil, err
	}
	done := args.DoneWithHostBuffer
	switch {
	case opts.Semantics == OnlyDuringCall:
		// With these semantics the event says nothing that the return did not.
		closeEvent(c.table, done)
		return c.newBuffer(args.Buffer, a.Shape()), nil
	case done == nil:
		// Nothing tells when, but after the buffer's end it must be over.
		ended := make(chan struct{})
		b := c.newBufferWith(args.Buffer, a.Shape(), func() {
			runtime.KeepAlive(a.Data)
			close(ended)
		})
		b.hostDone = ended
		return b, nil
	}
	b := c.newBuffer(args.Buffer, a.Shape())
	b.hostDone = c.keepUntil(done, a.Data)
	return b, nil
}

// origin checks that Data is as long as the shape and the strides say, and
// returns where in it the element is whose indices are all 0.
func (a HostArray) origin(strides []int64) (int, error) {
	if strides == nil {
		return 0, a.check()
	}
	size, origin, err := a.Shape().strided(strides)
	if err != nil {
		return 0, err
	}
	if len(a.Data) != size {
		return 0, invalid("an array of shape %v with strides %v spans %d bytes, its data has %d", a.Shape(), strides, size, len(a.Data))
	}
	return origin, nil
}

// knows refuses a type that the plugin is too old for: an unknown one crashes
// the process.
func (c *Client) knows(t dtype.Type) error {
	if _, minor := c.table.Version(); t.Since() > minor {
		return c.tooOld(fmt.Sprintf("type %v", t), t.Since())
	}
	return nil
}

func (c *Client) knowsSemantics(s HostBufferSemantics) error {
	if s < OnlyDuringCall || s > MutableZeroCopy {
		return invalid("%v are no host buffer semantics", s)
	}
	if _, minor := c.table.Version(); s == MutableZeroCopy && minor < mutableZeroCopySince {
		return c.tooOld("MutableZeroCopy", mutableZeroCopySince)
	}
	return nil
}

func (c *Client) tooOld(what string, since int) error {
	_, minor := c.table.Version()
	return &Error{Code: ErrUnimplemented, Missing: true,
		Message: fmt.Sprintf("%s came with API %d.%d, the plugin has %d.%d", what, capi.APIMajor, since, capi.APIMajor, minor)}
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
	return c.newBufferOf(h, Shape{shape.Type, slices.Clone(shape.Dims)})
}

// newBufferOf is newBuffer with a shape whose dimensions never change.
func (c *Client) newBufferOf(h *capi.Buffer, shape Shape) *Buffer {
	b := &Buffer{client: c, shape: shape}
	b.references = lifetime.Init[capi.Buffer, references](&b.ref, "buffer", h, c.ref, c.destroyBuffer)
	return b
}

// refill makes a closed buffer the one of h, and reports whether that could be: its
// own is gone, and was of the same client and shape.
func (b *Buffer) refill(c *Client, h *capi.Buffer, shape Shape) bool {
	if b == nil || b.client != c || b.hostDone != nil || b.onDestroy || !b.shape.Equal(shape) || !b.ref.Claim() {
		return false
	}
	// These may differ from one buffer to the next.
	b.device.Store(nil)
	b.inMemory.Store(nil)
	b.dynamic.state.Store(0)
	b.readable.state.Store(0)
	b.ref.Renew(h)
	return true
}

// newBufferWith is newBuffer with something to do when the buffer is destroyed.
func (c *Client) newBufferWith(h *capi.Buffer, shape Shape, destroyed func()) *Buffer {
	b := &Buffer{client: c, shape: Shape{shape.Type, slices.Clone(shape.Dims)}, onDestroy: true}
	destroy := c.destroyBuffer
	b.references = lifetime.Init[capi.Buffer, references](&b.ref, "buffer", h, c.ref, func(h *capi.Buffer) {
		destroy(h)
		destroyed()
	})
	return b
}

var bufferDestroys = sync.Pool{New: func() any { return new(capi.Call[capi.BufferDestroyArgs]) }}

// bufferDestroyer returns what destroys the buffers of a client. There is one for
// all of them, as programs make many.
func bufferDestroyer(table *capi.Table) func(*capi.Buffer) {
	return func(h *capi.Buffer) {
		d := bufferDestroys.Get().(*capi.Call[capi.BufferDestroyArgs])
		d.Args.Buffer = h
		_ = d.Do(table) // there is nobody to tell
		bufferDestroys.Put(d)
	}
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
// keep its memory until they are done, and so do references to it.
func (b *Buffer) Close() error {
	if b == nil {
		return nil
	}
	return b.ref.Close()
}

// Client returns the client of the buffer.
func (b *Buffer) Client() *Client { return b.client }

// Shape returns the type and the dimensions of the array. A dimension that is
// known only at run time has its bound there; see UnpaddedDims.
func (b *Buffer) Shape() Shape { return Shape{b.shape.Type, slices.Clone(b.shape.Dims)} }
