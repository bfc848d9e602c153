// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package crosshost_test

import (
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// network connects two plugins, one for each of two processes of a program, through
// the extension CrossHostTransfers.
type network struct {
	mu       sync.Mutex
	ends     map[string]*transferEnds   // guarded by mu; by key or descriptor
	sent     []sentKey                  // guarded by mu; by key
	received int                        // guarded by mu; calls
	notify   error                      // guarded by mu; what the next notifier gets
	late     bool                       // guarded by mu; notifiers and sends by descriptor wait for release
	waiting  []func()                   // guarded by mu
	freed    int                        // guarded by mu; descriptors freed
	refuse   error                      // guarded by mu; what the next send by descriptor gets
	fewer    bool                       // guarded by mu; one buffer too few is made
	tasks    map[string]map[int32]int64 // guarded by mu; the incarnations of the last send and of the last receive

	hosts [2]*host
}

type sentKey struct {
	to  int32
	key int64
}

// transferEnds are the two ends of one transfer; an end that has not joined yet is nil.
type transferEnds struct {
	receiver *pendingReceive
	bytes    []byte // that were sent
	event    *capi.Event
	sender   *host
}

type pendingReceive struct {
	host     *host
	client   *capi.Client
	memory   *capi.Memory
	callback *capi.FulfillAliasBufferCallback
	typ      capi.BufferType
	dims     []int64
}

type host struct {
	net    *network
	inner  *pjrttest.Plugin
	base   *capi.Table
	served *serve.Table
	cancel capi.Handle
	call   capi.TransfersCrossHostSendCancelNotifier
	client *pjrt.Client
}

// startHosts starts both hosts; close ends them.
func startHosts(minor int) (net *network, err error) {
	net = &network{ends: make(map[string]*transferEnds)}
	for i := range net.hosts {
		h := &host{net: net}
		net.hosts[i] = h
		extension := &serve.CrossHostTransfersExtension{
			TransfersClientMakeCrossHostReceiveBuffers: h.makeReceive,
			TransfersBufferCopyToRemoteDevice:          h.copyToRemote,
			TransfersClientCrossHostReceiveBuffers:     h.receive,
			TransfersClientCrossHostSendBuffers:        h.send,
		}
		if h.served, err = (&serve.Plugin{Minor: minor, CrossHostTransfers: extension}).Serve(); err != nil {
			return nil, err
		}
		if h.inner, err = pjrttest.Start(pjrttest.Options{
			Minor: minor, Processes: 2, ProcessIndex: i, Nodes: []*capi.ExtensionBase{h.node()},
		}); err != nil {
			return nil, err
		}
		h.base = h.inner.Table()
		h.call, h.cancel = capi.NewCrossHostSendCancelNotifier(net.cancelled)
		if h.client, err = h.inner.Plugin().NewClient(context.Background(), nil); err != nil {
			return nil, err
		}
	}
	return net, nil
}

// note records which processes take part in a transfer.
func (n *network) note(what string, num uintptr, tasks *int32, incarnations *int64) {
	if num == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.tasks == nil {
		n.tasks = make(map[string]map[int32]int64)
	}
	n.tasks[what] = make(map[int32]int64)
	for i, task := range unsafe.Slice(tasks, num) {
		n.tasks[what][task] = unsafe.Slice(incarnations, num)[i]
	}
}

// minor returns the minor of the plugin's API.
func (h *host) minor() int {
	_, minor := h.base.Version()
	return minor
}

// node returns a copy of the extension's node, to be part of another chain.
func (h *host) node() *capi.ExtensionBase {
	x := h.served.Capi().Extension(capi.ExtensionTypeCrossHostTransfers)
	node := new(capi.CrossHostTransfersExtension)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(node)), x.Size), unsafe.Slice((*byte)(unsafe.Pointer(x.Node)), x.Size))
	return &node.Base
}

func (n *network) close() error {
	for _, h := range n.hosts {
		if err := h.client.Close(); err != nil {
			return err
		}
		h.cancel.Delete()
		if err := h.inner.Close(); err != nil {
			return err
		}
		if err := h.served.Close(); err != nil {
			return err
		}
	}
	return nil
}

func callOn[A any](t *capi.Table, args A) (A, error) {
	c := &capi.Call[A]{Args: args}
	err := c.Do(t)
	return c.Args, err
}

// pending makes a buffer and the promise of its contents.
func (h *host) pending(
	client *capi.Client, device *capi.Device, typ capi.BufferType, rank uintptr, dims *int64, layout *capi.BufferMemoryLayout,
) (*capi.Buffer, *pendingReceive, error) {
	m, err := callOn(h.base, capi.DeviceDefaultMemoryArgs{Device: device})
	if err != nil {
		return nil, nil, err
	}
	a, err := callOn(h.base, capi.ClientCreateAliasBufferArgs{
		Client: client, Memory: m.Memory, ShapeElementType: typ, ShapeNumDims: rank, ShapeDims: dims, ShapeLayout: layout,
	})
	if err != nil {
		return nil, nil, err
	}
	shape := append([]int64(nil), unsafe.Slice(dims, rank)...)
	return a.AliasBuffer, &pendingReceive{h, client, m.Memory, a.FulfillAliasBufferCb, typ, shape}, nil
}

// read returns the bytes of a buffer.
func (h *host) read(b *capi.Buffer) ([]byte, error) {
	args := capi.BufferToHostBufferArgs{Src: b}
	size, err := callOn(h.base, args)
	if err != nil {
		return nil, err
	}
	data := make([]byte, size.DstSize)
	args.Dst, args.DstSize = unsafe.Pointer(unsafe.SliceData(data)), size.DstSize
	done, err := callOn(h.base, args)
	if err != nil {
		return nil, err
	}
	_, err = callOn(h.base, capi.EventAwaitArgs{Event: done.Event})
	_, _ = callOn(h.base, capi.EventDestroyArgs{Event: done.Event})
	return data, err
}

// fulfill gives a pending buffer its contents, or an error.
func (r *pendingReceive) fulfill(data []byte, cause *capi.Error) error {
	a := capi.ClientFulfillAliasBufferArgs{Client: r.client, FulfillAliasBufferCb: r.callback}
	if cause != nil {
		a.StatusCode = cause.Code
		a.ErrorMessage, a.ErrorMessageSize = capi.StringData(cause.Message)
		_, err := callOn(r.host.base, a)
		return err
	}
	made, err := callOn(r.host.base, capi.ClientBufferFromHostBufferArgs{
		Client: r.client, Memory: r.memory, Type: r.typ, Data: unsafe.Pointer(unsafe.SliceData(data)),
		Dims: unsafe.SliceData(r.dims), NumDims: uintptr(len(r.dims)),
	})
	if err != nil {
		return err
	}
	_, _ = callOn(r.host.base, capi.EventDestroyArgs{Event: made.DoneWithHostBuffer})
	a.Buffer = made.Buffer
	_, err = callOn(r.host.base, a)
	_, _ = callOn(r.host.base, capi.BufferDestroyArgs{Buffer: made.Buffer})
	return err
}

// meet adds an end to a transfer, and runs the transfer once it has both ends.
func (n *network) meet(name string, come func(*transferEnds)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.ends[name]
	if e == nil {
		e = new(transferEnds)
		n.ends[name] = e
	}
	come(e)
	if e.receiver == nil || e.sender == nil {
		return nil
	}
	delete(n.ends, name)
	if err := e.receiver.fulfill(e.bytes, nil); err != nil {
		return err
	}
	if e.event == nil {
		return nil
	}
	_, err := callOn(e.sender.base, capi.EventSetArgs{Event: e.event})
	return err
}

func (h *host) send(a *capi.TransfersClientCrossHostSendBuffersArgs) error {
	h.net.note("send", a.NumTasks, a.TaskIDs, a.IncarnationIDs)
	events := unsafe.Slice(a.SendEvents, a.NumBuffers)
	for i, b := range unsafe.Slice(a.Buffers, a.NumBuffers) {
		key := unsafe.Slice(a.TransferKeys, a.NumBuffers)[i]
		h.net.mu.Lock()
		h.net.sent = append(h.net.sent, sentKey{unsafe.Slice(a.DstGlobalDeviceIDs, a.NumBuffers)[i], key})
		h.net.mu.Unlock()
		data, err := h.read(b)
		if err != nil {
			return err
		}
		event, err := callOn(h.base, capi.EventCreateArgs{})
		if err != nil {
			return err
		}
		events[i] = event.Event
		if err := h.net.meet(fmt.Sprint(key), func(e *transferEnds) { e.sender, e.bytes, e.event = h, data, event.Event }); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) receive(a *capi.TransfersClientCrossHostReceiveBuffersArgs) error {
	h.net.note("receive", a.NumTasks, a.TaskIDs, a.IncarnationIDs)
	h.net.mu.Lock()
	h.net.received++
	h.net.mu.Unlock()
	out := unsafe.Slice(a.Buffers, a.NumShapes)
	for i := range out {
		buffer, pending, err := h.pending(a.Client, a.Device, unsafe.Slice(a.ElementTypes, a.NumShapes)[i],
			unsafe.Slice(a.ShapeNumDims, a.NumShapes)[i], unsafe.Slice(a.NumDims, a.NumShapes)[i], unsafe.Slice(a.Layouts, a.NumShapes)[i])
		if err != nil {
			return err
		}
		out[i] = buffer
		key := unsafe.Slice(a.TransferKeys, a.NumShapes)[i]
		if err := h.net.meet(fmt.Sprint(key), func(e *transferEnds) { e.receiver = pending }); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) makeReceive(a *capi.TransfersClientMakeCrossHostReceiveBuffersArgs) error {
	n := a.NumShapes
	h.net.mu.Lock()
	failure, late := h.net.notify, h.net.late
	h.net.notify = nil
	if h.net.fewer {
		n--
	}
	h.net.mu.Unlock()
	out := unsafe.Slice(a.Buffers, a.NumShapes)
	var descriptors []string
	for i := range n {
		buffer, pending, err := h.pending(a.Client, a.Device, unsafe.Slice(a.ElementTypes, a.NumShapes)[i],
			unsafe.Slice(a.ShapeNumDims, a.NumShapes)[i], unsafe.Slice(a.NumDims, a.NumShapes)[i], unsafe.Slice(a.Layouts, a.NumShapes)[i])
		if err != nil {
			return err
		}
		out[i] = buffer
		name := fmt.Sprintf("descriptor\x00%p", buffer)
		descriptors = append(descriptors, name)
		if failure != nil {
			cause := serve.NewError(failure)
			_ = pending.fulfill(nil, serve.ReadError(cause))
			serve.DestroyError(cause)
		} else if err := h.net.meet(name, func(e *transferEnds) { e.receiver = pending }); err != nil {
			return err
		}
	}
	a.NumBuffers = n
	notifier, call, cancel := a.Notifier, h.call, uintptr(h.cancel)
	if h.minor() >= 116 && !a.AllowCancelNotifier {
		call, cancel = 0, 0
	}
	tell := func() {
		if failure != nil {
			e := serve.NewError(failure)
			notifier.Notifier.Call(e, nil, nil, 0, notifier.UserArg, 0, 0)
			serve.DestroyError(e)
			return
		}
		p, sizes, count := texts(descriptors...)
		notifier.Notifier.Call(nil, p, sizes, count, notifier.UserArg, call, cancel)
	}
	if !late {
		tell()
		return nil
	}
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.net.waiting = append(h.net.waiting, tell)
	return nil
}

// release lets the waiting notifiers and sends go on.
func (n *network) release() {
	n.mu.Lock()
	waiting := n.waiting
	n.waiting = nil
	n.mu.Unlock()
	for _, tell := range waiting {
		tell()
	}
}

func (n *network) cancelled(r capi.CrossHostCancelRequest) {
	n.mu.Lock()
	e := n.ends[string(r.Descriptor)]
	delete(n.ends, string(r.Descriptor))
	n.mu.Unlock()
	if e == nil {
		err := serve.NewError(&capi.Error{Code: capi.ErrorCodeNotFound, Message: "no such transfer"})
		r.Done(err)
		serve.DestroyError(err)
		return
	}
	_ = e.receiver.fulfill(nil, &capi.Error{Code: r.Reason, Message: r.Message})
	go r.Done(nil)
}

func (h *host) copyToRemote(a *capi.TransfersBufferCopyToRemoteDeviceArgs) {
	args := *a // a is valid only during the call
	h.net.mu.Lock()
	late := h.net.late
	if late {
		h.net.waiting = append(h.net.waiting, func() { h.copyNow(&args) })
	}
	h.net.mu.Unlock()
	if !late {
		h.copyNow(&args)
	}
}

func (h *host) copyNow(a *capi.TransfersBufferCopyToRemoteDeviceArgs) {
	_, _ = callOn(h.base, capi.EventAwaitArgs{Event: a.Event})
	_, _ = callOn(h.base, capi.EventDestroyArgs{Event: a.Event})
	name := string(unsafe.Slice(*a.SerializedDescriptor, *a.SerializedDescriptorSize))
	a.DescriptorDestructor.Call(a.SerializedDescriptor, a.SerializedDescriptorSize)
	h.net.mu.Lock()
	h.net.freed++
	failure := h.net.refuse
	h.net.refuse = nil
	known := h.net.ends[name] != nil
	h.net.mu.Unlock()
	if failure == nil && !known {
		failure = &capi.Error{Code: capi.ErrorCodeNotFound, Message: "the descriptor names no receiver"}
	}
	if failure != nil {
		e := serve.NewError(failure)
		a.OnDone.OnDone.Call(e, false, a.OnDone.UserArg)
		serve.DestroyError(e)
		return
	}
	data, err := h.read(a.Buffer)
	if err == nil {
		err = h.net.meet(name, func(e *transferEnds) { e.sender, e.bytes = h, data })
	}
	e := serve.NewError(err)
	a.OnDone.OnDone.Call(e, true, a.OnDone.UserArg)
	serve.DestroyError(e)
}

// texts is a list of texts in its C form.
func texts(list ...string) (**byte, *uintptr, uintptr) {
	pointers, sizes := make([]*byte, len(list)), make([]uintptr, len(list))
	for i, s := range list {
		pointers[i], sizes[i] = capi.StringData(s)
	}
	return unsafe.SliceData(pointers), unsafe.SliceData(sizes), uintptr(len(list))
}
