module @jit_microscaling attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256xf8E8M0FNU>, %arg1: tensor<16xf4E2M1FN>, %arg2: tensor<4xf8E8M0FNU>, %arg3: tensor<4x32xf4E2M1FN>) -> (tensor<256xf32> {jax.result_info = "result[0]"}, tensor<16xf32> {jax.result_info = "result[1]"}, tensor<4x32xf32> {jax.result_info = "result[2]"}, tensor<256xf8E8M0FNU> {jax.result_info = "result[3]"}, tensor<16xf4E2M1FN> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<256xf8E8M0FNU>) -> tensor<256xf32>
    %1 = stablehlo.convert %arg1 : (tensor<16xf4E2M1FN>) -> tensor<16xf32>
    %2 = stablehlo.convert %arg3 : (tensor<4x32xf4E2M1FN>) -> tensor<4x32xf32>
    %3 = stablehlo.convert %arg2 : (tensor<4xf8E8M0FNU>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x32xf32>
    %6 = stablehlo.multiply %2, %5 : tensor<4x32xf32>
    return %0, %1, %6, %arg0, %arg1 : tensor<256xf32>, tensor<16xf32>, tensor<4x32xf32>, tensor<256xf8E8M0FNU>, tensor<16xf4E2M1FN>
  }
}
