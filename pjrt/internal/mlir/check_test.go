// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir/mlirtest"
)

const program = `func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}`

// check checks a program, in text or bytecode, for one device.
func check(code []byte, limits mlir.Limits) error {
	if bytes.HasPrefix(code, []byte(bytecode.Magic)) {
		m, err := bytecode.Read(context.Background(), code, limits.Compiler())
		return mlir.OfBytecode(context.Background(), m, err, limits).Check(1)
	}
	return mlir.Read(context.Background(), code, limits).Check(1)
}

// checkForTPU checks a program for libtpu and one device.
func checkForTPU(code []byte) error {
	return check(code, mlir.Limits{Bounded: true, Permutes: true})
}

func TestDimensionsWithoutABoundAreAnErrorForTPUs(t *testing.T) {
	for _, version := range []string{"", "-0.9.0", "-1.13.3"} {
		dynamic, err := os.ReadFile("../bytecode/testdata/dynamic" + version + ".mlirbc")
		require.NoError(t, err)
		assert.ErrorContains(t, checkForTPU(dynamic), "has a dimension without a known bound, and libtpu would end the process", version)
		bounded, err := os.ReadFile("../bytecode/testdata/bounded" + version + ".mlirbc")
		require.NoError(t, err)
		assert.NoError(t, checkForTPU(bounded), version)
	}
}

func TestPermutesToDevicesThatDoNotExistAreAnErrorForTPUs(t *testing.T) {
	for name, want := range map[string]string{"permute": "from or to number 3", "splat": "from or to number 2"} {
		for _, version := range []string{"", "-0.9.0", "-1.13.3"} {
			code, err := os.ReadFile("../bytecode/testdata/" + name + version + ".mlirbc")
			require.NoError(t, err)
			assert.ErrorContains(t, checkForTPU(code), want, name+version)
		}
	}
	for pairs, want := range map[string]string{
		"[[0, 0]]": "", "[[0, 1]]": "number 1, but the compile options are for 1", "[]": "", "7": "number 7", `"0x00"`: "",
	} {
		err := checkForTPU([]byte(`"stablehlo.collective_permute"(%a) {source_target_pairs = dense<` + pairs + `> : tensor<1x2xi64>}`))
		if want == "" {
			assert.NoError(t, err, pairs)
		} else {
			assert.ErrorContains(t, err, want, pairs)
		}
	}
}

// usual are limits without extra checks, with as much stack as threads usually have.
var usual = mlir.Limits{Stack: 8 << 20}

func TestNestingIsAllowedAsTheStackAllows(t *testing.T) {
	t.Parallel()
	for _, n := range mlirtest.Nests() {
		require.NoError(t, check([]byte(n.Program(n.Allowed)), usual), n.Name)
		require.ErrorContains(t, check([]byte(n.Program(n.Allowed+1)), usual), "give threads more stack than 8 MiB", n.Name)
		require.NoError(t, check([]byte(n.Program(2*n.Allowed)), mlir.Limits{Stack: 16 << 20}), n.Name)
		require.NoError(t, check([]byte(n.Program(n.Allowed/4-2)), mlir.Limits{Stack: 2 << 20}), n.Name)
		require.Error(t, check([]byte(n.Program(n.Allowed/2)), mlir.Limits{Stack: 2 << 20}), n.Name)
	}
}

func TestKillersAreAnErrorHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, k := range mlirtest.Killers() {
		require.ErrorContains(t, check([]byte(k.Code), usual), k.Want, k.Name)
		for seed := range uint64(2) {
			rewritten := mlirtest.All(rand.New(rand.NewPCG(seed, 0)), k.Code)
			require.ErrorContains(t, check([]byte(rewritten), usual), k.Want, "%s:\n%s", k.Name, rewritten)
		}
	}
}

// For some compilers the program ends at a zero byte, and for others it goes on after it.
func TestProgramsAreCheckedOnBothSidesOfAZeroByte(t *testing.T) {
	t.Parallel()
	const declaration = "func.func private @g(tensor<f32>)"
	for code, want := range map[string]struct{ upTo, past string }{
		program + "\x00" + declaration:           {"", "@g in the program has no body"},
		"// \x00\n" + declaration:                {"", "@g in the program has no body"},
		declaration + "\x00 { return }":          {"@g in the program has no body", ""},
		declaration + "\x00 { return }" + "\x00": {"@g in the program has no body", ""},
	} {
		past := check([]byte(code), mlir.Limits{})
		both := check([]byte(code), mlir.Limits{UpToNUL: true})
		if want.past == "" {
			require.NoError(t, past, "%q", code)
		} else {
			require.ErrorContains(t, past, want.past, "%q", code)
		}
		require.ErrorContains(t, both, want.upTo+want.past, "%q", code)
	}
}

// These look like killers, but compilers take them.
func TestHarmlessProgramsPass(t *testing.T) {
	t.Parallel()
	const g = "func.func private @g(%a: tensor<f32>) -> tensor<f32> {\n  %0 = func.call @g(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
	for name, code := range map[string]string{
		"a private function that calls itself and that nobody calls": program + g,
		"a module in the module":                                     program + "module @inner {\n" + strings.ReplaceAll(g, "private", "public") + "func.func private @h()\n}\n",
		"a symbol that no call names":                                strings.ReplaceAll(program, "%a, %a :", "%a, %a {callee = @main, x.y = [@main]} :"),
		"a dictionary in an attribute of a call":                     strings.ReplaceAll(g, "(%a) :", "(%a) {x.y = {callee = @g}} :"),
		"a function of an operation without quotes":                  `"func.func"() <{sym_name = "f", function_type = () -> ()}> ({ return }) : () -> ()`,
		"a function of an operation without operands":                `"func.func"() <{sym_name = "f", function_type = () -> ()}> ({ func.return }) : () -> ()`,
		"another function of the same name in another module":        program + "module @inner { func.func @f() { call @main() : () -> () return } func.func @main() { call @f() : () -> () return } }",
		"an escaped quote":                                           strings.ReplaceAll(program, "module", `module attributes {x.y = "\\\" func.func private @g()"}`),
		"the words of a killer in strings":                           program + `module attributes {x.y = "func.func private @g()", x.z = "tensor<99999999999x99999999999xf32>"} {}`,
		"the words of a killer in a location":                        strings.ReplaceAll(program, "return %0 : tensor<2x2xf32>", `return %0 : tensor<2x2xf32> loc("func.func"("callee"))`),
		"calls, each within another, 200 deep":                       chain(200),
		"tuples, each within another":                                "func.func @main(%a: " + strings.Repeat("tuple<", 500) + "f32" + strings.Repeat(">", 500) + ") { return }",
		"locations, each within another":                             strings.ReplaceAll(program, "return", "return loc("+strings.Repeat(`callsite("f" at `, 4000)+"unknown"+strings.Repeat(")", 4000)+")\nreturn"),
		"aliases of locations, each of the last":                     locations(20000),
		"comparisons in an affine set":                               "module attributes {x.y = affine_set<(d0) : (d0 >= 0, d0 == 1, 5 >= d0)>} {\n" + program + "}",
		"numbers that go on as names":                                strings.ReplaceAll(program, "2x2x", "0x10x"),
		"bounds":                                                     strings.ReplaceAll(program, "tensor<2x2xf32>", "tensor<?x2xf32, #stablehlo.bounds<5, ?>>"),
		"resources":                                                  program + "{-#\n  dialect_resources: {\n    builtin: {\n      \"func.func\": \"0x080000000100000000000000\"\n    }\n  }\n#-}\n",
		"a private recursion that the module mentions":               "#g = @g\nmodule @g attributes {x.y = {x = [#g, @g]}, callee = @g} {\n" + program + g + "}",
		"a private custom call of nothing":                           program + strings.ReplaceAll(g, "func.call @g(%a)", "stablehlo.custom_call @x(%a) {called_computations = [@nothing]}"),
		"a function without results":                                 "func.func @main(%a: tensor<f32>)attributes{x.y = (i32) -> (i32)}{return}",
		"a function with a plain result":                             "func.func @main(%a: tensor<f32>)->tensor<f32>{return %a : tensor<f32>}",
	} {
		require.NoError(t, check([]byte(code), mlir.Limits{Bounded: true, Permutes: true, UpToNUL: true, Stack: usual.Stack}), name)
	}
}

// Compilers do not end the process over these, and say where the mistake is.
func TestMisspelledFunctionsAreLeftToTheCompiler(t *testing.T) {
	t.Parallel()
	for _, code := range mlirtest.Misspelled() {
		require.NoError(t, check([]byte(code), usual), code)
	}
	const declaration = "func.func private @g(tensor<f32>) -> tensor<f32> "
	for _, after := range []string{
		"", "func.func @f() { return }", `"func.func"() <{sym_name = "f", function_type = () -> ()}> ({ return }) : () -> ()`, "#a = 1 : i32", "!a = i32",
		"module @inner {}", "unrealized_conversion_cast to i32", "%0 = stablehlo.constant dense<1> : tensor<i32>", `loc("f")`, "// what follows",
	} {
		require.ErrorContains(t, check([]byte(program+declaration+after), usual), "the function @g in the program has no body", after)
		require.ErrorContains(t, check([]byte("module {"+program+declaration+after+"\n}"), usual), "the function @g in the program has no body", after)
	}
	require.ErrorContains(t, check([]byte(program+declaration+"{-# dialect_resources: {} #-}"), usual), "the function @g in the program has no body")
}

func chain(n int) string {
	var b strings.Builder
	b.WriteString("func.func @main() {\n  call @f0() : () -> ()\n  return\n}\n")
	for i := range n {
		fmt.Fprintf(&b, "func.func private @f%d() {\n  call @f%d() : () -> ()\n  return\n}\n", i, i+1)
	}
	fmt.Fprintf(&b, "func.func private @f%d() {\n  return\n}\n", n)
	return b.String()
}

func locations(n int) string {
	var b strings.Builder
	b.WriteString(program + "\n#loc0 = loc(unknown)\n")
	for i := range n {
		fmt.Fprintf(&b, "#loc%d = loc(callsite(\"f\" at #loc%d))\n", i+1, i)
	}
	return b.String()
}

// Compilers copy a function for each call, so 2^40 calls never end.
func TestCallsThatMultiplyAreAnError(t *testing.T) {
	t.Parallel()
	doubling := func(n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "func.func @f%d() {\n  call @f%d() : () -> ()\n  call @f%d() : () -> ()\n  return\n}\n", i, i+1, i+1)
		}
		fmt.Fprintf(&b, "func.func @f%d() {\n  return\n}\n", n)
		return []byte(b.String())
	}
	require.NoError(t, check(doubling(20), mlir.Limits{}))
	require.ErrorContains(t, check(doubling(40), mlir.Limits{}), "calls others more than 16777216 times")
}

// A reader that backtracks takes hours on these texts. They must be read before the test
// times out.
func TestMalformedTextsAreReadInOnePass(t *testing.T) {
	t.Parallel()
	const n = 1 << 18
	for _, unit := range []string{
		"func.func @f(", "func.func @f() -> (", "func.func @f() attributes {", `"`, "\"\n", "//", "(", ")", "{", "}", "([{<", "{x = ", "\"func.func\"() ({",
		"tensor<", "tensor<1x", "tensor<?x, #a", "#a = [#a] ", "#a = ", "!a = tuple<!a> ", "callee = ", "@\"\\", "loc(", "-", "->", "\x00", "\xff",
		"dim_numbers = [", "#stablehlo.conv<", "call @f ", "call #a ", "a.b \"",
	} {
		_ = check(bytes.Repeat([]byte(unit), n), mlir.Limits{Bounded: true, Permutes: true, UpToNUL: true})
	}
	var aliases strings.Builder
	aliases.WriteString("#a0 = @main\nfunc.func @main() {\n")
	for i := range n {
		fmt.Fprintf(&aliases, "#a%d = [#a%d, #a%d]\n", i+1, i, i)
	}
	_ = check([]byte(aliases.String()), mlir.Limits{})
}

// A parameter that another bracket ends is the last one.
func TestMalformedParametersMakeNoShapes(t *testing.T) {
	for _, end := range []string{"}", "]", ">"} {
		text := []byte("func.func @main(%a: tensor<4xf32>" + end)
		allocations := testing.AllocsPerRun(1, func() {
			_, found := mlir.FindMain(t.Context(), text)
			assert.False(t, found)
		})
		const few = 10
		assert.LessOrEqual(t, allocations, float64(few), "%s", text)
	}
}

func FuzzCheckText(f *testing.F) {
	for _, seed := range []string{
		program, "", `func.func @"`, "func.func private @f(", "tensor<", "tensor<4x?x", `"\`, "//", "@", "func.func @f() -> (", "func.func @f() -> tensor<->",
		"#a = @f\n\"func.call\"() <#a>", "!t = tuple<!t>", "loc(fused<[]>[\"a\"])", "\x00", "dim_numbers = [0]x[0]->[0]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, code string) {
		_ = checkForTPU([]byte(code))
	})
}

// FuzzRewrites changes the text of valid programs and of killers, but not what they mean,
// and requires the same verdict.
func FuzzRewrites(f *testing.F) {
	valid := validPrograms(f)
	files := slices.DeleteFunc(slices.Sorted(maps.Keys(valid)), func(file string) bool {
		return bytes.HasPrefix(valid[file], []byte(bytecode.Magic)) || len(valid[file]) > 20_000
	})
	killers := mlirtest.Killers()
	for i := range 10 {
		f.Add(uint64(i), uint(i))
	}
	f.Fuzz(func(t *testing.T, seed uint64, choice uint) {
		r := rand.New(rand.NewPCG(seed, 0))
		code, want := "", ""
		if choice%2 == 0 {
			code = string(valid[files[choice/2%uint(len(files))]])
		} else if k := killers[choice/2%uint(len(killers))]; len(k.Code) < 20_000 {
			code, want = k.Code, k.Want
		}
		for _, rewrite := range mlirtest.Rewrites {
			if r.IntN(2) == 0 {
				code = rewrite.Rewrite(r, code)
			}
		}
		if err := check([]byte(code), usual); want == "" {
			require.NoError(t, err, code)
		} else {
			require.ErrorContains(t, err, want, code)
		}
	})
}
