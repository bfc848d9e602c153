module @jit_scan_stacked attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x3xf32>, %arg1: tensor<8xi32>) -> (tensor<3xf32> {jax.result_info = "result[0][0]"}, tensor<i32> {jax.result_info = "result[0][1]"}, tensor<8x3xf32> {jax.result_info = "result[1][0]"}, tensor<8xi1> {jax.result_info = "result[1][1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<8xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3:7 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %arg1, %iterArg_4 = %c_2, %iterArg_5 = %0, %iterArg_6 = %c, %iterArg_7 = %1, %iterArg_8 = %2) : tensor<8x3xf32>, tensor<8xi32>, tensor<i32>, tensor<3xf32>, tensor<i32>, tensor<8x3xf32>, tensor<8xi1>
    cond {
      %c_9 = stablehlo.constant dense<8> : tensor<i32>
      %4 = stablehlo.compare  LT, %iterArg_4, %c_9,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.dynamic_slice %iterArg, %iterArg_4, %c_9, sizes = [1, 3] : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
      %5 = stablehlo.reshape %4 : (tensor<1x3xf32>) -> tensor<3xf32>
      %6 = stablehlo.dynamic_slice %iterArg_3, %iterArg_4, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
      %7 = stablehlo.reshape %6 : (tensor<1xi32>) -> tensor<i32>
      %8:4 = func.call @closed_call(%iterArg_5, %iterArg_6, %5, %7) : (tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<i1>)
      %9 = stablehlo.broadcast_in_dim %8#2, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.dynamic_update_slice %iterArg_7, %9, %iterArg_4, %c_10 : (tensor<8x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>
      %11 = stablehlo.broadcast_in_dim %8#3, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %12 = stablehlo.dynamic_update_slice %iterArg_8, %11, %iterArg_4 : (tensor<8xi1>, tensor<1xi1>, tensor<i32>) -> tensor<8xi1>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %iterArg_4, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_3, %13, %8#0, %8#1, %10, %12 : tensor<8x3xf32>, tensor<8xi32>, tensor<i32>, tensor<3xf32>, tensor<i32>, tensor<8x3xf32>, tensor<8xi1>
    }
    return %3#3, %3#4, %3#5, %3#6 : tensor<3xf32>, tensor<i32>, tensor<8x3xf32>, tensor<8xi1>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<i32>, %arg2: tensor<3xf32>, %arg3: tensor<i32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<i1>) {
    %0 = stablehlo.add %arg0, %arg2 : tensor<3xf32>
    %1 = stablehlo.add %arg1, %arg3 : tensor<i32>
    %2 = stablehlo.convert %arg3 : (tensor<i32>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<3xf32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %5 = stablehlo.compare  GT, %arg3, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    return %0, %1, %4, %5 : tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<i1>
  }
}
