// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// failed returns an error that this package found, rather than the plugin.
func failed(code capi.ErrorCode, format string, args ...any) error {
	return &pjrt.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// invalid returns the error for a wrong argument.
func invalid(format string, args ...any) error {
	return failed(pjrt.ErrInvalidArgument, format, args...)
}

// outOfRange returns the error for a range that is not within a buffer.
func outOfRange(offset, size, total int64) error {
	return failed(pjrt.ErrOutOfRange, "%d bytes at %d are not within the %d bytes of the buffer", size, offset, total)
}
