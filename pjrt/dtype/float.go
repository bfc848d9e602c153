// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import (
	"math"
	"strconv"
)

// Float is implemented by the floating-point types that Go lacks. The Go value holds the bits of
// the number, not the number itself: Float8E4M3FN(1) is the smallest positive value of the type.
// Use [Round] to make one from a number.
type Float interface {
	Float16 | BFloat16 | Float8E5M2 | Float8E4M3 |
		Float8E3M4 | Float8E4M3FN | Float8E4M3FNUZ | Float8E5M2FNUZ |
		Float8E4M3B11FNUZ | Float8E8M0FNU | Float6E2M3FN | Float6E3M2FN |
		Float4E2M1FN
	Float32() float32
	Float64() float64
	format() *minifloat
}

// Round returns the F nearest to x, ties to even, and rounds only once, whatever the width of F.
// See the package comment for NaN, infinities, numbers too large and negative zero. A float32
// converts to float64 exactly, so Round[F](float64(x)) rounds a float32 correctly too.
func Round[F Float](x float64) F {
	var zero F
	return F(zero.format().encode(x))
}

// IsNaN reports whether x is not a number. It is false for the types that have no NaN.
func IsNaN[F Float](x F) bool { return x.format().isNaN(uint16(x)) }

// Float16 is an IEEE 754 binary16 number.
type Float16 uint16

// BFloat16 is the upper half of a float32.
type BFloat16 uint16

// Float8E5M2 has 5 exponent and 2 mantissa bits, infinities and NaN as in IEEE 754; the largest
// finite value is 57344.
type Float8E5M2 uint8

// Float8E4M3 has 4 exponent and 3 mantissa bits, infinities and NaN as in IEEE 754; the largest
// finite value is 240.
type Float8E4M3 uint8

// Float8E3M4 has 3 exponent and 4 mantissa bits, infinities and NaN as in IEEE 754; the largest
// finite value is 15.5.
type Float8E3M4 uint8

// Float8E4M3FN has 4 exponent and 3 mantissa bits, no infinity and one NaN per sign; the largest
// value is 448.
type Float8E4M3FN uint8

// Float8E4M3FNUZ has 4 exponent bits with bias 8 and 3 mantissa bits, no infinity, one NaN and no
// negative zero; the largest value is 240.
type Float8E4M3FNUZ uint8

// Float8E5M2FNUZ has 5 exponent bits with bias 16 and 2 mantissa bits, no infinity, one NaN and no
// negative zero; the largest value is 57344.
type Float8E5M2FNUZ uint8

// Float8E4M3B11FNUZ has 4 exponent bits with bias 11 and 3 mantissa bits, no infinity, one NaN and
// no negative zero; the largest value is 30.
type Float8E4M3B11FNUZ uint8

// Float8E8M0FNU is a power of two from 2^-127 to 2^127, or NaN: neither zero nor negative numbers
// exist.
type Float8E8M0FNU uint8

// Float6E2M3FN has 2 exponent and 3 mantissa bits in the low 6 bits of a byte, and finite values
// only; the largest is 7.5.
type Float6E2M3FN uint8

// Float6E3M2FN has 3 exponent and 2 mantissa bits in the low 6 bits of a byte, and finite values
// only; the largest is 28.
type Float6E3M2FN uint8

// Float4E2M1FN has 2 exponent bits and 1 mantissa bit in the low 4 bits of a byte, and finite
// values only; the largest is 6.
type Float4E2M1FN uint8

// Float32 returns the value of x, exactly.
func (x Float16) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float16) Float64() float64 { return float16.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float16) String() string { return text(x.Float64()) }

func (Float16) format() *minifloat { return float16 }

// Float32 returns the value of x, exactly.
func (x BFloat16) Float32() float32 { return math.Float32frombits(uint32(x) << 16) }

// Float64 returns the value of x, exactly.
func (x BFloat16) Float64() float64 { return bfloat16.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x BFloat16) String() string { return text(x.Float64()) }

func (BFloat16) format() *minifloat { return bfloat16 }

// Float32 returns the value of x, exactly.
func (x Float8E5M2) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float8E5M2) Float64() float64 { return f8e5m2.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float8E5M2) String() string { return text(x.Float64()) }

func (Float8E5M2) format() *minifloat { return f8e5m2 }

// Float32 returns the value of x, exactly.
func (x Float8E4M3) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float8E4M3) Float64() float64 { return f8e4m3.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float8E4M3) String() string { return text(x.Float64()) }

func (Float8E4M3) format() *minifloat { return f8e4m3 }

// Float32 returns the value of x, exactly.
func (x Float8E3M4) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float8E3M4) Float64() float64 { return f8e3m4.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float8E3M4) String() string { return text(x.Float64()) }

func (Float8E3M4) format() *minifloat { return f8e3m4 }

// Float32 returns the value of x, exactly.
func (x Float8E4M3FN) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float8E4M3FN) Float64() float64 { return f8e4m3fn.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float8E4M3FN) String() string { return text(x.Float64()) }

func (Float8E4M3FN) format() *minifloat { return f8e4m3fn }

// Float32 returns the value of x, exactly.
func (x Float8E4M3FNUZ) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float8E4M3FNUZ) Float64() float64 { return f8e4m3fnuz.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float8E4M3FNUZ) String() string { return text(x.Float64()) }

func (Float8E4M3FNUZ) format() *minifloat { return f8e4m3fnuz }

// Float32 returns the value of x, exactly.
func (x Float8E5M2FNUZ) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float8E5M2FNUZ) Float64() float64 { return f8e5m2fnuz.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float8E5M2FNUZ) String() string { return text(x.Float64()) }

func (Float8E5M2FNUZ) format() *minifloat { return f8e5m2fnuz }

// Float32 returns the value of x, exactly.
func (x Float8E4M3B11FNUZ) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float8E4M3B11FNUZ) Float64() float64 { return f8e4m3b11fnuz.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float8E4M3B11FNUZ) String() string { return text(x.Float64()) }

func (Float8E4M3B11FNUZ) format() *minifloat { return f8e4m3b11fnuz }

// Float32 returns the value of x, exactly.
func (x Float8E8M0FNU) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float8E8M0FNU) Float64() float64 { return f8e8m0fnu.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float8E8M0FNU) String() string { return text(x.Float64()) }

func (Float8E8M0FNU) format() *minifloat { return f8e8m0fnu }

// Float32 returns the value of x, exactly.
func (x Float6E2M3FN) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float6E2M3FN) Float64() float64 { return f6e2m3fn.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float6E2M3FN) String() string { return text(x.Float64()) }

func (Float6E2M3FN) format() *minifloat { return f6e2m3fn }

// Float32 returns the value of x, exactly.
func (x Float6E3M2FN) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float6E3M2FN) Float64() float64 { return f6e3m2fn.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float6E3M2FN) String() string { return text(x.Float64()) }

func (Float6E3M2FN) format() *minifloat { return f6e3m2fn }

// Float32 returns the value of x, exactly.
func (x Float4E2M1FN) Float32() float32 { return float32(x.Float64()) }

// Float64 returns the value of x, exactly.
func (x Float4E2M1FN) Float64() float64 { return f4e2m1fn.decode(uint16(x)) }

// String returns the value of x in decimal, with up to 6 digits as ml_dtypes prints it.
func (x Float4E2M1FN) String() string { return text(x.Float64()) }

func (Float4E2M1FN) format() *minifloat { return f4e2m1fn }

// text prints like C's %g, except for NaN and infinities.
func text(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
