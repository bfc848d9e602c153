// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Error is what a plugin, or a check in front of it, failed with.
type Error = capi.Error

// The codes of errors, for errors.Is. They are those of Abseil and gRPC.
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

// ErrClosed is in the chain of the error that an object gives after its Close.
var ErrClosed = lifetime.ErrClosed

// Live returns how many objects exist in plugins, by kind: "client", "buffer",
// "executable", "event" and so on. Kinds without any are left out.
func Live() map[string]int { return lifetime.Live() }

// invalid is the error of a mistake that was found before C saw it.
func invalid(format string, args ...any) error {
	return &Error{Code: ErrInvalidArgument, Message: fmt.Sprintf(format, args...)}
}
