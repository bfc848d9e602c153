// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// CrossHostReceiver are buffers whose contents come from another process by
// descriptors: bytes that the plugin makes for each buffer, that the program brings
// to whoever sends it, and that [Buffer.CopyToRemoteDevice] takes there. Its methods
// may be called from any goroutine.
type CrossHostReceiver struct {
	client  *Client
	buffers []*Buffer
	ready   *crossHostReady

	mu        sync.Mutex
	cancelled []bool // guarded by mu; by buffer
}

// crossHostReady is what the plugin tells a receiver, once.
type crossHostReady struct {
	done        chan struct{} // closed when the rest is valid
	descriptors [][]byte
	cancel      capi.CrossHostCancel
	err         error
}

// CrossHostReceiveOptions are the options of NewCrossHostReceiver.
type CrossHostReceiveOptions struct {
	// Device receives the buffers. Nil means the client's first addressable one.
	Device *Device
	// Layouts are the layouts of the buffers on the device, one for each shape and
	// nil for the plugin's default. Nil means that for all.
	Layouts []*Layout
}

// API minors that changed what a descriptor's transfer is told.
const (
	crossHostCancelSince     = 85  // notifiers get a means to cancel
	crossHostDescriptorSince = 104 // the plugin frees descriptors
)

// NewCrossHostReceiver makes buffers of the shapes, to be received
// (PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers, extension
// CrossHostTransfers, API 0.74). It does not wait. opts may be nil.
func (c *Client) NewCrossHostReceiver(ctx context.Context, shapes []Shape, opts *CrossHostReceiveOptions) (*CrossHostReceiver, error) {
	if opts == nil {
		opts = &CrossHostReceiveOptions{}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.table.Lacks((*capi.TransfersClientMakeCrossHostReceiveBuffersArgs)(nil).Function()); err != nil {
		return nil, err
	}
	if len(shapes) == 0 {
		return nil, invalid("there is nothing to receive")
	}
	if opts.Layouts != nil && len(opts.Layouts) != len(shapes) {
		return nil, invalid("there are %d layouts for %d shapes", len(opts.Layouts), len(shapes))
	}
	place, err := c.place(opts.Device, nil)
	if err != nil {
		return nil, err
	}
	in := new(crossHostShapes)
	for i, shape := range shapes {
		var layout *Layout
		if opts.Layouts != nil {
			layout = opts.Layouts[i]
		}
		if err := in.add(c, shape, layout); err != nil {
			return nil, err
		}
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	n, ready := len(shapes), &crossHostReady{done: make(chan struct{})}
	buffers := make([]*capi.Buffer, n)
	notifier, handle := capi.NewCrossHostRecvNotifier(ready.notifier(c.table, n))
	var call capi.Call[capi.TransfersClientMakeCrossHostReceiveBuffersArgs]
	args := &call.Args
	args.Client, args.Device = h, place.device
	args.NumShapes, args.ShapeNumDims = uintptr(n), unsafe.SliceData(in.ranks)
	args.NumDims, args.ElementTypes = unsafe.SliceData(in.dims), unsafe.SliceData(in.types)
	args.Layouts = unsafe.SliceData(in.layouts)
	args.Notifier, args.Buffers = notifier, unsafe.SliceData(buffers)
	err = call.Do(c.table)
	runtime.KeepAlive(in)
	if err != nil {
		handle.Delete()
		return nil, err
	}
	list, err := c.receivedBuffers(buffers, int(min(args.NumBuffers, uintptr(n))), in)
	if err != nil {
		return nil, err
	}
	return &CrossHostReceiver{client: c, buffers: list, ready: ready, cancelled: make([]bool, n)}, nil
}

// notifier returns what the plugin calls, on a thread of its own or before the call
// that it is passed to returns.
func (r *crossHostReady) notifier(table *capi.Table, n int) func(capi.CrossHostReceive) {
	return func(got capi.CrossHostReceive) {
		defer close(r.done)
		switch {
		case got.Err != nil:
			r.err = readError(table, got.Err)
			return
		case len(got.Descriptors) != n:
			r.err = failed(ErrInternal, "the plugin gives %d descriptors for %d buffers", len(got.Descriptors), n)
			return
		}
		r.descriptors = got.Descriptors
		// Older plugins do not pass it: what stands in its place is no function.
		if _, minor := table.Version(); minor >= crossHostCancelSince {
			r.cancel = got.Cancel
		}
	}
}

// readError returns the error that a callback is told of, and leaves it to the
// plugin: the header does not say that the callback owns it.
func readError(table *capi.Table, h *capi.ErrorHandle) error {
	if h == nil {
		return nil
	}
	e := &Error{Code: ErrUnknown}
	var code capi.Call[capi.ErrorGetCodeArgs]
	code.Args.Error = h
	if err := code.Do(table); err == nil {
		e.Code = code.Args.Code
	}
	var message capi.Call[capi.ErrorMessageArgs]
	message.Args.Error = h
	if err := message.Do(table); err == nil {
		e.Message = capi.String(message.Args.Message, message.Args.MessageSize)
	}
	return e
}

// Buffers returns the buffers, in the order of the shapes. They are the caller's to
// close, and may be used at once: whoever needs their contents waits.
func (r *CrossHostReceiver) Buffers() []*Buffer { return slices.Clone(r.buffers) }

// Descriptors waits until the plugin is ready to receive and returns the descriptor
// of each buffer, which its sender needs. They are the caller's to keep.
func (r *CrossHostReceiver) Descriptors(ctx context.Context) ([][]byte, error) {
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	list := make([][]byte, len(r.ready.descriptors))
	for i, d := range r.ready.descriptors {
		list[i] = slices.Clone(d)
	}
	return list, nil
}

func (r *CrossHostReceiver) wait(ctx context.Context) error {
	select {
	case <-r.ready.done:
		return r.ready.err
	default:
	}
	select {
	case <-r.ready.done:
		return r.ready.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Cancel gives up on the sender of a buffer, which then fails with the code and the
// text of reason (API 0.85), and waits until that is done. When ctx ends first, it
// returns ctx's error and the plugin goes on. It is an error for a buffer that was
// cancelled before.
func (r *CrossHostReceiver) Cancel(ctx context.Context, index int, reason error) error {
	switch {
	case index < 0 || index >= len(r.buffers):
		return failed(ErrOutOfRange, "buffer %d is not among the %d of the receiver", index, len(r.buffers))
	case reason == nil:
		return invalid("the error that a buffer is to fail with is nil")
	}
	if _, minor := r.client.table.Version(); minor < crossHostCancelSince {
		return r.client.tooOld("cancelling a transfer", crossHostCancelSince)
	}
	if err := r.wait(ctx); err != nil {
		return err
	}
	if r.ready.cancel.Notifier == 0 {
		return failed(ErrUnimplemented, "the plugin gives no means to cancel the transfer")
	}
	if _, err := r.client.ref.Acquire(); err != nil {
		return err
	}
	defer r.client.ref.Release()
	r.mu.Lock()
	was := r.cancelled[index]
	r.cancelled[index] = true
	r.mu.Unlock()
	if was {
		return failed(ErrFailedPrecondition, "buffer %d was cancelled before", index)
	}
	table, done := r.client.table, make(chan error, 1)
	code, message := failure(reason)
	r.ready.cancel.Cancel(r.ready.descriptors[index], code, message, func(h *capi.ErrorHandle) { done <- readError(table, h) })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CopyToRemoteDevice sends the array to the process whose CrossHostReceiver gave the
// descriptor (PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice, extension
// CrossHostTransfers; this form of it since API 0.104), and waits until the plugin
// has taken the send on. The buffer may be closed then. When ctx ends first, it
// returns ctx's error and the send goes on.
//
// A send that fails with enqueued reaches the receiver, whose buffer fails.
// Without, the receiver does not learn of it: the program tells it to cancel.
func (b *Buffer) CopyToRemoteDevice(ctx context.Context, descriptor []byte) (enqueued bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	table := b.client.table
	for _, f := range []*capi.Function{
		(*capi.TransfersBufferCopyToRemoteDeviceArgs)(nil).Function(),
		(*capi.EventCreateArgs)(nil).Function(),
		(*capi.EventSetArgs)(nil).Function(),
	} {
		if err := table.Lacks(f); err != nil {
			return false, err
		}
	}
	if _, minor := table.Version(); minor < crossHostDescriptorSince {
		return false, b.client.tooOld("a descriptor that the plugin frees", crossHostDescriptorSince)
	}
	if len(descriptor) == 0 {
		return false, invalid("the descriptor is empty")
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return false, err
	}
	if err := b.alive(h); err != nil {
		b.ref.Release()
		return false, err
	}
	known, err := readyCEvent(table)
	if err != nil {
		b.ref.Release()
		return false, err
	}
	type outcome struct {
		enqueued bool
		err      error
	}
	done := make(chan outcome, 1)
	onDone, handle := capi.NewCrossHostRemoteSendCallback(func(h *capi.ErrorHandle, enqueued bool) {
		o := outcome{enqueued, readError(table, h)}
		// Releasing may call the plugin, which its callback must not.
		go func() {
			b.ref.Release()
			done <- o
		}()
	})
	place := capi.NewCrossHostDescriptor()
	place.Set(descriptor)
	var call capi.Call[capi.TransfersBufferCopyToRemoteDeviceArgs]
	call.Args.Buffer, call.Args.Event, call.Args.OnDone = h, known, onDone
	place.Fields(&call.Args)
	if err := call.Do(table); err != nil { // the plugin was not called
		handle.Delete()
		place.Delete()
		closeEvent(table, known)
		b.ref.Release()
		return false, err
	}
	select {
	case o := <-done:
		return o.enqueued, o.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// readyCEvent makes an event of the program's own and sets it.
func readyCEvent(table *capi.Table) (*capi.Event, error) {
	var c capi.Call[capi.EventCreateArgs]
	if err := c.Do(table); err != nil {
		return nil, err
	}
	var set capi.Call[capi.EventSetArgs]
	set.Args.Event = c.Args.Event
	if err := set.Do(table); err != nil {
		closeEvent(table, c.Args.Event)
		return nil, err
	}
	return c.Args.Event, nil
}
