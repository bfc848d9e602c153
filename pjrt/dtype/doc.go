// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package dtype names the element types of PJRT buffers and gives Go a value type for each one that
// the language lacks.
//
// A [Type] is a PJRT_Buffer_Type: the numbers are the same, so a Type crosses the C interface
// unchanged. It knows its spelling in StableHLO, XLA and NumPy, its size, and the API minor version
// that introduced it.
//
// # Host form
//
// Array data on the host is dense, row-major and little-endian. Types narrower than a byte take one
// byte per element, with the value in the low bits; the high bits are written as zero and ignored
// when read. A bool is one byte, 0 or 1. Programs disagree about other bytes, so they are an error
// at every way from the host to a program and to a Go bool: see [CheckBools]. [Convert] from U8
// makes 1 of them.
//
// # Values
//
// [Float16], [BFloat16], the Float8, Float6 and Float4 types, and [Int1] to [Uint4] hold one
// element each, in the host form, so that a []BFloat16 is the memory of a bf16 array. [Round] makes
// a float from a Go number, rounding once, to nearest with ties to even; [Wrap] makes a narrow
// integer. For NaN, infinities, values too large and negative zero, both follow the Python package
// ml_dtypes, whose types XLA itself uses:
//
//	type                  too large, Inf   NaN              negative zero
//	Float16, BFloat16     Inf              NaN              yes
//	Float8E5M2            Inf              NaN              yes
//	Float8E4M3            Inf              NaN              yes
//	Float8E3M4            Inf              NaN              yes
//	Float8E4M3FN          NaN              NaN              yes
//	Float8E4M3FNUZ        NaN              NaN              becomes 0
//	Float8E5M2FNUZ        NaN              NaN              becomes 0
//	Float8E4M3B11FNUZ     NaN              NaN              becomes 0
//	Float8E8M0FNU         NaN              NaN              NaN, as is zero and every negative number
//	Float6, Float4        largest finite   zero, sign flipped  yes
//
// [Convert] casts whole arrays from one type to another by the rules of NumPy's astype.
package dtype
