// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"log/slog"
	"sync"
	"unsafe"
)

// CrossHostReceive is the argument of a receive notifier.
type CrossHostReceive struct {
	// Err is not nil if the receive failed. Then the other fields are empty. The header does not
	// say who owns Err, so only read it.
	Err *ErrorHandle
	// Descriptors has one descriptor for each buffer, to be passed to the sender of that buffer.
	// The notifier owns them.
	Descriptors [][]byte
	// Cancel may be kept and used later.
	Cancel CrossHostCancel
}

// CrossHostCancel cancels receives for which there will be no sender.
type CrossHostCancel struct {
	Notifier TransfersCrossHostSendCancelNotifier
	UserArg  uintptr
}

// Cancel makes the buffer of a descriptor fail with reason and message. done, if not nil, runs once
// when canceling has ended, as with NewCrossHostOnCanceledCallback. If the plugin has passed no
// notifier, Cancel does nothing and returns false.
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
	r := CrossHostReceive{Err: err, Cancel: CrossHostCancel{TransfersCrossHostSendCancelNotifier(cancel), cancelArg}}
	if err == nil {
		lengths := Slice(sizes, n)
		for i, d := range Slice(descriptors, n) {
			if i < len(lengths) {
				r.Descriptors = append(r.Descriptors, Bytes(d, lengths[i]))
			}
		}
	}
	return onceWith("PJRT_Transfers_CrossHostRecvNotifier", userArg, r)
})

// NewCrossHostRecvNotifier makes the notifier of TransfersClientMakeCrossHostReceiveBuffersArgs
// from fn, which runs once. The handle ends with that call. Delete it if making the buffers fails.
func NewCrossHostRecvNotifier(fn func(CrossHostReceive)) (TransfersCrossHostRecvNotifierInfo, Handle) {
	h := NewHandle(fn)
	return TransfersCrossHostRecvNotifierInfo{UserArg: uintptr(h), Notifier: TransfersCrossHostRecvNotifier(recvNotifierEntry())}, h
}

var onCanceledEntry = entry(func(err *ErrorHandle, userArg uintptr) uintptr {
	return onceWith("PJRT_Transfers_CrossHostOnCanceledCallback", userArg, err)
})

// NewCrossHostOnCanceledCallback makes the on_canceled and its argument of a cancel notifier from
// fn, which runs once, with nil if canceling succeeded. The header does not say who owns the error,
// so fn must only read it. The handle ends with that call.
func NewCrossHostOnCanceledCallback(fn func(err *ErrorHandle)) (TransfersCrossHostOnCanceledCallback, Handle) {
	return TransfersCrossHostOnCanceledCallback(onCanceledEntry()), NewHandle(fn)
}

// CrossHostCancelRequest is the argument of a cancel notifier.
type CrossHostCancelRequest struct {
	Descriptor []byte
	Reason     ErrorCode
	Message    string

	onCanceled TransfersCrossHostOnCanceledCallback
	userArg    uintptr
}

// Done tells the receiver that canceling has ended, with nil or an error. Call it exactly once,
// from any goroutine.
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

// NewCrossHostSendCancelNotifier makes from fn the cancel notifier, and its argument, that an
// implementation of cross-host transfers passes to a receive notifier. fn must call the request's
// Done, at once or later. Delete the handle when the receiver is gone.
func NewCrossHostSendCancelNotifier(fn func(CrossHostCancelRequest)) (TransfersCrossHostSendCancelNotifier, Handle) {
	return TransfersCrossHostSendCancelNotifier(cancelNotifierEntry()), NewHandle(fn)
}

var remoteSendEntry = entry(func(err *ErrorHandle, enqueued bool, userArg uintptr) uintptr {
	if fn, ok := Handle(userArg).take(); ok {
		tell("PJRT_Transfers_CrossHostRemoteSendCallback", func() { fn.(func(*ErrorHandle, bool))(err, enqueued) })
	}
	return 0
})

// NewCrossHostRemoteSendCallback makes the on_done of TransfersBufferCopyToRemoteDeviceArgs from
// fn, which runs once, when the sends are enqueued or have failed. The header does not say who owns
// the error, so fn must only read it. The handle ends with that call.
func NewCrossHostRemoteSendCallback(fn func(err *ErrorHandle, enqueued bool)) (TransfersCrossHostRemoteSendCallbackInfo, Handle) {
	h := NewHandle(fn)
	return TransfersCrossHostRemoteSendCallbackInfo{UserArg: uintptr(h), OnDone: TransfersCrossHostRemoteSendCallback(remoteSendEntry())}, h
}

// CrossHostDescriptor holds a descriptor that PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice reads
// when the event is ready. The binding keeps it alive until the plugin calls the destructor.
type CrossHostDescriptor struct {
	data *byte // must be first: its address identifies the descriptor
	size uintptr
	keep []byte
}

// crossHostDescriptors holds the descriptors that plugins still need.
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
		slog.Warn("the plugin freed a descriptor that does not exist, or freed it twice", "callback",
			"PJRT_Transfers_DescriptorDestructor")
	}
}

// NewCrossHostDescriptor returns an empty CrossHostDescriptor. Pass it to the plugin with Fields,
// and Set the descriptor before you make the event ready.
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

// Fields fills in the fields of a that belong to the descriptor. Plugins of API 0.103 and older do
// not know the destructor: set it to zero for them, and Delete the descriptor when the send is
// done.
func (d *CrossHostDescriptor) Fields(a *TransfersBufferCopyToRemoteDeviceArgs) {
	a.SerializedDescriptor, a.SerializedDescriptorSize = &d.data, &d.size
	a.DescriptorDestructor = TransfersDescriptorDestructor(descriptorDestructorEntry())
}

// Delete frees the descriptor if the plugin will not.
func (d *CrossHostDescriptor) Delete() {
	crossHostDescriptors.mu.Lock()
	defer crossHostDescriptors.mu.Unlock()
	delete(crossHostDescriptors.live, uintptr(unsafe.Pointer(d)))
}
