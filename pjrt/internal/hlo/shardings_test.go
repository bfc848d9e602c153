// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	internalhlo "github.com/purepjrt/purepjrt/pjrt/internal/hlo"
)

// Compilers read beyond a list of shardings that is too short, so that whether they end the process
// is luck.
func TestTuplesNeedAShardingForEachArray(t *testing.T) {
	t.Parallel()
	const short = "the tuple root of the program has a sharding of 1 elements for its 2 arrays"
	const nested = "that has tuples in a tuple"
	array := hlo.Array(dtype.F32, 4)
	pair := hlo.Tuple(array, array)
	one, two := []byte{8, 2, 42, 0}, []byte{8, 2, 42, 0, 42, 0}
	for name, c := range map[string]struct {
		root, inner, argument []byte
		shape                 hlo.Shape
		minor                 int
		want                  string
	}{
		"all have one":               {root: two, inner: two, argument: two, shape: pair, minor: 115},
		"the root lacks one":         {root: one, shape: pair, minor: 81, want: short},
		"an argument lacks one":      {argument: one, shape: pair, minor: 106, want: "the parameter argument"},
		"another lacks one":          {inner: one, shape: pair, minor: 115},
		"no tuple":                   {root: []byte{}, shape: array, minor: 115},
		"a tuple of nothing":         {root: []byte{}, shape: hlo.Tuple(), minor: 115},
		"arrays in tuples":           {root: two, shape: hlo.Tuple(hlo.Tuple(array), hlo.Tuple(array)), minor: 115},
		"too few arrays in tuples":   {root: two, shape: hlo.Tuple(pair, array), minor: 115, want: "of 2 elements for its 3 arrays"},
		"tuples of shardings":        {inner: []byte{8, 2, 42, 0, 42, 2, 8, 2}, shape: pair, minor: 115, want: nested},
		"tuples of shardings by 106": {inner: []byte{8, 2, 42, 0, 42, 2, 8, 2}, shape: pair, minor: 106},
		"another compiler":           {root: one, shape: pair},
	} {
		argument := &hlo.Instruction{Name: "argument", Opcode: "parameter", Shape: pair, Sharding: c.argument}
		inner := &hlo.Instruction{Opcode: "copy", Shape: pair, Operands: []*hlo.Instruction{argument}, Sharding: c.inner}
		// Nothing checks that the operands fit.
		root := &hlo.Instruction{Name: "root", Opcode: "custom-call", Shape: c.shape, Operands: []*hlo.Instruction{inner}, Sharding: c.root}
		if c.want == short {
			root.Opcode, root.Operands = "tuple", []*hlo.Instruction{inner, inner}
		}
		entry := &hlo.Computation{Name: "main", Instructions: []*hlo.Instruction{argument, inner, root}, Root: root}
		code, err := (&hlo.Module{Name: "m", Computations: []*hlo.Computation{entry}, Entry: entry}).Encode()
		require.NoError(t, err)
		err = internalhlo.Check(t.Context(), code, dataflow.Compiler{Minor: c.minor})
		if c.want == "" {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorContains(t, err, c.want, name)
		}
	}
}
