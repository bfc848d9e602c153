// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestValuesSurviveTheHostForm(t *testing.T) {
	t.Parallel()
	for _, e := range elementTypes {
		a := fill(e, 3, 5)
		b, err := decodeArray(e, a.dims, a.encode())
		require.NoError(t, err, e)
		assert.Equal(t, a, b, e)
	}
	_, err := decodeArray(dtype.F32, []int64{2}, make([]byte, 7))
	assert.EqualError(t, err, "expected 8 bytes for tensor<2xf32>, got 7")
}

func TestLiteralsAreTheBitsOfTheValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a    array
		want string
	}{
		{ints(dtype.S4, []int64{2, 2}, 1, -1, 7, -8), "dense<[[1, -1], [7, -8]]>"},
		{ints(dtype.Pred, []int64{2}, 1, 0), "dense<[true, false]>"},
		{scalar(dtype.F32, value{f: math.Inf(1)}), "dense<0x7F800000>"},
		{scalar(dtype.BF16, value{f: -2}), "dense<0xC000>"},
		{scalar(dtype.U64, value{i: -1}), "dense<18446744073709551615>"},
		{scalar(dtype.C64, value{c: 1 - 2i}), "dense<(0x3F800000, 0xC0000000)>"},
		{array{dtype.F32, []int64{0, 3}, nil}, "dense<>"},
	} {
		assert.Equal(t, test.want, test.a.literal())
	}
}

func TestCompareSeesWhatThePolicyForbids(t *testing.T) {
	t.Parallel()
	f := func(x float64) array { return scalar(dtype.F32, value{f: x}) }
	next := float64(math.Nextafter32(1, 2))
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		want, got array
		p         policy
		same      bool
	}{
		{f(1), f(1), exact, true},
		{f(1), f(next), exact, false},
		{f(1), f(next), policy{ulp: 1}, true},
		{f(1), f(1 + 3*(next-1)), policy{ulp: 2}, false},
		{f(0), f(math.Copysign(0, -1)), exact, false},
		{f(0), f(math.Copysign(0, -1)), policy{signless: true}, true},
		{f(nan), f(nan), exact, true},
		{f(nan), f(1), policy{ulp: 100}, false},
		{f(1), f(nan), policy{open: []bool{true}}, true},
		{f(inf), f(inf), exact, true},
		{f(inf), f(-inf), policy{ulp: 10}, false},
		{f(inf), f(math.MaxFloat32), exact, false},
		{f(inf), f(math.MaxFloat32), policy{ulp: 1}, true},
		{f(0x1p-140), f(0), exact, true},
		{f(0x1p-120), f(0), policy{ulp: 4}, false},
		{f(5), f(5.5), policy{bound: []float64{0.5}}, true},
		{f(5), f(5.6), policy{bound: []float64{0.5}}, false},
		{scalar(dtype.S8, value{i: 1}), scalar(dtype.S8, value{i: 2}), policy{ulp: 100}, false},
		{scalar(dtype.C64, value{c: 1 + 1e-9i}), scalar(dtype.C64, value{c: 1}), policy{ulp: 1}, true},
		{scalar(dtype.C64, value{c: 1i}), scalar(dtype.C64, value{c: 1}), policy{ulp: 1}, false},
	} {
		assert.Equal(t, test.same, compare(test.want, test.got, test.p) == nil, "%v", test)
	}
}

// What IEEE 754 and StableHLO specify where functions of package math differ.
func TestOperationsFollowTheSpecificationAtTheirEdges(t *testing.T) {
	t.Parallel()
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	ops := map[string]*binaryOp{}
	for i := range binaries {
		ops[binaries[i].name] = &binaries[i]
	}
	for _, test := range []struct {
		op         string
		a, b, want float64
	}{
		{"maximum", inf, nan, nan},
		{"maximum", nan, inf, nan},
		{"maximum", -inf, nan, nan},
		{"maximum", zero, 0, 0},
		{"minimum", -inf, nan, nan},
		{"minimum", nan, -inf, nan},
		{"minimum", inf, nan, nan},
		{"minimum", 0, zero, zero},
		{"atan2", -5e-324, -1e308, -math.Pi},
		{"atan2", 5e-324, -1e308, math.Pi},
		{"atan2", zero, 1, zero},
		{"power", 1, nan, 1},
		{"power", nan, 0, 1},
		{"power", -1, inf, 1},
		{"remainder", zero, 3, zero},
		{"remainder", 3, inf, 3},
		{"remainder", 3, 0, nan},
	} {
		got := ops[test.op].eval(dtype.F64, value{f: test.a}, value{f: test.b}).f
		assert.True(t, math.IsNaN(got) && math.IsNaN(test.want) || got == test.want && math.Signbit(got) == math.Signbit(test.want),
			"%s of %v and %v: expected %v, got %v", test.op, test.a, test.b, test.want, got)
	}
	for _, e := range []dtype.Type{dtype.C64, dtype.C128} {
		assert.Equal(t, 1+2i, maximum(e, value{c: 1 - 2i}, value{c: 1 + 2i}).c)
		assert.Equal(t, 1-2i, minimum(e, value{c: 1 - 2i}, value{c: 1 + 2i}).c)
	}
}

func TestTheLargestNumberOfEachTypeIsFinite(t *testing.T) {
	t.Parallel()
	for e, want := range map[dtype.Type]float64{
		dtype.F64: math.MaxFloat64, dtype.F32: math.MaxFloat32, dtype.F16: 65504, dtype.BF16: 0x1.fep127, dtype.F8E5M2: 57344,
		dtype.F8E4M3FN: 448, dtype.F8E4M3: 240, dtype.F8E3M4: 15.5, dtype.F8E8M0FNU: 0x1p127, dtype.F4E2M1FN: 6, dtype.F6E2M3FN: 7.5,
		dtype.F6E3M2FN: 28, dtype.F8E4M3FNUZ: 240, dtype.F8E5M2FNUZ: 57344, dtype.F8E4M3B11FNUZ: 30,
	} {
		assert.Equal(t, want, largestFinite(e).f, "%v", e)
	}
}

func TestConvertLeavesOpenWhatTheSpecificationDoes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		to, from dtype.Type
		in       value
		want     value
		ok       bool
	}{
		{dtype.S8, dtype.F32, value{f: -3.7}, value{i: -3}, true},
		{dtype.S8, dtype.F32, value{f: 200}, value{}, false},
		{dtype.U8, dtype.F32, value{f: -1}, value{}, false},
		{dtype.U8, dtype.S32, value{i: -1}, value{i: 255}, true},
		{dtype.Pred, dtype.F32, value{f: 0.5}, value{i: 1}, true},
		{dtype.F8E8M0FNU, dtype.F32, value{f: 0}, value{}, false},
		{dtype.F8E8M0FNU, dtype.F32, value{f: 4}, value{f: 4}, true},
		{dtype.F16, dtype.F64, value{f: 1 + 0x1p-11}, value{f: 1}, true},
		{dtype.C64, dtype.S8, value{i: 3}, value{c: 3}, true},
		{dtype.F32, dtype.C64, value{c: 2 + 3i}, value{f: 2}, true},
	} {
		got, ok := convert(test.to, test.from, test.in)
		assert.Equal(t, test.ok, ok, "%v", test)
		if ok {
			assert.Equal(t, test.want, got, "%v", test)
		}
	}
}

func TestGeneratedProgramsAreTheSameForASeed(t *testing.T) {
	t.Parallel()
	for _, e := range []dtype.Type{dtype.S32, dtype.U8, dtype.Pred} {
		a, b, c := generate(7, e, 30), generate(7, e, 30), generate(8, e, 30)
		assert.Equal(t, a.text(parameters), b.text(parameters))
		assert.Equal(t, a.want, b.want)
		assert.NotEqual(t, a.text(parameters), c.text(parameters))
	}
}
