// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import "math"

// minifloat describes a binary floating-point type of at most 16 bits. One description and two
// functions serve every such type: a code is the sign bit, then the exponent, then the mantissa.
// Greater magnitudes have greater codes, so a carry out of a rounded mantissa correctly raises the
// exponent.
type minifloat struct {
	bits uint // width of a code
	man  uint // mantissa bits
	bias int

	max      uint16 // code of the largest finite magnitude
	overflow uint16 // code of a magnitude that rounds beyond max: Inf, NaN or max itself
	nan      uint16 // code of a positive NaN; equal to the sign bit where there is no NaN

	inf     bool // the code after max is Inf
	fnuz    bool // the code of negative zero is the only NaN
	finite  bool // neither Inf nor NaN
	nosign  bool // all bits are exponent; no zero
	payload bool // a NaN keeps the upper bits of its mantissa
}

var (
	float16       = &minifloat{bits: 16, man: 10, bias: 15, max: 0x7bff, overflow: 0x7c00, nan: 0x7e00, inf: true, payload: true}
	bfloat16      = &minifloat{bits: 16, man: 7, bias: 127, max: 0x7f7f, overflow: 0x7f80, nan: 0x7fc0, inf: true}
	f8e5m2        = &minifloat{bits: 8, man: 2, bias: 15, max: 0x7b, overflow: 0x7c, nan: 0x7e, inf: true}
	f8e4m3        = &minifloat{bits: 8, man: 3, bias: 7, max: 0x77, overflow: 0x78, nan: 0x7c, inf: true}
	f8e3m4        = &minifloat{bits: 8, man: 4, bias: 3, max: 0x6f, overflow: 0x70, nan: 0x78, inf: true}
	f8e4m3fn      = &minifloat{bits: 8, man: 3, bias: 7, max: 0x7e, overflow: 0x7f, nan: 0x7f}
	f8e4m3fnuz    = &minifloat{bits: 8, man: 3, bias: 8, max: 0x7f, overflow: 0x80, nan: 0x80, fnuz: true}
	f8e5m2fnuz    = &minifloat{bits: 8, man: 2, bias: 16, max: 0x7f, overflow: 0x80, nan: 0x80, fnuz: true}
	f8e4m3b11fnuz = &minifloat{bits: 8, man: 3, bias: 11, max: 0x7f, overflow: 0x80, nan: 0x80, fnuz: true}
	f8e8m0fnu     = &minifloat{bits: 8, man: 0, bias: 127, max: 0xfe, overflow: 0xff, nan: 0xff, nosign: true}
	f6e2m3fn      = &minifloat{bits: 6, man: 3, bias: 1, max: 0x1f, overflow: 0x1f, nan: 0x20, finite: true}
	f6e3m2fn      = &minifloat{bits: 6, man: 2, bias: 3, max: 0x1f, overflow: 0x1f, nan: 0x20, finite: true}
	f4e2m1fn      = &minifloat{bits: 4, man: 1, bias: 1, max: 0x07, overflow: 0x07, nan: 0x08, finite: true}
)

var minifloats = [numTypes]*minifloat{
	F16: float16, BF16: bfloat16,
	F8E5M2: f8e5m2, F8E4M3: f8e4m3, F8E3M4: f8e3m4, F8E4M3FN: f8e4m3fn,
	F8E4M3FNUZ: f8e4m3fnuz, F8E5M2FNUZ: f8e5m2fnuz, F8E4M3B11FNUZ: f8e4m3b11fnuz, F8E8M0FNU: f8e8m0fnu,
	F6E2M3FN: f6e2m3fn, F6E3M2FN: f6e3m2fn, F4E2M1FN: f4e2m1fn,
}

// Layout of a float64.
const (
	man64  = 52
	bias64 = 1023
	abs64  = 1<<63 - 1
	inf64  = 0x7ff << man64
	nan64  = inf64 | 1<<(man64-1)
)

// encode returns the code of x, rounded once, to nearest with ties to even.
func (m *minifloat) encode(x float64) uint16 {
	b := math.Float64bits(x)
	abs := b & abs64
	if m.nosign {
		return m.encodeExponent(b>>63 != 0, abs)
	}
	sign := uint16(b>>63) << (m.bits - 1)
	if abs > inf64 {
		return m.encodeNaN(sign, abs)
	}
	mag := m.magnitude(abs)
	if mag == 0 && m.fnuz {
		return 0
	}
	return sign | mag
}

func (m *minifloat) encodeNaN(sign uint16, abs uint64) uint16 {
	switch {
	case m.finite:
		return sign ^ m.nan // a zero with the other sign, as ml_dtypes does
	case m.payload:
		return sign | m.nan | uint16(abs>>(man64-m.man))&(1<<m.man-1)
	default:
		return sign | m.nan
	}
}

// magnitude rounds a float64 that is not negative and not NaN, given by its bits.
func (m *minifloat) magnitude(abs uint64) uint16 {
	exp := int(abs>>man64) - bias64
	sig := abs&(1<<man64-1) | 1<<man64
	if abs>>man64 == 0 {
		// A subnormal float64 is far below half the smallest magnitude of any type.
		return 0
	}
	shift := man64 - m.man
	var high uint64
	if min := 1 - m.bias; exp < min {
		shift += uint(min - exp)
		if shift > man64+1 {
			return 0
		}
	} else {
		sig &^= 1 << man64
		high = uint64(exp+m.bias) << m.man
	}
	code := high + sig>>shift
	rest, half := sig&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && code&1 == 1 {
		code++
	}
	if code > uint64(m.max) {
		return m.overflow
	}
	return uint16(code)
}

// encodeExponent rounds to a power of two. A tie goes up: the mantissa is an implied 1, which is
// odd. There is no zero to round to, so every number too small becomes the smallest. A number
// between the two smallest codes always goes up, not to the nearer one: ml_dtypes and XLA treat the
// smallest code as a subnormal, and this does the same.
func (m *minifloat) encodeExponent(negative bool, abs uint64) uint16 {
	if negative || abs == 0 || abs > inf64 {
		return m.nan
	}
	code := int(abs>>man64) - bias64 + m.bias
	frac := abs & (1<<man64 - 1)
	if frac >= 1<<(man64-1) || code == 0 && frac > 0 {
		code++
	}
	switch {
	case code < 0:
		return 0
	case code > int(m.max):
		return m.overflow
	}
	return uint16(code)
}

// decode returns the value of a code exactly; bits above the width of the type are ignored.
func (m *minifloat) decode(code uint16) float64 {
	code &= 1<<m.bits - 1
	if m.nosign {
		if code > m.max {
			return math.Float64frombits(nan64)
		}
		return math.Float64frombits(uint64(int(code)-m.bias+bias64) << man64)
	}
	if m.fnuz && code == m.nan {
		return math.Float64frombits(1<<63 | nan64)
	}
	mag := code & (1<<(m.bits-1) - 1)
	sign := uint64(code>>(m.bits-1)) << 63
	frac := uint64(mag & (1<<m.man - 1))
	exp := int(mag >> m.man)
	var abs uint64
	switch {
	case mag > m.max && m.inf && mag == m.max+1:
		abs = inf64
	case mag > m.max:
		abs = nan64 | frac<<(man64-m.man)
	case exp == 0:
		ulp := math.Float64frombits(uint64(1-m.bias-int(m.man)+bias64) << man64)
		abs = math.Float64bits(float64(frac) * ulp)
	default:
		abs = uint64(exp-m.bias+bias64)<<man64 | frac<<(man64-m.man)
	}
	return math.Float64frombits(sign | abs)
}

// isNaN reports whether a code stands for NaN.
func (m *minifloat) isNaN(code uint16) bool {
	x := m.decode(code)
	return x != x
}
