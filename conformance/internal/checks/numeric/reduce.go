// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// fold is an operation for reductions.
type fold struct {
	name    string
	in      kinds
	neutral func(t dtype.Type) value
	eval    func(t dtype.Type, a, b value) value
}

// largest and least return the ends of the range of a type.
func largest(t dtype.Type) value {
	switch kindOf(t) {
	case bools:
		return value{i: 1}
	case floats:
		best := value{f: math.Inf(-1)}
		for _, v := range samples(t) {
			best = maximum(t, best, v)
		}
		return best
	case unsigned:
		return wrap(t, ^uint64(0))
	}
	return wrap(t, 1<<(t.Bits()-1)-1)
}

func least(t dtype.Type) value {
	switch kindOf(t) {
	case bools, unsigned:
		return value{}
	case floats:
		best := value{f: math.Inf(1)}
		for _, v := range samples(t) {
			best = minimum(t, best, v)
		}
		return best
	}
	return wrap(t, 1<<(t.Bits()-1))
}

var folds = []fold{
	{name: "add", in: numbers, neutral: func(t dtype.Type) value { return value{} }, eval: add},
	{name: "multiply", in: integers | floats, neutral: func(t dtype.Type) value { return number(t, 1) }, eval: multiply},
	{name: "maximum", in: all &^ complexes, neutral: least, eval: maximum},
	{name: "minimum", in: all &^ complexes, neutral: largest, eval: minimum},
	{name: "and", in: bools | integers, neutral: func(t dtype.Type) value {
		if t == dtype.Pred {
			return value{i: 1}
		}
		return wrap(t, ^uint64(0))
	}, eval: bitwise(func(a, b uint64) uint64 { return a & b })},
	{name: "or", in: bools | integers, neutral: func(dtype.Type) value { return value{} }, eval: bitwise(func(a, b uint64) uint64 { return a | b })},
}

// region returns the body of a reduction with the operation.
func (f *fold) region(t dtype.Type) string {
	return fmt.Sprintf("{\n  ^bb0(%%x: tensor<%[2]v>, %%y: tensor<%[2]v>):\n    %%z = stablehlo.%[1]s %%x, %%y : tensor<%[2]v>\n    stablehlo.return %%z : tensor<%[2]v>\n  }", f.name, t)
}

// small makes an array of numbers whose sums and products stay exact in every
// type: 1, -1, 0, 2 and 1 again.
func small(t dtype.Type, dims ...int64) array {
	if t == dtype.Pred {
		return wholes(t, 3, dims...)
	}
	pattern := []int64{1, 0, 1, 2, -1, 1, 0}
	return build(t, dims, func(ix []int64) value {
		n := pattern[(flat(dims, ix)*3+1)%len(pattern)]
		if n < 0 && (kindOf(t)&(unsigned|bools) != 0 || t == dtype.F8E8M0FNU) || n == 0 && t == dtype.F8E8M0FNU {
			n = 1
		}
		if n == 2 && t == dtype.S2 {
			n = -2
		}
		return number(t, n)
	})
}

// folded reduces values with f, starting from init. The sums of reductions here are exact,
// so their order does not matter.
func (f *fold) folded(t dtype.Type, init value, vs []value) (value, bool) {
	acc, exact := init, true
	for _, v := range vs {
		next := f.eval(t, acc, v)
		acc = finish(t, next)
		exact = exact && !unspecified(t, next) && (!t.IsFloat() || acc.f == next.f)
	}
	return acc, exact
}

// reduction returns a reduce over one dimension, over all, and with an init value that is
// not neutral.
func (f *fold) reduction(t dtype.Type) (program, bool) {
	x := small(t, 3, 5)
	init := f.neutral(t)
	if t == dtype.F8E8M0FNU && f.name == "add" {
		return program{}, false // the type has no zero
	}
	rows := array{t, []int64{3}, make([]value, 3)}
	silent := make([]bool, 3)
	for i := range rows.v {
		v, ok := f.folded(t, init, x.v[i*5:(i+1)*5])
		rows.v[i], silent[i] = v, !ok
	}
	other := number(t, 1)
	total, ok := f.folded(t, other, x.v)
	whole := scalar(t, total)
	return program{
		inputs: []array{x, scalar(t, init), scalar(t, other)},
		body: fmt.Sprintf(`%%r0 = "stablehlo.reduce"(%%a0, %%a1) (%[1]s) {dimensions = array<i64: 1>} : (%[2]s, tensor<%[3]v>) -> %[4]s
  %%r1 = "stablehlo.reduce"(%%a0, %%a2) (%[1]s) {dimensions = array<i64: 0, 1>} : (%[2]s, tensor<%[3]v>) -> tensor<%[3]v>`, f.region(t), x.typ(), t, rows.typ()),
		want:     []array{rows, whole},
		policies: []policy{{open: silent, signless: true, ulp: float64(boolInt(t.IsComplex()))}, {open: []bool{!ok}, signless: true, ulp: float64(boolInt(t.IsComplex()))}},
	}, true
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// window returns a reduce_window with a stride, padding and a dilated window.
func (f *fold) window(t dtype.Type) (program, bool) {
	if t == dtype.F8E8M0FNU {
		return program{}, false
	}
	x := small(t, 7)
	init := f.neutral(t)
	// Windows of two elements, two apart, at every second place, with one element of
	// padding before and two after: (7+3-3)/2+1 = 4 places.
	out := array{t, []int64{4}, make([]value, 4)}
	silent := make([]bool, 4)
	for i := range 4 {
		var vs []value
		for _, at := range []int{2*i - 1, 2*i + 1} {
			if at >= 0 && at < 7 {
				vs = append(vs, x.v[at])
			} else {
				vs = append(vs, init)
			}
		}
		v, ok := f.folded(t, init, vs)
		out.v[i], silent[i] = v, !ok
	}
	p := op("reduce_window", "window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, base_dilations = array<i64: 1>, window_dilations = array<i64: 2>, padding = dense<[[1, 2]]> : tensor<1x2xi64>",
		f.region(t), []array{out}, x, scalar(t, init))
	p.policies = []policy{{open: silent, signless: true, ulp: float64(boolInt(t.IsComplex()))}}
	return p, true
}

// argmax returns a reduction of two arrays at once.
func argmax(t dtype.Type) program {
	x := fill(t, 2, 6)
	places := build(dtype.S32, x.dims, func(ix []int64) value { return value{i: ix[1]} })
	best := array{t, []int64{2}, make([]value, 2)}
	at := array{dtype.S32, []int64{2}, make([]value, 2)}
	low := least(t)
	for r := range int64(2) {
		best.v[r], at.v[r] = low, value{i: 99}
		for c := range int64(6) {
			// The first of equal elements wins; so does the first element.
			if v := x.at(r, c); less(t, best.v[r], v) || !less(t, v, best.v[r]) && c < at.v[r].i {
				best.v[r], at.v[r] = v, value{i: c}
			}
		}
	}
	region := firstLargestRegion(t)
	return op("reduce", "dimensions = array<i64: 1>", region, []array{best, at}, x, places, scalar(t, low), ints(dtype.S32, nil, 99))
}

// firstLargestRegion returns the body of a reduction to the largest element and the first
// place where it occurs.
func firstLargestRegion(t dtype.Type) string {
	return fmt.Sprintf(`{
  ^bb0(%%x: tensor<%[1]v>, %%i: tensor<i32>, %%y: tensor<%[1]v>, %%j: tensor<i32>):
    %%gt = stablehlo.compare GT, %%x, %%y, %[2]s : (tensor<%[1]v>, tensor<%[1]v>) -> tensor<i1>
    %%eq = stablehlo.compare EQ, %%x, %%y, %[2]s : (tensor<%[1]v>, tensor<%[1]v>) -> tensor<i1>
    %%first = stablehlo.compare LT, %%i, %%j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %%tie = stablehlo.and %%eq, %%first : tensor<i1>
    %%keep = stablehlo.or %%gt, %%tie : tensor<i1>
    %%v = stablehlo.select %%gt, %%x, %%y : tensor<i1>, tensor<%[1]v>
    %%k = stablehlo.select %%keep, %%i, %%j : tensor<i1>, tensor<i32>
    stablehlo.return %%v, %%k : tensor<%[1]v>, tensor<i32>
  }`, t, comparisonKind(t))
}

// sorting sorts rows along with a second array; equal elements keep their order.
func sorting(t dtype.Type) program {
	x := fill(t, 2, 7)
	// Equal keys, the second of which comes later.
	x.v[5], x.v[11] = x.v[1], x.v[9]
	places := build(dtype.S32, x.dims, func(ix []int64) value { return value{i: ix[1]} })
	sorted := array{t, x.dims, slices.Clone(x.v)}
	carried := array{dtype.S32, x.dims, slices.Clone(places.v)}
	for r := range 2 {
		order := []int{0, 1, 2, 3, 4, 5, 6}
		row := x.v[r*7 : (r+1)*7]
		slices.SortStableFunc(order, func(i, j int) int {
			switch {
			case less(t, row[i], row[j]):
				return -1
			case less(t, row[j], row[i]):
				return 1
			}
			return 0
		})
		for at, from := range order {
			sorted.v[r*7+at], carried.v[r*7+at] = row[from], value{i: int64(from)}
		}
	}
	kind := map[kinds]string{bools: "UNSIGNED", unsigned: "UNSIGNED", signed: "SIGNED", floats: "FLOAT"}[kindOf(t)]
	region := fmt.Sprintf(`{
  ^bb0(%%x: tensor<%[1]v>, %%y: tensor<%[1]v>, %%i: tensor<i32>, %%j: tensor<i32>):
    %%z = stablehlo.compare LT, %%x, %%y, %[2]s : (tensor<%[1]v>, tensor<%[1]v>) -> tensor<i1>
    stablehlo.return %%z : tensor<i1>
  }`, t, kind)
	p := op("sort", "dimension = 1 : i64, is_stable = true", region, []array{sorted, carried}, x, places)
	p.policies = []policy{{signless: true}}
	p.twists = []twist{{"sorts equal keys backward", "compare LT, %x, %y", "compare LE, %x, %y"}}
	return p
}

// selectAndScatter adds sources to the places of the largest elements of windows.
func selectAndScatter(t dtype.Type) (program, bool) {
	if t == dtype.F8E8M0FNU || t.Bits() < 4 {
		return program{}, false
	}
	w := windowing{x: []int64{6}, window: []int64{3}}
	return w.scatterProgram(t), true
}

// sums describes sums of products, one for each element of an array.
type sums struct {
	// bound is the largest error that any order of summing may have.
	bound []float64
	// stepwise, for floats of at most 8 bits, holds the sums of a device that rounds every
	// product and every sum to the type, starting with the first, as StableHLO's
	// interpreter does. Other devices sum in a wider type.
	stepwise []value
}

// policies returns the policies of a result that holds the sums. Integers are exact.
func (s *sums) policies(t dtype.Type) []policy {
	if !t.IsFloat() && !t.IsComplex() {
		return nil
	}
	return []policy{{bound: s.bound, otherwise: s.stepwise}}
}

// dot returns a sum of products, and adds it to the sums.
func (s *sums) dot(t dtype.Type, as, bs []value) value {
	v, bound := dot(t, as, bs)
	s.bound = append(s.bound, bound)
	if t.IsFloat() && t.Bits() <= 8 {
		var sum value
		for i := range as {
			sum = finish(t, add(t, sum, finish(t, multiply(t, as[i], bs[i]))))
		}
		s.stepwise = append(s.stepwise, sum)
	}
	return v
}

// dot returns a sum of products and a bound on its error in any order of summing, with at
// least 8 bits of precision.
func dot(t dtype.Type, as, bs []value) (value, float64) {
	var sum value
	var size float64
	for i := range as {
		if t == dtype.Pred {
			sum.i |= as[i].i & bs[i].i
			continue
		}
		sum = add(t, sum, multiply(t, as[i], bs[i]))
		size += magnitude(t, as[i]) * magnitude(t, bs[i])
	}
	switch {
	case t.IsComplex():
		return finish(t, sum), 8 * float64(len(as)+2) * size * unit(realOf(t), 1)
	case t.IsFloat():
		u := unit(t, 1)
		return finish(t, sum), (float64(len(as))+2)*size*min(u, 0x1p-7) + unit(t, sum.f)
	}
	return sum, 0
}

func magnitude(t dtype.Type, v value) float64 {
	if t.IsComplex() {
		return cmplx.Abs(v.c)
	}
	return math.Abs(v.f)
}

// dots passes put dot_general of a type in several forms, by name.
func dots(t dtype.Type, put func(name string, p program)) {
	if t == dtype.F8E8M0FNU {
		return
	}
	matrix := func(name string, a, b array, attributes string, dims []int64, row, column func(ix []int64) []value) {
		var s sums
		out := build(t, dims, func(ix []int64) value { return s.dot(t, row(ix), column(ix)) })
		p := op("dot_general", "dot_dimension_numbers = #stablehlo.dot<"+attributes+
			">, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]", "", []array{out}, a, b)
		p.policies = s.policies(t)
		put(name, p)
	}
	a, b := small(t, 3, 4), small(t, 4, 2)
	matrix("dot_general", a, b, "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]", []int64{3, 2},
		func(ix []int64) []value {
			return []value{a.at(ix[0], 0), a.at(ix[0], 1), a.at(ix[0], 2), a.at(ix[0], 3)}
		},
		func(ix []int64) []value {
			return []value{b.at(0, ix[1]), b.at(1, ix[1]), b.at(2, ix[1]), b.at(3, ix[1])}
		})
	c, d := small(t, 2, 3, 2), small(t, 2, 2, 3)
	matrix("dot_general_batch", c, d, "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2]", []int64{2, 2, 2},
		func(ix []int64) []value {
			return []value{c.at(ix[0], 0, ix[1]), c.at(ix[0], 1, ix[1]), c.at(ix[0], 2, ix[1])}
		},
		func(ix []int64) []value {
			return []value{d.at(ix[0], ix[2], 0), d.at(ix[0], ix[2], 1), d.at(ix[0], ix[2], 2)}
		})
	e, f := small(t, 3), small(t, 2)
	matrix("dot_general_outer", e, f, "", []int64{3, 2},
		func(ix []int64) []value { return []value{e.at(ix[0])} }, func(ix []int64) []value { return []value{f.at(ix[1])} })
}

// rarelyConvolved reports whether the libraries that compute convolutions, such as cuDNN, lack
// the type, so that a plugin may refuse to compile one.
func rarelyConvolved(t dtype.Type) bool { return !t.IsFloat() && !t.IsComplex() }

// convolution returns a convolution of one image with one filter: a stride, padding, and
// dilations of both.
func convolution(t dtype.Type) (program, bool) {
	if t == dtype.F8E8M0FNU {
		return program{}, false
	}
	x, w := small(t, 1, 5, 2), small(t, 3, 2, 2)
	// The input dilated by 2 has 9 places, with padding 1 and 2 it has 12; the
	// kernel dilated by 2 spans 5: (12-5)/3+1 = 3 places.
	var s sums
	out := build(t, []int64{1, 3, 2}, func(ix []int64) value {
		var as, bs []value
		for k := range int64(3) {
			at := ix[1]*3 + k*2 - 1
			if at < 0 || at%2 != 0 || at/2 >= 5 {
				continue
			}
			for ch := range int64(2) {
				as, bs = append(as, x.at(0, at/2, ch)), append(bs, w.at(k, ch, ix[2]))
			}
		}
		return s.dot(t, as, bs)
	})
	p := op("convolution", "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, window_strides = array<i64: 3>, padding = dense<[[1, 2]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 2>, rhs_dilation = array<i64: 2>, window_reversal = array<i1: false>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]", "", []array{out}, x, w)
	p.optional = rarelyConvolved(t)
	p.policies = s.policies(t)
	return p, true
}
