module @jit_dot_general_batched attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x3x4x6xf32>, %arg1: tensor<3x6x2x7x4xf32>) -> (tensor<2x3x5x7xf32> {jax.result_info = "result[0]"}, tensor<7x3x2x5xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [2, 0], contracting_dims = [3, 4] x [4, 1], precision = [HIGHEST, HIGHEST] : (tensor<2x5x3x4x6xf32>, tensor<3x6x2x7x4xf32>) -> tensor<2x3x5x7xf32>
    %1 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0, 2] x [2, 0], contracting_dims = [1, 4] x [4, 3], precision = [HIGHEST, HIGHEST] : (tensor<3x6x2x7x4xf32>, tensor<2x5x3x4x6xf32>) -> tensor<3x2x7x5xf32>
    %2 = stablehlo.transpose %1, dims = [2, 0, 1, 3] : (tensor<3x2x7x5xf32>) -> tensor<7x3x2x5xf32>
    return %0, %2 : tensor<2x3x5x7xf32>, tensor<7x3x2x5xf32>
  }
}
