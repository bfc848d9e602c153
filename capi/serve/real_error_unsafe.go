// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// readReal reads an error that a function of a wrapped plugin returned. It ignores errors of
// reading.
func readReal(real *capi.Table, f *capi.Function, err unsafe.Pointer) *capi.Error {
	e := &capi.Error{Code: capi.ErrorCodeUnknown}
	if f.Errors == capi.ErrorsProfiler {
		h := (*capi.ProfilerErrorHandle)(err)
		var code capi.Call[capi.ProfilerErrorGetCodeArgs]
		if code.Args.Error = h; code.Do(real) == nil {
			e.Code = capi.ErrorCode(code.Args.Code)
		}
		var text capi.Call[capi.ProfilerErrorMessageArgs]
		if text.Args.Error = h; text.Do(real) == nil {
			e.Message = capi.String(text.Args.Message, text.Args.MessageSize)
		}
		return e
	}
	h := (*capi.ErrorHandle)(err)
	var code capi.Call[capi.ErrorGetCodeArgs]
	if code.Args.Error = h; code.Do(real) == nil {
		e.Code = code.Args.Code
	}
	var text capi.Call[capi.ErrorMessageArgs]
	if text.Args.Error = h; text.Do(real) == nil {
		e.Message = capi.String(text.Args.Message, text.Args.MessageSize)
	}
	if each := new(capi.Call[capi.ErrorForEachPayloadArgs]); real.Has(each.Function()) {
		visitor, handle := capi.NewErrorPayloadVisitor(func(key string, value []byte) {
			e.Payloads = append(e.Payloads, capi.Payload{Key: key, Value: value})
		})
		defer handle.Delete()
		each.Args.Error, each.Args.Visitor, each.Args.UserArg = h, visitor, uintptr(handle)
		_ = each.Do(real)
	}
	return e
}

// destroyReal destroys such an error.
func destroyReal(real *capi.Table, f *capi.Function, err unsafe.Pointer) {
	if f.Errors == capi.ErrorsProfiler {
		var c capi.Call[capi.ProfilerErrorDestroyArgs]
		c.Args.Error = (*capi.ProfilerErrorHandle)(err)
		_ = c.Do(real)
		return
	}
	var c capi.Call[capi.ErrorDestroyArgs]
	c.Args.Error = (*capi.ErrorHandle)(err)
	_ = c.Do(real) // if this fails, the plugin leaks the error
}
