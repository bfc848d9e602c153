// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

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
	*holding
}

// holding is what belongs to a C buffer and not to the Buffer. It is apart from the Buffer so
// that it does not keep it reachable, and because it goes to another Buffer when the C buffer
// is destroyed: only who has acquired the Buffer may look at it. What each execution looks at
// comes first, in one line of the processor's cache with the count of the lifetime.
type holding struct {
	references references                  // external ones
	filled     atomic.Bool                 // the contents have been there: see hasContents
	bornFilled bool                        // filled, if that was so before anyone had the Buffer; never changed
	born       *capi.Device                // device, if it was known before anyone had the Buffer; never changed
	device     atomic.Pointer[capi.Device] // where the plugin put it, or was told to; nil if unknown
	inMemory   atomic.Pointer[Layout]      // see knownLayout
	waits      *standin.Set                // what the contents waited for when the buffer was made, or nil; never changed
	host       *hostUse                    // to be told when the C buffer is destroyed, or nil
	pending    atomic.Pointer[eventState]  // of the contents, for all who wait for them; nil if nobody has had to
	dynamic    answer                      // does it have dimensions known only at run time?
	readable   answer                      // can the host read its memory as a dense array?

	destroy capi.Call[capi.BufferDestroyArgs] // the last call about the buffer
}

// reset forgets everything about a C buffer that was destroyed. Atomic stores cost more than
// the rest of it, and most buffers were only passed on.
func (x *holding) reset() {
	x.references.reset()
	x.born, x.bornFilled, x.waits, x.host = nil, false, nil, nil
	if x.device.Load() != nil {
		x.device.Store(nil)
	}
	if x.inMemory.Load() != nil {
		x.inMemory.Store(nil)
	}
	if x.pending.Load() != nil {
		x.pending.Store(nil)
	}
	if x.filled.Load() {
		x.filled.Store(false)
	}
	x.dynamic.forget()
	x.readable.forget()
}

// A bufferFamily makes the references to the buffers of a client, which are expectedBuffers
// before they exist.
type (
	bufferFamily    = lifetimes.Family[capi.Buffer, holding]
	expectedBuffers = lifetimes.Expected[capi.Buffer, holding]
)

// newBuffer makes a Buffer that owns h.
func (c *Client) newBuffer(h *capi.Buffer, shape Shape) *Buffer {
	b := &Buffer{client: c, shape: &c.form(shape.Type, shape.Dims).Shape}
	b.own(h)
	return b
}

// own makes b, which has its client and its shape, the Buffer that owns h.
func (b *Buffer) own(h *capi.Buffer) { b.holding = b.client.buffers.Init(&b.ref, h) }

// form is a shape that several arrays have. It fills one line of the processor's caches.
type form struct {
	Shape
	size int      // HostSize, or -1 if the client can have no array of the host with the shape
	dims [3]int64 // those of the Shape, if there are no more
}

// forms has some of the shapes that the buffers of a client were made with last, so that most
// buffers need no memory for theirs.
type forms [32]atomic.Pointer[form]

// form returns a form with a copy of the dimensions.
func (c *Client) form(t dtype.Type, dims []int64) *form {
	place := uint(t)
	for _, d := range dims {
		place = place*31 + uint(d)
	}
	last := &c.forms[place%uint(len(c.forms))]
	if f := last.Load(); f != nil && f.Type == t && slices.Equal(f.Dims, dims) {
		return f
	}
	f := new(form)
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

// bufferDestroyer returns the function that destroys the buffers of a client. They all
// share it, because programs make many buffers.
func bufferDestroyer(table *capi.Table) func(*capi.Buffer, *holding) {
	return func(h *capi.Buffer, x *holding) {
		if h != nil { // see lifetimes.Ref.EndClose
			x.destroy.Args.Buffer = h
			_ = x.destroy.Do(table)
		}
		if x.host != nil {
			x.host.bufferDestroyed()
		}
		x.reset()
	}
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

// String returns the shape of the array and its device.
func (b *Buffer) String() string {
	if b == nil || b.client == nil {
		return "no buffer"
	}
	if b.ref.Closed() {
		return fmt.Sprintf("buffer of %v (closed)", b.shape)
	}
	d, err := b.Device()
	if err != nil {
		return fmt.Sprintf("buffer of %v", b.shape)
	}
	return fmt.Sprintf("buffer of %v on %v", b.shape, d)
}

// Delete frees the memory of the device once nothing uses it (PJRT_Buffer_Delete).
// Methods that describe the buffer then still work, and those that use its contents
// fail. Deleting again does nothing. The caller still closes it.
//
// Delete does not wait: if a call is using the contents, they are deleted when it ends.
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
		return invalid("the buffer %v was deleted or donated", b.shape)
	}
	return nil
}
