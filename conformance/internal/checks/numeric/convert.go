// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// convert returns what a value v of type from becomes in type to; false where the
// specification leaves it open: a number outside the range of an integer type, zero and
// negative numbers as f8E8M0FNU, and numbers too large for a type without infinity.
func convert(to, from dtype.Type, v value) (value, bool) {
	// f is the number as a float; every integer among the samples that a float64 cannot
	// hold exactly has all its bits in i.
	f := asFloat(from, v)
	whole := kindOf(from)&(complexes|floats) == 0
	switch kindOf(to) {
	case complexes:
		if from.IsComplex() {
			return finish(to, v), true
		}
		return finish(to, value{c: complex(f, 0)}), !whole || exactly(to, f)
	case floats:
		if to == dtype.F8E8M0FNU && !(f > 0) {
			return value{}, false
		}
		x := round(to, f)
		if whole && !exactly(to, f) && math.Abs(f) > 1<<24 {
			return value{}, false // rounded twice on the way
		}
		return x, !math.IsNaN(x.f) && !math.IsInf(x.f, 0) && math.Abs(x.f) <= math.Abs(f)*2+1
	case bools:
		if from.IsComplex() {
			// It is open whether a number with only an imaginary part is true.
			return truth(v.c != 0), v.c == 0 || real(v.c) != 0
		}
		return truth(f != 0), true
	}
	if whole {
		return wrap(to, uint64(v.i)), true
	}
	x := math.Trunc(f)
	low, high := 0.0, math.Ldexp(1, to.Bits())
	if to.IsSigned() {
		low, high = -math.Ldexp(1, to.Bits()-1), math.Ldexp(1, to.Bits()-1)
	}
	if !(x >= low && x < high) {
		return value{}, false
	}
	if x >= 0x1p63 {
		return wrap(to, uint64(x)), true
	}
	return wrap(to, uint64(int64(x))), true
}

// asFloat returns the number v of a type; of a complex one, its real part.
func asFloat(t dtype.Type, v value) float64 {
	switch kindOf(t) {
	case complexes:
		return real(v.c)
	case floats:
		return v.f
	case unsigned:
		return float64(uint64(v.i))
	}
	return float64(v.i)
}

// exactly reports whether f is a number of the type.
func exactly(t dtype.Type, f float64) bool {
	if t.IsComplex() {
		t = realOf(t)
	}
	return round(t, f).f == f
}

// conversion returns a program that converts the samples of one type to another.
func conversion(from, to dtype.Type) (program, bool) {
	var in, out []value
	var precise []bool
	for _, v := range samples(from) {
		if x, ok := convert(to, from, v); ok {
			f := asFloat(from, v)
			in, out, precise = append(in, v), append(out, x), append(precise, x.f == f && math.Abs(f) <= 1<<53)
		}
	}
	if len(in) == 0 {
		return program{}, false
	}
	dims := []int64{int64(len(in))}
	p := op("convert", "", "", []array{{to, dims, out}}, array{from, dims, in})
	if to.IsFloat() && to.Bits() < 32 && from.Bits() > 16 {
		// Wide numbers may be rounded on the way, but not those that the type has.
		p.policies = []policy{{ulp: 1, precise: precise}}
	}
	return p, true
}

// conversions passes put the programs that convert one type to all others, by name.
func conversions(from dtype.Type, put func(name string, p program)) {
	for _, to := range elementTypes {
		if to == from {
			continue
		}
		if p, ok := conversion(from, to); ok {
			put(fmt.Sprintf("%v-%v", from, to), p)
		}
	}
}

// bitcast returns a program that reads the bits of one type as another. The narrower one
// has an additional dimension, whose first element is in the low bits.
func bitcast(from, to dtype.Type) (program, bool) {
	bits := func(t dtype.Type) int {
		if t == dtype.Pred {
			return 0 // the packing of bools is another matter
		}
		return t.Bits()
	}
	fb, tb := bits(from), bits(to)
	if (fb == 6) != (tb == 6) {
		return program{}, false
	}
	if fb == 0 || tb == 0 || fb%tb != 0 && tb%fb != 0 || from.IsComplex() != to.IsComplex() || fb != tb && from.IsComplex() {
		return program{}, false
	}
	vs := samples(from)
	n := int64(len(vs))
	inDims, outDims := []int64{n}, []int64{n}
	switch {
	case fb > tb:
		outDims = []int64{n, int64(fb / tb)}
	case fb < tb:
		k := tb / fb
		// The samples are repeated, so that there are several results.
		vs = fill(from, int64(3*k)).v
		inDims, outDims = []int64{3, int64(k)}, []int64{3}
	}
	in := array{from, inDims, vs}
	out, ok := reread(in, to, count(outDims))
	p := op("bitcast_convert", "", "", []array{{to, outDims, out}}, in)
	p.twists = misread(in, to, outDims)
	return p, ok
}

// misread returns the faults of a bitcast that changes the width: parts in the wrong order.
func misread(in array, to dtype.Type, outDims []int64) []twist {
	out := check.Tensor(to, outDims)
	switch {
	case len(outDims) > 1:
		return []twist{{"puts the high bits first", `%r0 = "stablehlo.bitcast_convert"(%a0) : (` + in.typ() + ") -> (" + out + ")",
			fmt.Sprintf("%%p = stablehlo.bitcast_convert %%a0 : (%s) -> %s\n  %%r0 = stablehlo.reverse %%p, dims = [1] : %s", in.typ(), out, out)}}
	case len(in.dims) > 1:
		return []twist{{"takes the first part for the high bits", `%r0 = "stablehlo.bitcast_convert"(%a0)`,
			fmt.Sprintf("%%p = stablehlo.reverse %%a0, dims = [1] : %s\n  %%r0 = \"stablehlo.bitcast_convert\"(%%p)", in.typ())}}
	}
	return nil
}

// reread returns the n elements of another type in the same memory, where elements narrower
// than a byte are packed; false when one of them is NaN, whose bits may change on the way.
func reread(a array, to dtype.Type, n int) ([]value, bool) {
	data := squeeze(a.encode(), a.t)
	size := to.Size()
	if to.IsSubByte() {
		var wide []byte
		per := 8 / to.Bits()
		if to.Bits() == 6 {
			per, wide = 0, data // one per byte, as they are uploaded
		}
		for _, b := range data {
			for k := range per {
				wide = append(wide, b>>(k*to.Bits())&(1<<to.Bits()-1))
			}
		}
		data = wide
	}
	var out []value
	for at := 0; len(out) < n; at += size {
		v := decode(to, data[at:at+size])
		if math.IsNaN(v.f) || v.c != v.c {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// squeeze packs the host form of elements narrower than a byte, with the first element in
// the low bits.
func squeeze(data []byte, t dtype.Type) []byte {
	if !t.IsSubByte() || t.Bits() == 6 {
		return data
	}
	per := 8 / t.Bits()
	out := make([]byte, (len(data)+per-1)/per)
	for i, b := range data {
		out[i/per] |= b << (i % per * t.Bits())
	}
	return out
}
