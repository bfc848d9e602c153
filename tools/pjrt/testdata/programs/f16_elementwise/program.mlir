module @jit_f16_elementwise attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf16>, %arg1: tensor<24xf16>) -> (tensor<24xf16> {jax.result_info = "result[0]"}, tensor<24xf16> {jax.result_info = "result[1]"}, tensor<24xf16> {jax.result_info = "result[2]"}, tensor<24xf16> {jax.result_info = "result[3]"}, tensor<24xf16> {jax.result_info = "result[4]"}, tensor<24xi1> {jax.result_info = "result[5]"}, tensor<f16> {jax.result_info = "result[6]"}, tensor<24xf16> {jax.result_info = "result[7]"}, tensor<24xf16> {jax.result_info = "result[8]"}, tensor<24xf32> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<24xf16>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<24xf16>
    %2 = stablehlo.divide %arg0, %arg1 : tensor<24xf16>
    %3 = stablehlo.exponential %arg0 : tensor<24xf16>
    %4 = stablehlo.tanh %arg1 : tensor<24xf16>
    %5 = stablehlo.compare  GT, %arg0, %arg1,  FLOAT : (tensor<24xf16>, tensor<24xf16>) -> tensor<24xi1>
    %6 = stablehlo.convert %arg0 : (tensor<24xf16>) -> tensor<24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
    %8 = stablehlo.convert %7 : (tensor<f32>) -> tensor<f16>
    %9 = stablehlo.maximum %arg0, %arg1 : tensor<24xf16>
    %10 = stablehlo.negate %arg0 : tensor<24xf16>
    %11 = stablehlo.convert %arg0 : (tensor<24xf16>) -> tensor<24xf32>
    return %0, %1, %2, %3, %4, %5, %8, %9, %10, %11 : tensor<24xf16>, tensor<24xf16>, tensor<24xf16>, tensor<24xf16>, tensor<24xf16>, tensor<24xi1>, tensor<f16>, tensor<24xf16>, tensor<24xf16>, tensor<24xf32>
  }
}
