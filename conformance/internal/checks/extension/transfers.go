// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// ends are two clients of one job, both in this process: the plugin does not care where the
// other client is.
type ends struct {
	from, to *end
	received bool // by keys, at least once
}

// end is a client and its device that sends or receives.
type end struct {
	client   *check.Client
	device   *capi.Device
	id       int32 // of the device, in the job
	hardware int32
}

// twoEnds makes two clients. It skips the check if two clients of one job cannot live in
// one process, or if they share hardware, which would have to talk to itself.
func twoEnds(t *check.T) *ends {
	store := check.NewStore(t)
	clients, errs := make([]*capi.Client, 2), make([]error, 2)
	var wg sync.WaitGroup
	for node := range clients {
		wg.Go(func() { clients[node], errs[node] = store.CreateClient(node, len(clients)) })
	}
	wg.Wait()
	for node, err := range errs {
		check.Own(t, clients[node])
		if err != nil {
			t.SkipEnvf("client %d of a job of two cannot be made next to the other one in this process: %v", node, err)
		}
	}
	of := func(node int) []*end {
		var list []*end
		c := t.Describe(clients[node])
		for _, d := range c.Devices {
			hardware := check.Call(t, capi.DeviceLocalHardwareIDArgs{Device: d}).LocalHardwareID
			list = append(list, &end{client: c, device: d, id: t.DeviceID(d), hardware: hardware})
		}
		return list
	}
	senders, receivers := of(0), of(1)
	name := t.PlatformOf(clients[0])
	for _, from := range senders {
		for _, to := range receivers {
			if from.id != to.id && (from.hardware != to.hardware || name == "cpu") {
				return &ends{from: from, to: to}
			}
		}
	}
	t.SkipEnvf("two clients of one job in this process have the same devices, so nothing can be sent from one to the other")
	panic("unreachable")
}

// newArray makes an array of numbers from base on, which no other array of the check has.
func newArray(base int, dims ...int64) check.HostArray {
	data := make([]float32, check.Elements(dims...))
	for i := range data {
		data[i] = float32(base + i)
	}
	return check.HostArray{Type: dtype.F32, Dims: dims, Data: dtype.Bytes(data)}
}

// upload puts an array on the device of an end.
func (e *end) upload(t *check.T, a check.HostArray) *capi.Buffer {
	b, err := e.tryUpload(t, a)
	if err != nil {
		t.Fatalf("uploading %v: expected success, got %v", a, err)
	}
	return b
}

func (e *end) tryUpload(t *check.T, a check.HostArray) (*capi.Buffer, error) {
	args := check.HostArgs(e.client, a.Data, a.Dims...)
	args.Type, args.Device = capi.BufferType(a.Type), e.device
	return t.TryUpload(args)
}

// others returns arrays of every rank and of types of every width that the device takes, with
// elements: each list is one transfer.
func (e *end) others(t *check.T) [][]check.HostArray {
	var all []check.HostArray
	for a := range t.Shaped() {
		if len(a.Data) > 0 && !a.Type.IsSubByte() {
			all = append(all, a)
		}
	}
	for i, n := range []int64{63, 65, 1025, 4097} {
		all = append(all, check.HostArrayOf(check.Width(i), uint64(i), n), check.HostArrayOf(dtype.F32, uint64(i), n))
	}
	all = slices.DeleteFunc(all, func(a check.HostArray) bool {
		b, err := e.tryUpload(t, a)
		if err == nil {
			check.Destroy(t, b)
		}
		return err != nil
	})
	return slices.Collect(slices.Chunk(all, 9))
}

// shapes holds the fields of args that describe what is received.
type shapes struct {
	ranks   *uintptr
	dims    **int64
	types   *capi.BufferType
	layouts **capi.BufferMemoryLayout
	buffers []*capi.Buffer
}

func newShapes(list []check.HostArray) shapes {
	dims, ranks := make([]*int64, len(list)), make([]uintptr, len(list))
	types, layouts := make([]capi.BufferType, len(list)), make([]*capi.BufferMemoryLayout, len(list))
	for i, a := range list {
		dims[i], ranks[i] = check.First(a.Dims)
		types[i] = capi.BufferType(a.Type)
	}
	s := shapes{buffers: make([]*capi.Buffer, len(list))}
	s.ranks, _ = check.First(ranks)
	s.dims, _ = check.First(dims)
	s.types, _ = check.First(types)
	s.layouts, _ = check.First(layouts)
	return s
}

// send sends arrays under keys and returns the events.
func (e *end) send(t *check.T, buffers []*capi.Buffer, to []int32, keys []int64) ([]*capi.Event, error) {
	args := capi.TransfersClientCrossHostSendBuffersArgs{Client: e.client.Handle}
	args.Buffers, args.NumBuffers = check.First(buffers)
	args.DstGlobalDeviceIDs, _ = check.First(to)
	args.TransferKeys, _ = check.First(keys)
	events := make([]*capi.Event, len(buffers))
	args.SendEvents, _ = check.First(events)
	_, err := check.Try(t, args)
	for _, e := range events {
		check.Own(t, e)
	}
	return events, err
}

// receive makes buffers for arrays that arrive under keys.
func (e *end) receive(t *check.T, list []check.HostArray, from []int32, keys []int64) ([]*capi.Buffer, error) {
	s := newShapes(list)
	args := capi.TransfersClientCrossHostReceiveBuffersArgs{
		Client: e.client.Handle, Device: e.device, NumShapes: uintptr(len(list)),
		ShapeNumDims: s.ranks, NumDims: s.dims, ElementTypes: s.types, Layouts: s.layouts,
	}
	args.SrcGlobalDeviceIDs, _ = check.First(from)
	args.TransferKeys, _ = check.First(keys)
	args.Buffers, _ = check.First(s.buffers)
	_, err := check.Try(t, args)
	for _, b := range s.buffers {
		check.Own(t, b)
	}
	return s.buffers, err
}

// describe makes buffers for arrays that arrive by descriptors, and waits until the
// notifier has reported these.
func (e *end) describe(t *check.T, list []check.HostArray) ([]*capi.Buffer, capi.CrossHostReceive) {
	type told struct {
		capi.CrossHostReceive
		failed bool
	}
	notified := make(chan told, 2)
	notifier, _ := capi.NewCrossHostRecvNotifier(func(r capi.CrossHostReceive) {
		for i := range r.Descriptors {
			r.Descriptors[i] = slices.Clone(r.Descriptors[i])
		}
		notified <- told{r, r.Err != nil}
	})
	s := newShapes(list)
	args := capi.TransfersClientMakeCrossHostReceiveBuffersArgs{
		Client: e.client.Handle, Device: e.device, Notifier: notifier, NumShapes: uintptr(len(list)),
		ShapeNumDims: s.ranks, NumDims: s.dims, ElementTypes: s.types, Layouts: s.layouts,
		AllowCancelNotifier: t.Minor() >= allowMinor,
	}
	args.Buffers, _ = check.First(s.buffers)
	out := check.Optional(t, args)
	check.Equal(t, uintptr(len(list)), out.NumBuffers, "num_buffers of a receive by descriptors")
	for _, b := range s.buffers {
		check.Own(t, b)
	}
	r := await(t, notified, "the notifier of a receive")
	if r.failed {
		t.Fatalf("the notifier of a receive got an error")
	}
	if len(r.Descriptors) != len(list) {
		t.Fatalf("a receive of %d buffers: expected a descriptor for each, got %d", len(list), len(r.Descriptors))
	}
	return s.buffers, r.CrossHostReceive
}

// await waits for a callback until the check's time is up.
func await[E any](t *check.T, c <-chan E, what string) E {
	select {
	case v := <-c:
		return v
	case <-t.Context().Done():
		t.Fatalf("%s was not called before the check's time was up", what)
		panic("unreachable")
	}
}

// allowMinor is the minor version of the API that added the field with which a receiver
// says that it may cancel.
const allowMinor = 116

// destructorMinor is the minor version of the API that added a destructor to descriptors.
const destructorMinor = 104

// sent is what on_done reported.
type sent struct {
	failed, enqueued bool
}

// sendTo sends a buffer to the receiver of a descriptor and waits for on_done. If the
// plugin can wait for the descriptor, sendTo sets it only after the call has returned.
// times counts the calls of the descriptor's destructor.
func (e *end) sendTo(t *check.T, b *capi.Buffer, descriptor []byte, times *int) sent {
	done := make(chan sent, 2)
	d := capi.NewCrossHostDescriptor()
	args := capi.TransfersBufferCopyToRemoteDeviceArgs{Buffer: b}
	args.OnDone, _ = capi.NewCrossHostRemoteSendCallback(func(h *capi.ErrorHandle, enqueued bool) { done <- sent{h != nil, enqueued} })
	d.Fields(&args)
	if t.Minor() >= destructorMinor {
		args.DescriptorDestructor = counted(times, args.DescriptorDestructor)
	} else {
		args.DescriptorDestructor = 0
		t.Cleanup(d.Delete)
	}
	if t.Minor() >= 90 && t.Table().Lacks(check.FunctionOf[capi.EventCreateArgs]()) == nil {
		args.Event = check.Optional(t, capi.EventCreateArgs{}).Event // the plugin's from now on
	} else {
		d.Set(descriptor)
	}
	check.Call(t, args)
	if args.Event != nil {
		d.Set(descriptor)
		check.Optional(t, capi.EventSetArgs{Event: args.Event})
	}
	return await(t, done, "on_done of a copy to a remote device")
}

// expectArray compares a buffer that was received.
func expectArray(t *check.T, b *capi.Buffer, want check.HostArray, what string) {
	if b == nil {
		t.Fatalf("%s: success without a buffer", what)
	}
	if err := t.Await(t.Ready(b)); err != nil {
		t.Errorf("%s: expected the ready event to succeed, got %v", what, err)
		return
	}
	check.Equal(t, fmt.Sprint(want.Dims), fmt.Sprint(t.Dimensions(b)), "dimensions of %s", what)
	check.Equal(t, capi.BufferType(want.Type), t.ElementType(b), "type of %s", what)
	if t.Failed() {
		return
	}
	if got, size := t.Download(b), want.Type.Size(); !want.Equals(got) {
		at := max(check.DiffersAt(want.Data, got), 0) / size * size
		t.Errorf("%s: element %d: expected the bytes % x, got % x", what, at/size, want.Data[at:min(at+size, len(want.Data))],
			got[min(at, len(got)):min(at+size, len(got))])
	}
}

// across sends arrays from one end to the other under keys, which the receiver lists in
// another order, and compares what arrives. Only the first receive may fail, which skips the check,
// and one of types for which the plugin says UNIMPLEMENTED.
func (x *ends) across(t *check.T, list []check.HostArray) {
	n := len(list)
	buffers, to, from := make([]*capi.Buffer, n), make([]int32, n), make([]int32, n)
	keys := make([]int64, n)
	for i, a := range list {
		buffers[i], to[i], from[i], keys[i] = x.from.upload(t, a), x.to.id, x.from.id, number.Add(1)<<33+7
	}
	others, back := make([]check.HostArray, n), make([]int64, n)
	for i := range list {
		others[n-1-i], back[n-1-i] = list[i], keys[i]
	}
	received, err := x.to.receive(t, others, from, back)
	switch {
	case err != nil && !x.received:
		t.SkipUnimplf("the plugin does not receive by keys: %v", err)
	case capi.CodeOf(err) == capi.ErrorCodeUnimplemented:
		t.Notef("receiving %v is refused: %v", others, err)
		return
	case err != nil:
		t.Fatalf("receiving %v: expected success as before, got %v", others, err)
	}
	x.received = true
	events, err := x.from.send(t, buffers, to, keys)
	if err != nil {
		t.Fatalf("sending %d buffers to another client: expected success, got %v", n, err)
	}
	for i, e := range events {
		t.NoError(t.Await(e), "the event of sending buffer %d of %d", i, n)
	}
	for i, b := range received {
		expectArray(t, b, others[i], fmt.Sprintf("%v, received as number %d of %d", others[i], i, n))
	}
}

// transferLimit is how long a check may run. It is short, because a faulty plugin may keep a
// check waiting.
const transferLimit = 15 * time.Second

var transferChecks = []check.Check{
	{Rule: "XXHT-01", Timeout: transferLimit, Hostile: true, Run: func(t *check.T) {
		x := twoEnds(t)
		x.across(t, []check.HostArray{newArray(1, 4)})
		x.across(t, []check.HostArray{newArray(100, 4), newArray(200, 4), newArray(300, 2, 3)})
		for _, list := range check.Each(t, x.from.others(t)) {
			x.across(t, list)
		}
	}},
	{Rule: "XXHT-02", Timeout: transferLimit, Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		for i, d := range c.Devices {
			// The receiver may be neither the device itself nor another one of the client.
			self := &end{client: c, device: c.Devices[0]}
			id := t.DeviceID(d)
			b := self.upload(t, newArray(1, 4))
			events, err := self.send(t, []*capi.Buffer{b}, []int32{id}, []int64{number.Add(1)})
			if err == nil && events[0] != nil {
				err = t.Await(events[0])
			}
			if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
				t.SkipUnimplf("%v", err)
			}
			t.ErrorCode(err, fmt.Sprintf("sending a buffer of device 0 to device %d of the same client", i))
			buffers, err := self.receive(t, []check.HostArray{newArray(1, 4)}, []int32{id}, []int64{number.Add(1)})
			if err == nil && buffers[0] != nil {
				err = t.Await(t.Ready(buffers[0]))
			}
			t.ErrorCode(err, fmt.Sprintf("receiving on device 0 from device %d of the same client", i))
		}
	}},
	{Rule: "XXHT-03", Timeout: transferLimit, Hostile: true, Run: func(t *check.T) {
		x := twoEnds(t)
		list := []check.HostArray{newArray(1, 4), newArray(100, 2, 3)}
		received, r := x.to.describe(t, list)
		for i := range list {
			told := x.from.sendTo(t, x.from.upload(t, list[i]), r.Descriptors[i], new(int))
			check.Equal(t, sent{enqueued: true}, told, "the arguments of on_done for buffer %d", i)
		}
		for i := range list {
			expectArray(t, received[i], list[i], fmt.Sprintf("buffer %d, received by its descriptor", i))
		}
		// Descriptors of several receives, which are sent to in another order.
		if t.Failed() {
			return
		}
		lists := x.from.others(t)[:2]
		var buffers [][]*capi.Buffer
		var told []capi.CrossHostReceive
		for _, list := range lists {
			b, r := x.to.describe(t, list)
			buffers, told = append(buffers, b), append(told, r)
		}
		for _, k := range []int{1, 0} {
			for i, a := range slices.Backward(lists[k]) {
				check.Equal(t, sent{enqueued: true}, x.from.sendTo(t, x.from.upload(t, a), told[k].Descriptors[i], new(int)),
					"the arguments of on_done for buffer %d of receive %d", i, k)
			}
		}
		for k, list := range lists {
			for i, a := range list {
				expectArray(t, buffers[k][i], a, fmt.Sprintf("buffer %d of receive %d, %v, received by its descriptor", i, k, a))
			}
		}
	}},
	{Rule: "XXHT-03", Variant: "cancel", Timeout: transferLimit, Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		buffers, r := (&end{client: c, device: c.Devices[0]}).describe(t, []check.HostArray{newArray(1, 4), newArray(1, 4)})
		cancel := func(i int) {
			done := make(chan struct{}, 2)
			if !r.Cancel.Cancel(r.Descriptors[i], capi.ErrorCodeCancelled, "on purpose", func(*capi.ErrorHandle) { done <- struct{}{} }) {
				t.Fatalf("the receive cannot be cancelled")
			}
			await(t, done, "the callback of a cancelled receive")
			t.ErrorCode(t.Await(t.Ready(buffers[i])), "the ready event of a cancelled receive", capi.ErrorCodeCancelled)
		}
		cancel(1)
		check.Equal(t, false, t.IsReady(t.Ready(buffers[0])),
			"is_ready of a buffer that nobody sent, after the receive of another one was cancelled")
		cancel(0)
	}},
	{Rule: "XXHT-04", Timeout: transferLimit, Hostile: true, Run: func(t *check.T) {
		x := twoEnds(t)
		received, r := x.to.describe(t, []check.HostArray{newArray(1, 4)})
		p := t.NewPending(x.from.client, 4)
		p.Fail(capi.ErrorCodeDataLoss, "lost on purpose")
		if s := x.from.sendTo(t, p.Buffer, r.Descriptors[0], new(int)); !s.failed {
			t.Errorf("on_done of a buffer that is an error: expected an error, got %+v", s)
		}
		t.ErrorCode(t.Await(t.Ready(received[0])), "the ready event of a buffer whose source is an error")
	}},
	{Rule: "XXHT-05", Timeout: transferLimit, Hostile: true, Run: func(t *check.T) {
		if t.Minor() < destructorMinor {
			t.SkipAbsentf("descriptors have a destructor since API 0.%d, but the plugin has 0.%d", destructorMinor, t.Minor())
		}
		x := twoEnds(t)
		received, r := x.to.describe(t, []check.HostArray{newArray(1, 4)})
		times := new(int)
		x.from.sendTo(t, x.from.upload(t, newArray(1, 4)), r.Descriptors[0], times)
		expectArray(t, received[0], newArray(1, 4), "the buffer that was sent")
		for destroyed(times) == 0 {
			select {
			case <-time.After(time.Millisecond):
			case <-t.Context().Done():
				t.Fatalf("the destructor of the descriptor was not called before the check's time was up")
			}
		}
		check.Equal(t, 1, destroyed(times), "calls of the destructor of the descriptor")
	}},
	{Rule: "XXHT-06", Timeout: transferLimit, Hostile: true, Run: func(t *check.T) {
		x := twoEnds(t)
		received, r := x.to.describe(t, []check.HostArray{newArray(1, 0)})
		s := x.from.sendTo(t, x.from.upload(t, newArray(1, 0)), r.Descriptors[0], new(int))
		check.Equal(t, sent{enqueued: true}, s, "the arguments of on_done for an array without elements")
		expectArray(t, received[0], newArray(1, 0), "an array without elements")
		x.across(t, []check.HostArray{newArray(1, 4), newArray(1, 2, 0)})
	}},
}
