// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// floats returns an array of f32.
func floats(v ...int64) numbers { return numbers{of: dtype.F32, dims: []int64{int64(len(v))}, v: v} }

// integers returns an array of i32.
func integers(v ...int64) numbers { return numbers{of: dtype.S32, dims: []int64{int64(len(v))}, v: v} }

const (
	t4    = "tensor<4xf32>"
	t3    = "tensor<3xi32>"
	token = "!stablehlo.token"
)

var (
	ones, tens = floats(1, 2, 3, 4), floats(10, 20, 30, 40)
	ints       = integers(7, 8, 9)
)

// donates returns the attribute that lets a result use the memory of an argument.
func donates(result int) string { return fmt.Sprintf(" {tf.aliasing_output = %d : i32}", result) }

const donorMark = " {jax.buffer_donor = true}"

// samples are programs whose structure, rather than their arithmetic, is what a plugin can
// get wrong: tuples, aliases and tokens.
var samples = slices.Concat(tupleSamples, aliasSamples, tokenSamples)

var tupleSamples = []sample{
	{
		rule: "CMP-15", name: "inner-tuples", quick: true, arguments: []numbers{ones, tens, ints}, results: []numbers{ints, tens, floats(11, 22, 33, 44)},
		text: program("inner_tuples", "(%a: "+t4+", %b: "+t4+", %c: "+t3+") -> ("+t3+", "+t4+", "+t4+")",
			"%s = stablehlo.add %a, %b : "+t4,
			"%t = stablehlo.tuple %c, %b : tuple<"+t3+", "+t4+">",
			"%u = stablehlo.tuple %s, %t : tuple<"+t4+", tuple<"+t3+", "+t4+">>",
			"%v = stablehlo.get_tuple_element %u[1] : (tuple<"+t4+", tuple<"+t3+", "+t4+">>) -> tuple<"+t3+", "+t4+">",
			"%0 = stablehlo.get_tuple_element %v[0] : (tuple<"+t3+", "+t4+">) -> "+t3,
			"%1 = stablehlo.get_tuple_element %v[1] : (tuple<"+t3+", "+t4+">) -> "+t4,
			"%2 = stablehlo.get_tuple_element %u[0] : (tuple<"+t4+", tuple<"+t3+", "+t4+">>) -> "+t4,
			"return %0, %1, %2 : "+t3+", "+t4+", "+t4),
	},
	{
		rule: "CMP-15", name: "tupled-arguments-of-many-types", options: options{tupled: true}, arguments: []numbers{ones, ints, tens}, results: []numbers{ints, floats(9, 18, 27, 36)},
		text: program("tupled", "(%a: "+t4+", %b: "+t3+", %c: "+t4+") -> ("+t3+", "+t4+")", "%0 = stablehlo.subtract %c, %a : "+t4, "return %b, %0 : "+t3+", "+t4),
	},
	{
		rule: "CMP-15", name: "tupled-argument-alone", options: options{tupled: true}, arguments: []numbers{ones}, results: []numbers{floats(2, 4, 6, 8)},
		text: program("tupled", "(%a: "+t4+") -> "+t4, "%0 = stablehlo.add %a, %a : "+t4, "return %0 : "+t4),
	},
	{
		rule: "RUN-18", name: "all-arguments", quick: true, arguments: []numbers{ones, tens, ints}, results: []numbers{ints, ones, tens},
		text: program("all_arguments", "(%a: "+t4+", %b: "+t4+", %c: "+t3+") -> ("+t3+", "+t4+", "+t4+")", "return %c, %a, %b : "+t3+", "+t4+", "+t4),
		after: func(t *check.T, arguments, results []*capi.Buffer) {
			check.Call(t, capi.BufferDeleteArgs{Buffer: arguments[0]})
			check.Destroy(t, arguments[2])
			ones.expect(t, results[1], "a result that is an argument, after that was deleted")
			ints.expect(t, results[0], "a result that is an argument, after that was destroyed")
		},
	},
	{
		rule: "RUN-18", name: "argument-and-more", arguments: []numbers{ones}, results: []numbers{ones, floats(2, 4, 6, 8), ones},
		text: program("argument_and_more", "(%a: "+t4+") -> ("+t4+", "+t4+", "+t4+")", "%0 = stablehlo.add %a, %a : "+t4, "return %a, %0, %a : "+t4+", "+t4+", "+t4),
		after: func(t *check.T, _, results []*capi.Buffer) {
			check.Call(t, capi.BufferDeleteArgs{Buffer: results[0]})
			ones.expect(t, results[2], "the second of two results that are one argument, after the first was deleted")
		},
	},
	{
		rule: "RUN-17", name: "unused-arguments", quick: true, arguments: []numbers{ints, ones, ints, tens}, results: []numbers{floats(9, 18, 27, 36)},
		text: program("unused", "(%u: "+t3+", %a: "+t4+", %v: "+t3+", %b: "+t4+") -> "+t4, "%0 = stablehlo.subtract %b, %a : "+t4, "return %0 : "+t4),
	},
	{
		rule: "RUN-17", name: "used-1000-times", arguments: []numbers{floats(1, 2, 3, 4)}, results: []numbers{floats(1001, 2002, 3003, 4004)},
		text: program("used_often", "(%a: "+t4+") -> "+t4, append(usedOften(1000), "return %x1000 : "+t4)...),
	},
	{
		rule: "RUN-19", name: "one-value-four-times", arguments: []numbers{ones}, results: []numbers{floats(2, 4, 6, 8), floats(2, 4, 6, 8), ones, floats(2, 4, 6, 8)},
		text: program("four_times", "(%a: "+t4+") -> ("+t4+", "+t4+", "+t4+", "+t4+")", "%0 = stablehlo.add %a, %a : "+t4, "return %0, %0, %a, %0 : "+t4+", "+t4+", "+t4+", "+t4),
		after: func(t *check.T, _, results []*capi.Buffer) {
			check.Call(t, capi.BufferDeleteArgs{Buffer: results[0]})
			check.Destroy(t, results[3])
			floats(2, 4, 6, 8).expect(t, results[1], "one of three equal results after the others were deleted and destroyed")
		},
	},
}

// usedOften adds %a to itself n times.
func usedOften(n int) []string {
	lines := []string{"%x0 = stablehlo.optimization_barrier %a : " + t4}
	for i := range n {
		lines = append(lines, fmt.Sprintf("%%x%d = stablehlo.add %%x%d, %%a : %s", i+1, i, t4))
	}
	return lines
}

var aliasSamples = []sample{
	{
		rule: "DON-02", name: "identity", quick: true, arguments: []numbers{ones}, donated: []bool{true}, results: []numbers{ones},
		text: program("alias_identity", "(%a: "+t4+donates(0)+") -> "+t4, "return %a : "+t4),
	},
	{
		rule: "DON-02", name: "exchange", quick: true, arguments: []numbers{ones, tens}, donated: []bool{true, true}, results: []numbers{tens, ones},
		text: program("alias_exchange", "(%a: "+t4+donates(0)+", %b: "+t4+donates(1)+") -> ("+t4+", "+t4+")", "return %b, %a : "+t4+", "+t4),
	},
	{
		rule: "DON-02", name: "crossed", arguments: []numbers{ones, tens}, donated: []bool{true, true}, results: []numbers{floats(11, 22, 33, 44), floats(9, 18, 27, 36)},
		text: program("alias_crossed", "(%a: "+t4+donates(1)+", %b: "+t4+donates(0)+") -> ("+t4+", "+t4+")",
			"%0 = stablehlo.add %a, %b : "+t4, "%1 = stablehlo.subtract %b, %a : "+t4, "return %0, %1 : "+t4+", "+t4),
	},
	{
		rule: "DON-02", name: "unused", arguments: []numbers{ones, tens}, donated: []bool{true, false}, results: []numbers{floats(20, 40, 60, 80)},
		text: program("alias_unused", "(%a: "+t4+donates(0)+", %b: "+t4+") -> "+t4, "%0 = stablehlo.add %b, %b : "+t4, "return %0 : "+t4),
	},
	{
		rule: "DON-02", name: "second-argument-of-three", arguments: []numbers{ones, tens, ints}, donated: []bool{false, true, false}, results: []numbers{ints, floats(11, 22, 33, 44)},
		text: program("alias_second", "(%a: "+t4+", %b: "+t4+donates(1)+", %c: "+t3+") -> ("+t3+", "+t4+")", "%0 = stablehlo.add %a, %b : "+t4, "return %c, %0 : "+t3+", "+t4),
	},
	{
		rule: "DON-02", name: "donors-of-other-shapes", arguments: []numbers{ones, ints}, donated: []bool{true, true}, results: []numbers{floats(10)},
		text: program("donors", "(%a: "+t4+donorMark+", %b: "+t3+donorMark+") -> tensor<1xf32>",
			"%z = stablehlo.constant dense<0.0> : tensor<f32>",
			"%s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : ("+t4+", tensor<f32>) -> tensor<f32>",
			"%0 = stablehlo.reshape %s : (tensor<f32>) -> tensor<1xf32>", "return %0 : tensor<1xf32>"),
	},
	{
		rule: "DON-02", name: "donor-of-two-results", arguments: []numbers{ones, tens}, donated: []bool{true, false}, results: []numbers{floats(11, 22, 33, 44), floats(9, 18, 27, 36)},
		text: program("donor_of_two", "(%a: "+t4+donorMark+", %b: "+t4+") -> ("+t4+", "+t4+")",
			"%0 = stablehlo.add %a, %b : "+t4, "%1 = stablehlo.subtract %b, %a : "+t4, "return %0, %1 : "+t4+", "+t4),
	},
	{
		rule: "DON-02", name: "shifted-in-place", arguments: []numbers{floats(1, 2, 3, 4)}, donated: []bool{true}, results: []numbers{floats(4, 1, 2, 3)},
		text: program("alias_shifted", "(%a: "+t4+donates(0)+") -> "+t4, "%l = stablehlo.slice %a [3:4] : ("+t4+") -> tensor<1xf32>",
			"%h = stablehlo.slice %a [0:3] : ("+t4+") -> tensor<3xf32>",
			"%0 = stablehlo.concatenate %l, %h, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> "+t4, "return %0 : "+t4),
	},
	{
		rule: "DON-02", name: "updated-in-place", arguments: []numbers{ones, floats(50)}, donated: []bool{true, false}, results: []numbers{floats(1, 2, 50, 4), floats(3, 4, 5, 6)},
		text: program("alias_updated", "(%a: "+t4+donates(0)+", %u: tensor<1xf32>) -> ("+t4+", "+t4+")",
			"%i = stablehlo.constant dense<2> : tensor<i32>",
			"%0 = stablehlo.dynamic_update_slice %a, %u, %i : ("+t4+", tensor<1xf32>, tensor<i32>) -> "+t4,
			"%c = stablehlo.constant dense<2.0> : "+t4, "%1 = stablehlo.add %a, %c : "+t4, "return %0, %1 : "+t4+", "+t4),
	},
}

// tokenSamples order operations that have no data in common.
var tokenSamples = []sample{
	{
		rule: "RUN-02", name: "tokens/after_all", quick: true, arguments: []numbers{ones, tens}, results: []numbers{floats(11, 22, 33, 44)},
		text: program("after_all", "(%a: "+t4+", %b: "+t4+") -> "+t4, "%t = stablehlo.create_token : "+token,
			"%u = stablehlo.create_token : "+token,
			"%v = stablehlo.after_all %t, %u : "+token, "%w = stablehlo.after_all : "+token, "%x = stablehlo.after_all %v, %w, %v : "+token,
			"%0 = stablehlo.add %a, %b : "+t4, "return %0 : "+t4),
	},
	{
		rule: "RUN-02", name: "tokens/barrier", arguments: []numbers{ones, tens}, results: []numbers{floats(11, 22, 33, 44)},
		text: program("token_barrier", "(%a: "+t4+", %b: "+t4+") -> "+t4, "%t = stablehlo.create_token : "+token,
			"%x:2 = stablehlo.optimization_barrier %a, %t : "+t4+", "+token, "%u = stablehlo.after_all %x#1 : "+token,
			"%y:2 = stablehlo.optimization_barrier %x#0, %u : "+t4+", "+token, "%0 = stablehlo.add %y#0, %b : "+t4, "return %0 : "+t4),
	},
	{
		rule: "RUN-02", name: "tokens/loop", arguments: []numbers{ones}, results: []numbers{floats(8, 16, 24, 32)},
		text: program("token_loop", "(%a: "+t4+") -> "+t4, "%t = stablehlo.create_token : "+token,
			"%k = stablehlo.constant dense<0> : tensor<i32>",
			"%n = stablehlo.constant dense<3> : tensor<i32>", "%o = stablehlo.constant dense<1> : tensor<i32>",
			"%r:3 = stablehlo.while(%v = %a, %i = %k, %s = %t) : "+t4+", tensor<i32>, "+token,
			"cond {", "  %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
			"  stablehlo.return %c : tensor<i1>",
			"} do {", "  %d = stablehlo.add %v, %v : "+t4, "  %j = stablehlo.add %i, %o : tensor<i32>",
			"  %e = stablehlo.after_all %s : "+token,
			"  stablehlo.return %d, %j, %e : "+t4+", tensor<i32>, "+token, "}", "return %r#0 : "+t4),
	},
	{
		rule: "RUN-02", name: "tokens/branches", arguments: []numbers{ones}, results: []numbers{floats(2, 4, 6, 8)},
		text: program("token_branches", "(%a: "+t4+") -> "+t4, "%t = stablehlo.create_token : "+token,
			"%p = stablehlo.constant dense<true> : tensor<i1>", "%q = stablehlo.optimization_barrier %p : tensor<i1>",
			`%r:2 = "stablehlo.if"(%q) ({`, "  %d = stablehlo.add %a, %a : "+t4, "  %u = stablehlo.after_all %t : "+token,
			"  stablehlo.return %d, %u : "+t4+", "+token,
			"}, {", "  stablehlo.return %a, %t : "+t4+", "+token, "}) : (tensor<i1>) -> ("+t4+", "+token+")", "return %r#0 : "+t4),
	},
	{
		rule: "RUN-02", name: "tokens/tuple", arguments: []numbers{ones}, results: []numbers{ones},
		text: program("token_tuple", "(%a: "+t4+") -> "+t4, "%t = stablehlo.create_token : "+token,
			"%x = stablehlo.tuple %t, %a : tuple<"+token+", "+t4+">",
			"%0 = stablehlo.get_tuple_element %x[1] : (tuple<"+token+", "+t4+">) -> "+t4, "return %0 : "+t4),
	},
}
