// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// newPair returns the callers of two processes, which have the devices 0 and 1.
func newPair(t *testing.T, opts Options) (a, b *caller) {
	opts.Network, opts.Processes = new(Network), 2
	a = newCaller(t, opts)
	opts.ProcessIndex = 1
	return a, newCaller(t, opts)
}

// own returns the device of the process.
func (x *caller) own() *capi.Device {
	return *ok(x, capi.ClientAddressableDevicesArgs{Client: x.c}).AddressableDevices
}

// sending has the arguments that send buffers to device 1 by keys from 1 on.
func (x *caller) sending(buffers ...*capi.Buffer) capi.TransfersClientCrossHostSendBuffersArgs {
	n := len(buffers)
	ids, keys := make([]int32, n), make([]int64, n)
	for i := range n {
		ids[i], keys[i] = 1, int64(i+1)
	}
	return capi.TransfersClientCrossHostSendBuffersArgs{
		Client: x.c, NumBuffers: uintptr(n), Buffers: unsafe.SliceData(buffers), DstGlobalDeviceIDs: unsafe.SliceData(ids),
		TransferKeys: unsafe.SliceData(keys), SendEvents: unsafe.SliceData(make([]*capi.Event, n)),
	}
}

// shaped are the arguments of both functions that receive n vectors of one float32.
type shaped struct {
	ranks []uintptr
	dims  []*int64
	types []capi.BufferType
	out   []*capi.Buffer
}

func newShaped(n int) shaped {
	s := shaped{make([]uintptr, n), make([]*int64, n), make([]capi.BufferType, n), make([]*capi.Buffer, n)}
	for i := range n {
		one := int64(1)
		s.ranks[i], s.dims[i], s.types[i] = 1, &one, capi.BufferTypeF32
	}
	return s
}

// receivingKeys has the arguments that receive n vectors from device 0 by keys from 1 on.
func (x *caller) receivingKeys(n int) (capi.TransfersClientCrossHostReceiveBuffersArgs, shaped) {
	ids, keys := make([]int32, n), make([]int64, n)
	for i := range n {
		keys[i] = int64(i + 1)
	}
	s := newShaped(n)
	return capi.TransfersClientCrossHostReceiveBuffersArgs{
		Client: x.c, Device: x.own(), NumShapes: uintptr(n), ShapeNumDims: &s.ranks[0], NumDims: &s.dims[0], ElementTypes: &s.types[0],
		SrcGlobalDeviceIDs: &ids[0], TransferKeys: &keys[0], Buffers: &s.out[0],
	}, s
}

// making has the arguments that receive n vectors by descriptors. The notifier passes on
// what it gets.
func (x *caller) making(n int) (capi.TransfersClientMakeCrossHostReceiveBuffersArgs, shaped, chan capi.CrossHostReceive) {
	got := make(chan capi.CrossHostReceive, 1)
	notifier, h := capi.NewCrossHostRecvNotifier(func(r capi.CrossHostReceive) { got <- r })
	x.Cleanup(h.Delete)
	s := newShaped(n)
	return capi.TransfersClientMakeCrossHostReceiveBuffersArgs{
		Client: x.c, Device: x.own(), NumShapes: uintptr(n), ShapeNumDims: &s.ranks[0], NumDims: &s.dims[0], ElementTypes: &s.types[0],
		Buffers: &s.out[0], Notifier: notifier, AllowCancelNotifier: true,
	}, s, got
}

// make receives n vectors by descriptors.
func (x *caller) make(n int) ([]*capi.Buffer, capi.CrossHostReceive) {
	x.Helper()
	args, s, got := x.making(n)
	if x.p.opts.Minor < allowCancelSince {
		args.AllowCancelNotifier = false
	}
	assert.EqualValues(x, n, ok(x, args).NumBuffers)
	return s.out, <-got
}

// remote is a call of PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice.
type remote struct {
	args capi.TransfersBufferCopyToRemoteDeviceArgs
	data *byte
	size uintptr
	keep []byte
}

// frees counts the calls of destructors, by the place of the descriptor.
var frees struct {
	mu sync.Mutex
	of map[**byte]int // guarded by mu
}

var freeing = sync.OnceValue(func() capi.TransfersDescriptorDestructor {
	return capi.TransfersDescriptorDestructor(purego.NewCallback(func(data **byte, _ *uintptr) (word uintptr) {
		frees.mu.Lock()
		defer frees.mu.Unlock()
		if frees.of == nil {
			frees.of = make(map[**byte]int)
		}
		frees.of[data]++
		return
	}))
})

// freed returns how often the descriptor was freed.
func (r *remote) freed() int {
	frees.mu.Lock()
	defer frees.mu.Unlock()
	return frees.of[&r.data]
}

// put puts the descriptor into its place.
func (r *remote) put(descriptor []byte) {
	r.keep = descriptor
	r.data, r.size = capi.BytesData(descriptor)
}

// told is what on_done got.
type told struct {
	err      error
	enqueued bool
}

// copying returns the arguments that send a buffer to a descriptor, which is in its place
// unless there is an event.
func (x *caller) copying(b *capi.Buffer, e *capi.Event, descriptor []byte) (*remote, chan told) {
	done := make(chan told, 1)
	r := new(remote)
	if e == nil {
		r.put(descriptor)
	}
	callback, h := capi.NewCrossHostRemoteSendCallback(func(h *capi.ErrorHandle, enqueued bool) {
		t := told{enqueued: enqueued}
		if h != nil {
			t.err = serve.ReadError(h)
		}
		done <- t
	})
	x.Cleanup(h.Delete)
	r.args = capi.TransfersBufferCopyToRemoteDeviceArgs{
		Buffer: b, Event: e, SerializedDescriptor: &r.data, SerializedDescriptorSize: &r.size, OnDone: callback,
		DescriptorDestructor: freeing(),
	}
	return r, done
}

func (x *caller) newEvent() *capi.Event { return ok(x, capi.EventCreateArgs{}).Event }

// await returns the error of a buffer.
func (x *caller) await(b *capi.Buffer) error {
	e := ok(x, capi.BufferReadyEventArgs{Buffer: b}).Event
	defer ok(x, capi.EventDestroyArgs{Event: e})
	_, err := try(x, capi.EventAwaitArgs{Event: e})
	return err
}

func TestSendsWithWrongArguments(t *testing.T) {
	t.Parallel()
	x, _ := newPair(t, Options{})
	b := x.upload(x.c, x.own(), 1)
	deleted := x.upload(x.c, x.own(), 1)
	ok(x, capi.BufferDeleteArgs{Buffer: deleted})
	other := ok(x, capi.ClientCreateArgs{}).Client
	foreign := x.upload(other, *ok(x, capi.ClientAddressableDevicesArgs{Client: other}).AddressableDevices, 1)
	type A = *capi.TransfersClientCrossHostSendBuffersArgs
	for text, change := range map[string]func(A){
		"the list of buffers is null":           func(a A) { a.Buffers = nil },
		"the list of destinations is null":      func(a A) { a.DstGlobalDeviceIDs = nil },
		"the list of keys is null":              func(a A) { a.TransferKeys = nil },
		"the list of events is null":            func(a A) { a.SendEvents = nil },
		"the list of tasks is null":             func(a A) { a.NumTasks = 1 },
		"the list of incarnations is null":      func(a A) { a.NumTasks, a.TaskIDs = 1, new(int32) },
		"buffer 1: INVALID_ARGUMENT: the PJRT_": func(a A) { unsafe.Slice(a.Buffers, 2)[1] = nil },
	} {
		a := x.sending(b, b)
		change(&a)
		wrong(x, text, a)
	}
	for text, change := range map[string]func(ids []int32, keys []int64){
		"device 0 belongs to this process, process 0":                   func(ids []int32, _ []int64) { ids[1] = 0 },
		"buffer 1: INVALID_ARGUMENT: there is no device 2":              func(ids []int32, _ []int64) { ids[1] = 2 },
		"there is no device -1":                                         func(ids []int32, _ []int64) { ids[0] = -1 },
		"already a transfer with the key 2 from process 0 to process 1": func(_ []int32, keys []int64) { keys[0] = 2 },
	} {
		a := x.sending(b, b)
		change(unsafe.Slice(a.DstGlobalDeviceIDs, 2), unsafe.Slice(a.TransferKeys, 2))
		wrong(x, text, a)
	}
	wrong(x, "buffer 1: INVALID_ARGUMENT: the buffer of shape f32[1] was deleted", x.sending(b, deleted))
	wrong(x, "the buffer of shape f32[1] belongs to another client", x.sending(foreign))
	ok(x, x.sending()) // nothing to send
	assert.Zero(t, x.p.Live()[pendingTransfer], "nothing was begun")
	x.destroy(b, deleted, foreign)
	ok(x, capi.ClientDestroyArgs{Client: other})
}

func TestReceivesWithWrongArguments(t *testing.T) {
	t.Parallel()
	_, x := newPair(t, Options{})
	type A = *capi.TransfersClientCrossHostReceiveBuffersArgs
	for text, change := range map[string]func(A, shaped){
		"neither a device nor a memory":               func(a A, _ shaped) { a.Device = nil },
		"belongs to process 0":                        func(a A, _ shaped) { a.Device = x.devices(x.c)[0] },
		"the list of numbers of dimensions is null":   func(a A, _ shaped) { a.ShapeNumDims = nil },
		"the list of dimensions is null":              func(a A, _ shaped) { a.NumDims = nil },
		"the list of element types is null":           func(a A, _ shaped) { a.ElementTypes = nil },
		"the list of buffers is null":                 func(a A, _ shaped) { a.Buffers = nil },
		"the list of sources is null":                 func(a A, _ shaped) { a.SrcGlobalDeviceIDs = nil },
		"the list of keys is null":                    func(a A, _ shaped) { a.TransferKeys = nil },
		"the list of tasks is null":                   func(a A, _ shaped) { a.NumTasks = 1 },
		"buffer 1: INVALID_ARGUMENT: the dimensions":  func(_ A, s shaped) { s.dims[1] = nil },
		"buffer 1: INVALID_ARGUMENT: arrays of the t": func(_ A, s shaped) { s.types[1] = 255 },
		"device 1 belongs to this process":            func(a A, _ shaped) { unsafe.Slice(a.SrcGlobalDeviceIDs, 2)[1] = 1 },
		"already a transfer with the key 1":           func(a A, _ shaped) { unsafe.Slice(a.TransferKeys, 2)[1] = 1 },
	} {
		a, s := x.receivingKeys(2)
		change(&a, s)
		wrong(x, text, a)
		assert.Equal(t, []*capi.Buffer{nil, nil}, s.out, text)
	}
	args, _, got := x.making(1)
	notifier := args.Notifier
	args.Notifier.Notifier = 0
	wrong(x, "the notifier is null", args)
	args.Notifier, args.Device = notifier, nil
	wrong(x, "neither a device nor a memory", args)
	assert.Empty(t, got, "the notifier belongs to calls that succeed")
	assert.Equal(t, map[string]int{"PJRT_Client": 1}, x.p.Live())
	assert.Zero(t, ok(x, capi.DeviceMemoryStatsArgs{Device: x.own()}).BytesInUse)
}

func TestSendsAndReceivesOfOlderCallersAndPlugins(t *testing.T) {
	t.Parallel()
	for _, minor := range []int{81, 116, 117} {
		a, b := newPair(t, Options{Minor: minor})
		send := a.sending(a.upload(a.c, a.own(), 4))
		events := ok(a, send)
		receive, s := b.receivingKeys(1)
		ok(b, receive)
		e := *events.SendEvents
		ok(a, capi.EventAwaitArgs{Event: e})
		require.NoError(t, b.await(s.out[0]))
		ok(a, capi.EventDestroyArgs{Event: e})
		a.destroy(*send.Buffers)
		b.destroy(s.out[0])
	}
}

func TestDescriptorsAreFreedOnce(t *testing.T) {
	t.Parallel()
	a, b := newPair(t, Options{})
	buffer := a.upload(a.c, a.own(), 1)
	deleted := a.upload(a.c, a.own(), 1)
	ok(a, capi.BufferDeleteArgs{Buffer: deleted})
	for name, c := range map[string]struct {
		event  bool
		buffer *capi.Buffer
		set    capi.ErrorCode // of the event; -1 to destroy it instead
		fail   bool           // the call
		known  bool           // the descriptor names a receiver
		want   string
	}{
		"in its place":      {false, buffer, 0, false, true, ""},
		"later":             {true, buffer, 0, false, true, ""},
		"never":             {true, buffer, capi.ErrorCodeDataLoss, false, true, "no descriptor"},
		"its event is gone": {true, buffer, -1, false, true, "was destroyed"},
		"of no receiver":    {true, buffer, 0, false, false, "names no buffer that waits for its sender"},
		"a deleted buffer":  {true, deleted, 0, false, true, "was deleted"},
		"no buffer":         {false, nil, 0, false, true, "the PJRT_Buffer is null"},
		"a call that fails": {true, buffer, 0, true, true, "on purpose"},
	} {
		out, got := b.make(1)
		descriptor := got.Descriptors[0]
		if !c.known {
			descriptor = []byte("nobody")
		}
		var e *capi.Event
		if c.event {
			e = a.newEvent()
		}
		if c.fail {
			a.p.Fail("PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice", capi.ErrorCodeAborted, "on purpose", Times(1))
		}
		r, done := a.copying(c.buffer, e, descriptor)
		ok(a, r.args)
		switch {
		case !c.event:
		case c.set < 0:
			ok(a, capi.EventDestroyArgs{Event: e})
		default:
			assert.Zero(t, r.freed(), "%s: the descriptor is not there yet", name)
			r.put(descriptor)
			set := capi.EventSetArgs{Event: e, ErrorCode: c.set}
			set.ErrorMessage, set.ErrorMessageSize = text("no descriptor")
			ok(a, set)
			wrong(a, "was destroyed", capi.EventIsReadyArgs{Event: e})
		}
		x := <-done
		assert.Equal(t, 1, r.freed(), name)
		if c.want == "" {
			assert.Equal(t, told{nil, true}, x, name)
			require.NoError(t, b.await(out[0]), name)
		} else {
			assert.False(t, x.enqueued, name)
			assert.ErrorContains(t, x.err, c.want, name)
			assert.True(t, got.Cancel.Cancel(got.Descriptors[0], capi.ErrorCodeCancelled, "over", nil), "%s: the receiver still waits", name)
			assert.ErrorIs(t, b.await(out[0]), capi.ErrorCodeCancelled, name)
		}
		b.destroy(out...)
	}
	a.destroy(buffer, deleted)
}

func TestCopiesWithWrongArguments(t *testing.T) {
	t.Parallel()
	a, b := newPair(t, Options{})
	buffer := a.upload(a.c, a.own(), 1)
	mine, got := a.make(1)
	foreign := b.newEvent()
	type A = *capi.TransfersBufferCopyToRemoteDeviceArgs
	for text, change := range map[string]func(A){
		"the place of the descriptor":         func(a A) { a.SerializedDescriptor = nil },
		"or of its size is null":              func(a A) { a.SerializedDescriptorSize = nil },
		"belongs to another plugin":           func(a A) { a.Event = foreign },
		"is not a PJRT_Event":                 func(a A) { a.Event = (*capi.Event)(unsafe.Pointer(new(cell))) },
		"is not a PJRT_Buffer":                func(a A) { a.Buffer = (*capi.Buffer)(unsafe.Pointer(new(cell))) },
		"the receiver is this process itself": func(A) {},
	} {
		r, done := a.copying(buffer, nil, got.Descriptors[0])
		change(&r.args)
		ok(a, r.args)
		x := <-done
		assert.False(t, x.enqueued, text)
		assert.ErrorIs(t, x.err, capi.ErrorCodeInvalidArgument, text)
		assert.ErrorContains(t, x.err, text)
	}
	r, _ := a.copying(buffer, nil, []byte("nobody"))
	r.args.OnDone.OnDone = 0
	ok(a, r.args)
	r, _ = a.copying(nil, nil, nil)
	r.args.OnDone.OnDone = 0
	ok(a, r.args)
	require.True(t, got.Cancel.Cancel(got.Descriptors[0], capi.ErrorCodeAborted, "enough", nil))
	assert.ErrorContains(t, a.await(mine[0]), "enough")
	ok(b, capi.EventDestroyArgs{Event: foreign})
	a.destroy(buffer, mine[0])
}

func TestReceiversCancel(t *testing.T) {
	t.Parallel()
	a, b := newPair(t, Options{})
	out, got := b.make(2)
	cancel := func(descriptor []byte, code capi.ErrorCode) error {
		done := make(chan error, 1)
		require.True(t, got.Cancel.Cancel(descriptor, code, "no sender", func(h *capi.ErrorHandle) {
			if h == nil {
				done <- nil
				return
			}
			done <- serve.ReadError(h)
		}))
		return <-done
	}
	for _, code := range []capi.ErrorCode{-1, capi.ErrorCodeOK, 17} {
		assert.ErrorIs(t, cancel(got.Descriptors[0], code), capi.ErrorCodeInvalidArgument)
	}
	assert.ErrorIs(t, cancel([]byte("nobody"), capi.ErrorCodeAborted), capi.ErrorCodeNotFound)
	require.NoError(t, cancel(got.Descriptors[0], capi.ErrorCodeAborted))
	assert.ErrorIs(t, cancel(got.Descriptors[0], capi.ErrorCodeAborted), capi.ErrorCodeNotFound)
	assert.ErrorContains(t, b.await(out[0]), "no sender")
	e := ok(b, capi.BufferReadyEventArgs{Buffer: out[1]}).Event
	assert.False(t, ok(b, capi.EventIsReadyArgs{Event: e}).IsReady, "only one was cancelled")
	ok(b, capi.EventDestroyArgs{Event: e})

	theirs, others := a.make(1)
	assert.ErrorContains(t, cancel(others.Descriptors[0], capi.ErrorCodeAborted), "was made by another process, process 0")
	require.NoError(t, cancel(got.Descriptors[1], capi.ErrorCodeAborted))
	require.True(t, others.Cancel.Cancel(others.Descriptors[0], capi.ErrorCodeAborted, "", nil))
	assert.ErrorIs(t, a.await(theirs[0]), capi.ErrorCodeAborted)
	a.destroy(theirs...)
	b.destroy(out...)
}

func TestReceiversCancelOnlyWhereTheyMay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		minor       int
		allow, want bool
	}{{84, false, false}, {85, false, true}, {115, false, true}, {116, false, false}, {116, true, true}} {
		_, x := newPair(t, Options{Minor: c.minor})
		args, s, got := x.making(1)
		args.AllowCancelNotifier = c.allow
		ok(x, args)
		assert.Equal(t, c.want, (<-got).Cancel.Notifier != 0, "%+v", c)
		x.destroy(s.out...)
	}
}

func TestOlderPluginsDoNotCopyToRemoteDevices(t *testing.T) {
	t.Parallel()
	for minor, want := range map[int]bool{81: false, 89: false, 90: true, 103: true} {
		a, b := newPair(t, Options{Minor: minor})
		buffer := a.upload(a.c, a.own(), 1)
		out, got := b.make(1)
		r, done := a.copying(buffer, nil, got.Descriptors[0])
		r.args.DescriptorDestructor = 0
		ok(a, r.args)
		x := <-done
		assert.Equal(t, want, x.enqueued, minor)
		if !want {
			assert.ErrorIs(t, x.err, capi.ErrorCodeUnimplemented)
		}
		a.destroy(buffer)
		b.destroy(out...)
	}
}
