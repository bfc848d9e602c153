// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// algorithm says how a dot_general is to be computed: to which types the operands are
// rounded, in which type sums are kept, and of how many products of parts of the operands a
// product consists.
type algorithm struct {
	name         string
	in, to       dtype.Type // of the given operands, and of the result
	operand, sum string     // the types that the algorithm names
	products     int
	// error is the largest error of a product, relative to its size, beyond the roundings
	// of the type of the result.
	error float64
	// coarse is a type with fewer bits than the algorithm keeps; empty for operands that
	// already have the algorithm's type.
	coarse string
}

// algorithms are those that StableHLO knows. If two operands keep n bits of their fractions
// and the rest is cut off, the error is at most 2 * 2^-n; algorithms that use parts of
// operands leave out products as small as the last part kept.
var algorithms = []algorithm{
	{name: "F16_F16_F16", in: dtype.F16, to: dtype.F16, operand: "f16", sum: "f16", products: 1},
	{name: "F16_F16_F32", in: dtype.F16, to: dtype.F32, operand: "f16", sum: "f32", products: 1},
	{name: "BF16_BF16_BF16", in: dtype.BF16, to: dtype.BF16, operand: "bf16", sum: "bf16", products: 1},
	{name: "BF16_BF16_F32", in: dtype.F32, to: dtype.F32, operand: "bf16", sum: "f32", products: 1, error: 0x1p-6, coarse: "f8E5M2"},
	{name: "BF16_BF16_F32_X3", in: dtype.F32, to: dtype.F32, operand: "bf16", sum: "f32", products: 3, error: 0x1p-13, coarse: "bf16"},
	{name: "BF16_BF16_F32_X6", in: dtype.F32, to: dtype.F32, operand: "bf16", sum: "f32", products: 6, error: 0x1p-19, coarse: "bf16"},
	{name: "BF16_BF16_F32_X9", in: dtype.F32, to: dtype.F32, operand: "bf16", sum: "f32", products: 9, error: 0x1p-21, coarse: "bf16"},
	{name: "TF32_TF32_F32", in: dtype.F32, to: dtype.F32, operand: "tf32", sum: "f32", products: 1, error: 0x1p-9, coarse: "f8E5M2"},
	{name: "TF32_TF32_F32_X3", in: dtype.F32, to: dtype.F32, operand: "tf32", sum: "f32", products: 3, error: 0x1p-18, coarse: "bf16"},
	{name: "F32_F32_F32", in: dtype.F32, to: dtype.F32, operand: "f32", sum: "f32", products: 1, coarse: "bf16"},
	{name: "F64_F64_F64", in: dtype.F64, to: dtype.F64, operand: "f64", sum: "f64", products: 1, coarse: "f32"},
	{name: "F8_F8_F32", in: dtype.F8E4M3FN, to: dtype.F32, operand: "f8E4M3FN", sum: "f32", products: 1},
}

// algorithmic returns the checks of the algorithms. A plugin may refuse any of them.
func algorithmic() []entry {
	var es []entry
	for _, a := range algorithms {
		es = append(es, entry{rule: "RUN-02", variant: "dot_general/algorithm/" + a.name, profile: check.Core,
			programs: func() []program { return []program{a.program()} }})
	}
	return es
}

// program returns a product of square matrices whose last bits count.
func (a *algorithm) program() program {
	c := contraction{a: []int64{8, 8}, b: []int64{8, 8}, contractA: []int64{1}, contractB: []int64{0}}
	x, y := rough(a.in, 11, c.a), rough(a.in, 12, c.b)
	p := c.program(x, y, a.to, fmt.Sprintf("algorithm = #stablehlo.dot_algorithm<lhs_precision_type = %s, rhs_precision_type = %[1]s, accumulation_type = %s, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = %d, allow_imprecise_accumulation = false>",
		a.operand, a.sum, a.products))
	sizes, _ := c.eval(magnitudes(x), magnitudes(y), dtype.F64)
	for i, s := range sizes.v {
		p.policies[0].bound[i] += a.error * s.f
	}
	p.optional = true
	p.plain = op("dot_general", c.attribute(), "", p.want, x, y).body
	turned := c
	turned.contractA = []int64{0}
	p.twists = []twist{{"takes the columns of the first operand for its rows", c.attribute(), turned.attribute()}}
	if a.coarse != "" {
		p.twists = append(p.twists, dropsBits(x, a.coarse))
	}
	return p
}

// dropsBits is the fault of a compiler that rounds the first operand, x, of a dot_general
// to another type.
func dropsBits(x array, to string) twist {
	const product = `%r0 = "stablehlo.dot_general"(`
	narrow := check.Tensor(x.t, x.dims)
	narrow = narrow[:len(narrow)-len(x.t.String())-1] + to + ">"
	return twist{
		fault: "drops bits of the operands",
		from:  product + "%a0, ",
		to: fmt.Sprintf("%%h = stablehlo.convert %%a0 : (%[1]s) -> %[2]s\n  %%w = stablehlo.convert %%h : (%[2]s) -> %[1]s\n  %%b = stablehlo.optimization_barrier %%w : %[1]s\n  ", x.typ(), narrow) +
			product + "%b, ",
	}
}

// rough makes an array of numbers that need all bits of their type.
func rough(t dtype.Type, seed int64, dims []int64) array {
	a := wholes(t, seed, dims...)
	for i := range a.v {
		a.v[i] = round(t, (a.v[i].f+0.1)*math.Pi/float64(1+i%7))
	}
	return a
}

// magnitudes returns the array without its signs, in double precision.
func magnitudes(a array) array {
	return build(dtype.F64, a.dims, func(ix []int64) value { return value{f: math.Abs(a.at(ix...).f)} })
}
