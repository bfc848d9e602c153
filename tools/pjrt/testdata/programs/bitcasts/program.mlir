module @jit_bitcasts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2x8xui8>) -> (tensor<3x2xui32> {jax.result_info = "result[0]"}, tensor<3x2x2xi16> {jax.result_info = "result[1]"}, tensor<3xui64> {jax.result_info = "result[2]"}, tensor<2xui64> {jax.result_info = "result[3]"}, tensor<2x2xi32> {jax.result_info = "result[4]"}, tensor<3xf64> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3x2xf32>) -> tensor<3x2xui32>
    %1 = stablehlo.bitcast_convert %arg0 : (tensor<3x2xf32>) -> tensor<3x2x2xi16>
    %2 = stablehlo.bitcast_convert %arg0 : (tensor<3x2xf32>) -> tensor<3xui64>
    %3 = stablehlo.bitcast_convert %arg1 : (tensor<2x8xui8>) -> tensor<2xui64>
    %4 = stablehlo.reshape %arg1 : (tensor<2x8xui8>) -> tensor<2x2x4xui8>
    %5 = stablehlo.bitcast_convert %4 : (tensor<2x2x4xui8>) -> tensor<2x2xi32>
    %6 = stablehlo.bitcast_convert %arg0 : (tensor<3x2xf32>) -> tensor<3xf64>
    return %0, %1, %2, %3, %5, %6 : tensor<3x2xui32>, tensor<3x2x2xi16>, tensor<3xui64>, tensor<2xui64>, tensor<2x2xi32>, tensor<3xf64>
  }
}
