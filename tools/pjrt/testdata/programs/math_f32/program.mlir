module @jit_math_f32 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<22xf32>) -> (tensor<22xf32> {jax.result_info = "result[0]"}, tensor<22xf32> {jax.result_info = "result[1]"}, tensor<22xf32> {jax.result_info = "result[2]"}, tensor<22xf32> {jax.result_info = "result[3]"}, tensor<22xf32> {jax.result_info = "result[4]"}, tensor<22xf32> {jax.result_info = "result[5]"}, tensor<22xf32> {jax.result_info = "result[6]"}, tensor<22xf32> {jax.result_info = "result[7]"}, tensor<22xf32> {jax.result_info = "result[8]"}, tensor<22xf32> {jax.result_info = "result[9]"}, tensor<22xf32> {jax.result_info = "result[10]"}, tensor<22xf32> {jax.result_info = "result[11]"}, tensor<22xf32> {jax.result_info = "result[12]"}, tensor<22xf32> {jax.result_info = "result[13]"}, tensor<22xf32> {jax.result_info = "result[14]"}, tensor<22xf32> {jax.result_info = "result[15]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<22xf32>
    %1 = stablehlo.exponential_minus_one %arg0 : tensor<22xf32>
    %2 = stablehlo.log %arg0 : tensor<22xf32>
    %3 = stablehlo.log_plus_one %arg0 : tensor<22xf32>
    %4 = stablehlo.sine %arg0 : tensor<22xf32>
    %5 = stablehlo.cosine %arg0 : tensor<22xf32>
    %6 = stablehlo.tan %arg0 : tensor<22xf32>
    %7 = stablehlo.tanh %arg0 : tensor<22xf32>
    %8 = chlo.sinh %arg0 : tensor<22xf32> -> tensor<22xf32>
    %9 = chlo.atan %arg0 : tensor<22xf32> -> tensor<22xf32>
    %10 = stablehlo.sqrt %arg0 : tensor<22xf32>
    %11 = stablehlo.rsqrt %arg0 : tensor<22xf32>
    %12 = stablehlo.cbrt %arg0 : tensor<22xf32>
    %13 = stablehlo.negate %arg0 : tensor<22xf32>
    %14 = stablehlo.exponential %13 : tensor<22xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<22xf32>
    %16 = stablehlo.add %15, %14 : tensor<22xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<22xf32>
    %18 = stablehlo.divide %17, %16 : tensor<22xf32>
    %cst_1 = stablehlo.constant dense<1.700000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<22xf32>
    %20 = stablehlo.power %arg0, %19 : tensor<22xf32>
    %21 = stablehlo.reverse %arg0, dims = [0] : tensor<22xf32>
    %22 = stablehlo.negate %21 : tensor<22xf32>
    %23 = stablehlo.atan2 %arg0, %22 : tensor<22xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %18, %20, %23 : tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>, tensor<22xf32>
  }
}
