module @jit_matmul_chain_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x17xf64>, %arg1: tensor<17x33xf64>, %arg2: tensor<33x5xf64>) -> (tensor<9x5xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<9x17xf64>, tensor<17x33xf64>) -> tensor<9x33xf64>
    %1 = stablehlo.tanh %0 : tensor<9x33xf64>
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<9x33xf64>, tensor<33x5xf64>) -> tensor<9x5xf64>
    return %2 : tensor<9x5xf64>
  }
}
