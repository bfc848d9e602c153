// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
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
	type instruction struct {
		opcode     string
		dimensions []int64
	}
	opcodes := func(list ...string) (out []instruction) {
		for _, o := range list {
			out = append(out, instruction{opcode: o})
		}
		return out
	}
	for name, c := range map[string]struct {
		from, to xlaproto.Shape
		want     []instruction
	}{
		"the same order":   {shape(f32, []int64{2, 3}, 1, 0), shape(f32, []int64{6}, 0), opcodes("reshape")},
		"the same bits":    {shape(f32, []int64{2, 3}, 0, 1), shape(s32, []int64{2, 3}, 0, 1), opcodes("bitcast-convert")},
		"scalars":          {shape(f32, nil), shape(s32, nil), opcodes("bitcast-convert")},
		"another order":    {shape(f32, []int64{2, 3}, 0, 1), shape(f32, []int64{6}, 0), []instruction{{"transpose", []int64{1, 0}}, {"reshape", nil}}},
		"into another one": {shape(f32, []int64{6}, 0), shape(f32, []int64{2, 3}, 0, 1), []instruction{{"reshape", nil}, {"transpose", []int64{1, 0}}}},
		"turned":           {shape(f32, []int64{2, 5, 4}, 2, 1, 0), shape(f32, []int64{5, 2, 4}, 2, 0, 1), []instruction{{"transpose", []int64{1, 0, 2}}}},
		"twice": {shape(f32, []int64{2, 3, 4}, 1, 0, 2), shape(f32, []int64{3, 8}, 0, 1),
			[]instruction{{"transpose", []int64{2, 0, 1}}, {"reshape", nil}, {"transpose", []int64{1, 0}}}},
		"other bits":           {shape(f32, []int64{2, 3}, 1, 0), shape(s32, []int64{6}, 0), opcodes("bitcast")},
		"other bits elsewhere": {shape(f32, []int64{2, 3}, 1, 0), shape(s32, []int64{2, 3}, 0, 1), opcodes("bitcast")},
		"tiles":                {tiled, shape(f32, []int64{6}, 0), opcodes("bitcast")},
		"unknown sizes":        {bounded, shape(f32, []int64{6}, 0), opcodes("bitcast")},
		"no layout":            {xlaproto.Shape{ElementType: f32, Dims: []int64{2, 3}}, shape(f32, []int64{6}, 0), opcodes("bitcast")},
		"no order":             {shape(f32, []int64{2, 3}, 1, 1), shape(f32, []int64{6}, 0), opcodes("bitcast")},
		"a tuple of arrays":    {xlaproto.Shape{ElementType: xlaproto.PrimitiveTuple}, shape(f32, []int64{6}, 0), opcodes("bitcast")},
	} {
		const other = 7 << 32 // a computation has its number in the upper half
		made := func(id int, opcode string, shape []byte, operand int) []byte {
			b := wire.AppendBytes(wire.AppendBytes(nil, 2, opcode), 3, shape)
			return wire.AppendBytes(nil, 2, wire.AppendInts(wire.AppendNonzero(b, 35, id), 36, []int{operand}))
		}
		computation := slices.Concat(made(other+1, "parameter", c.from.Marshal(), 0), made(other+2, "bitcast", c.to.Marshal(), other+1))
		module := wire.AppendBytes(wire.AppendBytes(nil, 1, "m"), 3, computation)
		var got []instruction
		last := int64(other + 1)
		require.NoError(t, wire.VisitMessages(hlo.Uncompiled(module), 3, func(computation []byte) error {
			return wire.VisitMessages(computation, 2, func(raw []byte) error {
				var i instruction
				var id int64
				var operands []int64
				err := wire.Visit(raw, func(f wire.Field) error {
					switch f.Number {
					case 2:
						i.opcode = string(f.Bytes)
					case 14:
						return wire.Ints(&i.dimensions, f)
					case 35:
						id = int64(f.Int)
					case 36:
						return wire.Ints(&operands, f)
					}
					return nil
				})
				if i.opcode != "parameter" {
					assert.Equal(t, []int64{last}, operands, name)
					got = append(got, i)
					last = id
				}
				return err
			})
		}), name)
		assert.Equal(t, c.want, got, name)
		assert.EqualValues(t, other+2, last, "%s: the last one has the number of the bitcast", name)
	}
}

// What a compiler notes about a loop or a concatenation is for itself.
func TestLoopsAndConcatenationsLoseTheNotesOfACompiler(t *testing.T) {
	t.Parallel()
	noted := func(opcode string, notes ...byte) []byte {
		raw := append(wire.AppendBytes(wire.AppendBytes(nil, 1, "w"), 2, opcode), notes...)
		return wire.AppendBytes(nil, 3, wire.AppendBytes(nil, 2, raw))
	}
	notes := wire.AppendBytes(nil, 43, `{"known_trip_count":{"n":"5"}}`)
	for _, opcode := range []string{"while", "concatenate"} {
		assert.Equal(t, noted(opcode), hlo.Uncompiled(noted(opcode, notes...)))
	}
	assert.Equal(t, noted("custom-call", notes...), hlo.Uncompiled(noted("custom-call", notes...)))
}
