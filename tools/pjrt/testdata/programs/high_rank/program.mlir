module @jit_high_rank attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x1x3x2x2x1x4xi32>) -> (tensor<4x2x1x1x2x3x2xi32> {jax.result_info = "result[0]"}, tensor<1x2x1x4xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg0, dims = [6, 0, 5, 1, 4, 2, 3] : (tensor<2x1x3x2x2x1x4xi32>) -> tensor<4x2x1x1x2x3x2xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [0, 2, 4] : (tensor<2x1x3x2x2x1x4xi32>, tensor<i32>) -> tensor<1x2x1x4xi32>
    return %0, %1 : tensor<4x2x1x1x2x3x2xi32>, tensor<1x2x1x4xi32>
  }
}
