// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Register makes a plugin known whose table is in the process already, because
// the plugin is linked into the program or another library loaded it, and
// initializes it. address is what its GetPjrtApi returned. From then on [Open]
// finds the plugin by name. A name with the name of a kind in it, such as cuda,
// tells that kind, when the plugin itself does not.
//
// The same table gives the same Plugin, by whatever names and however often. A
// name that is another plugin's is an error, ErrAlreadyExists.
//
// The table must stay where it is until the process ends. An address that is not
// that of a PJRT_Api crashes the process. For tables of functions in Go there is
// [FromTable].
func Register(name string, address uintptr) (*Plugin, error) {
	if address == 0 || address%unsafe.Alignof(capi.API{}) != 0 {
		return nil, invalid("%#x is no address of a PJRT_Api", address)
	}
	// C memory: the collector neither moves nor frees it.
	table, err := capi.NewTable(*(**capi.API)(unsafe.Pointer(&address)))
	if err != nil {
		return nil, err
	}
	return register(name, table)
}
