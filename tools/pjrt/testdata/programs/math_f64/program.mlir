module @jit_math_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20xf64>, %arg1: tensor<20xf64>) -> (tensor<20xf64> {jax.result_info = "result[0]"}, tensor<20xf64> {jax.result_info = "result[1]"}, tensor<20xf64> {jax.result_info = "result[2]"}, tensor<20xf64> {jax.result_info = "result[3]"}, tensor<20xf64> {jax.result_info = "result[4]"}, tensor<20xf64> {jax.result_info = "result[5]"}, tensor<20xf64> {jax.result_info = "result[6]"}, tensor<20xf64> {jax.result_info = "result[7]"}, tensor<20xf64> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<20xf64>
    %1 = stablehlo.log %arg0 : tensor<20xf64>
    %2 = stablehlo.sine %arg0 : tensor<20xf64>
    %3 = stablehlo.tanh %arg0 : tensor<20xf64>
    %4 = stablehlo.power %arg0, %arg1 : tensor<20xf64>
    %5 = chlo.asin %arg1 : tensor<20xf64> -> tensor<20xf64>
    %6 = stablehlo.atan2 %arg1, %arg0 : tensor<20xf64>
    %7 = stablehlo.cbrt %arg1 : tensor<20xf64>
    %8 = stablehlo.sqrt %arg0 : tensor<20xf64>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<20xf64>, tensor<20xf64>, tensor<20xf64>, tensor<20xf64>, tensor<20xf64>, tensor<20xf64>, tensor<20xf64>, tensor<20xf64>, tensor<20xf64>
  }
}
