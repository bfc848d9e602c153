module @jit_select_clamp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<12xi1>) -> (tensor<12xf32> {jax.result_info = "result[0]"}, tensor<12xf32> {jax.result_info = "result[1]"}, tensor<12xf32> {jax.result_info = "result[2]"}, tensor<12xf32> {jax.result_info = "result[3]"}, tensor<12xf32> {jax.result_info = "result[4]"}) {
    %0 = call @_where(%arg2, %arg0, %arg1) : (tensor<12xi1>, tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %cst = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.clamp %1, %arg0, %2 : tensor<12xf32>
    %4 = stablehlo.abs %arg0 : tensor<12xf32>
    %5 = stablehlo.negate %4 : tensor<12xf32>
    %6 = call @_flip(%arg0) : (tensor<12xf32>) -> tensor<12xf32>
    %7 = stablehlo.abs %arg0 : tensor<12xf32>
    %8 = stablehlo.clamp %5, %6, %7 : tensor<12xf32>
    %9 = stablehlo.maximum %arg0, %arg1 : tensor<12xf32>
    %10 = stablehlo.minimum %arg0, %arg1 : tensor<12xf32>
    return %0, %3, %8, %9, %10 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<12xf32>, %arg2: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xf32>
    return %0 : tensor<12xf32>
  }
  func.func private @_flip(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<12xf32>
    return %0 : tensor<12xf32>
  }
}
