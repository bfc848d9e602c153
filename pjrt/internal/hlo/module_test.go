// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

func arrayOf(dims ...int64) xlaproto.Shape {
	return xlaproto.Shape{ElementType: dtype.F32.PrimitiveType(), Dims: dims}
}

func tuple(elements ...xlaproto.Shape) xlaproto.Shape {
	return xlaproto.Shape{ElementType: xlaproto.PrimitiveTuple, Tuple: elements}
}

// module returns a module with one instruction, which has the shape of its result.
func module(result xlaproto.Shape, parameters ...xlaproto.Shape) []byte {
	var program []byte
	for _, p := range parameters {
		program = wire.AppendBytes(program, 1, p.Marshal())
	}
	program = wire.AppendBytes(program, 2, result.Marshal())
	instruction := wire.AppendBytes(nil, 3, result.Marshal())
	b := wire.AppendBytes(nil, 1, "name")
	b = wire.AppendBytes(b, 3, wire.AppendBytes(nil, 2, instruction))
	return wire.AppendBytes(b, 4, program)
}

func nested(depth int) xlaproto.Shape {
	s := arrayOf(2)
	for range depth {
		s = tuple(s)
	}
	return s
}

func TestParametersAndResultsOfAModule(t *testing.T) {
	t.Parallel()
	m := module(tuple(arrayOf(1), tuple(arrayOf(2), arrayOf(3))), arrayOf(4, 5), tuple(arrayOf(), arrayOf(6)))
	assert.True(t, hlo.IsModule(m))
	shapes, err := hlo.Parameters(m)
	require.NoError(t, err)
	assert.Equal(t, []array.Shape{{Type: dtype.F32, Dims: []int64{4, 5}}, {Type: dtype.F32}, {Type: dtype.F32, Dims: []int64{6}}}, shapes)
	parameters, results, ok := hlo.Counts(m)
	assert.True(t, ok)
	assert.Equal(t, [2]int{2, 2}, [2]int{parameters, results})
	_, results, ok = hlo.Counts(module(arrayOf(1)))
	assert.True(t, ok)
	assert.Equal(t, 1, results)

	withConfig := wire.AppendBytes(wire.AppendBytes(nil, 1, m), 2, "")
	assert.False(t, hlo.IsModuleWithConfig(m))
	assert.True(t, hlo.IsModuleWithConfig(withConfig))
	inside, err := hlo.Module(withConfig)
	require.NoError(t, err)
	assert.Equal(t, m, inside)

	for name, bad := range map[string][]byte{"empty": nil, "cut off": m[:len(m)-1], "program cut off": wire.AppendBytes(nil, 4, "\x0a\x05")} {
		_, _, ok := hlo.Counts(bad)
		assert.False(t, ok, name)
	}
	_, err = hlo.Parameters(m[:len(m)-1])
	require.ErrorIs(t, err, wire.ErrMalformed)
	_, err = hlo.Parameters(module(arrayOf(), xlaproto.Shape{ElementType: 14}))
	require.ErrorContains(t, err, "XLA's primitive type 14")
	_, err = hlo.Parameters(module(arrayOf(), nested(100)))
	require.ErrorContains(t, err, "nested more than 64 deep")
}

func TestModulesThatEndTheProcessAreAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shape xlaproto.Shape
		want  string
	}{
		"large":            {arrayOf(1 << 51), "too large for any memory"},
		"in a tuple":       {tuple(arrayOf(1), tuple(arrayOf(1<<30, 1<<30))), "[1073741824 1073741824]"},
		"negative":         {arrayOf(-1), "negative or too large"},
		"empty but large":  {arrayOf(0, 1<<62), "too large for any memory"},
		"deep":             {nested(65), "nested more than 64 deep"},
		"just not deep":    {nested(64), ""},
		"just not large":   {arrayOf(1 << 50), ""},
		"of unknown size":  {arrayOf(-1<<63, 4), ""},
		"without elements": {arrayOf(0, 5), ""},
	} {
		err := hlo.Check(context.Background(), module(c.shape), dataflow.Compiler{})
		if c.want == "" {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorContains(t, err, c.want, name)
		}
	}
	require.NoError(t, hlo.Check(context.Background(), []byte("\xff"), dataflow.Compiler{}), "the plugin reports the mistake")
}

func TestDonorsAreAliasedParametersAndBufferDonors(t *testing.T) {
	t.Parallel()
	entry := func(parameter, index wire.Number, p int64, at ...int64) []byte {
		return wire.AppendInts(wire.AppendInt(nil, parameter, p), index, at)
	}
	alias := func(p int64, at ...int64) []byte { return wire.AppendBytes(nil, 1, entry(2, 3, p, at...)) }
	donor := func(p int64, at ...int64) []byte { return wire.AppendBytes(nil, 1, entry(1, 2, p, at...)) }
	flat := module(arrayOf(1), arrayOf(1), arrayOf(2), arrayOf(3), arrayOf(4))
	tupled := module(arrayOf(1), arrayOf(1), tuple(arrayOf(2), tuple(arrayOf(3), arrayOf(4)), arrayOf(5)))
	for name, c := range map[string]struct {
		module         []byte
		aliases, donor []byte
		want           []bool
	}{
		"none":               {flat, nil, nil, []bool{false, false, false, false}},
		"an alias":           {flat, alias(1), nil, []bool{false, true, false, false}},
		"a donor":            {flat, nil, donor(3), []bool{false, false, false, true}},
		"both":               {flat, append(alias(0), alias(2)...), donor(2), []bool{true, false, true, false}},
		"a tuple":            {tupled, alias(1), nil, []bool{false, true, true, true, true}},
		"part of a tuple":    {tupled, alias(1, 2), donor(1, 1, 0), []bool{false, false, true, false, true}},
		"a tuple in a tuple": {tupled, alias(1, 1), nil, []bool{false, false, true, true, false}},
	} {
		m := wire.AppendBytes(c.module, 8, c.aliases)
		m = wire.AppendBytes(m, 18, c.donor)
		got, err := hlo.Donors(m)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
	for name, aliases := range map[string][]byte{"no such parameter": alias(4), "before the first": alias(-1), "no tuple": alias(0, 0)} {
		_, err := hlo.Donors(wire.AppendBytes(flat, 8, aliases))
		assert.Error(t, err, name)
	}
}

func TestOnlyModulesWithoutLoopsAndForeignCodeAreSteady(t *testing.T) {
	t.Parallel()
	for opcode, want := range map[string]bool{
		"add": true, "fusion": true, "dot": true, "call": true, "parameter": true, "sort": true,
		"while": false, "conditional": false, "custom-call": false, "infeed": false, "outfeed": false, "send": false, "recv-done": false,
		"all-reduce": false, "collective-permute": false, "async-start": false, "reduce-scatter": false, "reduce": true,
	} {
		instructions := wire.AppendBytes(wire.AppendBytes(nil, 2, wire.AppendBytes(nil, 2, "add")), 2, wire.AppendBytes(nil, 2, opcode))
		steady, err := hlo.Steady(wire.AppendBytes(nil, 3, instructions))
		require.NoError(t, err)
		assert.Equal(t, want, steady, opcode)
	}
	_, err := hlo.Steady([]byte{0x1a, 0xff})
	require.Error(t, err)
}
