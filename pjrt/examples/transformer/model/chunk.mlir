module @jit_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x32xf32>, %arg1: tensor<64x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x96xf32>, %arg5: tensor<96xf32>, %arg6: tensor<32x32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<32x128xf32>, %arg11: tensor<128xf32>, %arg12: tensor<128x32xf32>, %arg13: tensor<32xf32>, %arg14: tensor<32xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32x96xf32>, %arg17: tensor<96xf32>, %arg18: tensor<32x32xf32>, %arg19: tensor<32xf32>, %arg20: tensor<32xf32>, %arg21: tensor<32xf32>, %arg22: tensor<32x128xf32>, %arg23: tensor<128xf32>, %arg24: tensor<128x32xf32>, %arg25: tensor<32xf32>, %arg26: tensor<32xf32>, %arg27: tensor<32xf32>, %arg28: tensor<32x96xf32>, %arg29: tensor<96xf32>, %arg30: tensor<32x32xf32>, %arg31: tensor<32xf32>, %arg32: tensor<32xf32>, %arg33: tensor<32xf32>, %arg34: tensor<32x128xf32>, %arg35: tensor<128xf32>, %arg36: tensor<128x32xf32>, %arg37: tensor<32xf32>, %arg38: tensor<32xf32>, %arg39: tensor<32xf32>, %arg40: tensor<3x4x64x8xf32> {tf.aliasing_output = 1 : i32}, %arg41: tensor<3x4x64x8xf32> {tf.aliasing_output = 2 : i32}, %arg42: tensor<8xi32>, %arg43: tensor<i32>) -> (tensor<8x128xf32> {jax.result_info = "result[0]"}, tensor<3x4x64x8xf32> {jax.result_info = "result[1].keys"}, tensor<3x4x64x8xf32> {jax.result_info = "result[1].values"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %1 = stablehlo.broadcast_in_dim %arg43, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.add %1, %0 : tensor<8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.compare  LT, %arg42, %3,  SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_0 = stablehlo.constant dense<128> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.add %arg42, %5 : tensor<8xi32>
    %7 = stablehlo.select %4, %6, %arg42 : tensor<8xi1>, tensor<8xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %9 = "stablehlo.gather"(%arg0, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<128x32xf32>, tensor<8x1xi32>) -> tensor<8x32xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %11 = stablehlo.compare  LT, %2, %10,  SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
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
    %23 = stablehlo.compare  LE, %21, %22,  SIGNED : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
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
    %60 = stablehlo.compare  LT, %arg43, %c_7,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<64> : tensor<i32>
    %61 = stablehlo.add %arg43, %c_8 : tensor<i32>
    %62 = stablehlo.select %60, %61, %arg43 : tensor<i1>, tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.dynamic_update_slice %arg40, %59, %c_9, %c_10, %62, %c_11 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %64 = stablehlo.broadcast_in_dim %58, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %65 = stablehlo.compare  LT, %arg43, %c_12,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<64> : tensor<i32>
    %66 = stablehlo.add %arg43, %c_13 : tensor<i32>
    %67 = stablehlo.select %65, %66, %arg43 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.dynamic_update_slice %arg41, %64, %c_14, %c_15, %67, %c_16 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %69 = stablehlo.slice %63 [0:1, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %70 = stablehlo.reshape %69 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %71 = stablehlo.dot_general %54, %70, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x8xf32>, tensor<4x64x8xf32>) -> tensor<4x8x64xf32>
    %cst_17 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %73 = stablehlo.divide %71, %72 : tensor<4x8x64xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %74 = call @_where(%23, %73, %cst_18) : (tensor<8x64xi1>, tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8x64xf32>
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %75 = stablehlo.reduce(%74 init: %cst_19) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %77 = stablehlo.maximum %76, %75 : tensor<4x8xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %80 = stablehlo.subtract %74, %79 : tensor<4x8x64xf32>
    %81 = stablehlo.exponential %80 : tensor<4x8x64xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %85 = stablehlo.divide %81, %84 : tensor<4x8x64xf32>
    %86 = stablehlo.slice %68 [0:1, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %87 = stablehlo.reshape %86 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %88 = stablehlo.dot_general %87, %85, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x64xf32>) -> tensor<4x8x8xf32>
    %89 = stablehlo.transpose %88, dims = [2, 0, 1] : (tensor<4x8x8xf32>) -> tensor<8x4x8xf32>
    %90 = stablehlo.reshape %89 : (tensor<8x4x8xf32>) -> tensor<8x32xf32>
    %91 = stablehlo.dot_general %90, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %92 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %94 = stablehlo.add %91, %93 : tensor<8x32xf32>
    %95 = stablehlo.add %17, %94 : tensor<8x32xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_22) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_23 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %99 = stablehlo.divide %97, %98 : tensor<8x1xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %101 = stablehlo.subtract %95, %100 : tensor<8x32xf32>
    %102 = stablehlo.multiply %101, %101 : tensor<8x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_25 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %106 = stablehlo.divide %104, %105 : tensor<8x1xf32>
    %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %108 = stablehlo.add %106, %107 : tensor<8x1xf32>
    %109 = stablehlo.rsqrt %108 : tensor<8x1xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %111 = stablehlo.multiply %101, %110 : tensor<8x32xf32>
    %112 = stablehlo.broadcast_in_dim %arg8, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %114 = stablehlo.multiply %111, %113 : tensor<8x32xf32>
    %115 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %117 = stablehlo.add %114, %116 : tensor<8x32xf32>
    %118 = stablehlo.dot_general %117, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x128xf32>) -> tensor<8x128xf32>
    %119 = stablehlo.broadcast_in_dim %arg11, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<8x128xf32>
    %121 = stablehlo.add %118, %120 : tensor<8x128xf32>
    %122 = stablehlo.multiply %121, %121 : tensor<8x128xf32>
    %123 = stablehlo.multiply %122, %121 : tensor<8x128xf32>
    %cst_27 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %125 = stablehlo.multiply %124, %123 : tensor<8x128xf32>
    %126 = stablehlo.add %121, %125 : tensor<8x128xf32>
    %cst_28 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %128 = stablehlo.multiply %127, %126 : tensor<8x128xf32>
    %129 = stablehlo.tanh %128 : tensor<8x128xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %131 = stablehlo.add %130, %129 : tensor<8x128xf32>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %133 = stablehlo.multiply %132, %131 : tensor<8x128xf32>
    %134 = stablehlo.multiply %121, %133 : tensor<8x128xf32>
    %135 = stablehlo.dot_general %134, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x32xf32>) -> tensor<8x32xf32>
    %136 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %138 = stablehlo.add %135, %137 : tensor<8x32xf32>
    %139 = stablehlo.add %95, %138 : tensor<8x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.reduce(%139 init: %cst_31) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_32 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %143 = stablehlo.divide %141, %142 : tensor<8x1xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %145 = stablehlo.subtract %139, %144 : tensor<8x32xf32>
    %146 = stablehlo.multiply %145, %145 : tensor<8x32xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_34 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %150 = stablehlo.divide %148, %149 : tensor<8x1xf32>
    %cst_35 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %152 = stablehlo.add %150, %151 : tensor<8x1xf32>
    %153 = stablehlo.rsqrt %152 : tensor<8x1xf32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %155 = stablehlo.multiply %145, %154 : tensor<8x32xf32>
    %156 = stablehlo.broadcast_in_dim %arg14, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %158 = stablehlo.multiply %155, %157 : tensor<8x32xf32>
    %159 = stablehlo.broadcast_in_dim %arg15, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %161 = stablehlo.add %158, %160 : tensor<8x32xf32>
    %162 = stablehlo.dot_general %161, %arg16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x96xf32>) -> tensor<8x96xf32>
    %163 = stablehlo.broadcast_in_dim %arg17, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1] : (tensor<1x96xf32>) -> tensor<8x96xf32>
    %165 = stablehlo.add %162, %164 : tensor<8x96xf32>
    %166 = stablehlo.slice %165 [0:8, 0:32] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %167 = stablehlo.slice %165 [0:8, 32:64] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %168 = stablehlo.slice %165 [0:8, 64:96] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %169 = stablehlo.reshape %166 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %170 = stablehlo.transpose %169, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %171 = stablehlo.reshape %167 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %172 = stablehlo.transpose %171, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %173 = stablehlo.reshape %168 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %174 = stablehlo.transpose %173, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %175 = stablehlo.broadcast_in_dim %172, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %176 = stablehlo.compare  LT, %arg43, %c_36,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_37 = stablehlo.constant dense<64> : tensor<i32>
    %177 = stablehlo.add %arg43, %c_37 : tensor<i32>
    %178 = stablehlo.select %176, %177, %arg43 : tensor<i1>, tensor<i32>
    %c_38 = stablehlo.constant dense<1> : tensor<i32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %179 = stablehlo.dynamic_update_slice %63, %175, %c_38, %c_39, %178, %c_40 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %180 = stablehlo.broadcast_in_dim %174, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %181 = stablehlo.compare  LT, %arg43, %c_41,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_42 = stablehlo.constant dense<64> : tensor<i32>
    %182 = stablehlo.add %arg43, %c_42 : tensor<i32>
    %183 = stablehlo.select %181, %182, %arg43 : tensor<i1>, tensor<i32>
    %c_43 = stablehlo.constant dense<1> : tensor<i32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %184 = stablehlo.dynamic_update_slice %68, %180, %c_43, %c_44, %183, %c_45 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %185 = stablehlo.slice %179 [1:2, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %186 = stablehlo.reshape %185 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %187 = stablehlo.dot_general %170, %186, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x8xf32>, tensor<4x64x8xf32>) -> tensor<4x8x64xf32>
    %cst_46 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %189 = stablehlo.divide %187, %188 : tensor<4x8x64xf32>
    %cst_47 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %190 = call @_where(%23, %189, %cst_47) : (tensor<8x64xi1>, tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8x64xf32>
    %cst_48 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %191 = stablehlo.reduce(%190 init: %cst_48) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_49 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %193 = stablehlo.maximum %192, %191 : tensor<4x8xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %196 = stablehlo.subtract %190, %195 : tensor<4x8x64xf32>
    %197 = stablehlo.exponential %196 : tensor<4x8x64xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.reduce(%197 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %199 = stablehlo.broadcast_in_dim %198, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %201 = stablehlo.divide %197, %200 : tensor<4x8x64xf32>
    %202 = stablehlo.slice %184 [1:2, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %203 = stablehlo.reshape %202 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %204 = stablehlo.dot_general %203, %201, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x64xf32>) -> tensor<4x8x8xf32>
    %205 = stablehlo.transpose %204, dims = [2, 0, 1] : (tensor<4x8x8xf32>) -> tensor<8x4x8xf32>
    %206 = stablehlo.reshape %205 : (tensor<8x4x8xf32>) -> tensor<8x32xf32>
    %207 = stablehlo.dot_general %206, %arg18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %208 = stablehlo.broadcast_in_dim %arg19, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %210 = stablehlo.add %207, %209 : tensor<8x32xf32>
    %211 = stablehlo.add %139, %210 : tensor<8x32xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %212 = stablehlo.reduce(%211 init: %cst_51) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_52 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %215 = stablehlo.divide %213, %214 : tensor<8x1xf32>
    %216 = stablehlo.broadcast_in_dim %215, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %217 = stablehlo.subtract %211, %216 : tensor<8x32xf32>
    %218 = stablehlo.multiply %217, %217 : tensor<8x32xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %219 = stablehlo.reduce(%218 init: %cst_53) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %220 = stablehlo.broadcast_in_dim %219, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_54 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %222 = stablehlo.divide %220, %221 : tensor<8x1xf32>
    %cst_55 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %224 = stablehlo.add %222, %223 : tensor<8x1xf32>
    %225 = stablehlo.rsqrt %224 : tensor<8x1xf32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %227 = stablehlo.multiply %217, %226 : tensor<8x32xf32>
    %228 = stablehlo.broadcast_in_dim %arg20, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %229 = stablehlo.broadcast_in_dim %228, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %230 = stablehlo.multiply %227, %229 : tensor<8x32xf32>
    %231 = stablehlo.broadcast_in_dim %arg21, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %232 = stablehlo.broadcast_in_dim %231, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %233 = stablehlo.add %230, %232 : tensor<8x32xf32>
    %234 = stablehlo.dot_general %233, %arg22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x128xf32>) -> tensor<8x128xf32>
    %235 = stablehlo.broadcast_in_dim %arg23, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %236 = stablehlo.broadcast_in_dim %235, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<8x128xf32>
    %237 = stablehlo.add %234, %236 : tensor<8x128xf32>
    %238 = stablehlo.multiply %237, %237 : tensor<8x128xf32>
    %239 = stablehlo.multiply %238, %237 : tensor<8x128xf32>
    %cst_56 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %241 = stablehlo.multiply %240, %239 : tensor<8x128xf32>
    %242 = stablehlo.add %237, %241 : tensor<8x128xf32>
    %cst_57 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %244 = stablehlo.multiply %243, %242 : tensor<8x128xf32>
    %245 = stablehlo.tanh %244 : tensor<8x128xf32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %247 = stablehlo.add %246, %245 : tensor<8x128xf32>
    %cst_59 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %249 = stablehlo.multiply %248, %247 : tensor<8x128xf32>
    %250 = stablehlo.multiply %237, %249 : tensor<8x128xf32>
    %251 = stablehlo.dot_general %250, %arg24, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x32xf32>) -> tensor<8x32xf32>
    %252 = stablehlo.broadcast_in_dim %arg25, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %253 = stablehlo.broadcast_in_dim %252, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %254 = stablehlo.add %251, %253 : tensor<8x32xf32>
    %255 = stablehlo.add %211, %254 : tensor<8x32xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %256 = stablehlo.reduce(%255 init: %cst_60) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %257 = stablehlo.broadcast_in_dim %256, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_61 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %259 = stablehlo.divide %257, %258 : tensor<8x1xf32>
    %260 = stablehlo.broadcast_in_dim %259, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %261 = stablehlo.subtract %255, %260 : tensor<8x32xf32>
    %262 = stablehlo.multiply %261, %261 : tensor<8x32xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%262 init: %cst_62) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %264 = stablehlo.broadcast_in_dim %263, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_63 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %265 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %266 = stablehlo.divide %264, %265 : tensor<8x1xf32>
    %cst_64 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %268 = stablehlo.add %266, %267 : tensor<8x1xf32>
    %269 = stablehlo.rsqrt %268 : tensor<8x1xf32>
    %270 = stablehlo.broadcast_in_dim %269, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %271 = stablehlo.multiply %261, %270 : tensor<8x32xf32>
    %272 = stablehlo.broadcast_in_dim %arg26, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %273 = stablehlo.broadcast_in_dim %272, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %274 = stablehlo.multiply %271, %273 : tensor<8x32xf32>
    %275 = stablehlo.broadcast_in_dim %arg27, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %276 = stablehlo.broadcast_in_dim %275, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %277 = stablehlo.add %274, %276 : tensor<8x32xf32>
    %278 = stablehlo.dot_general %277, %arg28, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x96xf32>) -> tensor<8x96xf32>
    %279 = stablehlo.broadcast_in_dim %arg29, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %280 = stablehlo.broadcast_in_dim %279, dims = [0, 1] : (tensor<1x96xf32>) -> tensor<8x96xf32>
    %281 = stablehlo.add %278, %280 : tensor<8x96xf32>
    %282 = stablehlo.slice %281 [0:8, 0:32] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %283 = stablehlo.slice %281 [0:8, 32:64] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %284 = stablehlo.slice %281 [0:8, 64:96] : (tensor<8x96xf32>) -> tensor<8x32xf32>
    %285 = stablehlo.reshape %282 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %286 = stablehlo.transpose %285, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %287 = stablehlo.reshape %283 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %288 = stablehlo.transpose %287, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %289 = stablehlo.reshape %284 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
    %290 = stablehlo.transpose %289, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
    %291 = stablehlo.broadcast_in_dim %288, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_65 = stablehlo.constant dense<0> : tensor<i32>
    %292 = stablehlo.compare  LT, %arg43, %c_65,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_66 = stablehlo.constant dense<64> : tensor<i32>
    %293 = stablehlo.add %arg43, %c_66 : tensor<i32>
    %294 = stablehlo.select %292, %293, %arg43 : tensor<i1>, tensor<i32>
    %c_67 = stablehlo.constant dense<2> : tensor<i32>
    %c_68 = stablehlo.constant dense<0> : tensor<i32>
    %c_69 = stablehlo.constant dense<0> : tensor<i32>
    %295 = stablehlo.dynamic_update_slice %179, %291, %c_67, %c_68, %294, %c_69 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %296 = stablehlo.broadcast_in_dim %290, dims = [1, 2, 3] : (tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %c_70 = stablehlo.constant dense<0> : tensor<i32>
    %297 = stablehlo.compare  LT, %arg43, %c_70,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_71 = stablehlo.constant dense<64> : tensor<i32>
    %298 = stablehlo.add %arg43, %c_71 : tensor<i32>
    %299 = stablehlo.select %297, %298, %arg43 : tensor<i1>, tensor<i32>
    %c_72 = stablehlo.constant dense<2> : tensor<i32>
    %c_73 = stablehlo.constant dense<0> : tensor<i32>
    %c_74 = stablehlo.constant dense<0> : tensor<i32>
    %300 = stablehlo.dynamic_update_slice %184, %296, %c_72, %c_73, %299, %c_74 : (tensor<3x4x64x8xf32>, tensor<1x4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %301 = stablehlo.slice %295 [2:3, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %302 = stablehlo.reshape %301 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %303 = stablehlo.dot_general %286, %302, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x8xf32>, tensor<4x64x8xf32>) -> tensor<4x8x64xf32>
    %cst_75 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %304 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %305 = stablehlo.divide %303, %304 : tensor<4x8x64xf32>
    %cst_76 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %306 = call @_where(%23, %305, %cst_76) : (tensor<8x64xi1>, tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8x64xf32>
    %cst_77 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %307 = stablehlo.reduce(%306 init: %cst_77) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_78 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %308 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %309 = stablehlo.maximum %308, %307 : tensor<4x8xf32>
    %310 = stablehlo.broadcast_in_dim %309, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %311 = stablehlo.broadcast_in_dim %310, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %312 = stablehlo.subtract %306, %311 : tensor<4x8x64xf32>
    %313 = stablehlo.exponential %312 : tensor<4x8x64xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %314 = stablehlo.reduce(%313 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<4x8x64xf32>, tensor<f32>) -> tensor<4x8xf32>
    %315 = stablehlo.broadcast_in_dim %314, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %316 = stablehlo.broadcast_in_dim %315, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
    %317 = stablehlo.divide %313, %316 : tensor<4x8x64xf32>
    %318 = stablehlo.slice %300 [2:3, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %319 = stablehlo.reshape %318 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %320 = stablehlo.dot_general %319, %317, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x8x64xf32>) -> tensor<4x8x8xf32>
    %321 = stablehlo.transpose %320, dims = [2, 0, 1] : (tensor<4x8x8xf32>) -> tensor<8x4x8xf32>
    %322 = stablehlo.reshape %321 : (tensor<8x4x8xf32>) -> tensor<8x32xf32>
    %323 = stablehlo.dot_general %322, %arg30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %324 = stablehlo.broadcast_in_dim %arg31, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %325 = stablehlo.broadcast_in_dim %324, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %326 = stablehlo.add %323, %325 : tensor<8x32xf32>
    %327 = stablehlo.add %255, %326 : tensor<8x32xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %328 = stablehlo.reduce(%327 init: %cst_80) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %329 = stablehlo.broadcast_in_dim %328, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_81 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %330 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %331 = stablehlo.divide %329, %330 : tensor<8x1xf32>
    %332 = stablehlo.broadcast_in_dim %331, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %333 = stablehlo.subtract %327, %332 : tensor<8x32xf32>
    %334 = stablehlo.multiply %333, %333 : tensor<8x32xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %335 = stablehlo.reduce(%334 init: %cst_82) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %336 = stablehlo.broadcast_in_dim %335, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_83 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %337 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %338 = stablehlo.divide %336, %337 : tensor<8x1xf32>
    %cst_84 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %339 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %340 = stablehlo.add %338, %339 : tensor<8x1xf32>
    %341 = stablehlo.rsqrt %340 : tensor<8x1xf32>
    %342 = stablehlo.broadcast_in_dim %341, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %343 = stablehlo.multiply %333, %342 : tensor<8x32xf32>
    %344 = stablehlo.broadcast_in_dim %arg32, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %345 = stablehlo.broadcast_in_dim %344, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %346 = stablehlo.multiply %343, %345 : tensor<8x32xf32>
    %347 = stablehlo.broadcast_in_dim %arg33, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %348 = stablehlo.broadcast_in_dim %347, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %349 = stablehlo.add %346, %348 : tensor<8x32xf32>
    %350 = stablehlo.dot_general %349, %arg34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x128xf32>) -> tensor<8x128xf32>
    %351 = stablehlo.broadcast_in_dim %arg35, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %352 = stablehlo.broadcast_in_dim %351, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<8x128xf32>
    %353 = stablehlo.add %350, %352 : tensor<8x128xf32>
    %354 = stablehlo.multiply %353, %353 : tensor<8x128xf32>
    %355 = stablehlo.multiply %354, %353 : tensor<8x128xf32>
    %cst_85 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %356 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %357 = stablehlo.multiply %356, %355 : tensor<8x128xf32>
    %358 = stablehlo.add %353, %357 : tensor<8x128xf32>
    %cst_86 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %360 = stablehlo.multiply %359, %358 : tensor<8x128xf32>
    %361 = stablehlo.tanh %360 : tensor<8x128xf32>
    %cst_87 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %362 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %363 = stablehlo.add %362, %361 : tensor<8x128xf32>
    %cst_88 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %364 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %365 = stablehlo.multiply %364, %363 : tensor<8x128xf32>
    %366 = stablehlo.multiply %353, %365 : tensor<8x128xf32>
    %367 = stablehlo.dot_general %366, %arg36, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x32xf32>) -> tensor<8x32xf32>
    %368 = stablehlo.broadcast_in_dim %arg37, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %369 = stablehlo.broadcast_in_dim %368, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %370 = stablehlo.add %367, %369 : tensor<8x32xf32>
    %371 = stablehlo.add %327, %370 : tensor<8x32xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %372 = stablehlo.reduce(%371 init: %cst_89) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %373 = stablehlo.broadcast_in_dim %372, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_90 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %374 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %375 = stablehlo.divide %373, %374 : tensor<8x1xf32>
    %376 = stablehlo.broadcast_in_dim %375, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %377 = stablehlo.subtract %371, %376 : tensor<8x32xf32>
    %378 = stablehlo.multiply %377, %377 : tensor<8x32xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %379 = stablehlo.reduce(%378 init: %cst_91) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %380 = stablehlo.broadcast_in_dim %379, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_92 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %381 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %382 = stablehlo.divide %380, %381 : tensor<8x1xf32>
    %cst_93 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %383 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %384 = stablehlo.add %382, %383 : tensor<8x1xf32>
    %385 = stablehlo.rsqrt %384 : tensor<8x1xf32>
    %386 = stablehlo.broadcast_in_dim %385, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x32xf32>
    %387 = stablehlo.multiply %377, %386 : tensor<8x32xf32>
    %388 = stablehlo.broadcast_in_dim %arg38, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %389 = stablehlo.broadcast_in_dim %388, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %390 = stablehlo.multiply %387, %389 : tensor<8x32xf32>
    %391 = stablehlo.broadcast_in_dim %arg39, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %392 = stablehlo.broadcast_in_dim %391, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %393 = stablehlo.add %390, %392 : tensor<8x32xf32>
    %394 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %395 = stablehlo.dot_general %393, %394, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x128xf32>) -> tensor<8x128xf32>
    return %395, %295, %300 : tensor<8x128xf32>, tensor<3x4x64x8xf32>, tensor<3x4x64x8xf32>
  }
  func.func private @_where(%arg0: tensor<8x64xi1>, %arg1: tensor<4x8x64xf32>, %arg2: tensor<f32>) -> tensor<4x8x64xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<8x64xi1>) -> tensor<4x8x64xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x8x64xi1>, tensor<4x8x64xf32>
    return %3 : tensor<4x8x64xf32>
  }
}
