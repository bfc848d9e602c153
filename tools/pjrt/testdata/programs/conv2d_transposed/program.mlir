module @jit_conv2d_transposed attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x5x4x3xf32>, %arg1: tensor<3x3x3x6xf32>) -> (tensor<1x10x12x6xf32> {jax.result_info = "result[0]"}, tensor<1x7x9x6xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 2]], lhs_dilate = [2, 3], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<1x5x4x3xf32>, tensor<3x3x3x6xf32>) -> tensor<1x10x12x6xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<1x5x4x3xf32>, tensor<3x3x3x6xf32>) -> tensor<1x7x9x6xf32>
    return %0, %1 : tensor<1x10x12x6xf32>, tensor<1x7x9x6xf32>
  }
}
