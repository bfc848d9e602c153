// RUN: stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit_max attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<4xf32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<4xf32>, tensor<4xf32>)
    %1 = call @expected() : () -> tensor<4xf32>
    %2 = stablehlo.maximum %0#0, %0#1 : tensor<4xf32>
    stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
    return %2 : tensor<4xf32>
  }
  func.func private @inputs() -> (tensor<4xf32> {mhlo.layout_mode = "default"}, tensor<4xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[0x7FC00000, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<[1.000000e+00, 0x7FC00000, 5.000000e+00, -3.000000e+00]> : tensor<4xf32>
    return %cst, %cst_0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @expected() -> (tensor<4xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 5.000000e+00, 3.000000e+00]> : tensor<4xf32>
    return %cst : tensor<4xf32>
  }
}
