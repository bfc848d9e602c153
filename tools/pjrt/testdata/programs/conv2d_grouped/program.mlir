module @jit_conv2d_grouped attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x6x7x7xf32>, %arg1: tensor<9x2x3x3xf32>, %arg2: tensor<12x1x3x3xf32>) -> (tensor<1x9x7x7xf32> {jax.result_info = "result[0]"}, tensor<1x12x7x7xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<1x6x7x7xf32>, tensor<9x2x3x3xf32>) -> tensor<1x9x7x7xf32>
    %1 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<1x6x7x7xf32>, tensor<12x1x3x3xf32>) -> tensor<1x12x7x7xf32>
    return %0, %1 : tensor<1x9x7x7xf32>, tensor<1x12x7x7xf32>
  }
}
