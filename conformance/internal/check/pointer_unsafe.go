// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import "unsafe"

// firstPage is where no system puts anything: an address there is a small
// number that was taken for a pointer.
const firstPage = 4096

// leadsSomewhere reports whether a pointer of the plugin's can be one.
func leadsSomewhere[E any](p *E) bool { return uintptr(unsafe.Pointer(p)) >= firstPage }
