module @jit_f8_decode attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256xf8E4M3FN>, %arg1: tensor<256xf8E5M2>, %arg2: tensor<256xf8E4M3FNUZ>, %arg3: tensor<256xf8E5M2FNUZ>, %arg4: tensor<256xf8E4M3B11FNUZ>) -> (tensor<256xf32> {jax.result_info = "result[0]"}, tensor<256xf32> {jax.result_info = "result[1]"}, tensor<256xf32> {jax.result_info = "result[2]"}, tensor<256xf32> {jax.result_info = "result[3]"}, tensor<256xf32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<256xf8E4M3FN>) -> tensor<256xf32>
    %1 = stablehlo.convert %arg1 : (tensor<256xf8E5M2>) -> tensor<256xf32>
    %2 = stablehlo.convert %arg2 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xf32>
    %3 = stablehlo.convert %arg3 : (tensor<256xf8E5M2FNUZ>) -> tensor<256xf32>
    %4 = stablehlo.convert %arg4 : (tensor<256xf8E4M3B11FNUZ>) -> tensor<256xf32>
    return %0, %1, %2, %3, %4 : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
  }
}
