module @jit_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x32xf32>, %arg1: tensor<64x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x96xf32>, %arg5: tensor<96xf32>, %arg6: tensor<32x32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<32x128xf32>, %arg11: tensor<128xf32>, %arg12: tensor<128x32xf32>, %arg13: tensor<32xf32>, %arg14: tensor<32xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32x96xf32>, %arg17: tensor<96xf32>, %arg18: tensor<32x32xf32>, %arg19: tensor<32xf32>, %arg20: tensor<32xf32>, %arg21: tensor<32xf32>, %arg22: tensor<32x128xf32>, %arg23: tensor<128xf32>, %arg24: tensor<128x32xf32>, %arg25: tensor<32xf32>, %arg26: tensor<32xf32>, %arg27: tensor<32xf32>, %arg28: tensor<32x96xf32>, %arg29: tensor<96xf32>, %arg30: tensor<32x32xf32>, %arg31: tensor<32xf32>, %arg32: tensor<32xf32>, %arg33: tensor<32xf32>, %arg34: tensor<32x128xf32>, %arg35: tensor<128xf32>, %arg36: tensor<128x32xf32>, %arg37: tensor<32xf32>, %arg38: tensor<32xf32>, %arg39: tensor<32xf32>, %arg40: tensor<3x4x64x8xf32> {tf.aliasing_output = 1 : i32}, %arg41: tensor<3x4x64x8xf32> {tf.aliasing_output = 2 : i32}, %arg42: tensor<8xi32>, %arg43: tensor<i32>) -> (tensor<8x128xf32> {jax.result_info = "result[0]"}, tensor<3x4x64x8xf32> {jax.result_info = "result[1].keys"}, tensor<3x4x64x8xf32> {jax.result_info = "result[1].values"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %1 = stablehlo.broadcast_in_dim %arg43, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.add %1, %0 : tensor<8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.compare LT, %arg42, %3, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_0 = stablehlo.constant dense<128> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.add %arg42, %5 : tensor<8xi32>
    %7 = stablehlo.select %4, %6, %arg42 : tensor<8xi1>, tensor<8xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %9 = "stablehlo.gather"(%arg0, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<128x32xf32>, tensor<8x1xi32>) -> tensor<8x32xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %11 = stablehlo.compare LT, %2, %10, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_2 = stablehlo.constant dense<64> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %13 = stablehlo.add %2, %12 : tensor<8xi32>
    %14 = stablehlo.select %11, %13, %2 : tensor<8xi1>, tensor<8xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %16 = "stablehlo.gather"(%arg1, %15) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<8x1xi32>) -> tensor<8x32xf32>
    %17 = stablehlo.add %9, %16 : tensor<8x32xf32>
    %18 = stablehlo.iota dim = 0 : tensor<64xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [1] : (tensor<64xi32>) -> tensor<1x64xi32>
    %20 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %21 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x64xi32>) -> tensor<8x64xi32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x64xi32>
    %23 = stablehlo.compare LE, %21, %22, SIGNED : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%17 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_3 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %27 = stablehlo.divide %25, %26 : tensor<8x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %29 = stablehlo.subtract %17, %28 : tensor<8x32xf32>
    %30 = stablehlo.multiply %29, %29 : tensor<8x32xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%30 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_5 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %34 = stablehlo.divide %32, %33 : tensor<8x1xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %36 = stablehlo.add %34, %35 : tensor<8x1xf32>
    %37 = stablehlo.rsqrt %36 : tensor<8x1xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %39 = stablehlo.multiply %29, %38 : tensor<8x32xf32>
    %40 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %42 = stablehlo.multiply %39, %41 : tensor<8x32xf32>
    %43 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %45 = stablehlo.add %42, %44 : tensor<8x32xf32>
    %46 = stablehlo.dot_general %45, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x96xf32>) -> tensor<8x96xf32>
    %47 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<1x96xf32>) -> tensor<8x96xf32>
    %49 = stablehlo.add %46, %48 : tensor<8x96xf32>
    %50 = stablehlo.slice %49 [0:8, 0:32] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %51 = stablehlo.slice %49 [0:8, 32:64] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %52 = stablehlo.slice %49 [0:8, 64:96] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %53 = stablehlo.reshape %50 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %54 = stablehlo.transpose %53, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %55 = stablehlo.reshape %51 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %56 = stablehlo.transpose %55, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %57 = stablehlo.reshape %52 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %58 = stablehlo.transpose %57, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %59 = stablehlo.broadcast_in_dim %56, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %60 = stablehlo.compare LT, %arg43, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<64> : tensor<i32>
    %61 = stablehlo.add %arg43, %c_8 : tensor<i32>
    %62 = stablehlo.select %60, %61, %arg43 : tensor<i1>, tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.dynamic_update_slice %arg40, %59, %c_9, %c_10, %62, %c_11 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %64 = stablehlo.broadcast_in_dim %58, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %65 = stablehlo.compare LT, %arg43, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<64> : tensor<i32>
    %66 = stablehlo.add %arg43, %c_13 : tensor<i32>
    %67 = stablehlo.select %65, %66, %arg43 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.dynamic_update_slice %arg41, %64, %c_14, %c_15, %67, %c_16 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %69 = stablehlo.slice %63 [0:1, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %70 = stablehlo.reshape %69 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %71 = stablehlo.dot_general %70, %54, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x8xf32>) -> tensor<4x64x8xf32>
    %72 = stablehlo.transpose %71, dims = [0, 2, 1] : (tensor<4x64x8xf32>) -> tensor<4x8x64xf32>
    %cst_17 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %74 = stablehlo.divide %72, %73 : tensor<4x8x64xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %75 = call @_where(%23, %74, %cst_18) : (tensor<8x64xi1>, tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8x64xf32>
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_19) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %78 = stablehlo.maximum %77, %76 : tensor<4x8xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %81 = stablehlo.subtract %75, %80 : tensor<4x8x64xf32>
    %82 = stablehlo.exponential %81 : tensor<4x8x64xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %86 = stablehlo.divide %82, %85 : tensor<4x8x64xf32>
    %87 = stablehlo.slice %68 [0:1, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %88 = stablehlo.reshape %87 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %89 = stablehlo.dot_general %88, %86, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x64xf32>) -> tensor<4x8x8xf32>
    %90 = stablehlo.transpose %89, dims = [2, 0, 1] : (tensor<4x8x8xf32>) -> tensor<8x4x8xf32>
    %91 = stablehlo.reshape %90 : (tensor<8x4x8xf32>) -> tensor<8x32xf32>
    %92 = stablehlo.dot_general %91, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %93 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %95 = stablehlo.add %92, %94 : tensor<8x32xf32>
    %96 = stablehlo.add %17, %95 : tensor<8x32xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_22) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_23 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %100 = stablehlo.divide %98, %99 : tensor<8x1xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %102 = stablehlo.subtract %96, %101 : tensor<8x32xf32>
    %103 = stablehlo.multiply %102, %102 : tensor<8x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_25 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %107 = stablehlo.divide %105, %106 : tensor<8x1xf32>
    %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %109 = stablehlo.add %107, %108 : tensor<8x1xf32>
    %110 = stablehlo.rsqrt %109 : tensor<8x1xf32>
    %111 = stablehlo.broadcast_in_dim %110, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %112 = stablehlo.multiply %102, %111 : tensor<8x32xf32>
    %113 = stablehlo.broadcast_in_dim %arg8, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %115 = stablehlo.multiply %112, %114 : tensor<8x32xf32>
    %116 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %118 = stablehlo.add %115, %117 : tensor<8x32xf32>
    %119 = stablehlo.dot_general %118, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x128xf32>) -> tensor<8x128xf32>
    %120 = stablehlo.broadcast_in_dim %arg11, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<8x128xf32>
    %122 = stablehlo.add %119, %121 : tensor<8x128xf32>
    %123 = stablehlo.multiply %122, %122 : tensor<8x128xf32>
    %124 = stablehlo.multiply %123, %122 : tensor<8x128xf32>
    %cst_27 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %126 = stablehlo.multiply %125, %124 : tensor<8x128xf32>
    %127 = stablehlo.add %122, %126 : tensor<8x128xf32>
    %cst_28 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %129 = stablehlo.multiply %128, %127 : tensor<8x128xf32>
    %130 = stablehlo.tanh %129 : tensor<8x128xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %132 = stablehlo.add %131, %130 : tensor<8x128xf32>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %134 = stablehlo.multiply %133, %132 : tensor<8x128xf32>
    %135 = stablehlo.multiply %122, %134 : tensor<8x128xf32>
    %136 = stablehlo.dot_general %135, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x32xf32>) -> tensor<8x32xf32>
    %137 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %139 = stablehlo.add %136, %138 : tensor<8x32xf32>
    %140 = stablehlo.add %96, %139 : tensor<8x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_31) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_32 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %144 = stablehlo.divide %142, %143 : tensor<8x1xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %146 = stablehlo.subtract %140, %145 : tensor<8x32xf32>
    %147 = stablehlo.multiply %146, %146 : tensor<8x32xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.reduce(%147 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_34 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %151 = stablehlo.divide %149, %150 : tensor<8x1xf32>
    %cst_35 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %153 = stablehlo.add %151, %152 : tensor<8x1xf32>
    %154 = stablehlo.rsqrt %153 : tensor<8x1xf32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %156 = stablehlo.multiply %146, %155 : tensor<8x32xf32>
    %157 = stablehlo.broadcast_in_dim %arg14, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %158 = stablehlo.broadcast_in_dim %157, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %159 = stablehlo.multiply %156, %158 : tensor<8x32xf32>
    %160 = stablehlo.broadcast_in_dim %arg15, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %161 = stablehlo.broadcast_in_dim %160, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %162 = stablehlo.add %159, %161 : tensor<8x32xf32>
    %163 = stablehlo.dot_general %162, %arg16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x96xf32>) -> tensor<8x96xf32>
    %164 = stablehlo.broadcast_in_dim %arg17, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1] : (tensor<1x96xf32>) -> tensor<8x96xf32>
    %166 = stablehlo.add %163, %165 : tensor<8x96xf32>
    %167 = stablehlo.slice %166 [0:8, 0:32] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %168 = stablehlo.slice %166 [0:8, 32:64] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %169 = stablehlo.slice %166 [0:8, 64:96] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %170 = stablehlo.reshape %167 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %171 = stablehlo.transpose %170, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %172 = stablehlo.reshape %168 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %173 = stablehlo.transpose %172, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %174 = stablehlo.reshape %169 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %175 = stablehlo.transpose %174, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %176 = stablehlo.broadcast_in_dim %173, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %177 = stablehlo.compare LT, %arg43, %c_36, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_37 = stablehlo.constant dense<64> : tensor<i32>
    %178 = stablehlo.add %arg43, %c_37 : tensor<i32>
    %179 = stablehlo.select %177, %178, %arg43 : tensor<i1>, tensor<i32>
    %c_38 = stablehlo.constant dense<1> : tensor<i32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %180 = stablehlo.dynamic_update_slice %63, %176, %c_38, %c_39, %179, %c_40 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %181 = stablehlo.broadcast_in_dim %175, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %182 = stablehlo.compare LT, %arg43, %c_41, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_42 = stablehlo.constant dense<64> : tensor<i32>
    %183 = stablehlo.add %arg43, %c_42 : tensor<i32>
    %184 = stablehlo.select %182, %183, %arg43 : tensor<i1>, tensor<i32>
    %c_43 = stablehlo.constant dense<1> : tensor<i32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %185 = stablehlo.dynamic_update_slice %68, %181, %c_43, %c_44, %184, %c_45 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %186 = stablehlo.slice %180 [1:2, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %187 = stablehlo.reshape %186 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %188 = stablehlo.dot_general %187, %171, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x8xf32>) -> tensor<4x64x8xf32>
    %189 = stablehlo.transpose %188, dims = [0, 2, 1] : (tensor<4x64x8xf32>) -> tensor<4x8x64xf32>
    %cst_46 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %191 = stablehlo.divide %189, %190 : tensor<4x8x64xf32>
    %cst_47 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %192 = call @_where(%23, %191, %cst_47) : (tensor<8x64xi1>, tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8x64xf32>
    %cst_48 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %193 = stablehlo.reduce(%192 init: %cst_48) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_49 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %194 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %195 = stablehlo.maximum %194, %193 : tensor<4x8xf32>
    %196 = stablehlo.broadcast_in_dim %195, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %197 = stablehlo.broadcast_in_dim %196, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %198 = stablehlo.subtract %192, %197 : tensor<4x8x64xf32>
    %199 = stablehlo.exponential %198 : tensor<4x8x64xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %200 = stablehlo.reduce(%199 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %201 = stablehlo.broadcast_in_dim %200, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %203 = stablehlo.divide %199, %202 : tensor<4x8x64xf32>
    %204 = stablehlo.slice %185 [1:2, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %205 = stablehlo.reshape %204 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %206 = stablehlo.dot_general %205, %203, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x64xf32>) -> tensor<4x8x8xf32>
    %207 = stablehlo.transpose %206, dims = [2, 0, 1] : (tensor<4x8x8xf32>) -> tensor<8x4x8xf32>
    %208 = stablehlo.reshape %207 : (tensor<8x4x8xf32>) -> tensor<8x32xf32>
    %209 = stablehlo.dot_general %208, %arg18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %210 = stablehlo.broadcast_in_dim %arg19, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %211 = stablehlo.broadcast_in_dim %210, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %212 = stablehlo.add %209, %211 : tensor<8x32xf32>
    %213 = stablehlo.add %140, %212 : tensor<8x32xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.reduce(%213 init: %cst_51) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_52 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %217 = stablehlo.divide %215, %216 : tensor<8x1xf32>
    %218 = stablehlo.broadcast_in_dim %217, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %219 = stablehlo.subtract %213, %218 : tensor<8x32xf32>
    %220 = stablehlo.multiply %219, %219 : tensor<8x32xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %221 = stablehlo.reduce(%220 init: %cst_53) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %222 = stablehlo.broadcast_in_dim %221, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_54 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %224 = stablehlo.divide %222, %223 : tensor<8x1xf32>
    %cst_55 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %226 = stablehlo.add %224, %225 : tensor<8x1xf32>
    %227 = stablehlo.rsqrt %226 : tensor<8x1xf32>
    %228 = stablehlo.broadcast_in_dim %227, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %229 = stablehlo.multiply %219, %228 : tensor<8x32xf32>
    %230 = stablehlo.broadcast_in_dim %arg20, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %231 = stablehlo.broadcast_in_dim %230, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %232 = stablehlo.multiply %229, %231 : tensor<8x32xf32>
    %233 = stablehlo.broadcast_in_dim %arg21, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %235 = stablehlo.add %232, %234 : tensor<8x32xf32>
    %236 = stablehlo.dot_general %235, %arg22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x128xf32>) -> tensor<8x128xf32>
    %237 = stablehlo.broadcast_in_dim %arg23, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %238 = stablehlo.broadcast_in_dim %237, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<8x128xf32>
    %239 = stablehlo.add %236, %238 : tensor<8x128xf32>
    %240 = stablehlo.multiply %239, %239 : tensor<8x128xf32>
    %241 = stablehlo.multiply %240, %239 : tensor<8x128xf32>
    %cst_56 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %243 = stablehlo.multiply %242, %241 : tensor<8x128xf32>
    %244 = stablehlo.add %239, %243 : tensor<8x128xf32>
    %cst_57 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %246 = stablehlo.multiply %245, %244 : tensor<8x128xf32>
    %247 = stablehlo.tanh %246 : tensor<8x128xf32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %249 = stablehlo.add %248, %247 : tensor<8x128xf32>
    %cst_59 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %251 = stablehlo.multiply %250, %249 : tensor<8x128xf32>
    %252 = stablehlo.multiply %239, %251 : tensor<8x128xf32>
    %253 = stablehlo.dot_general %252, %arg24, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x32xf32>) -> tensor<8x32xf32>
    %254 = stablehlo.broadcast_in_dim %arg25, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %256 = stablehlo.add %253, %255 : tensor<8x32xf32>
    %257 = stablehlo.add %213, %256 : tensor<8x32xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.reduce(%257 init: %cst_60) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %259 = stablehlo.broadcast_in_dim %258, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_61 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %261 = stablehlo.divide %259, %260 : tensor<8x1xf32>
    %262 = stablehlo.broadcast_in_dim %261, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %263 = stablehlo.subtract %257, %262 : tensor<8x32xf32>
    %264 = stablehlo.multiply %263, %263 : tensor<8x32xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.reduce(%264 init: %cst_62) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %266 = stablehlo.broadcast_in_dim %265, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_63 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %268 = stablehlo.divide %266, %267 : tensor<8x1xf32>
    %cst_64 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %269 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %270 = stablehlo.add %268, %269 : tensor<8x1xf32>
    %271 = stablehlo.rsqrt %270 : tensor<8x1xf32>
    %272 = stablehlo.broadcast_in_dim %271, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %273 = stablehlo.multiply %263, %272 : tensor<8x32xf32>
    %274 = stablehlo.broadcast_in_dim %arg26, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %275 = stablehlo.broadcast_in_dim %274, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %276 = stablehlo.multiply %273, %275 : tensor<8x32xf32>
    %277 = stablehlo.broadcast_in_dim %arg27, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %278 = stablehlo.broadcast_in_dim %277, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %279 = stablehlo.add %276, %278 : tensor<8x32xf32>
    %280 = stablehlo.dot_general %279, %arg28, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x96xf32>) -> tensor<8x96xf32>
    %281 = stablehlo.broadcast_in_dim %arg29, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %282 = stablehlo.broadcast_in_dim %281, dims = [0, 1] : (tensor<1x96xf32>) -> tensor<8x96xf32>
    %283 = stablehlo.add %280, %282 : tensor<8x96xf32>
    %284 = stablehlo.slice %283 [0:8, 0:32] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %285 = stablehlo.slice %283 [0:8, 32:64] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %286 = stablehlo.slice %283 [0:8, 64:96] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %287 = stablehlo.reshape %284 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %288 = stablehlo.transpose %287, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %289 = stablehlo.reshape %285 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %290 = stablehlo.transpose %289, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %291 = stablehlo.reshape %286 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %292 = stablehlo.transpose %291, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %293 = stablehlo.broadcast_in_dim %290, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_65 = stablehlo.constant dense<0> : tensor<i32>
    %294 = stablehlo.compare LT, %arg43, %c_65, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_66 = stablehlo.constant dense<64> : tensor<i32>
    %295 = stablehlo.add %arg43, %c_66 : tensor<i32>
    %296 = stablehlo.select %294, %295, %arg43 : tensor<i1>, tensor<i32>
    %c_67 = stablehlo.constant dense<2> : tensor<i32>
    %c_68 = stablehlo.constant dense<0> : tensor<i32>
    %c_69 = stablehlo.constant dense<0> : tensor<i32>
    %297 = stablehlo.dynamic_update_slice %180, %293, %c_67, %c_68, %296, %c_69 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %298 = stablehlo.broadcast_in_dim %292, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_70 = stablehlo.constant dense<0> : tensor<i32>
    %299 = stablehlo.compare LT, %arg43, %c_70, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_71 = stablehlo.constant dense<64> : tensor<i32>
    %300 = stablehlo.add %arg43, %c_71 : tensor<i32>
    %301 = stablehlo.select %299, %300, %arg43 : tensor<i1>, tensor<i32>
    %c_72 = stablehlo.constant dense<2> : tensor<i32>
    %c_73 = stablehlo.constant dense<0> : tensor<i32>
    %c_74 = stablehlo.constant dense<0> : tensor<i32>
    %302 = stablehlo.dynamic_update_slice %185, %298, %c_72, %c_73, %301, %c_74 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %303 = stablehlo.slice %297 [2:3, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %304 = stablehlo.reshape %303 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %305 = stablehlo.dot_general %304, %288, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x8xf32>) -> tensor<4x64x8xf32>
    %306 = stablehlo.transpose %305, dims = [0, 2, 1] : (tensor<4x64x8xf32>) -> tensor<4x8x64xf32>
    %cst_75 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %307 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %308 = stablehlo.divide %306, %307 : tensor<4x8x64xf32>
    %cst_76 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %309 = call @_where(%23, %308, %cst_76) : (tensor<8x64xi1>, tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8x64xf32>
    %cst_77 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %310 = stablehlo.reduce(%309 init: %cst_77) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_78 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %311 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %312 = stablehlo.maximum %311, %310 : tensor<4x8xf32>
    %313 = stablehlo.broadcast_in_dim %312, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %315 = stablehlo.subtract %309, %314 : tensor<4x8x64xf32>
    %316 = stablehlo.exponential %315 : tensor<4x8x64xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %317 = stablehlo.reduce(%316 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %318 = stablehlo.broadcast_in_dim %317, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %319 = stablehlo.broadcast_in_dim %318, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %320 = stablehlo.divide %316, %319 : tensor<4x8x64xf32>
    %321 = stablehlo.slice %302 [2:3, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %322 = stablehlo.reshape %321 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %323 = stablehlo.dot_general %322, %320, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x64xf32>) -> tensor<4x8x8xf32>
    %324 = stablehlo.transpose %323, dims = [2, 0, 1] : (tensor<4x8x8xf32>) -> tensor<8x4x8xf32>
    %325 = stablehlo.reshape %324 : (tensor<8x4x8xf32>) -> tensor<8x32xf32>
    %326 = stablehlo.dot_general %325, %arg30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %327 = stablehlo.broadcast_in_dim %arg31, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %328 = stablehlo.broadcast_in_dim %327, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %329 = stablehlo.add %326, %328 : tensor<8x32xf32>
    %330 = stablehlo.add %257, %329 : tensor<8x32xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_80) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %332 = stablehlo.broadcast_in_dim %331, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_81 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %333 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %334 = stablehlo.divide %332, %333 : tensor<8x1xf32>
    %335 = stablehlo.broadcast_in_dim %334, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %336 = stablehlo.subtract %330, %335 : tensor<8x32xf32>
    %337 = stablehlo.multiply %336, %336 : tensor<8x32xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %338 = stablehlo.reduce(%337 init: %cst_82) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %339 = stablehlo.broadcast_in_dim %338, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_83 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %341 = stablehlo.divide %339, %340 : tensor<8x1xf32>
    %cst_84 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %342 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %343 = stablehlo.add %341, %342 : tensor<8x1xf32>
    %344 = stablehlo.rsqrt %343 : tensor<8x1xf32>
    %345 = stablehlo.broadcast_in_dim %344, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %346 = stablehlo.multiply %336, %345 : tensor<8x32xf32>
    %347 = stablehlo.broadcast_in_dim %arg32, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %348 = stablehlo.broadcast_in_dim %347, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %349 = stablehlo.multiply %346, %348 : tensor<8x32xf32>
    %350 = stablehlo.broadcast_in_dim %arg33, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %351 = stablehlo.broadcast_in_dim %350, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %352 = stablehlo.add %349, %351 : tensor<8x32xf32>
    %353 = stablehlo.dot_general %352, %arg34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x128xf32>) -> tensor<8x128xf32>
    %354 = stablehlo.broadcast_in_dim %arg35, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %355 = stablehlo.broadcast_in_dim %354, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<8x128xf32>
    %356 = stablehlo.add %353, %355 : tensor<8x128xf32>
    %357 = stablehlo.multiply %356, %356 : tensor<8x128xf32>
    %358 = stablehlo.multiply %357, %356 : tensor<8x128xf32>
    %cst_85 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %360 = stablehlo.multiply %359, %358 : tensor<8x128xf32>
    %361 = stablehlo.add %356, %360 : tensor<8x128xf32>
    %cst_86 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %362 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %363 = stablehlo.multiply %362, %361 : tensor<8x128xf32>
    %364 = stablehlo.tanh %363 : tensor<8x128xf32>
    %cst_87 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %365 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %366 = stablehlo.add %365, %364 : tensor<8x128xf32>
    %cst_88 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %367 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %368 = stablehlo.multiply %367, %366 : tensor<8x128xf32>
    %369 = stablehlo.multiply %356, %368 : tensor<8x128xf32>
    %370 = stablehlo.dot_general %369, %arg36, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x32xf32>) -> tensor<8x32xf32>
    %371 = stablehlo.broadcast_in_dim %arg37, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %372 = stablehlo.broadcast_in_dim %371, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %373 = stablehlo.add %370, %372 : tensor<8x32xf32>
    %374 = stablehlo.add %330, %373 : tensor<8x32xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %375 = stablehlo.reduce(%374 init: %cst_89) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %376 = stablehlo.broadcast_in_dim %375, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_90 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %377 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %378 = stablehlo.divide %376, %377 : tensor<8x1xf32>
    %379 = stablehlo.broadcast_in_dim %378, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %380 = stablehlo.subtract %374, %379 : tensor<8x32xf32>
    %381 = stablehlo.multiply %380, %380 : tensor<8x32xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%381 init: %cst_91) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %383 = stablehlo.broadcast_in_dim %382, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_92 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %384 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %385 = stablehlo.divide %383, %384 : tensor<8x1xf32>
    %cst_93 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %386 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %387 = stablehlo.add %385, %386 : tensor<8x1xf32>
    %388 = stablehlo.rsqrt %387 : tensor<8x1xf32>
    %389 = stablehlo.broadcast_in_dim %388, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %390 = stablehlo.multiply %380, %389 : tensor<8x32xf32>
    %391 = stablehlo.broadcast_in_dim %arg38, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %392 = stablehlo.broadcast_in_dim %391, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %393 = stablehlo.multiply %390, %392 : tensor<8x32xf32>
    %394 = stablehlo.broadcast_in_dim %arg39, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %395 = stablehlo.broadcast_in_dim %394, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %396 = stablehlo.add %393, %395 : tensor<8x32xf32>
    %397 = stablehlo.transpose %396, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %398 = stablehlo.dot_general %arg0, %397, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x32xf32>, tensor<32x8xf32>) -> tensor<128x8xf32>
    %399 = stablehlo.transpose %398, dims = [1, 0] : (tensor<128x8xf32>) -> tensor<8x128xf32>
    return %399, %297, %302 : tensor<8x128xf32>, tensor<3x4x64x8xf32>, tensor<3x4x64x8xf32>
  }
  func.func private @_where(%arg0: tensor<8x64xi1>, %arg1: tensor<4x8x64xf32>, %arg2: tensor<f32>) -> tensor<4x8x64xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<8x64xi1>) -> tensor<4x8x64xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x8x64xi1>, tensor<4x8x64xf32>
    return %3 : tensor<4x8x64xf32>
  }
}
