// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// newShape is the shape of a buffer to be made, in the form that C takes.
type newShape struct {
	dims   []int64
	layout *cLayout
}

// checkNew checks what the makers of buffers without host memory share.
func (c *Client) checkNew(ctx context.Context, shape Shape, opts *BufferOptions) (*newShape, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opts.Semantics != OnlyDuringCall || opts.Strides != nil {
		return nil, invalid("semantics and strides are for buffers made from the host's memory")
	}
	if _, err := shape.HostSize(); err != nil {
		return nil, err
	}
	if err := c.knows(shape.Type); err != nil {
		return nil, err
	}
	layout, err := opts.Layout.encode(shape)
	if err != nil {
		return nil, err
	}
	return &newShape{slices.Clone(shape.Dims), layout}, nil
}

// UninitializedBuffer makes a buffer whose contents are whatever is in the
// memory (PJRT_Client_CreateUninitializedBuffer, since API 0.69), to be donated
// to a computation for its result, for instance. Of opts, which may be nil, the
// device, the memory and the layout count.
func (c *Client) UninitializedBuffer(ctx context.Context, shape Shape, opts *BufferOptions) (*Buffer, error) {
	if opts == nil {
		opts = &BufferOptions{}
	}
	s, err := c.checkNew(ctx, shape, opts)
	if err != nil {
		return nil, err
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	place, err := c.place(opts.Device, opts.Memory)
	if err != nil {
		return nil, err
	}
	var call capi.Call[capi.ClientCreateUninitializedBufferArgs]
	args := &call.Args
	args.Client = h
	args.ShapeDims, args.ShapeNumDims = unsafe.SliceData(s.dims), uintptr(len(s.dims))
	args.ShapeElementType = capi.BufferType(shape.Type)
	args.ShapeLayout = s.layout.layout
	args.Device, args.Memory = place.device, place.memory
	err = allocate(ctx, c.table, &call)
	runtime.KeepAlive(s)
	if err != nil {
		return nil, err
	}
	return c.newBuffer(args.Buffer, shape), nil
}

// ErrorBuffer makes a buffer that holds an error in place of an array
// (PJRT_Client_CreateErrorBuffer, since API 0.82): waiting for it and reading it
// give the error, and computations pass it on to their results. The code is that
// of an *Error in err's chain, else the nearest; payloads go along if the plugin
// takes them (since API 0.103). No memory of a device is taken. Of opts, which
// may be nil, the device, the memory and the layout count.
func (c *Client) ErrorBuffer(ctx context.Context, shape Shape, cause error, opts *BufferOptions) (*Buffer, error) {
	if opts == nil {
		opts = &BufferOptions{}
	}
	if cause == nil {
		return nil, invalid("the error of an error buffer is nil")
	}
	s, err := c.checkNew(ctx, shape, opts)
	if err != nil {
		return nil, err
	}
	payloads, err := c.payloads(cause)
	if err != nil {
		return nil, err
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	memory, err := c.placeInMemory(opts.Device, opts.Memory)
	if err != nil {
		return nil, err
	}
	var call capi.Call[capi.ClientCreateErrorBufferArgs]
	args := &call.Args
	args.Client = h
	code, message := failure(cause)
	args.ErrorCode = code
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData(message)
	args.ShapeDims, args.ShapeNumDims = unsafe.SliceData(s.dims), uintptr(len(s.dims))
	args.ShapeElementType = capi.BufferType(shape.Type)
	args.ShapeLayout = s.layout.layout
	args.Memory = memory
	args.Payload, args.NumPayload = payloads.Data()
	err = call.Do(c.table)
	runtime.KeepAlive(s)
	runtime.KeepAlive(payloads)
	if err != nil {
		return nil, err
	}
	return c.newBuffer(args.Buffer, shape), nil
}

// Fulfillment gives an alias buffer what it stands for, once. One that is closed
// or forgotten before fails the alias. Its methods may be called from any
// goroutine.
type Fulfillment struct {
	client       *Client
	clientHandle *capi.Client // valid as long as the promise, a child of the client
	shape        Shape
	memory       *capi.Memory
	layout       *Layout // nil when the plugin does not tell
	alias        *Buffer
	promise      *promise
	handle       *capi.FulfillAliasBufferCallback
}

// AliasBuffer makes a buffer that stands for another one which comes later, by
// Fulfill (PJRT_Client_CreateAliasBuffer, since API 0.77). It can be passed to
// computations at once; they wait. Of opts, which may be nil, the device, the
// memory and the layout count.
func (c *Client) AliasBuffer(ctx context.Context, shape Shape, opts *BufferOptions) (*Buffer, *Fulfillment, error) {
	if opts == nil {
		opts = &BufferOptions{}
	}
	s, err := c.checkNew(ctx, shape, opts)
	if err != nil {
		return nil, nil, err
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, nil, err
	}
	defer c.ref.Release()
	memory, err := c.placeInMemory(opts.Device, opts.Memory)
	if err != nil {
		return nil, nil, err
	}
	var call capi.Call[capi.ClientCreateAliasBufferArgs]
	args := &call.Args
	args.Client = h
	args.Memory = memory
	args.ShapeDims, args.ShapeNumDims = unsafe.SliceData(s.dims), uintptr(len(s.dims))
	args.ShapeElementType = capi.BufferType(shape.Type)
	args.ShapeLayout = s.layout.layout
	err = call.Do(c.table)
	runtime.KeepAlive(s)
	if err != nil {
		return nil, nil, err
	}
	alias := c.newBuffer(args.AliasBuffer, shape)
	f := &Fulfillment{client: c, clientHandle: h, shape: alias.shape, memory: memory, alias: alias, handle: args.FulfillAliasBufferCb}
	f.layout, _ = alias.layout(args.AliasBuffer)
	f.promise = newPromise("alias fulfillment", c, failAlias(c.table, h, f.handle))
	return alias, f, nil
}

// failAlias returns what makes an alias an error buffer.
func failAlias(table *capi.Table, client *capi.Client, handle *capi.FulfillAliasBufferCallback) func(error) error {
	return func(cause error) error {
		var call capi.Call[capi.ClientFulfillAliasBufferArgs]
		call.Args.Client = client
		code, message := failure(cause)
		call.Args.StatusCode = code
		call.Args.ErrorMessage, call.Args.ErrorMessageSize = capi.StringData(message)
		call.Args.FulfillAliasBufferCb = handle
		err := call.Do(table)
		if capi.CodeOf(err) == code {
			return nil // some plugins answer with the error that they were told
		}
		return err
	}
}

// Fulfill makes the alias stand for b (PJRT_Client_FulfillAliasBuffer), which
// must have its shape and its layout and be in its memory. Whoever waits for the alias gets the
// contents of b. The plugin may move them, so that b is deleted afterwards; it
// is still the caller's to close.
func (f *Fulfillment) Fulfill(b *Buffer) error {
	switch {
	case b == nil:
		return invalid("the buffer is nil")
	case b.client != f.client:
		return invalid("the buffer belongs to another client")
	case b == f.alias:
		return invalid("an alias cannot stand for itself")
	case !b.shape.Equal(f.shape):
		return invalid("the buffer is %v, the alias %v", b.shape, f.shape)
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return err
	}
	defer b.ref.Release()
	if err := b.alive(h); err != nil {
		return err
	}
	if m, err := b.memory(h); err == nil && m != f.memory {
		return invalid("the buffer is in another memory than the alias")
	}
	if l, err := b.layout(h); err == nil && f.layout != nil && l.String() != f.layout.String() {
		return invalid("the buffer has the layout %v, the alias %v", l, f.layout)
	}
	return f.promise.keep(func() error {
		var call capi.Call[capi.ClientFulfillAliasBufferArgs]
		call.Args.Client = f.clientHandle
		call.Args.Buffer = h
		call.Args.FulfillAliasBufferCb = f.handle
		b.references.beginConsume()
		defer b.references.endConsume()
		return call.Do(f.client.table)
	})
}

// Fail makes the alias an error buffer.
func (f *Fulfillment) Fail(err error) error { return f.promise.fail(err) }

// Close fails the alias with ErrCancelled, unless it was fulfilled or failed
// before.
func (f *Fulfillment) Close() error {
	if f != nil {
		f.promise.close()
	}
	return nil
}

// Dependency is what a buffer waits for that was donated with a control
// dependency. One that is closed or forgotten before it is done fails the
// buffer. Its methods may be called from any goroutine.
type Dependency struct {
	promise *promise
	tell    func(error) error
}

// DonateWithControlDependency replaces the buffer by a new one of the same
// contents that is ready only after Dependency.Done
// (PJRT_Buffer_DonateWithControlDependency, since API 0.88). Success deletes b,
// which is still the caller's to close.
func (b *Buffer) DonateWithControlDependency(ctx context.Context) (*Buffer, *Dependency, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, nil, err
	}
	defer b.ref.Release()
	if err := b.alive(h); err != nil {
		return nil, nil, err
	}
	var call capi.Call[capi.BufferDonateWithControlDependencyArgs]
	args := &call.Args
	args.Buffer = h
	b.references.beginConsume()
	err = call.Do(b.client.table)
	b.references.endConsume()
	if err != nil {
		return nil, nil, err
	}
	out := b.client.newBuffer(args.OutBuffer, b.shape)
	ready, data := args.DependencyReadyCallback, args.CallbackData
	if ready == 0 {
		out.Close()
		return nil, nil, failed(ErrInternal, "the plugin gives no callback for a control dependency")
	}
	tell := func(err error) error {
		c := &capi.BufferDonateWithControlDependencyCallbackArgs{
			StructSize: capi.BufferDonateWithControlDependencyCallbackArgsSize, CallbackData: data,
		}
		if err != nil {
			code, message := failure(err)
			c.ErrorCode = code
			c.ErrorMessage, c.ErrorMessageSize = capi.StringData(message)
		}
		ready.Call(c)
		runtime.KeepAlive(c)
		return nil
	}
	return out, &Dependency{newPromise("control dependency", b.client, tell), tell}, nil
}

// Done reports that the dependency is done, or, with an error, that it has
// failed: the new buffer then has that error in place of its contents. It is
// reported once.
func (d *Dependency) Done(err error) error {
	return d.promise.keep(func() error { return d.tell(err) })
}

// Close fails the new buffer with ErrCancelled, unless Done was called.
func (d *Dependency) Close() error {
	if d != nil {
		d.promise.close()
	}
	return nil
}
