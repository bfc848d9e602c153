// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import "github.com/purepjrt/purepjrt/capi"

// invalid returns the error for a mistake of the caller.
func invalid(format string, args ...any) error {
	return capi.ErrorCodeInvalidArgument.Errorf(format, args...)
}

// asError turns any error into one with a code.
func asError(err error) *capi.Error {
	if e, ok := err.(*capi.Error); ok || err == nil {
		return e
	}
	return &capi.Error{Code: capi.CodeOf(err), Message: err.Error()}
}
