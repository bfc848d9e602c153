// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// operationChecks returns checks that compile each operation of StableHLO, one family per
// check: an operation must compile or be refused. Programs that are known to end a plugin's
// process are checks of their own.
func operationChecks() []check.Check {
	return slices.Concat(
		operations("elementwise", false, elementwise()...),
		operations("integer", false, integer("i32")...),
		core(operations("integer-of-8-bits", false, integer("i8")...)),
		core(operations("integer-of-64-bits", false, integer("ui64")...)),
		operations("complex", false, complexOperations...),
		operations("convert", false, converts()...),
		operations("data-movement", false, dataMovement...),
		operations("contraction", false, contractions...),
		operations("reduction", false, reductions...),
		operations("control-flow", false, controlFlow...),
		operations("random-and-linear", false, randomAndLinear...),
		operations("dynamic", true, dynamicOperations...),
		operations("tokens-and-transfers", true, tokenOperations...),
		operations("collective", true, collectiveOperations...),
		operations("quantized", true, quantizedOperations...),
		// After a program that ends the process no other would be tried: each has a check of its
		// own.
		operations("bitcast-of-i1", true, unary("bitcast_convert", "64xi1", "i64")),
		operations("bitcast-of-i1-to-f64", true, unary("bitcast_convert", "64xi1", "f64")),
		operations("bitcast-to-i1", true, unary("bitcast_convert", "i64", "64xi1")),
		operations("concatenate-i2", true, concatenate("i2")),
		operations("concatenate-ui2", true, concatenate("ui2")),
		operations("complex-remainder", true, binary("remainder", "4xcomplex<f32>")),
		operations("complex-remainder-f64", true, binary("remainder", "4xcomplex<f64>")),
		operations("new-types", true, newTypes()...),
		operations("f6-concatenate", true, concatenate("f6E2M3FN")),
		operations("f6-broadcast_in_dim", true, broadcast("f6E2M3FN")),
		operations("f6-reshape", true, unary("reshape", "2x3xf6E2M3FN", "6xf6E2M3FN")),
		operations("f6-convert", true, unary("convert", "8xf6E2M3FN", "8xf32")),
		core(operations("f6E3M2FN-concatenate", true, concatenate("f6E3M2FN"))),
		core(operations("f6E3M2FN-broadcast_in_dim", true, broadcast("f6E3M2FN"))),
		core(operations("f6E3M2FN-reshape", true, unary("reshape", "2x3xf6E3M2FN", "6xf6E3M2FN"))),
		core(operations("f6E3M2FN-convert", true, unary("convert", "8xf6E3M2FN", "8xf32"))),
	)
}

// operation is a program of one operation.
type operation struct{ name, code string }

// operations returns the check that compiles each of the operations, and expects success
// with an executable, or an error.
func operations(variant string, alone bool, list ...operation) []check.Check {
	checks := both(check.Check{Rule: "CMP-11", Variant: variant, Hostile: alone}, func(t *check.T, k compiler) {
		refused, last := 0, error(nil)
		for _, o := range list {
			e, err := k.tryText(t, o.code, options{})
			if err != nil {
				refused, last = refused+1, err
				t.Notef("%s is refused: %s", o.name, firstLine(err.Error()))
				continue
			}
			e.drop(t)
		}
		if len(list) > 3 && refused == len(list) {
			t.Errorf("expected some of %d programs with operations of StableHLO to compile, but all were refused, the last with %v", refused, last)
		}
	})
	checks[1].Profile, checks[1].Timeout = check.Core, 4*check.DefaultTimeout
	return checks
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func unary(op, in, out string) operation {
	types := fmt.Sprintf("(tensor<%s>) -> tensor<%s>", in, out)
	return operation{op + " " + in + " to " + out, program("one_operation", fmt.Sprintf("(%%a: tensor<%s>) -> tensor<%s>", in, out),
		fmt.Sprintf(`%%0 = "stablehlo.%s"(%%a) : %s`, op, types), fmt.Sprintf("return %%0 : tensor<%s>", out))}
}

func binary(op, of string) operation {
	return operation{op + " " + of, program("one_operation", fmt.Sprintf("(%%a: tensor<%[1]s>, %%b: tensor<%[1]s>) -> tensor<%[1]s>", of),
		fmt.Sprintf(`%%0 = "stablehlo.%s"(%%a, %%b) : (tensor<%[2]s>, tensor<%[2]s>) -> tensor<%[2]s>`, op, of),
		fmt.Sprintf("return %%0 : tensor<%s>", of))}
}

func concatenate(of string) operation {
	return operation{"concatenate " + of,
		program("one_operation", fmt.Sprintf("(%%a: tensor<3x%[1]s>, %%b: tensor<2x%[1]s>) -> tensor<5x%[1]s>", of),
			fmt.Sprintf("%%0 = stablehlo.concatenate %%a, %%b, dim = 0 : (tensor<3x%[1]s>, tensor<2x%[1]s>) -> tensor<5x%[1]s>", of),
			fmt.Sprintf("return %%0 : tensor<5x%s>", of))}
}

func broadcast(of string) operation {
	return body("broadcast_in_dim "+of, fmt.Sprintf("(%%a: tensor<3x%[1]s>) -> tensor<2x3x%[1]s>", of),
		fmt.Sprintf("%%0 = stablehlo.broadcast_in_dim %%a, dims = [1] : (tensor<3x%[1]s>) -> tensor<2x3x%[1]s>", of),
		fmt.Sprintf("return %%0 : tensor<2x3x%s>", of))
}

// body returns an operation in a main with the signature.
func body(name, signature string, lines ...string) operation {
	return operation{name, program("one_operation", signature, lines...)}
}

func elementwise() []operation {
	var list []operation
	for _, op := range strings.Fields("abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh") {
		list = append(list, unary(op, "4xf32", "4xf32"))
	}
	list = append(list, unary("is_finite", "4xf32", "4xi1"))
	for _, op := range strings.Fields("add atan2 divide maximum minimum multiply power remainder subtract") {
		list = append(list, binary(op, "4xf32"))
	}
	return append(list,
		body("select", "(%p: tensor<4xi1>, %a: tensor<4xf32>) -> tensor<4xf32>",
			"%0 = stablehlo.select %p, %a, %a : tensor<4xi1>, tensor<4xf32>", "return %0 : tensor<4xf32>"),
		body("clamp", "(%a: tensor<4xf32>) -> tensor<4xf32>", "%0 = stablehlo.clamp %a, %a, %a : tensor<4xf32>",
			"return %0 : tensor<4xf32>"),
		body("compare", "(%a: tensor<4xf32>) -> tensor<4xi1>",
			"%0 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>", "return %0 : tensor<4xi1>"),
		body("reduce_precision", "(%a: tensor<4xf32>) -> tensor<4xf32>",
			"%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>", "return %0 : tensor<4xf32>"),
		body("optimization_barrier", "(%a: tensor<4xf32>) -> tensor<4xf32>", "%0 = stablehlo.optimization_barrier %a : tensor<4xf32>",
			"return %0 : tensor<4xf32>"),
		body("constant", "() -> tensor<4xbf16>", "%0 = stablehlo.constant dense<1.5> : tensor<4xbf16>", "return %0 : tensor<4xbf16>"),
		operation{"composite", "module @composite {\n  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = stablehlo.composite \"suite.nothing\" %a {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n" +
			"  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n    return %a : tensor<4xf32>\n  }\n}"},
		operation{"map", program("one_operation", "(%a: tensor<4xf32>) -> tensor<4xf32>",
			`%0 = "stablehlo.map"(%a) ({`, "^bb0(%x: tensor<f32>):", "  %y = stablehlo.add %x, %x : tensor<f32>",
			"  stablehlo.return %y : tensor<f32>",
			`}) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>")},
	)
}

// core moves checks to the profile Core.
func core(checks []check.Check) []check.Check {
	for i := range checks {
		checks[i].Profile = check.Core
	}
	return checks
}

func integer(of string) []operation {
	var list []operation
	for _, op := range strings.Fields("not popcnt count_leading_zeros") {
		list = append(list, unary(op, "4x"+of, "4x"+of))
	}
	for _, op := range strings.Fields("add and divide maximum multiply or power remainder shift_left shift_right_arithmetic shift_right_logical subtract xor") {
		list = append(list, binary(op, "4x"+of))
	}
	if of != "i32" {
		return list
	}
	for _, op := range strings.Fields("and or xor add multiply maximum") {
		list = append(list, binary(op, "4xi1"))
	}
	return append(list, binary("add", "4xi4"), binary("add", "4xui4"), unary("not", "4xi1", "4xi1"))
}

var complexOperations = []operation{
	body("complex", "(%a: tensor<4xf32>) -> tensor<4xcomplex<f32>>", "%0 = stablehlo.complex %a, %a : tensor<4xcomplex<f32>>", "return %0 : tensor<4xcomplex<f32>>"),
	unary("real", "4xcomplex<f32>", "4xf32"), unary("imag", "4xcomplex<f32>", "4xf32"), unary("abs", "4xcomplex<f32>", "4xf32"),
	binary("add", "4xcomplex<f32>"), binary("multiply", "4xcomplex<f32>"), binary("divide", "4xcomplex<f32>"), binary("power", "4xcomplex<f32>"),
	unary("exponential", "4xcomplex<f32>", "4xcomplex<f32>"), unary("log", "4xcomplex<f32>", "4xcomplex<f32>"), unary("tanh", "4xcomplex<f32>", "4xcomplex<f32>"),
	binary("add", "4xcomplex<f64>"), binary("multiply", "4xcomplex<f64>"),
	fft("FFT", "8xcomplex<f32>", "8xcomplex<f32>"), fft("IFFT", "8xcomplex<f32>", "8xcomplex<f32>"),
	fft("RFFT", "8xf32", "5xcomplex<f32>"), fft("IRFFT", "5xcomplex<f32>", "8xf32"),
}

func fft(kind, in, out string) operation {
	return body("fft "+kind, fmt.Sprintf("(%%a: tensor<%s>) -> tensor<%s>", in, out),
		fmt.Sprintf("%%0 = stablehlo.fft %%a, type = %s, length = [8] : (tensor<%s>) -> tensor<%s>", kind, in, out),
		fmt.Sprintf("return %%0 : tensor<%s>", out))
}

func converts() []operation {
	var list []operation
	of := strings.Fields("i1 i4 i8 i16 i32 i64 ui8 ui32 ui64 f8E4M3FN f8E5M2 f16 bf16 f32 f64")
	for i, from := range of {
		// A ring and a chord: every type is a source and a target twice.
		for _, step := range []int{1, 6} {
			list = append(list, unary("convert", "8x"+from, "8x"+of[(i+step)%len(of)]))
		}
	}
	return append(list, unary("bitcast_convert", "4xf32", "4xi32"), unary("bitcast_convert", "4xi32", "4x4xi8"),
		unary("bitcast_convert", "4x2xi16", "4xf32"), unary("bitcast_convert", "4x8xi4", "4xi32"))
}

// newTypes compiles operations on recent types, which an older plugin must refuse. Those on
// types of six bits, and the concatenation of types of two bits, have checks of their own.
func newTypes() []operation {
	var list []operation
	for _, of := range strings.Fields("i2 ui2 f8E4M3 f8E3M4 f8E8M0FNU f4E2M1FN") {
		if !strings.HasSuffix(of, "i2") {
			list = append(list, concatenate(of))
		}
		list = append(list, unary("reshape", "2x3x"+of, "6x"+of), broadcast(of), unary("convert", "8x"+of, "8xf32"))
	}
	// No plugin may refuse all: this common type stands for those it knows.
	return append(list, unary("reshape", "2x3xf32", "6xf32"))
}
