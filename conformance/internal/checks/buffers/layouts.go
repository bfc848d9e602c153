// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// keepsLayouts fails the check if buffers tell another layout than the one that they are made with,
// of any rank. make makes one, or fails, since a plugin may decline a layout.
func keepsLayouts(t *check.T, what string, make func(e dtype.Type, dims []int64, layout *capi.BufferMemoryLayout) (*capi.Buffer, error)) {
	for i, l := range check.Each(t, check.Layouts) {
		e := check.Width(i)
		b, err := make(e, l.Dims, check.TiledLayout(l.Order))
		if declined(err) {
			t.Notef("%s %v%v with minor_to_major %v is refused: %v", what, e, l.Dims, l.Order, err)
			continue
		} else if err != nil {
			t.Errorf("%s %v%v with minor_to_major %v: expected success, INVALID_ARGUMENT or UNIMPLEMENTED, got %v",
				what, e, l.Dims, l.Order, err)
			continue
		}
		check.Own(t, b)
		expectDims(t, b, l.Dims, what+" with minor_to_major "+show(l.Order))
		expectOrder(t, b, l.Order, what+" "+show(l.Dims)+" with minor_to_major "+show(l.Order))
		check.Destroy(t, b)
	}
}

// expectOrder fails the check if a buffer tells another order of dimensions.
func expectOrder(t *check.T, b *capi.Buffer, order []int64, what string) {
	if got, ok := reportedOrder(t, b); ok && !slices.Equal(got, order) {
		t.Errorf("minor_to_major of %s: got %v", what, got)
	}
}
