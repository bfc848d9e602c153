// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Try calls the function that A belongs to, below the hooks if t is the table of an
// invocation, and returns the args as the plugin left them.
func Try[A any](t *capi.Table, args A) (A, error) {
	c := &capi.Call[A]{Args: args}
	err := c.Do(t)
	return c.Args, err
}

// Await waits for an event below the hooks.
func Await(t *capi.Table, e *capi.Event) error {
	_, err := Try(t, capi.EventAwaitArgs{Event: e})
	return err
}

// Finish waits for an event, destroys it, and returns its error.
func Finish(t *capi.Table, e *capi.Event) error {
	defer Try(t, capi.EventDestroyArgs{Event: e})
	return Await(t, e)
}

// Unsettled reports whether a buffer has no contents yet.
func Unsettled(t *capi.Table, b *capi.Buffer) bool {
	out, err := Try(t, capi.BufferReadyEventArgs{Buffer: b})
	if err != nil {
		return false
	}
	defer Try(t, capi.EventDestroyArgs{Event: out.Event})
	ready, err := Try(t, capi.EventIsReadyArgs{Event: out.Event})
	return err != nil || !ready.IsReady
}

// IsReady reports whether an event is ready.
func IsReady(t *capi.Table, e *capi.Event) bool {
	out, err := Try(t, capi.EventIsReadyArgs{Event: e})
	return err == nil && out.IsReady
}

// TypeOf returns the element type of a buffer.
func TypeOf(t *capi.Table, b *capi.Buffer) dtype.Type {
	out, _ := Try(t, capi.BufferElementTypeArgs{Buffer: b})
	return dtype.Type(out.Type)
}

// DimsOf returns the dimensions of a buffer.
func DimsOf(t *capi.Table, b *capi.Buffer) []int64 {
	out, _ := Try(t, capi.BufferDimensionsArgs{Buffer: b})
	return capi.Slice(out.Dims, out.NumDims)
}

// DeviceOf returns the device of a buffer.
func DeviceOf(t *capi.Table, b *capi.Buffer) *capi.Device {
	out, _ := Try(t, capi.BufferDeviceArgs{Buffer: b})
	return out.Device
}

// SizeOf returns how many bytes a buffer has on its device.
func SizeOf(t *capi.Table, b *capi.Buffer) uintptr {
	out, _ := Try(t, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b})
	return out.OnDeviceSizeInBytes
}

// AddressOf returns the address of a buffer, or 0 if the plugin does not tell.
func AddressOf(t *capi.Table, b *capi.Buffer) uintptr {
	out, _ := Try(t, capi.BufferUnsafePointerArgs{Buffer: b})
	return out.BufferPointer
}

// CallbackError is a callback_error: it makes the errors that callbacks return.
var CallbackError = sync.OnceValue(func() *capi.CallbackError {
	f := capi.CallbackError(purego.NewCallback(func(code uintptr, p *byte, n uintptr) *capi.ErrorHandle {
		return serve.NewError(&capi.Error{Code: capi.ErrorCode(code), Message: capi.String(p, n)})
	}))
	return &f
})

// LastingText returns a copy of a text that is never freed.
func LastingText(s string) (*byte, uintptr) { return check.Retain(capi.CString(s)), uintptr(len(s)) }

// LastingTexts returns texts, which are never freed, as C takes them.
func LastingTexts(list ...string) (texts **byte, sizes *uintptr, n uintptr) {
	data, lengths := make([]*byte, len(list)), make([]uintptr, len(list))
	for i, s := range list {
		data[i], lengths[i] = LastingText(s)
	}
	texts, n = LastingArray(data)
	sizes, _ = LastingArray(lengths)
	return texts, sizes, n
}

// LastingArray returns an array, which is never freed, as C takes it.
func LastingArray[E any](list []E) (*E, uintptr) { return check.First(check.Retain(list)) }
