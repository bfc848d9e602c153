// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import "unsafe"

// firstPage is the end of the addresses that no system uses: a pointer below it is a
// small number that was taken for a pointer.
const firstPage = 4096

// leadsSomewhere reports whether a pointer from the plugin can be valid.
func leadsSomewhere[E any](p *E) bool { return uintptr(unsafe.Pointer(p)) >= firstPage }
