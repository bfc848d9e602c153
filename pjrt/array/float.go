// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array

import (
	"math"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// floatFormat prints the floats of one array to one width.
type floatFormat struct {
	bits      int // width of the type whose neighbours a number must differ from
	precision int
	plus      bool // positive numbers get a sign
	exponent  bool // all numbers in scientific notation
	left      int  // columns before the point
	right     int  // columns after the point
	expDigits int  // digits of the longest exponent
}

// decimals has the number of decimal digits that a type of NumPy always preserves, by its width.
var decimals = map[int]float64{16: 3, 32: 6, 64: 15}

// newFloatFormat chooses the notation and the width for x, as NumPy does: scientific if the
// greatest number is 1e8 or more (less for narrow types), the least is below 1e-4, or the greatest
// is more than a thousand times the least. Only finite numbers count.
func newFloatFormat(x []float64, bits, precision int, plus bool) *floatFormat {
	f := &floatFormat{bits: bits, precision: precision, plus: plus}
	least, greatest := math.Inf(1), 0.0
	finite, negativeInf := 0, false
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			negativeInf = negativeInf || v < 0
			continue
		}
		finite++
		if v != 0 {
			least, greatest = min(least, math.Abs(v)), max(greatest, math.Abs(v))
		}
	}
	if greatest > 0 {
		// NumPy compares in the type of the array, to which the limits are rounded.
		f.exponent = greatest >= math.Pow(10, min(8, decimals[bits])) ||
			least < round(0.0001, bits) || round(greatest/least, bits) > 1000
	}
	if finite > 0 {
		f.measure(x)
	}
	if finite < len(x) {
		// The names of NaN and infinities are aligned with the right end of the numbers.
		inf := len("inf")
		if plus || negativeInf {
			inf++
		}
		f.left = max(f.left, len("nan")-f.right-1, inf-f.right-1)
	}
	return f
}

// measure prints every finite number once, to find how many columns they need.
func (f *floatFormat) measure(x []float64) {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		number, exp, _ := strings.Cut(f.digits(v), "e")
		before, after, _ := strings.Cut(number, ".")
		f.left = max(f.left, len(before))
		f.right = max(f.right, len(after))
		f.expDigits = max(f.expDigits, len(exp)-1)
	}
}

// digits prints a finite number with as many digits as it needs, up to the precision, and always
// with a point.
func (f *floatFormat) digits(v float64) string {
	verb := byte('f')
	if f.exponent {
		verb = 'e'
	}
	s := shortest(v, verb, f.bits)
	number, exp, _ := strings.Cut(s, "e")
	if _, frac, _ := strings.Cut(number, "."); len(frac) > f.precision {
		number, exp, _ = strings.Cut(strconv.FormatFloat(v, verb, f.precision, 64), "e")
	}
	if strings.Contains(number, ".") {
		number = strings.TrimRight(number, "0")
	} else {
		number += "."
	}
	if f.plus && !math.Signbit(v) {
		number = "+" + number
	}
	if f.exponent {
		return number + "e" + exp
	}
	return number
}

// word prints a number in the columns of its array.
func (f *floatFormat) word(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		s := notFinite(v)
		if f.plus && s[0] != '-' {
			s = "+" + s
		}
		width := f.left + 1 + f.right
		if f.exponent {
			width += len("e+") + f.expDigits
		}
		return strings.Repeat(" ", max(0, width-len(s))) + s
	}
	if f.exponent {
		return f.scientific(v)
	}
	before, after, _ := strings.Cut(f.digits(v), ".")
	return strings.Repeat(" ", max(0, f.left-len(before))) + before + "." + after + strings.Repeat(" ", max(0, f.right-len(after)))
}

// scientific prints a number with as many digits as the longest number of its array needs.
// Additional digits are those of its exact value, not zeros.
func (f *floatFormat) scientific(v float64) string {
	number, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', f.right, 64), "e")
	if f.right == 0 {
		number += "."
	}
	if f.plus && !math.Signbit(v) {
		number = "+" + number
	}
	before := strings.IndexByte(number, '.')
	return strings.Repeat(" ", max(0, f.left-before)) + number +
		"e" + exp[:1] + strings.Repeat("0", max(0, f.expDigits-len(exp)+1)) + exp[1:]
}

// scalar prints an array without dimensions as NumPy prints a single number.
func scalar(a Array) string {
	switch {
	case a.Type == dtype.Pred:
		if a.Data[0] != 0 {
			return "True"
		}
		return "False"
	case foreign(a.Type):
		return foreignText(convert[float64](a)[0])
	case a.Type.IsInteger():
		return integers(a)[0]
	case a.Type.IsComplex():
		re, im, bits := parts(a)
		if re[0] == 0 && !math.Signbit(re[0]) {
			return lone(im[0], bits) + "j"
		}
		sign := ""
		if math.IsNaN(im[0]) || !math.Signbit(im[0]) {
			sign = "+"
		}
		return "(" + lone(re[0], bits) + sign + lone(im[0], bits) + "j)"
	default:
		s := lone(convert[float64](a)[0], a.Type.Bits())
		if strings.Trim(s, "-0123456789") == "" {
			s += ".0"
		}
		return s
	}
}

// lone prints a number with exactly the digits that it needs.
func lone(v float64, bits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return notFinite(v)
	}
	limit := 1e16
	if bits < 64 {
		limit = math.Pow(10, decimals[bits])
	}
	if abs := math.Abs(v); abs == 0 || abs >= 1e-4 && abs < limit {
		return shortest(v, 'f', bits)
	}
	return shortest(v, 'e', bits)
}

func notFinite(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case v < 0:
		return "-inf"
	default:
		return "inf"
	}
}

// foreignText prints like C's %g, as ml_dtypes does.
func foreignText(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return notFinite(v)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// round rounds to a type of NumPy by its width.
func round(v float64, bits int) float64 {
	switch bits {
	case 16:
		return dtype.Round[dtype.Float16](v).Float64()
	case 32:
		return float64(float32(v))
	default:
		return v
	}
}

// shortest prints a number with the fewest digits that identify it in the type of the given width.
func shortest(v float64, verb byte, bits int) string {
	if bits != 16 {
		return strconv.FormatFloat(v, verb, -1, bits)
	}
	// Five digits distinguish any two binary16 numbers. If two decimals are equally near, the
	// greater one may be the one that reads back correctly, because numbers below a power of two
	// are closer together than above.
	away := math.Nextafter(v, math.Copysign(math.Inf(1), v))
	for n := range 5 {
		for _, near := range []float64{v, away} {
			s := strconv.FormatFloat(near, 'e', n, 64)
			back, err := strconv.ParseFloat(s, 64)
			if err != nil || round(back, 16) != v {
				continue
			}
			if verb == 'e' {
				return s
			}
			return strconv.FormatFloat(back, verb, -1, 64)
		}
	}
	return strconv.FormatFloat(v, verb, -1, 64)
}
