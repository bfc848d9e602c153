module @jit_cast_none attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi64>, %arg2: tensor<2xi1>, %arg3: tensor<2xcomplex<f32>>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xi64> {jax.result_info = "result[1]"}, tensor<2xi1> {jax.result_info = "result[2]"}, tensor<2xcomplex<f32>> {jax.result_info = "result[3]"}) {
    return %arg0, %arg1, %arg2, %arg3 : tensor<4xf32>, tensor<4xi64>, tensor<2xi1>, tensor<2xcomplex<f32>>
  }
}
