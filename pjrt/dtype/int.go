// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import "strconv"

// Int is implemented by the integer types narrower than a byte. The Go value is the host form, one
// byte with the number in its low bits in two's complement: Int4(15) is minus one. Use [Wrap] to
// make one from a number and Int to read it.
type Int interface {
	Int1 | Int2 | Int4 | Uint1 | Uint2 | Uint4
	Int() int
	width() uint
}

// Wrap returns the low bits of x, as converting between Go's own integer types does: Wrap[Int4](8)
// is -8.
func Wrap[I Int](x int64) I {
	var zero I
	return I(uint8(x) & (1<<zero.width() - 1))
}

// signExtend reads the low bits of a byte as a number in two's complement.
func signExtend(b uint8, width uint) int8 { return int8(b<<(8-width)) >> (8 - width) }

// Int1 is a signed integer of 1 bit, from -1 to 0, in the low bits of a byte.
type Int1 uint8

// Int returns the number; the high bits of the byte are ignored.
func (x Int1) Int() int { return int(signExtend(uint8(x), 1)) }

// String returns the number in decimal.
func (x Int1) String() string { return strconv.Itoa(x.Int()) }

func (Int1) width() uint { return 1 }

// Int2 is a signed integer of 2 bits, from -2 to 1, in the low bits of a byte.
type Int2 uint8

// Int returns the number; the high bits of the byte are ignored.
func (x Int2) Int() int { return int(signExtend(uint8(x), 2)) }

// String returns the number in decimal.
func (x Int2) String() string { return strconv.Itoa(x.Int()) }

func (Int2) width() uint { return 2 }

// Int4 is a signed integer of 4 bits, from -8 to 7, in the low bits of a byte.
type Int4 uint8

// Int returns the number; the high bits of the byte are ignored.
func (x Int4) Int() int { return int(signExtend(uint8(x), 4)) }

// String returns the number in decimal.
func (x Int4) String() string { return strconv.Itoa(x.Int()) }

func (Int4) width() uint { return 4 }

// Uint1 is an unsigned integer of 1 bit, from 0 to 1, in the low bits of a byte.
type Uint1 uint8

// Int returns the number; the high bits of the byte are ignored.
func (x Uint1) Int() int { return int(x & 1) }

// String returns the number in decimal.
func (x Uint1) String() string { return strconv.Itoa(x.Int()) }

func (Uint1) width() uint { return 1 }

// Uint2 is an unsigned integer of 2 bits, from 0 to 3, in the low bits of a byte.
type Uint2 uint8

// Int returns the number; the high bits of the byte are ignored.
func (x Uint2) Int() int { return int(x & 3) }

// String returns the number in decimal.
func (x Uint2) String() string { return strconv.Itoa(x.Int()) }

func (Uint2) width() uint { return 2 }

// Uint4 is an unsigned integer of 4 bits, from 0 to 15, in the low bits of a byte.
type Uint4 uint8

// Int returns the number; the high bits of the byte are ignored.
func (x Uint4) Int() int { return int(x & 15) }

// String returns the number in decimal.
func (x Uint4) String() string { return strconv.Itoa(x.Int()) }

func (Uint4) width() uint { return 4 }
