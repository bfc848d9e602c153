module @jit_rounding attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<13xf32>, %arg1: tensor<13xf32>) -> (tensor<13xf32> {jax.result_info = "result[0]"}, tensor<13xf32> {jax.result_info = "result[1]"}, tensor<13xf32> {jax.result_info = "result[2]"}, tensor<13xf32> {jax.result_info = "result[3]"}, tensor<13xf32> {jax.result_info = "result[4]"}, tensor<13xf32> {jax.result_info = "result[5]"}, tensor<13xf32> {jax.result_info = "result[6]"}, tensor<13xf32> {jax.result_info = "result[7]"}, tensor<13xf32> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.round_nearest_afz %arg0 : tensor<13xf32>
    %1 = stablehlo.floor %arg0 : tensor<13xf32>
    %2 = stablehlo.ceil %arg0 : tensor<13xf32>
    %3 = call @round_0(%arg0) : (tensor<13xf32>) -> tensor<13xf32>
    %4 = call @trunc(%arg0) : (tensor<13xf32>) -> tensor<13xf32>
    %5 = stablehlo.sign %arg0 : tensor<13xf32>
    %6 = stablehlo.remainder %arg0, %arg1 : tensor<13xf32>
    %7 = call @remainder(%arg0, %arg1) : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
    %8 = chlo.next_after %arg0, %arg1 : tensor<13xf32>, tensor<13xf32> -> tensor<13xf32>
    return %1, %2, %3, %0, %4, %5, %6, %7, %8 : tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
  }
  func.func private @round_0(%arg0: tensor<13xf32>) -> tensor<13xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<13xf32>
    return %0 : tensor<13xf32>
  }
  func.func private @trunc(%arg0: tensor<13xf32>) -> tensor<13xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %1 = stablehlo.compare  LT, %arg0, %0,  FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %2 = stablehlo.ceil %arg0 : tensor<13xf32>
    %3 = stablehlo.floor %arg0 : tensor<13xf32>
    %4 = call @_where(%1, %2, %3) : (tensor<13xi1>, tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
    return %4 : tensor<13xf32>
  }
  func.func private @_where(%arg0: tensor<13xi1>, %arg1: tensor<13xf32>, %arg2: tensor<13xf32>) -> tensor<13xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<13xi1>, tensor<13xf32>
    return %0 : tensor<13xf32>
  }
  func.func private @remainder(%arg0: tensor<13xf32>, %arg1: tensor<13xf32>) -> tensor<13xf32> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<13xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %2 = stablehlo.compare  NE, %0, %1,  FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %4 = stablehlo.compare  LT, %0, %3,  FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %6 = stablehlo.compare  LT, %arg1, %5,  FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %7 = stablehlo.compare  NE, %4, %6,  UNSIGNED : (tensor<13xi1>, tensor<13xi1>) -> tensor<13xi1>
    %8 = stablehlo.and %7, %2 : tensor<13xi1>
    %9 = stablehlo.add %0, %arg1 : tensor<13xf32>
    %10 = stablehlo.select %8, %9, %0 : tensor<13xi1>, tensor<13xf32>
    return %10 : tensor<13xf32>
  }
}
