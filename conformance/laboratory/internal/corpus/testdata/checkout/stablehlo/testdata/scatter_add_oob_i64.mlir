// RUN: stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit__lambda attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<4x6xi64> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:3 = call @inputs() : () -> (tensor<4x6xi64>, tensor<3x6xi64>, tensor<3xi64>)
    %1 = call @expected() : () -> tensor<4x6xi64>
    %c = stablehlo.constant dense<4> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %3 = stablehlo.compare  LT, %0#2, %2,  SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %5 = stablehlo.add %0#2, %4 : tensor<3xi64>
    %6 = stablehlo.select %3, %5, %0#2 : tensor<3xi1>, tensor<3xi64>
    %7 = stablehlo.convert %6 : (tensor<3xi64>) -> tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %9 = "stablehlo.scatter"(%0#0, %8, %0#1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>):
      %10 = stablehlo.add %arg0, %arg1 : tensor<i64>
      stablehlo.return %10 : tensor<i64>
    }) : (tensor<4x6xi64>, tensor<3x1xi32>, tensor<3x6xi64>) -> tensor<4x6xi64>
    stablehlo.custom_call @check.expect_eq(%9, %1) {has_side_effect = true} : (tensor<4x6xi64>, tensor<4x6xi64>) -> ()
    return %9 : tensor<4x6xi64>
  }
  func.func private @inputs() -> (tensor<4x6xi64> {mhlo.layout_mode = "default"}, tensor<3x6xi64> {mhlo.layout_mode = "default"}, tensor<3xi64> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[[-2, 0, 6, 2, 1, 2], [-2, 5, 2, -2, 3, 6], [0, 1, 1, -5, -5, 1], [1, 0, -2, 6, 2, -1]]> : tensor<4x6xi64>
    %c_0 = stablehlo.constant dense<[[-3, 3, -2, -3, -4, -2], [3, 2, -4, -4, 4, 5], [3, 4, -1, 1, 0, -5]]> : tensor<3x6xi64>
    %c_1 = stablehlo.constant dense<[0, 99, 3]> : tensor<3xi64>
    return %c, %c_0, %c_1 : tensor<4x6xi64>, tensor<3x6xi64>, tensor<3xi64>
  }
  func.func private @expected() -> (tensor<4x6xi64> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[[-5, 3, 4, -1, -3, 0], [-2, 5, 2, -2, 3, 6], [0, 1, 1, -5, -5, 1], [4, 4, -3, 7, 2, -6]]> : tensor<4x6xi64>
    return %c : tensor<4x6xi64>
  }
}
