// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlirtest

import "strings"

// Danger is a program on which some of XLA's plugins for CPUs end the process, when they compile it
// or when they execute it with zeros.
type Danger struct {
	Name, Code string
	// Dies has the API minors of the plugins that end the process, of 81, 106 and 115.
	Dies []int
	Want string // a part of the error of package mlir
}

var (
	everyAge = []int{81, 106, 115}
	older    = []int{81, 106}
	oldest   = []int{81}
	newest   = []int{115}
	no       = []int{}
)

func sortBy(comparator, element, stable, n string) string {
	code := `func.func @main(%x: tensor<NxT>) -> tensor<NxT> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = STABLE}> ({
  ^bb0(%a: tensor<T>, %b: tensor<T>):
    COMPARATOR
    stablehlo.return %p : tensor<i1>
  }) : (tensor<NxT>) -> tensor<NxT>
  return %0 : tensor<NxT>
}
func.func private @f(%a: tensor<T>, %b: tensor<T>) -> tensor<i1> {
  %p = stablehlo.compare LE, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>
  return %p : tensor<i1>
}
`
	return strings.NewReplacer("COMPARATOR", comparator, "T", element, "STABLE", stable, "N", n).Replace(
		strings.ReplaceAll(strings.ReplaceAll(code, "NxT", "Nx"+element), "<T>", "<"+element+">"))
}

func window(attributes, operation, from, to string) string {
	return `func.func @main(%x: tensor<FROM>) -> tensor<TO> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{` + attributes + `}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.` + operation + ` %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<` + from + `>, tensor<f32>) -> tensor<` + to + `>
  return %0 : tensor<` + to + `>
}
`
}

const bounded8 = "tensor<?xf32, #stablehlo.bounds<8>>"

func sized(result, body string) string {
	return "func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> " + result +
		" {\n  %d = stablehlo.set_dimension_size %x, %n, dim = 0 : " +
		"(tensor<8xf32>, tensor<i32>) -> " + bounded8 + "\n" + body + "  return %r : " + result + "\n}\n"
}

func joined(operands, types string) string {
	const result = "tensor<?xf32, #stablehlo.bounds<16>>"
	return sized(result, "  %r = stablehlo.concatenate "+operands+", dim = 0 : ("+types+") -> "+result+"\n")
}

// Dangers returns the programs, and similar ones that plugins take.
func Dangers() []Danger {
	windows := func(attributes, operation, from, to string) string {
		code := window(attributes, operation, from, to)
		return strings.NewReplacer("FROM", from, "TO", to).Replace(code)
	}
	compare := func(direction, a, b string) string {
		return "%p = stablehlo.compare " + direction + ", " + a + ", " + b + " : (tensor<T>, tensor<T>) -> tensor<i1>"
	}
	of := func(comparator, element string) string {
		return sortBy(strings.ReplaceAll(comparator, "<T>", "<"+element+">"), element, "false", "1000")
	}
	inLoop := func(code string) string { // in the branch of a conditional operation
		head, rest, _ := strings.Cut(code, "{\n")
		body, tail, _ := strings.Cut(rest, "  return %0 : tensor<1000xf32>\n")
		return head + "{\n  %k = stablehlo.constant dense<0> : tensor<i32>\n  %9 = \"stablehlo.case\"(%k) ({\n" + body +
			"    stablehlo.return %0 : tensor<1000xf32>\n  }) : (tensor<i32>) -> tensor<1000xf32>\n  return %9 : tensor<1000xf32>\n" + tail
	}
	const order, crop = "is no strict order", "has windows of one element and negative padding"
	const unknownSize, first, six = "whose size is not known", "put it first", "is a constant of type f6"
	large := func(element, n string) string {
		t := "tensor<" + n + "x" + element + ">"
		return "func.func @main() -> " + t + " {\n  %0 = stablehlo.iota dim = 0 : " + t + "\n  return %0 : " + t + "\n}\n"
	}
	sixBits := func(statement, result string) string {
		return "func.func @main() -> " + result + " {\n  %c = stablehlo.constant dense<1.0> : tensor<4xf6E2M3FN>\n" + statement +
			"  return %r : " + result + "\n}\n"
	}
	return []Danger{
		{"sort by LT", of(compare("LT", "%a", "%b"), "f32"), no, ""},
		{"sort by LE", of(compare("LE", "%a", "%b"), "f32"), older, order},
		{"sort by LE of few", sortBy(strings.ReplaceAll(compare("LE", "%a", "%b"), "<T>", "<f32>"), "f32", "false", "16"), no, ""},
		{"stable sort by LE", sortBy(strings.ReplaceAll(compare("LE", "%a", "%b"), "<T>", "<f32>"), "f32", "true", "1000"), no, ""},
		{"sort by GE", of(compare("GE", "%a", "%b"), "f32"), no, ""},
		{"sort by GE of f16", of(compare("GE", "%a", "%b"), "f16"), older, order},
		{"sort by EQ", of(compare("EQ", "%a", "%b"), "f32"), everyAge, order},
		{"sort by LE of integers", of(compare("LE", "%a", "%b"), "i32"), older, order},
		{"sort by what is not LT", of("%q = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    %p = stablehlo.not %q : tensor<i1>", "f32"), everyAge, order},
		{"sort by a total order", of("%p = stablehlo.compare LE, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>", "f32"), everyAge, order},
		{"sort by a choice", of(`%q = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %t = stablehlo.constant dense<true> : tensor<i1>
    %f = stablehlo.constant dense<false> : tensor<i1>
    %p = stablehlo.select %q, %f, %t : tensor<i1>, tensor<i1>`, "f32"), everyAge, order},
		{"sort by a compound", of(`%q = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %e = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %p = stablehlo.or %q, %e : tensor<i1>`, "f32"), everyAge, order},
		{"sort by a function", of("%p = func.call @f(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>", "f32"), older, order},
		{"sort in a branch", inLoop(of(compare("EQ", "%a", "%b"), "f32")), everyAge, order},
		{"sort by converted keys", of(`%u = stablehlo.convert %a : (tensor<f32>) -> tensor<f64>
    %v = stablehlo.convert %b : (tensor<f32>) -> tensor<f64>
    %p = stablehlo.compare GE, %u, %v : (tensor<f64>, tensor<f64>) -> tensor<i1>`, "f32"), everyAge, order},

		{"cropping windows", windows("window_dimensions = array<i64: 1>, padding = dense<[[-1, 0]]> : tensor<1x2xi64>", "add", "8xf32", "7xf32"), everyAge, crop},
		{"cropping windows, splat", windows("window_dimensions = array<i64: 1>, padding = dense<-1> : tensor<1x2xi64>", "maximum", "8xf32", "6xf32"), everyAge, crop},
		{"cropping windows of a product", windows("window_dimensions = array<i64: 1>, padding = dense<[[-1, 0]]> : tensor<1x2xi64>", "multiply", "8xf32", "7xf32"), no, ""},
		{"cropping and padding windows", windows("window_dimensions = array<i64: 1>, padding = dense<[[-1, 1]]> : tensor<1x2xi64>", "add", "8xf32", "8xf32"), no, ""},
		{"cropping windows with strides", windows("window_dimensions = array<i64: 1>, window_strides = array<i64: 2>, padding = dense<[[-1, 0]]> : tensor<1x2xi64>",
			"add", "8xf32", "4xf32"), no, ""},

		{"windows over an unknown size", sized(bounded8, `  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%d, %z) <{window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<8>>
`), older, unknownSize},
		{"windows of one element over an unknown size", sized(bounded8, `  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%d, %z) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<8>>
`), no, ""},

		{"known size before an unknown one", joined("%x, %d", "tensor<8xf32>, "+bounded8), oldest, first},
		{"unknown size before a known one", joined("%d, %x", bounded8+", tensor<8xf32>"), no, ""},

		{"tuple parameter", `func.func @main(%x: tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32> {
  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
`, oldest, "parameter 0 of the program is a tuple"},

		{"size beyond its bound", strings.Replace(strings.Replace(sized(bounded8, "  %r = stablehlo.negate %d : "+bounded8+"\n"),
			", %n: tensor<i32>)", ")", 1), "{\n", "{\n  %n = stablehlo.constant dense<100000000> : tensor<i32>\n", 1),
			everyAge, "beyond its bound 8"},
		{"size within its bound", strings.Replace(strings.Replace(sized(bounded8, "  %r = stablehlo.negate %d : "+bounded8+"\n"),
			", %n: tensor<i32>)", ")", 1), "{\n", "{\n  %n = stablehlo.constant dense<3> : tensor<i32>\n", 1), no, ""},

		{"constant of six bits", sixBits("  %r = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<4xf6E2M3FN>) -> tensor<4xf6E2M3FN>\n", "tensor<4xf6E2M3FN>"), newest, six},
		{"converted constant of six bits", sixBits("  %r = stablehlo.convert %c : (tensor<4xf6E2M3FN>) -> tensor<4xf32>\n", "tensor<4xf32>"), no, ""},

		{"512 GiB", large("f32", "137438953472"), newest, "512 GiB or more"},
		{"512 GiB of bytes", large("i8", "4x137438953472"), newest, "512 GiB or more"},
		{"256 GiB", large("f32", "68719476736"), no, ""},
	}
}
