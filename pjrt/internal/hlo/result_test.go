// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

func TestAModuleStatesTheResultsOfItsEntry(t *testing.T) {
	t.Parallel()
	array := xlaproto.Shape{ElementType: 11, Dims: []int64{4}}
	tuple := func(parts ...xlaproto.Shape) xlaproto.Shape {
		return xlaproto.Shape{ElementType: xlaproto.PrimitiveTuple, Tuple: parts}
	}
	for name, c := range map[string]struct {
		stated, made xlaproto.Shape
		entry, root  int64
		agree        bool
	}{
		"arrays":                {array, array, 1, 2, true},
		"tuples":                {tuple(array, array), tuple(array, array), 1, 2, true},
		"tuple for an array":    {tuple(array), array, 1, 2, false},
		"array for a tuple":     {array, tuple(array), 1, 2, false},
		"another number":        {tuple(array, array), tuple(array), 1, 2, false},
		"a tuple in a tuple":    {tuple(tuple(array)), tuple(tuple(array)), 1, 2, true},
		"another number in one": {tuple(tuple(array, array)), tuple(tuple(array)), 1, 2, false},
		"no such root":          {tuple(array), array, 1, 3, true},
		"no such entry":         {tuple(array), array, 3, 2, true},
		"another root":          {array, tuple(array), 1, 1, true},
	} {
		instruction := func(id int64, shape xlaproto.Shape) []byte {
			return wire.AppendBytes(nil, 2, wire.AppendNonzero(wire.AppendBytes(wire.AppendBytes(nil, 2, "parameter"), 3, shape.Marshal()), 35, id))
		}
		computation := slices.Concat(instruction(1, array), instruction(2, c.made))
		computation = wire.AppendNonzero(wire.AppendNonzero(computation, 5, int64(1)), 6, c.root)
		m := wire.AppendBytes(wire.AppendBytes(nil, 1, "m"), 3, computation)
		m = wire.AppendNonzero(wire.AppendBytes(m, 4, wire.AppendBytes(nil, 2, c.stated.Marshal())), 6, c.entry)
		err := hlo.Check(context.Background(), m, dataflow.Compiler{Minor: 115})
		if c.agree {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorContains(t, err, "states other results", name)
		}
		assert.NoError(t, hlo.Check(context.Background(), m, dataflow.Compiler{}), name)
	}
}
