// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// Buffer is an array in the memory of a device.
type Buffer struct {
	client *Client
	ref    lifetimes.Ref[capi.Buffer]
	shape  *Shape   // never changed, and shared by the results of an executable; nil in a zero Buffer
	host   *hostUse // nil when C kept no memory of the host
	*bufferState
}

// newBuffer makes a Buffer that owns h.
func (c *Client) newBuffer(h *capi.Buffer, shape Shape) *Buffer {
	b := &Buffer{client: c, shape: &c.knownShape(shape.Type, shape.Dims).Shape}
	b.own(h)
	return b
}

// own makes b, which has its client and its shape, the Buffer that owns h.
func (b *Buffer) own(h *capi.Buffer) { b.bufferState = b.client.buffers.Init(&b.ref, h) }

// knownShape returns a shape with a copy of the dimensions.
func (c *Client) knownShape(t dtype.Type, dims []int64) *knownShape {
	place := uint(t)
	for _, d := range dims {
		place = place*31 + uint(d)
	}
	last := &c.knownShapes[place%uint(len(c.knownShapes))]
	if f := last.Load(); f != nil && f.Type == t && slices.Equal(f.Dims, dims) {
		return f
	}
	f := new(knownShape)
	f.Shape = Shape{Type: t, Dims: append(f.dims[:0], dims...)}
	var err error
	if f.size, err = f.HostSize(); err != nil || knowsType(c.table, t) != nil {
		f.size = -1
	}
	last.Store(f)
	return f
}

// onDevice returns where the plugin put the buffer, nil if that is unknown.
func (b *Buffer) onDevice() *capi.Device {
	if b.born != nil {
		return b.born
	}
	return b.device.Load()
}

// waitsFor returns what contents wait for that are made of those of the buffers.
func waitsFor(buffers ...*Buffer) *standin.Set {
	if !standin.Any() {
		return nil
	}
	var sets []*standin.Set
	for _, b := range buffers {
		if b != nil {
			sets = append(sets, b.waits)
		}
	}
	return standin.Union(sets...)
}

// derived is newBuffer for a handle whose contents are made of those of b.
func (b *Buffer) derived(h *capi.Buffer, shape Shape) *Buffer {
	d := b.client.newBuffer(h, shape)
	d.waits = waitsFor(b)
	return d
}

// adoptBuffer makes a Buffer that owns h, and asks the plugin for its shape.
func (c *Client) adoptBuffer(h *capi.Buffer) (*Buffer, error) {
	if h == nil {
		return nil, errNoBuffer
	}
	calls := new(bufferCalls)
	shape, err := calls.shape(c.table, h)
	if err != nil {
		calls.destroy(c.table, h)
		return nil, err
	}
	return c.newBuffer(h, shape), nil
}

var errNoBuffer = failed(ErrInternal, "the plugin reported success and gave no buffer")

var errNilBuffer = invalid("the buffer is nil")

// acquire returns the C object, valid until b.ref.Release.
func (b *Buffer) acquire() (*capi.Buffer, error) {
	if b == nil || b.client == nil {
		return nil, errNilBuffer
	}
	return b.ref.Acquire()
}

// Close closes the buffer (PJRT_Buffer_Destroy). Its memory stays until the computations
// that use it are done and the references to it are closed.
func (b *Buffer) Close() error {
	if b == nil {
		return nil
	}
	return b.ref.Close()
}

// Client returns the client of the buffer.
func (b *Buffer) Client() *Client {
	if b == nil {
		return nil
	}
	return b.client
}

// Shape returns the type and the dimensions of the array. For a dimension that is known
// only at run time it has the upper bound; see UnpaddedDims.
func (b *Buffer) Shape() Shape {
	if b == nil || b.shape == nil {
		return Shape{}
	}
	return Shape{Type: b.shape.Type, Dims: slices.Clone(b.shape.Dims)}
}

// Delete frees the memory of the device once nothing uses it (PJRT_Buffer_Delete), without waiting
// for that. Methods that describe the buffer then still work, and those that use its contents fail.
// Deleting again does nothing. The caller still closes it.
func (b *Buffer) Delete() error {
	h, err := b.acquire()
	if err != nil {
		return err
	}
	defer b.ref.Release()
	if !b.references.markDeleted() {
		return nil
	}
	if err := deleteContents(b.client.table, h); err != nil {
		b.references.unmarkDeleted()
		return err
	}
	return nil
}

func deleteContents(table *capi.Table, h *capi.Buffer) error {
	var c capi.Call[capi.BufferDeleteArgs]
	c.Args.Buffer = h
	return c.Do(table)
}

// beginTurn takes a turn at the contents of a buffer that the caller has acquired.
func (b *Buffer) beginTurn(ctx context.Context, kind turn) error {
	return b.references.begin(ctx, kind)
}

// endTurn ends a turn. The caller still has the buffer acquired.
func (b *Buffer) endTurn(kind turn, h *capi.Buffer) {
	if b.references.end(kind) {
		b.deleteAfterTurn(h)
	}
}

// deleteAfterTurn deletes contents that Delete has left to the last who uses them.
func (b *Buffer) deleteAfterTurn(h *capi.Buffer) { _ = deleteContents(b.client.table, h) }

// IsDeleted reports whether the contents are gone: deleted, donated to a computation,
// or taken over by another buffer (PJRT_Buffer_IsDeleted).
func (b *Buffer) IsDeleted() (bool, error) {
	h, err := b.acquire()
	if err != nil {
		return false, err
	}
	defer b.ref.Release()
	return b.isDeleted(h)
}

func (b *Buffer) isDeleted(h *capi.Buffer) (bool, error) {
	if b.references.isDeleted() {
		return true, nil
	}
	var c capi.Call[capi.BufferIsDeletedArgs]
	c.Args.Buffer = h
	err := c.Do(b.client.table)
	return c.Args.IsDeleted, err
}

// alive returns an error if the contents of the buffer are gone.
func (b *Buffer) alive(h *capi.Buffer) error {
	gone, err := b.isDeleted(h)
	if err != nil {
		return err
	}
	if gone {
		return invalid("the buffer %v was deleted, or donated to an earlier execution", b.shape)
	}
	return nil
}

// orGone returns what alive returns if a plugin refused the buffer because its contents are gone,
// which each plugin and function says in its own words, and err otherwise.
func (b *Buffer) orGone(h *capi.Buffer, err error) error {
	if err == nil || !errors.Is(err, ErrInvalidArgument) {
		return err
	}
	if gone := b.alive(h); gone != nil && errors.Is(gone, ErrInvalidArgument) {
		return gone
	}
	return err
}

// hasElements returns an error for a token, which only orders executions. Plugins end the
// process when they are asked for its layout, its size or its dimensions.
func (b *Buffer) hasElements() error {
	if b.shape.Type == dtype.Token {
		return invalid("the buffer is a token, which has no elements")
	}
	return nil
}

// deviceOf returns the device of a buffer, or nil if it is unknown.
func (c *bufferCalls) deviceOf(table *capi.Table, b *Buffer, h *capi.Buffer) *capi.Device {
	if at := b.onDevice(); at != nil {
		return at
	}
	c.device.Args.Buffer = h
	if err := c.device.Do(table); err != nil {
		return nil
	}
	b.device.Store(c.device.Args.Device)
	return c.device.Args.Device
}
