// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// facts repeats what upstream says about each type, so that a mistake in the table shows.
var facts = []struct {
	typ       dtype.Type
	value     int32
	text      string
	xla       string
	primitive int32
	numpy     string
	descr     string
	bits      int
	size      int
	since     int
}{
	{dtype.Pred, 1, "i1", "PRED", 1, "bool", "|b1", 8, 1, 0},
	{dtype.S8, 2, "i8", "S8", 2, "int8", "|i1", 8, 1, 0},
	{dtype.S16, 3, "i16", "S16", 3, "int16", "<i2", 16, 2, 0},
	{dtype.S32, 4, "i32", "S32", 4, "int32", "<i4", 32, 4, 0},
	{dtype.S64, 5, "i64", "S64", 5, "int64", "<i8", 64, 8, 0},
	{dtype.U8, 6, "ui8", "U8", 6, "uint8", "|u1", 8, 1, 0},
	{dtype.U16, 7, "ui16", "U16", 7, "uint16", "<u2", 16, 2, 0},
	{dtype.U32, 8, "ui32", "U32", 8, "uint32", "<u4", 32, 4, 0},
	{dtype.U64, 9, "ui64", "U64", 9, "uint64", "<u8", 64, 8, 0},
	{dtype.F16, 10, "f16", "F16", 10, "float16", "<f2", 16, 2, 0},
	{dtype.F32, 11, "f32", "F32", 11, "float32", "<f4", 32, 4, 0},
	{dtype.F64, 12, "f64", "F64", 12, "float64", "<f8", 64, 8, 0},
	{dtype.BF16, 13, "bf16", "BF16", 16, "bfloat16", "<V2", 16, 2, 0},
	{dtype.C64, 14, "complex<f32>", "C64", 15, "complex64", "<c8", 64, 8, 0},
	{dtype.C128, 15, "complex<f64>", "C128", 18, "complex128", "<c16", 128, 16, 0},
	{dtype.F8E5M2, 16, "f8E5M2", "F8E5M2", 19, "float8_e5m2", "<V1", 8, 1, 0},
	{dtype.F8E4M3FN, 17, "f8E4M3FN", "F8E4M3FN", 20, "float8_e4m3fn", "<V1", 8, 1, 0},
	{dtype.F8E4M3B11FNUZ, 18, "f8E4M3B11FNUZ", "F8E4M3B11FNUZ", 23, "float8_e4m3b11fnuz", "<V1", 8, 1, 0},
	{dtype.F8E5M2FNUZ, 19, "f8E5M2FNUZ", "F8E5M2FNUZ", 24, "float8_e5m2fnuz", "<V1", 8, 1, 4},
	{dtype.F8E4M3FNUZ, 20, "f8E4M3FNUZ", "F8E4M3FNUZ", 25, "float8_e4m3fnuz", "<V1", 8, 1, 4},
	{dtype.S4, 21, "i4", "S4", 21, "int4", "<V1", 4, 1, 0},
	{dtype.U4, 22, "ui4", "U4", 22, "uint4", "<V1", 4, 1, 0},
	{dtype.Token, 23, "token", "TOKEN", 17, "", "", 0, 0, 50},
	{dtype.S2, 24, "i2", "S2", 26, "int2", "<V1", 2, 1, 53},
	{dtype.U2, 25, "ui2", "U2", 27, "uint2", "<V1", 2, 1, 53},
	{dtype.F8E4M3, 26, "f8E4M3", "F8E4M3", 28, "float8_e4m3", "<V1", 8, 1, 55},
	{dtype.F8E3M4, 27, "f8E3M4", "F8E3M4", 29, "float8_e3m4", "<V1", 8, 1, 55},
	{dtype.F8E8M0FNU, 28, "f8E8M0FNU", "F8E8M0FNU", 33, "float8_e8m0fnu", "<V1", 8, 1, 63},
	{dtype.F4E2M1FN, 29, "f4E2M1FN", "F4E2M1FN", 32, "float4_e2m1fn", "<V1", 4, 1, 63},
	{dtype.S1, 30, "si1", "S1", 30, "int1", "<V1", 1, 1, 94},
	{dtype.U1, 31, "ui1", "U1", 31, "uint1", "<V1", 1, 1, 94},
	{dtype.F6E2M3FN, 32, "f6E2M3FN", "F6E2M3FN", 36, "float6_e2m3fn", "<V1", 6, 1, 114},
	{dtype.F6E3M2FN, 33, "f6E3M2FN", "F6E3M2FN", 35, "float6_e3m2fn", "<V1", 6, 1, 114},
}

func TestTypesAgreeWithPJRTAndXLA(t *testing.T) {
	t.Parallel()
	require.Len(t, facts, len(dtype.All()))
	for i, f := range facts {
		assert.Equal(t, dtype.All()[i], f.typ)
		assert.Equal(t, f.value, int32(f.typ))
		assert.Equal(t, f.text, f.typ.String())
		assert.Equal(t, f.xla, f.typ.XLA())
		assert.Equal(t, f.primitive, f.typ.PrimitiveType())
		assert.Equal(t, f.numpy, f.typ.NumPy())
		assert.Equal(t, f.descr, f.typ.Descr())
		assert.Equal(t, f.bits, f.typ.Bits(), "%v", f.typ)
		assert.Equal(t, f.size, f.typ.Size(), "%v", f.typ)
		assert.Equal(t, f.since, f.typ.Since(), "%v", f.typ)
		assert.True(t, f.typ.Valid())
		back, ok := dtype.FromPrimitiveType(f.primitive)
		assert.True(t, ok)
		assert.Equal(t, f.typ, back)
	}
}

func TestKindsOfTypes(t *testing.T) {
	t.Parallel()
	for _, f := range facts {
		c := f.xla[0]
		integer := f.typ != dtype.Token && (c == 'S' || c == 'U')
		assert.Equal(t, integer, f.typ.IsInteger(), "%v", f.typ)
		assert.Equal(t, c == 'F' || f.typ == dtype.BF16, f.typ.IsFloat(), "%v", f.typ)
		assert.Equal(t, c == 'C', f.typ.IsComplex(), "%v", f.typ)
		signed := c == 'S' || c == 'C' || (c == 'F' || c == 'B') && f.typ != dtype.F8E8M0FNU
		assert.Equal(t, signed, f.typ.IsSigned(), "%v", f.typ)
		assert.Equal(t, f.bits > 0 && f.bits < 8, f.typ.IsSubByte(), "%v", f.typ)
	}
}

func TestUnknownTypesAreHarmless(t *testing.T) {
	t.Parallel()
	for _, typ := range []dtype.Type{dtype.Invalid, -1, 34, 1 << 30} {
		assert.False(t, typ.Valid())
		assert.Zero(t, typ.Size())
		assert.Zero(t, typ.Bits())
		assert.Empty(t, typ.Descr())
		assert.Nil(t, typ.GoType())
		assert.False(t, typ.IsFloat() || typ.IsInteger() || typ.IsComplex() || typ.IsSigned() || typ.IsSubByte())
		_, err := typ.MarshalText()
		assert.Error(t, err)
	}
	assert.Equal(t, "dtype.Type(34)", dtype.Type(34).String())
	assert.Equal(t, "invalid", dtype.Invalid.String())
	for _, n := range []int32{0, 13, 14, 34, -1, 99} {
		_, ok := dtype.FromPrimitiveType(n)
		assert.False(t, ok, "primitive type %d is a tuple, opaque, a buffer or unknown", n)
	}
}

func TestParseReadsEverySpelling(t *testing.T) {
	t.Parallel()
	for _, f := range facts {
		for _, s := range []string{f.text, f.xla, f.numpy, strings.ToLower(f.xla), strings.ToUpper(f.text), " " + f.text + " "} {
			if s == "" {
				continue
			}
			got, err := dtype.Parse(s)
			require.NoError(t, err)
			assert.Equal(t, f.typ, got, s)
		}
		text, err := f.typ.MarshalText()
		require.NoError(t, err)
		var back dtype.Type
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, f.typ, back)
	}
	for s, want := range map[string]dtype.Type{
		"i1": dtype.Pred, "s1": dtype.S1, "int1": dtype.S1, "si8": dtype.S8, "i4": dtype.S4, "u4": dtype.U4,
		"complex64": dtype.C64, "c128": dtype.C128, "!stablehlo.token": dtype.Token, "F8E4M3Fn": dtype.F8E4M3FN,
	} {
		got, err := dtype.Parse(s)
		require.NoError(t, err)
		assert.Equal(t, want, got, s)
	}
}

func TestParseRefusesUnknownWords(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "f31", "<f4", "float", "int", "invalid", "tuple", "complex<f16>", "f8", "u", "PRIMITIVE_TYPE_INVALID"} {
		got, err := dtype.Parse(s)
		assert.ErrorContains(t, err, "unknown element type", s)
		assert.Equal(t, dtype.Invalid, got)
	}
	typ := dtype.F32
	require.Error(t, typ.UnmarshalText([]byte("nonsense")))
	assert.Equal(t, dtype.F32, typ, "a failed read leaves the type alone")
}
