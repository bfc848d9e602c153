// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import "unsafe"

// view returns b as a string without a copy: programs have constants of hundreds of megabytes.
// Nothing may keep the string, or parts of it, since the caller may change b later.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
