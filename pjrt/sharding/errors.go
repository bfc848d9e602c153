// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding

import (
	"fmt"

	"github.com/purepjrt/purepjrt/pjrt"
)

// invalid returns the error for a wrong argument.
func invalid(format string, args ...any) error {
	return &pjrt.Error{Code: pjrt.ErrInvalidArgument, Message: fmt.Sprintf(format, args...)}
}
