// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestLiteralsAreRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		typ, body string
		want      []byte
	}{
		{"tensor<3xi8>", "[1, -2, 0x7F]", []byte{1, 0xFE, 0x7F}},
		{"tensor<2x2xi8>", "[[1, 2],\n [3, 4]]", []byte{1, 2, 3, 4}},
		{"tensor<2xi16>", "-1", []byte{0xFF, 0xFF, 0xFF, 0xFF}},
		{"tensor<ui64>", "18446744073709551615", []byte{255, 255, 255, 255, 255, 255, 255, 255}},
		{"tensor<i64>", "-9223372036854775808", []byte{0, 0, 0, 0, 0, 0, 0, 0x80}},
		{"tensor<3xi4>", "[-1, 7, -8]", []byte{0xF, 7, 8}},
		{"tensor<2xf32>", "[1.0, 0xFFC00000]", []byte{0, 0, 0x80, 0x3F, 0, 0, 0xC0, 0xFF}},
		{"tensor<f32>", "1.0e+50", []byte{0, 0, 0x80, 0x7F}},
		{"tensor<f32>", "-0.0", []byte{0, 0, 0, 0x80}},
		{"tensor<2xbf16>", "[1.0, 0x7F80]", []byte{0x80, 0x3F, 0x80, 0x7F}},
		{"tensor<f16>", "6.5e4", []byte{0xEF, 0x7B}},
		{"tensor<f8E4M3FN>", "1.0", []byte{0x38}},
		{"tensor<2xcomplex<f32>>", "[(1.0, 0.0), (0x7F800000, -1.0)]", []byte{0, 0, 0x80, 0x3F, 0, 0, 0, 0, 0, 0, 0x80, 0x7F, 0, 0, 0x80, 0xBF}},
		{"tensor<2xcomplex<f32>>", "(1.0, 0.0)", []byte{0, 0, 0x80, 0x3F, 0, 0, 0, 0, 0, 0, 0x80, 0x3F, 0, 0, 0, 0}},
		{"tensor<3xi1>", "[true, false, true]", []byte{1, 0, 1}},
		{"tensor<2xi1>", "true", []byte{1, 1}},
		{"tensor<0x4xf64>", "", []byte{}},
		{"tensor<2xi32>", `"0x01000000FFFFFFFF"`, []byte{1, 0, 0, 0, 255, 255, 255, 255}},
		{"tensor<3xi16>", `"0x0102"`, []byte{1, 2, 1, 2, 1, 2}},
		{"tensor<10xi1>", `"0x0503"`, []byte{1, 0, 1, 0, 0, 0, 0, 0, 1, 1}},
		{"tensor<2xi1>", `"0x0100"`, []byte{1, 0}},
		{"tensor<20xi1>", `"0xFF"`, []byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		{"tensor<2xi4>", `"0x070F"`, []byte{7, 15}},
	} {
		typ, dims, err := parseTensor(test.typ)
		require.NoError(t, err, test.typ)
		a, err := parseDense(test.body, typ, dims)
		require.NoError(t, err, "%s of %s", test.body, test.typ)
		assert.Equal(t, test.want, a.Data, "%s of %s", test.body, test.typ)
		assert.NoError(t, a.Check())
	}
}

func TestLiteralsThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ typ, body, says string }{
		{"tensor<3xi8>", "[1, 2]", "a list has 2 elements, expected 3"},
		{"tensor<1xi8>", "[1, 2]", "goes on with"},
		{"tensor<2x2xi8>", "[1, 2]", "expected a list of 2"},
		{"tensor<2xi8>", "", "it is empty"},
		{"tensor<i8>", "256", "is not a value of i8"},
		{"tensor<i8>", "x", `"x" is not a value of i8`},
		{"tensor<i1>", "2", "not a bool"},
		{"tensor<f32>", "1.0 2.0", "not a number"},
		{"tensor<f32>", "0x123456789", "not a bit pattern of f32"},
		{"tensor<complex<f32>>", "1.0", "expected a pair"},
		{"tensor<complex<f32>>", "(1.0)", "imaginary part"},
		{"tensor<2xi32>", `"0x010203"`, "3 bytes"},
		{"tensor<2xi32>", `"0x01020"`, "odd length"},
		{"tensor<2xi32>", `"bytes"`, "not a string of bytes"},
		{"tensor<99999x99999x99999xi32>", "1", "too large"},
		{"tensor<i8>", "1]", "left after"},
	} {
		typ, dims, err := parseTensor(test.typ)
		require.NoError(t, err, test.typ)
		_, err = parseDense(test.body, typ, dims)
		assert.ErrorContains(t, err, test.says, "%s of %s", test.body, test.typ)
	}
	for typ, says := range map[string]string{
		"vector<2xf32>": "not a tensor type", "tensor<2xf32": "not a tensor type", "tensor<?x2xf32>": "no fixed shape",
		"tensor<2xindex>": "unknown element type", "tensor<2x!quant.uniform<i8:f32, 1.0>>": "quantized",
		"tensor<" + strings.Repeat("1x", 1_000_000) + "f32>": "has more than 256 dimensions",
	} {
		_, _, err := parseTensor(typ)
		assert.ErrorContains(t, err, says, typ)
	}
}

func TestLiteralsArePrintedAsTheyAreRead(t *testing.T) {
	t.Parallel()
	for typ, body := range map[string]string{
		"tensor<2x2xf32>": "[[1.5, 0x7FC00001], [-0.0, 2.0]]", "tensor<complex<f64>>": "(1.0, -2.0)", "tensor<3xi4>": "[-8, 0, 7]",
		"tensor<2xi1>": "[true, false]", "tensor<0xi32>": "", "tensor<1x1xf8E5M2>": "[[1.0]]", "tensor<ui64>": "18446744073709551615",
	} {
		et, dims, err := parseTensor(typ)
		require.NoError(t, err)
		a, err := parseDense(body, et, dims)
		require.NoError(t, err)
		inside, _, ok := dense(printDense(a) + " : " + typ)
		require.True(t, ok)
		b, err := parseDense(inside, et, dims)
		require.NoError(t, err, inside)
		assert.Equal(t, a, b)
	}
}

// parsed makes an array from a literal.
func parsed(t *testing.T, typ, body string) *array.Array {
	t.Helper()
	et, dims, err := parseTensor(typ)
	require.NoError(t, err)
	a, err := parseDense(body, et, dims)
	require.NoError(t, err)
	return a
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	equal, same := Policy{Kind: Equal}, Policy{Kind: Same}
	almost := Policy{Kind: Almost, Atol: 0.125}
	closeBy := Policy{Kind: Close, MaxULP: 2}
	apart := Policy{Kind: Close, MinULP: 1, MaxULP: 2}
	farthest := Policy{Kind: Close, MinULP: math.MaxUint64, MaxULP: math.MaxUint64}
	near := Policy{Kind: Near, Rtol: 0.25}
	for _, test := range []struct {
		policy    Policy
		typ       string
		want, got string
		pass      bool
	}{
		{equal, "tensor<f32>", "0.0", "-0.0", true},
		{equal, "tensor<f32>", "0x7FC00000", "0x7FC00000", false},
		{equal, "tensor<i32>", "1", "1", true},
		{equal, "tensor<i32>", "1", "2", false},
		{equal, "tensor<i4>", "-1", "7", false},
		{equal, "tensor<complex<f32>>", "(1.0, 2.0)", "(1.0, 2.5)", false},
		{same, "tensor<f32>", "0.0", "-0.0", false},
		{same, "tensor<f32>", "0x7FC00000", "0xFFC00001", true},
		{same, "tensor<f32>", "1.0", "0x3F800001", false},
		{almost, "tensor<f32>", "1.0", "1.125", true},
		{almost, "tensor<f32>", "1.0", "1.126", false},
		{almost, "tensor<f32>", "0x7F800000", "0x7F800000", true},
		{almost, "tensor<f32>", "0x7F800000", "0xFF800000", false},
		{almost, "tensor<f32>", "0x7FC00000", "0x7FC00000", true},
		{almost, "tensor<f32>", "0x7FC00000", "1.0", false},
		{almost, "tensor<i32>", "1", "2", false},
		{closeBy, "tensor<f32>", "1.0", "0x3F800002", true},
		{closeBy, "tensor<f32>", "1.0", "0x3F800003", false},
		{closeBy, "tensor<f32>", "0x00000001", "0x80000001", true}, // across zero
		{closeBy, "tensor<f32>", "0x00000001", "0x80000002", false},
		{closeBy, "tensor<f64>", "-1.0", "0xBFF0000000000002", true},
		{closeBy, "tensor<bf16>", "0x3F80", "0x3F83", false},
		{closeBy, "tensor<f32>", "0x7F7FFFFF", "0x7F800000", false},
		{closeBy, "tensor<complex<f32>>", "(1.0, 1.0)", "(0x3F800002, 0x3F800003)", false},
		{closeBy, "tensor<f32>", "0x7F800000", "0x7F800000", true},
		{closeBy, "tensor<f32>", "0x7F800000", "0xFF800000", false},
		{closeBy, "tensor<f32>", "0x7FC00000", "0xFFC00001", true},
		{closeBy, "tensor<f32>", "0x7FC00000", "1.0", false},
		{closeBy, "tensor<f32>", "0x00001234", "0.0", true}, // flushed
		{closeBy, "tensor<f32>", "0.0", "0x00001234", false},
		{farthest, "tensor<f32>", "0x7F7FFFFF", "0x7F800000", true},
		{farthest, "tensor<f32>", "0xFF800000", "0x7F800000", true},
		{farthest, "tensor<f32>", "0x7FC00000", "1.0", true},
		{farthest, "tensor<f32>", "0x7F800000", "0x7F800000", false},
		{farthest, "tensor<complex<f32>>", "(1.0, 0x7F800000)", "(1.0, 1.0)", true},
		{apart, "tensor<complex<f32>>", "(1.0, 1.0)", "(1.0, 0x3F800001)", true},
		{apart, "tensor<f32>", "1.0", "1.0", false},
		{apart, "tensor<f32>", "1.0", "0x3F800001", true},
		{near, "tensor<f32>", "4.0", "5.0", true},
		{near, "tensor<f32>", "4.0", "5.1", false},
		{near, "tensor<f32>", "0x00000001", "0.0", true}, // flushed
		{near, "tensor<f32>", "1.0", "0.0", false},
	} {
		err := test.policy.Compare(parsed(t, test.typ, test.want), parsed(t, test.typ, test.got))
		assert.Equal(t, test.pass, err == nil, "%+v: %s and %s of %s: %v", test.policy, test.want, test.got, test.typ, err)
	}
	err := same.Compare(parsed(t, "tensor<2x2xi32>", "[[1, 2], [3, 4]]"), parsed(t, "tensor<2x2xi32>", "[[1, 2], [5, 6]]"))
	assert.EqualError(t, err, "2 of 4 elements differ; the first is at [1 0]: expected 3, got 5")
	assert.EqualError(t, same.Compare(parsed(t, "tensor<2xi32>", "1"), parsed(t, "tensor<2xui32>", "1")), "expected tensor<2xi32>, got tensor<2xui32>")
}

func TestEveryFloatTypeHasATolerance(t *testing.T) {
	t.Parallel()
	for e := dtype.Invalid + 1; e.Valid(); e++ {
		if e.IsFloat() || e.IsComplex() {
			assert.Positive(t, relative(e), "%v", e)
		} else {
			assert.Zero(t, relative(e), "%v", e)
		}
	}
}
