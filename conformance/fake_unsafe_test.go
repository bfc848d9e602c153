// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// badPointer is what no event is.
func badPointer() *capi.Event {
	address := uintptr(0x10)
	return *(**capi.Event)(unsafe.Pointer(&address))
}
