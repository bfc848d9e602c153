// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// registry keeps alive the structs by which C identifies callbacks, until C calls their destructor.
// The structs are in Go memory, which does not move.
type registry[S, V any] struct {
	mu   sync.Mutex
	live map[uintptr]registered[S, V] // guarded by mu; by the address of the struct
}

type registered[S, V any] struct {
	callbacks *S
	value     V
}

// add keeps callbacks alive until take.
func (r *registry[S, V]) add(callbacks *S, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live == nil {
		r.live = make(map[uintptr]registered[S, V])
	}
	r.live[uintptr(unsafe.Pointer(callbacks))] = registered[S, V]{callbacks, value}
}

func (r *registry[S, V]) value(address uintptr) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.live[address]
	return e.value, ok
}

// take ends the registration. If it is called twice, only one call gets the value.
func (r *registry[S, V]) take(address uintptr) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.live[address]
	delete(r.live, address)
	return e.value, ok
}

// answer runs the function of a callback and returns its error as code and text for C.
func answer(callback string, run func() error) (code ErrorCode, text string, failed bool) {
	err := call(callback, run)
	if err == nil {
		return ErrorCodeOK, "", false
	}
	text = err.Error()
	var e *Error
	if errors.As(err, &e) && err == error(e) {
		text = e.Message
	}
	if code = CodeOf(err); code == ErrorCodeOK {
		code = ErrorCodeUnknown
	}
	return code, text, true
}

// deleted returns the error of a callback that is called after its destructor.
func deleted(callback string) error {
	return &Error{Code: ErrorCodeFailedPrecondition, Message: callback + " was called after its destructor"}
}

// XLATransform has the functions for XLATransformCallbacks.
type XLATransform struct {
	// Transform gets a program, a serialized HloModuleProto message that it owns, and returns the
	// program to use instead, or nil to keep it. Compilations wait for Transform, and fail if it
	// returns an error.
	Transform func(module []byte) ([]byte, error)
	// Deleted is called, unless nil, when the plugin no longer needs the functions.
	Deleted func()
}

var xlaTransforms registry[XLATransformCallbacks, XLATransform]

// NewXLATransform makes the callbacks of RegisterXLATransformArgs and ClearXLATransformArgs. They
// live until the plugin calls their destructor. If registering fails, call it yourself (Dtor.Call).
func NewXLATransform(t XLATransform) *XLATransformCallbacks {
	c := &XLATransformCallbacks{
		Version:            XLATransformExtensionVersion,
		Dtor:               XLATransformCallbacksDtor(transformDtorEntry()),
		TransformHLOModule: XLATransformCallbacksTransformHLOModule(transformEntry()),
	}
	xlaTransforms.add(c, t)
	return c
}

var transformDtorEntry = entry(func(self uintptr) uintptr {
	if t, ok := xlaTransforms.take(self); ok && t.Deleted != nil {
		tell("PJRT_XlaTransform_Callbacks.dtor", t.Deleted)
	}
	return 0
})

var transformEntry = entry(func(self uintptr, args *XLATransformArgs) uintptr {
	const name = "PJRT_XlaTransform_Callbacks.transform_hlo_module"
	var result []byte
	code, text, failed := answer(name, func() (err error) {
		t, ok := xlaTransforms.value(self)
		switch {
		case !ok:
			return deleted(name)
		case args.StructSize < XLATransformArgsSize:
			return &Error{Code: ErrorCodeInvalidArgument,
				Message: fmt.Sprintf("%s: arguments of %d bytes instead of %d", name, args.StructSize, XLATransformArgsSize)}
		case t.Transform == nil:
			return nil
		}
		result, err = t.Transform(Bytes(args.HLOModule.Data, args.HLOModule.Size))
		return err
	})
	h := &args.Header
	h.Data, h.CleanupFn, h.HasError = 0, 0, failed
	if failed {
		h.Code = code
		h.ErrorMsg.Data, h.ErrorMsg.Size = StringData(text)
		h.Data, h.CleanupFn = uintptr(NewHandle(text)), XLATransformVersionAndErrorCleanupFn(HandleDeleter())
		return 0
	}
	if args.Changed = result != nil; args.Changed {
		args.TransformedHLOModule.Data, args.TransformedHLOModule.Size = BytesData(result)
		h.Data, h.CleanupFn = uintptr(NewHandle(result)), XLATransformVersionAndErrorCleanupFn(HandleDeleter())
	}
	return 0
})
