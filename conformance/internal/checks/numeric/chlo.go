// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// clientOps lists the functions of the CHLO dialect that frameworks send unchanged, on real
// numbers, each with one that it is confused with.
var clientOps = []struct {
	name   string
	eval   func(float64) float64
	inputs []float64
	ulp    float64
	like   string
}{
	{"acos", math.Acos, []float64{-1, -0.75, -0.1, 0, 0.25, 0.5, 0.9, 1}, 16, "asin"},
	{"acosh", math.Acosh, []float64{1, 1.25, 2, 3.5, 10, 1000}, 16, "asinh"},
	{"asin", math.Asin, []float64{-1, -0.75, -0.1, 0, 0.25, 0.5, 0.9, 1}, 16, "acos"},
	{"asinh", math.Asinh, []float64{-20, -1, -0.1, 0, 0.25, 1, 3, 1000}, 16, "sinh"},
	{"atan", math.Atan, []float64{-100, -1, -0.1, 0, 0.25, 1, 3, 1000}, 16, "atanh"},
	{"atanh", math.Atanh, []float64{-0.9, -0.5, -0.1, 0, 0.25, 0.5, 0.75}, 16, "atan"},
	{"bessel_i1e", besselI1e, []float64{-8, -2, -0.5, 0, 0.1, 1, 4, 12}, 32, "asinh"},
	{"cosh", math.Cosh, []float64{-5, -1, -0.1, 0, 0.5, 2, 8}, 16, "sinh"},
	{"digamma", digamma, []float64{0.25, 0.5, 1, 2, 3.5, 10, 40}, 64, "lgamma"},
	{"erf", math.Erf, []float64{-3, -1, -0.1, 0, 0.25, 0.5, 2}, 16, "erfc"},
	{"erf_inv", math.Erfinv, []float64{-0.9, -0.5, -0.1, 0, 0.25, 0.5, 0.75}, 64, "erf"},
	{"erfc", math.Erfc, []float64{-3, -1, -0.1, 0, 0.25, 0.5, 2}, 32, "erf"},
	{"lgamma", func(x float64) float64 { y, _ := math.Lgamma(x); return y }, []float64{0.25, 0.5, 1.5, 3, 4.5, 10, 100}, 64, "digamma"},
	{"sinh", math.Sinh, []float64{-5, -1, -0.1, 0, 0.5, 2, 8}, 16, "cosh"},
	{"square", func(x float64) float64 { return x * x }, []float64{-5, -1.5, -0.5, 0, 0.5, 2, 8}, 1, "cosh"},
	{"tan", math.Tan, []float64{-1.5, -1, -0.1, 0, 0.5, 1.25, 3}, 16, "sinh"},
}

// besselI1e returns the modified Bessel function of order one times exp(-|x|).
func besselI1e(x float64) float64 {
	term := x / 2
	total := term
	for k := 1.0; k < 200; k++ {
		term *= x * x / 4 / (k * (k + 1))
		total += term
	}
	return total * math.Exp(-math.Abs(x))
}

// digamma returns the derivative of lgamma for positive numbers.
func digamma(x float64) float64 {
	total := 0.0
	for x < 20 {
		total -= 1 / x
		x++
	}
	y := 1 / (x * x)
	return total + math.Log(x) - 1/(2*x) - y*(1.0/12-y*(1.0/120-y*(1.0/252-y*(1.0/240-y/132))))
}

// clientDialect returns the checks of operations of the CHLO dialect. They are separate
// from those of StableHLO, whose specification does not cover them.
func clientDialect() []entry {
	var es []entry
	put := func(name string, p program) {
		p.optional = true
		es = append(es, one("CMP-24", "chlo/"+name, check.Core, p))
	}
	for _, o := range clientOps {
		for _, t := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
			in, out := array{t: t}, array{t: t}
			for _, x := range o.inputs {
				v := round(t, x)
				in.v, out.v = append(in.v, v), append(out.v, round(t, o.eval(v.f)))
			}
			in.dims = []int64{int64(len(in.v))}
			out.dims = in.dims
			p := inDialect(op(o.name, "", "", []array{out}, in))
			// Where a function passes through zero, its error is that of its terms.
			limit := make([]float64, len(out.v))
			for i, v := range out.v {
				limit[i] = max(o.ulp*unit(t, v.f), o.ulp*unit(t, 1)/4)
				if t.Bits() == 16 {
					limit[i] = 4 * max(unit(t, v.f), unit(t, 0.25))
				}
			}
			p.policies = []policy{{bound: limit}}
			p.twists = []twist{{"compiles " + o.name + " as " + o.like, `"chlo.` + o.name + `"`, `"chlo.` + o.like + `"`}}
			put(o.name+"/"+t.String(), p)
		}
	}
	for _, t := range []dtype.Type{dtype.S32, dtype.U32} {
		put("mulhi/"+t.String(), mulhi(t))
	}
	for _, t := range []dtype.Type{dtype.F32, dtype.F64} {
		put("next_after/"+t.String(), nextAfter(t))
	}
	for _, t := range []dtype.Type{dtype.F32, dtype.S32, dtype.BF16} {
		put("top_k/"+t.String(), topK(t))
	}
	return es
}

// inDialect turns an operation of StableHLO into one of CHLO.
func inDialect(p program) program {
	p.body = strings.Replace(p.body, `"stablehlo.`, `"chlo.`, 1)
	return p
}

// mulhi returns the upper half of products.
func mulhi(t dtype.Type) program {
	var a, b, out array
	for _, x := range specials(t) {
		for _, y := range []value{wrap(t, 3), wrap(t, ^uint64(0)), wrap(t, 1<<31), wrap(t, 123456789)} {
			a.v, b.v = append(a.v, x), append(b.v, y)
			high, _ := bits.Mul64(uint64(x.i)<<32, uint64(y.i)&(1<<32-1))
			if t.IsSigned() {
				high = uint64(x.i * y.i >> 32)
			}
			out.v = append(out.v, wrap(t, high))
		}
	}
	dims := []int64{int64(len(a.v))}
	p := inDialect(op("mulhi", "", "", []array{{t, dims, out.v}}, array{t, dims, a.v}, array{t, dims, b.v}))
	wideType := map[dtype.Type]dtype.Type{dtype.S32: dtype.S64, dtype.U32: dtype.U64}[t]
	p.plain = strings.NewReplacer("$T", check.Tensor(t, dims), "$W", check.Tensor(wideType, dims)).Replace(`%x = stablehlo.convert %a0 : ($T) -> $W
  %y = stablehlo.convert %a1 : ($T) -> $W
  %m = stablehlo.multiply %x, %y : $W
  %n = stablehlo.constant dense<32> : $W
  %h = stablehlo.shift_right_logical %m, %n : $W
  %r0 = stablehlo.convert %h : ($W) -> $T`)
	p.twists = []twist{{"gives the lower half", "stablehlo.convert %h", "stablehlo.convert %m"}}
	return p
}

func nextAfter(t dtype.Type) program {
	var a, b, out []value
	for _, x := range []float64{1, -1, 0, 2.5, 1 << 20} {
		for _, y := range []float64{3, -3, 1} {
			next := math.Nextafter(x, y)
			if t == dtype.F32 {
				next = float64(math.Nextafter32(float32(x), float32(y)))
			}
			a, b, out = append(a, value{f: x}), append(b, value{f: y}), append(out, value{f: next})
		}
	}
	dims := []int64{int64(len(a))}
	p := inDialect(op("next_after", "", "", []array{{t, dims, out}}, array{t, dims, a}, array{t, dims, b}))
	p.twists = []twist{{"goes the other way", `(%a0, %a1)`, `(%a1, %a0)`}}
	return p
}

// topK returns the three largest elements of rows; of equal ones, the first.
func topK(t dtype.Type) program {
	x := ints(t, []int64{2, 6}, 3, 1, 3, 2, 3, 0, 5, 5, 7, 5, 1, 7)
	values, places := array{t: t, dims: []int64{2, 3}}, array{t: dtype.S32, dims: []int64{2, 3}}
	for r := range 2 {
		order := []int{0, 1, 2, 3, 4, 5}
		row := x.v[r*6 : r*6+6]
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(row[j].f, row[i].f), cmp.Compare(row[j].i, row[i].i)) })
		for _, from := range order[:3] {
			values.v, places.v = append(values.v, row[from]), append(places.v, value{i: int64(from)})
		}
	}
	return program{
		inputs: []array{x}, want: []array{values, places},
		body:   fmt.Sprintf("%%r:2 = chlo.top_k(%%a0, k = 3) : %s -> (%s, %s)", x.typ(), values.typ(), places.typ()),
		twists: []twist{{"takes the smallest", "%r:2 = chlo.top_k(%a0", fmt.Sprintf("%%n = stablehlo.negate %%a0 : %s\n  %%r:2 = chlo.top_k(%%n", x.typ())}},
	}
}
