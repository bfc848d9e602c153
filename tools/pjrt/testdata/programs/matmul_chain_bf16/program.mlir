module @jit_matmul_chain_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x16xbf16>, %arg1: tensor<16x16xbf16>, %arg2: tensor<16x4xbf16>) -> (tensor<8x4xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x16xbf16>, tensor<16x16xbf16>) -> tensor<8x16xbf16>
    %1 = stablehlo.tanh %0 : tensor<8x16xbf16>
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x16xbf16>, tensor<16x4xbf16>) -> tensor<8x4xbf16>
    return %2 : tensor<8x4xbf16>
  }
}
