// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

func TestAModuleWithoutItsScheduleIsOtherwiseTheSame(t *testing.T) {
	t.Parallel()
	m := module(arrayOf(1))
	scheduled := wire.AppendBytes(m[:len(m):len(m)], 7, []byte{10, 0})
	scheduled = wire.AppendBytes(scheduled, 18, "")
	assert.Equal(t, wire.AppendBytes(m[:len(m):len(m)], 18, ""), hlo.Uncompiled(scheduled))
	assert.Equal(t, []byte("no module"), hlo.Uncompiled([]byte("no module")))
}

func TestFusionsBecomeCalls(t *testing.T) {
	t.Parallel()
	calls := func(opcode string, kind []byte) []byte {
		fusion := wire.AppendBytes(wire.AppendBytes(wire.AppendBytes(nil, 1, "q"), 2, opcode), 38, []byte{1})
		instruction := wire.AppendBytes(wire.AppendBytes(nil, 2, wire.AppendBytes(nil, 2, "parameter")), 2, append(fusion, kind...))
		return wire.AppendBytes(module(arrayOf(1)), 3, instruction)
	}
	kind := wire.AppendBytes(nil, 11, "kLoop")
	assert.Equal(t, calls("call", nil), hlo.Uncompiled(calls("fusion", kind)))
	assert.Equal(t, calls("custom-call", kind), hlo.Uncompiled(calls("custom-call", kind)))
}

// A bitcast means what the layouts of both arrays say.
func TestBitcastsBecomeOperationsOnElements(t *testing.T) {
	t.Parallel()
	const f32, s32 = 11, 4
	shape := func(element int32, dims []int64, minorToMajor ...int) xlaproto.Shape {
		return xlaproto.Shape{ElementType: element, Dims: dims, Layout: &xlaproto.Layout{MinorToMajor: minorToMajor}}
	}
	tiled := shape(f32, []int64{2, 3}, 1, 0)
	tiled.Layout.Tiles = []xlaproto.Tile{{Dims: []int64{8, 128}}}
	bounded := shape(f32, []int64{2, 3}, 1, 0)
	bounded.Dynamic = []bool{true, false}
	for name, c := range map[string]struct {
		from, to xlaproto.Shape
		want     string
	}{
		"the same order":    {shape(f32, []int64{2, 3}, 1, 0), shape(f32, []int64{6}, 0), "reshape"},
		"the same bits":     {shape(f32, []int64{2, 3}, 1, 0), shape(s32, []int64{2, 3}, 1, 0), "bitcast-convert"},
		"scalars":           {shape(f32, nil), shape(s32, nil), "bitcast-convert"},
		"other bits":        {shape(f32, []int64{2, 3}, 1, 0), shape(s32, []int64{6}, 0), "bitcast"},
		"another order":     {shape(f32, []int64{2, 3}, 0, 1), shape(f32, []int64{6}, 0), "bitcast"},
		"into another one":  {shape(f32, []int64{6}, 0), shape(f32, []int64{2, 3}, 0, 1), "bitcast"},
		"tiles":             {tiled, shape(f32, []int64{6}, 0), "bitcast"},
		"unknown sizes":     {bounded, shape(f32, []int64{6}, 0), "bitcast"},
		"no layout":         {xlaproto.Shape{ElementType: f32, Dims: []int64{2, 3}}, shape(f32, []int64{6}, 0), "bitcast"},
		"a tuple of arrays": {xlaproto.Shape{ElementType: xlaproto.PrimitiveTuple}, shape(f32, []int64{6}, 0), "bitcast"},
	} {
		with := func(opcode string) []byte {
			instruction := func(id int, opcode string, shape []byte, operands ...byte) []byte {
				b := wire.AppendBytes(wire.AppendBytes(nil, 2, opcode), 3, shape)
				return wire.AppendBytes(nil, 2, wire.AppendBytes(wire.AppendNonzero(b, 35, id), 36, operands))
			}
			computation := slices.Concat(instruction(1, "parameter", c.from.Marshal()), instruction(2, opcode, c.to.Marshal(), 1))
			return wire.AppendBytes(wire.AppendBytes(nil, 1, "m"), 3, computation)
		}
		assert.Equal(t, with(c.want), hlo.Uncompiled(with("bitcast")), name)
	}
}
