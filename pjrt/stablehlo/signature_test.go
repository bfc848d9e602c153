// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package stablehlo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func spell(params []array.Shape) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = p.String()
		if !p.Type.Valid() {
			all[i] = "unknown"
		}
	}
	return strings.Join(all, " ")
}

// Of a text, and of the bytecode and the portable artifacts that are the same program, Main says
// the same.
func TestMainReadsBytecode(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]struct{ params, results string }{
		"../internal/bytecode/testdata/calls*.mlirbc":                              {"f32[]", "f32[]"},
		"../internal/bytecode/testdata/bounded*.mlirbc":                            {"f32[?,3]", "f32[?,3]"},
		"../internal/bytecode/testdata/dynamic*.mlirbc":                            {"f32[?,3]", "f32[?,3]"},
		"../../tools/pjrt/testdata/programs/artifact_0_9_loop/program.mlirbc":      {"i32[] f32[2,2]", "f32[2,2]"},
		"../../tools/pjrt/testdata/programs/bytecode_sort/program.mlirbc":          {"f32[20] f32[20]", "f32[20] f32[20] f32[20]"},
		"../../tools/pjrt/testdata/programs/artifact_jax_export/program.mlirbc":    {"f32[4,16] f32[16,16] f32[16]", "f32[4,16]"},
		"../../tools/pjrt/testdata/programs/artifact_1_9_attention/program.mlirbc": {"f32[1,6,2,4] f32[1,6,2,4] f32[1,6,2,4]", "f32[1,6,2,4] f32[1,2,6,6]"},
	} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			params, ok := Main(code)
			require.True(t, ok, file)
			assert.Equal(t, want.params, spell(params), file)
			results, ok := Results(code)
			require.True(t, ok, file)
			assert.Equal(t, want.results, spell(results), file)
			_, ok = Main(code[:len(code)/2])
			assert.False(t, ok, "half of %s", file)
		}
	}
}

func TestMainReadsParameters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ program, want string }{
		"bare function": {`func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }`, "f32[4]"},
		"in a module": {`module @jit_f attributes {mhlo.num_partitions = 1 : i32, x = "func.func @main(%a: tensor<9xi1>)"} {
			func.func public @main(%arg0: tensor<2x3xbf16>, %arg1: tensor<i32>) -> (tensor<2x3xbf16> {jax.result_info = ""}) {
			return %arg0 : tensor<2x3xbf16> } }`, "bf16[2,3] i32[]"},
		"attributes and locations": {`func.func @main(%a: tensor<1xi8> {mhlo.sharding = "{devices=[2,1]<=[2]}", tf.aliasing_output = 0 : i32} loc("a, b)"), %b: tensor<ui8> loc(unknown)) {`, "i8[1] ui8[]"},
		"no parameters":            {`func.func @main() -> tensor<f32> {`, ""},
		"complex":                  {`func.func @main(%a: tensor<2xcomplex<f64>>, %b: tensor<complex<f32>>) {`, "complex<f64>[2] complex<f32>[]"},
		"narrow floats":            {`func.func @main(%a: tensor<0x7xf8E4M3FN>, %b: tensor<4xi4>, %c: tensor<i1>) {`, "f8E4M3FN[0,7] i4[4] i1[]"},
		"dynamic and bounded":      {`func.func @main(%a: tensor<?x3xf32, #stablehlo.bounds<8, ?>>) {`, "f32[?,3]"},
		"not tensors":              {`func.func @main(%a: !stablehlo.token, %b: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %c: !alias, %d: tensor<*xf32>, %e: tensor<4xindex>, %f: tuple<tensor<f32>, tensor<f32>>, %g: tensor<f64>) {`, "unknown unknown unknown unknown unknown unknown f64[]"},
		"too large for a type":     {`func.func @main(%a: tensor<99999999999999999999x2xf32>, %b: tensor<2xf32>) {`, "unknown f32[2]"},
		"comparisons":              {`func.func @main(%a: tensor<4xf32> {a = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>, b = #x<[2]<=[2]>}, %b: tensor<i1>) {`, "f32[4] i1[]"},
		"escapes":                  {`func.func @"m\61in"(%a: tensor<4xf32>) {`, "f32[4]"},
		"comments": {`// func.func @main(%a: tensor<9xf32>)
			func.func // the entry
			@main(%a: // first
			tensor<3xf16>) {`, "f16[3]"},
		"other functions first": {`module { func.func private @f(%x: tensor<5xf32>) -> tensor<5xf32> { return %x : tensor<5xf32> }
			func.func @mainly(%x: tensor<6xf32>) { return } func.func @"main"(%a: tensor<7xi64>) { return } }`, "i64[7]"},
		"main of a nested module": {`module { module @inner { func.func @main(%x: tensor<5xf32>) { return } }
			func.func @main(%a: tensor<ui32>) { return } }`, "ui32[]"},
		"generic": {`"builtin.module"() ({
			"func.func"() <{function_type = (tensor<4xi32>) -> tensor<f32>, sym_name = "other"}> ({ ^bb0(%a: tensor<4xi32>): }) : () -> ()
			"func.func"() <{arg_attrs = [{a = 1}, {}], function_type = (tensor<4xf32>, tensor<2xi1>) -> tensor<4xf32>, sym_name = "main", sym_visibility = "public"}> ({
			^bb0(%a: tensor<4xf32>, %b: tensor<2xi1>): "func.return"(%a) : (tensor<4xf32>) -> () }) : () -> () }) : () -> ()`, "f32[4] i1[2]"},
		"generic, older": {`"builtin.module"() ({ "func.func"() ({
			^bb0(%a: tensor<4xf32>): "func.return"(%a) {x = 1 : i32} : (tensor<4xf32>) -> () }) {function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "main"} : () -> () }) : () -> ()`, "f32[4]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			params, ok := Main([]byte(c.program))
			require.True(t, ok)
			assert.Equal(t, c.want, spell(params))
		})
	}
}

func TestResultsAreCounted(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]int{
		`func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {`:                                                         1,
		`func.func @main(%a: tensor<4xf32>) {`:                                                                          0,
		`func.func @main() -> () {`:                                                                                     0,
		`func.func @main() -> (tensor<2x3xf32> {jax.result_info = "a, b"}) {`:                                           1,
		`func.func @main() -> (tensor<2xf32> {a = {b = [1, 2]}}, tuple<tensor<f32>, tensor<f32>>) {`:                    2,
		`func.func @main(%a: tensor<i1>) attributes {x = "-> (tensor<f32>, tensor<f32>)"} {`:                            0,
		`"func.func"() <{function_type = (tensor<4xf32>) -> (tensor<f32>, tensor<2xf32>, !t), sym_name = "main"}> ({})`: 3,
		`"func.func"() <{sym_name = "main", function_type = () -> tensor<f32>}> ({})`:                                   1,
		`"func.func"() <{sym_name = "main", function_type = () -> ()}> ({})`:                                            0,
	} {
		results, ok := Results([]byte(program))
		assert.True(t, ok, program)
		assert.Len(t, results, want, program)
	}
	for _, program := range []string{"", "ML\xefR", "func.func @main() -> (tensor<f32>"} {
		_, ok := Results([]byte(program))
		assert.False(t, ok, program)
	}
}

func TestMainReportsFalseForWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	for _, program := range []string{
		"", "garbage", "func.func", "func.func @main", "func.func @main(", "func.func @main(%a: tensor<", `"func.func"(`,
		`"func.func"() <{sym_name = "main"}>`, `func.func @other(%a: tensor<f32>) {}`, `"unterminated`, `func.func @"main`, "// only a comment",
		"ML\xefR\x01func.func @main(%a: tensor<f32>)", "func.func @main(%a: tensor<f32>)\x00",
	} {
		_, ok := Main([]byte(program))
		assert.False(t, ok, "%q", program)
	}
}

func FuzzMain(f *testing.F) {
	f.Add(`func.func @main(%a: tensor<2x3xf32> {x = "y"}) {}`)
	f.Add(`"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({})`)
	f.Fuzz(func(t *testing.T, program string) {
		params, ok := Main([]byte(program))
		assert.True(t, ok || params == nil)
	})
}

func TestResults(t *testing.T) {
	t.Parallel()
	f32, pred := array.Shape{Type: dtype.F32, Dims: []int64{2, 3}}, array.Shape{Type: dtype.Pred, Dims: []int64{}}
	for program, want := range map[string][]array.Shape{
		`func.func @main(%a: tensor<4xf32>) {`:                                                                 {},
		`func.func @main(%a: tensor<4xf32>) -> tensor<2x3xf32> {`:                                              {f32},
		`func.func @main() -> tensor<2x3xf32> attributes {a = "tensor<i1>"} {`:                                 {f32},
		`func.func @main() -> (tensor<2x3xf32> {jax.result_info = "a, b"}, tensor<i1>) {`:                      {f32, pred},
		`func.func @main() -> tuple<tensor<f32>, tensor<i1>> {`:                                                {{}},
		`func.func @main() -> !alias {`:                                                                        {{}},
		`"func.func"() <{sym_name = "main", function_type = () -> tensor<2x3xf32>}> ({})`:                      {f32},
		`"func.func"() <{sym_name = "main", function_type = (tensor<f32>) -> (tensor<i1>, tensor<?xf32>)}> ()`: {pred, {Type: dtype.F32, Dims: []int64{array.Dynamic}}},
	} {
		got, ok := Results([]byte(program))
		assert.True(t, ok, program)
		assert.Equal(t, want, got, program)
	}
	_, ok := Results([]byte("func.func @main() -> tensor<f32"))
	assert.False(t, ok, "the type is cut off")
}
