module @jit_matmul_f8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x16xf8E4M3FN>, %arg1: tensor<16x8xf8E5M2>) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x16xf8E4M3FN>, tensor<16x8xf8E5M2>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
