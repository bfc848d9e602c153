// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// host is what is known about one table of XLA.
type host struct {
	api   *API // in the plugin's memory
	minor int32
	table *capi.Table
}

// hosts are the tables seen so far, by their address. XLA's tables are static,
// so the map has as many entries as the process has plugins.
var hosts sync.Map // of *API to *host

// changedSince is the minor from which on the functions below take the structs
// that this package knows. Their structs had other fields before.
const changedSince = 4

// changed are the slots of those functions.
func (api *API) changed() []*uintptr {
	return []*uintptr{&api.ErrorGetDetails, &api.HandlerRegister, &api.TypeRegister, &api.StateSet, &api.StateGet}
}

// hostOf returns what is known about api. It fails on a table too short to
// state its version.
func hostOf(api *API) (*host, error) {
	if h, ok := hosts.Load(api); ok {
		return h.(*host), nil
	}
	if api == nil {
		return nil, errors.New("the table of XLA_FFI_Api is null")
	}
	const versionEnd = unsafe.Offsetof(api.APIVersion) + APIVersionSize
	if api.StructSize < versionEnd {
		return nil, fmt.Errorf("the table of XLA_FFI_Api has %d bytes, too few to state a version", api.StructSize)
	}
	// The table is copied, so that slots can be taken out of it: a function that
	// expects another struct than ours must look missing.
	c := new(API)
	n := min(api.StructSize, unsafe.Sizeof(*c))
	copy(unsafe.Slice((*byte)(unsafe.Pointer(c)), n), unsafe.Slice((*byte)(unsafe.Pointer(api)), n))
	c.StructSize = n
	h := &host{api: api, minor: c.APIVersion.MinorVersion}
	if c.APIVersion.MajorVersion != APIMajor {
		n = versionEnd
	} else if h.minor < changedSince {
		for _, slot := range c.changed() {
			*slot = 0
		}
	}
	h.table = capi.NewForeignTable(unsafe.Pointer(c), n, func(_ *capi.Table, f *capi.Function, p unsafe.Pointer) error {
		return h.takeError(f.Name, (*ErrorHandle)(p))
	})
	actual, _ := hosts.LoadOrStore(api, h)
	return actual.(*host), nil
}

// Table returns the table through which the functions of api are called:
//
//	var c capi.Call[ffi.InvokeContextGetArgs]
//	c.Args.Ctx, c.Args.TypeID = frame.Ctx, &id
//	err := c.Do(table)
//
// A function that api does not have gives an error of code
// capi.ErrorCodeUnimplemented, and so does one that takes another struct than
// this package's in the version of api: before 0.4 these are
// XLA_FFI_Error_GetDetails, XLA_FFI_Handler_Register, XLA_FFI_Type_Register,
// XLA_FFI_State_Set and XLA_FFI_State_Get, for which [TakeError], [Register],
// [RegisterType], [CallFrame.SetState] and [CallFrame.State] know older forms.
//
// The table of an api is always the same. It may be used from any goroutine.
func Table(api *API) (*capi.Table, error) {
	h, err := hostOf(api)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return h.table, nil
}

// Version returns the version of the interface that api states, and zeroes when
// it is too short for that.
func (api *API) Version() (major, minor int) {
	h, err := hostOf(api)
	if err != nil {
		return 0, 0
	}
	return int(h.api.APIVersion.MajorVersion), int(h.minor)
}

// slot returns the address of a function that may have been taken out of the
// table, as it stands in the plugin's.
func (h *host) slot(f *capi.Function) uintptr {
	if h.api.APIVersion.MajorVersion != APIMajor || f.Offset+unsafe.Sizeof(uintptr(0)) > h.api.StructSize {
		return 0
	}
	return *(*uintptr)(unsafe.Add(unsafe.Pointer(h.api), f.Offset))
}

// unimplemented is the error for something that the version of the host does
// not allow.
func (h *host) unimplemented(name, why string) error {
	return &capi.Error{
		Code: capi.ErrorCodeUnimplemented, Func: name, Missing: true,
		Message: fmt.Sprintf("XLA FFI API %d.%d %s", h.api.APIVersion.MajorVersion, h.minor, why),
	}
}

// noCode is no code: it is still there when XLA_FFI_Error_GetDetails was the
// XLA_FFI_Error_GetMessage of older versions, which has the same slot and the
// same fields up to the message.
const noCode ErrorCode = -1

// takeError turns e into an *capi.Error and frees it.
func (h *host) takeError(name string, e *ErrorHandle) error {
	if e == nil {
		return nil
	}
	err := &capi.Error{Code: capi.ErrorCodeUnknown, Func: name}
	d := &ErrorGetDetailsArgs{StructSize: ErrorGetDetailsArgsSize, Error: e, Errc: noCode}
	if code := h.slot(d.Function()); code != 0 {
		ccall.CallN(code, uintptr(unsafe.Pointer(d)))
		err.Message = capi.GoString(d.Message)
		if d.Errc != noCode {
			err.Code = capi.ErrorCode(d.Errc)
		}
	}
	var c capi.Call[ErrorDestroyArgs]
	c.Args.Error = e
	// A table without the function leaks the error; nothing else can be done.
	_ = c.Do(h.table)
	return err
}

// TakeError turns an XLA_FFI_Error that belongs to the caller into an
// *capi.Error and destroys it. It returns nil for nil. Before version 0.4 the
// interface does not tell the code of an error; it is capi.ErrorCodeUnknown then.
func TakeError(api *API, e *ErrorHandle) error {
	h, err := hostOf(api)
	if err != nil {
		return invalid("an error that nothing can read: %v", err)
	}
	return h.takeError("", e)
}

// NewError makes the XLA_FFI_Error of err, and nil of nil. Its code is that of
// capi.CodeOf, its text that of err up to a NUL. It belongs to the caller, who
// passes it to XLA or destroys it. It returns nil, too, when api cannot make
// errors.
func NewError(api *API, err error) *ErrorHandle {
	if err == nil {
		return nil
	}
	h, herr := hostOf(api)
	if herr != nil {
		return nil
	}
	text := err.Error()
	var e *capi.Error
	if errors.As(err, &e) && err == error(e) && e.Func == "" {
		text = e.Message
	}
	code := capi.CodeOf(err)
	if code == capi.ErrorCodeOK {
		code = capi.ErrorCodeUnknown
	}
	var c capi.Call[ErrorCreateArgs]
	c.Args = ErrorCreateArgs{StructSize: ErrorCreateArgsSize, Message: capi.CString(text), Errc: ErrorCode(code)}
	r, cerr := c.Raw(h.table)
	if cerr != nil {
		return nil
	}
	return (*ErrorHandle)(unsafe.Pointer(r))
}

// invalid is an error of code INVALID_ARGUMENT.
func invalid(format string, args ...any) error {
	return &capi.Error{Code: capi.ErrorCodeInvalidArgument, Message: fmt.Sprintf(format, args...)}
}
