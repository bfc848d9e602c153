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
