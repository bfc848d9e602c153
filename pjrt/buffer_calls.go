// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// bufferCalls are calls about the buffers of an execution. Executions reuse them, one
// goroutine at a time, in order not to allocate them.
type bufferCalls struct {
	device      capi.Call[capi.BufferDeviceArgs]
	deleted     capi.Call[capi.BufferIsDeletedArgs]
	elementType capi.Call[capi.BufferElementTypeArgs]
	dims        capi.Call[capi.BufferDimensionsArgs]
	destroyed   capi.Call[capi.BufferDestroyArgs]
}

func (c *bufferCalls) isDeleted(table *capi.Table, h *capi.Buffer) (bool, error) {
	c.deleted.Args.Buffer = h
	err := c.deleted.Do(table)
	return c.deleted.Args.IsDeleted, err
}

func (c *bufferCalls) shape(table *capi.Table, h *capi.Buffer) (Shape, error) {
	c.elementType.Args.Buffer, c.dims.Args.Buffer = h, h
	if err := c.elementType.Do(table); err != nil {
		return Shape{}, err
	}
	if err := c.dims.Do(table); err != nil {
		return Shape{}, err
	}
	shape := Shape{Type: dtype.Type(c.elementType.Args.Type), Dims: capi.Slice(c.dims.Args.Dims, c.dims.Args.NumDims)}
	if shape.Type == dtype.Invalid {
		return Shape{}, misbehaved(c.elementType.Function(), "gave no type for a buffer")
	}
	return shape, checkGiven(c.dims.Function(), shape)
}

// checkGiven returns an error for a shape of the plugin's that no array has.
func checkGiven(f *capi.Function, shape Shape) error {
	for i, d := range shape.Dims {
		if d < 0 {
			return misbehaved(f, "gave dimension %d the size %d", i, d)
		}
	}
	return nil
}

func (c *bufferCalls) destroy(table *capi.Table, h *capi.Buffer) {
	c.destroyed.Args.Buffer = h
	_ = c.destroyed.Do(table)
}

// upload is the calls that make a buffer of an array.
type upload struct {
	make    capi.Call[capi.ClientBufferFromHostBufferArgs]
	destroy capi.Call[capi.EventDestroyArgs]
	// both makes the buffer and destroys the event that says when the plugin has read the
	// memory, in one crossing into C. Plugins have read it when the call returns, and make
	// the event all the same.
	both capi.Sequence
}
