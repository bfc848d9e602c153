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

// HandlerFunc is a handler in Go. The frame, and everything that it leads to, is
// valid until the function returns. The frame has the fields up to Attrs; for
// Future see [CallFrame.SetFuture].
//
// It runs on a thread of XLA's, several at a time. XLA waits for it, and an
// execution in which it fails fails with its error, whose code is that of
// capi.CodeOf. A panic is an error of code INTERNAL.
type HandlerFunc func(frame *CallFrame) error

// HandlerOptions are what a handler tells about itself when XLA asks.
type HandlerOptions struct {
	// Traits are what the handler promises.
	Traits HandlerTraits
	// StateType is the type of the state that the handler makes when a program is
	// loaded; zero for none. It needs a host of version 0.2 or later.
	StateType TypeID
	// Asked is called, unless nil, each time that XLA asks, which it does when the
	// handler is registered. It is the way to a table outside of a call.
	Asked func(api *API)
}

// MaxHandlers is how many handlers a process can have at a time. A handler has
// no argument of its own, so each needs a C entry point, of which a process has
// room for 2000 in all.
const MaxHandlers = 1024

// handlerEntry is a handler in use.
type handlerEntry struct {
	fn      HandlerFunc
	options HandlerOptions
}

// handlers are the entry points of handlers. They are never given back, so they
// are used again.
var handlers struct {
	slots [MaxHandlers]atomic.Pointer[handlerEntry]

	mu    sync.Mutex
	codes []Handler       // guarded by mu; by slot
	index map[Handler]int // guarded by mu; slots by code
	free  []int           // guarded by mu; slots to use again, the one released first in front
}

// NewHandler makes a C function of fn, to be registered with the plugin
// (capi.FFIRegisterHandlerArgs) or with [Register]. XLA's question about the
// handler itself is answered here; fn sees real calls only. options may be nil.
//
// It fails when the process has [MaxHandlers] handlers already, or no room for
// another callback.
func NewHandler(fn HandlerFunc, options *HandlerOptions) (Handler, error) {
	if fn == nil {
		return 0, invalid("a handler of a nil function")
	}
	e := &handlerEntry{fn: fn}
	if options != nil {
		e.options = *options
	}
	handlers.mu.Lock()
	defer handlers.mu.Unlock()
	// New entry points come first, and then the one that was released the
	// longest ago, so that a call which comes late finds no other handler.
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
				Message: fmt.Sprintf("the process has %d FFI handlers, as many as it can have: release those that no program calls", MaxHandlers),
			}
		}
		i, handlers.free = handlers.free[0], handlers.free[1:]
	}
	handlers.slots[i].Store(e)
	return handlers.codes[i], nil
}

// Release ends a handler that NewHandler made: its function will not be called
// again, and the entry point may become another handler's. Since nothing
// unregisters a handler from a plugin, a handler that is registered may be
// released only when no program that calls it will run or be compiled again; a
// call that comes nevertheless fails with FAILED_PRECONDITION or, when the entry
// point was used again, calls another handler. Calls under way go on.
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
		// purego panics when the process has no room for another.
		if v := recover(); v != nil {
			err = &capi.Error{Code: capi.ErrorCodeResourceExhausted, Message: fmt.Sprintf("no C entry point for another FFI handler: %v", v)}
		}
	}()
	return Handler(purego.NewCallback(func(frame *CallFrame) *ErrorHandle { return serve(slot, frame) })), nil
}

// serve is what C calls for the handler in a slot.
func serve(slot int, frame *CallFrame) (result *ErrorHandle) {
	var api *API
	defer func() {
		if v := recover(); v != nil {
			result = fail(api, &capi.Error{Code: capi.ErrorCodeInternal, Message: fmt.Sprintf("panic in an FFI handler: %v\n%s", v, debug.Stack())})
		}
	}()
	const apiEnd = unsafe.Offsetof(frame.API) + unsafe.Sizeof(frame.API)
	if frame == nil || frame.StructSize < apiEnd {
		return fail(nil, invalid("the call frame has no table"))
	}
	api = frame.API
	e := handlers.slots[slot].Load()
	if e == nil {
		return fail(api, &capi.Error{Code: capi.ErrorCodeFailedPrecondition, Message: "the FFI handler was called after it had been released"})
	}
	if x := frame.metadata(); x != nil {
		return fail(api, e.describe(api, x.Metadata))
	}
	if frame.StructSize < CallFrameSize {
		return fail(api, invalid("the call frame has %d bytes instead of %d", frame.StructSize, CallFrameSize))
	}
	return fail(api, e.fn(frame))
}

// fail makes the error that a handler returns, nil for nil.
func fail(api *API, err error) *ErrorHandle {
	if err == nil {
		return nil
	}
	if h := NewError(api, err); h != nil {
		return h
	}
	// To C the call has succeeded: there is no other way to say it.
	slog.Error("error in an FFI handler that cannot be passed on, because the host's table makes no errors", "error", err)
	return nil
}

// maxExtensions bounds the walk over the nodes that hang on a frame.
const maxExtensions = 64

// metadata returns the node by which XLA asks a handler about itself.
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

// describe answers XLA's question about a handler.
func (e *handlerEntry) describe(api *API, m *Metadata) error {
	if m == nil || m.StructSize < MetadataSize {
		return invalid("the metadata that the handler has to fill in is null or too short")
	}
	// XLA takes handlers of its own version only. Ours follow the version of the
	// table at run time, so the answer is what the host wants to hear.
	m.APIVersion.MajorVersion, m.APIVersion.MinorVersion = APIMajor, APIMinor
	if h, err := hostOf(api); err == nil && h.api.APIVersion.MajorVersion == APIMajor {
		m.APIVersion.MinorVersion = h.minor
	}
	m.Traits = e.options.Traits
	if e.options.StateType.TypeID != 0 {
		// The header's size of the struct ends before this field, which every
		// version from 0.2 on has.
		if m.APIVersion.MinorVersion < 2 {
			return invalid("the handler keeps a state, which XLA FFI API %d.%d does not know", m.APIVersion.MajorVersion, m.APIVersion.MinorVersion)
		}
		m.StateTypeID = e.options.StateType
	}
	if e.options.Asked != nil {
		e.options.Asked(api)
	}
	return nil
}
