// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// edgeTypes lists the types that are tried at their edges; 8-bit types are tried with every
// value.
var edgeTypes = []dtype.Type{
	dtype.F32, dtype.F64, dtype.F16, dtype.BF16, dtype.C64, dtype.C128,
	dtype.S32, dtype.S64, dtype.U32, dtype.U64, dtype.S16, dtype.U16,
}

// specials returns the values at the edges of a type, and some ordinary ones.
func specials(t dtype.Type) []value {
	r := rand.New(rand.NewPCG(7, uint64(t)))
	var vs []value
	switch {
	case t.IsComplex():
		for _, re := range []float64{0, math.Copysign(0, -1), 1, -2.5, math.Inf(1), math.Inf(-1), math.NaN()} {
			for _, im := range []float64{0, math.Copysign(0, -1), 1, 0.75, math.Inf(-1), math.NaN()} {
				vs = append(vs, value{c: complex(re, im)})
			}
		}
	case t.IsFloat():
		f := formats[t]
		least := math.Ldexp(f.minNormal, -f.mantissa)
		most := largestFinite(t).f
		eps := math.Ldexp(1, -f.mantissa)
		for _, x := range []float64{0, least, f.minNormal - least, f.minNormal, eps, 1 - eps/2, 1, 1 + eps, 0.5, 1.5, 2.5, 3.5, 2,
			3, most / 2, most, math.Inf(1), math.Ldexp(1, f.mantissa), math.Ldexp(1, f.mantissa) - 0.5} {
			vs = append(vs, round(t, x), round(t, -x))
		}
		vs = append(vs, value{f: math.NaN()})
		for range 12 {
			vs = append(vs, round(t, math.Ldexp(r.Float64()*2-1, r.IntN(9)-4)))
		}
	default:
		top := uint64(1) << (t.Bits() - 1)
		for _, x := range []uint64{0, 1, ^uint64(0), 2, 3, ^uint64(2), 10, top, top - 1, top + 1, top >> 1, top>>1 - 1, 255, 256, 257} {
			vs = append(vs, wrap(t, x))
		}
		for range 12 {
			vs = append(vs, wrap(t, r.Uint64()>>r.IntN(t.Bits())))
		}
	}
	return vs
}

// flush returns what a device without subnormal numbers makes of a number.
func flush(t dtype.Type, v value) value {
	if subnormal(t, v) {
		return value{f: math.Copysign(0, v.f)}
	}
	return v
}

// subnormal reports whether v is a number that a device may take for zero. What functions
// such as roots or logarithms make of such numbers is a matter of accuracy.
func subnormal(t dtype.Type, v value) bool {
	return t.IsFloat() && v.f != 0 && math.Abs(v.f) < formats[t].minNormal && flushable(t)
}

// trigonometric reports whether the result for a large number says more about the reduction
// to a period than about the operation.
func trigonometric(name string) bool { return name == "sine" || name == "cosine" || name == "tan" }

// edged reports whether the specification says what the operation returns for a type's
// infinities and NaN.
func (u *unaryOp) edged(t dtype.Type) bool {
	return u.in&kindOf(t) != 0 && u.name != "reduce_precision" && (!t.IsComplex() || u.ulp == 0)
}

// edged is the same for a binary operation.
func (b *binaryOp) edged(t dtype.Type) bool {
	return b.in&kindOf(t) != 0 && (!t.IsComplex() || b.name == "add" || b.name == "subtract")
}

// edge returns the operation on the specials of a type.
func (u *unaryOp) edge(t dtype.Type) program {
	to := t
	if u.out != nil {
		to = u.out(t)
	}
	var in, out, flushed []value
	var open []bool
	for _, v := range specials(t) {
		if trigonometric(u.name) && math.Abs(v.f) > 1e4 && !math.IsInf(v.f, 0) {
			continue
		}
		if u.name == "abs" && t.IsComplex() && (cmplx.IsNaN(v.c) || cmplx.IsInf(v.c)) {
			continue
		}
		in, out, flushed = append(in, v), append(out, finish(to, u.eval(t, v))), append(flushed, finish(to, u.eval(t, flush(t, v))))
		open = append(open, u.ulp > 2 && subnormal(t, v))
	}
	dims := []int64{int64(len(in))}
	p := op(u.name, u.attr, "", []array{{to, dims, out}}, array{t, dims, in})
	pol := u.policy(t, to)
	pol.open, pol.also = open, [][]value{flushed}
	p.policies = []policy{pol}
	return p
}

// edge returns the operation on pairs of the specials of a type.
func (b *binaryOp) edge(t dtype.Type) program {
	var left, right, out, flushed []value
	var open []bool
	vs := specials(t)
	for _, x := range vs {
		for _, y := range vs {
			if !t.IsFloat() && b.domain != nil && !b.domain(t, x, y) {
				continue
			}
			left, right = append(left, x), append(right, y)
			out, flushed = append(out, finish(t, b.eval(t, x, y))), append(flushed, finish(t, b.eval(t, flush(t, x), flush(t, y))))
			open = append(open, b.ulp > 2 && (subnormal(t, x) || subnormal(t, y) || b.name == "power" && coarsePower(t, x.f, y.f)))
		}
	}
	dims := []int64{int64(len(left))}
	p := op(b.name, "", "", []array{{t, dims, out}}, array{t, dims, left}, array{t, dims, right})
	p.strictly(b.name)
	pol := policy{signless: b.signless}
	if b.ulp > 0 || t == dtype.F32 {
		pol = b.policy(t)
	}
	pol.open, pol.also = open, [][]value{flushed, b.undecided(t, left, right)}
	p.policies = []policy{pol}
	return p
}

// coarsePower reports whether a power is beyond the accuracy of math.Pow, whose relative
// error grows with the logarithm of the result.
func coarsePower(t dtype.Type, x, y float64) bool {
	size := math.Abs(y * math.Log(math.Abs(x)))
	return math.Abs(y) > 64 && !math.IsInf(y, 0) || t == dtype.F64 && size > 16 && !math.IsInf(size, 0)
}

// undecided returns the other operand where a device without subnormal numbers takes both
// for zero, and so may choose either as the larger or smaller one.
func (b *binaryOp) undecided(t dtype.Type, left, right []value) []value {
	vs := make([]value, len(left))
	for i, x := range left {
		y := right[i]
		if vs[i] = b.eval(t, x, y); t.IsFloat() && b.signless && flush(t, x).f == 0 && flush(t, y).f == 0 {
			if vs[i] == x {
				vs[i] = y
			} else {
				vs[i] = x
			}
		}
		vs[i] = finish(t, vs[i])
	}
	return vs
}

// edges returns checks of values at the edges of their types: NaN, the infinities, the
// zeros, subnormal numbers, and the ends of the integers.
func edges() []entry {
	var es []entry
	quick := []string{"abs", "negate", "sqrt", "exponential", "log", "tanh", "floor", "ceil", "logistic", "sine", "add", "subtract",
		"multiply", "divide", "maximum", "minimum"}
	put := func(name string, ulp float64, t dtype.Type, make func(dtype.Type) program) {
		profile, rule := max(profileOf(t), check.Core), "RUN-02"
		if ulp > 2 && !slices.Contains(quick, name) && t.IsFloat() {
			rule = "DIFF-01" // the specification promises no accuracy
		}
		if t == dtype.F32 && slices.Contains(quick, name) {
			profile = check.Quick
		}
		es = append(es, entry{rule: rule, variant: "edge/" + name + "/" + t.String(), profile: profile,
			programs: func() []program { return []program{make(t)} }})
	}
	for _, t := range edgeTypes {
		for i := range unaries {
			if u := &unaries[i]; u.edged(t) {
				put(u.name, u.ulp, t, u.edge)
			}
		}
		for i := range binaries {
			if b := &binaries[i]; b.edged(t) {
				put(b.name, b.ulp, t, b.edge)
			}
		}
	}
	for _, t := range floats.of() {
		if p, ok := nanCompare(t); ok {
			es = append(es, one("RUN-02", "edge/compare/"+t.String(), profileOf(t), p))
		}
	}
	return es
}

// nanCompare compares with NaN, which is unordered, and -0, which equals 0; and in the
// total order, where both have their place. How the total order ranks the two zeros, and
// whether NaN equals itself in it, is open: the specification combines totalOrder of IEEE
// 754 with compareQuietEqual, which disagree on this.
func nanCompare(t dtype.Type) (program, bool) {
	var order []float64
	for _, x := range []float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 1, math.Inf(1), math.NaN()} {
		// A type may have no infinity, no NaN, or no negative zero.
		if y := round(t, x).f; y == x && math.Signbit(y) == math.Signbit(x) || x != x && y != y {
			order = append(order, x)
		}
	}
	if t == dtype.F8E8M0FNU || math.IsNaN(order[len(order)-1]) && math.Signbit(round(t, math.NaN()).f) {
		return program{}, false // the rank of the NaN in the total order is another matter
	}
	n := int64(len(order))
	a := build(t, []int64{n, n}, func(ix []int64) value { return value{f: order[ix[0]]} })
	b := build(t, []int64{n, n}, func(ix []int64) value { return value{f: order[ix[1]]} })
	p := program{inputs: []array{a, b}}
	for _, d := range directions {
		partial := build(dtype.Pred, a.dims, func(ix []int64) value {
			x, y := order[ix[0]], order[ix[1]]
			switch {
			case math.IsNaN(x) || math.IsNaN(y):
				return truth(d.name == "NE")
			case x < y:
				return truth(d.less)
			case x > y:
				return truth(d.greater)
			}
			return truth(d.equal)
		})
		total := build(dtype.Pred, a.dims, func(ix []int64) value {
			switch {
			case ix[0] < ix[1]:
				return truth(d.less)
			case ix[0] > ix[1]:
				return truth(d.greater)
			}
			return truth(d.equal)
		})
		quiet := slices.Clone(total.v)
		for i := range quiet {
			if x, y := a.v[i].f, b.v[i].f; x == y {
				quiet[i] = truth(d.equal)
			} else if math.IsNaN(x) && math.IsNaN(y) && (d.name == "EQ" || d.name == "NE") {
				quiet[i] = truth(!d.equal)
			}
		}
		p.policies = append(p.policies, exact, policy{otherwise: quiet})
		for i, want := range []array{partial, total} {
			kind := []string{"FLOAT", "TOTALORDER"}[i]
			p.body += fmt.Sprintf("%%r%d = stablehlo.compare %s, %%a0, %%a1, %s : (%s, %s) -> %s\n  ", len(p.want), d.name, kind, a.typ(),
				b.typ(), partial.typ())
			p.want = append(p.want, want)
		}
	}
	// The barriers keep a plugin from evaluating constants in a way of its own.
	p.plain = fmt.Sprintf("%%x = stablehlo.optimization_barrier %%a0 : %[1]s\n  "+
		"%%y = stablehlo.optimization_barrier %%a1 : %[1]s\n  ", a.typ()) + strings.ReplaceAll(p.body, "%a0, %a1", "%x, %y")
	for _, pair := range [][2]string{{"LT", "LE"}, {"LE", "LT"}, {"GT", "GE"}, {"GE", "GT"}, {"EQ", "NE"}, {"NE", "EQ"}} {
		p.twists = append(p.twists, twist{fmt.Sprintf("compares %s as %s", pair[0], pair[1]), "compare " + pair[0] + ", %x",
			"compare " + pair[1] + ", %x"})
	}
	return p, true
}
