// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package mlirtest has programs for tests: those that end the process of a compiler, and ways to
// rewrite the text of a program without changing its meaning.
package mlirtest

import (
	"fmt"
	"strings"
)

// Killer is a program on which XLA's compiler for CPUs ends the process, with 8 MiB of stack.
type Killer struct {
	Name, Code string
	Want       string // a part of the error that package mlir reports instead
}

// tensor is the type of most values in the programs.
const tensor = "tensor<f32>"

// function returns a function from one value to another that contains a statement that computes %0
// from %a.
func function(visibility, name, statement string) string {
	return fmt.Sprintf("func.func %s @%s(%%a: tensor<f32>) -> tensor<f32> {\n  %s\n  return %%0 : tensor<f32>\n}\n",
		visibility, name, statement)
}

func call(name string) string {
	return "%0 = func.call @" + name + "(%a) : (tensor<f32>) -> tensor<f32>"
}

func genericCall(properties string) string {
	return `%0 = "func.call"(%a) ` + properties + " : (tensor<f32>) -> tensor<f32>"
}

const (
	negate   = "%0 = stablehlo.negate %a : tensor<f32>"
	identity = "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n"
	main     = "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = func.call @g(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
)

// genericFunction returns a function in the generic form, whose name is set before and after its
// region.
func genericFunction(before, after, body string) string {
	return `"func.func"() ` + before + " ({\n^bb0(%a: tensor<f32>):\n  " + body +
		"\n  \"func.return\"(%0) : (tensor<f32>) -> ()\n}) " + after + " : () -> ()\n"
}

const functionType = "function_type = (tensor<f32>) -> tensor<f32>"

// nested returns s with n pairs of brackets around it.
func nested(n int, opening, s, closing string) string {
	return strings.Repeat(opening, n) + s + strings.Repeat(closing, n)
}

func argument(typ string) string { return "func.func @main(%a: " + typ + ") {\n  return\n}\n" }

func moduleAttribute(value string) string {
	return "module attributes {mhlo.x = " + value + "} {\n" + identity + "}\n"
}

// chain returns functions that each call the next one, n of them after main.
func chain(n int, statement string) string {
	var b strings.Builder
	b.WriteString(function("public", "main", fmt.Sprintf(statement, 0)))
	for i := range n - 1 {
		b.WriteString(function("private", fmt.Sprint("f", i), fmt.Sprintf(statement, i+1)))
	}
	b.WriteString(function("private", fmt.Sprint("f", n-1), negate))
	return b.String()
}

// conditions returns n conditional operations, each within another.
func conditions(n int) string {
	var b strings.Builder
	b.WriteString("func.func @main(%a: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {\n")
	for i := range n {
		fmt.Fprintf(&b, "%%%d = \"stablehlo.if\"(%%c) ({\n", i)
	}
	b.WriteString("stablehlo.return %a : tensor<f32>\n")
	for i := n - 1; i >= 0; i-- {
		b.WriteString("}, {\nstablehlo.return %a : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>\n")
		if i > 0 {
			fmt.Fprintf(&b, "stablehlo.return %%%d : tensor<f32>\n", i)
		}
	}
	b.WriteString("return %0 : tensor<f32>\n}\n")
	return b.String()
}

// aliases returns an alias of a tuple in a tuple, n deep, and a program with an argument of that
// type.
func aliases(n int) string {
	var b strings.Builder
	b.WriteString("!t0 = tuple<tensor<f32>>\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "!t%d = tuple<!t%d>\n", i, i-1)
	}
	return b.String() + argument(fmt.Sprint("!t", n-1))
}

const (
	callsItself = "calls itself, and compilers would end the process"
	noBody      = "has no body, and compilers would end the process"
	tooLarge    = "is too large for any memory, and compilers would end the process"
)

// Killers returns the programs.
func Killers() []Killer {
	const huge = "tensor<99999999999x99999999999xf32>"
	composite := `%0 = stablehlo.composite "x.y" %a {decomposition = @NAME} : (tensor<f32>) -> tensor<f32>`
	custom := `%0 = stablehlo.custom_call @target(%a) {called_computations = [@NAME]} : (tensor<f32>) -> tensor<f32>`
	vhloTensor := "!vhlo.tensor_v1<!vhlo.f32_v1>"
	vhlo := `"vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(T) -> T>>, ` +
		`res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"">}> ({
^bb0(%a: T):
  %0 = "vhlo.call_v1"(%a) <{callee = #vhlo.string_v1<"main">}> : (T) -> T
  "vhlo.return_v1"(%0) : (T) -> ()
}) : () -> ()
`
	vhlo = strings.ReplaceAll(vhlo, "T)", vhloTensor+")")
	vhlo = strings.ReplaceAll(vhlo, "T>>", vhloTensor+">>")
	vhlo = strings.ReplaceAll(vhlo, "-> T\n", "-> "+vhloTensor+"\n")
	recursive := function("private", "g", call("g"))
	replaceName := func(s, name string) string { return strings.ReplaceAll(s, "NAME", name) }
	list := []Killer{
		{"recursion", function("", "main", call("main")), callsItself},
		{"short form", function("", "main", "%0 = call @main(%a) : (tensor<f32>) -> tensor<f32>"), callsItself},
		{"generic call", function("", "main", genericCall("<{callee = @main}>")), callsItself},
		{"generic call of an old form", function("", "main", genericCall("{x.y, callee = @main}")), callsItself},
		{"alias of a callee", "#f = @main\n" + function("", "main", genericCall("<{callee = #f}>")), callsItself},
		{"alias in the short form", "#f = @main\n" + function("", "main", "%0 = call #f(%a) : (tensor<f32>) -> tensor<f32>"), callsItself},
		{"alias of properties", "#f = @main\n#p = {callee = #f}\n" + function("", "main", genericCall("<#p>")), callsItself},
		{"generic function", genericFunction(`<{sym_name = "main", `+functionType+`}>`, "", call("main")), callsItself},
		{"generic function of an old form", genericFunction("", `{sym_name = "main", `+functionType+`}`, call("main")), callsItself},
		{"alias of a name", "#n = \"main\"\n" + genericFunction(`<{sym_name = #n, `+functionType+`}>`, "", call("main")), callsItself},
		{"mutual recursion", main + function("private", "g", call("h")) + function("private", "h", call("g")), callsItself},
		{"recursion beside main", identity + function("public", "g", call("g")), callsItself},
		{"recursion in what is only mentioned", function("public", "main", "%0 = stablehlo.negate %a {x.y = [@g]} : tensor<f32>") + recursive, callsItself},
		{"recursion in what an alias mentions", "#g = @g\n" +
			strings.ReplaceAll(identity, "%a: tensor<f32>", "%a: tensor<f32> {mhlo.x = {x = #g}}") + recursive, callsItself},
		{"recursion in a region", conditionalCall, callsItself},
		{"recursion of a portable artifact", vhlo, callsItself},
		{"composite", function("", "main", replaceName(composite, "main")), callsItself},
		{"custom call", function("", "main", replaceName(custom, "g")) + recursive, callsItself},
		{"custom call of nothing", function("", "main", replaceName(custom, "nothing")), "names the function @nothing, which does not exist"},
		{"custom call of an alias of nothing", "#a = @nothing\n#b = [#a]\n" + function("", "main", strings.ReplaceAll(custom, "[@NAME]", "#b")), "@nothing, which does not exist"},

		{"declaration", main + "func.func private @g(tensor<f32>) -> tensor<f32>\n", noBody},
		{"declaration before resources", main + "func.func private @g(tensor<f32>) -> tensor<f32>\n{-# dialect_resources: {} #-}\n", noBody},
		{"declaration that nothing uses", identity + "func.func private @g(tensor<f32> {x.y = 1 : i32}, !stablehlo.token) -> (tensor<f32>, i32)\n", noBody},
		{"generic declaration", identity + `"func.func"() <{sym_name = "g", ` + functionType + `, sym_visibility = "private"}> ({}) : () -> ()` + "\n", noBody},

		{"huge type", strings.ReplaceAll(identity, tensor, huge), tooLarge},
		{"huge type without elements", strings.ReplaceAll(identity, tensor, "tensor<99999999999x99999999999x0xf32>"), tooLarge},
		{"alias of a huge type", "!t = " + huge + "\n" + strings.ReplaceAll(identity, tensor, "!t"), tooLarge},
		{"huge bounds", argument("tensor<?x?xf32, #stablehlo.bounds<99999999999, 99999999999>>"), tooLarge},
		{"alias of huge bounds", "#b = #stablehlo.bounds<99999999999, ?>\n" + argument("tensor<?x99999999999xf32, #b>"), tooLarge},
		{"bound of less than 0", argument("tensor<?xf32, #stablehlo.bounds<-5>>"), "has a bound of less than 0"},

		{"high dimension of a generic convolution", genericConvolution, "dimension with the number 99999999999"},
		{"high dimension of a convolution", convolution("dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 99999999999], window = {}"), "dimension with the number 99999999999"},
	}
	for _, n := range Nests() {
		list = append(list, Killer{"deep " + n.Name, n.Program(n.Deadly), "deep, and compilers would end the process"})
	}
	return list
}

// Misspelled returns programs whose main function has a body, which the compiler does not get to
// see because of what comes before it.
func Misspelled() []string {
	var list []string
	for _, before := range []string{
		"=> tensor<f32>", "- > tensor<f32>", "tensor<f32>", ": tensor<f32>", "returns tensor<f32>", "-> tensor<f32>, tensor<f32>", "-> tensor<f32> :",
		"-> tensor<f32>;", "-> tensor<f32>>", "-> tensor<f32> 7", "-> tensor<f32> @f", "-> tensor<f32> attribute {x.y = 1 : i32}", "-> tensor<f32> (",
	} {
		list = append(list, "func.func @main(%a: tensor<f32>) "+before+" {\n  return %a : tensor<f32>\n}\n")
	}
	return append(list, "func.func @main(%a: tensor<f32>) -> tensor<f32>\n  return %a : tensor<f32>\n")
}

// Nest is a program with something that is nested.
type Nest struct {
	Name    string
	Program func(depth int) string
	Allowed int // how deep package mlir allows it to be
	Deadly  int // how deep it is in a killer
}

// Nests returns the programs.
func Nests() []Nest {
	brackets := func(opening, s, closing string) func(int) string {
		return func(depth int) string { return nested(depth, opening, s, closing) }
	}
	calls := func(statement string) func(int) string {
		return func(depth int) string { return chain(depth, statement) }
	}
	in := func(program func(string) string, inner func(int) string) func(int) string {
		return func(depth int) string { return program(inner(depth)) }
	}
	location := func(s string) string {
		return strings.ReplaceAll(function("", "main", negate), negate, negate+" loc("+s+")")
	}
	affine := func(s string) string { return moduleAttribute("affine_map<(d0) -> (" + s + ")>") }
	return []Nest{
		{"tuples", in(argument, brackets("tuple<", "f32", ">")), 999, 6000},
		{"tuples of aliases", aliases, 998, 6000},
		{"lists", in(moduleAttribute, brackets("[", "", "]")), 999, 12000},
		{"dictionaries", in(moduleAttribute, brackets("{x = ", "1", "}")), 999, 10000},
		{"affine maps", in(affine, brackets("(", "d0", ")")), 997, 12000},
		{"signs", in(affine, brackets("-", "d0", "")), 1000, 13000},
		{"locations", in(location, brackets(`callsite("x" at `, "unknown", ")")), 4999, 50000},
		{"modules", brackets("module {\n", identity, "}\n"), 255, 6000},
		{"conditions", conditions, 255, 1200},
		{"calls", calls("%%0 = func.call @f%d(%%a) : (tensor<f32>) -> tensor<f32>"), 256, 1500},
		{"generic calls", calls(`%%0 = "func.call"(%%a) <{callee = @f%d}> : (tensor<f32>) -> tensor<f32>`), 256, 1500},
		{"composites", calls(`%%0 = stablehlo.composite "x.y" %%a {decomposition = @f%d} : (tensor<f32>) -> tensor<f32>`), 256, 1900},
		{"custom calls", calls(`%%0 = stablehlo.custom_call @t(%%a) {called_computations = [@f%d]} : (tensor<f32>) -> tensor<f32>`), 256, 1000},
		{"calls in conditions", conditionalCalls, 128, 600},
	}
}

// conditionalCalls returns functions that each call the next one in a conditional operation, n of
// them after main.
func conditionalCalls(n int) string {
	f := strings.ReplaceAll(conditionalCall, "@main", "@f0")
	var b strings.Builder
	b.WriteString(strings.Replace(f, "@f0", "@main", 1))
	for i := range n - 1 {
		g := strings.Replace(f, "func.func @f0", fmt.Sprint("func.func private @f", i), 1)
		b.WriteString(strings.Replace(g, "call @f0", fmt.Sprint("call @f", i+1), 1))
	}
	fmt.Fprintf(&b, "func.func private @f%d(%%a: tensor<f32>, %%c: tensor<i1>) -> tensor<f32> {\n  return %%a : tensor<f32>\n}\n", n-1)
	return b.String()
}

func convolution(numbers string) string {
	return "func.func @main(%a: tensor<1x1x4xf32>, %b: tensor<1x1x2xf32>) -> tensor<1x1x3xf32> {\n  %0 = stablehlo.convolution(%a, %b) " +
		numbers + " {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x3xf32>\n" +
		"  return %0 : tensor<1x1x3xf32>\n}\n"
}

const genericConvolution = `func.func @main(%a: tensor<1x1x4xf32>, %b: tensor<1x1x2xf32>) -> tensor<1x1x3xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{
    batch_group_count = 1 : i64, feature_group_count = 1 : i64,
    dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 99999999999]>
  }> : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}
`

const conditionalCall = `func.func @main(%a: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %0 = "stablehlo.if"(%c) ({
    %1 = func.call @main(%a, %c) : (tensor<f32>, tensor<i1>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
`
