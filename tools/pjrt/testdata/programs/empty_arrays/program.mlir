module @jit_empty_arrays attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<0x3xf32>, %arg1: tensor<2x0xi32>, %arg2: tensor<4x3xf32>, %arg3: tensor<0xi1>) -> (tensor<0x3xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}, tensor<2xi32> {jax.result_info = "result[2]"}, tensor<4x3xf32> {jax.result_info = "result[3]"}, tensor<4x0xf32> {jax.result_info = "result[4]"}, tensor<3x3xf32> {jax.result_info = "result[5]"}, tensor<i1> {jax.result_info = "result[6]"}, tensor<2x0xi32> {jax.result_info = "result[7]"}, tensor<0x2xi32> {jax.result_info = "result[8]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<0x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<0x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x0xi32>, tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.concatenate %arg0, %arg2, dim = 0 : (tensor<0x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %5 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
    %6 = stablehlo.dot_general %arg2, %5, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x3xf32>, tensor<3x0xf32>) -> tensor<4x0xf32>
    %7 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
    %8 = stablehlo.dot_general %7, %arg0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x0xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.reduce(%arg3 init: %c_1) applies stablehlo.and across dimensions = [0] : (tensor<0xi1>, tensor<i1>) -> tensor<i1>
    %10 = call @sort(%arg1) : (tensor<2x0xi32>) -> tensor<2x0xi32>
    %11 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<2x0xi32>) -> tensor<0x2xi32>
    return %1, %2, %3, %4, %6, %8, %9, %10, %11 : tensor<0x3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<4x3xf32>, tensor<4x0xf32>, tensor<3x3xf32>, tensor<i1>, tensor<2x0xi32>, tensor<0x2xi32>
  }
  func.func private @sort(%arg0: tensor<2x0xi32>) -> tensor<2x0xi32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %1 = stablehlo.compare  LT, %arg1, %arg2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<2x0xi32>) -> tensor<2x0xi32>
    return %0 : tensor<2x0xi32>
  }
}
