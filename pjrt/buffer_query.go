// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
)

// answer is a question to the plugin whose answer cannot change, asked once.
type answer struct{ state atomic.Int32 }

const (
	answerNo  = 1
	answerYes = 2
)

func (a *answer) get(ask func() bool) bool {
	switch a.state.Load() {
	case answerNo:
		return false
	case answerYes:
		return true
	}
	yes := ask()
	if yes {
		a.state.Store(answerYes)
	} else {
		a.state.Store(answerNo)
	}
	return yes
}

// Device returns the device that the buffer is on (PJRT_Buffer_Device).
func (b *Buffer) Device() (*Device, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	var c capi.Call[capi.BufferDeviceArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	return b.client.deviceOf(c.Args.Device)
}

func (c *Client) deviceOf(h *capi.Device) (*Device, error) {
	for _, d := range c.devices {
		if d.handle == h {
			return d, nil
		}
	}
	return nil, failed(ErrInternal, "the plugin names a device that is not among those of the client")
}

// Memory returns the memory that the buffer is in (PJRT_Buffer_Memory).
func (b *Buffer) Memory() (*Memory, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	m, err := b.memory(h)
	if err != nil {
		return nil, err
	}
	for _, known := range b.client.memories {
		if known.handle == m {
			return known, nil
		}
	}
	return newMemory(b.client, m)
}

func (b *Buffer) memory(h *capi.Buffer) (*capi.Memory, error) {
	var c capi.Call[capi.BufferMemoryArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	if c.Args.Memory == nil {
		return nil, failed(ErrInternal, "the plugin names no memory of a buffer")
	}
	return c.Args.Memory, nil
}

// Layout returns how the array lies in the memory of the device
// (PJRT_Buffer_GetMemoryLayout).
func (b *Buffer) Layout() (*Layout, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	return b.layout(h)
}

func (b *Buffer) layout(h *capi.Buffer) (*Layout, error) {
	var c capi.Call[capi.BufferGetMemoryLayoutArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	return decodeLayout(&c.Args.Layout)
}

// knownLayout returns the layout, asked for once, or nil when the plugin does not
// tell.
func (b *Buffer) knownLayout() *Layout {
	if l := b.inMemory.Load(); l != nil {
		return l
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return nil
	}
	defer b.ref.Release()
	l, err := b.layout(h)
	if err != nil {
		return nil
	}
	b.inMemory.Store(l)
	return l
}

// OnDeviceSize returns the bytes that the buffer takes in the memory of the
// device (PJRT_Buffer_OnDeviceSizeInBytes): more than Shape().HostSize() where
// the device pads, less where it packs types narrower than a byte.
func (b *Buffer) OnDeviceSize() (int64, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return 0, err
	}
	defer b.ref.Release()
	return b.onDeviceSize(h)
}

func (b *Buffer) onDeviceSize(h *capi.Buffer) (int64, error) {
	var c capi.Call[capi.BufferOnDeviceSizeInBytesArgs]
	c.Args.Buffer = h
	err := c.Do(b.client.table)
	return int64(c.Args.OnDeviceSizeInBytes), err
}

// IsOnCPU reports whether the buffer is in memory that the host can read
// (PJRT_Buffer_IsOnCpu).
func (b *Buffer) IsOnCPU() (bool, error) {
	h, err := b.ref.Acquire()
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

// Delete frees the memory of the device once nothing uses it
// (PJRT_Buffer_Delete). What is known about the buffer stays readable; anything
// else that is done with it is an error of the plugin. Deleting again does
// nothing. Close does the same and gives up the buffer too.
func (b *Buffer) Delete() error {
	h, err := b.ref.Acquire()
	if err != nil {
		return err
	}
	defer b.ref.Release()
	b.references.beginConsume()
	defer b.references.endConsume()
	var c capi.Call[capi.BufferDeleteArgs]
	c.Args.Buffer = h
	return c.Do(b.client.table)
}

// IsDeleted reports whether the contents are gone: by Delete, because the
// buffer was donated to a computation, or because it was made into another one
// (PJRT_Buffer_IsDeleted). It is an error after Close.
func (b *Buffer) IsDeleted() (bool, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return false, err
	}
	defer b.ref.Release()
	return b.isDeleted(h)
}

func (b *Buffer) isDeleted(h *capi.Buffer) (bool, error) {
	var c capi.Call[capi.BufferIsDeletedArgs]
	c.Args.Buffer = h
	err := c.Do(b.client.table)
	return c.Args.IsDeleted, err
}

// alive returns an error when the contents of the buffer are gone.
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

// DynamicDims returns the positions of those dimensions whose size is known
// only when the array has been computed (PJRT_Buffer_DynamicDimensionIndices).
// Nearly always there are none.
func (b *Buffer) DynamicDims() ([]int, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	return b.dynamicDims(h)
}

func (b *Buffer) dynamicDims(h *capi.Buffer) ([]int, error) {
	var c capi.Call[capi.BufferDynamicDimensionIndicesArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	var dims []int
	for _, d := range capi.Slice(c.Args.DynamicDimIndices, c.Args.NumDynamicDims) {
		if d >= uintptr(len(b.shape.Dims)) {
			return nil, failed(ErrInternal, "the plugin names a dynamic dimension that the array does not have")
		}
		dims = append(dims, int(d))
	}
	return dims, nil
}

// UnpaddedDims returns the dimensions that the array really has
// (PJRT_Buffer_UnpaddedDimensions). They differ from those of Shape only where a
// size is known at run time. It waits then until the array has been computed.
func (b *Buffer) UnpaddedDims(ctx context.Context) ([]int64, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	dims, err := b.realDims(ctx, h)
	return slices.Clone(dims), err
}

// realDims is UnpaddedDims for an acquired buffer. The result must not be
// changed.
func (b *Buffer) realDims(ctx context.Context, h *capi.Buffer) ([]int64, error) {
	// A plugin that does not know of such dimensions has none.
	if !b.dynamic.get(func() bool { dims, err := b.dynamicDims(h); return err == nil && len(dims) > 0 }) {
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
	return capi.Slice(c.Args.UnpaddedDims, c.Args.NumDims), nil
}
