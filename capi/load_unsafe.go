// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// library is the system's handle of a loaded library.
type library uintptr

// table calls the library's entry point.
func (l library) table() (*Table, error) {
	entry, err := l.symbol("GetPjrtApi")
	if err != nil || entry == 0 {
		return nil, ErrNoEntryPoint
	}
	p, _ := ccall.CallN(entry)
	return NewTable(*(**API)(unsafe.Pointer(&p)))
}
