// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Manager fills buffers with pieces of data that arrive in any order. The buffers exist
// from the start, and programs may use them before they are full. Its methods may be
// called from any goroutine.
type Manager struct {
	client *pjrt.Client
	table  *capi.Table
	ref    *lifetime.Ref[capi.AsyncHostToDeviceTransferManager]
	shapes []pjrt.Shape
	sizes  []int64 // bytes on the device
	slots  []slot
}

// slot is the state of one buffer of a manager.
type slot struct {
	// mu is held during calls into C, so that no piece overtakes the last one.
	mu       sync.Mutex
	taken    bool   // guarded by mu; Manager.Buffer returned the buffer
	complete bool   // guarded by mu; the buffer got its last piece or an error
	sent     ranges // guarded by mu
}

// ManagerOptions are the options of NewManager.
type ManagerOptions struct {
	// Device and Memory say where the buffers are, as in pjrt.BufferOptions.
	Device *pjrt.Device
	Memory *pjrt.Memory
	// Layouts are the layouts of the buffers on the device, one for each shape. The
	// plugin chooses the layout where one is nil, and all layouts if the list is nil.
	Layouts []*pjrt.Layout
}

// NewManager makes buffers of the shapes, to which the methods of the Manager send data
// (PJRT_Client_CreateBuffersForAsyncHostToDevice, since API 0.60; most of the methods
// need API 0.62). opts may be nil. The caller closes the Manager.
//
// If the device is out of memory, NewManager collects the buffers that the program forgot
// and asks the plugin once more.
func NewManager(ctx context.Context, client *pjrt.Client, shapes []pjrt.Shape, opts *ManagerOptions) (*Manager, error) {
	if opts == nil {
		opts = &ManagerOptions{}
	}
	own := *opts
	own.Layouts = slices.Clone(opts.Layouts)
	shapes = slices.Clone(shapes)
	for i := range shapes {
		shapes[i].Dims = slices.Clone(shapes[i].Dims)
	}
	return abandon.Call(ctx, func() (*Manager, error) { return newManager(ctx, client, shapes, &own) }, (*Manager).Close)
}

// newManager is NewManager on a goroutine that may block in C.
func newManager(ctx context.Context, client *pjrt.Client, shapes []pjrt.Shape, opts *ManagerOptions) (*Manager, error) {
	h, release, err := raw.AcquireClient(client)
	if err != nil {
		return nil, err
	}
	defer release()
	if len(shapes) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("a transfer manager needs at least one shape")
	}
	if opts.Layouts != nil && len(opts.Layouts) != len(shapes) {
		return nil, pjrt.ErrInvalidArgument.Errorf("there are %d layouts for %d shapes", len(opts.Layouts), len(shapes))
	}
	specs := make([]capi.ShapeSpec, len(shapes))
	layouts := make([]*capi.BufferMemoryLayout, len(opts.Layouts))
	var keep []*raw.Layout
	m := &Manager{client: client, table: raw.Table(client.Plugin()), slots: make([]slot, len(shapes))}
	for i, s := range shapes {
		if err := raw.CheckShape(client, s); err != nil {
			return nil, err
		}
		m.shapes = append(m.shapes, s)
		specs[i] = capi.ShapeSpec{
			StructSize: capi.ShapeSpecSize, ElementType: capi.BufferType(s.Type),
			Dims: unsafe.SliceData(s.Dims), NumDims: uintptr(len(s.Dims)),
		}
		if opts.Layouts != nil {
			l, err := raw.EncodeDeviceLayout(opts.Layouts[i], s, false)
			if err != nil {
				return nil, err
			}
			keep = append(keep, l)
			layouts[i] = l.C
		}
	}
	memory, err := raw.PlaceInMemory(client, opts.Device, opts.Memory)
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
	table := m.table
	err = raw.Retry(ctx, func() error { return call.Do(table) })
	runtime.KeepAlive(keep)
	if err != nil {
		return nil, err
	}
	m.ref = lifetime.New("transfer manager", args.TransferManager, raw.Parent(client), func(h *capi.AsyncHostToDeviceTransferManager) {
		var d capi.Call[capi.AsyncHostToDeviceTransferManagerDestroyArgs]
		d.Args.TransferManager = h
		_ = d.Do(table)
	})
	if err := m.readSizes(args.TransferManager); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// readSizes asks for the sizes of all buffers in advance. Asking later, by an index from
// the caller, is not safe: some plugins answer even for buffers that do not exist.
func (m *Manager) readSizes(h *capi.AsyncHostToDeviceTransferManager) error {
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerBufferSizeArgs]
	call.Args.TransferManager = h
	for i := range m.shapes {
		call.Args.BufferIndex = int32(i)
		if err := call.Do(m.table); err != nil {
			return err
		}
		n := int64(call.Args.BufferSize)
		if n < 0 {
			return call.Function().Misbehaved("gave the impossible size of %d bytes for buffer %d", call.Args.BufferSize, i)
		}
		m.sizes = append(m.sizes, n)
	}
	return nil
}

// Close destroys the manager (PJRT_AsyncHostToDeviceTransferManager_Destroy) once the
// pieces under way have arrived. Buffers without their last piece then fail. Close does
// not wait, and its error is always nil.
func (m *Manager) Close() error {
	if m == nil {
		return nil
	}
	return m.ref.Close()
}

// Len returns the number of buffers.
func (m *Manager) Len() int {
	if m == nil {
		return 0
	}
	return len(m.shapes)
}

// Size returns the number of bytes that a buffer has on the device and that Send fills
// (PJRT_AsyncHostToDeviceTransferManager_BufferSize).
func (m *Manager) Size(index int) (int64, error) {
	if err := m.check(index); err != nil {
		return 0, err
	}
	return m.sizes[index], nil
}

// Device returns the device of the buffers
// (PJRT_AsyncHostToDeviceTransferManager_Device).
func (m *Manager) Device() (*pjrt.Device, error) {
	h, err := m.acquire()
	if err != nil {
		return nil, err
	}
	defer m.ref.Release()
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerDeviceArgs]
	call.Args.TransferManager = h
	if err := call.Do(m.table); err != nil {
		return nil, err
	}
	return raw.DeviceOf(m.client, call.Args.DeviceOut)
}

var errNilManager = pjrt.ErrInvalidArgument.Errorf("the transfer manager is nil")

func (m *Manager) acquire() (*capi.AsyncHostToDeviceTransferManager, error) {
	if m == nil || m.ref == nil {
		return nil, errNilManager
	}
	return m.ref.Acquire()
}

// check returns an error unless there is a buffer with the index.
func (m *Manager) check(index int) error {
	if m == nil || m.ref == nil {
		return errNilManager
	}
	if index < 0 || index >= len(m.shapes) {
		return pjrt.ErrOutOfRange.Errorf("buffer %d is not among the %d of the transfer manager", index, len(m.shapes))
	}
	return nil
}

// Buffer hands out a buffer (PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer), before
// or after its data was sent, but only once. Programs may use the buffer at once; they
// wait for its contents. The buffer outlives the manager, and the caller closes it.
func (m *Manager) Buffer(index int) (*pjrt.Buffer, error) {
	if err := m.check(index); err != nil {
		return nil, err
	}
	h, err := m.acquire()
	if err != nil {
		return nil, err
	}
	defer m.ref.Release()
	slot := &m.slots[index]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.taken {
		return nil, pjrt.ErrFailedPrecondition.Errorf("buffer %d was already handed out", index)
	}
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs]
	call.Args.TransferManager, call.Args.BufferIndex = h, int32(index)
	if err := call.Do(m.table); err != nil {
		return nil, err
	}
	slot.taken = true
	return raw.AdoptBufferOf(m.client, call.Args.BufferOut, m.shapes[index])
}

// Send sends a piece of a buffer (PJRT_AsyncHostToDeviceTransferManager_TransferData): the
// bytes from offset on, as they lie on the device, where types narrower than a byte are
// packed. Pieces may come in any order and may overlap. last completes the buffer; it is
// an error while bytes are missing.
//
// The event is ready when the plugin no longer uses data. Until then data must not
// change, and the garbage collector does not free it. The caller closes the event. Send takes no
// context, and waits as long as the plugin's function does.
func (m *Manager) Send(index int, data []byte, offset int64, last bool) (*pjrt.Event, error) {
	if err := m.check(index); err != nil {
		return nil, err
	}
	if m.shapes[index].Type == dtype.Pred {
		if err := dtype.CheckBools(data); err != nil {
			return nil, pjrt.ErrInvalidArgument.Errorf("%v", err)
		}
	}
	size := int64(len(data))
	if total := m.sizes[index]; offset < 0 || offset > total || size > total-offset {
		return nil, outOfRange(offset, size, total)
	}
	return m.send(index, data, func(h *capi.AsyncHostToDeviceTransferManager, slot *slot, data unsafe.Pointer) (*capi.Event, error) {
		sent := slot.sent.with(offset, offset+size)
		if at, whole := sent.gap(m.sizes[index]); last && !whole {
			return nil, pjrt.ErrInvalidArgument.Errorf("the last piece of buffer %d leaves a gap at byte %d of %d",
				index, at, m.sizes[index])
		}
		var call capi.Call[capi.AsyncHostToDeviceTransferManagerTransferDataArgs]
		args := &call.Args
		args.TransferManager, args.BufferIndex = h, int32(index)
		args.Data, args.Offset, args.TransferSize = data, offset, size
		args.IsLastTransfer = last
		if err := call.Do(m.table); err != nil {
			return nil, err
		}
		slot.sent, slot.complete = sent, last
		return args.DoneWithH2dTransfer, nil
	})
}

// send calls into C with the lock on a buffer that is not complete. Until the event is ready,
// it keeps data alive and the manager acquired.
func (m *Manager) send(
	index int, data []byte, call func(h *capi.AsyncHostToDeviceTransferManager, slot *slot, data unsafe.Pointer) (*capi.Event, error),
) (*pjrt.Event, error) {
	h, err := m.acquire()
	if err != nil {
		return nil, err
	}
	slot := &m.slots[index]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if len(data) == 0 {
		data = make([]byte, 1) // some plugins reject a null address
	}
	err = slot.accepts(index)
	var done *capi.Event
	if err == nil {
		done, err = call(h, slot, unsafe.Pointer(unsafe.SliceData(data)))
	}
	if err != nil {
		m.ref.Release()
		return nil, err
	}
	return raw.AdoptEvent(m.client, done, func() {
		runtime.KeepAlive(data)
		m.ref.Release()
	}), nil
}

// SendArray sends all contents of a buffer at once
// (PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, since API 0.83). The array must
// have the shape of the buffer; the plugin converts it from its host form to the form that
// the device needs. The event, and the wait for the plugin's function, are like those of
// [Manager.Send].
func (m *Manager) SendArray(index int, a pjrt.HostArray) (*pjrt.Event, error) {
	if err := m.check(index); err != nil {
		return nil, err
	}
	shape := a.Shape()
	switch n, err := shape.HostSize(); {
	case err != nil:
		return nil, pjrt.ErrInvalidArgument.Errorf("%v", err)
	case len(a.Data) != n:
		return nil, pjrt.ErrInvalidArgument.Errorf("an array of shape %v takes %d bytes, but its data has %d", shape, n, len(a.Data))
	}
	if want := m.shapes[index]; !shape.Equal(want) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the array has the shape %v, but buffer %d has %v", shape, index, want)
	}
	if a.Type == dtype.Pred {
		if err := dtype.CheckBools(a.Data); err != nil {
			return nil, pjrt.ErrInvalidArgument.Errorf("%v", err)
		}
	}
	layout, err := raw.EncodeLayout(pjrt.RowMajor(len(a.Dims)), shape)
	if err != nil {
		return nil, err
	}
	return m.send(index, a.Data, func(h *capi.AsyncHostToDeviceTransferManager, slot *slot, data unsafe.Pointer) (*capi.Event, error) {
		if len(slot.sent) > 0 {
			return nil, pjrt.ErrInvalidArgument.Errorf("buffer %d already has pieces of its data; send the rest with Send", index)
		}
		dims := slices.Clone(a.Dims)
		var call capi.Call[capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs]
		args := &call.Args
		args.TransferManager, args.BufferIndex = h, int32(index)
		args.Data = data
		args.ShapeDims, args.ShapeNumDims = unsafe.SliceData(dims), uintptr(len(dims))
		args.ShapeElementType = capi.BufferType(a.Type)
		args.ShapeLayout = layout.C
		err := call.Do(m.table)
		runtime.KeepAlive(layout)
		if err != nil {
			return nil, err
		}
		slot.complete = true
		return args.DoneWithH2dTransfer, nil
	})
}

// accepts returns an error if the buffer is complete.
// Precondition: s.mu is held.
func (s *slot) accepts(index int) error {
	if s.complete {
		return pjrt.ErrFailedPrecondition.Errorf("buffer %d is complete: it got its last piece or an error", index)
	}
	return nil
}

// Fail makes a buffer fail with err (PJRT_AsyncHostToDeviceTransferManager_SetBufferError).
// The other buffers are not affected.
func (m *Manager) Fail(index int, cause error) error {
	if err := m.check(index); err != nil {
		return err
	}
	if cause == nil {
		return pjrt.ErrInvalidArgument.Errorf("the error is nil")
	}
	h, err := m.acquire()
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
	code, message := raw.ErrorParts(cause)
	call.Args.ErrorCode = code
	call.Args.ErrorMessage, call.Args.ErrorMessageSize = capi.StringData(message)
	if err := call.Do(m.table); err != nil {
		return err
	}
	slot.complete = true
	return nil
}

// AddMetadata attaches named texts to the transfers, for plugins that use such metadata
// (PJRT_AsyncHostToDeviceTransferManager_AddMetadata).
func (m *Manager) AddMetadata(metadata map[string]string) error {
	var list []pjrt.Attribute
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		list = append(list, pjrt.Attribute{Name: name, Value: metadata[name]})
	}
	values, err := capi.NewNamedValues(list)
	if err != nil {
		return pjrt.ErrInvalidArgument.Errorf("metadata: %v", err)
	}
	h, err := m.acquire()
	if err != nil {
		return err
	}
	defer m.ref.Release()
	var call capi.Call[capi.AsyncHostToDeviceTransferManagerAddMetadataArgs]
	call.Args.TransferManager = h
	call.Args.TransferMetadata, call.Args.NumMetadata = values.Data()
	err = call.Do(m.table)
	runtime.KeepAlive(values)
	return err
}
