// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// edges is checks of values at the edge of their types: NaN, the infinities,
// the zeros, and integers that an operation has no answer for.
func edges() []check.Check {
	var cs []check.Check
	put := func(rule, variant string, profile check.Profile, run func(*check.T)) {
		cs = append(cs, check.Check{Rule: rule, Variant: variant, Profile: profile, Run: run})
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, t := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
		profile := profileOf(t)
		special := []float64{0, math.Copysign(0, -1), 1, -1, inf, -inf, nan}
		line := func(xs []float64) array {
			a := array{t, []int64{int64(len(xs))}, nil}
			for _, x := range xs {
				a.v = append(a.v, value{f: x})
			}
			return a
		}
		one := func(name string, f func(float64) float64, ulp float64) {
			var out []float64
			for _, x := range special {
				out = append(out, f(x))
			}
			p := op(name, "", "", []array{line(out)}, line(special))
			p.policies = []policy{{ulp: ulp}}
			put("RUN-02", "edge/"+name+"/"+t.String(), profile, func(c *check.T) { p.run(c) })
		}
		one("abs", math.Abs, 0)
		one("negate", func(x float64) float64 { return -x }, 0)
		one("sqrt", math.Sqrt, 0)
		one("exponential", math.Exp, 4)
		one("log", math.Log, 4)
		one("tanh", math.Tanh, 4)
		one("floor", math.Floor, 0)
		one("ceil", math.Ceil, 0)
		one("logistic", func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 4)
		one("sine", math.Sin, 4)
		two := func(name string, f func(a, b float64) float64) {
			var as, bs, out []float64
			for _, a := range special {
				for _, b := range special {
					as, bs, out = append(as, a), append(bs, b), append(out, f(a, b))
				}
			}
			p := op(name, "", "", []array{line(out)}, line(as), line(bs))
			p.policies = []policy{{signless: name == "maximum" || name == "minimum"}}
			put("RUN-02", "edge/"+name+"/"+t.String(), profile, func(c *check.T) { p.run(c) })
		}
		two("add", func(a, b float64) float64 { return a + b })
		two("subtract", func(a, b float64) float64 { return a - b })
		two("multiply", func(a, b float64) float64 { return a * b })
		two("divide", func(a, b float64) float64 { return a / b })
		two("maximum", math.Max)
		two("minimum", math.Min)
		p := nanCompare(t)
		put("RUN-02", "edge/compare/"+t.String(), profile, func(c *check.T) { p.run(c) })
	}
	for _, t := range (integers).of() {
		for _, name := range []string{"divide", "remainder", "power", "shift_left", "shift_right_arithmetic", "shift_right_logical"} {
			p := faults(name, t)
			// A division that traps ends the process.
			hostile := name == "divide" || name == "remainder"
			cs = append(cs, check.Check{Rule: "RUN-32", Variant: name + "/" + t.String(), Profile: profileOf(t), Hostile: hostile, Run: func(c *check.T) { p.run(c) }})
		}
	}
	for _, to := range []dtype.Type{dtype.S32, dtype.S8, dtype.U32, dtype.S64, dtype.Pred} {
		x := array{dtype.F32, []int64{5}, []value{{f: nan}, {f: inf}, {f: -inf}, {f: 1e30}, {f: -1e30}}}
		p := op("convert", "", "", []array{{to, x.dims, make([]value, 5)}}, x)
		p.policies = []policy{{open: []bool{true, true, true, true, true}}}
		put("RUN-32", "convert/f32-"+to.String(), check.Quick, func(c *check.T) { p.run(c) })
	}
	return cs
}

// nanCompare compares with NaN, which is unordered, and -0, which equals 0; and
// by the total order, in which both have their place.
func nanCompare(t dtype.Type) program {
	order := []float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 1, math.Inf(1), math.NaN()}
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
		for i, want := range []array{partial, total} {
			kind := []string{"FLOAT", "TOTALORDER"}[i]
			p.body += fmt.Sprintf("%%r%d = stablehlo.compare %s, %%a0, %%a1, %s : (%s, %s) -> %s\n  ", len(p.want), d.name, kind, a.typ(), b.typ(), partial.typ())
			p.want = append(p.want, want)
		}
	}
	return p
}

// faults is an integer operation on operands that it has no answer for. Any
// value will do; the process has to survive, and other elements to be right.
func faults(name string, t dtype.Type) program {
	low := wrap(t, 1<<(t.Bits()-1))
	ones := wrap(t, ^uint64(0))
	one := wrap(t, 1)
	var a, b []value
	switch name {
	case "divide", "remainder":
		a, b = []value{one, {}, low, low, ones}, []value{{}, {}, {}, ones, {}}
	case "power":
		a, b = []value{{}, one, low, ones, {}}, []value{{}, ones, ones, low, ones}
	default:
		width := wrap(t, uint64(t.Bits()))
		a, b = []value{one, ones, low, one, ones}, []value{width, width, ones, low, ones}
	}
	dims := []int64{5}
	p := op(name, "", "", []array{{t, dims, make([]value, 5)}}, array{t, dims, a}, array{t, dims, b})
	p.policies = []policy{{open: []bool{true, true, true, true, true}}}
	return p
}
