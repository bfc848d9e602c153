module @jit_f16_limits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf16>, %arg1: tensor<8xf32>) -> (tensor<5xf16> {jax.result_info = "result[0]"}, tensor<5xf16> {jax.result_info = "result[1]"}, tensor<8xf16> {jax.result_info = "result[2]"}, tensor<5xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<5xf16>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<5xf16>
    %2 = stablehlo.multiply %arg0, %1 : tensor<5xf16>
    %3 = stablehlo.convert %arg1 : (tensor<8xf32>) -> tensor<8xf16>
    %4 = stablehlo.convert %arg0 : (tensor<5xf16>) -> tensor<5xf32>
    return %0, %2, %3, %4 : tensor<5xf16>, tensor<5xf16>, tensor<8xf16>, tensor<5xf32>
  }
}
