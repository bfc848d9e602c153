// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlirtest

import (
	"strconv"
	"strings"
)

// Parts of the bodies below, which compute %q of %x and %y.
const (
	matrixOf   = "%b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<9x9xf32>\n    "
	vectorOf   = "%b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<4xf32>\n    "
	vector1    = "%b = stablehlo.reshape %x : (tensor<f32>) -> tensor<1xf32>\n    "
	fromOne    = "\n    %q = stablehlo.reshape %d : (tensor<1xf32>) -> tensor<f32>"
	ofVector   = "\n    %e = stablehlo.slice %d [0:1] : (tensor<4xf32>) -> tensor<1xf32>\n    %q = stablehlo.reshape %e : (tensor<1xf32>) -> tensor<f32>"
	ofPair     = "\n    %e = stablehlo.slice %d [0:1] : (tensor<2xf32>) -> tensor<1xf32>\n    %q = stablehlo.reshape %e : (tensor<1xf32>) -> tensor<f32>"
	ofMatrix   = "\n    %e = stablehlo.slice %d [0:1, 0:1] : (tensor<9x9xf32>) -> tensor<1x1xf32>\n    %q = stablehlo.reshape %e : (tensor<1x1xf32>) -> tensor<f32>"
	pairOf     = "%x1 = stablehlo.reshape %x : (tensor<f32>) -> tensor<1xf32>\n    %y1 = stablehlo.reshape %y : (tensor<f32>) -> tensor<1xf32>\n    %b = stablehlo.concatenate %x1, %y1, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>\n    "
	oneGroup   = "replica_groups = dense<0> : tensor<1x1xi64>"
	sumBody    = "({\n    ^bb0(%g: tensor<f32>, %h: tensor<f32>):\n      %l = stablehlo.add %g, %h : tensor<f32>\n      stablehlo.return %l : tensor<f32>\n    })"
	orderBody  = "({\n    ^bb0(%g: tensor<f32>, %h: tensor<f32>):\n      %l = stablehlo.compare LT, %g, %h : (tensor<f32>, tensor<f32>) -> tensor<i1>\n      stablehlo.return %l : tensor<i1>\n    })"
	sortOne    = "\"stablehlo.sort\"(%b) <{dimension = 0 : i64, is_stable = true}> " + orderBody + " : "
	scatterOne = "<{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> "
	index      = "%where = stablehlo.convert %y : (tensor<f32>) -> tensor<i32>\n    "
)

// squareOf makes the matrix %m.
const squareOf = pairOf + `%r = stablehlo.reverse %b, dims = [0] : tensor<2xf32>
    %r0 = stablehlo.reshape %b : (tensor<2xf32>) -> tensor<2x1xf32>
    %r1 = stablehlo.reshape %r : (tensor<2xf32>) -> tensor<2x1xf32>
    %m = stablehlo.concatenate %r0, %r1, dim = 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
    `

// countedLoop returns a loop that runs so many times, given the next value of %v: itself or %w, its
// square.
func countedLoop(times int, next string) string {
	return `%k = stablehlo.constant dense<0> : tensor<i32>
    %n, %p = "stablehlo.while"(%k, %x) ({
    ^bb0(%u: tensor<i32>, %v: tensor<f32>):
      %most = stablehlo.constant dense<` + strconv.Itoa(times) + `> : tensor<i32>
      %c = stablehlo.compare LT, %u, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%u: tensor<i32>, %v: tensor<f32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %t = stablehlo.add %u, %one : tensor<i32>
      %w = stablehlo.multiply %v, %v : tensor<f32>
      stablehlo.return %t, ` + next + ` : tensor<i32>, tensor<f32>
    }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
    %q = stablehlo.add %p, %y : tensor<f32>`
}

// bodies are what no plugin for CPUs computes for one element at a time.
var bodies = []struct{ name, code string }{
	{"all_gather", vector1 + `%d = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, ` + oneGroup + `}> : (tensor<1xf32>) -> tensor<1xf32>` + fromOne},
	{"all_to_all", vector1 + `%d = "stablehlo.all_to_all"(%b) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, ` +
		oneGroup + `}> : (tensor<1xf32>) -> tensor<1xf32>` + fromOne},
	{"reduce_scatter", vector1 + `%d = "stablehlo.reduce_scatter"(%b) <{scatter_dimension = 0 : i64, ` + oneGroup + `}> ` + sumBody +
		` : (tensor<1xf32>) -> tensor<1xf32>` + fromOne},
	{"collective_broadcast", `%q = "stablehlo.collective_broadcast"(%x) <{` + oneGroup + `}> : (tensor<f32>) -> tensor<f32>`},
	{"send", "%k = stablehlo.create_token : !stablehlo.token\n    " +
		`%f = "stablehlo.send"(%x, %k) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : ` +
		"(tensor<f32>, !stablehlo.token) -> !stablehlo.token\n    %q = stablehlo.negate %x : tensor<f32>"},
	{"recv", "%k = stablehlo.create_token : !stablehlo.token\n    " +
		`%f, %n = "stablehlo.recv"(%k) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : ` +
		"(!stablehlo.token) -> (tensor<f32>, !stablehlo.token)\n    %q = stablehlo.add %f, %x : tensor<f32>"},
	{"cholesky", matrixOf + "%d = stablehlo.cholesky %b, lower = true : tensor<9x9xf32>" + ofMatrix},
	{"triangular_solve", matrixOf + `%d = "stablehlo.triangular_solve"(%b, %b) <{left_side = true, lower = true, unit_diagonal = false, ` +
		"transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>" + ofMatrix},
	{"sort", pairOf + "%d = " + sortOne + "(tensor<2xf32>) -> tensor<2xf32>" + ofPair},
	{"scatter", pairOf + index + `%j = stablehlo.reshape %where : (tensor<i32>) -> tensor<1xi32>
    %d = "stablehlo.scatter"(%b, %j, %y) ` + scatterOne + sumBody + " : (tensor<2xf32>, tensor<1xi32>, tensor<f32>) -> tensor<2xf32>" + ofPair},
	{"select_and_scatter", vectorOf + `%p = stablehlo.slice %b [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %d = "stablehlo.select_and_scatter"(%b, %p, %y) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ` +
		strings.TrimSuffix(orderBody, ")") + ", " + strings.TrimPrefix(sumBody, "(") +
		" : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>" + ofVector},
	{"while", countedLoop(200, "%w")},
	{"convolution", squareOf + `%in = stablehlo.reshape %m : (tensor<2x2xf32>) -> tensor<1x2x2x1xf32>
    %k = stablehlo.reshape %m : (tensor<2x2xf32>) -> tensor<2x2x1x1xf32>
    %p = stablehlo.convolution(%in, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} ` +
		`{feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x2x2x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>
    %w = stablehlo.reshape %p : (tensor<1x3x3x1xf32>) -> tensor<9xf32>
    %d = stablehlo.slice %w [0:4] : (tensor<9xf32>) -> tensor<4xf32>` + ofVector},
	{"custom_call of Eigh", `%b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %v, %d = stablehlo.custom_call @Eigh(%b) {backend_config = "1,1,100,1e-6"} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)` + ofPair},
	{"custom_call of AllocateBuffer", "%q = stablehlo.custom_call @AllocateBuffer(%x) : (tensor<f32>) -> tensor<f32>"},
}

// contains returns a part of the error for a body with an operation.
func contains(operation string) string { return "contains the operation " + operation }

// bodyOf returns the body with a name.
func bodyOf(name string) string {
	for _, b := range bodies {
		if b.name == name {
			return b.code
		}
	}
	return ""
}

// comparators are what no plugin for CPUs computes in the comparator of a sort, though it does in
// other bodies.
var comparators = []struct {
	name, code string
	dies       []int
}{
	{"reduce", vectorOf + `%q = "stablehlo.reduce"(%b, %y) <{dimensions = array<i64: 0>}> ` +
		strings.Replace(sumBody, "add", "multiply", 1) + " : (tensor<4xf32>, tensor<f32>) -> tensor<f32>", everyAge},
	{"reduce_window", vectorOf + `%w = "stablehlo.reduce_window"(%b, %y) <{window_dimensions = array<i64: 3>}> ` +
		strings.Replace(sumBody, "add", "multiply", 1) + " : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>" +
		strings.ReplaceAll(ofPair, "%d", "%w"), everyAge},
	{"dynamic_update_slice", vectorOf + index + "%p = stablehlo.reshape %y : (tensor<f32>) -> tensor<1xf32>\n    " +
		"%d = stablehlo.dynamic_update_slice %b, %p, %where : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>" + ofVector, newest},
}

// ofBodies returns the programs with these bodies, and similar ones that plugins take.
func ofBodies() (list []Danger) {
	const plus = "\n    %s = stablehlo.add %q, %y : tensor<f32>"
	const before = "\n    %s = stablehlo.compare LT, %q, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>"
	sorted := func(body string) string {
		return "func.func @main(%a: tensor<40xf32>) -> tensor<40xf32> {\n  %0 = \"stablehlo.sort\"(%a) <{dimension = 0 : i64, is_stable = true}> " +
			"({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    " + body + before + "\n    stablehlo.return %s : tensor<i1>\n  }) : " +
			"(tensor<40xf32>) -> tensor<40xf32>\n  return %0 : tensor<40xf32>\n}\n"
	}
	selected := func(body string) string {
		return "func.func @main(%a: tensor<4xf32>, %from: tensor<2xf32>, %o: tensor<f32>) -> tensor<4xf32> {\n" +
			"  %0 = \"stablehlo.select_and_scatter\"(%a, %from, %o) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> " +
			"({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    " + body + before + "\n    stablehlo.return %s : tensor<i1>\n  }, " +
			strings.TrimPrefix(sumBody, "(") + " : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>\n" +
			"  return %0 : tensor<4xf32>\n}\n"
	}
	for _, b := range bodies {
		list = append(list, Danger{"reduction with " + b.name, reduced("4", b.code+plus), everyAge, contains(b.name), nil})
	}
	// As HLO, the newest plugin takes an order by a loop.
	for _, b := range bodies {
		switch b.name {
		case "sort", "cholesky", "triangular_solve", "select_and_scatter", "custom_call of Eigh":
			list = append(list, Danger{"order by " + b.name, sorted(b.code), everyAge, contains(b.name), nil})
			fallthrough
		case "while":
			list = append(list, Danger{"selection by " + b.name, selected(b.code), everyAge, contains(b.name), nil})
		}
	}
	for _, b := range comparators {
		list = append(list, Danger{"order by " + b.name, sorted(b.code), b.dies, contains(b.name), nil},
			Danger{"reduction with what no order has: " + b.name, reduced("4", b.code+plus), no, "", nil})
	}
	sorts := func(array, n, first string) string {
		return reduced("4", array+"%d = "+sortOne+"(tensor<"+n+"xf32>) -> tensor<"+n+"xf32>"+first)
	}
	return append(list,
		Danger{"reduction with a counted loop that changes nothing", reduced("4", countedLoop(200, "%v")+plus), no, "", nil},
		Danger{"reduction with a sort of equal elements", sorts(vectorOf, "4", ofVector+plus), no, "", nil},
		Danger{"reduction with a sort of one", sorts(vector1, "1", fromOne+plus), no, "", nil},
		Danger{"reduction with an unused sort", sorts(pairOf, "2", "\n    %s = stablehlo.add %x, %y : tensor<f32>"), no, "", nil},
		Danger{"reduction with a factor of one", reduced("4", strings.ReplaceAll(bodyOf("cholesky"), "9x9", "1x1")+plus), no, "", nil},
		Danger{"order by a call", "func.func private @f(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {\n    " +
			comparators[0].code + "\n  return %q : tensor<f32>\n}\n" +
			sorted("%q = func.call @f(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>"), everyAge, contains("reduce"), nil})
}
