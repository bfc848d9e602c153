// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// Device returns the device that the buffer is on (PJRT_Buffer_Device).
func (b *Buffer) Device() (*Device, error) {
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	var c capi.Call[capi.BufferDeviceArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		if c.Args.Device = b.onDevice(); optional(err) != nil || c.Args.Device == nil {
			return nil, err
		}
	}
	return b.client.deviceFrom(c.Function(), c.Args.Device)
}

// Memory returns the memory that the buffer is in (PJRT_Buffer_Memory).
func (b *Buffer) Memory() (*Memory, error) {
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	m, err := b.memory(h)
	if err != nil {
		return nil, err
	}
	if known := b.client.memoryByHandle[m]; known != nil {
		return known, nil
	}
	return newMemory(b.client, m) // the plugin did not list it
}

func (b *Buffer) memory(h *capi.Buffer) (*capi.Memory, error) {
	var c capi.Call[capi.BufferMemoryArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	return c.Args.Memory, nil
}

// Layout returns the layout in the device's memory (PJRT_Buffer_GetMemoryLayout). A token
// has none.
func (b *Buffer) Layout() (*Layout, error) {
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	return b.layout(h)
}

func (b *Buffer) layout(h *capi.Buffer) (*Layout, error) {
	if err := b.hasElements(); err != nil {
		return nil, err
	}
	var c capi.Call[capi.BufferGetMemoryLayoutArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	l, err := decodeLayout(&c.Args.Layout)
	if e, ok := err.(*Error); ok {
		e.Func = c.Function().Name
	}
	return l, err
}

// knownLayout returns the layout of the buffer with the handle h, and caches it, or nil if
// the plugin does not report it.
func (b *Buffer) knownLayout(h *capi.Buffer) *Layout {
	if l := b.inMemory.Load(); l != nil {
		return l
	}
	l, err := b.layout(h)
	if err != nil {
		return nil
	}
	b.inMemory.Store(l)
	return l
}

// OnDeviceSize returns the size in bytes in the device's memory
// (PJRT_Buffer_OnDeviceSizeInBytes). It is more than Shape().HostSize() if the device
// pads, and less if it packs types narrower than a byte.
func (b *Buffer) OnDeviceSize() (int64, error) {
	h, err := b.acquire()
	if err != nil {
		return 0, err
	}
	defer b.ref.Release()
	return b.onDeviceSize(h)
}

func (b *Buffer) onDeviceSize(h *capi.Buffer) (int64, error) {
	if b.hasElements() != nil {
		return 0, nil
	}
	var c capi.Call[capi.BufferOnDeviceSizeInBytesArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return 0, err
	}
	n := int64(c.Args.OnDeviceSizeInBytes)
	if n < 0 {
		return 0, misbehaved(c.Function(), "gave the impossible size of %d bytes", c.Args.OnDeviceSizeInBytes)
	}
	return n, nil
}

// IsOnCPU reports whether the host can read the memory (PJRT_Buffer_IsOnCpu).
func (b *Buffer) IsOnCPU() (bool, error) {
	h, err := b.acquire()
	if err != nil {
		return false, err
	}
	defer b.ref.Release()
	return b.isOnCPU(h)
}

func (b *Buffer) isOnCPU(h *capi.Buffer) (bool, error) {
	var c capi.Call[capi.BufferIsOnCPUArgs]
	c.Args.Buffer = h
	err := c.Do(b.client.table)
	return c.Args.IsOnCPU, err
}

// DynamicDims returns the positions of the dimensions, usually none, whose size is known
// only at run time (PJRT_Buffer_DynamicDimensionIndices).
func (b *Buffer) DynamicDims() ([]int, error) {
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	return b.dynamicDims(h)
}

func (b *Buffer) dynamicDims(h *capi.Buffer) ([]int, error) {
	if b.hasElements() != nil {
		return nil, nil
	}
	var c capi.Call[capi.BufferDynamicDimensionIndicesArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	var dims []int
	for _, d := range capi.Slice(c.Args.DynamicDimIndices, c.Args.NumDynamicDims) {
		if d >= uintptr(len(b.shape.Dims)) {
			return nil, misbehaved(c.Function(), "named dynamic dimension %d of %v, which does not exist", d, b.shape)
		}
		dims = append(dims, int(d))
	}
	return dims, nil
}

// UnpaddedDims returns the actual dimensions of the array
// (PJRT_Buffer_UnpaddedDimensions). If some are known only at run time, it waits until
// the array has been computed; otherwise they are those of Shape.
func (b *Buffer) UnpaddedDims(ctx context.Context) ([]int64, error) {
	return abandon.CallOn(ctx, b.subject(), func() ([]int64, error) {
		h, err := b.acquire()
		if err != nil {
			return nil, err
		}
		defer b.ref.Release()
		dims, err := b.realDims(ctx, h)
		return slices.Clone(dims), err
	}, func([]int64) error { return nil })
}

// realDims is UnpaddedDims for an acquired buffer. The caller must not change the result.
func (b *Buffer) realDims(ctx context.Context, h *capi.Buffer) ([]int64, error) {
	// A plugin without the function has no dynamic dimensions.
	if b.kind.isReadable() || !b.dynamic.get(func() bool { dims, err := b.dynamicDims(h); return err == nil && len(dims) > 0 }) {
		return b.shape.Dims, nil
	}
	if err := b.wait(ctx, h); err != nil {
		return nil, err
	}
	var c capi.Call[capi.BufferUnpaddedDimensionsArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	// More elements than those of the shape would not fit into the memory of the buffer.
	dims := capi.Slice(c.Args.UnpaddedDims, c.Args.NumDims)
	within := len(dims) == len(b.shape.Dims)
	for i := 0; within && i < len(dims); i++ {
		within = dims[i] >= 0 && dims[i] <= b.shape.Dims[i]
	}
	if !within {
		return nil, misbehaved(c.Function(), "gave the actual dimensions %d of an array of at most %v", dims, b.shape)
	}
	return dims, nil
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
