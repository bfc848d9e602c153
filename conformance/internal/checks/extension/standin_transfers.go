// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// network moves buffers from one client of a plugin to another. Clients that are made as
// node i of a job have device ids of their own.
type network struct {
	flaws
	mu       sync.Mutex
	changed  *sync.Cond
	nodes    map[*capi.DeviceDescription]int32 // guarded by mu
	ids      map[*capi.Client]map[int32]bool   // guarded by mu; of devices
	arrivals map[string]*arrival               // guarded by mu; by key or descriptor
	made     int                               // guarded by mu; descriptors
}

// arrival is a buffer whose data have not arrived yet.
type arrival struct {
	manager *capi.AsyncHostToDeviceTransferManager
	empty   bool
}

// idsPerNode is the difference between the device ids of two nodes.
const idsPerNode = 100

func newNetwork(f flaws) *network {
	n := &network{
		flaws: f, nodes: make(map[*capi.DeviceDescription]int32), ids: make(map[*capi.Client]map[int32]bool),
		arrivals: make(map[string]*arrival),
	}
	n.changed = sync.NewCond(&n.mu)
	return n
}

func (n *network) hooks() []serve.Hook {
	return []serve.Hook{
		serve.Around(n.create),
		mutant.Then(func(a *capi.DeviceDescriptionIDArgs) {
			n.mu.Lock()
			defer n.mu.Unlock()
			a.ID += idsPerNode * n.nodes[a.DeviceDescription]
		}),
		serve.Around(func(c *serve.Invocation, a *capi.TransfersClientCrossHostSendBuffersArgs) {
			if !n.takesItself && n.own(a.Client, capi.Slice(a.DstGlobalDeviceIDs, a.NumBuffers)) {
				c.Fail(capi.ErrorCodeInvalidArgument, "the receiver is the client itself")
				return
			}
			events, keys := mutant.View(a.SendEvents, a.NumBuffers), capi.Slice(a.TransferKeys, a.NumBuffers)
			for i, b := range capi.Slice(a.Buffers, a.NumBuffers) {
				ready, err := mutant.Try(c.Table(), capi.BufferReadyEventArgs{Buffer: b})
				if err != nil {
					c.FailWith(err)
					return
				}
				events[i] = ready.Event
				go n.deliver(c.Table(), b, fmt.Sprint(keys[i]))
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.TransfersClientCrossHostReceiveBuffersArgs) {
			if !n.takesItself && n.own(a.Client, capi.Slice(a.SrcGlobalDeviceIDs, a.NumShapes)) {
				c.Fail(capi.ErrorCodeInvalidArgument, "the sender is the client itself")
				return
			}
			keys := capi.Slice(a.TransferKeys, a.NumShapes)
			c.FailWith(n.expect(c.Table(), a.Client, a.Device, shapesOf(a.NumDims, a.ShapeNumDims, a.ElementTypes, a.NumShapes), a.Buffers,
				func(i int) string { return fmt.Sprint(keys[i]) }))
		}),
		serve.Around(n.describe),
		serve.Around(n.copyRemote),
	}
}

// create makes a client without the options about nodes, and remembers its node.
func (n *network) create(c *serve.Invocation, a *capi.ClientCreateArgs) {
	options := capi.Attributes(a.CreateOptions, a.NumOptions)
	node, was := int32(0), a.NumOptions
	for i, o := range slices.Backward(options) {
		if o.Name == "node_id" {
			id, _ := o.Value.(int64)
			node = int32(id)
		}
		if o.Name == "node_id" || o.Name == "num_nodes" {
			a.NumOptions = uintptr(i) // these options come last
		}
	}
	c.Forward()
	if a.NumOptions = was; c.Err() != nil {
		return
	}
	devices, err := mutant.Try(c.Table(), capi.ClientAddressableDevicesArgs{Client: a.Client})
	if err != nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ids[a.Client] = make(map[int32]bool)
	for _, d := range capi.Slice(devices.AddressableDevices, devices.NumAddressableDevices) {
		description, err := mutant.Try(c.Table(), capi.DeviceGetDescriptionArgs{Device: d})
		id, e := mutant.Try(c.Table(), capi.DeviceDescriptionIDArgs{DeviceDescription: description.DeviceDescription})
		if errors.Join(err, e) == nil {
			n.nodes[description.DeviceDescription] = node
			n.ids[a.Client][id.ID+idsPerNode*node] = true
		}
	}
}

// own reports whether one of the devices is the client's.
func (n *network) own(client *capi.Client, ids []int32) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(ids, func(id int32) bool { return n.ids[client][id] })
}

// shapesOf returns the shapes of a receive.
func shapesOf(dims **int64, ranks *uintptr, types *capi.BufferType, count uintptr) []capi.ShapeSpec {
	var list []capi.ShapeSpec
	lengths, kinds := capi.Slice(ranks, count), capi.Slice(types, count)
	for i, d := range capi.Slice(dims, count) {
		list = append(list, capi.ShapeSpec{StructSize: capi.ShapeSpecSize, Dims: d, NumDims: lengths[i], ElementType: kinds[i]})
	}
	return list
}

// expect makes buffers that wait for data under names.
func (n *network) expect(table *capi.Table, client *capi.Client, device *capi.Device, shapes []capi.ShapeSpec, buffers **capi.Buffer,
	name func(int) string) error {
	memory, err := mutant.Try(table, capi.DeviceDefaultMemoryArgs{Device: device})
	if err != nil {
		return err
	}
	for i := range shapes {
		manager, err := mutant.Try(table, capi.ClientCreateBuffersForAsyncHostToDeviceArgs{Client: client, ShapeSpecs: &shapes[i],
			NumShapeSpecs: 1, Memory: memory.Memory})
		if err != nil {
			return err
		}
		b, err := mutant.Try(table, capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: manager.TransferManager})
		if err != nil {
			return err
		}
		mutant.View(buffers, uintptr(len(shapes)))[i] = b.BufferOut
		n.mu.Lock()
		n.arrivals[name(i)] = &arrival{manager.TransferManager, slices.Contains(capi.Slice(shapes[i].Dims, shapes[i].NumDims), 0)}
		n.changed.Broadcast()
		n.mu.Unlock()
	}
	return nil
}

// take waits for a receiver and removes it. If two wait, only one gets it.
func (n *network) take(name string) *arrival {
	n.mu.Lock()
	defer n.mu.Unlock()
	for {
		if a := n.arrivals[name]; a != nil {
			delete(n.arrivals, name)
			return a
		}
		n.changed.Wait()
	}
}

// deliver passes a buffer, or its error, to the receiver that waits under a name.
func (n *network) deliver(table *capi.Table, b *capi.Buffer, name string) {
	data, err := contents(table, b)
	a := n.take(name)
	switch {
	case err != nil && n.losesSendErrors, a.empty && n.losesEmpty:
		return
	case err != nil:
		failTo(table, a, capi.CodeOf(err), err.Error())
	default:
		out, err := mutant.Try(table, capi.AsyncHostToDeviceTransferManagerTransferDataArgs{
			TransferManager: a.manager, Data: check.Pointer(data), TransferSize: int64(len(data)), IsLastTransfer: true,
		})
		if err == nil && out.DoneWithH2dTransfer != nil {
			_ = mutant.Finish(table, out.DoneWithH2dTransfer)
		}
		runtime.KeepAlive(data)
	}
	_, _ = mutant.Try(table, capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: a.manager})
}

// failTo makes a receiver's buffer an error.
func failTo(table *capi.Table, a *arrival, code capi.ErrorCode, message string) {
	args := capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs{TransferManager: a.manager, ErrorCode: code}
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData(message)
	_, _ = mutant.Try(table, args)
}

// contents returns the bytes of a buffer.
func contents(table *capi.Table, b *capi.Buffer) ([]byte, error) {
	ready, err := mutant.Try(table, capi.BufferReadyEventArgs{Buffer: b})
	if err == nil {
		err = mutant.Finish(table, ready.Event)
	}
	if err != nil {
		return nil, err
	}
	size, err := mutant.Try(table, capi.BufferToHostBufferArgs{Src: b})
	if err != nil || size.DstSize == 0 {
		return nil, err
	}
	data := make([]byte, size.DstSize)
	out, err := mutant.Try(table, capi.BufferToHostBufferArgs{Src: b, Dst: check.Pointer(data), DstSize: size.DstSize})
	if err != nil {
		return nil, err
	}
	return data, mutant.Finish(table, out.Event)
}

// describe makes buffers that wait for the senders of descriptors.
func (n *network) describe(c *serve.Invocation, a *capi.TransfersClientMakeCrossHostReceiveBuffersArgs) {
	table := c.Table()
	n.mu.Lock()
	first := n.made
	n.made += int(a.NumShapes)
	n.mu.Unlock()
	name := func(i int) string { return fmt.Sprintf("descriptor %d", first+i) }
	if err := n.expect(table, a.Client, a.Device, shapesOf(a.NumDims, a.ShapeNumDims, a.ElementTypes, a.NumShapes), a.Buffers,
		name); err != nil {
		c.FailWith(err)
		return
	}
	a.NumBuffers = a.NumShapes
	notify, count, mayCancel := a.Notifier, a.NumShapes, a.AllowCancelNotifier
	cancel, arg := capi.NewCrossHostSendCancelNotifier(func(r capi.CrossHostCancelRequest) {
		names := []string{string(r.Descriptor)}
		for i := range int(count) {
			if other := name(i); n.cancelsAll && other != names[0] {
				names = append(names, other)
			}
		}
		for _, x := range names {
			if a := n.take(x); mayCancel && !n.deafCancel {
				failTo(table, a, r.Reason, r.Message)
			}
		}
		r.Done(nil)
	})
	go func() {
		list, sizes := make([]*byte, count), make([]uintptr, count)
		for i := range list {
			list[i], sizes[i] = capi.StringData(name(i))
		}
		d, _ := check.First(list)
		s, _ := check.First(sizes)
		notify.Notifier.Call(nil, d, s, count, notify.UserArg, cancel, uintptr(arg))
	}()
}

// copyRemote sends to the receiver that a descriptor names.
func (n *network) copyRemote(c *serve.Invocation, a *capi.TransfersBufferCopyToRemoteDeviceArgs) {
	table, args := c.Table(), *a
	go func() {
		if args.Event != nil {
			_ = mutant.Finish(table, args.Event)
		}
		name := capi.String(*args.SerializedDescriptor, *args.SerializedDescriptorSize)
		for range n.destroys + 1 {
			args.DescriptorDestructor.Call(args.SerializedDescriptor, args.SerializedDescriptorSize)
		}
		_, err := contents(table, args.Buffer)
		n.deliver(table, args.Buffer, name)
		if err != nil && !n.forgetsFailure {
			args.OnDone.OnDone.Call(serve.NewError(err), false, args.OnDone.UserArg)
			return
		}
		args.OnDone.OnDone.Call(nil, true, args.OnDone.UserArg)
	}()
}
