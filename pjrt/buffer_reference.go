// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// Reference keeps a buffer's memory for a user outside the plugin, such as another
// library on the same device. Until its Close the memory stays in place, even if the
// buffer is deleted or closed, and is not donated.
type Reference struct {
	ref     *lifetimes.Ref[capi.Buffer]
	address uintptr
}

// Reference waits until the array has its contents and returns a reference to its memory, which the
// caller closes (PJRT_Buffer_IncreaseExternalReferenceCount).
func (b *Buffer) Reference(ctx context.Context) (*Reference, error) {
	return abandon.CallOn(ctx, b.subject(), func() (*Reference, error) { return b.reference(ctx) }, (*Reference).Close)
}

// reference is Reference on a goroutine that may block in C.
func (b *Buffer) reference(ctx context.Context) (*Reference, error) {
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	if err := b.hasElements(); err != nil {
		return nil, err
	}
	// Plugins crash when they are asked for memory that they have not allocated yet.
	if err := b.wait(ctx, h); err != nil {
		return nil, err
	}
	v := newHostView()
	address, err := v.open(ctx, b, h)
	if err != nil {
		return nil, err
	}
	if address == 0 {
		if n, err := b.onDeviceSize(h); err == nil && n > 0 {
			b.references.drop(b.client.table, &v.down)
			return nil, misbehaved(v.pointer.Function(), "gave the address 0 for a buffer of %d bytes", n)
		}
	}
	// The function that destroys it must not keep b reachable.
	table, count := b.client.table, &b.references
	return &Reference{address: address, ref: lifetimes.New("external reference", h, &b.ref, func(h *capi.Buffer) {
		down := new(capi.Call[capi.BufferDecreaseExternalReferenceCountArgs])
		down.Args.Buffer = h
		count.drop(table, down)
	})}, nil
}

// Address returns the address of the memory in the address space of the device
// (PJRT_Buffer_OpaqueDeviceMemoryDataPointer). It is valid until Close.
func (r *Reference) Address() (uintptr, error) {
	if r == nil || r.ref == nil {
		return 0, invalid("the reference is nil")
	}
	if _, err := r.ref.Acquire(); err != nil {
		return 0, err
	}
	defer r.ref.Release()
	return r.address, nil
}

// Close closes the reference (PJRT_Buffer_DecreaseExternalReferenceCount).
func (r *Reference) Close() error {
	if r == nil {
		return nil
	}
	return r.ref.Close()
}

// openReferences returns the number of open external references to the buffer.
func (b *Buffer) openReferences() int {
	if b == nil || b.client == nil || !b.ref.Peek() {
		return 0
	}
	defer b.ref.Release()
	b.references.mu.Lock()
	defer b.references.mu.Unlock()
	return int(b.references.count)
}

// acquireToConsume returns the handle of a buffer for a call that takes its contents away.
// It fails if they are gone, or if another consumer or an external reference in this
// process uses them. Until release, neither can.
func (b *Buffer) acquireToConsume() (*capi.Buffer, func(), error) {
	h, err := b.acquire()
	if err != nil {
		return nil, nil, err
	}
	if err := b.alive(h); err != nil {
		b.ref.Release()
		return nil, nil, err
	}
	if err := b.references.takeOver(); err != nil {
		b.ref.Release()
		return nil, nil, err
	}
	release := func() {
		b.endTurn(turnTaken, h)
		b.ref.Release()
	}
	if n := b.openReferences(); n > 0 {
		err = failed(ErrFailedPrecondition, "the %v has %d external references: close them first", b, n)
	} else {
		err = b.alive(h)
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return h, release, nil
}
