// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

// region is the reduction function of two scalars of f32.
const region = `({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    })`

var dataMovement = []operation{
	unary("reshape", "2x3xf32", "6xf32"), concatenate("f32"), concatenate("i8"),
	body("broadcast_in_dim", "(%a: tensor<3xf32>) -> tensor<2x3xf32>", "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>", "return %0 : tensor<2x3xf32>"),
	body("transpose", "(%a: tensor<2x3xf32>) -> tensor<3x2xf32>", "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>", "return %0 : tensor<3x2xf32>"),
	body("reverse", "(%a: tensor<2x3xf32>) -> tensor<2x3xf32>", "%0 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xf32>", "return %0 : tensor<2x3xf32>"),
	body("iota", "() -> tensor<2x3xi32>", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>", "return %0 : tensor<2x3xi32>"),
	body("pad", "(%a: tensor<3xf32>, %p: tensor<f32>) -> tensor<7xf32>", "%0 = stablehlo.pad %a, %p, low = [1], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>", "return %0 : tensor<7xf32>"),
	body("slice", "(%a: tensor<8xf32>) -> tensor<3xf32>", "%0 = stablehlo.slice %a [1:7:2] : (tensor<8xf32>) -> tensor<3xf32>", "return %0 : tensor<3xf32>"),
	body("dynamic_slice", "(%a: tensor<8xf32>, %i: tensor<i32>) -> tensor<3xf32>", "%0 = stablehlo.dynamic_slice %a, %i, sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>", "return %0 : tensor<3xf32>"),
	body("dynamic_update_slice", "(%a: tensor<8xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<8xf32>", "%0 = stablehlo.dynamic_update_slice %a, %b, %i : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>", "return %0 : tensor<8xf32>"),
	body("gather", "(%a: tensor<8xf32>, %i: tensor<3x1xi32>) -> tensor<3xf32>",
		`%0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<8xf32>, tensor<3x1xi32>) -> tensor<3xf32>`,
		"return %0 : tensor<3xf32>"),
	body("scatter", "(%a: tensor<8xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<8xf32>",
		`%0 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> `+region+` : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>`,
		"return %0 : tensor<8xf32>"),
	body("tuple", "(%a: tensor<4xf32>) -> tensor<4xf32>", "%0 = stablehlo.tuple %a, %a : tuple<tensor<4xf32>, tensor<4xf32>>",
		"%1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>", "return %1 : tensor<4xf32>"),
	body("sort", "(%a: tensor<8xf32>) -> tensor<8xf32>",
		`%0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({`, "^bb0(%x: tensor<f32>, %y: tensor<f32>):",
		"  %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>", "  stablehlo.return %z : tensor<i1>",
		"}) : (tensor<8xf32>) -> tensor<8xf32>", "return %0 : tensor<8xf32>"),
}

var contractions = []operation{
	body("dot_general", "(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32>",
		"%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>", "return %0 : tensor<2x4xf32>"),
	body("dot_general with a batch", "(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x2x4xf32>",
		"%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>", "return %0 : tensor<5x2x4xf32>"),
	body("dot_general i8 to i32", "(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) -> tensor<2x4xi32>",
		"%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>", "return %0 : tensor<2x4xi32>"),
	body("dot_general f8 to f32", "(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x4xf8E4M3FN>) -> tensor<2x4xf32>",
		"%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf8E4M3FN>, tensor<3x4xf8E4M3FN>) -> tensor<2x4xf32>", "return %0 : tensor<2x4xf32>"),
	body("convolution", "(%a: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>",
		"%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>",
		"return %0 : tensor<1x8x8x4xf32>"),
	body("batch_norm_inference", "(%a: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32>",
		`%0 = "stablehlo.batch_norm_inference"(%a, %s, %s, %s, %s) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`,
		"return %0 : tensor<2x3xf32>"),
	body("batch_norm_training", "(%a: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32>",
		`%0:3 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)`,
		"return %0#0 : tensor<2x3xf32>"),
	body("batch_norm_grad", "(%a: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32>",
		`%0:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)`,
		"return %0#0 : tensor<2x3xf32>"),
}

var reductions = []operation{
	body("reduce", "(%a: tensor<2x3xf32>, %i: tensor<f32>) -> tensor<2xf32>",
		"%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>", "return %0 : tensor<2xf32>"),
	body("reduce of two arrays", "(%a: tensor<3xf32>, %b: tensor<3xi32>, %i: tensor<f32>, %j: tensor<i32>) -> tensor<i32>",
		"%0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)",
		" reducer(%x: tensor<f32>, %z: tensor<f32>) (%y: tensor<i32>, %w: tensor<i32>) {",
		"  %p = stablehlo.compare GT, %x, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>",
		"  %m = stablehlo.maximum %x, %z : tensor<f32>", "  %n = stablehlo.select %p, %y, %w : tensor<i1>, tensor<i32>",
		"  stablehlo.return %m, %n : tensor<f32>, tensor<i32>", "}", "return %0#1 : tensor<i32>"),
	body("reduce_window", "(%a: tensor<8xf32>, %i: tensor<f32>) -> tensor<4xf32>",
		`%0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> `+region+` : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>"),
	body("select_and_scatter", "(%a: tensor<8xf32>, %s: tensor<4xf32>, %i: tensor<f32>) -> tensor<8xf32>",
		`%0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({`,
		"^bb0(%x: tensor<f32>, %y: tensor<f32>):", "  %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>",
		"  stablehlo.return %z : tensor<i1>",
		"}, {", "^bb0(%x: tensor<f32>, %y: tensor<f32>):", "  %z = stablehlo.add %x, %y : tensor<f32>",
		"  stablehlo.return %z : tensor<f32>",
		"}) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>", "return %0 : tensor<8xf32>"),
}

var controlFlow = []operation{
	body("if", "(%p: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32>",
		`%0 = "stablehlo.if"(%p) ({`, "  %x = stablehlo.negate %a : tensor<4xf32>", "  stablehlo.return %x : tensor<4xf32>",
		"}, {", "  stablehlo.return %a : tensor<4xf32>", "}) : (tensor<i1>) -> tensor<4xf32>", "return %0 : tensor<4xf32>"),
	body("case", "(%i: tensor<i32>, %a: tensor<4xf32>) -> tensor<4xf32>",
		`%0 = "stablehlo.case"(%i) ({`, "  %x = stablehlo.negate %a : tensor<4xf32>", "  stablehlo.return %x : tensor<4xf32>",
		"}, {", "  stablehlo.return %a : tensor<4xf32>", "}) : (tensor<i32>) -> tensor<4xf32>", "return %0 : tensor<4xf32>"),
	body("while", "(%n: tensor<i32>) -> tensor<i32>",
		"%c = stablehlo.constant dense<10> : tensor<i32>", "%one = stablehlo.constant dense<1> : tensor<i32>",
		"%0 = stablehlo.while(%x = %n) : tensor<i32>", " cond {",
		"  %p = stablehlo.compare LT, %x, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>", "  stablehlo.return %p : tensor<i1>",
		"} do {", "  %y = stablehlo.add %x, %one : tensor<i32>", "  stablehlo.return %y : tensor<i32>", "}", "return %0 : tensor<i32>"),
	{"call", "module @call {\n  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n" +
		"  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n    return %a : tensor<4xf32>\n  }\n}"},
}

var randomAndLinear = []operation{
	body("rng", "() -> tensor<4xf32>", "%a = stablehlo.constant dense<0.0> : tensor<f32>",
		"%b = stablehlo.constant dense<1.0> : tensor<f32>", "%n = stablehlo.constant dense<4> : tensor<1xi64>",
		"%0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>", "return %0 : tensor<4xf32>"),
	body("rng_bit_generator", "(%s: tensor<2xui64>) -> tensor<4xui32>", "%0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)", "return %1 : tensor<4xui32>"),
	body("cholesky", "(%a: tensor<3x3xf32>) -> tensor<3x3xf32>", "%0 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>", "return %0 : tensor<3x3xf32>"),
	body("triangular_solve", "(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32>",
		`%0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>`, "return %0 : tensor<3x2xf32>"),
}

var dynamicOperations = []operation{
	body("set_dimension_size", "(%a: tensor<8xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>",
		"%0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>", "return %0 : tensor<?xf32, #stablehlo.bounds<8>>"),
	body("get_dimension_size", "(%a: tensor<8xf32>) -> tensor<i32>", "%0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<8xf32>) -> tensor<i32>", "return %0 : tensor<i32>"),
	body("dynamic_iota", "() -> tensor<4xi32>", "%n = stablehlo.constant dense<4> : tensor<1xi64>", "%0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<4xi32>", "return %0 : tensor<4xi32>"),
	body("dynamic_reshape", "(%a: tensor<2x3xf32>) -> tensor<6xf32>", "%n = stablehlo.constant dense<6> : tensor<1xi64>", "%0 = stablehlo.dynamic_reshape %a, %n : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>", "return %0 : tensor<6xf32>"),
	body("dynamic_broadcast_in_dim", "(%a: tensor<3xf32>) -> tensor<2x3xf32>", "%n = stablehlo.constant dense<[2, 3]> : tensor<2xi64>",
		"%0 = stablehlo.dynamic_broadcast_in_dim %a, %n, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>", "return %0 : tensor<2x3xf32>"),
	body("real_dynamic_slice", "(%a: tensor<8xf32>) -> tensor<4xf32>", "%s = stablehlo.constant dense<2> : tensor<1xi64>",
		"%l = stablehlo.constant dense<6> : tensor<1xi64>", "%n = stablehlo.constant dense<1> : tensor<1xi64>",
		"%0 = stablehlo.real_dynamic_slice %a, %s, %l, %n : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>", "return %0 : tensor<4xf32>"),
	body("a bounded argument", "(%a: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>>", "%0 = stablehlo.add %a, %a : tensor<?xf32, #stablehlo.bounds<8>>", "return %0 : tensor<?xf32, #stablehlo.bounds<8>>"),
	body("an unbounded argument", "(%a: tensor<?xf32>) -> tensor<?xf32>", "%0 = stablehlo.add %a, %a : tensor<?xf32>", "return %0 : tensor<?xf32>"),
}

var tokenOperations = []operation{
	body("create_token", "() -> !stablehlo.token", "%0 = stablehlo.create_token : !stablehlo.token", "return %0 : !stablehlo.token"),
	body("after_all", "(%t: !stablehlo.token) -> !stablehlo.token", "%0 = stablehlo.after_all %t, %t : !stablehlo.token", "return %0 : !stablehlo.token"),
	body("infeed", "() -> tensor<4xf32>", "%t = stablehlo.create_token : !stablehlo.token",
		`%0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)`, "return %0#0 : tensor<4xf32>"),
	body("outfeed", "(%a: tensor<4xf32>)", "%t = stablehlo.create_token : !stablehlo.token",
		`%0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token`, "return"),
	{"send", sendProgram}, {"recv", recvProgram},
	body("custom_call of an unknown target", "(%a: tensor<4xf32>) -> tensor<4xf32>", "%0 = stablehlo.custom_call @no_such_target(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>", "return %0 : tensor<4xf32>"),
	{"optimization_barrier of a token", program("barrier", "(%t: !stablehlo.token) -> !stablehlo.token", "%0 = stablehlo.optimization_barrier %t : !stablehlo.token", "return %0 : !stablehlo.token")},
	unary("abs", "4xf32", "4xf32"),
}

var collectiveOperations = []operation{
	{"all_reduce", allReduce("f32", "add", "[[0]]", "")},
	body("all_gather", "(%a: tensor<4xf32>) -> tensor<4xf32>", `%0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>"),
	body("all_to_all", "(%a: tensor<4xf32>) -> tensor<4xf32>", `%0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>"),
	body("reduce_scatter", "(%a: tensor<4xf32>) -> tensor<4xf32>", `%0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>, scatter_dimension = 0 : i64}> `+region+` : (tensor<4xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>"),
	body("collective_permute", "(%a: tensor<4xf32>) -> tensor<4xf32>", `%0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>"),
	body("collective_broadcast", "(%a: tensor<4xf32>) -> tensor<4xf32>", `%0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>"),
	body("replica_id", "() -> tensor<ui32>", "%0 = stablehlo.replica_id : tensor<ui32>", "return %0 : tensor<ui32>"),
	body("partition_id", "() -> tensor<ui32>", "%0 = stablehlo.partition_id : tensor<ui32>", "return %0 : tensor<ui32>"),
}

var quantizedOperations = []operation{
	body("uniform_quantize", "(%a: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>", "%0 = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>", "return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>"),
	body("uniform_dequantize", "(%a: tensor<4xf32>) -> tensor<4xf32>",
		"%0 = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>",
		"%1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32>", "return %1 : tensor<4xf32>"),
	body("add of quantized", "(%a: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>", "%0 = stablehlo.add %a, %a : tensor<4x!quant.uniform<i8:f32, 0.5>>", "return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>"),
}

// sendProgram sends its argument to the host on channel 7, and recvProgram returns what it
// receives from the host on channel 8.
const (
	sendProgram = `module @send {
  func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true}> {mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "suite_send"}} : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
    return %a : tensor<2x3xf32>
  }
}`
	recvProgram = `module @recv {
  func.func @main() -> tensor<2x3xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 8, type = 3>, is_host_transfer = true}> {mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "suite_recv"}} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
    return %0#0 : tensor<2x3xf32>
  }
}`
)
