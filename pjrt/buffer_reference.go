// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Reference is a use of a buffer's memory by something other than the plugin,
// another library on the same device for instance. While it is open the memory
// stays where it is, even if the buffer is deleted or closed, and no donation
// takes it. Its methods may be called from any goroutine.
type Reference struct {
	ref     *lifetime.Ref[capi.Buffer]
	address uintptr
}

// Reference waits until the array has its contents and counts one more user of
// its memory outside of the plugin
// (PJRT_Buffer_IncreaseExternalReferenceCount). Each Reference counts once, and
// is given back once, by its Close: the count cannot fall below zero.
func (b *Buffer) Reference(ctx context.Context) (*Reference, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	// Plugins crash when they are asked for memory that is not there yet.
	if err := b.wait(ctx, h); err != nil {
		return nil, err
	}
	v := new(hostView)
	address, err := v.open(b, h)
	if err != nil {
		return nil, err
	}
	// What destroys it must not keep b from the collector.
	table, count := b.client.table, b.references
	return &Reference{address: address, ref: lifetime.New("external reference", h, &b.ref, func(h *capi.Buffer) {
		down := new(capi.Call[capi.BufferDecreaseExternalReferenceCountArgs])
		down.Args.Buffer = h
		count.drop(table, down)
	})}, nil
}

// references counts the external references to a buffer. Plugins keep them in a
// list of the buffer without a lock: calls about them at the same time damage it.
type references struct {
	turns
	mu    sync.Mutex
	count int // guarded by mu
}

// take counts one more reference and returns the address of the memory.
func (r *references) take(table *capi.Table, v *hostView) (uintptr, error) {
	r.beginReference()
	defer r.endReference()
	v.deleted.Args.Buffer = v.up.Args.Buffer
	if err := v.deleted.Do(table); err != nil {
		return 0, err
	}
	if v.deleted.Args.IsDeleted {
		return 0, invalid("the buffer was deleted or donated")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := v.up.Do(table); err != nil {
		return 0, err
	}
	if err := v.pointer.Do(table); err != nil {
		_ = v.down.Do(table) // the other error is the one to tell
		return 0, err
	}
	r.count++
	return v.pointer.Args.DeviceMemoryPtr, nil
}

// drop gives back what take took.
func (r *references) drop(table *capi.Table, down *capi.Call[capi.BufferDecreaseExternalReferenceCountArgs]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count--
	_ = down.Do(table) // there is nobody to tell
}

// Address returns where the memory of the buffer is, in the address space of the
// device (PJRT_Buffer_OpaqueDeviceMemoryDataPointer). It is valid until Close,
// after which Address is an error.
func (r *Reference) Address() (uintptr, error) {
	if _, err := r.ref.Acquire(); err != nil {
		return 0, err
	}
	defer r.ref.Release()
	return r.address, nil
}

// Close gives the reference back (PJRT_Buffer_DecreaseExternalReferenceCount).
// Closing it again does nothing.
func (r *Reference) Close() error {
	if r == nil {
		return nil
	}
	return r.ref.Close()
}

// References returns how many external references to the buffer are open.
func (b *Buffer) References() int {
	b.references.mu.Lock()
	defer b.references.mu.Unlock()
	return b.references.count
}

// UnsafePointer waits until the array has its contents and returns the address
// of its memory (PJRT_Buffer_UnsafePointer). Nothing keeps the memory there, so
// that the address is good for little but telling whether two buffers share
// memory; see Reference.
func (b *Buffer) UnsafePointer(ctx context.Context) (uintptr, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return 0, err
	}
	defer b.ref.Release()
	if err := b.wait(ctx, h); err != nil {
		return 0, err
	}
	var c capi.Call[capi.BufferUnsafePointerArgs]
	c.Args.Buffer = h
	err = c.Do(b.client.table)
	return c.Args.BufferPointer, err
}
