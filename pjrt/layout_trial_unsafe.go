// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"bytes"
	"context"
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// orders finds out, once, what the plugin does. If a plugin does not tell, it is expected to do
// what the API says.
func (c *Client) orders(ctx context.Context) (*ordering, error) {
	o := &c.ordering
	if o.tried.Load() {
		return o, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tried.Load() {
		return o, nil
	}
	uploads, reads, err := c.tryOrders(ctx)
	if ctxErr := abandon.Err(ctx, nil, ""); ctxErr != nil {
		return nil, ctxErr
	}
	if err == nil {
		o.uploads, o.reads = uploads, reads
	}
	o.tried.Store(true)
	return o, nil
}

// tryOrders copies a small matrix, stored by columns, to the device and back.
func (c *Client) tryOrders(ctx context.Context) (uploads, reads bool, err error) {
	rows, columns := []byte{1, 2, 3, 4, 5, 6}, []byte{1, 4, 2, 5, 3, 6}
	h, err := c.acquire()
	if err != nil {
		return false, false, err
	}
	defer c.ref.Release()
	dims := []int64{2, 3}
	byColumns, err := (&Layout{MinorToMajor: []int{0, 1}}).encode(Shape{Type: dtype.U8, Dims: dims})
	if err != nil {
		return false, false, err
	}
	var made capi.Call[capi.ClientBufferFromHostBufferArgs]
	a := &made.Args
	a.Client, a.Data, a.Type = h, unsafe.Pointer(&rows[0]), capi.BufferType(dtype.U8)
	a.Dims, a.NumDims = &dims[0], uintptr(len(dims))
	a.HostBufferSemantics, a.Device, a.Memory, a.DeviceLayout = OnlyDuringCall, c.usual.device, c.usual.memory, byColumns.layout
	err = made.Do(c.table)
	runtime.KeepAlive(rows)
	runtime.KeepAlive(byColumns)
	if err != nil {
		return false, false, err
	}
	new(eventCalls).close(c.table, a.DoneWithHostBuffer)
	b := c.newBuffer(a.Buffer, Shape{Type: dtype.U8, Dims: dims})
	defer b.Close()
	if err := b.wait(ctx, a.Buffer); err != nil {
		return false, false, err
	}
	stored, read := make([]byte, 6), make([]byte, 6)
	var raw capi.Call[capi.BufferCopyRawToHostArgs]
	raw.Args.Buffer, raw.Args.Dst, raw.Args.TransferSize = a.Buffer, unsafe.Pointer(&stored[0]), int64(len(stored))
	if err := raw.Do(c.table); err != nil {
		return false, false, err
	}
	if err := awaitEvent(ctx, c.table, raw.Args.Event, &transferUse{b, stored}); err != nil {
		return false, false, err
	}
	event, err := b.transfer(a.Buffer, read, len(dims))
	if err != nil {
		return false, false, err
	}
	if err := awaitEvent(ctx, c.table, event, &transferUse{b, read}); err != nil {
		return false, false, err
	}
	switch {
	case bytes.Equal(stored, columns):
		return false, bytes.Equal(read, columns), nil
	case bytes.Equal(stored, rows):
		return true, bytes.Equal(read, rows), nil
	}
	return false, false, nil
}
