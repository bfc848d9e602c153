module @jit_triangular_solve attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x6xf64>, %arg1: tensor<2x6x6xf64>) -> (tensor<2x6x6xf64> {jax.result_info = "result[0]"}, tensor<2x6x6xf64> {jax.result_info = "result[1]"}, tensor<2x6x6xf64> {jax.result_info = "result[2]"}, tensor<2x6x6xf64> {jax.result_info = "result[3]"}) {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x6x6xf64>, tensor<2x6x6xf64>) -> tensor<2x6x6xf64>
    %1 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<2x6x6xf64>, tensor<2x6x6xf64>) -> tensor<2x6x6xf64>
    %2 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x6x6xf64>) -> tensor<2x6x6xf64>
    %3 = "stablehlo.triangular_solve"(%2, %arg1) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x6x6xf64>, tensor<2x6x6xf64>) -> tensor<2x6x6xf64>
    %cst = stablehlo.constant dense<3.000000e+01> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x6x6xf64>
    %5 = stablehlo.divide %arg0, %4 : tensor<2x6x6xf64>
    %6 = "stablehlo.triangular_solve"(%5, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<2x6x6xf64>, tensor<2x6x6xf64>) -> tensor<2x6x6xf64>
    return %0, %1, %3, %6 : tensor<2x6x6xf64>, tensor<2x6x6xf64>, tensor<2x6x6xf64>, tensor<2x6x6xf64>
  }
}
