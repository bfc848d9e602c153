// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// algorithm is how a dot_general is asked to be computed: the types to which the
// operands are rounded, in which sums are kept, and from how many products of
// parts of the operands a product is made.
type algorithm struct {
	name         string
	in, to       dtype.Type // of the operands as they are given, and of the result
	operand, sum string     // the types that the algorithm names
	products     int
	// error is the largest that a product may have, relative to its size, beyond
	// the roundings of the type of the result.
	error float64
	// coarse is a type that has fewer bits than the algorithm keeps; empty for
	// operands that are of the algorithm's type already.
	coarse string
}

// algorithms are those that StableHLO knows. Two operands that keep n bits of
// their fractions, cut off, make an error of at most 2 * 2^-n; those that are
// made of parts leave out products as small as the last part kept.
var algorithms = []algorithm{
	{"F16_F16_F16", dtype.F16, dtype.F16, "f16", "f16", 1, 0, ""},
	{"F16_F16_F32", dtype.F16, dtype.F32, "f16", "f32", 1, 0, ""},
	{"BF16_BF16_BF16", dtype.BF16, dtype.BF16, "bf16", "bf16", 1, 0, ""},
	{"BF16_BF16_F32", dtype.F32, dtype.F32, "bf16", "f32", 1, 0x1p-6, "f8E5M2"},
	{"BF16_BF16_F32_X3", dtype.F32, dtype.F32, "bf16", "f32", 3, 0x1p-13, "bf16"},
	{"BF16_BF16_F32_X6", dtype.F32, dtype.F32, "bf16", "f32", 6, 0x1p-19, "bf16"},
	{"BF16_BF16_F32_X9", dtype.F32, dtype.F32, "bf16", "f32", 9, 0x1p-21, "bf16"},
	{"TF32_TF32_F32", dtype.F32, dtype.F32, "tf32", "f32", 1, 0x1p-9, "f8E5M2"},
	{"TF32_TF32_F32_X3", dtype.F32, dtype.F32, "tf32", "f32", 3, 0x1p-18, "bf16"},
	{"F32_F32_F32", dtype.F32, dtype.F32, "f32", "f32", 1, 0, "bf16"},
	{"F64_F64_F64", dtype.F64, dtype.F64, "f64", "f64", 1, 0, "f32"},
	{"F8_F8_F32", dtype.F8E4M3FN, dtype.F32, "f8E4M3FN", "f32", 1, 0, ""},
}

// algorithmic is the checks of them. A plugin may refuse any.
func algorithmic() []entry {
	var es []entry
	for _, a := range algorithms {
		es = append(es, entry{rule: "RUN-02", variant: "dot_general/algorithm/" + a.name, profile: check.Core,
			programs: func() []program { return []program{a.program()} }})
	}
	return es
}

// program is a product of square matrices whose last bits count.
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

// dropsBits is the fault of who rounds the first operand, x, of a dot_general to
// another type.
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

// magnitudes is the array without its signs, in double precision.
func magnitudes(a array) array {
	return build(dtype.F64, a.dims, func(ix []int64) value { return value{f: math.Abs(a.at(ix...).f)} })
}
