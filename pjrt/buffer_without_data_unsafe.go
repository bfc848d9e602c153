// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// newShape is the shape of a buffer to be made, in the form that C takes.
type newShape struct {
	dims   []int64
	layout *cLayout
}

// checkNew checks the arguments of functions that make buffers without host memory.
func (c *Client) checkNew(ctx context.Context, shape Shape, opts *BufferOptions) (*newShape, error) {
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	if err := abandon.Err(ctx, &shape, ""); err != nil {
		return nil, err
	}
	if opts.Semantics != OnlyDuringCall || opts.Strides != nil {
		return nil, invalid("options Semantics and Strides are only for buffers made from host memory: leave them unset")
	}
	if _, err := hostSize(shape); err != nil {
		return nil, err
	}
	if err := knowsType(c.table, shape.Type); err != nil {
		return nil, err
	}
	if opts.Layout != nil {
		c.permuted.Store(true)
	}
	layout, err := opts.Layout.encodeStated(shape)
	if err != nil {
		return nil, err
	}
	return &newShape{slices.Clone(shape.Dims), layout}, nil
}

// makeBuffer returns the buffer that make makes with the handle of the client, if ctx does not end
// first.
func (c *Client) makeBuffer(ctx context.Context, make func(*capi.Client) (*Buffer, error)) (*Buffer, error) {
	return abandon.Call(ctx, func() (*Buffer, error) {
		h, err := c.acquire()
		if err != nil {
			return nil, err
		}
		defer c.ref.Release()
		return make(h)
	}, (*Buffer).Close)
}

// UninitializedBuffer makes a buffer with undefined contents, for example to donate it to a
// computation for its result (PJRT_Client_CreateUninitializedBuffer, API 0.69). opts may be nil, or
// set the device, memory and layout, which is otherwise row-major.
func (c *Client) UninitializedBuffer(ctx context.Context, shape Shape, opts *BufferOptions) (*Buffer, error) {
	if opts == nil {
		opts = &BufferOptions{}
	}
	s, err := c.checkNew(ctx, shape, opts)
	if err != nil {
		return nil, err
	}
	where := *opts
	return c.makeBuffer(ctx, func(h *capi.Client) (*Buffer, error) {
		place, err := c.place(where.Device, where.Memory)
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
			return nil, c.explainMemory(err, place.device, "")
		}
		return c.newBuffer(args.Buffer, Shape{Type: shape.Type, Dims: s.dims}).obeyed(args.Buffer, where.Layout)
	})
}

// ErrorBuffer makes a buffer that holds an error in place of an array, which plugins may allocate
// (PJRT_Client_CreateErrorBuffer, API 0.82). Waiting for it and reading it return the error, and
// computations pass it on to their results. An *Error in the chain of cause gives the code and the
// payloads (API 0.103). opts may be nil, or set the device, memory and layout.
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
	code, message := failure(cause)
	where := *opts
	return c.makeBuffer(ctx, func(h *capi.Client) (*Buffer, error) {
		memory, err := c.placeInMemory(where.Device, where.Memory)
		if err != nil {
			return nil, err
		}
		var call capi.Call[capi.ClientCreateErrorBufferArgs]
		args := &call.Args
		args.Client = h
		args.ErrorCode = code
		args.ErrorMessage, args.ErrorMessageSize = capi.StringData(message)
		args.ShapeDims, args.ShapeNumDims = unsafe.SliceData(s.dims), uintptr(len(s.dims))
		args.ShapeElementType = capi.BufferType(shape.Type)
		if s.layout == &noLayout { // of packed elements, which nobody will look for here
			s.layout = rowMajorLayout(len(shape.Dims))
		}
		args.ShapeLayout = s.layout.layout
		if _, minor := c.table.Version(); minor >= deviceLayoutSince {
			args.DeviceLayout = s.layout.layout
		}
		args.Memory = memory
		args.Payload, args.NumPayload = payloads.Data()
		err = call.Do(c.table)
		runtime.KeepAlive(s)
		runtime.KeepAlive(payloads)
		if err != nil {
			return nil, err
		}
		b := c.newBuffer(args.Buffer, Shape{Type: shape.Type, Dims: s.dims})
		if where.Layout != nil {
			b.inMemory.Store(where.Layout.clone()) // some plugins forget it, and there is no memory to be in
		}
		return b, nil
	})
}

const (
	// payloadsSince is the first API minor whose error buffers take payloads.
	payloadsSince = 103
	// deviceLayoutSince is the first API minor that reads the layout of error buffers from
	// device_layout. Plugins of that minor may read shape_layout as well.
	deviceLayoutSince = 117
)

// payloads returns the C form of the payloads of err, or nil if err has none or the
// plugin does not take them.
func (c *Client) payloads(err error) (*capi.NamedValues, error) {
	var e *Error
	_, minor := c.table.Version()
	if !errors.As(err, &e) || minor < payloadsSince {
		return nil, nil
	}
	var list []Attribute
	for _, p := range e.Payloads {
		list = append(list, Attribute{Name: p.Key, Value: string(p.Value)})
	}
	values, nerr := capi.NewNamedValues(list)
	if nerr != nil {
		return nil, invalid("payloads: %v", nerr)
	}
	return values, nil
}
