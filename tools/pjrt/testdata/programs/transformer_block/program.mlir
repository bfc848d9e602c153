module @jit_transformer_block attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x16xf32>, %arg1: tensor<16x48xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16x32xf32>, %arg4: tensor<16x32xf32>, %arg5: tensor<32x16xf32>) -> (tensor<2x6x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2x6x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf32>, tensor<f32>) -> tensor<2x6xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<2x6x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<2x6x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<2x6x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %9 = stablehlo.multiply %arg0, %8 : tensor<2x6x16xf32>
    %10 = stablehlo.dot_general %9, %arg1, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x6x16xf32>, tensor<16x48xf32>) -> tensor<2x6x48xf32>
    %11 = stablehlo.slice %10 [0:2, 0:6, 0:16] : (tensor<2x6x48xf32>) -> tensor<2x6x16xf32>
    %12 = stablehlo.slice %10 [0:2, 0:6, 16:32] : (tensor<2x6x48xf32>) -> tensor<2x6x16xf32>
    %13 = stablehlo.slice %10 [0:2, 0:6, 32:48] : (tensor<2x6x48xf32>) -> tensor<2x6x16xf32>
    %14 = stablehlo.reshape %11 : (tensor<2x6x16xf32>) -> tensor<2x6x4x4xf32>
    %15 = stablehlo.reshape %12 : (tensor<2x6x16xf32>) -> tensor<2x6x4x4xf32>
    %16 = stablehlo.reshape %13 : (tensor<2x6x16xf32>) -> tensor<2x6x4x4xf32>
    %17 = stablehlo.dot_general %14, %15, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x4x6x6xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x6x6xf32>
    %19 = stablehlo.divide %17, %18 : tensor<2x4x6x6xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %20 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %21 = call @tril(%20) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = call @_where(%21, %19, %cst_3) : (tensor<6x6xi1>, tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6x6xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4x6xf32>
    %25 = stablehlo.maximum %24, %23 : tensor<2x4x6xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xf32>) -> tensor<2x4x6x6xf32>
    %28 = stablehlo.subtract %22, %27 : tensor<2x4x6x6xf32>
    %29 = stablehlo.exponential %28 : tensor<2x4x6x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xf32>) -> tensor<2x4x6x6xf32>
    %33 = stablehlo.divide %29, %32 : tensor<2x4x6x6xf32>
    %34 = stablehlo.dot_general %16, %33, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [HIGHEST, HIGHEST] : (tensor<2x6x4x4xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x4x6xf32>
    %35 = stablehlo.transpose %34, dims = [0, 3, 1, 2] : (tensor<2x4x4x6xf32>) -> tensor<2x6x4x4xf32>
    %36 = stablehlo.reshape %35 : (tensor<2x6x4x4xf32>) -> tensor<2x6x16xf32>
    %37 = stablehlo.dot_general %36, %arg2, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x6x16xf32>, tensor<16x16xf32>) -> tensor<2x6x16xf32>
    %38 = stablehlo.add %arg0, %37 : tensor<2x6x16xf32>
    %39 = stablehlo.multiply %38, %38 : tensor<2x6x16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf32>, tensor<f32>) -> tensor<2x6xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_8 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %43 = stablehlo.divide %41, %42 : tensor<2x6x1xf32>
    %cst_9 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %45 = stablehlo.add %43, %44 : tensor<2x6x1xf32>
    %46 = stablehlo.rsqrt %45 : tensor<2x6x1xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %48 = stablehlo.multiply %38, %47 : tensor<2x6x16xf32>
    %49 = stablehlo.dot_general %48, %arg3, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x6x16xf32>, tensor<16x32xf32>) -> tensor<2x6x32xf32>
    %50 = call @silu(%49) : (tensor<2x6x32xf32>) -> tensor<2x6x32xf32>
    %51 = stablehlo.dot_general %48, %arg4, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x6x16xf32>, tensor<16x32xf32>) -> tensor<2x6x32xf32>
    %52 = stablehlo.multiply %50, %51 : tensor<2x6x32xf32>
    %53 = stablehlo.dot_general %52, %arg5, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x6x32xf32>, tensor<32x16xf32>) -> tensor<2x6x16xf32>
    %54 = stablehlo.add %38, %53 : tensor<2x6x16xf32>
    return %54 : tensor<2x6x16xf32>
  }
  func.func private @tril(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %2 = stablehlo.add %0, %1 : tensor<6x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %4 = stablehlo.compare  GE, %2, %3,  SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<6x6xi1>, tensor<6x6xi1>
    return %6 : tensor<6x6xi1>
  }
  func.func private @_where(%arg0: tensor<6x6xi1>, %arg1: tensor<2x4x6x6xf32>, %arg2: tensor<f32>) -> tensor<2x4x6x6xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<6x6xi1>) -> tensor<2x4x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x6x6xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
    return %3 : tensor<2x4x6x6xf32>
  }
  func.func private @silu(%arg0: tensor<2x6x32xf32>) -> tensor<2x6x32xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2x6x32xf32>
    %1 = stablehlo.exponential %0 : tensor<2x6x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x6x32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x6x32xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x6x32xf32>
    return %6 : tensor<2x6x32xf32>
  }
}
