// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import (
	"fmt"
	"strconv"
)

// Type is the element type of an array: a PJRT_Buffer_Type, with the same numeric value. The zero
// value is [Invalid].
type Type int32

// The element types, in the order and with the values of PJRT_Buffer_Type.
const (
	Invalid       Type = iota // no type; PJRT_Buffer_Type_INVALID
	Pred                      // bool, one byte that is 0 or 1
	S8                        // signed integer, 8 bits
	S16                       // signed integer, 16 bits
	S32                       // signed integer, 32 bits
	S64                       // signed integer, 64 bits
	U8                        // unsigned integer, 8 bits
	U16                       // unsigned integer, 16 bits
	U32                       // unsigned integer, 32 bits
	U64                       // unsigned integer, 64 bits
	F16                       // IEEE 754 binary16
	F32                       // IEEE 754 binary32
	F64                       // IEEE 754 binary64
	BF16                      // the upper half of a binary32
	C64                       // two F32: real, imaginary
	C128                      // two F64: real, imaginary
	F8E5M2                    // 5 exponent and 2 mantissa bits, Inf and NaN as in IEEE 754
	F8E4M3FN                  // 4 and 3 bits, no Inf, one NaN per sign
	F8E4M3B11FNUZ             // 4 and 3 bits, bias 11, no Inf, one NaN, no negative zero
	F8E5M2FNUZ                // 5 and 2 bits, bias 16, no Inf, one NaN, no negative zero
	F8E4M3FNUZ                // 4 and 3 bits, bias 8, no Inf, one NaN, no negative zero
	S4                        // signed integer, 4 bits
	U4                        // unsigned integer, 4 bits
	Token                     // orders side effects, holds no data
	S2                        // signed integer, 2 bits
	U2                        // unsigned integer, 2 bits
	F8E4M3                    // 4 and 3 bits, Inf and NaN as in IEEE 754
	F8E3M4                    // 3 and 4 bits, Inf and NaN as in IEEE 754
	F8E8M0FNU                 // a power of two: 8 exponent bits, no sign, no zero, one NaN
	F4E2M1FN                  // 2 and 1 bits, finite numbers only
	S1                        // signed integer, 1 bit: 0 or -1
	U1                        // unsigned integer, 1 bit
	F6E2M3FN                  // 2 and 3 bits, finite numbers only
	F6E3M2FN                  // 3 and 2 bits, finite numbers only

	numTypes
)

type kind uint8

const (
	kindNone kind = iota
	kindBool
	kindInt
	kindUint
	kindFloat
	kindComplex
)

// info describes one type. An empty numpy name means that neither NumPy nor ml_dtypes has the type.
type info struct {
	name      string // in StableHLO
	xla       string // value of XLA's enum PrimitiveType
	primitive int32  // number of that value
	numpy     string // in NumPy or ml_dtypes
	descr     string // in the header of a .npy file
	kind      kind
	bits      int
	since     int // minor version of the PJRT C API
}

var infos = [numTypes]info{
	Invalid:       {"invalid", "PRIMITIVE_TYPE_INVALID", 0, "", "", kindNone, 0, 0},
	Pred:          {"i1", "PRED", 1, "bool", "|b1", kindBool, 8, 0},
	S8:            {"i8", "S8", 2, "int8", "|i1", kindInt, 8, 0},
	S16:           {"i16", "S16", 3, "int16", "<i2", kindInt, 16, 0},
	S32:           {"i32", "S32", 4, "int32", "<i4", kindInt, 32, 0},
	S64:           {"i64", "S64", 5, "int64", "<i8", kindInt, 64, 0},
	U8:            {"ui8", "U8", 6, "uint8", "|u1", kindUint, 8, 0},
	U16:           {"ui16", "U16", 7, "uint16", "<u2", kindUint, 16, 0},
	U32:           {"ui32", "U32", 8, "uint32", "<u4", kindUint, 32, 0},
	U64:           {"ui64", "U64", 9, "uint64", "<u8", kindUint, 64, 0},
	F16:           {"f16", "F16", 10, "float16", "<f2", kindFloat, 16, 0},
	F32:           {"f32", "F32", 11, "float32", "<f4", kindFloat, 32, 0},
	F64:           {"f64", "F64", 12, "float64", "<f8", kindFloat, 64, 0},
	BF16:          {"bf16", "BF16", 16, "bfloat16", "<V2", kindFloat, 16, 0},
	C64:           {"complex<f32>", "C64", 15, "complex64", "<c8", kindComplex, 64, 0},
	C128:          {"complex<f64>", "C128", 18, "complex128", "<c16", kindComplex, 128, 0},
	F8E5M2:        {"f8E5M2", "F8E5M2", 19, "float8_e5m2", "<V1", kindFloat, 8, 0},
	F8E4M3FN:      {"f8E4M3FN", "F8E4M3FN", 20, "float8_e4m3fn", "<V1", kindFloat, 8, 0},
	F8E4M3B11FNUZ: {"f8E4M3B11FNUZ", "F8E4M3B11FNUZ", 23, "float8_e4m3b11fnuz", "<V1", kindFloat, 8, 0},
	F8E5M2FNUZ:    {"f8E5M2FNUZ", "F8E5M2FNUZ", 24, "float8_e5m2fnuz", "<V1", kindFloat, 8, 4},
	F8E4M3FNUZ:    {"f8E4M3FNUZ", "F8E4M3FNUZ", 25, "float8_e4m3fnuz", "<V1", kindFloat, 8, 4},
	S4:            {"i4", "S4", 21, "int4", "<V1", kindInt, 4, 0},
	U4:            {"ui4", "U4", 22, "uint4", "<V1", kindUint, 4, 0},
	Token:         {"token", "TOKEN", 17, "", "", kindNone, 0, 50},
	S2:            {"i2", "S2", 26, "int2", "<V1", kindInt, 2, 53},
	U2:            {"ui2", "U2", 27, "uint2", "<V1", kindUint, 2, 53},
	F8E4M3:        {"f8E4M3", "F8E4M3", 28, "float8_e4m3", "<V1", kindFloat, 8, 55},
	F8E3M4:        {"f8E3M4", "F8E3M4", 29, "float8_e3m4", "<V1", kindFloat, 8, 55},
	F8E8M0FNU:     {"f8E8M0FNU", "F8E8M0FNU", 33, "float8_e8m0fnu", "<V1", kindFloat, 8, 63},
	F4E2M1FN:      {"f4E2M1FN", "F4E2M1FN", 32, "float4_e2m1fn", "<V1", kindFloat, 4, 63},
	S1:            {"si1", "S1", 30, "int1", "<V1", kindInt, 1, 94},
	U1:            {"ui1", "U1", 31, "uint1", "<V1", kindUint, 1, 94},
	F6E2M3FN:      {"f6E2M3FN", "F6E2M3FN", 36, "float6_e2m3fn", "<V1", kindFloat, 6, 114},
	F6E3M2FN:      {"f6E3M2FN", "F6E3M2FN", 35, "float6_e3m2fn", "<V1", kindFloat, 6, 114},
}

// All returns every type but [Invalid], in numeric order.
func All() []Type {
	all := make([]Type, 0, numTypes-1)
	for t := Invalid + 1; t < numTypes; t++ {
		all = append(all, t)
	}
	return all
}

func (t Type) info() *info {
	if t < 0 || t >= numTypes {
		return &infos[Invalid]
	}
	return &infos[t]
}

// Valid reports whether t is one of the types of this package other than [Invalid].
func (t Type) Valid() bool { return t > Invalid && t < numTypes }

// String returns the type as StableHLO writes it: f32, bf16, f8E4M3FN, i4, ui8, complex<f32>.
// [Pred] is i1; [S1], which StableHLO cannot tell from it, is si1. [Parse] reads every spelling
// back.
//
// Messages, shapes and commands spell types in this way, because programs do: what an error says of
// an argument can be found in the text that was compiled, and pasted into it. XLA's own words (s32,
// u8, pred, c64) stand only where a text is HLO, and in what plugins say themselves.
func (t Type) String() string {
	if t < 0 || t >= numTypes {
		return "dtype.Type(" + strconv.Itoa(int(t)) + ")"
	}
	return infos[t].name
}

// XLA returns the name of the type in XLA's enum PrimitiveType: F32, PRED, S4, C64.
func (t Type) XLA() string { return t.info().xla }

// PrimitiveType returns the number of the type in XLA's enum PrimitiveType, which serialized
// programs and shapes use. It is not the number of the PJRT type. Invalid types give 0.
func (t Type) PrimitiveType() int32 { return t.info().primitive }

// FromPrimitiveType returns the type that has this number in XLA's enum PrimitiveType. It returns
// false for numbers that are not element types, such as those of tuples and opaque values.
func FromPrimitiveType(n int32) (Type, bool) {
	for t := Invalid + 1; t < numTypes; t++ {
		if infos[t].primitive == n {
			return t, true
		}
	}
	return Invalid, false
}

// NumPy returns the name of the type in NumPy or ml_dtypes: float32, bool, bfloat16. It is empty
// for [Token].
func (t Type) NumPy() string { return t.info().numpy }

// Descr returns the word for the type in the header of a .npy file, such as <f4 or |b1. Types that
// NumPy lacks are opaque words there, <V1 or <V2, as ml_dtypes stores them, and the file does not
// say which type it holds. It is empty for [Token].
func (t Type) Descr() string { return t.info().descr }

// Since returns the minor version of the PJRT C API that introduced the type. 0 means that the type
// has always existed.
func (t Type) Since() int { return t.info().since }

// Bits returns the width of one element packed as tightly as the type allows: 4 for [S4], 6 for the
// F6 types, 8 for [Pred], 128 for [C128], 0 for [Token] and invalid types.
func (t Type) Bits() int { return t.info().bits }

// Size returns the size in bytes of one element in the host form, where types narrower than a byte
// take a whole one. It is 0 for [Token] and invalid types.
func (t Type) Size() int { return (t.info().bits + 7) / 8 }

// IsInteger reports whether t is a signed or unsigned integer; [Pred] is not.
func (t Type) IsInteger() bool { k := t.info().kind; return k == kindInt || k == kindUint }

// IsSigned reports whether t has negative values: signed integers, complex numbers, and all floats
// but [F8E8M0FNU].
func (t Type) IsSigned() bool {
	k := t.info().kind
	return k == kindInt || k == kindComplex || k == kindFloat && t != F8E8M0FNU
}

// IsFloat reports whether t is a real floating-point type.
func (t Type) IsFloat() bool { return t.info().kind == kindFloat }

// IsComplex reports whether t is [C64] or [C128].
func (t Type) IsComplex() bool { return t.info().kind == kindComplex }

// IsSubByte reports whether an element is narrower than a byte, so that a device may pack several
// into one.
func (t Type) IsSubByte() bool { b := t.info().bits; return b > 0 && b < 8 }

// MarshalText writes the type as [Type.String] does.
func (t Type) MarshalText() ([]byte, error) {
	if !t.Valid() {
		return nil, fmt.Errorf("element type %v cannot be written: it is not a known type", t)
	}
	return []byte(t.String()), nil
}

// UnmarshalText reads what [Parse] reads.
func (t *Type) UnmarshalText(text []byte) error {
	p, err := Parse(string(text))
	if err != nil {
		return err
	}
	*t = p
	return nil
}
