// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// CrossHostSend is one buffer to send to a device of another process.
type CrossHostSend struct {
	Buffer *Buffer
	// To is the device that receives, one of Client.Devices.
	To *Device
	// Key names the transfer: the receiver gives the same, and no other transfer
	// between the processes has it.
	Key int64
}

// CrossHostReceive is one buffer to receive from a device of another process.
type CrossHostReceive struct {
	// Shape is that of the buffer which is sent.
	Shape Shape
	// Layout is how the array is to lie in memory; nil leaves that to the plugin.
	Layout *Layout
	// From is the device that sends, one of Client.Devices.
	From *Device
	// Key names the transfer: the sender gives the same, and no other transfer
	// between the processes has it.
	Key int64
}

// CrossHostSend begins to send buffers of the client to devices of other processes
// (PJRT_Transfers_PJRT_Client_CrossHostSendBuffers, extension CrossHostTransfers, API
// 0.81), which receive them with [Client.CrossHostReceive] under the same keys. It
// does not wait, and the buffers may be closed at once. There is one event for each,
// which the caller closes; it is ready when the buffer is sent, or with the error
// of the transfer.
func (c *Client) CrossHostSend(ctx context.Context, sends []CrossHostSend) ([]*Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.table.Lacks((*capi.TransfersClientCrossHostSendBuffersArgs)(nil).Function()); err != nil {
		return nil, err
	}
	if len(sends) == 0 {
		return nil, invalid("there is nothing to send")
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	n := len(sends)
	buffers, events := make([]*capi.Buffer, n), make([]*capi.Event, n)
	ids, keys := make([]int32, n), make(transferKeys, 0, n)
	for i, s := range sends {
		if s.Buffer == nil {
			return nil, invalid("send %d has no buffer", i)
		}
		if s.Buffer.client != c {
			return nil, invalid("the buffer of send %d belongs to another client", i)
		}
		if buffers[i], err = s.Buffer.ref.Acquire(); err != nil {
			return nil, err
		}
		defer s.Buffer.ref.Release()
		if err := s.Buffer.alive(buffers[i]); err != nil {
			return nil, err
		}
		from, err := s.Buffer.Device()
		if err != nil {
			return nil, err
		}
		if ids[i], err = s.To.peerOf(from); err != nil {
			return nil, err
		}
		if keys, err = keys.with(s.Key); err != nil {
			return nil, err
		}
	}
	var call capi.Call[capi.TransfersClientCrossHostSendBuffersArgs]
	args := &call.Args
	args.Client, args.NumBuffers = h, uintptr(n)
	args.Buffers, args.SendEvents = unsafe.SliceData(buffers), unsafe.SliceData(events)
	args.DstGlobalDeviceIDs, args.TransferKeys = unsafe.SliceData(ids), unsafe.SliceData(keys)
	if err := call.Do(c.table); err != nil {
		return nil, err
	}
	list := make([]*Event, n)
	for i, e := range events {
		list[i] = newEvent(c.table, e, c.ref)
	}
	return list, nil
}

// CrossHostReceive makes buffers on a device of the client whose contents come from
// devices of other processes (PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers,
// extension CrossHostTransfers, API 0.81), which send them with
// [Client.CrossHostSend] under the same keys. It does not wait. The buffers, which
// the caller closes, may be used at once; whoever needs their contents waits, and
// gets the error of a transfer that fails.
func (c *Client) CrossHostReceive(ctx context.Context, d *Device, receives []CrossHostReceive) ([]*Buffer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.table.Lacks((*capi.TransfersClientCrossHostReceiveBuffersArgs)(nil).Function()); err != nil {
		return nil, err
	}
	if len(receives) == 0 {
		return nil, invalid("there is nothing to receive")
	}
	dh, err := d.handleFor(c)
	if err != nil {
		return nil, err
	}
	shapes := new(crossHostShapes)
	var ids []int32
	var keys transferKeys
	for _, r := range receives {
		id, err := r.From.peerOf(d)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		if keys, err = keys.with(r.Key); err != nil {
			return nil, err
		}
		if err := shapes.add(c, r.Shape, r.Layout); err != nil {
			return nil, err
		}
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	buffers := make([]*capi.Buffer, len(receives))
	var call capi.Call[capi.TransfersClientCrossHostReceiveBuffersArgs]
	args := &call.Args
	args.Client, args.Device = h, dh
	args.NumShapes, args.ShapeNumDims = uintptr(len(receives)), unsafe.SliceData(shapes.ranks)
	args.NumDims, args.ElementTypes = unsafe.SliceData(shapes.dims), unsafe.SliceData(shapes.types)
	args.Layouts = unsafe.SliceData(shapes.layouts)
	args.SrcGlobalDeviceIDs, args.TransferKeys = unsafe.SliceData(ids), unsafe.SliceData(keys)
	args.Buffers = unsafe.SliceData(buffers)
	err = allocate(ctx, c.table, &call)
	runtime.KeepAlive(shapes)
	if err != nil {
		return nil, err
	}
	return c.receivedBuffers(buffers, len(buffers), shapes)
}

// peerOf returns the global id of the device at the other end of a transfer. own is
// the device at this end.
func (d *Device) peerOf(own *Device) (int32, error) {
	switch {
	case d == nil:
		return 0, invalid("the device at the other end of a transfer is nil")
	case d.client != own.client:
		return 0, invalid("device %v belongs to another client; of a device of another process, give the one that Client.Devices has for it", d)
	case d == own:
		return 0, invalid("device %v is at both ends of a transfer", d)
	}
	return int32(d.id), nil
}

// transferKeys are the keys of the transfers of one call.
type transferKeys []int64

func (k transferKeys) with(key int64) (transferKeys, error) {
	if slices.Contains(k, key) {
		return nil, invalid("two transfers have the key %d", key)
	}
	return append(k, key), nil
}

// crossHostShapes are shapes of buffers to receive, as C takes them.
type crossHostShapes struct {
	shapes  []Shape
	ranks   []uintptr
	dims    []*int64
	types   []capi.BufferType
	layouts []*capi.BufferMemoryLayout
	keep    []*cLayout
}

func (s *crossHostShapes) add(c *Client, shape Shape, layout *Layout) error {
	if _, err := shape.HostSize(); err != nil {
		return err
	}
	if err := c.knows(shape.Type); err != nil {
		return err
	}
	l, err := layout.encode(shape)
	if err != nil {
		return err
	}
	shape.Dims = slices.Clone(shape.Dims)
	s.shapes = append(s.shapes, shape)
	s.ranks = append(s.ranks, uintptr(len(shape.Dims)))
	s.dims = append(s.dims, unsafe.SliceData(shape.Dims))
	s.types = append(s.types, capi.BufferType(shape.Type))
	s.layouts = append(s.layouts, l.layout)
	s.keep = append(s.keep, l)
	return nil
}

// receivedBuffers takes over the buffers that the plugin made, n of them.
func (c *Client) receivedBuffers(handles []*capi.Buffer, n int, shapes *crossHostShapes) ([]*Buffer, error) {
	list := make([]*Buffer, 0, len(handles))
	for i, h := range handles {
		if h != nil && i < n {
			list = append(list, c.newBuffer(h, shapes.shapes[i]))
		}
	}
	if len(list) < len(handles) {
		for _, b := range list {
			b.Close()
		}
		return nil, failed(ErrInternal, "the plugin made %d of the %d buffers to receive", len(list), len(handles))
	}
	return list, nil
}
