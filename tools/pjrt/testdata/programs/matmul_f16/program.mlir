module @jit_matmul_f16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x32xf16>, %arg1: tensor<32x8xf16>) -> (tensor<8x8xf32> {jax.result_info = "result[0]"}, tensor<8x8xf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x32xf16>, tensor<32x8xf16>) -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x32xf16>, tensor<32x8xf16>) -> tensor<8x8xf16>
    return %0, %1 : tensor<8x8xf32>, tensor<8x8xf16>
  }
}
