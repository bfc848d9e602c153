// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// failure is the target of a PJRT_Error or a PLUGIN_Profiler_Error. The first word of a PJRT_Error
// is its table of functions.
type failure struct {
	capi.ErrorHandle
	code     capi.ErrorCode
	message  []byte // a zero byte follows it in memory
	payloads []capi.Payload
}

// failures holds the errors that clients have not destroyed yet. It keeps them alive, and
// distinguishes them from errors of other plugins.
var failures struct {
	mu   sync.RWMutex
	live map[uintptr]*failure // guarded by mu; by address
}

// NewError makes a PJRT_Error from err, with its code (see capi.CodeOf), its text and, if it is a
// *capi.Error, its payloads. It returns nil for nil. Funcs of a Plugin return Go errors; NewError
// is for other errors, such as those passed to callbacks. The receiver must destroy the error
// through the table.
func NewError(err error) *capi.ErrorHandle {
	if err == nil {
		return nil
	}
	x := &failure{ErrorHandle: capi.ErrorHandle{Vtable: errorTable()}, code: capi.CodeOf(err)}
	text := err.Error()
	var e *capi.Error
	if errors.As(err, &e) {
		x.payloads = e.Payloads
		if error(e) == err && e.Message != "" {
			text = e.Message
		}
	}
	if x.code <= capi.ErrorCodeOK || x.code > capi.ErrorCodeUnauthenticated {
		x.code = capi.ErrorCodeUnknown
	}
	if text == "" {
		text = x.code.String()
	}
	x.message = append(make([]byte, 0, len(text)+1), text...)
	failures.mu.Lock()
	defer failures.mu.Unlock()
	if failures.live == nil {
		failures.live = make(map[uintptr]*failure)
	}
	failures.live[uintptr(unsafe.Pointer(x))] = x
	return &x.ErrorHandle
}

// ReadError returns the contents of an error of this package, without changing it. It returns nil
// if h is not an error of this package, or was destroyed.
func ReadError(h *capi.ErrorHandle) *capi.Error {
	x := failureOf(unsafe.Pointer(h))
	if x == nil {
		return nil
	}
	return &capi.Error{Code: x.code, Message: string(x.message), Payloads: x.payloads}
}

// DestroyError destroys an error of this package. It returns false if h is not one, or was
// destroyed before.
func DestroyError(h *capi.ErrorHandle) bool { return destroyFailure(unsafe.Pointer(h)) }

// LiveErrors returns the number of errors of this package that have not been destroyed.
func LiveErrors() int {
	failures.mu.RLock()
	defer failures.mu.RUnlock()
	return len(failures.live)
}

func failureOf(p unsafe.Pointer) *failure {
	failures.mu.RLock()
	defer failures.mu.RUnlock()
	return failures.live[uintptr(p)]
}

func destroyFailure(p unsafe.Pointer) bool {
	failures.mu.Lock()
	defer failures.mu.Unlock()
	_, ok := failures.live[uintptr(p)]
	delete(failures.live, uintptr(p))
	return ok
}

// text returns the message and its length.
func (x *failure) text() (*byte, uintptr) {
	return unsafe.SliceData(x.message), uintptr(len(x.message))
}

// visit calls a C visitor for each payload.
func (x *failure) visit(visitor capi.ErrorPayloadVisitor, userArg uintptr) {
	for _, p := range x.payloads {
		key, keySize := capi.StringData(p.Key)
		value, valueSize := capi.BytesData(p.Value)
		visitor.Call(key, keySize, value, valueSize, userArg)
	}
}

// fail makes the error that f returns. It returns 0 if f is a void function.
func fail(f *capi.Function, code capi.ErrorCode, format string, a ...any) uintptr {
	if f.Void {
		return 0
	}
	return errorWord(&capi.Error{Code: code, Message: fmt.Sprintf(format, a...)})
}

func errorWord(err error) uintptr { return uintptr(unsafe.Pointer(NewError(err))) }

// panicked makes an error from a panic in a func of f. If f is a void function, it logs the panic.
func panicked(f *capi.Function, v any) uintptr {
	if f.Void {
		slog.Error("panic in a func that answers a PJRT function", "function", f.Name, "panic", v, "stack", string(debug.Stack()))
		return 0
	}
	return fail(f, capi.ErrorCodeInternal, "panic in %s: %v\n%s", f.Name, v, debug.Stack())
}

// readsErrors reports whether f is one of the functions that read or destroy
// errors.
func readsErrors(f *capi.Function) bool { return errorFunctions[f] != nil }

// answerError runs a function that reads or destroys errors. It returns false for other functions,
// and for an error that does not belong to this package.
func answerError(f *capi.Function, args unsafe.Pointer) (word uintptr, ok bool) {
	answer := errorFunctions[f]
	if answer == nil || args == nil || *(*uintptr)(args) < f.Size {
		return 0, false
	}
	return answer(args)
}

// errorFunctions has the functions that read or destroy errors. They return false for an error that
// does not belong to this package.
var errorFunctions = map[*capi.Function]func(args unsafe.Pointer) (uintptr, bool){
	(*capi.ErrorDestroyArgs)(nil).Function(): func(args unsafe.Pointer) (uintptr, bool) {
		h := (*capi.ErrorDestroyArgs)(args).Error
		return 0, h == nil || destroyFailure(unsafe.Pointer(h))
	},
	(*capi.ErrorMessageArgs)(nil).Function(): func(args unsafe.Pointer) (uintptr, bool) {
		a := (*capi.ErrorMessageArgs)(args)
		x := failureOf(unsafe.Pointer(a.Error))
		if x != nil {
			a.Message, a.MessageSize = x.text()
		}
		return 0, x != nil
	},
	(*capi.ErrorGetCodeArgs)(nil).Function(): func(args unsafe.Pointer) (uintptr, bool) {
		a := (*capi.ErrorGetCodeArgs)(args)
		x := failureOf(unsafe.Pointer(a.Error))
		if x != nil {
			a.Code = x.code
		}
		return 0, x != nil
	},
	(*capi.ErrorForEachPayloadArgs)(nil).Function(): func(args unsafe.Pointer) (uintptr, bool) {
		a := (*capi.ErrorForEachPayloadArgs)(args)
		x := failureOf(unsafe.Pointer(a.Error))
		if x == nil {
			return 0, false
		}
		if a.Visitor == 0 {
			return fail(a.Function(), capi.ErrorCodeInvalidArgument, "the visitor of %s is null", a.Function().Name), true
		}
		x.visit(a.Visitor, a.UserArg)
		return 0, true
	},
	(*capi.ProfilerErrorDestroyArgs)(nil).Function(): func(args unsafe.Pointer) (uintptr, bool) {
		h := (*capi.ProfilerErrorDestroyArgs)(args).Error
		return 0, h == nil || destroyFailure(unsafe.Pointer(h))
	},
	(*capi.ProfilerErrorMessageArgs)(nil).Function(): func(args unsafe.Pointer) (uintptr, bool) {
		a := (*capi.ProfilerErrorMessageArgs)(args)
		x := failureOf(unsafe.Pointer(a.Error))
		if x != nil {
			a.Message, a.MessageSize = x.text()
		}
		return 0, x != nil
	},
	(*capi.ProfilerErrorGetCodeArgs)(nil).Function(): func(args unsafe.Pointer) (uintptr, bool) {
		a := (*capi.ProfilerErrorGetCodeArgs)(args)
		x := failureOf(unsafe.Pointer(a.Error))
		if x != nil {
			a.Code = int32(x.code)
		}
		return 0, x != nil
	},
}

// errorTable is the table of functions that the first word of each error points to. The functions
// ignore errors that do not belong to this package.
var errorTable = sync.OnceValue(func() *capi.ErrorFunctionTable {
	return &capi.ErrorFunctionTable{
		StructSize:   capi.ErrorFunctionTableSize,
		InstanceSize: capi.ErrorHandleSize,
		Destroy: capi.ErrorFunctionTableDestroy(purego.NewCallback(func(h unsafe.Pointer) uintptr {
			destroyFailure(h)
			return 0
		})),
		Message: capi.ErrorFunctionTableMessage(purego.NewCallback(func(h unsafe.Pointer, message **byte, size *uintptr) uintptr {
			if x := failureOf(h); x != nil {
				*message, *size = x.text()
			}
			return 0
		})),
		GetCode: capi.ErrorFunctionTableGetCode(purego.NewCallback(func(h unsafe.Pointer) uintptr {
			if x := failureOf(h); x != nil {
				return uintptr(x.code)
			}
			return uintptr(capi.ErrorCodeUnknown)
		})),
		ForEachPayload: capi.ErrorFunctionTableForEachPayload(purego.NewCallback(func(h unsafe.Pointer, visitor, userArg uintptr) uintptr {
			if x := failureOf(h); x != nil && visitor != 0 {
				x.visit(capi.ErrorPayloadVisitor(visitor), userArg)
			}
			return 0
		})),
	}
})
