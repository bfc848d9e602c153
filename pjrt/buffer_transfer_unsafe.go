// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// transferUse keeps the buffer and the memory of a transfer to the host until the
// transfer's event is ready.
type transferUse struct {
	buffer *Buffer
	data   []byte
}

func (u *transferUse) Retain() { u.buffer.ref.Retain() }

func (u *transferUse) Release() {
	runtime.KeepAlive(u.data)
	u.buffer.ref.Release()
}

// transfer begins a copy to dst by PJRT_Buffer_ToHostBuffer.
func (b *Buffer) transfer(h *capi.Buffer, dst []byte, rank int) (*capi.Event, error) {
	if len(dst) == 0 {
		dst = make([]byte, 1)[:0] // a null address asks for the size only
	}
	layout := rowMajorLayout(rank)
	var call capi.Call[capi.BufferToHostBufferArgs]
	args := &call.Args
	args.Src = h
	args.HostLayout = layout.layout
	args.Dst, args.DstSize = unsafe.Pointer(unsafe.SliceData(dst)), uintptr(len(dst))
	err := call.Do(b.client.table)
	runtime.KeepAlive(layout)
	if err == nil && args.Event == nil {
		err = misbehaved(call.Function(), "gave no event for a transfer") // whether dst has the array is unknown
	}
	return args.Event, err
}
