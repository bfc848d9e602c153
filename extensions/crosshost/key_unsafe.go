// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package crosshost

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Outgoing describes a buffer to send to a device of another process.
type Outgoing struct {
	Buffer *pjrt.Buffer
	// To is the device that receives, one of Client.Devices.
	To *pjrt.Device
	// Key names the transfer. The receiver uses the same key, and no other transfer
	// between the processes does.
	Key int64
}

// Incoming describes a buffer to receive from a device of another process.
type Incoming struct {
	// Shape is the shape of the buffer that is sent.
	Shape pjrt.Shape
	// Layout is the layout of the array on the receiving device; nil means row-major.
	Layout *pjrt.Layout
	// From is the device that sends, one of Client.Devices.
	From *pjrt.Device
	// Key names the transfer. The sender uses the same key, and no other transfer between
	// the processes does.
	Key int64
}

// Options are the options of [Send] and [Receive].
type Options struct {
	// Incarnations gives the incarnation of each process that takes part, so that a transfer
	// with a restarted process fails (API 0.117). Older plugins return
	// pjrt.ErrUnimplemented.
	Incarnations map[int]int64
}

// tasks returns the options in the form of the C structs. opts may be nil.
func (opts *Options) tasks() (tasks []int32, ids []int64, err error) {
	if opts == nil || len(opts.Incarnations) == 0 {
		return nil, nil, nil
	}
	return raw.Incarnations(opts.Incarnations)
}

// clone returns a copy for a call that goes on when its caller has left. o may be nil.
func (o *Options) clone() *Options {
	if o == nil {
		return nil
	}
	own := *o
	own.Incarnations = maps.Clone(o.Incarnations)
	return &own
}

// Send begins to send buffers of the client to devices of other processes
// (PJRT_Transfers_PJRT_Client_CrossHostSendBuffers, API 0.81), which receive them with
// [Receive] under the same keys. Send does not wait, and the caller may close the buffers at
// once. Send returns an event for each buffer, which the caller closes. The event is ready
// when the buffer has been sent, and has the error if the transfer failed. opts may be nil.
func Send(ctx context.Context, c *pjrt.Client, list []Outgoing, opts *Options) ([]*pjrt.Event, error) {
	list, own := slices.Clone(list), opts.clone()
	return raw.Abandonable(ctx, func() ([]*pjrt.Event, error) { return send(c, list, own) }, func(events []*pjrt.Event) error {
		for _, e := range events {
			e.Close()
		}
		return nil
	})
}

func send(c *pjrt.Client, list []Outgoing, opts *Options) ([]*pjrt.Event, error) {
	h, release, err := raw.AcquireClient(c)
	if err != nil {
		return nil, err
	}
	defer release()
	table := raw.TableOf(c)
	if err := table.Lacks((*capi.TransfersClientCrossHostSendBuffersArgs)(nil).Function()); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("no buffers to send were given")
	}
	n := len(list)
	buffers, events := make([]*capi.Buffer, n), make([]*capi.Event, n)
	ids, keys := make([]int32, n), make(transferKeys, 0, n)
	for i, s := range list {
		if s.Buffer == nil {
			return nil, pjrt.ErrInvalidArgument.Errorf("the buffer of send %d is nil", i)
		}
		if s.Buffer.Client() != c {
			return nil, pjrt.ErrInvalidArgument.Errorf("the buffer of send %d belongs to another client", i)
		}
		b, release, err := acquireAlive(s.Buffer)
		if err != nil {
			return nil, err
		}
		defer release()
		buffers[i] = b
		from, err := s.Buffer.Device()
		if err != nil {
			return nil, err
		}
		if ids[i], err = peerOf(from, s.To); err != nil {
			return nil, err
		}
		if keys, err = keys.with(s.Key); err != nil {
			return nil, err
		}
	}
	tasks, incarnations, err := opts.tasks()
	if err != nil {
		return nil, err
	}
	var call capi.Call[capi.TransfersClientCrossHostSendBuffersArgs]
	args := &call.Args
	args.Client, args.NumBuffers = h, uintptr(n)
	args.Buffers, args.SendEvents = unsafe.SliceData(buffers), unsafe.SliceData(events)
	args.DstGlobalDeviceIDs, args.TransferKeys = unsafe.SliceData(ids), unsafe.SliceData(keys)
	args.NumTasks, args.TaskIDs, args.IncarnationIDs = uintptr(len(tasks)), unsafe.SliceData(tasks), unsafe.SliceData(incarnations)
	if err := call.Do(table); err != nil {
		return nil, err
	}
	out := make([]*pjrt.Event, n)
	for i, e := range events {
		out[i] = raw.AdoptEvent(c, e, nil)
	}
	return out, nil
}

// Receive makes buffers on a device of the client whose contents come from devices of
// other processes (PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers, API 0.81), which
// send them with [Send] under the same keys. Receive does not wait. The caller closes the
// buffers. Programs may use them at once; uses wait for the contents, and fail if the
// transfer fails. opts may be nil.
func Receive(ctx context.Context, d *pjrt.Device, list []Incoming, opts *Options) ([]*pjrt.Buffer, error) {
	list, own := slices.Clone(list), opts.clone()
	for i := range list {
		list[i].Shape.Dims = slices.Clone(list[i].Shape.Dims)
	}
	return raw.Abandonable(ctx, func() ([]*pjrt.Buffer, error) { return receive(ctx, d, list, own) }, func(buffers []*pjrt.Buffer) error {
		for _, b := range buffers {
			b.Close()
		}
		return nil
	})
}

func receive(ctx context.Context, d *pjrt.Device, list []Incoming, opts *Options) ([]*pjrt.Buffer, error) {
	device, release, err := raw.AcquireDevice(d)
	if err != nil {
		return nil, err
	}
	defer release()
	c := d.Client()
	h, release, err := raw.AcquireClient(c)
	if err != nil {
		return nil, err
	}
	defer release()
	table := raw.TableOf(c)
	if err := table.Lacks((*capi.TransfersClientCrossHostReceiveBuffersArgs)(nil).Function()); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("no buffers to receive were given")
	}
	in := new(shapes)
	var ids []int32
	var keys transferKeys
	for _, r := range list {
		id, err := peerOf(d, r.From)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		if keys, err = keys.with(r.Key); err != nil {
			return nil, err
		}
		if err := in.add(c, r.Shape, r.Layout); err != nil {
			return nil, err
		}
	}
	tasks, incarnations, err := opts.tasks()
	if err != nil {
		return nil, err
	}
	buffers := make([]*capi.Buffer, len(list))
	var call capi.Call[capi.TransfersClientCrossHostReceiveBuffersArgs]
	args := &call.Args
	args.Client, args.Device = h, device
	args.NumShapes, args.ShapeNumDims = uintptr(len(list)), unsafe.SliceData(in.ranks)
	args.NumDims, args.ElementTypes = unsafe.SliceData(in.dims), unsafe.SliceData(in.types)
	args.Layouts = unsafe.SliceData(in.layouts)
	args.SrcGlobalDeviceIDs, args.TransferKeys = unsafe.SliceData(ids), unsafe.SliceData(keys)
	args.Buffers = unsafe.SliceData(buffers)
	args.NumTasks, args.TaskIDs, args.IncarnationIDs = uintptr(len(tasks)), unsafe.SliceData(tasks), unsafe.SliceData(incarnations)
	err = raw.Retry(ctx, func() error { return call.Do(table) })
	runtime.KeepAlive(in)
	if err != nil {
		return nil, err
	}
	return in.adopt(c, buffers, len(buffers))
}

// acquireAlive returns the handle of a buffer, or an error if the buffer has lost its
// contents.
func acquireAlive(b *pjrt.Buffer) (h *capi.Buffer, release func(), err error) {
	if h, release, err = raw.AcquireBuffer(b); err != nil {
		return nil, nil, err
	}
	gone, err := b.IsDeleted()
	if _, size := b.Shape().HostSize(); err == nil && size != nil { // a token
		err = pjrt.ErrInvalidArgument.Errorf("%v", size)
	}
	if err == nil && gone {
		err = pjrt.ErrInvalidArgument.Errorf("the buffer %v was deleted, or donated to an earlier execution", b.Shape())
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return h, release, nil
}

// peerOf returns the global id of the device at the other end of a transfer. own is the
// device at this end.
func peerOf(own, peer *pjrt.Device) (int32, error) {
	switch {
	case peer == nil:
		return 0, pjrt.ErrInvalidArgument.Errorf("the device at the other end of a transfer is nil")
	case peer.Client() != own.Client():
		return 0, pjrt.ErrInvalidArgument.Errorf("device %v belongs to another client: pick the other process's device from "+
			"Client.Devices of this one", peer)
	case peer == own:
		return 0, pjrt.ErrInvalidArgument.Errorf("device %v is at both ends of a transfer", peer)
	}
	return int32(peer.ID()), nil
}

// transferKeys are the keys of the transfers of one call.
type transferKeys []int64

func (k transferKeys) with(key int64) (transferKeys, error) {
	if slices.Contains(k, key) {
		return nil, pjrt.ErrInvalidArgument.Errorf("two transfers have the key %d", key)
	}
	return append(k, key), nil
}

// shapes are the shapes of buffers to receive, in their C form.
type shapes struct {
	list    []pjrt.Shape
	ranks   []uintptr
	dims    []*int64
	types   []capi.BufferType
	layouts []*capi.BufferMemoryLayout
	keep    []*raw.Layout
}

func (s *shapes) add(c *pjrt.Client, shape pjrt.Shape, layout *pjrt.Layout) error {
	if err := raw.CheckShape(c, shape); err != nil {
		return err
	}
	// XLA's own client always states a layout.
	l, err := raw.EncodeDeviceLayout(layout, shape, true)
	if err != nil {
		return err
	}
	shape.Dims = slices.Clone(shape.Dims)
	s.list = append(s.list, shape)
	s.ranks = append(s.ranks, uintptr(len(shape.Dims)))
	s.dims = append(s.dims, unsafe.SliceData(shape.Dims))
	s.types = append(s.types, capi.BufferType(shape.Type))
	s.layouts = append(s.layouts, l.C)
	s.keep = append(s.keep, l)
	return nil
}

// adopt makes Buffers from the first n handles, which the plugin filled in. It returns an
// error if handles are missing.
func (s *shapes) adopt(c *pjrt.Client, handles []*capi.Buffer, n int) ([]*pjrt.Buffer, error) {
	list := make([]*pjrt.Buffer, 0, len(handles))
	for i, h := range handles[:n] {
		if h == nil {
			continue
		}
		b, err := raw.AdoptBufferOf(c, h, s.list[i])
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	if len(list) < len(handles) {
		for _, b := range list {
			b.Close()
		}
		return nil, pjrt.ErrInternal.Errorf("the plugin made %d of the %d buffers to receive", len(list), len(handles))
	}
	return list, nil
}
