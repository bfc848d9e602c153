// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// HandlerFunc is a handler in Go. The frame, and everything reached from it, is valid until the
// function returns. The frame has the fields up to Attrs; for Future see [CallFrame.SetFuture].
//
// It runs on threads of XLA, on several at once, and XLA waits for it. If it returns an error, the
// execution fails with that error and the code of capi.CodeOf. A panic becomes an error with the
// code INTERNAL.
type HandlerFunc func(frame *CallFrame) error

// HandlerOptions describe a handler to XLA.
type HandlerOptions struct {
	// Traits are the properties that the handler guarantees.
	Traits HandlerTraits
	// StateType is the type of the state that the handler makes when a program is loaded, or zero
	// if it makes none. A state needs a host of version 0.2 or later.
	StateType TypeID
	// Asked is called, unless nil, each time that XLA queries the handler, which it does when the
	// handler is registered. It is a way to get a table outside of a call.
	Asked func(api *API)
}

// MaxHandlers is how many handlers a process can have at a time. Handlers have no user argument, so
// each needs its own C entry point, and a process can have 2000 of these in all.
const MaxHandlers = 1024

// handlerEntry is a handler in use.
type handlerEntry struct {
	fn      HandlerFunc
	options HandlerOptions
}

// handlers holds the entry points of handlers, which are reused because they cannot be freed.
var handlers struct {
	slots [MaxHandlers]atomic.Pointer[handlerEntry]

	mu    sync.Mutex
	codes []Handler       // guarded by mu; by slot
	index map[Handler]int // guarded by mu; slots by code
	free  []int           // guarded by mu; free slots, the one released first in front
}

// NewHandler makes a C function from fn. Register it with the plugin (capi.FFIRegisterHandlerArgs)
// or with [Register]. The C function answers XLA's queries about the handler itself, so fn gets
// only real calls. options may be nil.
//
// It fails if the process already has [MaxHandlers] handlers, or no room for another callback.
func NewHandler(fn HandlerFunc, options *HandlerOptions) (Handler, error) {
	if fn == nil {
		return 0, capi.ErrorCodeInvalidArgument.Errorf("the function of the handler is nil")
	}
	e := &handlerEntry{fn: fn}
	if options != nil {
		e.options = *options
	}
	handlers.mu.Lock()
	defer handlers.mu.Unlock()
	// Use new entry points first, and then the one released longest ago, so that a late call is
	// unlikely to reach another handler.
	i := len(handlers.codes)
	if i < MaxHandlers {
		code, err := newEntry(i)
		if err != nil {
			return 0, err
		}
		if handlers.index == nil {
			handlers.index = make(map[Handler]int)
		}
		handlers.codes = append(handlers.codes, code)
		handlers.index[code] = i
	} else {
		if len(handlers.free) == 0 {
			return 0, &capi.Error{
				Code:    capi.ErrorCodeResourceExhausted,
				Message: fmt.Sprintf("the process has %d FFI handlers, the maximum: release those that no program calls", MaxHandlers),
			}
		}
		i, handlers.free = handlers.free[0], handlers.free[1:]
	}
	handlers.slots[i].Store(e)
	return handlers.codes[i], nil
}

// Release releases a handler that NewHandler made: its function will not be called again, and
// another handler may get the entry point. Handlers cannot be unregistered from a plugin, so
// release a registered handler only when no program that calls it will run or be compiled again. A
// later call fails with FAILED_PRECONDITION or, if the entry point was reused, calls another
// handler. Calls in progress continue.
//
// Release reports whether h was a handler in use.
func (h Handler) Release() bool {
	handlers.mu.Lock()
	defer handlers.mu.Unlock()
	i, ok := handlers.index[h]
	if !ok || handlers.slots[i].Swap(nil) == nil {
		return false
	}
	handlers.free = append(handlers.free, i)
	return true
}

// newEntry makes the C function of a slot.
func newEntry(slot int) (h Handler, err error) {
	defer func() {
		// purego panics if the process has no room for another callback.
		if v := recover(); v != nil {
			err = &capi.Error{Code: capi.ErrorCodeResourceExhausted,
				Message: fmt.Sprintf("no C entry point for another FFI handler: %v", v)}
		}
	}()
	return Handler(purego.NewCallback(func(frame *CallFrame) *ErrorHandle { return serve(slot, frame) })), nil
}

// serve handles a call from C of the handler in a slot.
func serve(slot int, frame *CallFrame) (result *ErrorHandle) {
	var api *API
	defer func() {
		if v := recover(); v != nil {
			result = fail(api, &capi.Error{Code: capi.ErrorCodeInternal,
				Message: fmt.Sprintf("panic in an FFI handler: %v\n%s", v, debug.Stack())})
		}
	}()
	const apiEnd = unsafe.Offsetof(frame.API) + unsafe.Sizeof(frame.API)
	if frame == nil || frame.StructSize < apiEnd {
		return fail(nil, capi.ErrorCodeInvalidArgument.Errorf("the call frame has no table"))
	}
	api = frame.API
	e := handlers.slots[slot].Load()
	if e == nil {
		return fail(api, &capi.Error{Code: capi.ErrorCodeFailedPrecondition,
			Message: "the FFI handler was called after it had been released"})
	}
	if x := frame.metadata(); x != nil {
		return fail(api, e.describe(api, x.Metadata))
	}
	if frame.StructSize < CallFrameSize {
		return fail(api, capi.ErrorCodeInvalidArgument.Errorf("the call frame has %d bytes instead of %d", frame.StructSize, CallFrameSize))
	}
	return fail(api, e.fn(frame))
}

// fail makes the error that a handler returns. For nil it returns nil.
func fail(api *API, err error) *ErrorHandle {
	if err == nil {
		return nil
	}
	if h := NewError(api, err); h != nil {
		return h
	}
	// For C the call has succeeded, because the error cannot be reported.
	slog.Error("an error of an FFI handler was lost, because the host's table cannot make errors", "error", err)
	return nil
}

// maxExtensions limits the number of extension nodes of a frame.
const maxExtensions = 64

// metadata returns the node with XLA's query about the handler.
func (f *CallFrame) metadata() *MetadataExtension {
	x := f.ExtensionStart
	for i := 0; x != nil && i < maxExtensions; i++ {
		if x.Type == InternalExtensionTypeMetadata && x.StructSize >= MetadataExtensionSize {
			return (*MetadataExtension)(unsafe.Pointer(x))
		}
		x = x.Next
	}
	return nil
}

// describe answers XLA's query about a handler.
func (e *handlerEntry) describe(api *API, m *Metadata) error {
	if m == nil || m.StructSize < MetadataSize {
		return capi.ErrorCodeInvalidArgument.Errorf("the metadata for the handler to fill in is null or too short")
	}
	// XLA accepts only handlers of its own version. The handlers of this package adapt to the
	// version of the table at run time, so they report that one.
	m.APIVersion.MajorVersion, m.APIVersion.MinorVersion = APIMajor, APIMinor
	if h, err := hostOf(api); err == nil && h.api.APIVersion.MajorVersion == APIMajor {
		m.APIVersion.MinorVersion = h.minor
	}
	m.Traits = e.options.Traits
	if e.options.StateType.TypeID != 0 {
		// The header's size of the struct does not include this field, which exists from version
		// 0.2 on.
		if m.APIVersion.MinorVersion < 2 {
			return capi.ErrorCodeInvalidArgument.Errorf("the handler keeps a state, which XLA FFI API %d.%d does not support",
				m.APIVersion.MajorVersion, m.APIVersion.MinorVersion)
		}
		m.StateTypeID = e.options.StateType
	}
	if e.options.Asked != nil {
		e.options.Asked(api)
	}
	return nil
}
