// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetime

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Otherwise a program that makes one client after the other would need more and more memory.
func TestACounterForgetsTheFamiliesOfClosedParents(t *testing.T) {
	type object struct{ _ int }
	kind := t.Name()
	none := func(*object, *int) {}
	for range 3 {
		parent := New(kind+" parent", new(object), nil, func(*object) {})
		family := NewFamily(kind, parent, none)
		var r Ref[object]
		family.Init(&r, new(object))
		assert.Len(t, counterOf(kind).places, 1)
		require.NoError(t, r.Close())
		require.NoError(t, parent.Close())
		assert.Empty(t, counterOf(kind).places)
		NewFamily(kind, parent, none)
		assert.Empty(t, counterOf(kind).places, "the parent is closed")
	}
}
