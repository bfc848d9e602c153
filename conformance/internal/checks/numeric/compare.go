// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// policy says how far a result may be from the expected one.
type policy struct {
	// ulp is the allowed distance in units in the last place. For complex numbers it counts
	// in units of the modulus.
	ulp float64
	// precise marks elements of which ulp does not hold: only zero may stand for a subnormal one.
	precise []bool
	// bound, if not nil, is the absolute error allowed for each element.
	bound []float64
	// open marks elements that the specification leaves open: they may have any value.
	open []bool
	// signless means that 0 and -0 are equal, and signed that they are not. By default they
	// are equal where ulp or bound allow an error.
	signless, signed bool
	// also holds results of devices without subnormal numbers, element by element, which
	// are accepted too.
	also [][]value
	// otherwise holds the results by another reading of the specification, where it is
	// contested.
	otherwise []value
}

// describe describes the policy for votes. What policies did not always have is described only
// where it is set, so that votes on other programs stay current.
func (p policy) describe() string {
	text := fmt.Sprintf("{ulp:%v bound:%v open:%v signless:%v signed:%v also:%+v otherwise:%+v};",
		p.ulp, p.bound, p.open, p.signless, p.signed, p.also, p.otherwise)
	if p.precise != nil {
		text += fmt.Sprintf("precise:%v;", p.precise)
	}
	return text
}

// exact is the policy of integers and of everything that only moves data.
var exact = policy{}

// format describes the floats of a type.
type format struct {
	mantissa  int     // bits after the point
	minNormal float64 // the least positive normal number
}

var formats = map[dtype.Type]format{
	dtype.F64:           {52, 0x1p-1022},
	dtype.F32:           {23, 0x1p-126},
	dtype.F16:           {10, 0x1p-14},
	dtype.BF16:          {7, 0x1p-126},
	dtype.F8E5M2:        {2, 0x1p-14},
	dtype.F8E4M3FN:      {3, 0x1p-6},
	dtype.F8E4M3B11FNUZ: {3, 0x1p-10},
	dtype.F8E5M2FNUZ:    {2, 0x1p-15},
	dtype.F8E4M3FNUZ:    {3, 0x1p-7},
	dtype.F8E4M3:        {3, 0x1p-6},
	dtype.F8E3M4:        {4, 0x1p-2},
	dtype.F8E8M0FNU:     {0, 0x1p-127},
	dtype.F4E2M1FN:      {1, 1},
	dtype.F6E2M3FN:      {3, 1},
	dtype.F6E3M2FN:      {2, 0x1p-2},
}

// unit returns the distance between neighbouring floats of the type at x.
func unit(t dtype.Type, x float64) float64 {
	f := formats[t]
	x = math.Abs(x)
	if x < f.minNormal {
		x = f.minNormal
	}
	_, e := math.Frexp(x)
	return math.Ldexp(1, e-1-f.mantissa)
}

// compare says how got differs from want. It returns nil if the policy allows the
// difference.
func compare(want, got array, p policy) error {
	var wrong []int
	for i := range want.v {
		if p.open != nil && p.open[i] {
			continue
		}
		if !p.allows(want.t, want.v[i], got.v[i], i) {
			wrong = append(wrong, i)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	first := wrong[0]
	return &check.Mismatch{Places: wrong, Of: len(want.v), Text: fmt.Sprintf(
		"%d of %d elements differ; the first is at %v: expected %s, got %s",
		len(wrong), len(want.v), index(want.dims, first), show(want.t, want.v[first]), show(want.t, got.v[first]))}
}

// allows reports whether got is acceptable as element i.
func (p policy) allows(t dtype.Type, want, got value, i int) bool {
	if p.equal(t, want, got, i) {
		return true
	}
	for _, other := range p.also {
		if p.equal(t, other[i], got, i) {
			return true
		}
	}
	return p.otherwise != nil && p.equal(t, p.otherwise[i], got, i)
}

func (p policy) equal(t dtype.Type, want, got value, i int) bool {
	switch {
	case t.IsComplex():
		return p.close(t, want.c, got.c, i)
	case t.IsFloat():
		return p.closeFloat(t, want.f, got.f, i)
	}
	return want.i == got.i
}

func (p policy) closeFloat(t dtype.Type, want, got float64, i int) bool {
	switch {
	case math.IsNaN(want) || math.IsNaN(got):
		return math.IsNaN(want) && math.IsNaN(got)
	case want == got:
		return want != 0 || p.signless || p.ulp > 0 && !p.signed || p.bound != nil || math.Signbit(want) == math.Signbit(got)
	case math.IsInf(want, 0) || math.IsInf(got, 0):
		// A value at the end of the range may round either way.
		return p.ulp > 0 && !math.IsInf(want, -int(math.Copysign(1, got))) &&
			math.Abs(finite(t, want)-finite(t, got)) <= p.ulp*unit(t, finite(t, got))
	}
	if p.precise != nil && p.precise[i] {
		p.ulp = 0
	}
	diff := math.Abs(want - got)
	if p.bound != nil {
		return diff <= p.bound[i]
	}
	step := unit(t, want)
	if m, _ := math.Frexp(want); formats[t].mantissa < 2 && math.Abs(got) < math.Abs(want) && math.Abs(m) == 0.5 &&
		math.Abs(want) > formats[t].minNormal {
		step /= 2 // below a power of two numbers are closer; here it is half of all the numbers between
	}
	if diff <= p.ulp*step {
		return true
	}
	// A device may flush subnormal numbers to zero, including those that round up to the
	// least normal number.
	return got == 0 && math.Abs(want) <= formats[t].minNormal && flushable(t)
}

// flushable reports whether a device may take subnormal numbers of a type for zero. Those of the
// narrowest types are normal in every type that it may compute with.
func flushable(t dtype.Type) bool { return t.Bits() > 6 }

// finite replaces an infinity by the number that would follow the largest one.
func finite(t dtype.Type, x float64) float64 {
	if !math.IsInf(x, 0) {
		return x
	}
	largest := map[dtype.Type]float64{dtype.F32: 0x1p128, dtype.F16: 0x1p16, dtype.BF16: 0x1p128, dtype.F8E5M2: 0x1p16, dtype.F8E4M3: 256,
		dtype.F8E3M4: 16}[t]
	if largest == 0 {
		return x
	}
	return math.Copysign(largest, x)
}

// close compares complex numbers: the error is relative to the modulus, since either part
// alone may cancel.
func (p policy) close(t dtype.Type, want, got complex128, i int) bool {
	part := dtype.F32
	if t == dtype.C128 {
		part = dtype.F64
	}
	if cmplx.IsNaN(want) || cmplx.IsInf(want) || p.ulp == 0 && p.bound == nil {
		return p.closeFloat(part, real(want), real(got), i) && p.closeFloat(part, imag(want), imag(got), i)
	}
	allowed := p.ulp * unit(part, cmplx.Abs(want))
	if p.bound != nil {
		allowed = p.bound[i]
	}
	return cmplx.Abs(want-got) <= allowed
}

// few is the number of elements below which there are no statistics.
const few = 64

// accuracy says how far the elements of a result are from the right ones, in units in the
// last place. It returns an empty string where that says little.
func accuracy(want, got array, p policy) string {
	if p.also != nil {
		if n := flushes(want, got, p); n > 0 {
			return fmt.Sprintf("subnormal numbers are taken for zero in %d of %d elements", n, len(want.v))
		}
	}
	if !want.t.IsFloat() || p.ulp == 0 || len(want.v) < few {
		return ""
	}
	var sum, most float64
	n, worst := 0, 0
	var steps [6]int // within 0, 0.5, 1, 2, 4, and more
	for i := range want.v {
		w, g := want.v[i].f, got.v[i].f
		if p.open != nil && p.open[i] || math.IsNaN(w-g) || math.IsInf(w-g, 0) {
			continue
		}
		e := math.Abs(w-g) / unit(want.t, w)
		n, sum = n+1, sum+e
		if e > most {
			most, worst = e, i
		}
		for k, limit := range []float64{0, 0.5, 1, 2, 4, math.Inf(1)} {
			if e <= limit {
				steps[k]++
				break
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d numbers, %.3g units in the last place off on average and %.3g at most (element %d: %v for %v); exact %d, within 1 %d, within 2 %d, within 4 %d, beyond %d",
		n, sum/float64(n), most, worst, got.v[worst].f, want.v[worst].f, steps[0], steps[1]+steps[2], steps[3], steps[4], steps[5])
}

// flushes counts the elements that are right only if subnormal numbers count as zero.
func flushes(want, got array, p policy) int {
	n := 0
	for i := range want.v {
		w, g := want.v[i], got.v[i]
		switch {
		case p.open != nil && p.open[i]:
		case want.t.IsFloat() && w.f != 0 && g.f == 0 && math.Abs(w.f) <= formats[want.t].minNormal:
			n++
		case !p.equal(want.t, w, g, i):
			n++
		}
	}
	return n
}
