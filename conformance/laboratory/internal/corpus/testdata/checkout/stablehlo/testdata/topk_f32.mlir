// RUN: stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit__lambda attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<4x3xf32> {jax.result_info = "", mhlo.layout_mode = "default"}, tensor<4x3xi32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<4x6xf32>
    %1:2 = call @expected() : () -> (tensor<4x3xf32>, tensor<4x3xi32>)
    %2:2 = stablehlo.custom_call @mhlo.topk(%0) {mhlo.attributes = {k = 3 : i64}, mhlo.version = 1 : i64} : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    stablehlo.custom_call @check.expect_eq(%2#0, %1#0) {has_side_effect = true} : (tensor<4x3xf32>, tensor<4x3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#1, %1#1) {has_side_effect = true} : (tensor<4x3xi32>, tensor<4x3xi32>) -> ()
    return %2#0, %2#1 : tensor<4x3xf32>, tensor<4x3xi32>
  }
  func.func private @inputs() -> (tensor<4x6xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[-5.09566879, 2.74294353, -0.211021841, -0.550594568, -2.11886907, -1.48934197], [3.67826748, -5.84483051, -1.796860e+00, -0.832671165, 6.4322834, 2.677459], [0.31042102, -0.264345497, -0.382859498, -0.989056885, -0.909602999, 1.68186116], [-0.112571239, -1.79695272, -7.82913828, 5.27292538, 1.54194367, 5.68740511]]> : tensor<4x6xf32>
    return %cst : tensor<4x6xf32>
  }
  func.func private @expected() -> (tensor<4x3xf32> {mhlo.layout_mode = "default"}, tensor<4x3xi32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[2.74294353, -0.211021841, -0.550594568], [6.4322834, 3.67826748, 2.677459], [1.68186116, 0.31042102, -0.264345497], [5.68740511, 5.27292538, 1.54194367]]> : tensor<4x3xf32>
    %c = stablehlo.constant dense<[[1, 2, 3], [4, 0, 5], [5, 0, 1], [5, 3, 4]]> : tensor<4x3xi32>
    return %cst, %c : tensor<4x3xf32>, tensor<4x3xi32>
  }
}
