// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// manager is one PJRT_AsyncHostToDeviceTransferManager.
type manager struct {
	in      *memory
	buffers []*incoming
}

// incoming is a buffer that is filled piece by piece.
type incoming struct {
	shape    pjrt.Shape
	order    order
	size     int64
	contents *contents // the manager holds a use

	mu        sync.Mutex
	retrieved bool  // guarded by mu
	last      bool  // guarded by mu; no more pieces may follow
	pending   int   // guarded by mu; pieces on their way
	sent      int64 // guarded by mu; bytes of all pieces so far
	err       error // guarded by mu; what the buffer fails with
}

func (p *Plugin) clientCreateBuffersForAsyncHostToDevice(a *capi.ClientCreateBuffersForAsyncHostToDeviceArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	if a.ShapeSpecs == nil && a.NumShapeSpecs > 0 {
		return invalid("the list of shapes is null and has %d elements", a.NumShapeSpecs)
	}
	if a.NumDeviceLayouts > 0 && (a.DeviceLayouts == nil || a.NumDeviceLayouts != a.NumShapeSpecs) {
		return invalid("there are %d layouts for %d shapes", a.NumDeviceLayouts, a.NumShapeSpecs)
	}
	in, err := c.place(nil, a.Memory)
	if err != nil {
		return err
	}
	m := &manager{in: in}
	layouts := elements(a.DeviceLayouts, a.NumDeviceLayouts)
	for i := range a.NumShapeSpecs {
		spec := &elements(a.ShapeSpecs, a.NumShapeSpecs)[i]
		_, err := read(spec, "PJRT_ShapeSpec", capi.ShapeSpecSize)
		var layout *capi.BufferMemoryLayout
		if layouts != nil {
			layout = layouts[i]
		}
		var shape pjrt.Shape
		var order order
		if err == nil {
			shape, order, err = givenShape(spec.ElementType, spec.Dims, spec.NumDims, layout)
		}
		var data *storage
		if err == nil {
			data, err = in.newStorage(deviceSize(shape))
		}
		if err != nil {
			m.end()
			return err
		}
		m.buffers = append(m.buffers, &incoming{
			shape: shape, order: order, size: deviceSize(shape), contents: newContents(data, newFuture()),
		})
	}
	a.TransferManager = makeHandle[capi.AsyncHostToDeviceTransferManager](p, m, true)
	return nil
}

// end fails the buffers that do not yet have all their data.
func (m *manager) end() {
	for _, b := range m.buffers {
		b.close(capi.ErrorCodeCancelled.Errorf("the transfer manager was destroyed before the last transfer to the buffer"))
		b.contents.release()
	}
}

// close notes that no more pieces follow. It reports whether this is the first call.
func (b *incoming) close(err error) bool {
	b.mu.Lock()
	if b.last {
		b.mu.Unlock()
		return false
	}
	b.last, b.err = true, err
	over := b.pending == 0
	b.mu.Unlock()
	if over {
		b.contents.ready.complete(err)
	}
	return true
}

// expect notes that a piece is on its way; last says that it is the last one.
func (b *incoming) expect(size int64, last bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last {
		return capi.ErrorCodeFailedPrecondition.Errorf("the buffer of shape %v already has its last transfer or an error", b.shape)
	}
	if last && size < b.size-b.sent {
		return invalid("the last transfer to the buffer of shape %v leaves %d of its %d bytes unset", b.shape, b.size-b.sent-size, b.size)
	}
	b.sent += size
	b.last = last
	b.pending++
	return nil
}

// arrived notes that a piece has arrived, or failed with err.
func (b *incoming) arrived(err error) {
	b.mu.Lock()
	b.pending--
	if b.err == nil {
		b.err = err
	}
	over, result := b.last && b.pending == 0, b.err
	b.mu.Unlock()
	if over {
		b.contents.ready.complete(result)
	}
}

// send begins the transfer of a piece.
func (p *Plugin) send(function string, m *manager, b *incoming, size int64, last bool, move func()) (*capi.Event, error) {
	if err := b.expect(size, last); err != nil {
		return nil, err
	}
	over := newFuture()
	e := p.newEvent(over)
	b.contents.use()
	p.start(&Operation{p: p, function: function, device: m.in.device.id, run: func(err error) {
		if err == nil {
			move()
		}
		b.arrived(err)
		b.contents.release()
		over.complete(err)
	}}, nil)
	return e, nil
}

// incomingAt returns a buffer of a manager by its number.
func (p *Plugin) incomingAt(h *capi.AsyncHostToDeviceTransferManager, i int32) (*manager, *incoming, error) {
	m, err := find[*manager](p, h)
	if err != nil {
		return nil, nil, err
	}
	if i < 0 || int(i) >= len(m.buffers) {
		return nil, nil, invalid("the transfer manager has no buffer %d; it has %d buffers", i, len(m.buffers))
	}
	return m, m.buffers[i], nil
}

func (p *Plugin) transferManagerDestroy(a *capi.AsyncHostToDeviceTransferManagerDestroyArgs) error {
	return destroy(p, a.TransferManager, (*manager).end)
}

func (p *Plugin) transferManagerTransferData(a *capi.AsyncHostToDeviceTransferManagerTransferDataArgs) error {
	m, b, err := p.incomingAt(a.TransferManager, a.BufferIndex)
	if err != nil {
		return err
	}
	switch {
	case a.Offset < 0 || a.TransferSize < 0 || a.Offset > b.size || a.TransferSize > b.size-a.Offset:
		return invalid("%d bytes at %d are not within the %d bytes of the buffer", a.TransferSize, a.Offset, b.size)
	case a.Data == nil && a.TransferSize > 0:
		return invalid("the data of %d bytes is null", a.TransferSize)
	}
	src, offset := hostBytes(a.Data, a.TransferSize), a.Offset
	fill := func() { copy(b.contents.data.bytes[offset:], src) }
	a.DoneWithH2dTransfer, err = p.send(a.Function().Name, m, b, a.TransferSize, a.IsLastTransfer, fill)
	return err
}

func (p *Plugin) transferManagerTransferLiteral(a *capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs) error {
	m, b, err := p.incomingAt(a.TransferManager, a.BufferIndex)
	if err != nil {
		return err
	}
	shape, order, err := givenShape(a.ShapeElementType, a.ShapeDims, a.ShapeNumDims, a.ShapeLayout)
	if err != nil {
		return err
	}
	if !shape.Equal(b.shape) {
		return invalid("the literal is %v, but the buffer is %v", shape, b.shape)
	}
	if a.Data == nil && hostSize(shape) > 0 {
		return invalid("the data of the literal is null")
	}
	src := strided{hostSpan(a.Data, hostSize(shape), 0), order.strides(shape)}
	fill := func() { toDevice(b.contents.data.bytes, b.order, src, shape) }
	a.DoneWithH2dTransfer, err = p.send(a.Function().Name, m, b, b.size, true, fill)
	return err
}

func (p *Plugin) transferManagerRetrieveBuffer(a *capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs) error {
	m, b, err := p.incomingAt(a.TransferManager, a.BufferIndex)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.retrieved {
		return capi.ErrorCodeFailedPrecondition.Errorf("buffer %d was already retrieved", a.BufferIndex)
	}
	b.retrieved = true
	a.BufferOut = m.in.newBuffer(b.shape, slices.Clone(b.order), b.contents.use())
	return nil
}

func (p *Plugin) transferManagerDevice(a *capi.AsyncHostToDeviceTransferManagerDeviceArgs) error {
	return with(p, a.TransferManager, func(m *manager) { a.DeviceOut = m.in.device.handle })
}

func (p *Plugin) transferManagerBufferCount(a *capi.AsyncHostToDeviceTransferManagerBufferCountArgs) error {
	return with(p, a.TransferManager, func(m *manager) { a.BufferCount = uintptr(len(m.buffers)) })
}

func (p *Plugin) transferManagerBufferSize(a *capi.AsyncHostToDeviceTransferManagerBufferSizeArgs) error {
	_, b, err := p.incomingAt(a.TransferManager, a.BufferIndex)
	if err == nil {
		a.BufferSize = uintptr(b.size)
	}
	return err
}

func (p *Plugin) transferManagerSetBufferError(a *capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs) error {
	_, b, err := p.incomingAt(a.TransferManager, a.BufferIndex)
	if err != nil {
		return err
	}
	cause, err := given(a.ErrorCode, a.ErrorMessage, a.ErrorMessageSize)
	if err != nil {
		return err
	}
	if cause == nil {
		return invalid("the error of a buffer cannot have the code OK")
	}
	if !b.close(cause) {
		return capi.ErrorCodeFailedPrecondition.Errorf("the buffer of shape %v already has its last transfer or an error", b.shape)
	}
	return nil
}

func (p *Plugin) transferManagerAddMetadata(a *capi.AsyncHostToDeviceTransferManagerAddMetadataArgs) error {
	if _, err := find[*manager](p, a.TransferManager); err != nil {
		return err
	}
	_, err := payloads(a.TransferMetadata, a.NumMetadata)
	return err
}
