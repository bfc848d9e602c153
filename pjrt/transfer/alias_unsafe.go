// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"context"
	"runtime"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Alias is the promise of a buffer; NewAlias makes it together with a stand-in for that
// buffer. Its methods may be called from any goroutine.
type Alias struct {
	client       *pjrt.Client
	clientHandle *capi.Client // valid as long as the promise, which keeps the client alive
	buffer       *pjrt.Buffer // the stand-in
	shape        pjrt.Shape
	memory       *pjrt.Memory // nil when the plugin does not say
	layout       *pjrt.Layout // nil when the plugin does not say
	promise      *promise
	standIn      *standin.StandIn
	handle       *capi.FulfillAliasBufferCallback
}

// NewAlias makes a stand-in for a buffer that Alias.Fulfill provides later
// (PJRT_Client_CreateAliasBuffer, since API 0.77). The stand-in can be an argument of
// programs at once; they wait for the contents. opts may be nil; of its fields, only the
// device, the memory and the layout may be set; without a layout the stand-in is row-major. The
// caller closes both results.
func NewAlias(ctx context.Context, client *pjrt.Client, shape pjrt.Shape, opts *pjrt.BufferOptions) (*pjrt.Buffer, *Alias, error) {
	if opts == nil {
		opts = &pjrt.BufferOptions{}
	}
	own := *opts
	shape.Dims = slices.Clone(shape.Dims)
	a, err := abandon.Call(ctx, func() (*Alias, error) { return newAlias(client, shape, &own) }, func(a *Alias) error {
		a.Close()
		return a.buffer.Close()
	})
	if err != nil {
		return nil, nil, err
	}
	return a.buffer, a, nil
}

// newAlias is NewAlias on a goroutine that may block in C.
func newAlias(client *pjrt.Client, shape pjrt.Shape, opts *pjrt.BufferOptions) (*Alias, error) {
	h, release, err := raw.AcquireClient(client)
	if err != nil {
		return nil, err
	}
	defer release()
	if opts.Semantics != pjrt.OnlyDuringCall || opts.Strides != nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("an alias takes no semantics and no strides; they are for buffers made from " +
			"memory of the host")
	}
	if err := raw.CheckShape(client, shape); err != nil {
		return nil, err
	}
	if shape.Type.IsSubByte() {
		return nil, pjrt.ErrUnimplemented.Errorf("devices pack the elements of %v, and plugins make aliases "+
			"whose elements are not packed, "+
			"which no buffer fits: use a transfer manager", shape)
	}
	layout, err := raw.EncodeDeviceLayout(opts.Layout, shape, true)
	if err != nil {
		return nil, err
	}
	memory, err := raw.PlaceInMemory(client, opts.Device, opts.Memory)
	if err != nil {
		return nil, err
	}
	table := raw.Table(client.Plugin())
	var call capi.Call[capi.ClientCreateAliasBufferArgs]
	args := &call.Args
	args.Client = h
	args.Memory = memory
	args.ShapeDims, args.ShapeNumDims = unsafe.SliceData(shape.Dims), uintptr(len(shape.Dims))
	args.ShapeElementType = capi.BufferType(shape.Type)
	args.ShapeLayout = layout.C
	err = call.Do(table)
	runtime.KeepAlive(layout)
	if err != nil {
		return nil, err
	}
	b, err := raw.AdoptBufferOf(client, args.AliasBuffer, shape)
	if err != nil {
		return nil, err
	}
	a := &Alias{client: client, clientHandle: h, buffer: b, shape: b.Shape(), handle: args.FulfillAliasBufferCb, standIn: standin.New()}
	*bridge.Root.Waits(b) = &standin.Set{a.standIn}
	a.memory, _ = raw.MemoryOf(client, memory)
	a.layout, _ = b.Layout()
	a.promise = newPromise("promise of an alias", client, failAlias(table, h, a.handle, a.standIn))
	return a, nil
}

// failAlias returns the function that makes the stand-in fail.
func failAlias(table *capi.Table, client *capi.Client, handle *capi.FulfillAliasBufferCallback, s *standin.StandIn) func(error) error {
	return func(cause error) error {
		s.Fail()
		var call capi.Call[capi.ClientFulfillAliasBufferArgs]
		call.Args.Client = client
		code, message := raw.ErrorParts(cause)
		call.Args.StatusCode = code
		call.Args.ErrorMessage, call.Args.ErrorMessageSize = capi.StringData(message)
		call.Args.FulfillAliasBufferCb = handle
		err := call.Do(table)
		if capi.CodeOf(err) == code {
			return nil // some plugins return the very error that they were told
		}
		return err
	}
}

var errWaitsForItself = pjrt.ErrInvalidArgument.Errorf("the contents of the buffer wait for those of the alias, so neither would ever " +
	"arrive")

var errNilAlias = pjrt.ErrInvalidArgument.Errorf("the alias is nil")

// Fulfill gives the stand-in the contents of b (PJRT_Client_FulfillAliasBuffer). b must
// have the shape and the layout of the stand-in and be in the same memory. b may still wait
// for its contents, but not for those of the stand-in: a copy of the stand-in, or a result
// computed from it, is refused. The plugin may move the contents, which deletes b; the
// caller closes b in any case. After Fulfill, Fail or Close it returns an error.
func (a *Alias) Fulfill(b *pjrt.Buffer) error {
	switch {
	case a == nil || a.promise == nil:
		return errNilAlias
	case b == nil:
		return errNilBuffer
	case b.Client() != a.client:
		return pjrt.ErrInvalidArgument.Errorf("the buffer belongs to another client")
	case b == a.buffer:
		return pjrt.ErrInvalidArgument.Errorf("an alias cannot stand for itself")
	}
	if s := b.Shape(); !s.Equal(a.shape) {
		return pjrt.ErrInvalidArgument.Errorf("the buffer has the shape %v, but the alias has %v", s, a.shape)
	}
	h, release, err := raw.AcquireToConsume(b)
	if err != nil {
		return err
	}
	defer release()
	if m, err := b.Memory(); err == nil && a.memory != nil && m != a.memory {
		return pjrt.ErrInvalidArgument.Errorf("the buffer is in %v, but the alias is in %v; they must be in the same memory", m, a.memory)
	}
	if l, err := b.Layout(); err == nil && a.layout != nil && l.String() != a.layout.String() {
		return pjrt.ErrInvalidArgument.Errorf("the buffer has the layout %v, but the alias has %v", l, a.layout)
	}
	waits := *bridge.Root.Waits(b)
	if a.standIn.In(waits) {
		return errWaitsForItself
	}
	return a.promise.settle(func(s *promiseState) error {
		if !a.standIn.Fulfill(waits) { // another alias was fulfilled meanwhile
			_ = s.tell(errWaitsForItself)
			return errWaitsForItself
		}
		var call capi.Call[capi.ClientFulfillAliasBufferArgs]
		call.Args.Client = a.clientHandle
		call.Args.Buffer = h
		call.Args.FulfillAliasBufferCb = a.handle
		return call.Do(raw.Table(a.client.Plugin()))
	})
}

// Fail makes the stand-in fail with err. After Fulfill, Fail or Close it returns an
// error.
func (a *Alias) Fail(err error) error {
	if a == nil || a.promise == nil {
		return errNilAlias
	}
	return a.promise.fail(err)
}

// Close fails the stand-in with pjrt.ErrCancelled, unless Fulfill or Fail was called.
// The error is always nil.
func (a *Alias) Close() error {
	if a != nil {
		a.promise.close()
	}
	return nil
}
