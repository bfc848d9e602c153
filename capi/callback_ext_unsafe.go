// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import "unsafe"

// Extension callbacks follow the same rules as core callbacks: one C entry point for each kind, a
// Handle that identifies the Go function, and no panic reaches C. Entry points return a word even
// if C expects nothing, because callbacks on Windows must. C ignores it.

// onceWith is once for a function with an argument from C.
func onceWith[T any](callback string, userArg uintptr, value T) uintptr {
	if fn, ok := Handle(userArg).take(); ok {
		tell(callback, func() { fn.(func(T))(value) })
	}
	return 0
}

// each calls the function of a handle, and keeps the handle valid.
func each[T any](callback string, userArg uintptr, value T) uintptr {
	if fn, ok := Handle(userArg).Value(); ok {
		tell(callback, func() { fn.(func(T))(value) })
	}
	return 0
}

var callbackFunctionEntry = entry(func(args unsafe.Pointer, userArg uintptr) uintptr {
	return each("PJRT_Callback_Function", userArg, args)
})

// NewCallbackFunction makes the callback and the user_arg of CallbackRegisterCallbackArgs from fn.
// fn gets a struct of the type for which it is registered (*CallbackTPUSliceBuilderArgs,
// *CallbackPrefatalArgs), which belongs to the plugin and is valid only during the callback. A
// callback cannot be unregistered, so keep the handle as long as the client.
func NewCallbackFunction(fn func(args unsafe.Pointer)) (CallbackFunction, Handle) {
	return CallbackFunction(callbackFunctionEntry()), NewHandle(fn)
}

var megascaleErrorEntry = entry(func(data *byte, size, userData uintptr) uintptr {
	return each("PJRT_Megascale_ErrorHandler", userData, Bytes(data, size))
})

// NewMegascaleErrorHandler makes the handler and the user_data of MegascaleRegisterErrorHandlerArgs
// from fn, which owns the serialized error that it gets. Delete the handle after unregistering the
// handler.
func NewMegascaleErrorHandler(fn func(serialized []byte)) (MegascaleErrorHandler, Handle) {
	return MegascaleErrorHandler(megascaleErrorEntry()), NewHandle(fn)
}

var andThenEntry = entry(func(userArg uintptr) uintptr {
	once("PJRT_DeviceEvent_AndThen", userArg)
	return 0
})

// NewDeviceEventAndThen makes the callback and the user_arg of a device event's
// and_then from fn, which runs once, when the event is ready or has failed, and
// must not call runtime.Goexit. The handle ends with that call.
func NewDeviceEventAndThen(fn func()) (DeviceEventAndThen, Handle) {
	return DeviceEventAndThen(andThenEntry()), NewHandle(fn)
}

var allocationEntry = entry(func(status *ErrorHandle, userData uintptr) uintptr {
	return onceWith("allocation_event_callback", userData, status)
})

// NewRawBufferAllocationCallback makes the allocation_event_callback and its user data for a raw
// buffer's schedule_copy_to from fn, which runs once with the result of the allocation, nil for
// success. The header does not say who owns the error, so fn must only read it. The handle ends
// with that call.
func NewRawBufferAllocationCallback(fn func(status *ErrorHandle)) (RawBufferFunctionTableScheduleCopyToAllocationEventCallback, Handle) {
	return RawBufferFunctionTableScheduleCopyToAllocationEventCallback(allocationEntry()), NewHandle(fn)
}

var hostMemoryDeleterEntry = entry(func(_ unsafe.Pointer, arg uintptr) uintptr {
	once("PJRT_HostMemoryAllocator deleter", arg)
	return 0
})

// NewHostMemoryDeleter makes from fn the deleter and the deleter_arg that an implementation of
// PJRT_HostMemoryAllocator_Allocate returns. fn runs once, when the caller releases the memory, and
// must not call runtime.Goexit. The handle ends with that call.
func NewHostMemoryDeleter(fn func()) (HostMemoryAllocatorAllocateArgsDeleter, Handle) {
	return HostMemoryAllocatorAllocateArgsDeleter(hostMemoryDeleterEntry()), NewHandle(fn)
}
