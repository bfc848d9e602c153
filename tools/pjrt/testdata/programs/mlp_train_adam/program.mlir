module @jit_mlp_train_adam attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x16xf32>, %arg1: tensor<8xi32>, %arg2: tensor<16x32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x10xf32>, %arg5: tensor<10xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<32xf32> {jax.result_info = "result[1]['b1']"}, tensor<10xf32> {jax.result_info = "result[1]['b2']"}, tensor<16x32xf32> {jax.result_info = "result[1]['w1']"}, tensor<32x10xf32> {jax.result_info = "result[1]['w2']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5:17 = stablehlo.while(%iterArg = %cst, %iterArg_9 = %arg0, %iterArg_10 = %arg1, %iterArg_11 = %c, %iterArg_12 = %arg3, %iterArg_13 = %arg5, %iterArg_14 = %arg2, %iterArg_15 = %arg4, %iterArg_16 = %0, %iterArg_17 = %1, %iterArg_18 = %2, %iterArg_19 = %3, %iterArg_20 = %0, %iterArg_21 = %1, %iterArg_22 = %2, %iterArg_23 = %3, %iterArg_24 = %4) : tensor<4xf32>, tensor<8x16xf32>, tensor<8xi32>, tensor<i32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<4xf32>
    cond {
      %c_25 = stablehlo.constant dense<4> : tensor<i32>
      %27 = stablehlo.compare  LT, %iterArg_11, %c_25,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %27 : tensor<i1>
    } do {
      %27 = stablehlo.dynamic_slice %iterArg, %iterArg_11, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
      %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
      %29:13 = func.call @closed_call(%iterArg_9, %iterArg_10, %iterArg_12, %iterArg_13, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_17, %iterArg_18, %iterArg_19, %iterArg_20, %iterArg_21, %iterArg_22, %iterArg_23, %28) : (tensor<8x16xf32>, tensor<8xi32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<f32>) -> (tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<f32>)
      %30 = stablehlo.broadcast_in_dim %29#12, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %31 = stablehlo.dynamic_update_slice %iterArg_24, %30, %iterArg_11 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %32 = stablehlo.add %iterArg_11, %c_25 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_9, %iterArg_10, %32, %29#0, %29#1, %29#2, %29#3, %29#4, %29#5, %29#6, %29#7, %29#8, %29#9, %29#10, %29#11, %31 : tensor<4xf32>, tensor<8x16xf32>, tensor<8xi32>, tensor<i32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<4xf32>
    }
    %6 = stablehlo.dot_general %arg0, %5#6, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %7 = stablehlo.broadcast_in_dim %5#4, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %9 = stablehlo.add %6, %8 : tensor<8x32xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<8x32xf32>
    %12 = stablehlo.negate %9 : tensor<8x32xf32>
    %cst_6 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<8x32xf32>
    %15 = chlo.erfc %14 : tensor<8x32xf32> -> tensor<8x32xf32>
    %16 = stablehlo.multiply %11, %15 : tensor<8x32xf32>
    %17 = stablehlo.dot_general %16, %5#7, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x32xf32>, tensor<32x10xf32>) -> tensor<8x10xf32>
    %18 = stablehlo.broadcast_in_dim %5#5, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<8x10xf32>
    %20 = stablehlo.add %17, %19 : tensor<8x10xf32>
    %21 = call @log_softmax_76(%20) : (tensor<8x10xf32>) -> tensor<8x10xf32>
    %22 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %23 = call @take_along_axis_77(%21, %22) : (tensor<8x10xf32>, tensor<8x1xi32>) -> tensor<8x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %25 = stablehlo.divide %24, %cst_8 : tensor<f32>
    %26 = stablehlo.negate %25 : tensor<f32>
    return %5#16, %5#4, %5#5, %5#6, %5#7, %26 : tensor<4xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<8x16xf32>, %arg1: tensor<8xi32>, %arg2: tensor<32xf32>, %arg3: tensor<10xf32>, %arg4: tensor<16x32xf32>, %arg5: tensor<32x10xf32>, %arg6: tensor<32xf32>, %arg7: tensor<10xf32>, %arg8: tensor<16x32xf32>, %arg9: tensor<32x10xf32>, %arg10: tensor<32xf32>, %arg11: tensor<10xf32>, %arg12: tensor<16x32xf32>, %arg13: tensor<32x10xf32>, %arg14: tensor<f32>) -> (tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg0, %arg4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x32xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<8x32xf32>
    %6 = stablehlo.negate %3 : tensor<8x32xf32>
    %cst_0 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<8x32xf32>
    %9 = chlo.erfc %8 : tensor<8x32xf32> -> tensor<8x32xf32>
    %10 = chlo.square %8 : tensor<8x32xf32> -> tensor<8x32xf32>
    %11 = stablehlo.negate %10 : tensor<8x32xf32>
    %12 = stablehlo.exponential %11 : tensor<8x32xf32>
    %13 = stablehlo.multiply %5, %9 : tensor<8x32xf32>
    %14 = stablehlo.dot_general %13, %arg5, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x32xf32>, tensor<32x10xf32>) -> tensor<8x10xf32>
    %15 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<8x10xf32>
    %17 = stablehlo.add %14, %16 : tensor<8x10xf32>
    %18:3 = call @log_softmax(%17) : (tensor<8x10xf32>) -> (tensor<8x10xf32>, tensor<8x10xf32>, tensor<8x1xf32>)
    %19 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %20:2 = call @take_along_axis(%18#0, %19) : (tensor<8x10xf32>, tensor<8x1xi32>) -> (tensor<8x1xf32>, tensor<8x1x1xi32>)
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20#0 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %22 = stablehlo.divide %21, %cst_2 : tensor<f32>
    %23 = stablehlo.negate %22 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.negate %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %25 = stablehlo.divide %24, %cst_4 : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %27 = call @take_along_axis_21(%20#1, %26) : (tensor<8x1x1xi32>, tensor<8x1xf32>) -> tensor<8x10xf32>
    %28 = call @log_softmax_24(%18#1, %18#2, %27) : (tensor<8x10xf32>, tensor<8x1xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<8x10xf32>, tensor<f32>) -> tensor<10xf32>
    %30 = stablehlo.reshape %29 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%30 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %32 = stablehlo.dot_general %28, %13, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x10xf32>, tensor<8x32xf32>) -> tensor<10x32xf32>
    %33 = stablehlo.transpose %32, dims = [1, 0] : (tensor<10x32xf32>) -> tensor<32x10xf32>
    %34 = stablehlo.dot_general %28, %arg5, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<8x10xf32>, tensor<32x10xf32>) -> tensor<8x32xf32>
    %35 = stablehlo.multiply %5, %34 : tensor<8x32xf32>
    %36 = stablehlo.multiply %34, %9 : tensor<8x32xf32>
    %cst_7 = stablehlo.constant dense<-1.12837923> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %38 = stablehlo.multiply %37, %35 : tensor<8x32xf32>
    %39 = stablehlo.multiply %38, %12 : tensor<8x32xf32>
    %cst_8 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %41 = stablehlo.multiply %39, %40 : tensor<8x32xf32>
    %42 = stablehlo.negate %41 : tensor<8x32xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %44 = stablehlo.multiply %43, %36 : tensor<8x32xf32>
    %45 = stablehlo.add %42, %44 : tensor<8x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>) -> tensor<32xf32>
    %47 = stablehlo.reshape %46 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %49 = stablehlo.dot_general %45, %arg0, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x32xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
    %50 = stablehlo.transpose %49, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %cst_12 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %52 = stablehlo.multiply %51, %arg6 : tensor<32xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %54 = stablehlo.multiply %53, %48 : tensor<32xf32>
    %55 = stablehlo.add %52, %54 : tensor<32xf32>
    %cst_14 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %57 = stablehlo.multiply %56, %arg7 : tensor<10xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %59 = stablehlo.multiply %58, %31 : tensor<10xf32>
    %60 = stablehlo.add %57, %59 : tensor<10xf32>
    %cst_16 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %62 = stablehlo.multiply %61, %arg8 : tensor<16x32xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %64 = stablehlo.multiply %63, %50 : tensor<16x32xf32>
    %65 = stablehlo.add %62, %64 : tensor<16x32xf32>
    %cst_18 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %67 = stablehlo.multiply %66, %arg9 : tensor<32x10xf32>
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %69 = stablehlo.multiply %68, %33 : tensor<32x10xf32>
    %70 = stablehlo.add %67, %69 : tensor<32x10xf32>
    %cst_20 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %72 = stablehlo.multiply %71, %arg10 : tensor<32xf32>
    %cst_21 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %74 = stablehlo.multiply %73, %48 : tensor<32xf32>
    %75 = stablehlo.multiply %74, %48 : tensor<32xf32>
    %76 = stablehlo.add %72, %75 : tensor<32xf32>
    %cst_22 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %78 = stablehlo.multiply %77, %arg11 : tensor<10xf32>
    %cst_23 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %80 = stablehlo.multiply %79, %31 : tensor<10xf32>
    %81 = stablehlo.multiply %80, %31 : tensor<10xf32>
    %82 = stablehlo.add %78, %81 : tensor<10xf32>
    %cst_24 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %84 = stablehlo.multiply %83, %arg12 : tensor<16x32xf32>
    %cst_25 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %86 = stablehlo.multiply %85, %50 : tensor<16x32xf32>
    %87 = stablehlo.multiply %86, %50 : tensor<16x32xf32>
    %88 = stablehlo.add %84, %87 : tensor<16x32xf32>
    %cst_26 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %90 = stablehlo.multiply %89, %arg13 : tensor<32x10xf32>
    %cst_27 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %92 = stablehlo.multiply %91, %33 : tensor<32x10xf32>
    %93 = stablehlo.multiply %92, %33 : tensor<32x10xf32>
    %94 = stablehlo.add %90, %93 : tensor<32x10xf32>
    %cst_28 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %95 = stablehlo.power %cst_28, %arg14 : tensor<f32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %96 = stablehlo.subtract %cst_29, %95 : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %98 = stablehlo.divide %55, %97 : tensor<32xf32>
    %cst_30 = stablehlo.constant dense<2.000000e-02> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %100 = stablehlo.multiply %99, %98 : tensor<32xf32>
    %cst_31 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %101 = stablehlo.power %cst_31, %arg14 : tensor<f32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.subtract %cst_32, %101 : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %104 = stablehlo.divide %76, %103 : tensor<32xf32>
    %105 = stablehlo.sqrt %104 : tensor<32xf32>
    %cst_33 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %107 = stablehlo.add %105, %106 : tensor<32xf32>
    %108 = stablehlo.divide %100, %107 : tensor<32xf32>
    %109 = stablehlo.subtract %arg2, %108 : tensor<32xf32>
    %cst_34 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %110 = stablehlo.power %cst_34, %arg14 : tensor<f32>
    %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %111 = stablehlo.subtract %cst_35, %110 : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %113 = stablehlo.divide %60, %112 : tensor<10xf32>
    %cst_36 = stablehlo.constant dense<2.000000e-02> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<10xf32>
    %cst_37 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %116 = stablehlo.power %cst_37, %arg14 : tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %117 = stablehlo.subtract %cst_38, %116 : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %119 = stablehlo.divide %82, %118 : tensor<10xf32>
    %120 = stablehlo.sqrt %119 : tensor<10xf32>
    %cst_39 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %122 = stablehlo.add %120, %121 : tensor<10xf32>
    %123 = stablehlo.divide %115, %122 : tensor<10xf32>
    %124 = stablehlo.subtract %arg3, %123 : tensor<10xf32>
    %cst_40 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %125 = stablehlo.power %cst_40, %arg14 : tensor<f32>
    %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %126 = stablehlo.subtract %cst_41, %125 : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %128 = stablehlo.divide %65, %127 : tensor<16x32xf32>
    %cst_42 = stablehlo.constant dense<2.000000e-02> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %130 = stablehlo.multiply %129, %128 : tensor<16x32xf32>
    %cst_43 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %131 = stablehlo.power %cst_43, %arg14 : tensor<f32>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %132 = stablehlo.subtract %cst_44, %131 : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %134 = stablehlo.divide %88, %133 : tensor<16x32xf32>
    %135 = stablehlo.sqrt %134 : tensor<16x32xf32>
    %cst_45 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %137 = stablehlo.add %135, %136 : tensor<16x32xf32>
    %138 = stablehlo.divide %130, %137 : tensor<16x32xf32>
    %139 = stablehlo.subtract %arg4, %138 : tensor<16x32xf32>
    %cst_46 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %140 = stablehlo.power %cst_46, %arg14 : tensor<f32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %141 = stablehlo.subtract %cst_47, %140 : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %143 = stablehlo.divide %70, %142 : tensor<32x10xf32>
    %cst_48 = stablehlo.constant dense<2.000000e-02> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %145 = stablehlo.multiply %144, %143 : tensor<32x10xf32>
    %cst_49 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %146 = stablehlo.power %cst_49, %arg14 : tensor<f32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %147 = stablehlo.subtract %cst_50, %146 : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %149 = stablehlo.divide %94, %148 : tensor<32x10xf32>
    %150 = stablehlo.sqrt %149 : tensor<32x10xf32>
    %cst_51 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %152 = stablehlo.add %150, %151 : tensor<32x10xf32>
    %153 = stablehlo.divide %145, %152 : tensor<32x10xf32>
    %154 = stablehlo.subtract %arg5, %153 : tensor<32x10xf32>
    return %109, %124, %139, %154, %55, %60, %65, %70, %76, %82, %88, %94, %23 : tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<32xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32x10xf32>, tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<8x10xf32>) -> (tensor<8x10xf32>, tensor<8x10xf32>, tensor<8x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x10xf32>
    %6 = stablehlo.exponential %5 : tensor<8x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.log %8 : tensor<8x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x10xf32>
    return %11, %6, %8 : tensor<8x10xf32>, tensor<8x10xf32>, tensor<8x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x10xf32>, %arg1: tensor<8x1xi32>) -> (tensor<8x1xf32>, tensor<8x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %1 = stablehlo.compare  LT, %arg1, %0,  SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x1xi1>, tensor<8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x1xi32>) -> tensor<8x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1x1xi32>
    %7 = stablehlo.compare  GE, %5, %6,  SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<8x1x1xi32>
    %10 = stablehlo.compare  LE, %5, %9,  SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<8x1x1xi1>, tensor<i1>) -> tensor<8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<8x10xf32>, tensor<8x1x1xi32>) -> tensor<8x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x1xi1>, tensor<8x1xf32>
    return %15, %5 : tensor<8x1xf32>, tensor<8x1x1xi32>
  }
  func.func private @take_along_axis_21(%arg0: tensor<8x1x1xi32>, %arg1: tensor<8x1xf32>) -> tensor<8x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x10xf32>, tensor<8x1x1xi32>, tensor<8x1xf32>) -> tensor<8x10xf32>
    return %1 : tensor<8x10xf32>
  }
  func.func private @log_softmax_24(%arg0: tensor<8x10xf32>, %arg1: tensor<8x1xf32>, %arg2: tensor<8x10xf32>) -> tensor<8x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x10xf32>
    return %7 : tensor<8x10xf32>
  }
  func.func private @log_softmax_76(%arg0: tensor<8x10xf32>) -> tensor<8x10xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x10xf32>
    %6 = stablehlo.exponential %5 : tensor<8x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.log %8 : tensor<8x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x10xf32>
    return %11 : tensor<8x10xf32>
  }
  func.func private @take_along_axis_77(%arg0: tensor<8x10xf32>, %arg1: tensor<8x1xi32>) -> tensor<8x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %1 = stablehlo.compare  LT, %arg1, %0,  SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x1xi1>, tensor<8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x1xi32>) -> tensor<8x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1x1xi32>
    %7 = stablehlo.compare  GE, %5, %6,  SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<8x1x1xi32>
    %10 = stablehlo.compare  LE, %5, %9,  SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<8x1x1xi1>, tensor<i1>) -> tensor<8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<8x10xf32>, tensor<8x1x1xi32>) -> tensor<8x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x1xi1>, tensor<8x1xf32>
    return %15 : tensor<8x1xf32>
  }
}
