// RUN: stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit_clz attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<7xi32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<7xi32>
    %1 = call @expected() : () -> tensor<7xi32>
    %2 = stablehlo.count_leading_zeros %0 : tensor<7xi32>
    stablehlo.custom_call @check.expect_eq(%2, %1) {has_side_effect = true} : (tensor<7xi32>, tensor<7xi32>) -> ()
    return %2 : tensor<7xi32>
  }
  func.func private @inputs() -> (tensor<7xi32> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[6, 1, 2, 5, 2, 1, -2]> : tensor<7xi32>
    return %c : tensor<7xi32>
  }
  func.func private @expected() -> (tensor<7xi32> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[29, 31, 30, 29, 30, 31, 0]> : tensor<7xi32>
    return %c : tensor<7xi32>
  }
}
