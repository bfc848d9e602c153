module @jit_conv2d_strided_dilated attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x11x9xf32>, %arg1: tensor<4x3x3x2xf32>) -> (tensor<2x4x5x9xf32> {jax.result_info = "result[0]"}, tensor<2x4x8x5xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 2], [0, 3]], lhs_dilate = [1, 1], rhs_dilate = [2, 3], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<2x3x11x9xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x5x9xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 2], pad = [[-1, 0], [2, -1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<2x3x11x9xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x8x5xf32>
    return %0, %1 : tensor<2x4x5x9xf32>, tensor<2x4x8x5xf32>
  }
}
