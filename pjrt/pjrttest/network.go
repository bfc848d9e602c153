// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// Network connects the plugins of the processes of one job, so that programs can send
// buffers from one to another with package crosshost. Each plugin gets the same Network in
// Options.Network, and its own Options.ProcessIndex. The zero value is ready to use. A
// Network must not be copied after its first use.
//
//	network := new(pjrttest.Network)
//	for i := range 2 {
//		p := pjrttest.New(t, pjrttest.Options{Network: network, Processes: 2, ProcessIndex: i})
//		...
//	}
//
// A transfer is over as soon as both processes have begun it and the array is ready. It
// ends for both with the same result. It fails if the array is an error, if the processes
// disagree about its shape, its devices or the incarnation of a process, and if an
// [Operation] of one of them fails; a process that begins it only then gets the error too.
// The operations are: each buffer that is sent or received by a key, on the plugin of its
// process; each call that makes descriptors, which ends when the caller gets them; and each
// buffer that is sent by a descriptor.
//
// When a process ends, because its plugin is closed or its last client is destroyed, the
// transfers for which others need it fail with UNAVAILABLE. So do calls that begin transfers
// with it, until it has a client again.
type Network struct {
	mu        sync.Mutex
	clients   map[*client]bool          // guarded by mu; those that take part
	left      map[int]bool              // guarded by mu; the processes that had clients, and have none now
	ends      map[*end]bool             // guarded by mu; those of transfers that are not over
	keyed     map[transferKey]*crossing // guarded by mu
	described map[string]*crossing      // guarded by mu; those that wait for a sender, by descriptor
	made      int                       // guarded by mu; descriptors
}

// transferKey names a transfer from one process to another.
type transferKey struct {
	from, to int
	key      int64
}

// crossing is a transfer between two processes, either of which may come first.
type crossing struct {
	name       string // for messages
	key        transferKey
	descriptor string // "" for a transfer by key

	from, to *end  // guarded by Network.mu; nil until they come
	err      error // guarded by Network.mu; why one end failed before the other came
}

// end is the part of one process in a transfer. The field crossing is guarded by
// Network.mu until the end is over, and constant then.
type end struct {
	crossing *crossing // nil while the receiver is not known yet
	client   *client
	sends    bool
	device   int     // id
	peer     *device // at the other end, as the client sees it; nil for transfers by descriptor
	key      int64
	in       *memory // of a receiver
	shape    pjrt.Shape
	order    order
	contents *contents       // that are sent or received; the end holds a use
	started  map[int32]int64 // the incarnations that the caller names, by process
	op       *Operation
	tell     func(error) // tells a sender's caller how the transfer ended; called once

	ready      bool   // guarded by Network.mu; the operation has run
	descriptor string // guarded by Network.mu; of a sender, once the caller has put it in its place
}

// pendingTransfer is what Live calls a transfer that is not over.
const pendingTransfer = "PJRT_Transfers transfer"

// join adds a client to the network. n may be nil.
func (n *Network) join(c *client) error {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for other := range n.clients {
		if other.process == c.process && other.p != c.p {
			return capi.ErrorCodeAlreadyExists.Errorf("another plugin of the network is process %d: give each plugin of an "+
				"Options.Network its own ProcessIndex", c.process)
		}
	}
	if n.clients == nil {
		n.clients, n.left, n.ends = make(map[*client]bool), make(map[int]bool), make(map[*end]bool)
		n.keyed, n.described = make(map[transferKey]*crossing), make(map[string]*crossing)
	}
	n.clients[c] = true
	delete(n.left, c.process)
	return nil
}

// close removes the clients of a plugin. n may be nil.
func (n *Network) close(p *Plugin) {
	if n == nil {
		return
	}
	n.mu.Lock()
	clients := slices.Collect(maps.Keys(n.clients))
	n.mu.Unlock()
	for _, c := range clients {
		if c.p == p {
			n.leave(c, "the plugin was closed")
		}
	}
}

// leave removes a client, and ends all transfers that need it. n may be nil.
func (n *Network) leave(c *client, why string) {
	if n == nil {
		return
	}
	n.mu.Lock()
	if !n.clients[c] {
		n.mu.Unlock()
		return
	}
	delete(n.clients, c)
	same := func(other *client) bool { return other.process == c.process }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(n.clients)), same) {
		n.left[c.process] = true
	}
	var own, others []*end
	for e := range n.ends {
		switch x := e.crossing; {
		case e.client == c:
			own = append(own, e)
		case e.peer != nil && n.left[e.peer.process], x != nil && x.has(c):
			others = append(others, e)
		}
	}
	for _, e := range slices.Concat(own, others) {
		delete(n.ends, e)
		if e.crossing != nil {
			n.forget(e.crossing)
		}
	}
	maps.DeleteFunc(n.keyed, func(k transferKey, _ *crossing) bool { return n.left[k.from] || n.left[k.to] })
	n.mu.Unlock()
	finish(own, capi.ErrorCodeCancelled.Errorf("%s", why))
	finish(others, capi.ErrorCodeUnavailable.Errorf("process %d has left the transfer: %s", c.process, why))
}

// has reports whether one end of the transfer belongs to the client.
//
// Precondition: Network.mu is held.
func (x *crossing) has(c *client) bool {
	return x.from != nil && x.from.client == c || x.to != nil && x.to.client == c
}

// forget removes a transfer, so that its name is free for another one.
//
// Precondition: n.mu is held.
func (n *Network) forget(x *crossing) {
	if n.keyed[x.key] == x {
		delete(n.keyed, x.key)
	}
	delete(n.described, x.descriptor)
}

// add counts the ends of one call of a client, which is an error if the client has left.
//
// Precondition: n.mu is held.
func (n *Network) add(c *client, ends ...*end) error {
	if !n.clients[c] {
		return capi.ErrorCodeFailedPrecondition.Errorf("the client cannot take part in transfers: its plugin was closed")
	}
	for _, e := range ends {
		n.ends[e] = true
		c.p.count(pendingTransfer, 1)
	}
	return nil
}

// meet adds the ends of one call to the transfers with their keys. If it returns an error,
// it has added none.
func (n *Network) meet(c *client, ends []*end) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	given := make(map[transferKey]bool)
	for _, e := range ends {
		k := e.transferKey()
		x := n.keyed[k]
		switch {
		case n.left[e.peer.process]:
			return capi.ErrorCodeUnavailable.Errorf("process %d has ended: it has no client any more", e.peer.process)
		case given[k], x != nil && e.sends && x.from != nil, x != nil && !e.sends && x.to != nil:
			return invalid("there is already a transfer with the key %d from process %d to process %d", k.key, k.from, k.to)
		}
		given[k] = true
	}
	if err := n.add(c, ends...); err != nil {
		return err
	}
	for _, e := range ends {
		k := e.transferKey()
		x := n.keyed[k]
		if x == nil {
			x = &crossing{key: k, name: fmt.Sprintf("the transfer with the key %d from process %d to process %d", k.key, k.from, k.to)}
			n.keyed[k] = x
		}
		if e.crossing = x; e.sends {
			x.from = e
		} else {
			x.to = e
		}
	}
	return nil
}

func (e *end) transferKey() transferKey {
	if e.sends {
		return transferKey{e.client.process, e.peer.process, e.key}
	}
	return transferKey{e.peer.process, e.client.process, e.key}
}

// describe adds the receiving ends of one call, and returns a descriptor for each.
func (n *Network) describe(c *client, ends []*end) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.add(c, ends...); err != nil {
		return nil, err
	}
	list := make([]string, len(ends))
	for i, e := range ends {
		// The zero byte finds programs that take a descriptor for a text.
		list[i] = fmt.Sprintf("pjrttest\x00%d", n.made)
		n.made++
		e.crossing = &crossing{
			name: fmt.Sprintf("the transfer to process %d by a descriptor", c.process), descriptor: list[i], to: e,
		}
		n.described[list[i]] = e.crossing
	}
	return list, nil
}

// seek adds a sender by descriptor.
func (n *Network) seek(e *end) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.add(e.client, e)
}

// name sets the descriptor of a sender.
func (n *Network) name(e *end, descriptor string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	e.descriptor = descriptor
}

// waiting returns the transfer of a receiver that waits for its sender, by descriptor.
//
// Precondition: n.mu is held.
func (n *Network) waiting(descriptor string) (*crossing, error) {
	// Before the notifier has got the descriptor, no sender can know it.
	if x := n.described[descriptor]; x != nil && x.to.ready {
		return x, nil
	}
	return nil, capi.ErrorCodeNotFound.Errorf("the descriptor %.40q names no buffer that waits for its sender", descriptor)
}

// deliver notes that the operation of a sender by descriptor has run, with err. The
// receiver gets the data, or err if it is not nil.
func (n *Network) deliver(e *end, err error) {
	n.mu.Lock()
	if !n.ends[e] { // it is over already
		n.mu.Unlock()
		return
	}
	x, refused := n.waiting(e.descriptor)
	if refused == nil && x.to.client.process == e.client.process {
		refused = invalid("the receiver is this process itself, process %d: copy the buffer instead", e.client.process)
	}
	if refused != nil {
		if err == nil {
			err = refused
		}
		delete(n.ends, e)
		n.mu.Unlock()
		finish([]*end{e}, err)
		return
	}
	n.forget(x)
	e.crossing, x.from = x, e
	n.mu.Unlock()
	n.arrive(e, err)
}

// arrive notes that the operation of an end has run, with err. If the other end is ready
// too, or if err is not nil, the transfer ends.
func (n *Network) arrive(e *end, err error) {
	n.mu.Lock()
	if !n.ends[e] { // it is over already
		n.mu.Unlock()
		return
	}
	x := e.crossing
	e.ready = true
	if err == nil {
		err = x.err
	}
	if err == nil {
		if x.from == nil || x.to == nil || !x.from.ready || !x.to.ready {
			n.mu.Unlock()
			return
		}
		err = x.mismatch()
	}
	over := n.end(x, err)
	n.mu.Unlock()
	if err == nil {
		x.move()
	}
	finish(over, err)
}

// end ends a transfer, and returns the ends that were not over. If only one has come, the
// other one will get err.
//
// Precondition: n.mu is held.
func (n *Network) end(x *crossing, err error) []*end {
	var over []*end
	for _, e := range []*end{x.to, x.from} {
		if e != nil && n.ends[e] {
			delete(n.ends, e)
			over = append(over, e)
		}
	}
	x.err = err
	if x.descriptor != "" || x.from != nil && x.to != nil {
		n.forget(x)
	}
	return over
}

// cancel makes a buffer of the plugin that waits for its sender fail with reason.
func (n *Network) cancel(p *Plugin, descriptor string, reason error) error {
	n.mu.Lock()
	x, err := n.waiting(descriptor)
	if err == nil && x.to.client.p != p {
		err = invalid("the descriptor was made by another process, process %d", x.to.client.process)
	}
	if err != nil {
		n.mu.Unlock()
		return err
	}
	over := n.end(x, reason)
	n.mu.Unlock()
	finish(over, reason)
	return nil
}

// finish tells the callers that transfers are over. Operations that have not run, because
// the test holds them or because their inputs are not ready, are over too.
//
// Precondition: Network.mu is not held, and the ends are no longer in Network.ends.
func finish(ends []*end, err error) {
	for _, e := range ends {
		e.client.p.count(pendingTransfer, -1)
		if e.sends {
			e.contents.release()
			e.tell(err)
		} else {
			e.contents.end(err)
		}
	}
	for _, e := range ends {
		if err != nil {
			e.op.abort(err)
		}
	}
}

// mismatch returns an error if the two ends disagree.
func (x *crossing) mismatch() error {
	from, to := x.from, x.to
	if from.peer != nil && (from.peer.id != to.device || to.peer.id != from.device) {
		return invalid("%s: the sender sends from device %d to device %d, but the receiver receives from device %d on device %d",
			x.name, from.device, from.peer.id, to.peer.id, to.device)
	}
	if !from.shape.Equal(to.shape) {
		return invalid("%s: the sender sends %v, but the receiver receives %v", x.name, from.shape, to.shape)
	}
	for _, process := range slices.Sorted(maps.Keys(from.started)) {
		sender := from.started[process]
		if receiver, ok := to.started[process]; ok && receiver != sender {
			return capi.ErrorCodeFailedPrecondition.Errorf("%s: process %d is of incarnation %d for the sender, but of incarnation %d "+
				"for the receiver",
				x.name, process, sender, receiver)
		}
	}
	return nil
}

// move copies the array.
func (x *crossing) move() {
	src, dst := x.from.contents.data, x.to.contents.data
	if slices.Equal(x.from.order, x.to.order) {
		copy(dst.bytes, src.bytes)
		return
	}
	a := src.array(x.from.shape, x.from.order)
	toDevice(dst.bytes, x.to.order, strided{span{bytes: a.Data}, rowMajor(len(a.Dims)).strides(a.Shape())}, a.Shape())
}
