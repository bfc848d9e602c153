module @jit_barrier attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf32>) -> (tensor<10xf32> {jax.result_info = "result[0]"}, tensor<10xf32> {jax.result_info = "result[1]"}, tensor<10xf32> {jax.result_info = "result[2]"}, tensor<10xf32> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<10xf32>
    %2:2 = stablehlo.optimization_barrier %1, %arg0 : tensor<10xf32>, tensor<10xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %4 = stablehlo.subtract %2#0, %3 : tensor<10xf32>
    %5 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<10xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+06> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %7 = stablehlo.multiply %arg0, %6 : tensor<10xf32>
    %8 = stablehlo.reduce_precision %7, format = e5m2 : tensor<10xf32>
    return %4, %2#1, %5, %8 : tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>
  }
}
