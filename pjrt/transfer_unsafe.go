// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// TransferManager fills buffers that exist already, and may be in use, with
// pieces of data that come in any order. Its methods may be called from any
// goroutine.
type TransferManager struct {
	client *Client
	ref    *lifetime.Ref[capi.AsyncHostToDeviceTransferManager]
	shapes []Shape
	sizes  []int64 // bytes on the device
	slots  []transferSlot
}

// transferSlot is what happened to one buffer of a manager.
type transferSlot struct {
	// mu is held for calls too, so that no piece overtakes the last one.
	mu        sync.Mutex
	retrieved bool   // guarded by mu
	complete  bool   // guarded by mu; got its last piece, or an error
	sent      ranges // guarded by mu
}

// TransferOptions are the options of NewTransferManager.
type TransferOptions struct {
	// Device and Memory say where the buffers are, as in BufferOptions.
	Device *Device
	Memory *Memory
	// Layouts are the layouts of the buffers on the device, one for each shape
	// and nil for the plugin's default. Nil means that for all.
	Layouts []*Layout
}

// NewTransferManager makes buffers of the shapes, whose contents are to be sent
// (PJRT_Client_CreateBuffersForAsyncHostToDevice, since API 0.60; most of the
// methods since 0.62). opts may be nil.
func (c *Client) NewTransferManager(ctx context.Context, shapes []Shape, opts *TransferOptions) (*TransferManager, error) {
	if opts == nil {
		opts = &TransferOptions{}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(shapes) == 0 {
		return nil, invalid("a transfer manager needs shapes")
	}
	if opts.Layouts != nil && len(opts.Layouts) != len(shapes) {
		return nil, invalid("there are %d layouts for %d shapes", len(opts.Layouts), len(shapes))
	}
	specs := make([]capi.ShapeSpec, len(shapes))
	layouts := make([]*capi.BufferMemoryLayout, len(opts.Layouts))
	var keep []*cLayout
	m := &TransferManager{client: c, slots: make([]transferSlot, len(shapes))}
	for i, s := range shapes {
		if _, err := s.HostSize(); err != nil {
			return nil, err
		}
		if err := c.knows(s.Type); err != nil {
			return nil, err
		}
		s.Dims = slices.Clone(s.Dims)
		m.shapes = append(m.shapes, s)
		specs[i] = capi.ShapeSpec{
			StructSize: capi.ShapeSpecSize, ElementType: capi.BufferType(s.Type),
			Dims: unsafe.SliceData(s.Dims), NumDims: uintptr(len(s.Dims)),
		}
		if opts.Layouts != nil {
			l, err := opts.Layouts[i].encode(s)
			if err != nil {
				return nil, err
			}
			keep = append(keep, l)
			layouts[i] = l.layout
		}
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
	var call capi.Call[capi.ClientCreateBuffersForAsyncHostToDeviceArgs]
	args := &call.Args
	args.Client = h
	args.ShapeSpecs, args.NumShapeSpecs = unsafe.SliceData(specs), uintptr(len(specs))
	if len(layouts) > 0 {
		args.DeviceLayouts, args.NumDeviceLayouts = unsafe.SliceData(layouts), uintptr(len(layouts))
	}
	args.Memory = memory
	err = allocate(ctx, c.table, &call)
	runtime.KeepAlive(keep)
	if err != nil {
		return nil, err
	}
	table := c.table
	m.ref = lifetime.New("transfer manager", args.TransferManager, c.ref, func(h *capi.AsyncHostToDeviceTransferManager) {
		var d capi.Call[capi.AsyncHostToDeviceTransferManagerDestroyArgs]
		d.Args.TransferManager = h
		_ = d.Do(table) // there is nobody to tell
	})
	if err := m.readSizes(args.TransferManager); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// readSizes asks for the sizes of the buffers, which plugins answer for buffers
// that do not exist as well.
func (m *TransferManager) readSizes(h *capi.AsyncHostToDeviceTransferManager) error {
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerBufferSizeArgs]
	call.Args.TransferManager = h
	for i := range m.shapes {
		call.Args.BufferIndex = int32(i)
		if err := call.Do(m.client.table); err != nil {
			return err
		}
		m.sizes = append(m.sizes, int64(call.Args.BufferSize))
	}
	return nil
}

// Close gives the manager up (PJRT_AsyncHostToDeviceTransferManager_Destroy).
// Pieces under way still arrive; buffers that have not got their last one then
// fail.
func (m *TransferManager) Close() error {
	if m == nil {
		return nil
	}
	return m.ref.Close()
}

// BufferCount returns the number of buffers.
func (m *TransferManager) BufferCount() int { return len(m.shapes) }

// BufferSize returns the bytes of a buffer on the device
// (PJRT_AsyncHostToDeviceTransferManager_BufferSize), which are those to send.
func (m *TransferManager) BufferSize(index int) (int64, error) {
	if err := m.checkIndex(index); err != nil {
		return 0, err
	}
	return m.sizes[index], nil
}

// Device returns the device of the buffers
// (PJRT_AsyncHostToDeviceTransferManager_Device).
func (m *TransferManager) Device() (*Device, error) {
	h, err := m.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer m.ref.Release()
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerDeviceArgs]
	call.Args.TransferManager = h
	if err := call.Do(m.client.table); err != nil {
		return nil, err
	}
	return m.client.deviceOf(call.Args.DeviceOut)
}

func (m *TransferManager) checkIndex(index int) error {
	if index < 0 || index >= len(m.shapes) {
		return failed(ErrOutOfRange, "buffer %d is not among the %d of the transfer manager", index, len(m.shapes))
	}
	return nil
}

// Buffer hands out a buffer (PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer),
// once, before or after its data was sent. It may be used at once; computations
// wait. It outlives the manager, and is the caller's to close.
func (m *TransferManager) Buffer(index int) (*Buffer, error) {
	if err := m.checkIndex(index); err != nil {
		return nil, err
	}
	h, err := m.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer m.ref.Release()
	slot := &m.slots[index]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.retrieved {
		return nil, failed(ErrFailedPrecondition, "buffer %d was handed out before", index)
	}
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs]
	call.Args.TransferManager, call.Args.BufferIndex = h, int32(index)
	if err := call.Do(m.client.table); err != nil {
		return nil, err
	}
	slot.retrieved = true
	return m.client.newBuffer(call.Args.BufferOut, m.shapes[index]), nil
}

// TransferData sends a piece of a buffer
// (PJRT_AsyncHostToDeviceTransferManager_TransferData): bytes as they are to lie
// on the device from offset on, where types narrower than a byte are packed.
// Pieces come in any order; last marks the one after which the buffer is
// complete, and is an error when the pieces before leave a gap.
//
// The event is ready when the plugin no longer uses data, which must not be
// changed before and is kept referenced. The caller closes it.
func (m *TransferManager) TransferData(index int, data []byte, offset int64, last bool) (*Event, error) {
	if err := m.checkIndex(index); err != nil {
		return nil, err
	}
	size := int64(len(data))
	if total := m.sizes[index]; offset < 0 || offset > total || size > total-offset {
		return nil, rangeError(offset, size, total)
	}
	h, err := m.ref.Acquire()
	if err != nil {
		return nil, err
	}
	slot := &m.slots[index]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if err := slot.accepts(index); err != nil {
		m.ref.Release()
		return nil, err
	}
	sent := slot.sent.with(offset, offset+size)
	if at, whole := sent.gap(m.sizes[index]); last && !whole {
		m.ref.Release()
		return nil, invalid("the last piece of buffer %d leaves a gap at byte %d of %d", index, at, m.sizes[index])
	}
	if len(data) == 0 {
		data = make([]byte, 1)
	}
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerTransferDataArgs]
	args := &call.Args
	args.TransferManager, args.BufferIndex = h, int32(index)
	args.Data, args.Offset, args.TransferSize = unsafe.Pointer(unsafe.SliceData(data)), offset, size
	args.IsLastTransfer = last
	if err := call.Do(m.client.table); err != nil {
		m.ref.Release()
		return nil, err
	}
	slot.sent, slot.complete = sent, last
	return m.pieceEvent(args.DoneWithH2dTransfer, data)
}

// TransferLiteral sends a whole array
// (PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, since API 0.83), which
// must have the shape of the buffer, in the host's form: the plugin makes of it
// what the device needs. The event is that of TransferData.
func (m *TransferManager) TransferLiteral(index int, a HostArray) (*Event, error) {
	if err := m.checkIndex(index); err != nil {
		return nil, err
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	if want := m.shapes[index]; !a.Shape().Equal(want) {
		return nil, invalid("the array is %v, buffer %d is %v", a.Shape(), index, want)
	}
	h, err := m.ref.Acquire()
	if err != nil {
		return nil, err
	}
	slot := &m.slots[index]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if err := slot.accepts(index); err != nil {
		m.ref.Release()
		return nil, err
	}
	if len(slot.sent) > 0 {
		m.ref.Release()
		return nil, invalid("buffer %d has got pieces of its data already", index)
	}
	data, dims, layout := a.Data, slices.Clone(a.Dims), rowMajorLayout(len(a.Dims))
	if len(data) == 0 {
		data = make([]byte, 1)
	}
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs]
	args := &call.Args
	args.TransferManager, args.BufferIndex = h, int32(index)
	args.Data = unsafe.Pointer(unsafe.SliceData(data))
	args.ShapeDims, args.ShapeNumDims = unsafe.SliceData(dims), uintptr(len(dims))
	args.ShapeElementType = capi.BufferType(a.Type)
	args.ShapeLayout = layout.layout
	err = call.Do(m.client.table)
	runtime.KeepAlive(layout)
	if err != nil {
		m.ref.Release()
		return nil, err
	}
	slot.complete = true
	return m.pieceEvent(args.DoneWithH2dTransfer, data)
}

// accepts returns an error when the buffer is complete.
// Precondition: s.mu is held.
func (s *transferSlot) accepts(index int) error {
	if s.complete {
		return failed(ErrFailedPrecondition, "buffer %d is complete: it got its last piece or an error", index)
	}
	return nil
}

// pieceEvent takes over the event of a piece, and keeps data and the manager,
// which is acquired, until it is ready.
func (m *TransferManager) pieceEvent(h *capi.Event, data []byte) (*Event, error) {
	if h == nil {
		m.ref.Release()
		return nil, failed(ErrInternal, "the plugin gives no event for a piece of a transfer")
	}
	e := newEvent(m.client.table, h, m.client.ref)
	e.after(func() {
		runtime.KeepAlive(data)
		m.ref.Release()
	})
	return e, nil
}

// SetBufferError gives a buffer an error in place of contents
// (PJRT_AsyncHostToDeviceTransferManager_SetBufferError). The other buffers are
// not affected.
func (m *TransferManager) SetBufferError(index int, cause error) error {
	if err := m.checkIndex(index); err != nil {
		return err
	}
	if cause == nil {
		return invalid("the error is nil")
	}
	h, err := m.ref.Acquire()
	if err != nil {
		return err
	}
	defer m.ref.Release()
	slot := &m.slots[index]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if err := slot.accepts(index); err != nil {
		return err
	}
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs]
	call.Args.TransferManager, call.Args.BufferIndex = h, int32(index)
	code, message := failure(cause)
	call.Args.ErrorCode = code
	call.Args.ErrorMessage, call.Args.ErrorMessageSize = capi.StringData(message)
	if err := call.Do(m.client.table); err != nil {
		return err
	}
	slot.complete = true
	return nil
}

// AddMetadata attaches named texts to the transfers, for plugins that make use
// of them (PJRT_AsyncHostToDeviceTransferManager_AddMetadata).
func (m *TransferManager) AddMetadata(metadata map[string]string) error {
	var list []Attribute
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		list = append(list, Attribute{Name: name, Value: metadata[name]})
	}
	values, err := capi.NewNamedValues(list)
	if err != nil {
		return invalid("metadata: %v", err)
	}
	h, err := m.ref.Acquire()
	if err != nil {
		return err
	}
	defer m.ref.Release()
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerAddMetadataArgs]
	call.Args.TransferManager = h
	call.Args.TransferMetadata, call.Args.NumMetadata = values.Data()
	err = call.Do(m.client.table)
	runtime.KeepAlive(values)
	return err
}
