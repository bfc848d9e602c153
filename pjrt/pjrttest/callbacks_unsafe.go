// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"log/slog"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// A process can have only a limited number of C entry points into Go. So all plugins
// share the entry points that they hand out in structs; the arguments of a call say which
// plugin is meant.

// entry makes a C entry point on first use.
func entry(fn any) func() uintptr {
	return sync.OnceValue(func() uintptr { return purego.NewCallback(fn) })
}

// survive logs and recovers from a panic in an entry point that cannot return an error.
func survive(function string) {
	if v := recover(); v != nil {
		slog.Error("panic in a plugin of pjrttest", "function", function, "panic", v, "stack", string(debug.Stack()))
	}
}

// released is a handle value that the deleter must also release.
type released interface{ release() }

var deleterEntry = entry(func(h unsafe.Pointer) (word uintptr) {
	defer survive("deleter")
	handles.mu.Lock()
	s := handles.live[h]
	var value any
	var end func()
	if s != nil {
		value, end = s.bury()
	}
	handles.mu.Unlock()
	if s == nil {
		slog.Error("a deleter of a pjrttest plugin was called twice, or with an address that is not that of one of its objects", "address", h)
		return
	}
	end()
	if r, ok := value.(released); ok {
		r.release()
	}
	return
})

// deleter returns the address of a function void(void*) that ends a handle. The function
// may be called with more arguments.
func deleter() uintptr { return deleterEntry() }

// userData is the data that callers attach to a memory.
type userData struct {
	mu   sync.Mutex
	data map[uintptr]userDatum // guarded by mu; by key
}

type userDatum struct {
	value      uintptr
	destructor capi.MemoryFunctionTableSetUserDataDtor
}

var getUserDataEntry = entry(func(h *capi.Memory, key uintptr) uintptr {
	defer survive("PJRT_Memory_FunctionTable.get_user_data")
	m, err := find[*memory](nil, h)
	if err != nil {
		return 0
	}
	m.user.mu.Lock()
	defer m.user.mu.Unlock()
	return m.user.data[key].value
})

var setUserDataEntry = entry(func(h *capi.Memory, key, value, destructor uintptr) (word uintptr) {
	defer survive("PJRT_Memory_FunctionTable.set_user_data")
	m, err := find[*memory](nil, h)
	if err != nil {
		return
	}
	m.user.mu.Lock()
	old, had := m.user.data[key]
	if m.user.data == nil {
		m.user.data = make(map[uintptr]userDatum)
	}
	m.user.data[key] = userDatum{value, capi.MemoryFunctionTableSetUserDataDtor(destructor)}
	m.user.mu.Unlock()
	if had {
		old.destructor.Call(old.value)
	}
	return
})

// end runs the destructors of the data that is left.
func (u *userData) end() {
	u.mu.Lock()
	data := u.data
	u.data = nil
	u.mu.Unlock()
	for _, d := range data {
		d.destructor.Call(d.value)
	}
}

var memoryTable = sync.OnceValue(func() *capi.MemoryFunctionTable {
	return &capi.MemoryFunctionTable{
		StructSize: capi.MemoryFunctionTableSize, InstanceStructSize: capi.MemorySize,
		GetUserData: capi.MemoryFunctionTableGetUserData(getUserDataEntry()),
		SetUserData: capi.MemoryFunctionTableSetUserData(setUserDataEntry()),
	}
})

// memoryTableSince is the API minor that gave memories a function table.
const memoryTableSince = 105

func makeMemory(p *Plugin, m *memory) *capi.Memory {
	if p.opts.Minor < memoryTableSince {
		return makeHandle[capi.Memory](p, m, false)
	}
	return makeHandleWith[capi.Memory](p, m, false, unsafe.Pointer(memoryTable()))
}

var rawCopyEntry = entry(func(a *capi.BufferCopyRawToHostFutureCallbackArgs) (word uintptr) {
	defer survive("future_ready_callback")
	// The struct has not grown since its first version.
	args, err := read(a, "PJRT_Buffer_CopyRawToHostFuture_Callback_Args", capi.BufferCopyRawToHostFutureCallbackArgsSize)
	if err != nil {
		slog.Error("future_ready_callback of a pjrttest plugin", "error", err)
		return
	}
	fulfil(args.CallbackData, func(v any) {
		r := v.(*rawCopy)
		r.begin(reported(args.ErrorCode, args.ErrorMessage, args.ErrorMessageSize), hostBytes(args.Dst, r.size))
	})
	return
})

var dependencyEntry = entry(func(a *capi.BufferDonateWithControlDependencyCallbackArgs) (word uintptr) {
	defer survive("dependency_ready_callback")
	args, err := read(a, "PJRT_Buffer_DonateWithControlDependency_Callback_Args", capi.BufferDonateWithControlDependencyCallbackArgsSize)
	if err != nil {
		slog.Error("dependency_ready_callback of a pjrttest plugin", "error", err)
		return
	}
	fulfil(args.CallbackData, func(v any) {
		v.(*dependency).end(reported(args.ErrorCode, args.ErrorMessage, args.ErrorMessageSize))
	})
	return
})

// reported makes the error that the caller passes to a callback.
func reported(code capi.ErrorCode, message *byte, size uintptr) error {
	cause, err := given(code, message, size)
	if err != nil {
		return err
	}
	return cause
}

// fulfil calls keep with the promise whose handle is data, and ends the handle.
func fulfil(data uintptr, keep func(any)) {
	h := capi.Handle(data)
	v, ok := h.Value()
	if !ok {
		slog.Error("a callback of a pjrttest plugin was called twice, or with the wrong callback data", "data", data)
		return
	}
	h.Delete()
	keep(v)
}

func rawCopyCallback(c *rawCopy) (capi.BufferCopyRawToHostFutureArgsFutureReadyCallback, uintptr) {
	return capi.BufferCopyRawToHostFutureArgsFutureReadyCallback(rawCopyEntry()), uintptr(capi.NewHandle(c))
}

func dependencyCallback(d *dependency) (capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback, uintptr) {
	return capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback(dependencyEntry()), uintptr(capi.NewHandle(d))
}

// callbackError returns the C function with which the caller's callbacks make errors.
var callbackError = sync.OnceValue(func() *capi.CallbackError {
	f := capi.CallbackError(purego.NewCallback(func(code int32, message *byte, size uintptr) *capi.ErrorHandle {
		defer survive("PJRT_CallbackError")
		if capi.ErrorCode(code) == capi.ErrorCodeOK {
			return nil
		}
		return serve.NewError(&capi.Error{Code: capi.ErrorCode(code), Message: capi.String(message, size)})
	}))
	return &f
})

// takeCallbackError reads the error that the caller's callback returned, and destroys it.
func takeCallbackError(h *capi.ErrorHandle) error {
	if h == nil {
		return nil
	}
	e := serve.ReadError(h)
	if e == nil {
		return capi.ErrorCodeUnknown.Errorf("a callback of the caller returned an error that callback_error did not make")
	}
	serve.DestroyError(h)
	return e
}
