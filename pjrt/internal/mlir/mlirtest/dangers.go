// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlirtest

import (
	"slices"
	"strconv"
	"strings"
)

// Danger is a program on which some of XLA's plugins for CPUs end the process, when they compile it
// or when they execute it with zeros.
type Danger struct {
	Name, Code string
	// Dies has the API minors of the plugins that end the process, of 81, 106 and 115.
	Dies []int
	Want string // a part of the error of package mlir
	// Fails has the minors of other plugins that the program is refused for, since they only return
	// an error, when it is too late.
	Fails []int
}

// Refused has the API minors of the plugins that the program is refused for.
func (d *Danger) Refused() []int { return append(slices.Clone(d.Dies), d.Fails...) }

// DiesEverywhere reports whether XLA's compilers for other devices end the process too.
func (d *Danger) DiesEverywhere() bool {
	switch d.Want {
	case castOf, ofHugeStride, ofTop:
		return true
	}
	return false
}

// DiesAsHLO is Dies for the same program in HLO, which MLIR does not read.
func (d *Danger) DiesAsHLO() []int {
	switch d.Want {
	case beforeUnknown, tuple, bits, divided, nobodys, ofIntegers, castOf, ofHugeStride, ofTop, ofBroadcast:
		return no
	case ofSixBits:
		return slices.DeleteFunc(slices.Clone(d.Dies), func(minor int) bool { return minor < 115 })
	}
	return d.Dies
}

// IsLuck reports whether the plugin reads operands that are not there: what it finds decides
// whether it ends the process.
func (d *Danger) IsLuck() bool { return d.Want == nothing || d.Want == oneOfTwo }

// Parts of the errors for custom calls whose operands are not there.
const (
	nothing  = "has 0 operands"
	oneOfTwo = "has 1 operands"
)

// Parts of the errors for what only MLIR and what is made of it die of.
const (
	beforeUnknown = "put it first"
	tuple         = "parameter 0 of the program is a tuple"
	ofSixBits     = "of type f6E3M2FN"
	bits          = "the program has a bitcast_convert of i"
	divided       = "does not say in its mhlo.frontend_attributes"
	nobodys       = "no plugin for CPUs"
	ofIntegers    = "the program has a broadcast_polygamma"
	castOf        = "cast of nothing"
	ofHugeStride  = "has a stride of 9223372036854775807"
	ofTop         = "has a top_k with a k of -9223372036854775808"
	ofBody        = "the body of a"
	ofBroadcast   = "has a broadcast_add with the broadcast dimension -1"
)

var (
	everyAge = []int{81, 106, 115}
	older    = []int{81, 106}
	oldest   = []int{81}
	newest   = []int{115}
	since106 = []int{106, 115}
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
		" {\n  %low = stablehlo.constant dense<0> : tensor<i32>\n  %high = stablehlo.constant dense<8> : tensor<i32>\n" +
		"  %m = stablehlo.clamp %low, %n, %high : tensor<i32>\n  %d = stablehlo.set_dimension_size %x, %m, dim = 0 : " +
		"(tensor<8xf32>, tensor<i32>) -> " + bounded8 + "\n" + body + "  return %r : " + result + "\n}\n"
}

// size returns a program that gives its result the size that statements compute.
func size(statements string) string {
	return "func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> " + bounded8 + " {\n" + statements +
		"  %d = stablehlo.set_dimension_size %x, %s, dim = 0 : (tensor<8xf32>, tensor<i32>) -> " + bounded8 + "\n" +
		"  %r = stablehlo.negate %d : " + bounded8 + "\n  return %r : " + bounded8 + "\n}\n"
}

func joined(operands, types string) string {
	const result = "tensor<?xf32, #stablehlo.bounds<16>>"
	return sized(result, "  %r = stablehlo.concatenate "+operands+", dim = 0 : ("+types+") -> "+result+"\n")
}

// hugeResult returns a program whose result has 512 GiB.
func hugeResult(statements, parameters, result string) string {
	return strings.NewReplacer("ROWS", "tensor<4x34359738368xf32>", "COLUMNS", "tensor<34359738368x4xf32>").Replace(
		"func.func @main(" + parameters + ") -> " + result + " {\n" + statements + "  return %0 : " + result + "\n}\n")
}

const sixes = "f6E3M2FN"

// unary returns a program of one operation.
func unary(name, rest, from, to string) string {
	return "func.func @main(%x: tensor<" + from + ">) -> tensor<" + to + "> {\n  %0 = stablehlo." +
		name + " " + rest + "\n  return %0 : tensor<" + to + ">\n}\n"
}

// joinOf returns a program that joins two arrays, of which one may be %v, the other in reverse.
func joinOf(element, first, result string, more ...string) string {
	code := "func.func @main(%x: tensor<4xT>, %y: tensor<4xT>) -> tensor<8xT> {\n"
	if first == "%v" {
		code += "  %v = stablehlo.reverse %x, dims = [0] : tensor<4xT>\n"
	}
	code += "  %0 = stablehlo.concatenate " + first + ", %y, dim = 0 : (tensor<4xT>, tensor<4xT>) -> tensor<8xT>\n"
	code += strings.Join(more, "") + "  return " + result + " : tensor<8xT>\n}\n"
	return strings.ReplaceAll(code, "xT>", "x"+element+">")
}

// random returns a program that makes random numbers.
func random(element string) string {
	return strings.ReplaceAll(`func.func @main(%x: tensor<T>, %y: tensor<T>) -> tensor<4xT> {
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %x, %y, %s, distribution = UNIFORM : (tensor<T>, tensor<T>, tensor<1xi64>) -> tensor<4xT>
  return %0 : tensor<4xT>
}
`, "T>", element+">")
}

// sortSix returns a program that sorts an array by itself, or by another one, which are %a and %b
// or %c and %d of the comparator.
func sortSix(element, by string) string {
	return strings.ReplaceAll(`func.func @main(%x: tensor<4xT>, %y: tensor<4xf32>) -> tensor<4xT> {
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<T>, %b: tensor<T>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.compare LT, `+by+` -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xT>, tensor<4xf32>) -> (tensor<4xT>, tensor<4xf32>)
  return %0#0 : tensor<4xT>
}
`, "T>", element+">")
}

// loopOver returns a program with a loop over an array, which becomes %v, its reverse, or stays %a.
func loopOver(element, result string) string {
	return strings.ReplaceAll(`func.func @main(%x: tensor<4xT>, %n: tensor<i32>) -> tensor<4xT> {
  %r:2 = stablehlo.while(%a = %x, %i = %n) : tensor<4xT>, tensor<i32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %o = stablehlo.constant dense<1> : tensor<i32>
      %k = stablehlo.add %i, %o : tensor<i32>
      %v = stablehlo.reverse %a, dims = [0] : tensor<4xT>
      stablehlo.return `+result+`, %k : tensor<4xT>, tensor<i32>
    }
  return %r#0 : tensor<4xT>
}
`, "xT>", "x"+element+">")
}

// convolve returns a convolution over two dimensions of 6 and 1 elements, with a kernel of 3 by 3,
// the first of them dilated by 3. The pairs replace parts of it.
func convolve(pairs ...string) string {
	code := `func.func @main(%x: tensor<2x6x1x2xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<2x7x4x2xf32> {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 0], [2, 3]], lhs_dilate = [3, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x1x2xf32>, tensor<3x3x2x2xf32>) -> tensor<2x7x4x2xf32>
  return %r : tensor<2x7x4x2xf32>
}
`
	for ; len(pairs) > 0; pairs = pairs[2:] {
		if !strings.Contains(code, pairs[0]) {
			panic("mlirtest: no " + pairs[0])
		}
		code = strings.ReplaceAll(code, pairs[0], pairs[1])
	}
	return code
}

// convolvePadded returns the convolution with a pad of its input instead of the dilation.
func convolvePadded(value string, pairs ...string) string {
	return convolve(append([]string{
		"lhs_dilate = [3, 1], ", "",
		"  %r =", "  %z = stablehlo.constant dense<" + value + "> : tensor<f32>\n" +
			"  %p = stablehlo.pad %x, %z, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 2, 0, 0] : " +
			"(tensor<2x6x1x2xf32>, tensor<f32>) -> tensor<2x16x1x2xf32>\n  %r =",
		"(%x, %w)", "(%p, %w)", "(tensor<2x6x1x2xf32>, tensor<3x3", "(tensor<2x16x1x2xf32>, tensor<3x3",
	}, pairs...)...)
}

func polygamma(element string) string {
	return strings.ReplaceAll(`func.func @main(%a: tensor<4xT>, %b: tensor<4xT>) -> tensor<4xT> {
  %0 = chlo.broadcast_polygamma %a, %b : (tensor<4xT>, tensor<4xT>) -> tensor<4xT>
  return %0 : tensor<4xT>
}
`, "xT>", "x"+element+">")
}

// reduced returns a program that applies a body, which computes %s from %x and %y, to rows of n
// elements.
func reduced(n, body string) string {
	return applying("reduce", "4x"+n+"xf32", "4xf32", "%a, %i", "tensor<4x"+n+"xf32>, tensor<f32>", "<{dimensions = array<i64: 1>}> ", body)
}

// applying returns a program of one operation that applies such a body, given the rest of it.
func applying(name, from, to, operands, types, attributes, body string) string {
	return "func.func @main(%a: tensor<" + from + ">, %i: tensor<f32>) -> tensor<" + to + "> {\n" +
		"  %0 = \"stablehlo." + name + "\"(" + operands + ") " + attributes + "({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    " +
		body + "\n    stablehlo.return %s : tensor<f32>\n  }) : (" + types + ") -> tensor<" + to + ">\n" +
		"  return %0 : tensor<" + to + ">\n}\n"
}

// sliced returns a program that computes %0, one element, from the four of %a.
func sliced(body string) string {
	return "func.func @main(%a: tensor<4xf32>) -> tensor<1xf32> {\n  " + body + "\n  return %0 : tensor<1xf32>\n}\n"
}

// beside returns a program with a function that it does not call.
func beside(visibility, function string) string {
	return "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n" +
		strings.Replace(function, "func.func @main", "func.func "+visibility+" @g", 1)
}

// unused returns a program with an operation whose result nothing uses.
func unused(operation string) string {
	return "func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) -> tensor<4xf32> {\n  %0 = " + operation +
		"\n  return %a : tensor<4xf32>\n}\n"
}

// custom returns a program of one custom call, given the types of its operands and of its results.
func custom(target, operands, results string) string {
	return customWith(target, operands, results, "")
}

func customWith(target, operands, results, attributes string) string {
	types := func(list string) (names, named, types []string) {
		for i, t := range strings.Fields(list) {
			name := "%a" + strconv.Itoa(i)
			names, named, types = append(names, name), append(named, name+": tensor<"+t+">"), append(types, "tensor<"+t+">")
		}
		return names, named, types
	}
	names, parameters, from := types(operands)
	_, _, to := types(results)
	returned, of := "%0", "%0"
	if n := len(to); n > 1 {
		returned, of = "%0#0, %0#1", "%0:"+strconv.Itoa(n)
	}
	join := func(list []string) string { return strings.Join(list, ", ") }
	call := "stablehlo.custom_call @" + target + "(" + join(names) + ")" + attributes + " : (" + join(from) + ") -> (" + join(to) + ")"
	return "func.func @main(" + join(parameters) + ") -> (" + join(to) + ") {\n  " + of + " = " + call +
		"\n  return " + returned + " : " + join(to) + "\n}\n"
}

// Handled is the target of custom calls for which there is a handler.
const Handled = "handled"

// handled returns a program of one custom call with a handler, given the members of its
// backend_config.
func handled(config string) string {
	return customWith(Handled, "4xf32", "4xf32", " {api_version = 4 : i32, backend_config = {"+config+"}}")
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
	const alone = "and does nothing else with them"
	const groups = "dilated by 3, the size of the kernel"
	const generic = `"stablehlo.convolution"(%x, %w) <{dimension_numbers = NUMBERS, feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<[[0, 0], [2, 3]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, window_reversal = array<i1: false, false>}>`
	pretty := convolve()
	pretty = pretty[strings.Index(pretty, "stablehlo.conv"):strings.Index(pretty, " : (tensor")]
	const unknownSize, six = "whose size is not known", "is a constant of type f6"
	const noLimit = "only the execution knows"
	const ofIndex = "has a number of type index"
	const top, internal = "custom call of TopK", "which only compilers put into programs"
	const reflectors = "ProductOfElementaryHouseholderReflectors"
	const far = "  %far = stablehlo.constant dense<100000000> : tensor<i32>\n"
	const eight = "  %eight = stablehlo.constant dense<8> : tensor<i32>\n"
	large := func(element, n string) string {
		t := "tensor<" + n + "x" + element + ">"
		return "func.func @main() -> " + t + " {\n  %0 = stablehlo.iota dim = 0 : " + t + "\n  return %0 : " + t + "\n}\n"
	}
	sixBits := func(statement, result string) string {
		return "func.func @main() -> " + result + " {\n  %c = stablehlo.constant dense<1.0> : tensor<4xf6E2M3FN>\n" + statement +
			"  return %r : " + result + "\n}\n"
	}
	const plus = "\n    %s = stablehlo.add %q, %y : tensor<f32>"
	const calls = "%q = stablehlo.custom_call @foo(%x) : (tensor<f32>) -> tensor<f32>"
	const unknownLoop = `%q, %w = "stablehlo.while"(%x, %y) ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %c = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %t = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %t, %v : tensor<f32>, tensor<f32>
    }) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)`
	const three = `%k = stablehlo.convert %x : (tensor<f32>) -> tensor<i32>
    %q = "stablehlo.case"(%k) ({
      stablehlo.return %x : tensor<f32>
    }, {
      stablehlo.return %y : tensor<f32>
    }, {
      %t = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>`
	two := strings.Replace(three, "      stablehlo.return %x : tensor<f32>\n    }, {\n", "", 1)
	const transform = `%b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %f = stablehlo.fft %b, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
    %r = stablehlo.real %f : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %p = stablehlo.slice %r [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %q = stablehlo.reshape %p : (tensor<1xf32>) -> tensor<f32>`
	const ofAll = `%q = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %t = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>`
	const replica = "%k = stablehlo.replica_id : tensor<ui32>\n    %q = stablehlo.convert %k : (tensor<ui32>) -> tensor<f32>"
	const partition = "%k = stablehlo.partition_id : tensor<ui32>\n    %q = stablehlo.convert %k : (tensor<ui32>) -> tensor<f32>"
	const noDimensions = "%e = stablehlo.constant dense<> : tensor<0xi64>\n    "
	const randomOne = noDimensions + `%q = "stablehlo.rng"(%x, %y, %e) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : ` +
		"(tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>"
	const permuted = `%q = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<f32>) -> tensor<f32>`
	const windowOf2 = "<{window_dimensions = array<i64: 2>}> "
	mapped := func(body string) string {
		return applying("map", "4xf32", "4xf32", "%a, %a", "tensor<4xf32>, tensor<4xf32>", "<{dimensions = array<i64: 0>}> ", body)
	}
	const called = "%q = func.call @f(%x) : (tensor<f32>) -> tensor<f32>"
	const callsFoo = "func.func private @f(%x: tensor<f32>) -> tensor<f32> {\n  " + calls + "\n  return %q : tensor<f32>\n}\n"
	const cast = "\"builtin.unrealized_conversion_cast\"() : () -> tensor<4xf32>"
	const castNothing = "func.func @main() -> tensor<4xf32> {\n  %0 = " + cast + "\n  return %0 : tensor<4xf32>\n}\n"
	const unusedPolygamma = "chlo.broadcast_polygamma %b, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"
	const huge, slicing = "9223372036854775807", "(tensor<4xf32>) -> tensor<1xf32>"
	const genericSlice = `%0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 3>, strides = array<i64: ` + huge + `>}> : ` + slicing
	const top1, topTypes = "tensor<4xf32> -> (tensor<1xf32>, tensor<1xi32>)", "(tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi32>)"
	sums := func(dimension string) string {
		return "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = chlo.broadcast_add %a, %a {broadcast_dimensions = array<i64: " + dimension + ">} : " +
			"(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
	}
	return append(ofBodies(), []Danger{
		{"sort by LT", of(compare("LT", "%a", "%b"), "f32"), no, "", nil},
		{"sort by LE", of(compare("LE", "%a", "%b"), "f32"), older, order, nil},
		{"sort by LE of few", sortBy(strings.ReplaceAll(compare("LE", "%a", "%b"), "<T>", "<f32>"), "f32", "false", "16"), no, "", nil},
		{"stable sort by LE", sortBy(strings.ReplaceAll(compare("LE", "%a", "%b"), "<T>", "<f32>"), "f32", "true", "1000"), no, "", nil},
		{"sort by GE", of(compare("GE", "%a", "%b"), "f32"), no, "", nil},
		{"sort by GE of f16", of(compare("GE", "%a", "%b"), "f16"), older, order, nil},
		{"sort by EQ", of(compare("EQ", "%a", "%b"), "f32"), everyAge, order, nil},
		{"sort by LE of integers", of(compare("LE", "%a", "%b"), "i32"), older, order, nil},
		{"sort by what is not LT",
			of("%q = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    %p = stablehlo.not %q : tensor<i1>", "f32"), everyAge, order, nil},
		{"sort by a total order",
			of("%p = stablehlo.compare LE, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>", "f32"), everyAge, order, nil},
		{"sort by a choice", of(`%q = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %t = stablehlo.constant dense<true> : tensor<i1>
    %f = stablehlo.constant dense<false> : tensor<i1>
    %p = stablehlo.select %q, %f, %t : tensor<i1>, tensor<i1>`, "f32"), everyAge, order, nil},
		{"sort by a compound", of(`%q = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %e = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %p = stablehlo.or %q, %e : tensor<i1>`, "f32"), everyAge, order, nil},
		{"sort by a function", of("%p = func.call @f(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>", "f32"), older, order, nil},
		{"sort in a branch", inLoop(of(compare("EQ", "%a", "%b"), "f32")), everyAge, order, nil},
		{"sort by converted keys", of(`%u = stablehlo.convert %a : (tensor<f32>) -> tensor<f64>
    %v = stablehlo.convert %b : (tensor<f32>) -> tensor<f64>
    %p = stablehlo.compare GE, %u, %v : (tensor<f64>, tensor<f64>) -> tensor<i1>`, "f32"), everyAge, order, nil},

		{"cropping windows",
			windows("window_dimensions = array<i64: 1>, padding = dense<[[-1, 0]]> : tensor<1x2xi64>", "add", "8xf32", "7xf32"), everyAge, crop, nil},
		{"cropping windows, splat",
			windows("window_dimensions = array<i64: 1>, padding = dense<-1> : tensor<1x2xi64>", "maximum", "8xf32", "6xf32"), everyAge, crop, nil},
		{"cropping windows of a product",
			windows("window_dimensions = array<i64: 1>, padding = dense<[[-1, 0]]> : tensor<1x2xi64>", "multiply", "8xf32", "7xf32"), no, "", nil},
		{"cropping and padding windows",
			windows("window_dimensions = array<i64: 1>, padding = dense<[[-1, 1]]> : tensor<1x2xi64>", "add", "8xf32", "8xf32"), no, "", nil},
		{"cropping windows with strides",
			windows("window_dimensions = array<i64: 1>, window_strides = array<i64: 2>, padding = dense<[[-1, 0]]> : tensor<1x2xi64>",
				"add", "8xf32", "4xf32"), no, "", nil},

		{"windows over an unknown size", sized(bounded8, `  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%d, %z) <{window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<8>>
`), older, unknownSize, nil},
		{"windows of one element over an unknown size", sized(bounded8, `  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%d, %z) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<8>>
`), no, "", nil},

		{"known size before an unknown one", joined("%x, %d", "tensor<8xf32>, "+bounded8), oldest, beforeUnknown, nil},
		{"unknown size before a known one", joined("%d, %x", bounded8+", tensor<8xf32>"), no, "", nil},

		{"tuple parameter", `func.func @main(%x: tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32> {
  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
`, oldest, tuple, []int{106, 115}},
		{"empty tuple as a parameter",
			"func.func @main(%x: tuple<>) -> tensor<2xf32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>\n" +
				"  return %0 : tensor<2xf32>\n}\n", everyAge, tuple, nil},

		{"size beyond its bound", size("  %s = stablehlo.constant dense<100000000> : tensor<i32>\n"), everyAge, "to 100000000", nil},

		{"joined i2", joinOf("i2", "%x", "%0"), everyAge, alone, nil},
		{"joined ui2 behind a barrier",
			joinOf("ui2", "%x", "%0", "  %b = stablehlo.optimization_barrier %0 : tensor<8xui2>\n"), everyAge, alone, nil},
		{"joined and reversed i2", joinOf("i2", "%x", "%1", "  %1 = stablehlo.reverse %0, dims = [0] : tensor<8xi2>\n"), no, "", nil},
		{"joined i2, one reversed", joinOf("i2", "%v", "%0"), no, "", nil},
		{"joined i4", joinOf("i4", "%x", "%0"), no, "", nil},
		{"joined six bits", joinOf(sixes, "%x", "%0"), everyAge, ofSixBits, nil},

		{"remainder of complex numbers",
			unary("remainder", "%x, %x : tensor<4xcomplex<f32>>", "4xcomplex<f32>", "4xcomplex<f32>"), everyAge,
			"a remainder of complex numbers", nil},
		{"remainder of no complex numbers",
			unary("remainder", "%x, %x : tensor<0xcomplex<f32>>", "0xcomplex<f32>", "0xcomplex<f32>"), no, "", nil},
		{"remainder of real numbers", unary("remainder", "%x, %x : tensor<4xf32>", "4xf32", "4xf32"), no, "", nil},

		{"random i8", random("i8"), everyAge, "an rng of type i8", nil},
		{"random f8E5M2", random("f8E5M2"), everyAge, "an rng of type f8E5M2", nil},
		{"random ui32", random("ui32"), no, "", nil},
		{"random bf16", random("bf16"), no, "", nil},

		{"bits of a number", unary("bitcast_convert", "%x : (tensor<4xi8>) -> tensor<4x8xi1>", "4xi8", "4x8xi1"), oldest, bits, nil},
		{"number of bits", unary("bitcast_convert", "%x : (tensor<8xi1>) -> tensor<i8>", "8xi1", "i8"), oldest, bits, nil},
		{"bits of bits", unary("bitcast_convert", "%x : (tensor<4xi1>) -> tensor<4xi1>", "4xi1", "4xi1"), no, "", nil},
		{"bytes of a number", unary("bitcast_convert", "%x : (tensor<4xi32>) -> tensor<4x4xi8>", "4xi32", "4x4xi8"), no, "", nil},

		{"broadcast of six bits",
			unary("broadcast_in_dim", "%x, dims = [1] : (tensor<4xf6E3M2FN>) -> tensor<2x4xf6E3M2FN>", "4xf6E3M2FN", "2x4xf6E3M2FN"),
			older, ofSixBits, nil},
		{"slice of six bits",
			unary("slice", "%x [1:3] : (tensor<4xf6E3M2FN>) -> tensor<2xf6E3M2FN>", "4xf6E3M2FN", "2xf6E3M2FN"), no, ofSixBits, older},
		{"sort of six bits", sortSix(sixes, "%a, %b : (tensor<f6E3M2FN>, tensor<f6E3M2FN>)"), newest, ofSixBits, older},
		{"sort beside six bits", sortSix(sixes, "%c, %d : (tensor<f32>, tensor<f32>)"), older, ofSixBits, nil},
		{"loop over six bits", loopOver(sixes, "%v"), everyAge, ofSixBits, nil},
		{"loop beside six bits", loopOver(sixes, "%a"), no, ofSixBits, older},
		{"loop over f32", loopOver("f32", "%v"), no, "", nil},

		{"convolution over groups of another size", convolve(), everyAge, groups, nil},
		{"convolution over groups of another size, generic",
			convolve(pretty, strings.Replace(generic, "NUMBERS", "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>", 1)),
			everyAge, groups, nil},
		{"convolution over groups of another size, raw",
			convolve(pretty, strings.Replace(generic, "NUMBERS", "#stablehlo.conv<raw input_batch_dimension = 0, "+
				"input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, "+
				"kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>", 1)),
			everyAge, groups, nil},
		{"convolution over groups of another size, transposed", convolve("[b, 0, 1, f]x[0, 1, i, o]", "[1, f, 0, b]x[i, 1, 0, o]",
			"tensor<2x6x1x2xf32>", "tensor<1x2x6x2xf32>", "tensor<3x3x2x2xf32>", "tensor<2x3x3x2xf32>"), everyAge, groups, nil},
		{"convolution over groups of another size, of groups of batches",
			convolve("batch_group_count = 1", "batch_group_count = 2", "tensor<2x7", "tensor<1x7"),
			everyAge, groups, nil},
		{"convolution over groups of another size, with the other dimension reversed",
			convolve("[false, false]", "[false, true]"), everyAge, groups, nil},
		{"convolution over a dimension dilated by pad", convolvePadded("0.0"), everyAge, groups, nil},
		{"convolution over a dimension dilated by pad with negative zeros", convolvePadded("-0.0"), everyAge, groups, nil},
		{"convolution over a dimension dilated by pad with ones", convolvePadded("1.0"), no, "", nil},
		{"convolution over a dimension dilated by pad, behind a barrier", convolvePadded("0.0", "  %r =",
			"  %q = stablehlo.optimization_barrier %p : tensor<2x16x1x2xf32>\n  %r =", "(%p, %w)", "(%q, %w)"), no, "", nil},
		{"convolution with pads of all dimensions",
			convolvePadded("0.0", "low = [0, 0, 0, 0]", "low = [0, 0, 2, 0]", "high = [0, 0, 0, 0]", "high = [0, 0, 3, 0]",
				"[2, 3]", "[0, 0]", "2x16x1x2", "2x16x6x2"), everyAge, groups, nil},
		{"convolution with a pad of batches",
			convolvePadded("0.0", "low = [0, 0, 0, 0]", "low = [1, 0, 0, 0]", "2x16x1x2", "3x16x1x2", "tensor<2x7", "tensor<3x7"),
			no, "", nil},
		{"convolution with a dilated kernel", convolve("rhs_dilate = [1, 1]", "rhs_dilate = [2, 1]", "2x7x4", "2x6x4"), no, "", nil},
		{"convolution over reversed groups", convolve("[false, false]", "[true, false]"), no, "", nil},
		{"convolution over two reversed dimensions", convolve("[false, false]", "[true, true]"), no, "", nil},
		{"convolution over groups with padding", convolve("[[0, 0]", "[[0, 2]", "2x7x4", "2x8x4"), no, "", nil},
		{"convolution over groups of the kernel's size", convolve("2x6x1", "2x3x1", "2x7x4", "2x3x4"), no, "", nil},
		{"convolution over groups of another size, of a larger input", convolve("2x6x1", "2x6x3", "2x7x4", "2x7x6"), no, "", nil},
		{"convolution over groups of another size, of groups of features",
			convolve("feature_group_count = 1", "feature_group_count = 2", "3x3x2x2", "3x3x1x2"),
			no, "", nil},
		{"convolution without results over groups of another size", convolve("[2, 3]", "[0, 1]", "2x7x4", "2x7x0"), no, "", nil},

		{"largest elements", custom("TopK", "3x6xf32", "3x2xf32 3x2xi32"), no, "", nil},
		{"largest elements in a tuple", `func.func @main(%x: tensor<6xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @TopK(%x) : (tensor<6xf32>) -> tuple<tensor<2xf32>, tensor<2xi32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, tensor<2xi32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
`, no, "", nil},
		{"more largest elements than there are", custom("TopK", "6xf32", "900000xf32 900000xi32"), everyAge, top, nil},
		{"more largest elements than there are, in a tuple", `func.func @main(%x: tensor<6xf32>) -> tensor<900000xf32> {
  %0 = stablehlo.custom_call @TopK(%x) : (tensor<6xf32>) -> tuple<tensor<900000xf32>, tensor<900000xi32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<900000xf32>, tensor<900000xi32>>) -> tensor<900000xf32>
  return %1 : tensor<900000xf32>
}
`, everyAge, top, nil},
		{"largest elements of fewer batches", custom("TopK", "2x600xf32", "30000x600xf32 30000x600xi32"), everyAge, top, nil},
		{"largest elements with fewer places", custom("TopK", "600000xf32", "600000xf32 1xi32"), everyAge, top, nil},
		{"largest elements with small places", custom("TopK", "600000xf32", "600000xf32 600000xi8"), everyAge, top, nil},
		{"largest elements without places", custom("TopK", "6xf32", "2xf32"), everyAge, top, nil},
		{"largest elements of nothing", custom("TopK", "", "2xf32 2xi32"), everyAge, nothing, nil},
		{"largest elements of f64", custom("TopK", "6xf64", "9xf64 9xi32"), no, "", nil},
		{"sharding of nothing", custom("Sharding", "", "4xf32"), everyAge, nothing, nil},
		{"sharding of an array", custom("Sharding", "4xf32", "4xf32"), no, "", nil},
		{"sharding group of two", custom("xla.sdy.ShardingGroup", "4xf32 4xf32", "4xf32"), everyAge, "has 2 operands", nil},
		{"part of two arrays", custom("SPMDFullToShardShape", "4xf32 4xf32", "4xf32"), everyAge, "has 2 operands", nil},
		{"barrier of nothing", custom("ShardBarrierTo", "", "4xf32"), everyAge, nothing, nil},
		{"eigenvalues of nothing", custom("Eigh", "", "3x3xf32 3xf32"), everyAge, nothing, nil},
		{"decomposition of nothing", custom("Qr", "", "3x3xf32 3xf32"), everyAge, nothing, nil},
		{"decomposition", custom("Qr", "3x3xf32", "3x3xf32 3xf32"), no, "", nil},
		{"bound of nothing", custom("SetBound", "", "i32"), everyAge, nothing, nil},
		{"reflectors", custom(reflectors, "4x3xf32 3xf32", "4x3xf32"), no, "", nil},
		{"reflectors without factors", custom(reflectors, "4x3xf32", "4x3xf32"), everyAge, oneOfTwo, nil},
		{"reflectors with one factor", custom(reflectors, "4x3xf32 f32", "4x3xf32"), everyAge, "is a scalar", nil},
		{"layout of an array", custom("LayoutConstraint", "4x3xf32", "4x3xf32"), no, "", nil},
		{"layout of nothing", custom("LayoutConstraint", "", "4x3xf32"), everyAge, nothing, nil},
		{"layouts of two arrays", custom("LayoutConstraint", "4x3xf32", "4x3xf32 4x3xf32"), everyAge, "does not have one array", nil},
		{"order of nothing", custom("control_dep", "", "4xf32"), newest, nothing, nil},
		{"sizes of a slice", custom("SliceToDynamic", "4xf32 i32", "4xf32"), everyAge, internal, nil},
		{"product that a compiler chose", custom(`"__onednn$matmul"`, "2x3xf32", "2x3xf32"), everyAge, internal, nil},
		{"mark of a compiler", custom("__xla_internal_call_marker_before", "2x3xf32", "2x3xf32"), newest, internal, nil},
		{"ragged_all_to_all of nothing", custom("ragged_all_to_all", "", "4xf32"), everyAge, nobodys, nil},
		{"ragged_all_to_all", customWith("ragged_all_to_all", "4xf32 4xf32 1xi64 1xi64 1xi64 1xi64", "4xf32",
			" {api_version = 4 : i32, backend_config = {replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_id = 1 : i64}}"),
			no, nobodys, everyAge},
		{"handler with an index", handled("n = 5 : index"), everyAge, ofIndex, nil},
		{"handler with a negative index within", handled(`n = 1 : i64, d = {e = {"a.b" = -5 : index}, m = 2 : i32}`), everyAge, ofIndex, nil},
		{"handler with an index by aliases", "!t = index\n#n = 5 : !t\n#d = {n = #n, m = 1 : i32}\n" + handled("d = #d, s = 2 : i8"),
			everyAge, ofIndex, nil},
		{"handler without an index",
			handled(`a = "5 : index", b = 5 : i64, c = array<i64: 5>, "index" = 1 : i32, d = dense<5> : tensor<2xi64>`),
			no, "", nil},
		{"handler with a type", handled("a = index"), no, "", nil},
		{"handler with an index beside its configuration", customWith(Handled, "4xf32", "4xf32",
			" {api_version = 4 : i32, backend_config = {}, mhlo.frontend_attributes = {n = 5 : index}}"), no, "", nil},
		{"division of a result", custom("xla.sdy.FuncResultSharding", "4xf32", "4xf32"), since106, divided, nil},
		{"custom call of nobody", custom("nobody", "4xf32", "4xf32"), no, "", nil},

		{"polygamma of integers", polygamma("i32"), everyAge, ofIntegers, nil},
		{"polygamma of floats", polygamma("f32"), no, "", nil},
		{"unused polygamma", unused(unusedPolygamma), older, ofIntegers, nil},
		{"polygamma beside main", beside("public", polygamma("i32")), everyAge, ofIntegers, nil},
		{"polygamma that is removed", beside("private", polygamma("i32")), no, "", nil},
		{"cast of nothing", castNothing, everyAge, castOf, nil},
		{"unused cast of nothing", unused(cast), everyAge, castOf, nil},
		{"cast of nothing beside main", beside("private", castNothing), everyAge, castOf, nil},

		{"slice with a huge stride", sliced("%0 = stablehlo.slice %a [0:3:" + huge + "] : " + slicing), everyAge, ofHugeStride, nil},
		{"generic slice with a huge stride", sliced(genericSlice), everyAge, ofHugeStride, nil},
		{"slice of two with a huge stride", sliced("%0 = stablehlo.slice %a [1:3:" + huge + "] : " + slicing), everyAge, ofHugeStride, nil},
		{"slice of two with a stride one less", sliced("%0 = stablehlo.slice %a [1:3:9223372036854775806] : " + slicing), no, "", nil},
		{"slice of one with a huge stride", sliced("%0 = stablehlo.slice %a [2:3:" + huge + "] : " + slicing), no, "", nil},
		{"slice with a huge stride beside main", beside("public", sliced(genericSlice)), everyAge, ofHugeStride, nil},
		{"slice with a huge stride that is removed", beside("private", sliced(genericSlice)), no, "", nil},
		{"unused slice with a huge stride", unused("stablehlo.slice %a [0:3:" + huge + "] : " + slicing), no, "", nil},
		{"slice of constants with a huge stride", sliced("%s = stablehlo.constant dense<0> : tensor<1xi64>\n  %l = stablehlo.constant dense<3> : tensor<1xi64>\n" +
			"  %t = stablehlo.constant dense<" + huge + "> : tensor<1xi64>\n  %0 = stablehlo.real_dynamic_slice %a, %s, %l, %t : " +
			"(tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>"), everyAge, ofHugeStride, nil},

		{"reduction with a custom call", reduced("4", calls+plus), everyAge, ofBody, nil},
		{"reduction with a loop", reduced("4", unknownLoop+plus), everyAge, ofBody, nil},
		{"reduction with three cases", reduced("4", three+plus), everyAge, ofBody, nil},
		{"reduction with a Fourier transform", reduced("4", transform+plus), everyAge, ofBody, nil},
		{"reduction with a reduction of all replicas", reduced("4", ofAll+plus), everyAge, ofBody, nil},
		{"reduction with a permutation of replicas", reduced("4", permuted+plus), everyAge, ofBody, nil},
		{"reduction with a replica", reduced("4", replica+plus), everyAge, ofBody, nil},
		{"reduction with a partition", reduced("4", partition+plus), everyAge, ofBody, nil},
		{"reduction with random numbers", reduced("4", randomOne+plus), everyAge, ofBody, nil},
		{"reduction with a call", callsFoo + reduced("4", called+plus), everyAge, ofBody, nil},
		{"map with a custom call", mapped(calls + plus), everyAge, ofBody, nil},
		{"map of a custom call", mapped(strings.Replace(calls, "%q", "%s", 1)), no, "", nil},
		{"windows with a loop",
			applying("reduce_window", "4xf32", "3xf32", "%a, %i", "tensor<4xf32>, tensor<f32>", windowOf2, unknownLoop+plus), everyAge, ofBody, nil},
		{"scatter with three cases", strings.Replace(
			applying("scatter", "4xf32", "4xf32", "%a, %at, %i", "tensor<4xf32>, tensor<1xi32>, tensor<f32>", scatterOne, three+plus),
			"%0 =", "%at = stablehlo.constant dense<2> : tensor<1xi32>\n  %0 =", 1), everyAge, ofBody, nil},
		{"reduction of one with a custom call", reduced("1", calls+plus), no, "", nil},
		{"reduction of nothing with a custom call", reduced("0", calls+plus), no, "", nil},
		{"reduction with a custom call that nothing uses", reduced("4", calls+"\n    %s = stablehlo.add %x, %y : tensor<f32>"), no, "", nil},
		{"reduction with a short loop", reduced("4", countedLoop(1, "%v")+plus), no, "", nil},
		{"reduction with two cases", reduced("4", two+plus), no, "", nil},
		{"reduction with a sharding", reduced("4", strings.Replace(calls, "@foo(%x)", "@Sharding(%x) {mhlo.sharding = \"{replicated}\"}", 1)+plus), no, "", nil},

		{"top of fewer than none", sliced("%0, %i = chlo.top_k(%a, k = -9223372036854775808) : " + top1), everyAge, ofTop, nil},
		{"generic top of fewer than none", sliced("%0, %i = \"chlo.top_k\"(%a) <{k = -9223372036854775808 : i64}> : " + topTypes), everyAge, ofTop, nil},
		{"top of one", sliced("%0, %i = chlo.top_k(%a, k = 1) : " + top1), no, "", nil},

		{"broadcast to a dimension below 0", sums("-1"), since106, ofBroadcast, nil},
		{"broadcast to a dimension", sums("0"), no, "", nil},
		{"unused broadcast to a dimension below 0", unused("chlo.broadcast_add %a, %a {broadcast_dimensions = array<i64: -1>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"),
			since106, ofBroadcast, nil},

		{"size within its bound", size("  %s = stablehlo.constant dense<3> : tensor<i32>\n"), no, "", nil},
		{"size of the execution", size(far + "  %s = stablehlo.add %n, %far : tensor<i32>\n"), everyAge, noLimit, nil},
		{"size below 0",
			size(far + eight + "  %m = stablehlo.subtract %n, %far : tensor<i32>\n  %s = stablehlo.minimum %m, %eight : tensor<i32>\n"), everyAge, noLimit, nil},
		{"size limited by clamp", size(far + eight +
			"  %z = stablehlo.constant dense<0> : tensor<i32>\n  %m = stablehlo.add %n, %far : tensor<i32>\n" +
			"  %s = stablehlo.clamp %z, %m, %eight : tensor<i32>\n"), no, "", nil},
		{"size limited in a function", size(far+eight+"  %m = stablehlo.add %n, %far : tensor<i32>\n"+
			"  %s = func.call @limit(%m, %eight) : (tensor<i32>, tensor<i32>) -> tensor<i32>\n") + `func.func private @limit(%m: tensor<i32>, %most: tensor<i32>) -> tensor<i32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.maximum %z, %m : tensor<i32>
  %1 = stablehlo.minimum %0, %most : tensor<i32>
  return %1 : tensor<i32>
}
`, no, "", nil},
		{"size not limited in a function", size(far+"  %s = func.call @same(%far, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>\n") +
			`func.func private @same(%m: tensor<i32>, %most: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %m, %most : tensor<i32>
  return %0 : tensor<i32>
}
`, everyAge, noLimit, nil},
		{"counted size", size(`  %f = stablehlo.constant dense<0.0> : tensor<8xf32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.compare GT, %x, %f : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %i = stablehlo.convert %p : (tensor<8xi1>) -> tensor<8xi32>
  %s = stablehlo.reduce(%i init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
`), no, "", nil},
		{"size of another array", size(`  %c = stablehlo.constant dense<3> : tensor<i32>
  %y = stablehlo.set_dimension_size %x, %c, dim = 0 : (tensor<8xf32>, tensor<i32>) -> ` + bounded8 + `
  %s = stablehlo.get_dimension_size %y, dim = 0 : (` + bounded8 + `) -> tensor<i32>
`), no, "", nil},
		{"size that no result has", strings.NewReplacer(bounded8+" {", "tensor<f32> {", "return %r : "+bounded8, "return %r : tensor<f32>",
			"%r = stablehlo.negate %d : "+bounded8,
			"%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %r = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0] : ("+
				bounded8+", tensor<f32>) -> tensor<f32>").Replace(
			size(far + "  %s = stablehlo.add %n, %far : tensor<i32>\n")), no, "", nil},
		{"new shape of the execution", size(far + `  %c = stablehlo.constant dense<4> : tensor<i32>
  %y = stablehlo.set_dimension_size %x, %c, dim = 0 : (tensor<8xf32>, tensor<i32>) -> ` + bounded8 + `
  %m = stablehlo.add %n, %far : tensor<i32>
  %v = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %k = stablehlo.dynamic_reshape %y, %v : (` + bounded8 + `, tensor<1xi32>) -> ` + bounded8 + `
  %w = stablehlo.add %k, %k : ` + bounded8 + `
  return %w : ` + bounded8 + `
}
func.func private @rest(%x: tensor<8xf32>, %s: tensor<i32>) -> ` + bounded8 + ` {
`), everyAge, noLimit, nil},

		{"constant of six bits",
			sixBits("  %r = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<4xf6E2M3FN>) -> tensor<4xf6E2M3FN>\n", "tensor<4xf6E2M3FN>"), newest, six, nil},
		{"converted constant of six bits",
			sixBits("  %r = stablehlo.convert %c : (tensor<4xf6E2M3FN>) -> tensor<4xf32>\n", "tensor<4xf32>"), no, "", nil},

		{"six bits without elements", "func.func @main(%x: tensor<0xf6E3M2FN>) -> tensor<0xf6E3M2FN> {\n  return %x : tensor<0xf6E3M2FN>\n}\n",
			newest, ofSixBits, older},
		{"conversion to six bits without elements",
			unary("convert", "%x : (tensor<0xf32>) -> tensor<0xf6E3M2FN>", "0xf32", "0xf6E3M2FN"), newest, ofSixBits, older},
		{"slice of six bits without elements",
			unary("slice", "%x [1:1] : (tensor<4xf6E3M2FN>) -> tensor<0xf6E3M2FN>", "4xf6E3M2FN", "0xf6E3M2FN"), newest, ofSixBits, older},
		{"conversion from six bits without elements",
			unary("convert", "%x : (tensor<0xf6E3M2FN>) -> tensor<0xf32>", "0xf6E3M2FN", "0xf32"), no, ofSixBits, older},
		{"product of six bits without elements",
			"func.func @main(%x: tensor<2x0xf6E3M2FN>, %y: tensor<0x3xf6E3M2FN>) -> tensor<2x3xf32> {\n" +
				"  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x0xf6E3M2FN>, tensor<0x3xf6E3M2FN>) -> tensor<2x3xf32>\n" +
				"  return %0 : tensor<2x3xf32>\n}\n", newest, ofSixBits, older},
		{"product of six bits without elements that nothing needs",
			"func.func @main(%x: tensor<2x0xf6E3M2FN>, %y: tensor<0x0xf6E3M2FN>) -> tensor<2x0xf32> {\n" +
				"  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x0xf6E3M2FN>, tensor<0x0xf6E3M2FN>) -> tensor<2x0xf32>\n" +
				"  return %0 : tensor<2x0xf32>\n}\n", no, ofSixBits, older},
		{"six bits without elements joined",
			"func.func @main(%x: tensor<0xf6E3M2FN>, %y: tensor<4xf6E3M2FN>) -> tensor<4xf6E3M2FN> {\n" +
				"  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<0xf6E3M2FN>, tensor<4xf6E3M2FN>) -> tensor<4xf6E3M2FN>\n" +
				"  %1 = stablehlo.reverse %0, dims = [0] : tensor<4xf6E3M2FN>\n  return %1 : tensor<4xf6E3M2FN>\n}\n", no, ofSixBits, older},

		{"512 GiB", large("f32", "137438953472"), newest, "512 GiB or more", nil},
		{"512 GiB of bytes", large("i8", "4x137438953472"), newest, "512 GiB or more", nil},
		{"512 GiB, transposed",
			hugeResult("  %1 = stablehlo.iota dim = 0 : ROWS\n  %0 = stablehlo.transpose %1, dims = [1, 0] : (ROWS) -> COLUMNS\n", "", "COLUMNS"),
			newest, "512 GiB or more", nil},
		{"512 GiB of sums",
			hugeResult("  %1 = stablehlo.add %x, %x : ROWS\n  %0 = stablehlo.negate %1 : ROWS\n", "%x: ROWS", "ROWS"), newest, "512 GiB or more", nil},
		{"512 GiB of sums with a constant",
			hugeResult("  %c = stablehlo.constant dense<2.0> : ROWS\n  %0 = stablehlo.add %x, %c : ROWS\n", "%x: ROWS", "ROWS"), no, "", nil},
		{"512 GiB of a broadcast",
			hugeResult("  %1 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> ROWS\n  %0 = stablehlo.sine %1 : ROWS\n",
				"%x: tensor<f32>", "ROWS"), no, "", nil},
		{"256 GiB", large("f32", "68719476736"), no, "", nil},

		{"permute from a device that there is not", permute("[[1, 0]]", ""), everyAge, "is from or to number 1, but the compile options are for 1", nil},
		{"permute in a channel from a device that there is not",
			permute("[[7, 0]]", "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "), everyAge, "is from or to number 7", nil},
		{"permute from the one device to itself", permute("[[0, 0]]", ""), no, "", nil},
	}...)
}

// permute returns a program with a collective permute.
func permute(pairs, attributes string) string {
	return "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = \"stablehlo.collective_permute\"(%x) {" + attributes +
		"source_target_pairs = dense<" + pairs + "> : tensor<" + strconv.Itoa(strings.Count(pairs, "[")-1) +
		"x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
}
