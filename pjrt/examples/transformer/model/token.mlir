module @jit_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x32xf32>, %arg1: tensor<64x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x96xf32>, %arg5: tensor<96xf32>, %arg6: tensor<32x32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<32x128xf32>, %arg11: tensor<128xf32>, %arg12: tensor<128x32xf32>, %arg13: tensor<32xf32>, %arg14: tensor<32xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32x96xf32>, %arg17: tensor<96xf32>, %arg18: tensor<32x32xf32>, %arg19: tensor<32xf32>, %arg20: tensor<32xf32>, %arg21: tensor<32xf32>, %arg22: tensor<32x128xf32>, %arg23: tensor<128xf32>, %arg24: tensor<128x32xf32>, %arg25: tensor<32xf32>, %arg26: tensor<32xf32>, %arg27: tensor<32xf32>, %arg28: tensor<32x96xf32>, %arg29: tensor<96xf32>, %arg30: tensor<32x32xf32>, %arg31: tensor<32xf32>, %arg32: tensor<32xf32>, %arg33: tensor<32xf32>, %arg34: tensor<32x128xf32>, %arg35: tensor<128xf32>, %arg36: tensor<128x32xf32>, %arg37: tensor<32xf32>, %arg38: tensor<32xf32>, %arg39: tensor<32xf32>, %arg40: tensor<3x4x64x8xf32> {tf.aliasing_output = 1 : i32}, %arg41: tensor<3x4x64x8xf32> {tf.aliasing_output = 2 : i32}, %arg42: tensor<1xi32>, %arg43: tensor<i32>) -> (tensor<1x128xf32> {jax.result_info = "result[0]"}, tensor<3x4x64x8xf32> {jax.result_info = "result[1].keys"}, tensor<3x4x64x8xf32> {jax.result_info = "result[1].values"}) {
    %0 = stablehlo.iota dim = 0 : tensor<1xi32>
    %1 = stablehlo.broadcast_in_dim %arg43, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.add %1, %0 : tensor<1xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %4 = stablehlo.compare  LT, %arg42, %3,  SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %c_0 = stablehlo.constant dense<128> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.add %arg42, %5 : tensor<1xi32>
    %7 = stablehlo.select %4, %6, %arg42 : tensor<1xi1>, tensor<1xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = "stablehlo.gather"(%arg0, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<128x32xf32>, tensor<1x1xi32>) -> tensor<1x32xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %11 = stablehlo.compare  LT, %2, %10,  SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %c_2 = stablehlo.constant dense<64> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %13 = stablehlo.add %2, %12 : tensor<1xi32>
    %14 = stablehlo.select %11, %13, %2 : tensor<1xi1>, tensor<1xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %16 = "stablehlo.gather"(%arg1, %15) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<1x1xi32>) -> tensor<1x32xf32>
    %17 = stablehlo.add %9, %16 : tensor<1x32xf32>
    %18 = stablehlo.iota dim = 0 : tensor<64xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [1] : (tensor<64xi32>) -> tensor<1x64xi32>
    %20 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<1x64xi32>
    %22 = stablehlo.compare  LE, %19, %21,  SIGNED : (tensor<1x64xi32>, tensor<1x64xi32>) -> tensor<1x64xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%17 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_3 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %26 = stablehlo.divide %24, %25 : tensor<1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %28 = stablehlo.subtract %17, %27 : tensor<1x32xf32>
    %29 = stablehlo.multiply %28, %28 : tensor<1x32xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_5 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %33 = stablehlo.divide %31, %32 : tensor<1x1xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %35 = stablehlo.add %33, %34 : tensor<1x1xf32>
    %36 = stablehlo.rsqrt %35 : tensor<1x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %38 = stablehlo.multiply %28, %37 : tensor<1x32xf32>
    %39 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %40 = stablehlo.multiply %38, %39 : tensor<1x32xf32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %42 = stablehlo.add %40, %41 : tensor<1x32xf32>
    %43 = stablehlo.dot_general %42, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x96xf32>) -> tensor<1x96xf32>
    %44 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %45 = stablehlo.add %43, %44 : tensor<1x96xf32>
    %46 = stablehlo.slice %45 [0:1, 0:32] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %47 = stablehlo.slice %45 [0:1, 32:64] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %48 = stablehlo.slice %45 [0:1, 64:96] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %49 = stablehlo.reshape %46 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %50 = stablehlo.transpose %49, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %51 = stablehlo.reshape %47 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %52 = stablehlo.transpose %51, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %53 = stablehlo.reshape %48 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %54 = stablehlo.transpose %53, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %55 = stablehlo.broadcast_in_dim %52, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %56 = stablehlo.compare  LT, %arg43, %c_7,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<64> : tensor<i32>
    %57 = stablehlo.add %arg43, %c_8 : tensor<i32>
    %58 = stablehlo.select %56, %57, %arg43 : tensor<i1>, tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %59 = stablehlo.dynamic_update_slice %arg40, %55, %c_9, %c_10, %58, %c_11 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %60 = stablehlo.broadcast_in_dim %54, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %61 = stablehlo.compare  LT, %arg43, %c_12,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<64> : tensor<i32>
    %62 = stablehlo.add %arg43, %c_13 : tensor<i32>
    %63 = stablehlo.select %61, %62, %arg43 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %64 = stablehlo.dynamic_update_slice %arg41, %60, %c_14, %c_15, %63, %c_16 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %65 = stablehlo.slice %59 [0:1, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %66 = stablehlo.reshape %65 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %67 = stablehlo.dot_general %50, %66, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x1x8xf32>, tensor<4x64x8xf32>) -> tensor<4x1x64xf32>
    %cst_17 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x1x64xf32>
    %69 = stablehlo.divide %67, %68 : tensor<4x1x64xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %70 = call @_where(%22, %69, %cst_18) : (tensor<1x64xi1>, tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1x64xf32>
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_19) applies stablehlo.maximum across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %73 = stablehlo.maximum %72, %71 : tensor<4x1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %76 = stablehlo.subtract %70, %75 : tensor<4x1x64xf32>
    %77 = stablehlo.exponential %76 : tensor<4x1x64xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %81 = stablehlo.divide %77, %80 : tensor<4x1x64xf32>
    %82 = stablehlo.slice %64 [0:1, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %83 = stablehlo.reshape %82 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %84 = stablehlo.dot_general %83, %81, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x64xf32>) -> tensor<4x8x1xf32>
    %85 = stablehlo.transpose %84, dims = [2, 0, 1] : (tensor<4x8x1xf32>) -> tensor<1x4x8xf32>
    %86 = stablehlo.reshape %85 : (tensor<1x4x8xf32>) -> tensor<1x32xf32>
    %87 = stablehlo.dot_general %86, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %88 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %89 = stablehlo.add %87, %88 : tensor<1x32xf32>
    %90 = stablehlo.add %17, %89 : tensor<1x32xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.reduce(%90 init: %cst_22) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_23 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %94 = stablehlo.divide %92, %93 : tensor<1x1xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %96 = stablehlo.subtract %90, %95 : tensor<1x32xf32>
    %97 = stablehlo.multiply %96, %96 : tensor<1x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.reduce(%97 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_25 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %101 = stablehlo.divide %99, %100 : tensor<1x1xf32>
    %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %103 = stablehlo.add %101, %102 : tensor<1x1xf32>
    %104 = stablehlo.rsqrt %103 : tensor<1x1xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %106 = stablehlo.multiply %96, %105 : tensor<1x32xf32>
    %107 = stablehlo.broadcast_in_dim %arg8, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %108 = stablehlo.multiply %106, %107 : tensor<1x32xf32>
    %109 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %110 = stablehlo.add %108, %109 : tensor<1x32xf32>
    %111 = stablehlo.dot_general %110, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x128xf32>) -> tensor<1x128xf32>
    %112 = stablehlo.broadcast_in_dim %arg11, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %113 = stablehlo.add %111, %112 : tensor<1x128xf32>
    %114 = stablehlo.multiply %113, %113 : tensor<1x128xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<1x128xf32>
    %cst_27 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %117 = stablehlo.multiply %116, %115 : tensor<1x128xf32>
    %118 = stablehlo.add %113, %117 : tensor<1x128xf32>
    %cst_28 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %120 = stablehlo.multiply %119, %118 : tensor<1x128xf32>
    %121 = stablehlo.tanh %120 : tensor<1x128xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %123 = stablehlo.add %122, %121 : tensor<1x128xf32>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %125 = stablehlo.multiply %124, %123 : tensor<1x128xf32>
    %126 = stablehlo.multiply %113, %125 : tensor<1x128xf32>
    %127 = stablehlo.dot_general %126, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x32xf32>) -> tensor<1x32xf32>
    %128 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %129 = stablehlo.add %127, %128 : tensor<1x32xf32>
    %130 = stablehlo.add %90, %129 : tensor<1x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%130 init: %cst_31) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_32 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %134 = stablehlo.divide %132, %133 : tensor<1x1xf32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %136 = stablehlo.subtract %130, %135 : tensor<1x32xf32>
    %137 = stablehlo.multiply %136, %136 : tensor<1x32xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %138 = stablehlo.reduce(%137 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_34 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %141 = stablehlo.divide %139, %140 : tensor<1x1xf32>
    %cst_35 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %143 = stablehlo.add %141, %142 : tensor<1x1xf32>
    %144 = stablehlo.rsqrt %143 : tensor<1x1xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %146 = stablehlo.multiply %136, %145 : tensor<1x32xf32>
    %147 = stablehlo.broadcast_in_dim %arg14, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %148 = stablehlo.multiply %146, %147 : tensor<1x32xf32>
    %149 = stablehlo.broadcast_in_dim %arg15, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %150 = stablehlo.add %148, %149 : tensor<1x32xf32>
    %151 = stablehlo.dot_general %150, %arg16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x96xf32>) -> tensor<1x96xf32>
    %152 = stablehlo.broadcast_in_dim %arg17, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %153 = stablehlo.add %151, %152 : tensor<1x96xf32>
    %154 = stablehlo.slice %153 [0:1, 0:32] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %155 = stablehlo.slice %153 [0:1, 32:64] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %156 = stablehlo.slice %153 [0:1, 64:96] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %157 = stablehlo.reshape %154 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %158 = stablehlo.transpose %157, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %159 = stablehlo.reshape %155 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %160 = stablehlo.transpose %159, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %161 = stablehlo.reshape %156 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %162 = stablehlo.transpose %161, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %163 = stablehlo.broadcast_in_dim %160, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %164 = stablehlo.compare  LT, %arg43, %c_36,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_37 = stablehlo.constant dense<64> : tensor<i32>
    %165 = stablehlo.add %arg43, %c_37 : tensor<i32>
    %166 = stablehlo.select %164, %165, %arg43 : tensor<i1>, tensor<i32>
    %c_38 = stablehlo.constant dense<1> : tensor<i32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %167 = stablehlo.dynamic_update_slice %59, %163, %c_38, %c_39, %166, %c_40 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %168 = stablehlo.broadcast_in_dim %162, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %169 = stablehlo.compare  LT, %arg43, %c_41,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_42 = stablehlo.constant dense<64> : tensor<i32>
    %170 = stablehlo.add %arg43, %c_42 : tensor<i32>
    %171 = stablehlo.select %169, %170, %arg43 : tensor<i1>, tensor<i32>
    %c_43 = stablehlo.constant dense<1> : tensor<i32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %172 = stablehlo.dynamic_update_slice %64, %168, %c_43, %c_44, %171, %c_45 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %173 = stablehlo.slice %167 [1:2, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %174 = stablehlo.reshape %173 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %175 = stablehlo.dot_general %158, %174, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x1x8xf32>, tensor<4x64x8xf32>) -> tensor<4x1x64xf32>
    %cst_46 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x1x64xf32>
    %177 = stablehlo.divide %175, %176 : tensor<4x1x64xf32>
    %cst_47 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %178 = call @_where(%22, %177, %cst_47) : (tensor<1x64xi1>, tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1x64xf32>
    %cst_48 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_48) applies stablehlo.maximum across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %cst_49 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %181 = stablehlo.maximum %180, %179 : tensor<4x1xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %183 = stablehlo.broadcast_in_dim %182, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %184 = stablehlo.subtract %178, %183 : tensor<4x1x64xf32>
    %185 = stablehlo.exponential %184 : tensor<4x1x64xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %186 = stablehlo.reduce(%185 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %187 = stablehlo.broadcast_in_dim %186, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %188 = stablehlo.broadcast_in_dim %187, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %189 = stablehlo.divide %185, %188 : tensor<4x1x64xf32>
    %190 = stablehlo.slice %172 [1:2, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %191 = stablehlo.reshape %190 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %192 = stablehlo.dot_general %191, %189, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x64xf32>) -> tensor<4x8x1xf32>
    %193 = stablehlo.transpose %192, dims = [2, 0, 1] : (tensor<4x8x1xf32>) -> tensor<1x4x8xf32>
    %194 = stablehlo.reshape %193 : (tensor<1x4x8xf32>) -> tensor<1x32xf32>
    %195 = stablehlo.dot_general %194, %arg18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %196 = stablehlo.broadcast_in_dim %arg19, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %197 = stablehlo.add %195, %196 : tensor<1x32xf32>
    %198 = stablehlo.add %130, %197 : tensor<1x32xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.reduce(%198 init: %cst_51) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_52 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %202 = stablehlo.divide %200, %201 : tensor<1x1xf32>
    %203 = stablehlo.broadcast_in_dim %202, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %204 = stablehlo.subtract %198, %203 : tensor<1x32xf32>
    %205 = stablehlo.multiply %204, %204 : tensor<1x32xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %206 = stablehlo.reduce(%205 init: %cst_53) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_54 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %209 = stablehlo.divide %207, %208 : tensor<1x1xf32>
    %cst_55 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %211 = stablehlo.add %209, %210 : tensor<1x1xf32>
    %212 = stablehlo.rsqrt %211 : tensor<1x1xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %214 = stablehlo.multiply %204, %213 : tensor<1x32xf32>
    %215 = stablehlo.broadcast_in_dim %arg20, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %216 = stablehlo.multiply %214, %215 : tensor<1x32xf32>
    %217 = stablehlo.broadcast_in_dim %arg21, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %218 = stablehlo.add %216, %217 : tensor<1x32xf32>
    %219 = stablehlo.dot_general %218, %arg22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x128xf32>) -> tensor<1x128xf32>
    %220 = stablehlo.broadcast_in_dim %arg23, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %221 = stablehlo.add %219, %220 : tensor<1x128xf32>
    %222 = stablehlo.multiply %221, %221 : tensor<1x128xf32>
    %223 = stablehlo.multiply %222, %221 : tensor<1x128xf32>
    %cst_56 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %225 = stablehlo.multiply %224, %223 : tensor<1x128xf32>
    %226 = stablehlo.add %221, %225 : tensor<1x128xf32>
    %cst_57 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %228 = stablehlo.multiply %227, %226 : tensor<1x128xf32>
    %229 = stablehlo.tanh %228 : tensor<1x128xf32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %231 = stablehlo.add %230, %229 : tensor<1x128xf32>
    %cst_59 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %233 = stablehlo.multiply %232, %231 : tensor<1x128xf32>
    %234 = stablehlo.multiply %221, %233 : tensor<1x128xf32>
    %235 = stablehlo.dot_general %234, %arg24, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x32xf32>) -> tensor<1x32xf32>
    %236 = stablehlo.broadcast_in_dim %arg25, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %237 = stablehlo.add %235, %236 : tensor<1x32xf32>
    %238 = stablehlo.add %198, %237 : tensor<1x32xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %239 = stablehlo.reduce(%238 init: %cst_60) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %240 = stablehlo.broadcast_in_dim %239, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_61 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %242 = stablehlo.divide %240, %241 : tensor<1x1xf32>
    %243 = stablehlo.broadcast_in_dim %242, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %244 = stablehlo.subtract %238, %243 : tensor<1x32xf32>
    %245 = stablehlo.multiply %244, %244 : tensor<1x32xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.reduce(%245 init: %cst_62) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %247 = stablehlo.broadcast_in_dim %246, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_63 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %249 = stablehlo.divide %247, %248 : tensor<1x1xf32>
    %cst_64 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %251 = stablehlo.add %249, %250 : tensor<1x1xf32>
    %252 = stablehlo.rsqrt %251 : tensor<1x1xf32>
    %253 = stablehlo.broadcast_in_dim %252, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %254 = stablehlo.multiply %244, %253 : tensor<1x32xf32>
    %255 = stablehlo.broadcast_in_dim %arg26, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %256 = stablehlo.multiply %254, %255 : tensor<1x32xf32>
    %257 = stablehlo.broadcast_in_dim %arg27, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %258 = stablehlo.add %256, %257 : tensor<1x32xf32>
    %259 = stablehlo.dot_general %258, %arg28, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x96xf32>) -> tensor<1x96xf32>
    %260 = stablehlo.broadcast_in_dim %arg29, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %261 = stablehlo.add %259, %260 : tensor<1x96xf32>
    %262 = stablehlo.slice %261 [0:1, 0:32] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %263 = stablehlo.slice %261 [0:1, 32:64] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %264 = stablehlo.slice %261 [0:1, 64:96] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %265 = stablehlo.reshape %262 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %266 = stablehlo.transpose %265, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %267 = stablehlo.reshape %263 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %268 = stablehlo.transpose %267, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %269 = stablehlo.reshape %264 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %270 = stablehlo.transpose %269, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %271 = stablehlo.broadcast_in_dim %268, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_65 = stablehlo.constant dense<0> : tensor<i32>
    %272 = stablehlo.compare  LT, %arg43, %c_65,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_66 = stablehlo.constant dense<64> : tensor<i32>
    %273 = stablehlo.add %arg43, %c_66 : tensor<i32>
    %274 = stablehlo.select %272, %273, %arg43 : tensor<i1>, tensor<i32>
    %c_67 = stablehlo.constant dense<2> : tensor<i32>
    %c_68 = stablehlo.constant dense<0> : tensor<i32>
    %c_69 = stablehlo.constant dense<0> : tensor<i32>
    %275 = stablehlo.dynamic_update_slice %167, %271, %c_67, %c_68, %274, %c_69 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %276 = stablehlo.broadcast_in_dim %270, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_70 = stablehlo.constant dense<0> : tensor<i32>
    %277 = stablehlo.compare  LT, %arg43, %c_70,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_71 = stablehlo.constant dense<64> : tensor<i32>
    %278 = stablehlo.add %arg43, %c_71 : tensor<i32>
    %279 = stablehlo.select %277, %278, %arg43 : tensor<i1>, tensor<i32>
    %c_72 = stablehlo.constant dense<2> : tensor<i32>
    %c_73 = stablehlo.constant dense<0> : tensor<i32>
    %c_74 = stablehlo.constant dense<0> : tensor<i32>
    %280 = stablehlo.dynamic_update_slice %172, %276, %c_72, %c_73, %279, %c_74 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %281 = stablehlo.slice %275 [2:3, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %282 = stablehlo.reshape %281 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %283 = stablehlo.dot_general %266, %282, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x1x8xf32>, tensor<4x64x8xf32>) -> tensor<4x1x64xf32>
    %cst_75 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<4x1x64xf32>
    %285 = stablehlo.divide %283, %284 : tensor<4x1x64xf32>
    %cst_76 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %286 = call @_where(%22, %285, %cst_76) : (tensor<1x64xi1>, tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1x64xf32>
    %cst_77 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %287 = stablehlo.reduce(%286 init: %cst_77) applies stablehlo.maximum across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %cst_78 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %288 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %289 = stablehlo.maximum %288, %287 : tensor<4x1xf32>
    %290 = stablehlo.broadcast_in_dim %289, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %291 = stablehlo.broadcast_in_dim %290, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %292 = stablehlo.subtract %286, %291 : tensor<4x1x64xf32>
    %293 = stablehlo.exponential %292 : tensor<4x1x64xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %294 = stablehlo.reduce(%293 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %295 = stablehlo.broadcast_in_dim %294, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %296 = stablehlo.broadcast_in_dim %295, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %297 = stablehlo.divide %293, %296 : tensor<4x1x64xf32>
    %298 = stablehlo.slice %280 [2:3, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %299 = stablehlo.reshape %298 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %300 = stablehlo.dot_general %299, %297, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x64xf32>) -> tensor<4x8x1xf32>
    %301 = stablehlo.transpose %300, dims = [2, 0, 1] : (tensor<4x8x1xf32>) -> tensor<1x4x8xf32>
    %302 = stablehlo.reshape %301 : (tensor<1x4x8xf32>) -> tensor<1x32xf32>
    %303 = stablehlo.dot_general %302, %arg30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %304 = stablehlo.broadcast_in_dim %arg31, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %305 = stablehlo.add %303, %304 : tensor<1x32xf32>
    %306 = stablehlo.add %238, %305 : tensor<1x32xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%306 init: %cst_80) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %308 = stablehlo.broadcast_in_dim %307, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_81 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %310 = stablehlo.divide %308, %309 : tensor<1x1xf32>
    %311 = stablehlo.broadcast_in_dim %310, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %312 = stablehlo.subtract %306, %311 : tensor<1x32xf32>
    %313 = stablehlo.multiply %312, %312 : tensor<1x32xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %314 = stablehlo.reduce(%313 init: %cst_82) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %315 = stablehlo.broadcast_in_dim %314, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_83 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %316 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %317 = stablehlo.divide %315, %316 : tensor<1x1xf32>
    %cst_84 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %318 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %319 = stablehlo.add %317, %318 : tensor<1x1xf32>
    %320 = stablehlo.rsqrt %319 : tensor<1x1xf32>
    %321 = stablehlo.broadcast_in_dim %320, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %322 = stablehlo.multiply %312, %321 : tensor<1x32xf32>
    %323 = stablehlo.broadcast_in_dim %arg32, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %324 = stablehlo.multiply %322, %323 : tensor<1x32xf32>
    %325 = stablehlo.broadcast_in_dim %arg33, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %326 = stablehlo.add %324, %325 : tensor<1x32xf32>
    %327 = stablehlo.dot_general %326, %arg34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x128xf32>) -> tensor<1x128xf32>
    %328 = stablehlo.broadcast_in_dim %arg35, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %329 = stablehlo.add %327, %328 : tensor<1x128xf32>
    %330 = stablehlo.multiply %329, %329 : tensor<1x128xf32>
    %331 = stablehlo.multiply %330, %329 : tensor<1x128xf32>
    %cst_85 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %332 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %333 = stablehlo.multiply %332, %331 : tensor<1x128xf32>
    %334 = stablehlo.add %329, %333 : tensor<1x128xf32>
    %cst_86 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %335 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %336 = stablehlo.multiply %335, %334 : tensor<1x128xf32>
    %337 = stablehlo.tanh %336 : tensor<1x128xf32>
    %cst_87 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %338 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %339 = stablehlo.add %338, %337 : tensor<1x128xf32>
    %cst_88 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %341 = stablehlo.multiply %340, %339 : tensor<1x128xf32>
    %342 = stablehlo.multiply %329, %341 : tensor<1x128xf32>
    %343 = stablehlo.dot_general %342, %arg36, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x32xf32>) -> tensor<1x32xf32>
    %344 = stablehlo.broadcast_in_dim %arg37, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %345 = stablehlo.add %343, %344 : tensor<1x32xf32>
    %346 = stablehlo.add %306, %345 : tensor<1x32xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %347 = stablehlo.reduce(%346 init: %cst_89) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %348 = stablehlo.broadcast_in_dim %347, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_90 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %349 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %350 = stablehlo.divide %348, %349 : tensor<1x1xf32>
    %351 = stablehlo.broadcast_in_dim %350, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %352 = stablehlo.subtract %346, %351 : tensor<1x32xf32>
    %353 = stablehlo.multiply %352, %352 : tensor<1x32xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %354 = stablehlo.reduce(%353 init: %cst_91) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %355 = stablehlo.broadcast_in_dim %354, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_92 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %356 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %357 = stablehlo.divide %355, %356 : tensor<1x1xf32>
    %cst_93 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %358 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %359 = stablehlo.add %357, %358 : tensor<1x1xf32>
    %360 = stablehlo.rsqrt %359 : tensor<1x1xf32>
    %361 = stablehlo.broadcast_in_dim %360, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %362 = stablehlo.multiply %352, %361 : tensor<1x32xf32>
    %363 = stablehlo.broadcast_in_dim %arg38, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %364 = stablehlo.multiply %362, %363 : tensor<1x32xf32>
    %365 = stablehlo.broadcast_in_dim %arg39, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %366 = stablehlo.add %364, %365 : tensor<1x32xf32>
    %367 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %368 = stablehlo.dot_general %366, %367, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x128xf32>) -> tensor<1x128xf32>
    return %368, %275, %280 : tensor<1x128xf32>, tensor<3x4x64x8xf32>, tensor<3x4x64x8xf32>
  }
  func.func private @_where(%arg0: tensor<1x64xi1>, %arg1: tensor<4x1x64xf32>, %arg2: tensor<f32>) -> tensor<4x1x64xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<1x64xi1>) -> tensor<4x1x64xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x1x64xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x1x64xi1>, tensor<4x1x64xf32>
    return %3 : tensor<4x1x64xf32>
  }
}
