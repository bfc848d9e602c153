// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"context"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/purepjrt/purepjrt/pjrt"
)

// sharesMemory reports whether the host can use the memory of the devices. It tries a
// view of a little memory.
func (b *Backend) sharesMemory(ctx context.Context) bool {
	view, err := b.client.ViewOfHostMemory(ctx, pjrt.ArrayOf(pjrt.AlignedSlice[float32](1), 1), nil)
	if err != nil {
		return false
	}
	view.Close()
	return true
}

// HasSharedBuffers reports whether the host can use the memory of the devices.
func (b *Backend) HasSharedBuffers() bool { return b.shared }

// NewSharedBuffer makes a buffer in memory that the program reads and writes through flat,
// a slice of the Go type of the shape. The memory must not be changed while an execution
// uses it, and is never donated. It belongs to the garbage collector, so a slice that
// outlives Buffer.Finalize is safe, except one of narrow integers, whose memory is the plugin's.
func (b *Backend) NewSharedBuffer(num compute.DeviceNum, shape shapes.Shape) (value compute.Buffer, flat any, err error) {
	if err := b.usable(); err != nil {
		return nil, nil, err
	}
	if !b.shared {
		return nil, nil, errorf("the devices of platform %s have no memory that the host can use, or the configuration says shared=false",
			b.client.PlatformName())
	}
	device, err := b.device(num)
	if err != nil {
		return nil, nil, err
	}
	if err := checkShape(shape); err != nil {
		return nil, nil, err
	}
	if isPacked(shape.DType) {
		buffer, flat, err := b.newPackedBuffer(device, num, shape)
		if err != nil {
			return nil, nil, err
		}
		return buffer, flat, nil
	}
	s := pjrtShape(shape)
	size, err := s.HostSize()
	if err != nil {
		return nil, nil, b.failed(err, "making a shared buffer %s", shape)
	}
	memory := pjrt.AlignedSlice[byte](size)
	array, err := b.client.ViewOfHostMemory(context.Background(), pjrt.HostArray{Type: s.Type, Dims: s.Dims, Data: memory},
		&pjrt.ViewOptions{Device: device})
	if err != nil {
		return nil, nil, b.failed(err, "making a shared buffer %s on device %d", shape, num)
	}
	flat = flatOf(memory, shape)
	buffer := &Buffer{backend: b, array: array, shape: shape, device: num, id: lastID.Add(1), flat: flat, view: true}
	if err := b.adopt(buffer); err != nil {
		array.Close()
		return nil, nil, err
	}
	return buffer, flat, nil
}

// Data waits for the contents of the buffer and returns them, without a copy, as a slice of
// the Go type of its shape. The slice is valid until the buffer is finalized, donated or
// collected.
func (b *Buffer) Data() (flat any, err error) {
	if err := b.usable(); err != nil {
		return nil, err
	}
	if !b.backend.shared {
		return nil, errorf("the devices of platform %s have no memory that the host can use, or the configuration says shared=false",
			b.backend.client.PlatformName())
	}
	array, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.release()
	b.mu.Lock()
	flat = b.flat
	b.mu.Unlock()
	if flat != nil {
		return flat, nil
	}
	if flat, err = b.inPlace(array); err != nil {
		return nil, b.backend.failed(err, "reading the buffer %s in place", b.shape)
	}
	return flat, nil
}

// inPlace takes a reference to the memory of array, and returns it as a slice.
func (b *Buffer) inPlace(array *pjrt.Buffer) (any, error) {
	size := int(b.shape.ByteSize())
	if size == 0 {
		return flatOf(nil, b.shape), array.Wait(context.Background())
	}
	if err := checkDense(array); err != nil {
		return nil, err
	}
	reference, err := array.Reference(context.Background())
	if err != nil {
		return nil, err
	}
	memory, err := memoryOf(reference, size)
	if err != nil {
		reference.Close()
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.array != array:
		reference.Close()
		return nil, ErrFinalized
	case b.flat != nil: // another goroutine was faster
		reference.Close()
	default:
		b.reference, b.flat = reference, flatOf(memory, b.shape)
	}
	return b.flat, nil
}

// checkDense returns an error unless the array is stored as Go stores it.
func checkDense(array *pjrt.Buffer) error {
	layout, err := array.Layout()
	if err != nil {
		return err
	}
	dims := array.Shape().Dims
	if layout == nil || len(layout.Tiles) > 0 || len(layout.MinorToMajor) != len(dims) {
		return errorf("the array is stored with layout %v", layout)
	}
	for i, d := range layout.MinorToMajor {
		if int(d) != len(dims)-1-i {
			return errorf("the array is stored with layout %v", layout)
		}
	}
	return nil
}
