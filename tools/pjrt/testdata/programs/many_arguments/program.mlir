module @jit_many_arguments attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>, %arg5: tensor<2xf32>, %arg6: tensor<2xf32>, %arg7: tensor<2xf32>, %arg8: tensor<2xf32>, %arg9: tensor<2xf32>, %arg10: tensor<2xf32>, %arg11: tensor<2xf32>, %arg12: tensor<2xf32>, %arg13: tensor<2xf32>, %arg14: tensor<2xf32>, %arg15: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = "result[0]"}, tensor<2xf32> {jax.result_info = "result[1]"}, tensor<2xf32> {jax.result_info = "result[2]"}, tensor<2xf32> {jax.result_info = "result[3]"}, tensor<2xf32> {jax.result_info = "result[4]"}, tensor<2xf32> {jax.result_info = "result[5]"}, tensor<2xf32> {jax.result_info = "result[6]"}, tensor<2xf32> {jax.result_info = "result[7]"}, tensor<2xf32> {jax.result_info = "result[8]"}, tensor<2xf32> {jax.result_info = "result[9]"}, tensor<2xf32> {jax.result_info = "result[10]"}, tensor<2xf32> {jax.result_info = "result[11]"}, tensor<2xf32> {jax.result_info = "result[12]"}, tensor<2xf32> {jax.result_info = "result[13]"}, tensor<2xf32> {jax.result_info = "result[14]"}, tensor<2xf32> {jax.result_info = "result[15]"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<2xf32>
    %2 = stablehlo.add %1, %arg1 : tensor<2xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %4 = stablehlo.multiply %arg1, %3 : tensor<2xf32>
    %5 = stablehlo.add %4, %arg2 : tensor<2xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %7 = stablehlo.multiply %arg2, %6 : tensor<2xf32>
    %8 = stablehlo.add %7, %arg3 : tensor<2xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %10 = stablehlo.multiply %arg3, %9 : tensor<2xf32>
    %11 = stablehlo.add %10, %arg4 : tensor<2xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %13 = stablehlo.multiply %arg4, %12 : tensor<2xf32>
    %14 = stablehlo.add %13, %arg5 : tensor<2xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %16 = stablehlo.multiply %arg5, %15 : tensor<2xf32>
    %17 = stablehlo.add %16, %arg6 : tensor<2xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %19 = stablehlo.multiply %arg6, %18 : tensor<2xf32>
    %20 = stablehlo.add %19, %arg7 : tensor<2xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %22 = stablehlo.multiply %arg7, %21 : tensor<2xf32>
    %23 = stablehlo.add %22, %arg8 : tensor<2xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %25 = stablehlo.multiply %arg8, %24 : tensor<2xf32>
    %26 = stablehlo.add %25, %arg9 : tensor<2xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %28 = stablehlo.multiply %arg9, %27 : tensor<2xf32>
    %29 = stablehlo.add %28, %arg10 : tensor<2xf32>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %31 = stablehlo.multiply %arg10, %30 : tensor<2xf32>
    %32 = stablehlo.add %31, %arg11 : tensor<2xf32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %34 = stablehlo.multiply %arg11, %33 : tensor<2xf32>
    %35 = stablehlo.add %34, %arg12 : tensor<2xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %37 = stablehlo.multiply %arg12, %36 : tensor<2xf32>
    %38 = stablehlo.add %37, %arg13 : tensor<2xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %40 = stablehlo.multiply %arg13, %39 : tensor<2xf32>
    %41 = stablehlo.add %40, %arg14 : tensor<2xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %43 = stablehlo.multiply %arg14, %42 : tensor<2xf32>
    %44 = stablehlo.add %43, %arg15 : tensor<2xf32>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %46 = stablehlo.multiply %arg15, %45 : tensor<2xf32>
    %47 = stablehlo.add %46, %arg0 : tensor<2xf32>
    return %2, %5, %8, %11, %14, %17, %20, %23, %26, %29, %32, %35, %38, %41, %44, %47 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
