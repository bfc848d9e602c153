// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "github.com/purepjrt/purepjrt/capi"

// wrongLayout returns the layout of b and the one that the program was compiled for, if
// they differ, and nil otherwise. h is the handle of b.
func (e *Executable) wrongLayout(parameter int, b *Buffer, h *capi.Buffer) (got, want *Layout) {
	layouts := e.layouts()
	if parameter >= len(layouts) || layouts[parameter] == nil {
		return nil, nil
	}
	if layouts[parameter].isCommon() && !b.client.permuted.Load() {
		return nil, nil // like all arrays of the client
	}
	if got := b.knownLayout(h); got != nil && got.differs(layouts[parameter], *b.shape) {
		return got, layouts[parameter]
	}
	return nil, nil
}

func (e *Executable) hasLayout(b *Buffer, parameter int, h *capi.Buffer) bool {
	wrong, _ := e.wrongLayout(parameter, b, h)
	return wrong == nil
}

func wrongLayout(argument string, got, want *Layout) error {
	return invalid("%s has the layout %v in the memory of the device, and the program was compiled for %v: "+
		"make the buffer with that layout, or compile with CompileOptions.ArgumentLayouts", argument, got, want)
}
