// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// contents is the data of a buffer. It outlives the buffer while an operation reads it.
type contents struct {
	ready *future  // over when the data has arrived, or never will
	data  *storage // nil if there is no data; set before ready is over
	users atomic.Int32
}

// newContents returns contents with one user. data may be nil, and may be set as long as
// ready is not over.
func newContents(data *storage, ready *future) *contents {
	c := &contents{ready: ready, data: data}
	c.users.Store(1)
	return c
}

func (c *contents) use() *contents {
	c.users.Add(1)
	return c
}

// release ends a use. The last one frees the data, once it has arrived.
func (c *contents) release() {
	if c.users.Add(-1) > 0 {
		return
	}
	c.ready.onReady(func(error) { c.data.release() })
}

// end ends the use of the operation that fills the contents, which are ready then, or never
// will be. Whoever waits for them and closes the buffer finds its memory free.
func (c *contents) end(err error) {
	c.release()
	c.ready.complete(err)
}

// buffer is one PJRT_Buffer.
type buffer struct {
	client *client
	in     *memory
	shape  pjrt.Shape
	order  order
	size   int64 // on the device

	mu       sync.Mutex
	contents *contents // guarded by mu; nil once deleted
	gone     string    // guarded by mu; why the contents are gone, such as deleted
	// external are the contents that callers have taken references to, once for
	// each reference.
	external []*contents // guarded by mu
}

// newBuffer makes a buffer that the caller owns.
func (m *memory) newBuffer(s pjrt.Shape, o order, c *contents) *capi.Buffer {
	b := &buffer{client: m.client, in: m, shape: s, order: o, size: deviceSize(s), contents: c}
	return makeHandle[capi.Buffer](m.client.p, b, true)
}

// use returns the contents for reading. The caller releases them.
func (b *buffer) use() (*contents, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.contents == nil {
		return nil, b.deleted()
	}
	return b.contents.use(), nil
}

// deleted returns the error for an operation that needs contents which are gone.
//
// Precondition: b.mu is held.
func (b *buffer) deleted() error {
	return invalid("the buffer of shape %v was %s", b.shape, b.gone)
}

// take passes the buffer's own use of its contents to the caller.
func (b *buffer) take(why string) (*contents, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.contents == nil {
		return nil, b.deleted()
	}
	c := b.contents
	b.contents, b.gone = nil, why
	return c, nil
}

// restore undoes take.
func (b *buffer) restore(c *contents) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.contents, b.gone = c, ""
}

// delete ends the buffer's use of its contents.
func (b *buffer) delete(why string) {
	if c, err := b.take(why); err == nil {
		c.release()
	}
}

func (b *buffer) isDeleted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.contents == nil
}

func (p *Plugin) bufferDestroy(a *capi.BufferDestroyArgs) error {
	return destroy(p, a.Buffer, func(b *buffer) {
		b.delete("destroyed")
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.external) > 0 {
			// References that are still open can no longer be released, but may be in use.
			p.mu.Lock()
			p.stray = append(p.stray, b.external...)
			p.mu.Unlock()
		}
	})
}

func (p *Plugin) bufferDelete(a *capi.BufferDeleteArgs) error {
	return with(p, a.Buffer, func(b *buffer) { b.delete("deleted") })
}

func (p *Plugin) bufferIsDeleted(a *capi.BufferIsDeletedArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.IsDeleted = b.isDeleted() })
}

func (p *Plugin) bufferElementType(a *capi.BufferElementTypeArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.Type = capi.BufferType(b.shape.Type) })
}

func (p *Plugin) bufferDimensions(a *capi.BufferDimensionsArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.Dims, a.NumDims = list(b.shape.Dims) })
}

func (p *Plugin) bufferUnpaddedDimensions(a *capi.BufferUnpaddedDimensionsArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.UnpaddedDims, a.NumDims = list(b.shape.Dims) })
}

func (p *Plugin) bufferDynamicDimensionIndices(a *capi.BufferDynamicDimensionIndicesArgs) error {
	return with(p, a.Buffer, func(*buffer) { a.DynamicDimIndices, a.NumDynamicDims = nil, 0 })
}

func (p *Plugin) bufferGetMemoryLayout(a *capi.BufferGetMemoryLayoutArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	a.Layout = capi.BufferMemoryLayout{StructSize: capi.BufferMemoryLayoutSize, Type: capi.BufferMemoryLayoutTypeTiled}
	t := a.Layout.Tiled()
	t.StructSize = capi.BufferMemoryLayoutTiledSize
	t.MinorToMajor, t.MinorToMajorSize = list(b.order)
	return nil
}

func (p *Plugin) bufferOnDeviceSizeInBytes(a *capi.BufferOnDeviceSizeInBytesArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.OnDeviceSizeInBytes = uintptr(b.size) })
}

func (p *Plugin) bufferDevice(a *capi.BufferDeviceArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.Device = b.in.device.handle })
}

func (p *Plugin) bufferMemory(a *capi.BufferMemoryArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.Memory = b.in.handle })
}

func (p *Plugin) bufferIsOnCPU(a *capi.BufferIsOnCPUArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.IsOnCPU = b.in.host })
}

func (p *Plugin) bufferReadyEvent(a *capi.BufferReadyEventArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.contents == nil {
		a.Event = p.newEvent(readyFuture(b.deleted()))
	} else {
		a.Event = p.newEvent(b.contents.ready)
	}
	return nil
}

// pointer returns the address of the buffer's data.
func (p *Plugin) pointer(h *capi.Buffer) (uintptr, error) {
	b, err := find[*buffer](p, h)
	if err != nil {
		return 0, err
	}
	c, err := b.use()
	if err != nil {
		return 0, err
	}
	defer c.release()
	<-c.ready.done
	if err, _ := c.ready.result(); err != nil {
		return 0, err
	}
	return c.data.address(), nil
}

func (p *Plugin) bufferUnsafePointer(a *capi.BufferUnsafePointerArgs) (err error) {
	a.BufferPointer, err = p.pointer(a.Buffer)
	return err
}

func (p *Plugin) bufferOpaqueDeviceMemoryDataPointer(a *capi.BufferOpaqueDeviceMemoryDataPointerArgs) (err error) {
	a.DeviceMemoryPtr, err = p.pointer(a.Buffer)
	return err
}

func (p *Plugin) bufferIncreaseExternalReferenceCount(a *capi.BufferIncreaseExternalReferenceCountArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.contents == nil {
		return b.deleted()
	}
	b.external = append(b.external, b.contents.use())
	return nil
}

func (p *Plugin) bufferDecreaseExternalReferenceCount(a *capi.BufferDecreaseExternalReferenceCountArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	b.mu.Lock()
	n := len(b.external)
	if n == 0 {
		b.mu.Unlock()
		return invalid("the buffer of shape %v has no external references to release", b.shape)
	}
	c := b.external[n-1]
	b.external = b.external[:n-1]
	b.mu.Unlock()
	c.release()
	return nil
}
