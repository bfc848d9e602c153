// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// orders returns the checks of sort in addition to the one that every type has.
func orders() []entry {
	var es []entry
	for _, t := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
		profile := max(profileOf(t), check.Core)
		es = append(es, one("RUN-02", "sort/total order/"+t.String(), profile, totalOrder(t)))
	}
	for _, t := range all.of() {
		if t.IsComplex() {
			continue
		}
		es = append(es,
			one("RUN-02", "sort/descending/"+t.String(), max(profileOf(t), check.Core), descending(t)),
			one("RUN-02", "sort/first dimension/"+t.String(), max(profileOf(t), check.Core), firstDimension(t)))
	}
	return append(es,
		one("RUN-02", "sort/stable", check.Core, stable(1000)),
		one("RUN-02", "sort/two keys", check.Core, twoKeys()),
		one("RUN-02", "sort/three operands", check.Core, threeOperands()),
		one("RUN-02", "sort/one element", check.Core, short(1)),
		one("RUN-02", "sort/nothing", check.Core, short(0)),
		entry{rule: "RUN-02", variant: "sort/many", profile: check.Full, forms: []form{parameters},
			programs: func() []program { return []program{stable(100_000)} }},
	)
}

// totalRank returns the position of a float in the total order.
func totalRank(x float64) (rank float64, sign int) {
	switch {
	case math.IsNaN(x):
		return math.Inf(1), 1
	case x == 0 && math.Signbit(x):
		return 0, -1
	}
	return x, 0
}

// totalOrder sorts numbers, both zeros, the infinities and NaN by the total order, in which
// each has its place. If it takes the two zeros for equal, which is open, they keep their
// order.
func totalOrder(t dtype.Type) program {
	in := array{t: t}
	for _, x := range []float64{1, math.NaN(), 0, math.Copysign(0, -1), -1, math.Inf(1), 0, math.Inf(-1), math.Copysign(0, -1), 2.5,
		math.NaN(), -3} {
		in.v = append(in.v, value{f: x})
	}
	in.dims = []int64{int64(len(in.v))}
	out := array{t, in.dims, slices.Clone(in.v)}
	slices.SortStableFunc(out.v, func(a, b value) int {
		x, i := totalRank(a.f)
		y, j := totalRank(b.f)
		return cmp.Or(cmp.Compare(x, y), i-j)
	})
	region := fmt.Sprintf("{\n  ^bb0(%%x: tensor<%[1]v>, %%y: tensor<%[1]v>):\n    %%z = stablehlo.compare LT, %%x, %%y, TOTALORDER : (tensor<%[1]v>, tensor<%[1]v>) -> tensor<i1>\n    stablehlo.return %%z : tensor<i1>\n  }", t)
	p := op("sort", "dimension = 0 : i64, is_stable = true", region, []array{out}, in)
	equal := slices.Clone(in.v)
	slices.SortStableFunc(equal, func(a, b value) int {
		x, _ := totalRank(a.f)
		y, _ := totalRank(b.f)
		return cmp.Compare(x, y)
	})
	p.policies = []policy{{otherwise: equal}}
	p.twists = []twist{{"sorts downward", "compare LT, %x, %y", "compare LT, %y, %x"}}
	return p
}

// sortedBy returns a sort of one array in a direction.
func sortedBy(t dtype.Type, direction string, dimension int, in, out array) program {
	region := fmt.Sprintf("{\n  ^bb0(%%x: tensor<%[1]v>, %%y: tensor<%[1]v>):\n    %%z = stablehlo.compare %[2]s, %%x, %%y, %[3]s : (tensor<%[1]v>, tensor<%[1]v>) -> tensor<i1>\n    stablehlo.return %%z : tensor<i1>\n  }", t, direction, comparisonKind(t))
	p := op("sort", fmt.Sprintf("dimension = %d : i64, is_stable = false", dimension), region, []array{out}, in)
	p.policies = []policy{{signless: true}}
	p.twists = []twist{{"sorts the other way", "compare " + direction + ", %x, %y", "compare " + direction + ", %y, %x"}}
	return p
}

func ascending(t dtype.Type) func(a, b value) int {
	return func(a, b value) int { return boolInt(less(t, b, a)) - boolInt(less(t, a, b)) }
}

func descending(t dtype.Type) program {
	in := fill(t, 13)
	out := array{t, in.dims, slices.Clone(in.v)}
	slices.SortFunc(out.v, func(a, b value) int { return ascending(t)(b, a) })
	return sortedBy(t, "GT", 0, in, out)
}

// firstDimension sorts columns.
func firstDimension(t dtype.Type) program {
	in := fill(t, 5, 3)
	out := array{t, in.dims, slices.Clone(in.v)}
	for c := range 3 {
		var column []value
		for r := range 5 {
			column = append(column, in.v[r*3+c])
		}
		slices.SortFunc(column, ascending(t))
		for r, v := range column {
			out.v[r*3+c] = v
		}
	}
	return sortedBy(t, "LT", 0, in, out)
}

// keyed sorts places by a few keys, many of which are equal; places with equal keys keep
// their order.
func keyed(t dtype.Type, keys []int64) (in, out [2]array) {
	dims := []int64{int64(len(keys))}
	in = [2]array{ints(t, dims, keys...), {t: dtype.S32, dims: dims}}
	order := make([]int, len(keys))
	for i := range keys {
		order[i] = i
		in[1].v = append(in[1].v, value{i: int64(i)})
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	out = [2]array{{t: t, dims: dims}, {t: dtype.S32, dims: dims}}
	for _, from := range order {
		out[0].v, out[1].v = append(out[0].v, in[0].v[from]), append(out[1].v, in[1].v[from])
	}
	return in, out
}

const byKey = `{
  ^bb0(%x: tensor<i32>, %y: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>):
    %z = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }`

// stable sorts n places by seven keys.
func stable(n int) program {
	dims := []int64{int64(n)}
	shape := []array{{t: dtype.S32, dims: dims}, {t: dtype.S32, dims: dims}}
	p := op("sort", "dimension = 0 : i64, is_stable = true", byKey, shape, shape...)
	p.fill = func(p *program) {
		var keys []int64
		for i := range n {
			keys = append(keys, int64(i*i/3+i)%7)
		}
		in, out := keyed(dtype.S32, keys)
		p.inputs, p.want = in[:], out[:]
	}
	p.twists = []twist{{"sorts equal keys backward", "compare LT, %x, %y", "compare LE, %x, %y"}}
	return p
}

// short sorts n places.
func short(n int) program {
	in, out := keyed(dtype.S32, make([]int64, n))
	p := op("sort", "dimension = 0 : i64, is_stable = true", byKey, out[:], in[:]...)
	p.idle = true // there are no two elements to compare
	return p
}

// twoKeys sorts by one array and, where its elements are equal, by another.
func twoKeys() program {
	dims := []int64{24}
	a := build(dtype.S32, dims, func(ix []int64) value { return value{i: ix[0] * 5 % 4} })
	b := build(dtype.F32, dims, func(ix []int64) value { return value{f: float64(ix[0] * 7 % 24)} })
	order := make([]int, 24)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(a.v[i].i, a.v[j].i), cmp.Compare(b.v[i].f, b.v[j].f)) })
	x, y := array{t: a.t, dims: dims}, array{t: b.t, dims: dims}
	for _, from := range order {
		x.v, y.v = append(x.v, a.v[from]), append(y.v, b.v[from])
	}
	p := op("sort", "dimension = 0 : i64, is_stable = false", `{
  ^bb0(%x: tensor<i32>, %y: tensor<i32>, %u: tensor<f32>, %v: tensor<f32>):
    %l = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %e = stablehlo.compare EQ, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = stablehlo.compare LT, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b = stablehlo.and %e, %s : tensor<i1>
    %z = stablehlo.or %l, %b : tensor<i1>
    stablehlo.return %z : tensor<i1>
  }`, []array{x, y}, a, b)
	p.twists = []twist{{"sorts by the first key alone", "stablehlo.or %l, %b", "stablehlo.and %l, %l"}}
	return p
}

// threeOperands sorts two arrays of other types along with the first.
func threeOperands() program {
	in, out := keyed(dtype.F32, []int64{3, 1, 2, 3, 0, 1, 2, 0, 5, 4})
	bytes := func(places array) array {
		a := array{t: dtype.S8, dims: places.dims}
		for _, v := range places.v {
			a.v = append(a.v, value{i: 2*v.i - 7})
		}
		return a
	}
	region := `{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>, %u: tensor<i8>, %v: tensor<i8>):
    %z = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }`
	p := op("sort", "dimension = 0 : i64, is_stable = true", region, []array{out[0], out[1], bytes(out[1])}, in[0], in[1], bytes(in[1]))
	p.twists = []twist{{"sorts equal keys backward", "compare LT, %x, %y", "compare LE, %x, %y"}}
	return p
}
