// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// host describes a table of XLA.
type host struct {
	api   *API // in the plugin's memory
	minor int32
	table *capi.Table

	stages   func() bool // of minor 3: whether XLA_FFI_State_Get takes a stage
	recorded func() bool // whether XLA_FFI_Handler_Register takes a handler that records
}

// hosts has the tables seen so far, by address. XLA's tables are static, so the map has as many
// entries as the process has plugins.
var hosts sync.Map // of *API to *host

// changedSince is the first minor in which the functions below take the structs that this package
// knows. Before that, the structs had other fields.
const changedSince = 4

// stagesSince is the first minor in which states belong to stages. Some hosts of that minor may be
// older than the stages.
const stagesSince = 3

// changed are the slots of those functions.
func (api *API) changed() []*uintptr {
	return []*uintptr{&api.ErrorGetDetails, &api.HandlerRegister, &api.TypeRegister, &api.StateSet, &api.StateGet}
}

// expects returns the size of the struct that a function takes, or 0 if that is unknown. XLA checks
// the size before anything else, and names the one that it expects.
func (h *host) expects(f *capi.Function) (size uintptr) {
	code := h.slot(f)
	if code == 0 {
		return 0
	}
	nothing := new([32]uintptr)
	r, _ := ccall.CallN(code, uintptr(unsafe.Pointer(nothing)))
	var e *capi.Error
	if errors.As(h.takeError(f.Name, *(**ErrorHandle)(unsafe.Pointer(&r))), &e) {
		if _, rest, ok := strings.Cut(e.Message, "size: expected "); ok {
			_, _ = fmt.Sscanf(rest, "%d", &size)
		}
	}
	return size
}

// hasStages reports whether states belong to stages.
func (h *host) hasStages() bool {
	return h.minor >= changedSince || h.minor == stagesSince && h.stages()
}

// hostOf returns the host for api. It fails if the table is too short to have a version.
func hostOf(api *API) (*host, error) {
	if h, ok := hosts.Load(api); ok {
		return h.(*host), nil
	}
	if api == nil {
		return nil, errors.New("the table of XLA_FFI_Api is null")
	}
	const versionEnd = unsafe.Offsetof(api.APIVersion) + APIVersionSize
	if api.StructSize < versionEnd {
		return nil, fmt.Errorf("the table of XLA_FFI_Api has %d bytes, too few for a version", api.StructSize)
	}
	// Copy the table, so that slots can be cleared: functions that expect other structs than ours
	// must look missing.
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
	h.stages = sync.OnceValue(func() bool {
		return h.expects((*StateGetArgs)(nil).Function()) == StateGetArgsSize
	})
	h.recorded = sync.OnceValue(func() bool {
		return h.expects((*HandlerRegisterArgs)(nil).Function()) != handlerRegisterArgs2Size
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
// Calling a function that api does not have gives an error with the code
// capi.ErrorCodeUnimplemented. So does calling a function that takes another struct in the version
// of api. Before 0.4 these are XLA_FFI_Error_GetDetails, XLA_FFI_Handler_Register,
// XLA_FFI_Type_Register, XLA_FFI_State_Set and XLA_FFI_State_Get, for which [TakeError],
// [Register], [RegisterType], [CallFrame.SetState] and [CallFrame.State] know older forms.
//
// For the same api, Table always returns the same table. Any goroutine may use it.
func Table(api *API) (*capi.Table, error) {
	h, err := hostOf(api)
	if err != nil {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	return h.table, nil
}

// Version returns the version of api, or zeros if the table is too short to have one.
func (api *API) Version() (major, minor int) {
	h, err := hostOf(api)
	if err != nil {
		return 0, 0
	}
	return int(h.api.APIVersion.MajorVersion), int(h.minor)
}

// slot returns the address of a function from the plugin's own table. It may be cleared in the
// copy.
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

// noCode is not a valid code. If it is still there after a call of XLA_FFI_Error_GetDetails, the
// host has the older XLA_FFI_Error_GetMessage in that slot, which has the same fields up to the
// message.
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
	// Without the function, the error leaks.
	_ = c.Do(h.table)
	return err
}

// TakeError turns an XLA_FFI_Error that the caller owns into an *capi.Error and destroys it. It
// returns nil for nil. Before version 0.4, hosts do not report the code of an error, so the code is
// capi.ErrorCodeUnknown.
func TakeError(api *API, e *ErrorHandle) error {
	h, err := hostOf(api)
	if err != nil {
		return capi.ErrorCodeInvalidArgument.Errorf("the error cannot be read: %v", err)
	}
	return h.takeError("", e)
}

// NewError makes an XLA_FFI_Error from err. Its code is capi.CodeOf(err), and its text is err's
// text, with \x00 in place of zero bytes, at which a text of C ends. The caller owns the error, and
// passes it to XLA or destroys it. NewError returns nil if err is nil, and also if api cannot make
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
	message := capi.CString(strings.ReplaceAll(text, "\x00", `\x00`))
	c.Args = ErrorCreateArgs{StructSize: ErrorCreateArgsSize, Message: message, Errc: ErrorCode(code)}
	r, cerr := c.Raw(h.table)
	if cerr != nil {
		return nil
	}
	return (*ErrorHandle)(unsafe.Pointer(r))
}
