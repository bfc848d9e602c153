// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// badPointer returns an address at which there is no event.
func badPointer() *capi.Event {
	address := uintptr(0x10)
	return *(**capi.Event)(unsafe.Pointer(&address))
}
