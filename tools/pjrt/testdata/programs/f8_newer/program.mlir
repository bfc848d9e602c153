module @jit_f8_newer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256xf8E4M3>, %arg1: tensor<256xf8E3M4>, %arg2: tensor<41xf32>) -> (tensor<256xf32> {jax.result_info = "result[0]"}, tensor<256xf32> {jax.result_info = "result[1]"}, tensor<41xf8E4M3> {jax.result_info = "result[2][0]"}, tensor<41xf8E3M4> {jax.result_info = "result[2][1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<256xf8E4M3>) -> tensor<256xf32>
    %1 = stablehlo.convert %arg1 : (tensor<256xf8E3M4>) -> tensor<256xf32>
    %2 = stablehlo.convert %arg2 : (tensor<41xf32>) -> tensor<41xf8E4M3>
    %3 = stablehlo.convert %arg2 : (tensor<41xf32>) -> tensor<41xf8E3M4>
    return %0, %1, %2, %3 : tensor<256xf32>, tensor<256xf32>, tensor<41xf8E4M3>, tensor<41xf8E3M4>
  }
}
