// RUN: stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit__lambda attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<4x6xi32> {jax.result_info = "", mhlo.layout_mode = "default"}, tensor<4x6xi32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<4x6xi32>, tensor<4x6xi32>)
    %1:2 = call @expected() : () -> (tensor<4x6xi32>, tensor<4x6xi32>)
    %2:2 = "stablehlo.sort"(%0#0, %0#1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>):
      %3 = stablehlo.compare  LT, %arg0, %arg1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : (tensor<4x6xi32>, tensor<4x6xi32>) -> (tensor<4x6xi32>, tensor<4x6xi32>)
    stablehlo.custom_call @check.expect_eq(%2#0, %1#0) {has_side_effect = true} : (tensor<4x6xi32>, tensor<4x6xi32>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#1, %1#1) {has_side_effect = true} : (tensor<4x6xi32>, tensor<4x6xi32>) -> ()
    return %2#0, %2#1 : tensor<4x6xi32>, tensor<4x6xi32>
  }
  func.func private @inputs() -> (tensor<4x6xi32> {mhlo.layout_mode = "default"}, tensor<4x6xi32> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[[-1, -3, 4, 3, -5, -1], [-2, 6, -5, -5, 0, -2], [-3, 1, -5, 5, -4, 2], [6, 6, -2, -1, -4, -3]]> : tensor<4x6xi32>
    %c_0 = stablehlo.constant dense<[[-2, -2, 2, 1, -5, -2], [1, 0, 6, -4, 3, 1], [-4, 1, 6, 6, 2, -1], [4, -1, 4, -2, -4, 1]]> : tensor<4x6xi32>
    return %c, %c_0 : tensor<4x6xi32>, tensor<4x6xi32>
  }
  func.func private @expected() -> (tensor<4x6xi32> {mhlo.layout_mode = "default"}, tensor<4x6xi32> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[[-5, -3, -1, -1, 3, 4], [-5, -5, -2, -2, 0, 6], [-5, -4, -3, 1, 2, 5], [-4, -3, -2, -1, 6, 6]]> : tensor<4x6xi32>
    %c_0 = stablehlo.constant dense<[[-5, -2, -2, -2, 1, 2], [6, -4, 1, 1, 3, 0], [6, 2, -4, 1, -1, 6], [-4, 1, 4, -2, 4, -1]]> : tensor<4x6xi32>
    return %c, %c_0 : tensor<4x6xi32>, tensor<4x6xi32>
  }
}
