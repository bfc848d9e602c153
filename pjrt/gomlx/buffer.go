// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"context"
	"sync"
	"weak"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Buffer is an array on a device; GoMLX sees it as a compute.Buffer.
type Buffer struct {
	backend *Backend
	shape   shapes.Shape
	device  compute.DeviceNum
	id      uint64      // of this buffer only
	slot    *resultSlot // where the closed array goes, if an execution made it; may be nil
	view    bool        // of host memory, which GoMLX writes to

	mu        sync.Mutex
	array     *pjrt.Buffer            // guarded by mu; nil once finalized
	users     int                     // guarded by mu; calls under way that use array
	dropped   *pjrt.Buffer            // guarded by mu; the array of a finalized buffer that users still have
	reference *pjrt.Reference         // guarded by mu; keeps the memory that flat shows, unless it is the host's
	flat      any                     // guarded by mu; the contents as a slice, once asked for
	bindings  []weak.Pointer[binding] // guarded by mu; those of executables that keep the buffer
	donated   bool                    // guarded by mu; an execution that takes the contents has begun
}

// newBuffer makes a buffer that owns array, or closes it if the backend was finalized.
func (b *Backend) newBuffer(array *pjrt.Buffer, shape shapes.Shape, device compute.DeviceNum) (*Buffer, error) {
	buffer := &Buffer{backend: b, array: array, shape: shape, device: device, id: lastID.Add(1)}
	if err := b.adopt(buffer); err != nil {
		array.Close()
		return nil, err
	}
	return buffer, nil
}

// buffer returns the Buffer behind GoMLX's value.
func (b *Backend) buffer(value compute.Buffer) (*Buffer, error) {
	buffer, ok := value.(*Buffer)
	switch {
	case !ok:
		return nil, errorf("%T is not a buffer of this kind of backend", value)
	case buffer == nil:
		return nil, errorf("the buffer is nil")
	case buffer.backend != b:
		return nil, errorf("the buffer %s belongs to another backend", buffer.shape)
	}
	return buffer, nil
}

// acquire returns the array of the buffer, which stays valid until release.
func (b *Buffer) acquire() (*pjrt.Buffer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array == nil || b.donated {
		return nil, finalized("the buffer %s", b.shape)
	}
	b.users++
	return b.array, nil
}

// release ends the use that acquire began.
func (b *Buffer) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users--
	b.recycle()
}

// recycle closes the array of a finalized buffer, once it is no longer used, and returns it to the
// executions that make such arrays. The caller holds b.mu.
func (b *Buffer) recycle() {
	if b.users > 0 || b.dropped == nil {
		return
	}
	b.dropped.Close()
	if b.slot != nil {
		b.slot.put(b.dropped)
	}
	b.dropped = nil
}

// alive reports whether the buffer has contents.
func (b *Buffer) alive() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.array != nil
}

// finalize closes the buffer. Its array stays as long as calls use it.
func (b *Buffer) finalize() {
	b.unbind()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array == nil {
		return
	}
	b.reference.Close()
	b.dropped, b.array, b.reference, b.flat = b.array, nil, nil, nil
	b.recycle()
}

// unbind ends all bindings of executables that keep the buffer.
func (b *Buffer) unbind() {
	b.mu.Lock()
	bindings := b.bindings
	b.bindings = nil
	b.mu.Unlock()
	for _, w := range bindings {
		if binding := w.Value(); binding != nil {
			binding.drop()
		}
	}
}

// donate keeps others from using the buffer, which the caller has acquired, and releases
// all that keeps its memory in place. It reports whether the memory may be donated: it has
// no other users, and it is not host memory, which belongs to GoMLX.
func (b *Buffer) donate() bool {
	b.unbind()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.donated = true
	b.reference.Close()
	b.reference = nil
	if !b.view {
		b.flat = nil
	}
	return !b.view && b.users == 1
}

// Backend returns the backend that the buffer belongs to.
func (b *Buffer) Backend() compute.Backend { return b.backend }

// usable returns an error if the buffer is nil or its backend was finalized.
func (b *Buffer) usable() error {
	if b == nil {
		return errorf("the buffer is nil")
	}
	return b.backend.usable()
}

// Finalize closes the buffer. Doing so again has no effect.
func (b *Buffer) Finalize() error {
	if err := b.usable(); err != nil {
		return err
	}
	b.finalize()
	return nil
}

// Shape returns the shape of the buffer.
func (b *Buffer) Shape() (shapes.Shape, error) {
	if b == nil {
		return shapes.Invalid(), errorf("the buffer is nil")
	}
	return b.shape, nil
}

// DeviceNum returns the number of the device that the buffer is on.
func (b *Buffer) DeviceNum() (compute.DeviceNum, error) {
	if b == nil {
		return 0, errorf("the buffer is nil")
	}
	return b.device, nil
}

// ToFlatData waits for the contents of the buffer and copies them to a slice of its Go type and
// of exactly its length.
func (b *Buffer) ToFlatData(flat any) error {
	if err := b.usable(); err != nil {
		return err
	}
	data, err := bytesOf(flat, b.shape)
	if err != nil {
		return err
	}
	array, err := b.acquire()
	if err != nil {
		return err
	}
	defer b.release()
	if len(data) == 0 {
		return nil
	}
	if isPacked(b.shape.DType) {
		list := make([]byte, b.shape.Size())
		if _, err = array.ToHostInto(context.Background(), list); err == nil {
			pack(b.shape.DType, data, list)
		}
		return b.backend.failed(err, "reading the buffer %s", b.shape)
	}
	_, err = array.ToHostInto(context.Background(), data)
	return b.backend.failed(err, "reading the buffer %s", b.shape)
}

// BufferFromFlatData copies a slice to a device. The slice may be changed afterwards.
func (b *Backend) BufferFromFlatData(num compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	if err := b.usable(); err != nil {
		return nil, err
	}
	device, err := b.device(num)
	if err != nil {
		return nil, err
	}
	if err := checkShape(shape); err != nil {
		return nil, err
	}
	data, err := bytesOf(flat, shape)
	if err != nil {
		return nil, err
	}
	if isPacked(shape.DType) {
		data = unpack(shape.DType, data, shape.Size())
	}
	s := pjrtShape(shape)
	array, err := b.client.BufferFromHost(context.Background(), pjrt.HostArray{Type: s.Type, Dims: s.Dims, Data: data},
		&pjrt.BufferOptions{Device: device})
	if err != nil {
		return nil, b.failed(err, "making a buffer %s on device %d", shape, num)
	}
	buffer, err := b.newBuffer(array, shape, num)
	if err != nil {
		return nil, err
	}
	return buffer, nil
}

// CopyToDevice copies the buffer to another device. It does not wait for the copy.
func (b *Buffer) CopyToDevice(num compute.DeviceNum) (compute.Buffer, error) {
	if err := b.usable(); err != nil {
		return nil, err
	}
	device, err := b.backend.device(num)
	if err != nil {
		return nil, err
	}
	if num == b.device {
		return nil, errorf("the buffer %s is on device %d already", b.shape, num)
	}
	array, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.release()
	copied, err := array.CopyToDevice(context.Background(), device)
	if err != nil {
		return nil, b.backend.failed(err, "copying the buffer %s to device %d", b.shape, num)
	}
	if b.view {
		// GoMLX may write to the memory of a view as soon as this call returns.
		if err := copied.Wait(context.Background()); err != nil {
			copied.Close()
			return nil, b.backend.failed(err, "copying the buffer %s to device %d", b.shape, num)
		}
	}
	made, err := b.backend.newBuffer(copied, b.shape, num)
	if err != nil {
		return nil, err
	}
	return made, nil
}
