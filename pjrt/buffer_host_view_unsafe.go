// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// hostView is the memory of a buffer, valid until close. It contains the calls that it
// makes, so that reading through it allocates nothing.
type hostView struct {
	buffer *Buffer
	bytes  []byte

	deleted capi.Call[capi.BufferIsDeletedArgs]
	up      capi.Call[capi.BufferIncreaseExternalReferenceCountArgs]
	pointer capi.Call[capi.BufferOpaqueDeviceMemoryDataPointerArgs]
	both    capi.Sequence // of up and pointer
	down    capi.Call[capi.BufferDecreaseExternalReferenceCountArgs]
}

var hostViews = sync.Pool{New: func() any { return newHostView() }}

func newHostView() *hostView {
	v := new(hostView)
	v.both.Add(&v.up)
	v.both.Add(&v.pointer)
	return v
}

// open takes an external reference and returns the address of the memory.
func (v *hostView) open(ctx context.Context, b *Buffer, h *capi.Buffer) (uintptr, error) {
	v.set(b, h)
	return b.references.take(ctx, b.client.table, v)
}

// set sets the buffer, whose handle is h.
func (v *hostView) set(b *Buffer, h *capi.Buffer) {
	v.buffer = b
	v.up.Args.Buffer, v.pointer.Args.Buffer, v.down.Args.Buffer = h, h, h
}

func (v *hostView) close() {
	v.buffer.references.drop(v.buffer.client.table, &v.down)
	v.put()
}

// put leaves the view to other reads.
func (v *hostView) put() {
	v.buffer, v.bytes = nil, nil
	hostViews.Put(v)
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

// bytesAt returns memory of C.
func bytesAt(address uintptr, size int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), size)
}
