module @jit_f8_arithmetic attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xf8E4M3FN>, %arg1: tensor<3x5xf8E4M3FN>) -> (tensor<3x5xf8E4M3FN> {jax.result_info = "result[0]"}, tensor<3x5xf8E4M3FN> {jax.result_info = "result[1]"}, tensor<5x3xf8E4M3FN> {jax.result_info = "result[2]"}, tensor<3x5xi1> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3x5xf8E4M3FN>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<3x5xf8E4M3FN>
    %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x5xf8E4M3FN>) -> tensor<5x3xf8E4M3FN>
    %3 = stablehlo.compare  GT, %arg0, %arg1,  FLOAT : (tensor<3x5xf8E4M3FN>, tensor<3x5xf8E4M3FN>) -> tensor<3x5xi1>
    return %0, %1, %2, %3 : tensor<3x5xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<5x3xf8E4M3FN>, tensor<3x5xi1>
  }
}
