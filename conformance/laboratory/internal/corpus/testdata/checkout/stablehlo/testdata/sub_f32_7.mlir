// RUN: stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit_sub attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<7xf32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<7xf32>, tensor<7xf32>)
    %1 = call @expected() : () -> tensor<7xf32>
    %2 = stablehlo.subtract %0#0, %0#1 : tensor<7xf32>
    stablehlo.custom_call @check.expect_eq(%2, %1) {has_side_effect = true} : (tensor<7xf32>, tensor<7xf32>) -> ()
    return %2 : tensor<7xf32>
  }
  func.func private @inputs() -> (tensor<7xf32> {mhlo.layout_mode = "default"}, tensor<7xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[2.00597835, -0.909449994, -0.997836828, 5.94202662, -1.45115936, -2.09308434, -0.779222488]> : tensor<7xf32>
    %cst_0 = stablehlo.constant dense<[-5.16081142, 0.378264517, 0.229844615, -3.47549582, -0.493932873, 2.00247455, 2.14474082]> : tensor<7xf32>
    return %cst, %cst_0 : tensor<7xf32>, tensor<7xf32>
  }
  func.func private @expected() -> (tensor<7xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[7.166790e+00, -1.28771448, -1.2276814, 9.41752243, -0.957226514, -4.09555912, -2.92396331]> : tensor<7xf32>
    return %cst : tensor<7xf32>
  }
}
