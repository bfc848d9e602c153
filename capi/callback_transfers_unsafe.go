// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"log/slog"
	"sync"
	"unsafe"
)

// CrossHostReceive is what a receive notifier gets.
type CrossHostReceive struct {
	// Err is not nil when the receive failed; there is nothing else then. The
	// header does not say who owns it, so it is only to be read.
	Err *ErrorHandle
	// Descriptors are the notifier's own, one for each buffer, to be brought to
	// the sender of that buffer.
	Descriptors [][]byte
	// Cancel may be kept, and used later.
	Cancel CrossHostCancel
}

// CrossHostCancel gives up on receives whose sender will never come.
type CrossHostCancel struct {
	Notifier TransfersCrossHostSendCancelNotifier
	UserArg  uintptr
}

// Cancel makes the buffer of a descriptor fail with reason and message. done, if
// not nil, runs once when that has ended, as with
// NewCrossHostOnCanceledCallback. Cancel does nothing, and reports false, when
// the plugin gave no notifier.
func (c CrossHostCancel) Cancel(descriptor []byte, reason ErrorCode, message string, done func(err *ErrorHandle)) bool {
	if c.Notifier == 0 {
		return false
	}
	if done == nil {
		done = func(*ErrorHandle) {}
	}
	f, h := NewCrossHostOnCanceledCallback(done)
	d, n := BytesData(descriptor)
	m, k := StringData(message)
	c.Notifier.Call(d, n, reason, m, k, f, uintptr(h), c.UserArg)
	return true
}

var recvNotifierEntry = entry(func(err *ErrorHandle, descriptors **byte, sizes *uintptr, n, userArg, cancel, cancelArg uintptr) uintptr {
	defer logPanic("PJRT_Transfers_CrossHostRecvNotifier")
	fn, ok := Handle(userArg).take()
	if !ok {
		return 0
	}
	r := CrossHostReceive{Err: err, Cancel: CrossHostCancel{TransfersCrossHostSendCancelNotifier(cancel), cancelArg}}
	if err == nil {
		lengths := Slice(sizes, n)
		for i, d := range Slice(descriptors, n) {
			if i < len(lengths) {
				r.Descriptors = append(r.Descriptors, Bytes(d, lengths[i]))
			}
		}
	}
	fn.(func(CrossHostReceive))(r)
	return 0
})

// NewCrossHostRecvNotifier makes the notifier of
// TransfersClientMakeCrossHostReceiveBuffersArgs from fn, which runs once. The
// handle ends with that call; delete it when making the buffers failed.
func NewCrossHostRecvNotifier(fn func(CrossHostReceive)) (TransfersCrossHostRecvNotifierInfo, Handle) {
	h := NewHandle(fn)
	return TransfersCrossHostRecvNotifierInfo{UserArg: uintptr(h), Notifier: TransfersCrossHostRecvNotifier(recvNotifierEntry())}, h
}

var onCanceledEntry = entry(func(err *ErrorHandle, userArg uintptr) uintptr {
	return onceWith("PJRT_Transfers_CrossHostOnCanceledCallback", userArg, err)
})

// NewCrossHostOnCanceledCallback makes the on_canceled and its argument of a
// cancel notifier from fn, which runs once, with nil when cancelling succeeded.
// The header does not say who owns the error, so fn only reads it. The handle
// ends with that call.
func NewCrossHostOnCanceledCallback(fn func(err *ErrorHandle)) (TransfersCrossHostOnCanceledCallback, Handle) {
	return TransfersCrossHostOnCanceledCallback(onCanceledEntry()), NewHandle(fn)
}

// CrossHostCancelRequest is what a cancel notifier gets.
type CrossHostCancelRequest struct {
	Descriptor []byte
	Reason     ErrorCode
	Message    string

	onCanceled TransfersCrossHostOnCanceledCallback
	userArg    uintptr
}

// Done tells the receiver that cancelling has ended, with nil or an error. It is
// to be called once, from any goroutine.
func (r CrossHostCancelRequest) Done(err *ErrorHandle) {
	if r.onCanceled != 0 {
		r.onCanceled.Call(err, r.userArg)
	}
}

var cancelNotifierEntry = entry(func(d *byte, n uintptr, reason int32, m *byte, k, onCanceled, onCanceledArg, userArg uintptr) uintptr {
	return each("PJRT_Transfers_CrossHostSendCancelNotifier", userArg, CrossHostCancelRequest{
		Descriptor: Bytes(d, n), Reason: ErrorCode(reason), Message: String(m, k),
		onCanceled: TransfersCrossHostOnCanceledCallback(onCanceled), userArg: onCanceledArg,
	})
})

// NewCrossHostSendCancelNotifier makes the cancel notifier and its argument that
// an implementation of cross-host transfers passes to a receive notifier from
// fn, which calls Done of the request it gets, then or later. Delete the handle
// when the receiver is gone.
func NewCrossHostSendCancelNotifier(fn func(CrossHostCancelRequest)) (TransfersCrossHostSendCancelNotifier, Handle) {
	return TransfersCrossHostSendCancelNotifier(cancelNotifierEntry()), NewHandle(fn)
}

var remoteSendEntry = entry(func(err *ErrorHandle, enqueued bool, userArg uintptr) uintptr {
	defer logPanic("PJRT_Transfers_CrossHostRemoteSendCallback")
	if fn, ok := Handle(userArg).take(); ok {
		fn.(func(*ErrorHandle, bool))(err, enqueued)
	}
	return 0
})

// NewCrossHostRemoteSendCallback makes the on_done of
// TransfersBufferCopyToRemoteDeviceArgs from fn, which runs once, when the sends
// are enqueued or have failed. The header does not say who owns the error, so
// fn only reads it. The handle ends with that call.
func NewCrossHostRemoteSendCallback(fn func(err *ErrorHandle, enqueued bool)) (TransfersCrossHostRemoteSendCallbackInfo, Handle) {
	h := NewHandle(fn)
	return TransfersCrossHostRemoteSendCallbackInfo{UserArg: uintptr(h), OnDone: TransfersCrossHostRemoteSendCallback(remoteSendEntry())}, h
}

// CrossHostDescriptor is the place for a descriptor that
// PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice reads once the event is ready.
// The binding keeps it alive until the plugin calls the destructor.
type CrossHostDescriptor struct {
	data *byte // first: its address says which descriptor is meant
	size uintptr
	keep []byte
}

// crossHostDescriptors are the descriptors that plugins still need.
var crossHostDescriptors struct {
	mu   sync.Mutex
	live map[uintptr]*CrossHostDescriptor // guarded by mu; by address
}

var descriptorDestructorEntry = entry(func(data, _ uintptr) uintptr {
	forgetDescriptor(data)
	return 0
})

func forgetDescriptor(address uintptr) {
	crossHostDescriptors.mu.Lock()
	_, ok := crossHostDescriptors.live[address]
	delete(crossHostDescriptors.live, address)
	crossHostDescriptors.mu.Unlock()
	if !ok {
		slog.Warn("the plugin freed a descriptor that is not there, or for the second time", "callback", "PJRT_Transfers_DescriptorDestructor")
	}
}

// NewCrossHostDescriptor makes an empty place. Pass it with Fields, and Set the
// descriptor before the event is made ready.
func NewCrossHostDescriptor() *CrossHostDescriptor {
	d := new(CrossHostDescriptor)
	crossHostDescriptors.mu.Lock()
	defer crossHostDescriptors.mu.Unlock()
	if crossHostDescriptors.live == nil {
		crossHostDescriptors.live = make(map[uintptr]*CrossHostDescriptor)
	}
	crossHostDescriptors.live[uintptr(unsafe.Pointer(d))] = d
	return d
}

// Set stores a copy of the descriptor.
func (d *CrossHostDescriptor) Set(descriptor []byte) {
	d.keep = append([]byte(nil), descriptor...)
	d.data, d.size = BytesData(d.keep)
}

// Fields fills in the fields of a that belong to the descriptor. An older plugin
// does not know the destructor; leave it zero for one (API 0.103 and older) and
// Delete the descriptor when the send is done.
func (d *CrossHostDescriptor) Fields(a *TransfersBufferCopyToRemoteDeviceArgs) {
	a.SerializedDescriptor, a.SerializedDescriptorSize = &d.data, &d.size
	a.DescriptorDestructor = TransfersDescriptorDestructor(descriptorDestructorEntry())
}

// Delete ends the descriptor where the plugin will not.
func (d *CrossHostDescriptor) Delete() {
	crossHostDescriptors.mu.Lock()
	defer crossHostDescriptors.mu.Unlock()
	delete(crossHostDescriptors.live, uintptr(unsafe.Pointer(d)))
}
