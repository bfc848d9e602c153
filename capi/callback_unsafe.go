// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A process can have 2000 C entry points into Go, which are never freed. So there is one entry
// point for each kind of callback here, and the user_arg that C passes identifies the Go function.
//
// C calls them on any thread: during the call that registered them, or on a thread of the plugin.
// Their functions run in goroutines of their own, see apart. They may use all of Go, but should not
// take long, because the plugin waits for them. A panic or runtime.Goexit never reaches C. In a
// callback that can fail it becomes an error, INTERNAL or ABORTED. In one that cannot fail, slog's
// default logger logs it, and the callback returns.
//
// Functions that are told of events or free memory, and those that visit an error's payloads, run
// on the thread that C called: there are too many such calls to hand each over, which costs tens of
// microseconds. They must not call runtime.Goexit.

// entry makes a C entry point on first use. fn must return a word even if C expects nothing,
// because Windows requires it.
func entry(fn any) func() uintptr {
	return sync.OnceValue(func() uintptr { return purego.NewCallback(fn) })
}

// logPanic recovers and logs a panic in a callback that cannot fail. Call it with defer.
func logPanic(callback string) {
	if v := recover(); v != nil {
		slog.Error("panic in a callback from a PJRT plugin", "callback", callback, "panic", v, "stack", string(debug.Stack()))
	}
}

// protect calls use with the function of the handle userArg, and keeps the handle valid. A panic,
// runtime.Goexit and a deleted handle become errors.
func protect[F any](callback string, userArg uintptr, use func(fn F) error) error {
	fn, ok := Handle(userArg).Value()
	if !ok {
		return &Error{Code: ErrorCodeFailedPrecondition, Message: callback + " was called after its handle had been deleted"}
	}
	return call(callback, func() error { return use(fn.(F)) })
}

// CodeOf returns the code that describes err best: that of an *Error or ErrorCode that err wraps,
// the codes of a context's errors, or ErrorCodeUnknown.
func CodeOf(err error) ErrorCode {
	var e *Error
	var c ErrorCode
	switch {
	case err == nil:
		return ErrorCodeOK
	case errors.As(err, &e):
		return e.Code
	case errors.As(err, &c):
		return c
	case errors.Is(err, context.DeadlineExceeded):
		return ErrorCodeDeadlineExceeded
	case errors.Is(err, context.Canceled):
		return ErrorCodeCancelled
	}
	return ErrorCodeUnknown
}

// New makes the PJRT_Error that a callback returns to the plugin. For nil it returns nil.
func (f CallbackError) New(err error) *ErrorHandle {
	if err == nil || f == 0 {
		return nil
	}
	text := err.Error()
	var e *Error
	if errors.As(err, &e) && err == error(e) {
		text = e.Message
	}
	p, n := StringData(text)
	return f.Call(CodeOf(err), p, n)
}

// deref returns the function pointer at f, or zero if f is nil.
func (f *CallbackError) deref() CallbackError {
	if f == nil {
		return 0
	}
	return *f
}

var onReadyEntry = entry(func(err *ErrorHandle, userArg uintptr) (word uintptr) {
	defer logPanic("PJRT_Event_OnReadyCallback")
	if fn, ok := Handle(userArg).take(); ok {
		fn.(func(*ErrorHandle))(err)
	}
	return
})

// NewEventOnReadyCallback makes the callback and the user_arg of EventOnReadyArgs from fn, which
// runs once, when the event is ready, and owns the error it gets (see Table.TakeError). fn must not
// call runtime.Goexit. The handle ends with that call. Delete it if registering fails.
func NewEventOnReadyCallback(fn func(err *ErrorHandle)) (EventOnReadyCallback, Handle) {
	return EventOnReadyCallback(onReadyEntry()), NewHandle(fn)
}

var payloadEntry = entry(func(key *byte, keySize uintptr, value *byte, valueSize uintptr, userArg uintptr) (word uintptr) {
	defer logPanic("PJRT_Error_PayloadVisitor")
	if fn, ok := Handle(userArg).Value(); ok {
		fn.(func(string, []byte))(String(key, keySize), Bytes(value, valueSize))
	}
	return
})

// NewErrorPayloadVisitor makes the visitor and the user_arg of
// ErrorForEachPayloadArgs from fn, which must not call runtime.Goexit. Delete the
// handle after the call.
func NewErrorPayloadVisitor(fn func(key string, value []byte)) (ErrorPayloadVisitor, Handle) {
	return ErrorPayloadVisitor(payloadEntry()), NewHandle(fn)
}

var sendEntry = entry(func(chunk *Chunk, callbackError *CallbackError, totalSize uintptr, done bool, userArg uintptr) *ErrorHandle {
	return callbackError.deref().New(protect("PJRT_SendCallback", userArg, func(fn func(*Chunk, uintptr, bool) error) error {
		return fn(chunk, totalSize, done)
	}))
})

// NewSendCallback makes the callback and the user_arg of SendCallbackInfo from fn, which gets the
// chunks that a send operation of a running program sends to the host. fn owns each chunk, and must
// call its deleter after reading the data. Delete the handle when the execution has ended.
func NewSendCallback(fn func(chunk *Chunk, totalSize uintptr, done bool) error) (SendCallback, Handle) {
	return SendCallback(sendEntry()), NewHandle(fn)
}

var recvEntry = entry(func(stream *CopyToDeviceStream, userArg uintptr) (word uintptr) {
	return each("PJRT_RecvCallback", userArg, stream)
})

// NewRecvCallback makes the callback and the user_arg of RecvCallbackInfo from fn, which owns the
// stream it gets. It must add the chunks that a recv operation waits for, and destroy the stream.
// Delete the handle when the execution has ended.
func NewRecvCallback(fn func(stream *CopyToDeviceStream)) (RecvCallback, Handle) {
	return RecvCallback(recvEntry()), NewHandle(fn)
}

// HLOOutput is the argument of an HLO output callback. Its data belongs to the plugin and is valid
// only during the callback.
type HLOOutput struct {
	ReplicaID, PartitionID int64 // of the device that ran the operation
	Data                   unsafe.Pointer
	Dims                   []int64
	Type                   BufferType
	OperandIndex           int64
}

var hloOutputEntry = entry(func(a, b int64, data unsafe.Pointer, dims *int64, numDims uintptr, elementType int32, operand int64,
	userArg uintptr) (word uintptr) {
	return each("PJRT_HloOutputCallback", userArg, HLOOutput{a, b, data, Slice(dims, numDims), BufferType(elementType), operand})
})

// NewHLOOutputCallback makes the callback and the user_arg of HLOOutputCallbackInfo from fn. Delete
// the handle when the execution has ended.
func NewHLOOutputCallback(fn func(HLOOutput)) (HLOOutputCallback, Handle) {
	return HLOOutputCallback(hloOutputEntry()), NewHandle(fn)
}

// once runs the func() of a handle, and deletes the handle.
func once(callback string, userArg uintptr) {
	defer logPanic(callback)
	if fn, ok := Handle(userArg).take(); ok {
		fn.(func())()
	}
}

var onDeleteEntry = entry(func(_ unsafe.Pointer, userArg uintptr) (word uintptr) {
	once("on_delete_callback", userArg)
	return
})

// NewOnDeleteCallback makes the callback and its argument of ClientCreateViewOfDeviceBufferArgs
// from fn, which runs once, when the plugin no longer uses the memory, and must not call
// runtime.Goexit. It may run on another thread after PJRT_Buffer_Destroy has returned. The handle
// ends with that call. Delete it if making the view fails.
func NewOnDeleteCallback(fn func()) (ClientCreateViewOfDeviceBufferArgsOnDeleteCallback, Handle) {
	return ClientCreateViewOfDeviceBufferArgsOnDeleteCallback(onDeleteEntry()), NewHandle(fn)
}

var chunkDeleterEntry = entry(func(_ unsafe.Pointer, arg uintptr) (word uintptr) {
	once("PJRT_Chunk deleter", arg)
	return
})

// NewChunkDeleter makes the deleter and the deleter_arg of a Chunk from fn,
// which runs once, when the plugin has read the chunk, and must not call
// runtime.Goexit.
func NewChunkDeleter(fn func()) (ChunkDeleter, Handle) {
	return ChunkDeleter(chunkDeleterEntry()), NewHandle(fn)
}
