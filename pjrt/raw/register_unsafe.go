// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package raw

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
)

// Register initializes a plugin that is already in the process, because it is linked
// into the program or because another library loaded it, and makes it known: from then
// on [pjrt.Open] finds it by name. address is what the plugin's GetPjrtApi returned.
// If the plugin itself does not state its kind, a name that contains the name of a kind,
// such as cuda, decides.
//
// Registering a table again returns the same Plugin, whatever the name. A name that
// belongs to another plugin is an error, pjrt.ErrAlreadyExists.
//
// The table must stay where it is until the process ends. The process crashes if there
// is no PJRT_Api at the address. For a table whose functions are written in Go, use
// [Plugin].
func Register(name string, address uintptr) (*pjrt.Plugin, error) {
	if address == 0 || address%unsafe.Alignof(capi.API{}) != 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("there can be no PJRT_Api at the address %#x", address)
	}
	// This is C memory: the collector neither moves nor frees it.
	table, err := capi.NewTable(*(**capi.API)(unsafe.Pointer(&address)))
	if err != nil {
		return nil, err
	}
	return as[*pjrt.Plugin](bridge.Root.Register(name, table))
}
