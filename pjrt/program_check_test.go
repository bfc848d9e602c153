// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Each of these ends the process when it reaches the compiler.
func TestProgramsThatEndTheProcessAreRefused(t *testing.T) {
	const g = "func.func @main(%a: tensor<f32>) -> tensor<f32> { %0 = func.call @g(%a) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }\n"
	cases := map[string]struct{ code, want string }{
		"recursion":        {strings.ReplaceAll(g, "@g", "@main"), "calls itself, and compilers would end the process: @main calls @main"},
		"call":             {strings.ReplaceAll(g, "func.call @g", "call @main"), "@main calls @main"},
		"generic call":     {strings.ReplaceAll(g, "func.call @g(%a)", `"func.call"(%a) <{callee = @main}>`), "@main calls @main"},
		"mutual recursion": {g + strings.NewReplacer("@main", "@g", "@g", "@h").Replace(g) + strings.ReplaceAll(g, "@main", "@h"), "@g calls @h calls @g"},
		"composite":        {strings.ReplaceAll(g, "func.call @g(%a)", `stablehlo.composite "x.y" %a {decomposition = @main}`), "@main calls @main"},
		"quoted name":      {strings.ReplaceAll(g, "@g", `@"main"`), "@main calls @main"},
		"declaration":      {g + "func.func private @g(%a: tensor<f32>) -> tensor<f32>", "the function @g in the program has no body"},
		"unused":           {add[:len(add)-1] + "func.func private @g(tensor<f32>, !stablehlo.token) -> (tensor<f32>, i32) // {\n}", "@g in the program has no body"},
		"no result":        {"func.func private @main()", "@main in the program has no body"},
		"attributes":       {`func.func private @main(tensor<f32> {a = "}"}) -> tensor<f32> attributes {x = {}}`, "@main in the program has no body"},
		"overflow":         {strings.ReplaceAll(add, "2x2xf32", "99999999999x99999999999xf32"), "the type tensor<99999999999x99999999999xf32> in the program is too large for any memory"},
		"no number":        {strings.ReplaceAll(add, "2x2xf32", "99999999999999999999xf32"), "is too large for any memory"},
		"inside":           {strings.ReplaceAll(add, "stablehlo.add %a, %b : tensor<2x2xf32>", "stablehlo.f : (tensor<1125899906842624x2xi8>)"), "is too large for any memory"},
	}
	client := newClient(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(c.code)}, nil)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
			assert.Nil(t, exe)
		})
	}
}

// Programs that only look as if they end the process reach the compiler, which takes them.
func TestProgramsThatOnlyLookDangerousAreCompiled(t *testing.T) {
	client := newClient(t)
	for name, code := range map[string]string{
		"a function called twice": `func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
  %1 = call @f(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f(%a: tensor<f32>) -> (tensor<f32> {jax.result_info = "{(<"}) attributes {x = "@main"} {
  return %a : tensor<f32>
}`,
		"a recursion that is never called": `func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
func.func private @g(%a: tensor<f32>) -> tensor<f32> { %0 = func.call @g(%a) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }`,
		"comments and strings": `// func.func private @main() tensor<99999999999x99999999999xf32>
module @main attributes {mhlo.x = "tensor<99999999999x99999999999xf32> \" func.func private @x()"} {
  func.func @main(%a: tensor<f32>) -> tensor<f32> { // @main
    return %a : tensor<f32> loc("@main")
  }
}`,
		"no elements": strings.ReplaceAll(add, "2x2xf32", "0x99999xf32"),
		"no results":  "func.func @main() { return }",
		"a custom call of its own name": `func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @Sharding(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}`,
		"function types": `func.func @main(%a: tensor<f32>) -> tensor<f32> attributes {t = (tensor<f32>) -> tensor<f32>} {
  return %a : tensor<f32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, nil)
			require.NoError(t, err)
			exe.Close()
		})
	}
}

// The same in bytecode, as StableHLO's tools write it, and in portable artifacts of
// an old and a newer version.
func TestBytecodeThatEndsTheProcessIsRefused(t *testing.T) {
	client := newClient(t)
	for name, want := range map[string]string{
		"declared":  "the function @g in the program has no body",
		"recursion": "calls itself, and compilers would end the process: @main calls @g calls @main",
		"huge":      "the type tensor<1125899906842624x16x...> in the program is too large for any memory",
		"calls":     "",
		"composite": "",
	} {
		for _, version := range []string{"", "-0.9.0", "-1.13.3"} {
			if name+version == "composite-0.9.0" {
				continue // composites are newer
			}
			t.Run(name+version, func(t *testing.T) {
				code, err := os.ReadFile("internal/bytecode/testdata/" + name + version + ".mlirbc")
				require.NoError(t, err)
				exe, err := client.Compile(context.Background(), pjrt.Program{Code: code}, nil)
				if want == "" {
					require.NoError(t, err)
					exe.Close()
					return
				}
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				assert.ErrorContains(t, err, want)
			})
		}
	}
}
