module @jit_int2 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xi2>, %arg1: tensor<4xui2>) -> (tensor<4xi2> {jax.result_info = "result[0]"}, tensor<4xui2> {jax.result_info = "result[1]"}, tensor<4xi32> {jax.result_info = "result[2]"}, tensor<4xi32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4xi2>) -> tensor<4xi32>
    %1 = stablehlo.convert %arg1 : (tensor<4xui2>) -> tensor<4xi32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<4xi32>
    return %arg0, %arg1, %0, %3 : tensor<4xi2>, tensor<4xui2>, tensor<4xi32>, tensor<4xi32>
  }
}
