// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package crosshost

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Receiver has buffers whose contents come from another process. The plugin makes a
// descriptor, a string of bytes, for each buffer. The program brings the descriptor to the
// sender, which passes it to [CopyToRemoteDevice]. The methods of a Receiver may be called
// from any goroutine.
type Receiver struct {
	client  *pjrt.Client
	buffers []*pjrt.Buffer
	ready   *notice

	mu        sync.Mutex
	cancelled []bool // guarded by mu; by buffer
}

// notice is the one message that the plugin sends to a receiver.
type notice struct {
	done        chan struct{} // closed when the other fields are set
	descriptors [][]byte
	cancel      capi.CrossHostCancel
	err         error
}

// ReceiverOptions are the options of [NewReceiver].
type ReceiverOptions struct {
	// Device receives the buffers. Nil means the client's first addressable device.
	Device *pjrt.Device
	// Layouts are the layouts of the buffers on the device, one for each shape; a nil
	// layout means row-major. A nil list means that all are row-major.
	Layouts []*pjrt.Layout
}

// API minors that changed the interface of transfers by descriptors.
const (
	cancelSince     = 85  // the plugin passes a function that cancels a transfer
	descriptorSince = 104 // the plugin frees the descriptor that it gets
	allowSince      = 116 // the plugin passes that function only if it is allowed to
)

// NewReceiver makes buffers of the shapes to receive data into
// (PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers, API 0.74). It does not wait.
// opts may be nil.
func NewReceiver(ctx context.Context, c *pjrt.Client, list []pjrt.Shape, opts *ReceiverOptions) (*Receiver, error) {
	if opts == nil {
		opts = &ReceiverOptions{}
	}
	own := ReceiverOptions{Device: opts.Device, Layouts: slices.Clone(opts.Layouts)}
	list = slices.Clone(list)
	for i := range list {
		list[i].Dims = slices.Clone(list[i].Dims)
	}
	return raw.Abandonable(ctx, func() (*Receiver, error) { return newReceiver(c, list, &own) }, func(r *Receiver) error {
		for _, b := range r.buffers {
			b.Close()
		}
		return nil
	})
}

func newReceiver(c *pjrt.Client, list []pjrt.Shape, opts *ReceiverOptions) (*Receiver, error) {
	h, release, err := raw.AcquireClient(c)
	if err != nil {
		return nil, err
	}
	defer release()
	table := raw.TableOf(c)
	if err := table.Lacks((*capi.TransfersClientMakeCrossHostReceiveBuffersArgs)(nil).Function()); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("no shapes to receive were given")
	}
	if opts.Layouts != nil && len(opts.Layouts) != len(list) {
		return nil, pjrt.ErrInvalidArgument.Errorf("there are %d layouts for %d shapes", len(opts.Layouts), len(list))
	}
	device, _, err := raw.Place(c, opts.Device, nil)
	if err != nil {
		return nil, err
	}
	in := new(shapes)
	for i, shape := range list {
		var layout *pjrt.Layout
		if opts.Layouts != nil {
			layout = opts.Layouts[i]
		}
		if err := in.add(c, shape, layout); err != nil {
			return nil, err
		}
	}
	n, ready := len(list), &notice{done: make(chan struct{})}
	buffers := make([]*capi.Buffer, n)
	notifier, handle := capi.NewCrossHostRecvNotifier(ready.notifier(table, n))
	var call capi.Call[capi.TransfersClientMakeCrossHostReceiveBuffersArgs]
	args := &call.Args
	args.Client, args.Device = h, device
	args.NumShapes, args.ShapeNumDims = uintptr(n), unsafe.SliceData(in.ranks)
	args.NumDims, args.ElementTypes = unsafe.SliceData(in.dims), unsafe.SliceData(in.types)
	args.Layouts = unsafe.SliceData(in.layouts)
	args.Notifier, args.Buffers = notifier, unsafe.SliceData(buffers)
	_, minor := table.Version()
	args.AllowCancelNotifier = minor >= allowSince
	err = call.Do(table)
	runtime.KeepAlive(in)
	if err != nil {
		handle.Delete()
		return nil, err
	}
	made, err := in.adopt(c, buffers, int(min(args.NumBuffers, uintptr(n))))
	if err != nil {
		return nil, err
	}
	return &Receiver{client: c, buffers: made, ready: ready, cancelled: make([]bool, n)}, nil
}

// notifier returns the function that the plugin calls when it is ready to receive: on its
// own thread, or before the call that takes the function returns.
func (r *notice) notifier(table *capi.Table, n int) func(capi.CrossHostReceive) {
	return func(got capi.CrossHostReceive) {
		defer close(r.done)
		switch {
		case got.Err != nil:
			r.err = raw.ReadError(table, got.Err)
			return
		case len(got.Descriptors) != n:
			r.err = pjrt.ErrInternal.Errorf("the plugin returned %d descriptors for %d buffers", len(got.Descriptors), n)
			return
		}
		r.descriptors = got.Descriptors
		// Older plugins do not pass a function that cancels; got.Cancel is then garbage.
		if _, minor := table.Version(); minor >= cancelSince {
			r.cancel = got.Cancel
		}
	}
}

// Buffers returns the buffers, in the order of the shapes. The caller closes them.
// Programs may use them at once; uses wait for the contents.
func (r *Receiver) Buffers() []*pjrt.Buffer {
	if r == nil {
		return nil
	}
	return slices.Clone(r.buffers)
}

// Descriptors waits until the plugin is ready to receive and returns the descriptor of
// each buffer, which its sender needs. The caller owns the slices.
func (r *Receiver) Descriptors(ctx context.Context) ([][]byte, error) {
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	list := make([][]byte, len(r.ready.descriptors))
	for i, d := range r.ready.descriptors {
		list[i] = slices.Clone(d)
	}
	return list, nil
}

func (r *Receiver) wait(ctx context.Context) error {
	if r == nil || r.ready == nil {
		return errNilReceiver
	}
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

var errNilReceiver = pjrt.ErrInvalidArgument.Errorf("the receiver is nil: make one with crosshost.NewReceiver")

// Cancel gives up on the sender of a buffer (API 0.85) and waits until the plugin has done
// so. The buffer then fails with the code and the text of reason. When ctx ends first,
// Cancel returns ctx's error, and the plugin goes on cancelling. A buffer can be cancelled
// only once; a second Cancel is an error, pjrt.ErrFailedPrecondition.
func (r *Receiver) Cancel(ctx context.Context, index int, reason error) error {
	switch {
	case r == nil || r.client == nil:
		return errNilReceiver
	case index < 0 || index >= len(r.buffers):
		return pjrt.ErrOutOfRange.Errorf("buffer %d is not among the %d of the receiver", index, len(r.buffers))
	case reason == nil:
		return pjrt.ErrInvalidArgument.Errorf("the reason for cancelling is nil; give an error for the buffer to fail with")
	}
	table := raw.TableOf(r.client)
	if err := since(table, "cancelling a transfer", cancelSince); err != nil {
		return err
	}
	if err := r.wait(ctx); err != nil {
		return err
	}
	_, err := raw.Abandonable(ctx, func() (struct{}, error) { return struct{}{}, r.cancel(ctx, index, reason) },
		func(struct{}) error { return nil })
	return err
}

func (r *Receiver) cancel(ctx context.Context, index int, reason error) error {
	if r.ready.cancel.Notifier == 0 {
		return pjrt.ErrUnimplemented.Errorf("the plugin passed no function that cancels the transfer")
	}
	_, release, err := raw.AcquireClient(r.client)
	if err != nil {
		return err
	}
	defer release()
	r.mu.Lock()
	was := r.cancelled[index]
	r.cancelled[index] = true
	r.mu.Unlock()
	if was {
		return pjrt.ErrFailedPrecondition.Errorf("buffer %d was already cancelled", index)
	}
	done := make(chan error, 1)
	code, message := raw.ErrorParts(reason)
	r.ready.cancel.Cancel(r.ready.descriptors[index], code, message, func(h *capi.ErrorHandle) {
		done <- raw.ReadError(raw.TableOf(r.client), h)
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// since returns an error if the plugin is older than a part of the extension.
func since(table *capi.Table, what string, minor int) error {
	if _, has := table.Version(); has < minor {
		return &pjrt.Error{Code: pjrt.ErrUnimplemented, Missing: true,
			Message: fmt.Sprintf("%s came with API %d.%d, but the plugin has %d.%d", what, capi.APIMajor, minor, capi.APIMajor, has)}
	}
	return nil
}

// CopyToRemoteDevice sends the buffer to the process whose [Receiver] returned the
// descriptor (PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice, in its form since API 0.104).
// It waits until the plugin has accepted the send; the caller may then close the buffer.
// When ctx ends first, CopyToRemoteDevice returns ctx's error and the send goes on.
//
// If enqueued is true, a failure of the send reaches the receiver, whose buffer fails. If
// enqueued is false, the receiver does not learn of a failure, and the program has to tell
// it to cancel.
func CopyToRemoteDevice(ctx context.Context, b *pjrt.Buffer, descriptor []byte) (enqueued bool, err error) {
	descriptor = slices.Clone(descriptor)
	return raw.Abandonable(ctx, func() (bool, error) { return copyToRemoteDevice(ctx, b, descriptor) }, func(bool) error { return nil })
}

func copyToRemoteDevice(ctx context.Context, b *pjrt.Buffer, descriptor []byte) (enqueued bool, err error) {
	h, release, err := raw.AcquireBuffer(b)
	if err != nil {
		return false, err
	}
	defer release()
	if _, err := b.Shape().HostSize(); err != nil { // a token
		return false, pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	table := raw.TableOf(b)
	for _, f := range []*capi.Function{
		(*capi.TransfersBufferCopyToRemoteDeviceArgs)(nil).Function(),
		(*capi.EventCreateArgs)(nil).Function(),
		(*capi.EventSetArgs)(nil).Function(),
	} {
		if err := table.Lacks(f); err != nil {
			return false, err
		}
	}
	if err := since(table, "a descriptor that the plugin frees", descriptorSince); err != nil {
		return false, err
	}
	if len(descriptor) == 0 {
		return false, pjrt.ErrInvalidArgument.Errorf("the descriptor is empty")
	}
	// The plugin uses the buffer until it calls the callback.
	_, releaseSent, err := acquireAlive(b)
	if err != nil {
		return false, err
	}
	known, err := readyEvent(table)
	if err != nil {
		releaseSent()
		return false, err
	}
	type outcome struct {
		enqueued bool
		err      error
	}
	done := make(chan outcome, 1)
	onDone, handle := capi.NewCrossHostRemoteSendCallback(func(h *capi.ErrorHandle, enqueued bool) {
		o := outcome{enqueued, raw.ReadError(table, h)}
		// The release may call the plugin, which a callback of the plugin must not do.
		go func() {
			releaseSent()
			done <- o
		}()
	})
	place := capi.NewCrossHostDescriptor()
	place.Set(descriptor)
	var call capi.Call[capi.TransfersBufferCopyToRemoteDeviceArgs]
	call.Args.Buffer, call.Args.Event, call.Args.OnDone = h, known, onDone
	place.Fields(&call.Args)
	if err := call.Do(table); err != nil { // the call did not reach the plugin, which will not call back
		handle.Delete()
		place.Delete()
		destroyEvent(table, known)
		releaseSent()
		return false, err
	}
	select {
	case o := <-done:
		return o.enqueued, o.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// readyEvent makes an event that is ready.
func readyEvent(table *capi.Table) (*capi.Event, error) {
	var c capi.Call[capi.EventCreateArgs]
	if err := c.Do(table); err != nil {
		return nil, err
	}
	var set capi.Call[capi.EventSetArgs]
	set.Args.Event = c.Args.Event
	if err := set.Do(table); err != nil {
		destroyEvent(table, c.Args.Event)
		return nil, err
	}
	return c.Args.Event, nil
}

func destroyEvent(table *capi.Table, h *capi.Event) {
	var d capi.Call[capi.EventDestroyArgs]
	d.Args.Event = h
	_ = d.Do(table)
}
