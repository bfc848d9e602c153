// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "github.com/purepjrt/purepjrt/capi"

// otherLayout returns the layout of b if it is certainly not want, and nil otherwise. h is the
// handle of b, and a nil want is an unknown layout.
func (b *Buffer) otherLayout(want *Layout, h *capi.Buffer) *Layout {
	if want == nil || want.isCommon() && !b.client.permuted.Load() {
		return nil // as all arrays of the client are
	}
	if got := b.knownLayout(h); got != nil && got.differs(want, *b.shape) {
		return got
	}
	return nil
}

func wrongLayout(argument string, got, want *Layout) error {
	return invalid("%s has the layout %v in the memory of the device, and the program was compiled for %v: "+
		"make the buffer with that layout, or compile with CompileOptions.ArgumentLayouts", argument, got, want)
}
