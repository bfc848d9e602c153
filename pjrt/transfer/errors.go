// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import "github.com/purepjrt/purepjrt/pjrt"

// outOfRange returns the error for a range that is not within a buffer.
func outOfRange(offset, size, total int64) error {
	return pjrt.ErrOutOfRange.Errorf("%d bytes at %d are not within the %d bytes of the buffer", size, offset, total)
}
