// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// Error is an error of a plugin, or of this package's checks before a call.
type Error = capi.Error

// The codes of errors, for errors.Is. Abseil and gRPC have the same codes. Their method Errorf
// makes an error with the code.
const (
	ErrCancelled          = capi.ErrorCodeCancelled
	ErrUnknown            = capi.ErrorCodeUnknown
	ErrInvalidArgument    = capi.ErrorCodeInvalidArgument
	ErrDeadlineExceeded   = capi.ErrorCodeDeadlineExceeded
	ErrNotFound           = capi.ErrorCodeNotFound
	ErrAlreadyExists      = capi.ErrorCodeAlreadyExists
	ErrPermissionDenied   = capi.ErrorCodePermissionDenied
	ErrResourceExhausted  = capi.ErrorCodeResourceExhausted
	ErrFailedPrecondition = capi.ErrorCodeFailedPrecondition
	ErrAborted            = capi.ErrorCodeAborted
	ErrOutOfRange         = capi.ErrorCodeOutOfRange
	ErrUnimplemented      = capi.ErrorCodeUnimplemented
	ErrInternal           = capi.ErrorCodeInternal
	ErrUnavailable        = capi.ErrorCodeUnavailable
	ErrDataLoss           = capi.ErrorCodeDataLoss
	ErrUnauthenticated    = capi.ErrorCodeUnauthenticated
)

// ErrClosed is in the error chain when a closed object is used.
var ErrClosed = lifetimes.ErrClosed

// Live counts the objects that exist in plugins, by kind: "client", "buffer",
// "executable", "event" and so on. It leaves out kinds without objects.
func Live() map[string]int { return lifetimes.Live() }

// invalid returns the error for a caller's mistake, found before the plugin was called.
func invalid(format string, args ...any) error { return ErrInvalidArgument.Errorf(format, args...) }

// failed returns one of this package's own errors, with any code.
func failed(code capi.ErrorCode, format string, args ...any) error {
	return code.Errorf(format, args...)
}

// misbehaved returns the error for a plugin that broke the contract of the function f.
// The format continues the sentence that "the plugin" begins.
func misbehaved(f *capi.Function, format string, args ...any) error {
	return f.Misbehaved(format, args...)
}

// tooOld returns the error for a plugin whose API is older than a feature that the caller
// asked for.
func tooOld(table *capi.Table, what string, since int) error {
	major, minor := table.Version()
	return &Error{Code: ErrUnimplemented, Missing: true,
		Message: fmt.Sprintf("%s came with API %d.%d, and the plugin has API %d.%d", what, capi.APIMajor, since, major, minor)}
}

// failure returns the code and the message that report err to a plugin. The message does
// not repeat the code, and the code is never OK.
func failure(err error) (capi.ErrorCode, string) {
	code := capi.CodeOf(err)
	if code == capi.ErrorCodeOK {
		code = ErrUnknown
	}
	if e, ok := err.(*Error); ok {
		return code, e.Message
	}
	return code, err.Error()
}

// optional drops err if it says that the plugin does not implement the function.
func optional(err error) error {
	if errors.Is(err, ErrUnimplemented) {
		return nil
	}
	return err
}

// readError reads an error that the plugin passed to a callback. It does not destroy the
// error, since no header says that a callback owns it.
func readError(table *capi.Table, h *capi.ErrorHandle) error {
	if h == nil {
		return nil
	}
	e := &Error{Code: ErrUnknown}
	var code capi.Call[capi.ErrorGetCodeArgs]
	code.Args.Error = h
	if err := code.Do(table); err == nil {
		e.Code = code.Args.Code
	}
	var message capi.Call[capi.ErrorMessageArgs]
	message.Args.Error = h
	if err := message.Do(table); err == nil {
		e.Message = capi.String(message.Args.Message, message.Args.MessageSize)
	}
	return e
}
