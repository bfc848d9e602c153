module @jit_gru_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x3x6xf32>, %arg1: tensor<3x8xf32>, %arg2: tensor<6x24xf32>, %arg3: tensor<8x24xf32>) -> (tensor<3x8xf32> {jax.result_info = "result[0]"}, tensor<9x3x8xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9x3x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:6 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg2, %iterArg_1 = %arg3, %iterArg_2 = %c, %iterArg_3 = %arg1, %iterArg_4 = %0) : tensor<9x3x6xf32>, tensor<6x24xf32>, tensor<8x24xf32>, tensor<i32>, tensor<3x8xf32>, tensor<9x3x8xf32>
    cond {
      %c_5 = stablehlo.constant dense<9> : tensor<i32>
      %2 = stablehlo.compare  LT, %iterArg_2, %c_5,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_5 = stablehlo.constant dense<9> : tensor<i32>
      %2 = stablehlo.subtract %c_5, %iterArg_2 : tensor<i32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %2, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.dynamic_slice %iterArg, %3, %c_7, %c_8, sizes = [1, 3, 6] : (tensor<9x3x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x6xf32>
      %5 = stablehlo.reshape %4 : (tensor<1x3x6xf32>) -> tensor<3x6xf32>
      %6:2 = func.call @closed_call(%iterArg_0, %iterArg_1, %iterArg_3, %5) : (tensor<6x24xf32>, tensor<8x24xf32>, tensor<3x8xf32>, tensor<3x6xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>)
      %7 = stablehlo.broadcast_in_dim %6#1, dims = [1, 2] : (tensor<3x8xf32>) -> tensor<1x3x8xf32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.dynamic_update_slice %iterArg_4, %7, %3, %c_9, %c_10 : (tensor<9x3x8xf32>, tensor<1x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x3x8xf32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_2, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %9, %6#0, %8 : tensor<9x3x6xf32>, tensor<6x24xf32>, tensor<8x24xf32>, tensor<i32>, tensor<3x8xf32>, tensor<9x3x8xf32>
    }
    return %1#4, %1#5 : tensor<3x8xf32>, tensor<9x3x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x24xf32>, %arg1: tensor<8x24xf32>, %arg2: tensor<3x8xf32>, %arg3: tensor<3x6xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x6xf32>, tensor<6x24xf32>) -> tensor<3x24xf32>
    %1 = stablehlo.slice %0 [0:3, 0:8] : (tensor<3x24xf32>) -> tensor<3x8xf32>
    %2 = stablehlo.slice %0 [0:3, 8:16] : (tensor<3x24xf32>) -> tensor<3x8xf32>
    %3 = stablehlo.slice %0 [0:3, 16:24] : (tensor<3x24xf32>) -> tensor<3x8xf32>
    %4 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8xf32>, tensor<8x24xf32>) -> tensor<3x24xf32>
    %5 = stablehlo.slice %4 [0:3, 0:8] : (tensor<3x24xf32>) -> tensor<3x8xf32>
    %6 = stablehlo.slice %4 [0:3, 8:16] : (tensor<3x24xf32>) -> tensor<3x8xf32>
    %7 = stablehlo.slice %4 [0:3, 16:24] : (tensor<3x24xf32>) -> tensor<3x8xf32>
    %8 = stablehlo.add %1, %5 : tensor<3x8xf32>
    %9 = stablehlo.negate %8 : tensor<3x8xf32>
    %10 = stablehlo.exponential %9 : tensor<3x8xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %12 = stablehlo.add %11, %10 : tensor<3x8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %14 = stablehlo.divide %13, %12 : tensor<3x8xf32>
    %15 = stablehlo.add %2, %6 : tensor<3x8xf32>
    %16 = stablehlo.negate %15 : tensor<3x8xf32>
    %17 = stablehlo.exponential %16 : tensor<3x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %19 = stablehlo.add %18, %17 : tensor<3x8xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %21 = stablehlo.divide %20, %19 : tensor<3x8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %23 = stablehlo.subtract %22, %14 : tensor<3x8xf32>
    %24 = stablehlo.multiply %21, %7 : tensor<3x8xf32>
    %25 = stablehlo.add %3, %24 : tensor<3x8xf32>
    %26 = stablehlo.tanh %25 : tensor<3x8xf32>
    %27 = stablehlo.multiply %23, %26 : tensor<3x8xf32>
    %28 = stablehlo.multiply %14, %arg2 : tensor<3x8xf32>
    %29 = stablehlo.add %27, %28 : tensor<3x8xf32>
    return %29, %29 : tensor<3x8xf32>, tensor<3x8xf32>
  }
}
