// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"sync"

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

// Reference waits until the array has its contents and returns a reference to its memory
// (PJRT_Buffer_IncreaseExternalReferenceCount). The caller closes it.
func (b *Buffer) Reference(ctx context.Context) (*Reference, error) {
	return abandon.Call(ctx, func() (*Reference, error) { return b.reference(ctx) }, (*Reference).Close)
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

// references counts the external references to a buffer. Plugins keep them in a list
// without a lock, so the calls that change them must not run at the same time.
type references struct {
	turns
	mu     sync.Mutex
	count  int32 // guarded by mu
	bounds int32 // that have the buffer; guarded by mu
}

// bind notes that one more Bound has the buffer. The caller has a turn.
func (r *references) bind() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bounds++
	r.state.Or(bound)
}

// unbind undoes bind. It reports whether the caller must delete the contents, as turns.end.
func (r *references) unbind() (deletes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bounds--; r.bounds > 0 {
		return false
	}
	return r.state.And(^bound)&^bound == deleted
}

// take adds a reference and returns the address of the memory.
func (r *references) take(ctx context.Context, table *capi.Table, v *hostView) (uintptr, error) {
	if err := r.begin(ctx, turnReference); err != nil {
		return 0, err
	}
	defer v.buffer.endTurn(turnReference, v.up.Args.Buffer)
	if err := r.checkContents(table, v); err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if made, err := v.both.Do(table); err != nil {
		if made > 0 {
			_ = v.down.Do(table)
		}
		return 0, err
	}
	r.count++
	return v.pointer.Args.DeviceMemoryPtr, nil
}

// takeAndCopy is take, a copy of the memory to dst, and drop, for a copy so short that others may
// wait for it. It reports whether it has copied.
func (r *references) takeAndCopy(ctx context.Context, table *capi.Table, v *hostView, dst []byte) bool {
	if r.begin(ctx, turnReference) != nil {
		return false
	}
	address := uintptr(0)
	if r.checkContents(table, v) == nil {
		r.mu.Lock()
		made, err := v.both.Do(table)
		if err == nil {
			if address = v.pointer.Args.DeviceMemoryPtr; address != 0 {
				copy(dst, bytesAt(address, len(dst)))
			}
		}
		if made > 0 {
			_ = v.down.Do(table)
		}
		r.mu.Unlock()
	}
	v.buffer.endTurn(turnReference, v.up.Args.Buffer)
	return address != 0
}

// checkContents returns an error if the contents are gone. Delete cannot have been called, since
// the caller has a turn.
func (r *references) checkContents(table *capi.Table, v *hostView) error {
	if !r.doubtful.Load() {
		return nil
	}
	v.deleted.Args.Buffer = v.up.Args.Buffer
	if err := v.deleted.Do(table); err != nil {
		return err
	}
	if v.deleted.Args.IsDeleted {
		return errDeleted
	}
	return nil
}

// drop removes a reference that take added.
func (r *references) drop(table *capi.Table, down *capi.Call[capi.BufferDecreaseExternalReferenceCountArgs]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count--
	_ = down.Do(table)
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
