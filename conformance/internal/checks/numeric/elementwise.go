// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// kinds is a set of kinds of element types.
type kinds int

const (
	bools kinds = 1 << iota
	signed
	unsigned
	floats
	complexes
	integers = signed | unsigned
	numbers  = integers | floats | complexes
	all      = bools | numbers
)

func kindOf(t dtype.Type) kinds {
	switch {
	case t == dtype.Pred:
		return bools
	case t.IsComplex():
		return complexes
	case t.IsFloat():
		return floats
	case t.IsSigned():
		return signed
	}
	return unsigned
}

// elementTypes lists every element type whose numbers a StableHLO program can hold.
var elementTypes = func() []dtype.Type {
	var ts []dtype.Type
	for _, t := range dtype.All() {
		if t.Size() > 0 && t != dtype.S1 && t != dtype.U1 {
			ts = append(ts, t)
		}
	}
	return ts
}()

// of returns the element types of the kinds.
func (k kinds) of() []dtype.Type {
	var ts []dtype.Type
	for _, t := range elementTypes {
		if k&kindOf(t) != 0 {
			ts = append(ts, t)
		}
	}
	return ts
}

// unaryOp is an operation on one array, element by element.
type unaryOp struct {
	name string
	in   kinds
	// domain selects the sample inputs on which the operation is tried; nil means all.
	domain func(t dtype.Type, v value) bool
	eval   func(t dtype.Type, v value) value // not rounded for floats
	out    func(t dtype.Type) dtype.Type     // nil: the type of the input
	ulp    float64                           // of F32 and F64; narrower types get at most 1
	attr   string
}

// onFloats makes an eval from functions of real and complex numbers.
func onFloats(f func(float64) float64, c func(complex128) complex128) func(dtype.Type, value) value {
	return func(t dtype.Type, v value) value {
		if t.IsComplex() {
			return value{c: c(v.c)}
		}
		return value{f: f(v.f)}
	}
}

// within is the domain of numbers whose modulus is at most m.
func within(m float64) func(dtype.Type, value) bool {
	return func(t dtype.Type, v value) bool { return modulus(t, v) <= m }
}

func modulus(t dtype.Type, v value) float64 {
	if t.IsComplex() {
		return cmplx.Abs(v.c)
	}
	return math.Abs(v.f)
}

func positive(t dtype.Type, v value) bool {
	if t.IsComplex() {
		return v.c != 0
	}
	return v.f > 0
}

func realOf(t dtype.Type) dtype.Type {
	switch t {
	case dtype.C64:
		return dtype.F32
	case dtype.C128:
		return dtype.F64
	}
	return t
}

var unaries = []unaryOp{
	{name: "abs", in: signed | floats | complexes, out: realOf, ulp: 0, eval: func(t dtype.Type, v value) value {
		switch {
		case t.IsComplex():
			return value{f: cmplx.Abs(v.c)}
		case t.IsFloat():
			return value{f: math.Abs(v.f)}
		case v.i < 0:
			return wrap(t, -uint64(v.i))
		}
		return v
	}},
	{name: "negate", in: numbers, eval: func(t dtype.Type, v value) value {
		switch {
		case t.IsComplex():
			return value{c: -v.c}
		case t.IsFloat():
			return value{f: -v.f}
		}
		return wrap(t, -uint64(v.i))
	}},
	{name: "sign", in: signed | floats | complexes, eval: func(t dtype.Type, v value) value {
		switch {
		case t.IsComplex() && v.c == 0:
			return value{}
		case t.IsComplex():
			return value{c: v.c / complex(cmplx.Abs(v.c), 0)}
		case t.IsFloat() && (v.f == 0 || math.IsNaN(v.f)):
			return v
		case t.IsFloat():
			return value{f: math.Copysign(1, v.f)}
		}
		return value{i: int64(compareInts(v.i, 0))}
	}, ulp: 2},
	{name: "ceil", in: floats, eval: onFloats(math.Ceil, nil)},
	{name: "floor", in: floats, eval: onFloats(math.Floor, nil)},
	{name: "round_nearest_afz", in: floats, eval: onFloats(math.Round, nil)},
	{name: "round_nearest_even", in: floats, eval: onFloats(math.RoundToEven, nil)},
	{name: "sqrt", in: floats | complexes, domain: positive, eval: onFloats(math.Sqrt, cmplx.Sqrt), ulp: 1},
	{name: "rsqrt", in: floats | complexes, domain: positive, ulp: 4,
		eval: onFloats(func(x float64) float64 { return 1 / math.Sqrt(x) }, func(x complex128) complex128 { return 1 / cmplx.Sqrt(x) })},
	{name: "cbrt", in: floats, ulp: 4, eval: onFloats(math.Cbrt, nil)},
	{name: "exponential", in: floats | complexes, domain: within(20), eval: onFloats(math.Exp, cmplx.Exp), ulp: 6},
	{name: "exponential_minus_one", in: floats | complexes, domain: within(20), ulp: 6,
		eval: onFloats(math.Expm1, func(x complex128) complex128 { return cmplx.Exp(x) - 1 })},
	{name: "log", in: floats | complexes, domain: positive, eval: onFloats(math.Log, cmplx.Log), ulp: 6},
	{name: "log_plus_one", in: floats | complexes, domain: func(t dtype.Type, v value) bool { return t.IsComplex() || v.f > -1 }, ulp: 6,
		eval: onFloats(math.Log1p, func(x complex128) complex128 { return cmplx.Log(1 + x) })},
	{name: "logistic", in: floats | complexes, domain: within(20), ulp: 10,
		eval: onFloats(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, func(x complex128) complex128 { return 1 / (1 + cmplx.Exp(-x)) })},
	{name: "cosine", in: floats | complexes, domain: within(20), eval: onFloats(math.Cos, cmplx.Cos), ulp: 8},
	{name: "sine", in: floats | complexes, domain: within(20), eval: onFloats(math.Sin, cmplx.Sin), ulp: 8},
	{name: "tan", in: floats | complexes, domain: within(4), eval: onFloats(math.Tan, cmplx.Tan), ulp: 10},
	{name: "tanh", in: floats | complexes, domain: within(20), eval: onFloats(math.Tanh, cmplx.Tanh), ulp: 10},
	{name: "is_finite", in: floats, out: func(dtype.Type) dtype.Type { return dtype.Pred }, eval: func(_ dtype.Type, v value) value {
		return truth(!math.IsInf(v.f, 0) && !math.IsNaN(v.f))
	}},
	{name: "real", in: complexes, out: realOf, eval: func(_ dtype.Type, v value) value { return value{f: real(v.c)} }},
	{name: "imag", in: complexes, out: realOf, eval: func(_ dtype.Type, v value) value { return value{f: imag(v.c)} }},
	{name: "not", in: bools | integers, eval: func(t dtype.Type, v value) value {
		if t == dtype.Pred {
			return truth(v.i == 0)
		}
		return wrap(t, ^uint64(v.i))
	}},
	{name: "popcnt", in: integers, eval: func(t dtype.Type, v value) value {
		return wrap(t, uint64(bits.OnesCount64(mask(t, v))))
	}},
	{name: "count_leading_zeros", in: integers, eval: func(t dtype.Type, v value) value {
		return wrap(t, uint64(bits.LeadingZeros64(mask(t, v))-64+t.Bits()))
	}},
	{name: "reduce_precision", in: floats, attr: "exponent_bits = 8 : i32, mantissa_bits = 23 : i32",
		domain: func(t dtype.Type, v value) bool { return t != dtype.F64 || float64(float32(v.f)) == v.f },
		eval:   func(_ dtype.Type, v value) value { return v }},
	{name: "optimization_barrier", in: all, eval: func(_ dtype.Type, v value) value { return v }},
}

// mask returns the bits of an integer, without the extension of its sign.
func mask(t dtype.Type, v value) uint64 {
	if t.Bits() == 64 {
		return uint64(v.i)
	}
	return uint64(v.i) & (1<<t.Bits() - 1)
}

func truth(b bool) value {
	if b {
		return value{i: 1}
	}
	return value{}
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// binaryOp is an operation on two arrays, element by element.
type binaryOp struct {
	name   string
	in     kinds
	domain func(t dtype.Type, a, b value) bool
	eval   func(t dtype.Type, a, b value) value
	ulp    float64
	// coarse is how far a result of type F32 may be off instead. The sign of a zero counts.
	coarse float64
	// signless means that the sign of a zero is left open.
	signless bool
}

// policy returns the policy for results of a type.
func (b *binaryOp) policy(t dtype.Type) policy {
	p := tolerance(t, b.ulp, b.signless)
	if t == dtype.F32 && b.coarse > 0 {
		p.ulp, p.signed = b.coarse, true
	}
	return p
}

// arithmetic makes an eval from one function per kind.
func arithmetic(i func(a, b uint64) uint64, f func(a, b float64) float64, c func(a, b complex128) complex128) func(dtype.Type, value,
	value) value {
	return func(t dtype.Type, a, b value) value {
		switch {
		case t.IsComplex():
			return value{c: c(a.c, b.c)}
		case t.IsFloat():
			return value{f: f(a.f, b.f)}
		}
		return wrap(t, i(uint64(a.i), uint64(b.i)))
	}
}

func nonzero(t dtype.Type, a, b value) bool {
	switch {
	case t.IsComplex():
		return b.c != 0
	case t.IsFloat():
		return b.f != 0
	}
	least := wrap(t, 1<<(t.Bits()-1))
	return b.i != 0 && !(t.IsSigned() && a == least && b.i == -1)
}

// divide and remainder of integers round toward zero.
func divide(t dtype.Type, a, b value) value {
	switch {
	case t.IsComplex():
		return value{c: a.c / b.c}
	case t.IsFloat():
		return value{f: a.f / b.f}
	case t.IsSigned():
		return wrap(t, uint64(a.i/b.i))
	}
	return wrap(t, uint64(a.i)/uint64(b.i))
}

func remainder(t dtype.Type, a, b value) value {
	switch {
	case t.IsFloat():
		return value{f: math.Mod(a.f, b.f)}
	case t.IsSigned():
		return wrap(t, uint64(a.i%b.i))
	}
	return wrap(t, uint64(a.i)%uint64(b.i))
}

// less orders values of a type; complex numbers are ordered by their real, then their
// imaginary part.
func less(t dtype.Type, a, b value) bool {
	switch {
	case t.IsComplex():
		return real(a.c) < real(b.c) || real(a.c) == real(b.c) && imag(a.c) < imag(b.c)
	case t.IsFloat():
		return a.f < b.f
	case t.IsSigned():
		return a.i < b.i
	}
	return uint64(a.i) < uint64(b.i)
}

// maximum and minimum return NaN when an operand is NaN. math.Max and math.Min do not: for
// them an infinity outweighs NaN.
func maximum(t dtype.Type, a, b value) value {
	if t.IsFloat() {
		return value{f: max(a.f, b.f)}
	}
	if less(t, a, b) {
		return b
	}
	return a
}

func minimum(t dtype.Type, a, b value) value {
	if t.IsFloat() {
		return value{f: min(a.f, b.f)}
	}
	if less(t, a, b) {
		return a
	}
	return b
}

func add(t dtype.Type, a, b value) value {
	if t == dtype.Pred {
		return value{i: a.i | b.i}
	}
	return arithmetic(func(a, b uint64) uint64 { return a + b }, func(a, b float64) float64 { return a + b },
		func(a, b complex128) complex128 { return a + b })(t, a, b)
}

func multiply(t dtype.Type, a, b value) value {
	if t == dtype.Pred {
		return value{i: a.i & b.i}
	}
	return arithmetic(func(a, b uint64) uint64 { return a * b }, func(a, b float64) float64 { return a * b },
		func(a, b complex128) complex128 { return a * b })(t, a, b)
}

var subtract = arithmetic(func(a, b uint64) uint64 { return a - b }, func(a, b float64) float64 { return a - b },
	func(a, b complex128) complex128 { return a - b })

func bitwise(f func(a, b uint64) uint64) func(dtype.Type, value, value) value {
	return func(t dtype.Type, a, b value) value {
		if t == dtype.Pred {
			return value{i: int64(f(uint64(a.i), uint64(b.i)) & 1)}
		}
		return wrap(t, f(uint64(a.i), uint64(b.i)))
	}
}

// shortShift is the domain of shifts by fewer bits than the type has.
func shortShift(t dtype.Type, _, b value) bool {
	return uint64(b.i) < uint64(t.Bits())
}

var binaries = []binaryOp{
	{name: "add", in: all, eval: add},
	{name: "subtract", in: numbers, eval: subtract},
	{name: "multiply", in: all, eval: multiply, ulp: 0},
	// GPUs divide to within two units in the last place, as XLA's compiler for them asks.
	{name: "divide", in: numbers, domain: nonzero, eval: divide, coarse: 2},
	{name: "remainder", in: integers | floats, domain: nonzero, eval: remainder},
	{name: "maximum", in: all, eval: maximum, signless: true},
	{name: "minimum", in: all, eval: minimum, signless: true},
	{name: "and", in: bools | integers, eval: bitwise(func(a, b uint64) uint64 { return a & b })},
	{name: "or", in: bools | integers, eval: bitwise(func(a, b uint64) uint64 { return a | b })},
	{name: "xor", in: bools | integers, eval: bitwise(func(a, b uint64) uint64 { return a ^ b })},
	{name: "shift_left", in: integers, domain: shortShift, eval: func(t dtype.Type, a, b value) value {
		return wrap(t, uint64(a.i)<<uint64(b.i))
	}},
	{name: "shift_right_arithmetic", in: integers, domain: shortShift, eval: func(t dtype.Type, a, b value) value {
		// The sign is the highest bit, even of unsigned types.
		x := int64(mask(t, a)<<(64-t.Bits())) >> (64 - t.Bits())
		return wrap(t, uint64(x>>uint64(b.i)))
	}},
	{name: "shift_right_logical", in: integers, domain: shortShift, eval: func(t dtype.Type, a, b value) value {
		return wrap(t, mask(t, a)>>uint64(b.i))
	}},
	{name: "power", in: integers | floats | complexes, ulp: 32, domain: func(t dtype.Type, a, b value) bool {
		switch {
		case t.IsComplex():
			return cmplx.Abs(a.c) > 0.1 && cmplx.Abs(b.c) < 4
		case t.IsFloat():
			return a.f > 0 && math.Abs(b.f) <= 4
		}
		return b.i >= 0 && b.i < 5
	}, eval: func(t dtype.Type, a, b value) value {
		switch {
		case t.IsComplex():
			return value{c: cmplx.Pow(a.c, b.c)}
		case t.IsFloat():
			return value{f: math.Pow(a.f, b.f)}
		}
		x := uint64(1)
		for range b.i {
			x *= uint64(a.i)
		}
		return wrap(t, x)
	}},
	{name: "atan2", in: floats, ulp: 12, domain: func(_ dtype.Type, a, b value) bool { return a.f != 0 && b.f != 0 },
		// Where the quotient of the operands underflows, math.Atan2 loses the sign.
		eval: func(_ dtype.Type, a, b value) value { return value{f: math.Copysign(math.Atan2(a.f, b.f), a.f)} }},
}

// tolerance returns the policy of an operation on a type whose result is correct to ulp
// units in F32 and F64.
func tolerance(t dtype.Type, ulp float64, signless bool) policy {
	switch {
	case t.IsComplex() && ulp == 0:
		// The parts of a product or a quotient cancel.
		return policy{ulp: 4}
	case t.IsComplex():
		return policy{ulp: 4 * ulp}
	case !t.IsFloat():
		return exact
	case t != dtype.F32 && t != dtype.F64:
		// Computed in a wider type, and rounded twice.
		return policy{ulp: 1, signless: signless}
	}
	return policy{ulp: ulp, signless: signless}
}

// finish rounds the floats of a result to its type.
func finish(t dtype.Type, v value) value {
	switch {
	case t == dtype.C64:
		return value{c: complex(float64(float32(real(v.c))), float64(float32(imag(v.c))))}
	case t.IsFloat():
		return round(t, v.f)
	}
	return v
}

// samples returns ordinary numbers of a type: no NaN, no infinity, no subnormal numbers;
// for integers also the ends of the range.
func samples(t dtype.Type) []value {
	var vs []value
	put := func(v value) {
		for _, o := range vs {
			if o == v {
				return
			}
		}
		vs = append(vs, v)
	}
	switch kindOf(t) {
	case bools:
		put(value{})
		put(value{i: 1})
	case floats:
		for _, x := range []float64{1, -1, 2, 0.5, -0.75, 3, 0, -2.5, 0.3, 7, -0.1, 1.5, 12.25, -5.6, 0.0625, 100} {
			v := round(t, x)
			if !math.IsNaN(v.f) && !math.IsInf(v.f, 0) && (v.f == 0 || math.Abs(v.f) >= formats[t].minNormal) {
				put(v)
			}
		}
		if t.Bits() < 6 {
			// The numbers with fractions: the largest is 1.5, and the least is subnormal.
			for _, x := range []float64{0.5, -0.5, -1.5} {
				put(value{f: x})
			}
		}
	case complexes:
		for _, c := range []complex128{1, -1 + 2i, 0.5 - 0.75i, 3i, 2.5 + 1.25i, -3 - 0.5i, 0.3 + 0.1i, -1.5, 0} {
			put(finish(t, value{c: c}))
		}
	default:
		for _, n := range []int64{0, 1, 2, 3, 5, -1, -3, 7, 42, -100} {
			if v := wrap(t, uint64(n)); v.i == n {
				put(v)
			}
		}
		top := uint64(1) << (t.Bits() - 1)
		put(wrap(t, top))
		put(wrap(t, top-1))
		if t.IsSigned() {
			put(wrap(t, top+1))
		} else {
			put(wrap(t, ^uint64(0)))
		}
	}
	return vs
}

// programOf returns the program of a unary operation on a type; false when the type has no
// input for it.
func (u *unaryOp) programOf(t dtype.Type) (program, bool) {
	var in, out []value
	var silent []bool
	to := t
	if u.out != nil {
		to = u.out(t)
	}
	for _, v := range samples(t) {
		if u.domain != nil && !u.domain(t, v) {
			continue
		}
		in = append(in, v)
		x := u.eval(t, v)
		out = append(out, finish(to, x))
		silent = append(silent, unspecified(to, x))
	}
	if len(in) == 0 {
		return program{}, false
	}
	dims := []int64{int64(len(in))}
	p := op(u.name, u.attr, "", []array{{to, dims, out}}, array{t, dims, in})
	pol := u.policy(t, to)
	pol.open = silent
	p.policies = []policy{pol}
	return p, true
}

// policy says how far the result of the operation may be from the right one.
func (u *unaryOp) policy(t, to dtype.Type) policy {
	switch {
	case t.IsComplex() && !to.IsComplex() && u.name != "abs":
		return exact
	case t.IsComplex() && !to.IsComplex():
		return policy{ulp: 4}
	case u.ulp == 0 && (!t.IsComplex() || u.name == "negate" || u.name == "optimization_barrier"), u.name == "sign" && !t.IsComplex():
		return exact
	case u.name == "logistic" && (t == dtype.F16 || t == dtype.BF16):
		return policy{ulp: 4} // it may be computed from rounded exponentials
	}
	return tolerance(to, u.ulp, false)
}

// unspecified reports whether the specification does not say what the result
// is: f8E8M0FNU has neither zero nor negative numbers.
func unspecified(t dtype.Type, v value) bool {
	return t == dtype.F8E8M0FNU && !(v.f > 0)
}

// pairs returns pairs of samples: all of them, or half of them for a type with many
// samples.
func pairs(t dtype.Type, domain func(t dtype.Type, a, b value) bool) (left, right []value) {
	vs := samples(t)
	for i, a := range vs {
		for j, b := range vs {
			if len(vs) > 8 && (i+j)%2 == 1 {
				continue
			}
			if domain == nil || domain(t, a, b) {
				left, right = append(left, a), append(right, b)
			}
		}
	}
	return left, right
}

func (b *binaryOp) programOf(t dtype.Type) (program, bool) {
	left, right := pairs(t, b.domain)
	if len(left) == 0 {
		return program{}, false
	}
	out, silent := make([]value, len(left)), make([]bool, len(left))
	for i := range left {
		x := b.eval(t, left[i], right[i])
		out[i], silent[i] = finish(t, x), unspecified(t, x)
	}
	dims := []int64{int64(len(left))}
	p := op(b.name, "", "", []array{{t, dims, out}}, array{t, dims, left}, array{t, dims, right})
	pol := b.policy(t)
	pol.open = silent
	p.policies = []policy{pol}
	return p, true
}

// directions lists the comparisons, and for which order of the operands each holds.
var directions = []struct {
	name                 string
	less, equal, greater bool
	kinds                kinds
}{
	{name: "EQ", equal: true, kinds: all},
	{name: "NE", less: true, greater: true, kinds: all},
	{name: "LT", less: true, kinds: all &^ complexes},
	{name: "LE", less: true, equal: true, kinds: all &^ complexes},
	{name: "GT", greater: true, kinds: all &^ complexes},
	{name: "GE", equal: true, greater: true, kinds: all &^ complexes},
}

func comparison(t dtype.Type) program {
	left, right := pairs(t, nil)
	dims := []int64{int64(len(left))}
	p := program{inputs: []array{{t, dims, left}, {t, dims, right}}}
	kind := map[kinds]string{bools: "UNSIGNED", unsigned: "UNSIGNED", signed: "SIGNED", floats: "FLOAT", complexes: "FLOAT"}[kindOf(t)]
	for _, d := range directions {
		if d.kinds&kindOf(t) == 0 {
			continue
		}
		out := array{dtype.Pred, dims, make([]value, len(left))}
		for i := range left {
			switch {
			case less(t, left[i], right[i]):
				out.v[i] = truth(d.less)
			case less(t, right[i], left[i]):
				out.v[i] = truth(d.greater)
			default:
				out.v[i] = truth(d.equal)
			}
		}
		p.body += fmt.Sprintf("%%r%d = stablehlo.compare %s, %%a0, %%a1, %s : (%s, %s) -> %s\n  ", len(p.want), d.name, kind,
			p.inputs[0].typ(), p.inputs[1].typ(), out.typ())
		p.want = append(p.want, out)
	}
	return p
}

// selection returns select with a predicate for each element and with one for all.
func selection(t dtype.Type) program {
	vs := samples(t)
	dims := []int64{int64(len(vs))}
	on, off := array{t, dims, vs}, array{t, dims, make([]value, len(vs))}
	pred := array{dtype.Pred, dims, make([]value, len(vs))}
	each := array{t, dims, make([]value, len(vs))}
	for i := range vs {
		off.v[i] = vs[len(vs)-1-i]
		pred.v[i] = truth(i%2 == 0)
		each.v[i] = off.v[i]
		if i%2 == 0 {
			each.v[i] = on.v[i]
		}
	}
	yes := scalar(dtype.Pred, truth(true))
	return program{
		inputs: []array{pred, on, off, yes},
		body: fmt.Sprintf(`%%r0 = "stablehlo.select"(%%a0, %%a1, %%a2) : (%s, %s, %s) -> %s
  %%r1 = "stablehlo.select"(%%a3, %%a1, %%a2) : (%s, %s, %s) -> %s`, pred.typ(), on.typ(), on.typ(), on.typ(), yes.typ(), on.typ(), on.typ(), on.typ()),
		want: []array{each, on},
	}
}

// clamping returns clamp of the samples to two of them, as scalars.
func clamping(t dtype.Type) program {
	vs := samples(t)
	low, high := vs[0], vs[1]
	if less(t, high, low) {
		low, high = high, low
	}
	dims := []int64{int64(len(vs))}
	x := array{t, dims, vs}
	out := array{t, dims, make([]value, len(vs))}
	for i, v := range vs {
		switch {
		case less(t, v, low):
			out.v[i] = low
		case less(t, high, v):
			out.v[i] = high
		default:
			out.v[i] = v
		}
	}
	return op("clamp", "", "", []array{out}, scalar(t, low), x, scalar(t, high))
}
