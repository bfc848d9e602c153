// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
)

// failed makes an error for a function to return.
func failed(code capi.ErrorCode, format string, args ...any) error {
	return &capi.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) error {
	return failed(capi.ErrorCodeInvalidArgument, format, args...)
}

func unimplemented(format string, args ...any) error {
	return failed(capi.ErrorCodeUnimplemented, format, args...)
}

// asError turns any error into one with a code.
func asError(err error) *capi.Error {
	if e, ok := err.(*capi.Error); ok || err == nil {
		return e
	}
	return &capi.Error{Code: capi.CodeOf(err), Message: err.Error()}
}
