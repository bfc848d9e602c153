// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// API minors that changed the interface of transfers by descriptors.
const (
	receiverCancelSince = 85  // the notifier gets a function that cancels
	remoteCopySince     = 90  // PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice has its present layout
	allowCancelSince    = 116 // the notifier gets that function only if the caller asks for it
)

// array is one of the caller's arrays.
type array struct {
	name string
	null bool
}

// notNull returns an error if one of the arrays, which have n elements, is null.
func notNull(n uintptr, arrays ...array) error {
	for _, a := range arrays {
		if a.null && n > 0 {
			return invalid("the list of %s is null and has %d elements", a.name, n)
		}
	}
	return nil
}

// incarnations reads the incarnations of processes. If a process occurs twice, the first
// one counts.
func incarnations(n uintptr, tasks *int32, ids *int64) (map[int32]int64, error) {
	if err := notNull(n, array{"tasks", tasks == nil}, array{"incarnations", ids == nil}); err != nil {
		return nil, err
	}
	all := make(map[int32]int64)
	for i, task := range slices.Backward(elements(tasks, n)) {
		all[task] = elements(ids, n)[i]
	}
	return all, nil
}

// peer returns the device at the other end of a transfer, by its id.
func (c *client) peer(id int32) (*device, error) {
	d := c.device(int(id))
	switch {
	case d == nil:
		return nil, invalid("there is no device %d", id)
	case d.process == c.process:
		return nil, invalid("device %d belongs to this process, process %d: the device at the other end must belong to another process",
			id, c.process)
	}
	return d, nil
}

// discard releases the contents of ends that have joined no transfer.
func discard(ends []*end) {
	for _, e := range ends {
		if !e.sends { // there is no buffer that will release them
			e.contents.end(nil)
		}
		e.contents.release()
	}
}

// newSender returns the end that sends a buffer. A client that is not nil must be the
// buffer's.
func (p *Plugin) newSender(c *client, h *capi.Buffer) (*end, error) {
	b, err := find[*buffer](p, h)
	if err != nil {
		return nil, err
	}
	if c != nil && b.client != c {
		return nil, invalid("the buffer of shape %v belongs to another client", b.shape)
	}
	contents, err := b.use()
	if err != nil {
		return nil, err
	}
	return &end{client: b.client, sends: true, device: b.in.device.id, shape: b.shape, order: b.order, contents: contents}, nil
}

func (p *Plugin) crossHostSend(a *capi.TransfersClientCrossHostSendBuffersArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	n := a.NumBuffers
	if err := notNull(n, array{"buffers", a.Buffers == nil}, array{"destinations", a.DstGlobalDeviceIDs == nil},
		array{"keys", a.TransferKeys == nil}, array{"events", a.SendEvents == nil}); err != nil {
		return err
	}
	started, err := incarnations(a.NumTasks, a.TaskIDs, a.IncarnationIDs)
	if err != nil {
		return err
	}
	var ends []*end
	for i, h := range elements(a.Buffers, n) {
		e, err := p.newSender(c, h)
		if err == nil {
			ends = append(ends, e)
			e.key, e.started = elements(a.TransferKeys, n)[i], started
			e.peer, err = c.peer(elements(a.DstGlobalDeviceIDs, n)[i])
		}
		if err != nil {
			discard(ends)
			return fmt.Errorf("buffer %d: %w", i, err)
		}
	}
	events := make([]*future, n)
	for i, e := range ends {
		events[i] = newFuture()
		e.tell = func(err error) { events[i].complete(err) }
	}
	if err := p.crossByKey(c, a.Function().Name, ends); err != nil {
		discard(ends)
		return err
	}
	for i := range ends {
		elements(a.SendEvents, n)[i] = p.newEvent(events[i])
	}
	return nil
}

// crossByKey begins the transfers of one call by keys. If it returns an error, it has begun
// none, and the caller still has the ends' contents.
func (p *Plugin) crossByKey(c *client, function string, ends []*end) error {
	network := p.opts.Network
	for _, e := range ends {
		e.op = &Operation{p: p, function: function, device: e.device, run: func(err error) { network.arrive(e, err) }}
	}
	if err := network.meet(c, ends); err != nil {
		return err
	}
	for _, e := range ends {
		var deps []*future
		if e.sends {
			deps = append(deps, e.contents.ready)
		}
		p.start(e.op, deps)
	}
	return nil
}

// receiving has the arguments of both functions that receive.
type receiving struct {
	client  *capi.Client
	device  *capi.Device
	n       uintptr
	ranks   *uintptr
	dims    **int64
	types   *capi.BufferType
	layouts **capi.BufferMemoryLayout
	buffers **capi.Buffer
}

// newReceivers returns the ends that receive buffers, and the memory that the contents have
// room in.
func (p *Plugin) newReceivers(r receiving) (*memory, []*end, error) {
	c, err := find[*client](p, r.client)
	if err != nil {
		return nil, nil, err
	}
	in, err := c.place(r.device, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := notNull(r.n, array{"numbers of dimensions", r.ranks == nil}, array{"dimensions", r.dims == nil},
		array{"element types", r.types == nil}, array{"buffers", r.buffers == nil}); err != nil {
		return nil, nil, err
	}
	var ends []*end
	for i := range r.n {
		var layout *capi.BufferMemoryLayout
		if r.layouts != nil {
			layout = elements(r.layouts, r.n)[i]
		}
		shape, order, err := givenShape(elements(r.types, r.n)[i], elements(r.dims, r.n)[i], elements(r.ranks, r.n)[i], layout)
		var data *storage
		if err == nil {
			data, err = in.newStorage(deviceSize(shape))
		}
		if err != nil {
			discard(ends)
			return nil, nil, fmt.Errorf("buffer %d: %w", i, err)
		}
		// The buffer holds a use of the contents, and the end another one.
		contents := newContents(data, newFuture()).use()
		ends = append(ends, &end{client: c, device: in.device.id, in: in, shape: shape, order: order, contents: contents})
	}
	return in, ends, nil
}

// show makes the buffers of ends that receive.
func (r receiving) show(ends []*end) {
	for i, e := range ends {
		elements(r.buffers, r.n)[i] = e.in.newBuffer(e.shape, e.order, e.contents)
	}
}

func (p *Plugin) crossHostReceive(a *capi.TransfersClientCrossHostReceiveBuffersArgs) error {
	n := a.NumShapes
	r := receiving{a.Client, a.Device, n, a.ShapeNumDims, a.NumDims, a.ElementTypes, a.Layouts, a.Buffers}
	in, ends, err := p.newReceivers(r)
	if err != nil {
		return err
	}
	if err = notNull(n, array{"sources", a.SrcGlobalDeviceIDs == nil}, array{"keys", a.TransferKeys == nil}); err != nil {
		discard(ends)
		return err
	}
	started, err := incarnations(a.NumTasks, a.TaskIDs, a.IncarnationIDs)
	if err != nil {
		discard(ends)
		return err
	}
	for i, e := range ends {
		e.key, e.started = elements(a.TransferKeys, n)[i], started
		if e.peer, err = in.client.peer(elements(a.SrcGlobalDeviceIDs, n)[i]); err != nil {
			discard(ends)
			return fmt.Errorf("buffer %d: %w", i, err)
		}
	}
	if err := p.crossByKey(in.client, a.Function().Name, ends); err != nil {
		discard(ends)
		return err
	}
	r.show(ends)
	return nil
}

func (p *Plugin) crossHostMakeReceive(a *capi.TransfersClientMakeCrossHostReceiveBuffersArgs) error {
	r := receiving{a.Client, a.Device, a.NumShapes, a.ShapeNumDims, a.NumDims, a.ElementTypes, a.Layouts, a.Buffers}
	in, ends, err := p.newReceivers(r)
	if err != nil {
		return err
	}
	if a.Notifier.Notifier == 0 {
		discard(ends)
		return invalid("the notifier is null")
	}
	network, notifier, cancel := p.opts.Network, a.Notifier, p.cancel
	if p.opts.Minor < receiverCancelSince || p.opts.Minor >= allowCancelSince && !a.AllowCancelNotifier {
		cancel = capi.CrossHostCancel{}
	}
	var descriptors []string
	op := &Operation{p: p, function: a.Function().Name, device: in.device.id, run: func(err error) {
		for _, e := range ends {
			network.arrive(e, err)
		}
		if err != nil {
			lend(err, func(h *capi.ErrorHandle) { notifier.Notifier.Call(h, nil, nil, 0, notifier.UserArg, 0, 0) })
			return
		}
		texts, sizes := make([]*byte, len(descriptors)), make([]uintptr, len(descriptors))
		for i, d := range descriptors {
			texts[i], sizes[i] = text(d)
		}
		data, n := list(texts)
		lengths, _ := list(sizes)
		notifier.Notifier.Call(nil, data, lengths, n, notifier.UserArg, cancel.Notifier, cancel.UserArg)
	}}
	for _, e := range ends {
		e.op = op
	}
	if descriptors, err = network.describe(in.client, ends); err != nil {
		discard(ends)
		return err
	}
	r.show(ends)
	a.NumBuffers = r.n
	p.start(op, nil)
	return nil
}

// cancelReceive is what the notifier gets to cancel with.
func (p *Plugin) cancelReceive(r capi.CrossHostCancelRequest) {
	err := invalid("a transfer cannot be cancelled with the code %d, which is not that of an error", int32(r.Reason))
	if r.Reason > capi.ErrorCodeOK && r.Reason <= capi.ErrorCodeUnauthenticated {
		err = p.opts.Network.cancel(p, string(r.Descriptor), r.Reason.Errorf("%s", r.Message))
	}
	lend(err, r.Done)
}

// lend passes an error to a callback of the caller. The header does not say who destroys
// it, so the callback may do so, or not.
func lend(err error, callback func(*capi.ErrorHandle)) {
	h := serve.NewError(err)
	callback(h)
	serve.DestroyError(h)
}

// remoteCopy turns the function that copies to a remote device into one that returns
// nothing and reports errors to the caller's callback. fn is nil if the function is absent.
func (p *Plugin) remoteCopy(fn func(*capi.TransfersBufferCopyToRemoteDeviceArgs) error) func(*capi.TransfersBufferCopyToRemoteDeviceArgs) {
	return func(a *capi.TransfersBufferCopyToRemoteDeviceArgs) {
		err := capi.ErrorCodeUnimplemented.Errorf("the plugin does not implement %s", a.Function().Name)
		if fn != nil {
			err = fn(a)
		}
		if err == nil {
			return
		}
		if p.opts.Minor >= remoteCopySince {
			ready, _ := p.descriptorEvent(a)
			p.takeDescriptor(a, ready, func(string) {})
		}
		if onDone := a.OnDone; onDone.OnDone != 0 {
			lend(err, func(h *capi.ErrorHandle) { onDone.OnDone.Call(h, false, onDone.UserArg) })
		}
	}
}

func (p *Plugin) copyToRemoteDevice(a *capi.TransfersBufferCopyToRemoteDeviceArgs) error {
	if p.opts.Minor < remoteCopySince {
		return capi.ErrorCodeUnimplemented.Errorf("%s had another form before API %d.%d, which is not supported",
			a.Function().Name, capi.APIMajor, remoteCopySince)
	}
	ready, err := p.descriptorEvent(a)
	if err != nil {
		return err
	}
	e, err := p.newSender(nil, a.Buffer)
	if err != nil {
		return err
	}
	network, onDone := p.opts.Network, a.OnDone
	e.op = &Operation{p: p, function: a.Function().Name, device: e.device, run: func(err error) { network.deliver(e, err) }}
	e.tell = func(err error) {
		if onDone.OnDone == 0 {
			return
		}
		// Once there is a receiver, it learns of a failure too.
		lend(err, func(h *capi.ErrorHandle) { onDone.OnDone.Call(h, e.crossing != nil, onDone.UserArg) })
	}
	if err := network.seek(e); err != nil {
		discard([]*end{e})
		return err
	}
	p.takeDescriptor(a, ready, func(d string) { network.name(e, d) })
	p.start(e.op, []*future{ready, e.contents.ready})
	return nil
}

// descriptorEvent returns when the caller's descriptor is in its place. Callers that put it
// there first need no event.
func (p *Plugin) descriptorEvent(a *capi.TransfersBufferCopyToRemoteDeviceArgs) (*future, error) {
	if a.SerializedDescriptor == nil || a.SerializedDescriptorSize == nil {
		return nil, invalid("the place of the descriptor or of its size is null")
	}
	if a.Event == nil {
		return readyFuture(nil), nil
	}
	e, err := find[*event](p, a.Event)
	if err != nil {
		return nil, err
	}
	return e.of, nil
}

// takeDescriptor passes the caller's descriptor to use as soon as it is in its place,
// unless that failed. Then it destroys the event and frees the descriptor, which are the
// plugin's. If ready is nil, there is no telling when, and the descriptor is freed at once.
func (p *Plugin) takeDescriptor(a *capi.TransfersBufferCopyToRemoteDeviceArgs, ready *future, use func(string)) {
	h, data, size, free := a.Event, a.SerializedDescriptor, a.SerializedDescriptorSize, a.DescriptorDestructor
	if ready == nil {
		if data != nil && size != nil {
			free.Call(data, size)
		}
		return
	}
	ready.onReady(func(err error) {
		if err == nil {
			use(capi.String(*data, *size))
		}
		_ = destroy[*event](p, h, nil) // only a caller that broke the contract has destroyed it already
		free.Call(data, size)
	})
}
