module @jit_identity attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4xi64>) -> (tensor<4xi64> {jax.result_info = "result[0]"}, tensor<2x3xf32> {jax.result_info = "result[1]"}, tensor<4xi64> {jax.result_info = "result[2]"}) {
    return %arg1, %arg0, %arg1 : tensor<4xi64>, tensor<2x3xf32>, tensor<4xi64>
  }
}
