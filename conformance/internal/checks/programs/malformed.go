// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var malformedChecks = slices.Concat(
	both(check.Check{Rule: "CMP-08", Variant: "garbage", Hostile: true}, func(t *check.T, k compiler) {
		random := make([]byte, 4096)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range random {
			random[i] = byte(r.Uint32())
		}
		for _, p := range []struct{ name, code string }{
			{"no bytes", ""}, {"one NUL", "\x00"}, {"a space", " "}, {"prose", "this is no program"},
			{"random bytes", string(random)}, {"the magic number of MLIR bytecode", "ML\xefR"},
			{"random bytes behind the magic number of MLIR bytecode", "ML\xefR" + string(random)},
			{"deep nesting", deep("(", 2000)}, {"an endless string", `module @"aaaaaaaa`},
			{"an HLO proto as MLIR", string(hloAddToItself())},
		} {
			_, err := k.tryText(t, p.code, options{})
			t.ErrorCode(err, "compiling "+p.name)
		}
		_, err := k.try(t, check.Program("hlo", string(random)), options{}.bytes())
		t.ErrorCode(err, "compiling random bytes as hlo")
		stillCompiles(t, k)
	}),
	both(check.Check{Rule: "CMP-08", Variant: "truncated", Hostile: true}, func(t *check.T, k compiler) {
		truncated(t, k, check.Add, 24)
		stillCompiles(t, k)
	}),
	both(check.Check{Rule: "CMP-08", Variant: "truncated-bytecode", Hostile: true}, func(t *check.T, k compiler) {
		truncated(t, k, check.Artifacts[0].Code, 24)
		stillCompiles(t, k)
	}),
	both(check.Check{Rule: "CMP-08", Variant: "flipped", Hostile: true}, func(t *check.T, k compiler) {
		flipped(t, k, check.Add, 48)
		stillCompiles(t, k)
	}),
	both(check.Check{Rule: "CMP-08", Variant: "flipped-bytecode", Hostile: true}, func(t *check.T, k compiler) {
		flipped(t, k, check.Artifacts[0].Code, 48)
		stillCompiles(t, k)
	}),
	both(check.Check{Rule: "CMP-09"}, func(t *check.T, k compiler) {
		for _, p := range wrongPrograms {
			_, err := k.tryText(t, p.code, options{})
			t.ErrorCode(err, "compiling "+p.name)
		}
		stillCompiles(t, k)
	}),
	both(check.Check{Rule: "CMP-09", Variant: "recursion", Hostile: true}, func(t *check.T, k compiler) {
		_, err := k.tryText(t, program("recursion", "(%a: tensor<4xf32>) -> tensor<4xf32>",
			"%0 = func.call @main(%a) : (tensor<4xf32>) -> tensor<4xf32>", "return %0 : tensor<4xf32>"), options{})
		t.ErrorCode(err, "compiling a function that calls itself")
	}),
)

func deep(s string, n int) string {
	b := make([]byte, 0, n*len(s))
	for range n {
		b = append(b, s...)
	}
	return string(b)
}

// stillCompiles fails the check unless a good program compiles and runs.
func stillCompiles(t *check.T, k compiler) {
	e, err := k.tryText(t, check.AddOne, options{})
	if t.NoError(err, "compiling a good program after bad ones") && e.loaded != nil {
		runsAddOne(t, t.Client(), e.loaded, "a good program after bad ones")
	}
}

// truncated compiles the beginning of a program, cut at this many places. Less than three
// quarters of it can never be a program.
func truncated(t *check.T, k compiler, code string, cuts int) {
	for i := range cuts {
		n := len(code) * i / cuts
		_, err := k.tryText(t, code[:n], options{})
		if n < len(code)*3/4 {
			t.ErrorCode(err, fmt.Sprintf("compiling the first %d of %d bytes of a program", n, len(code)))
		}
	}
}

// flipped compiles a program with one wrong bit. Any result will do as long as the process
// survives.
func flipped(t *check.T, k compiler, code string, flips int) {
	r := rand.New(rand.NewPCG(3, uint64(len(code))))
	for range flips {
		b := []byte(code)
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		if e, err := k.tryText(t, string(b), options{}); err == nil {
			e.drop(t)
		}
	}
}

// wrongPrograms are modules that more or less parse as MLIR, but are not programs.
var wrongPrograms = []struct{ name, code string }{
	{"an empty module", "module {}"},
	{"a module without main",
		"module @no_main {\n  func.func @other(%a: tensor<4xf32>) -> tensor<4xf32> {\n    return %a : tensor<4xf32>\n  }\n}"},
	{"an operation that does not exist", program("unknown", "(%a: tensor<4xf32>) -> tensor<4xf32>",
		"%0 = stablehlo.frobnicate %a : tensor<4xf32>", "return %0 : tensor<4xf32>")},
	{"a dialect that does not exist", program("dialect", "(%a: tensor<4xf32>) -> tensor<4xf32>",
		`%0 = "nosuch.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>")},
	{"operands of different types", program("types", "(%a: tensor<4xf32>, %b: tensor<4xi32>) -> tensor<4xf32>",
		`%0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>")},
	{"operands of different shapes", program("shapes", "(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32>",
		`%0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>")},
	{"a value that is not defined", program("undefined", "(%a: tensor<4xf32>) -> tensor<4xf32>",
		"%0 = stablehlo.add %a, %b : tensor<4xf32>", "return %0 : tensor<4xf32>")},
	{"a result of another type than promised", program("result", "(%a: tensor<4xf32>) -> tensor<4xi32>", "return %a : tensor<4xf32>")},
	{"main twice", "module @twice {\n  func.func @main() {\n    return\n  }\n  func.func @main() {\n    return\n  }\n}"},
	{"a call of a function that does not exist", program("call", "(%a: tensor<4xf32>) -> tensor<4xf32>",
		"%0 = func.call @nowhere(%a) : (tensor<4xf32>) -> tensor<4xf32>", "return %0 : tensor<4xf32>")},
}
