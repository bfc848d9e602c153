module @jit_file_layouts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xi32>, %arg1: tensor<2x3xi32>, %arg2: tensor<2x3x4xf64>, %arg3: tensor<3xcomplex<f32>>, %arg4: tensor<3x5xbf16>) -> (tensor<3x4xi32> {jax.result_info = "result[0]"}, tensor<2x3xi32> {jax.result_info = "result[1]"}, tensor<2x3x4xf64> {jax.result_info = "result[2]"}, tensor<3xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<3x5xbf16> {jax.result_info = "result[4]"}, tensor<2x2xi32> {jax.result_info = "result[5]"}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
    %1 = stablehlo.add %arg1, %0 : tensor<2x3xi32>
    %2 = stablehlo.slice %arg0 [1:3, 0:2] : (tensor<3x4xi32>) -> tensor<2x2xi32>
    return %arg0, %1, %arg2, %arg3, %arg4, %2 : tensor<3x4xi32>, tensor<2x3xi32>, tensor<2x3x4xf64>, tensor<3xcomplex<f32>>, tensor<3x5xbf16>, tensor<2x2xi32>
  }
}
