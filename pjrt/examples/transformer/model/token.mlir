module @jit_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x32xf32>, %arg1: tensor<64x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x96xf32>, %arg5: tensor<96xf32>, %arg6: tensor<32x32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<32x128xf32>, %arg11: tensor<128xf32>, %arg12: tensor<128x32xf32>, %arg13: tensor<32xf32>, %arg14: tensor<32xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32x96xf32>, %arg17: tensor<96xf32>, %arg18: tensor<32x32xf32>, %arg19: tensor<32xf32>, %arg20: tensor<32xf32>, %arg21: tensor<32xf32>, %arg22: tensor<32x128xf32>, %arg23: tensor<128xf32>, %arg24: tensor<128x32xf32>, %arg25: tensor<32xf32>, %arg26: tensor<32xf32>, %arg27: tensor<32xf32>, %arg28: tensor<32x96xf32>, %arg29: tensor<96xf32>, %arg30: tensor<32x32xf32>, %arg31: tensor<32xf32>, %arg32: tensor<32xf32>, %arg33: tensor<32xf32>, %arg34: tensor<32x128xf32>, %arg35: tensor<128xf32>, %arg36: tensor<128x32xf32>, %arg37: tensor<32xf32>, %arg38: tensor<32xf32>, %arg39: tensor<32xf32>, %arg40: tensor<3x4x64x8xf32> {tf.aliasing_output = 1 : i32}, %arg41: tensor<3x4x64x8xf32> {tf.aliasing_output = 2 : i32}, %arg42: tensor<1xi32>, %arg43: tensor<i32>) -> (tensor<1x128xf32> {jax.result_info = "result[0]"}, tensor<3x4x64x8xf32> {jax.result_info = "result[1].keys"}, tensor<3x4x64x8xf32> {jax.result_info = "result[1].values"}) {
    %0 = stablehlo.iota dim = 0 : tensor<1xi32>
    %1 = stablehlo.broadcast_in_dim %arg43, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.add %1, %0 : tensor<1xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %4 = stablehlo.compare LT, %arg42, %3, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %c_0 = stablehlo.constant dense<128> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.add %arg42, %5 : tensor<1xi32>
    %7 = stablehlo.select %4, %6, %arg42 : tensor<1xi1>, tensor<1xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = "stablehlo.gather"(%arg0, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<128x32xf32>, tensor<1x1xi32>) -> tensor<1x32xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %11 = stablehlo.compare LT, %2, %10, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
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
    %22 = stablehlo.compare LE, %19, %21, SIGNED : (tensor<1x64xi32>, tensor<1x64xi32>) -> tensor<1x64xi1>
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
    %56 = stablehlo.compare LT, %arg43, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<64> : tensor<i32>
    %57 = stablehlo.add %arg43, %c_8 : tensor<i32>
    %58 = stablehlo.select %56, %57, %arg43 : tensor<i1>, tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %59 = stablehlo.dynamic_update_slice %arg40, %55, %c_9, %c_10, %58, %c_11 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %60 = stablehlo.broadcast_in_dim %54, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %61 = stablehlo.compare LT, %arg43, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<64> : tensor<i32>
    %62 = stablehlo.add %arg43, %c_13 : tensor<i32>
    %63 = stablehlo.select %61, %62, %arg43 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %64 = stablehlo.dynamic_update_slice %arg41, %60, %c_14, %c_15, %63, %c_16 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %65 = stablehlo.slice %59 [0:1, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %66 = stablehlo.reshape %65 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %67 = stablehlo.dot_general %66, %50, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x8xf32>) -> tensor<4x64x1xf32>
    %68 = stablehlo.transpose %67, dims = [0, 2, 1] : (tensor<4x64x1xf32>) -> tensor<4x1x64xf32>
    %cst_17 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x1x64xf32>
    %70 = stablehlo.divide %68, %69 : tensor<4x1x64xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %71 = call @_where(%22, %70, %cst_18) : (tensor<1x64xi1>, tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1x64xf32>
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_19) applies stablehlo.maximum across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %74 = stablehlo.maximum %73, %72 : tensor<4x1xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %77 = stablehlo.subtract %71, %76 : tensor<4x1x64xf32>
    %78 = stablehlo.exponential %77 : tensor<4x1x64xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%78 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %82 = stablehlo.divide %78, %81 : tensor<4x1x64xf32>
    %83 = stablehlo.slice %64 [0:1, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %84 = stablehlo.reshape %83 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %85 = stablehlo.dot_general %84, %82, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x64xf32>) -> tensor<4x8x1xf32>
    %86 = stablehlo.transpose %85, dims = [2, 0, 1] : (tensor<4x8x1xf32>) -> tensor<1x4x8xf32>
    %87 = stablehlo.reshape %86 : (tensor<1x4x8xf32>) -> tensor<1x32xf32>
    %88 = stablehlo.dot_general %87, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %89 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %90 = stablehlo.add %88, %89 : tensor<1x32xf32>
    %91 = stablehlo.add %17, %90 : tensor<1x32xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_22) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_23 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %95 = stablehlo.divide %93, %94 : tensor<1x1xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %97 = stablehlo.subtract %91, %96 : tensor<1x32xf32>
    %98 = stablehlo.multiply %97, %97 : tensor<1x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.reduce(%98 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_25 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %102 = stablehlo.divide %100, %101 : tensor<1x1xf32>
    %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %104 = stablehlo.add %102, %103 : tensor<1x1xf32>
    %105 = stablehlo.rsqrt %104 : tensor<1x1xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %107 = stablehlo.multiply %97, %106 : tensor<1x32xf32>
    %108 = stablehlo.broadcast_in_dim %arg8, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %109 = stablehlo.multiply %107, %108 : tensor<1x32xf32>
    %110 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %111 = stablehlo.add %109, %110 : tensor<1x32xf32>
    %112 = stablehlo.dot_general %111, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x128xf32>) -> tensor<1x128xf32>
    %113 = stablehlo.broadcast_in_dim %arg11, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %114 = stablehlo.add %112, %113 : tensor<1x128xf32>
    %115 = stablehlo.multiply %114, %114 : tensor<1x128xf32>
    %116 = stablehlo.multiply %115, %114 : tensor<1x128xf32>
    %cst_27 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %118 = stablehlo.multiply %117, %116 : tensor<1x128xf32>
    %119 = stablehlo.add %114, %118 : tensor<1x128xf32>
    %cst_28 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %121 = stablehlo.multiply %120, %119 : tensor<1x128xf32>
    %122 = stablehlo.tanh %121 : tensor<1x128xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %124 = stablehlo.add %123, %122 : tensor<1x128xf32>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %126 = stablehlo.multiply %125, %124 : tensor<1x128xf32>
    %127 = stablehlo.multiply %114, %126 : tensor<1x128xf32>
    %128 = stablehlo.dot_general %127, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x32xf32>) -> tensor<1x32xf32>
    %129 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %130 = stablehlo.add %128, %129 : tensor<1x32xf32>
    %131 = stablehlo.add %91, %130 : tensor<1x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.reduce(%131 init: %cst_31) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_32 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %135 = stablehlo.divide %133, %134 : tensor<1x1xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %137 = stablehlo.subtract %131, %136 : tensor<1x32xf32>
    %138 = stablehlo.multiply %137, %137 : tensor<1x32xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.reduce(%138 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_34 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %142 = stablehlo.divide %140, %141 : tensor<1x1xf32>
    %cst_35 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %144 = stablehlo.add %142, %143 : tensor<1x1xf32>
    %145 = stablehlo.rsqrt %144 : tensor<1x1xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %147 = stablehlo.multiply %137, %146 : tensor<1x32xf32>
    %148 = stablehlo.broadcast_in_dim %arg14, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %149 = stablehlo.multiply %147, %148 : tensor<1x32xf32>
    %150 = stablehlo.broadcast_in_dim %arg15, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %151 = stablehlo.add %149, %150 : tensor<1x32xf32>
    %152 = stablehlo.dot_general %151, %arg16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x96xf32>) -> tensor<1x96xf32>
    %153 = stablehlo.broadcast_in_dim %arg17, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %154 = stablehlo.add %152, %153 : tensor<1x96xf32>
    %155 = stablehlo.slice %154 [0:1, 0:32] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %156 = stablehlo.slice %154 [0:1, 32:64] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %157 = stablehlo.slice %154 [0:1, 64:96] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %158 = stablehlo.reshape %155 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %159 = stablehlo.transpose %158, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %160 = stablehlo.reshape %156 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %161 = stablehlo.transpose %160, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %162 = stablehlo.reshape %157 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %163 = stablehlo.transpose %162, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %164 = stablehlo.broadcast_in_dim %161, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %165 = stablehlo.compare LT, %arg43, %c_36, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_37 = stablehlo.constant dense<64> : tensor<i32>
    %166 = stablehlo.add %arg43, %c_37 : tensor<i32>
    %167 = stablehlo.select %165, %166, %arg43 : tensor<i1>, tensor<i32>
    %c_38 = stablehlo.constant dense<1> : tensor<i32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %168 = stablehlo.dynamic_update_slice %59, %164, %c_38, %c_39, %167, %c_40 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %169 = stablehlo.broadcast_in_dim %163, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %170 = stablehlo.compare LT, %arg43, %c_41, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_42 = stablehlo.constant dense<64> : tensor<i32>
    %171 = stablehlo.add %arg43, %c_42 : tensor<i32>
    %172 = stablehlo.select %170, %171, %arg43 : tensor<i1>, tensor<i32>
    %c_43 = stablehlo.constant dense<1> : tensor<i32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %173 = stablehlo.dynamic_update_slice %64, %169, %c_43, %c_44, %172, %c_45 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %174 = stablehlo.slice %168 [1:2, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %175 = stablehlo.reshape %174 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %176 = stablehlo.dot_general %175, %159, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x8xf32>) -> tensor<4x64x1xf32>
    %177 = stablehlo.transpose %176, dims = [0, 2, 1] : (tensor<4x64x1xf32>) -> tensor<4x1x64xf32>
    %cst_46 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x1x64xf32>
    %179 = stablehlo.divide %177, %178 : tensor<4x1x64xf32>
    %cst_47 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %180 = call @_where(%22, %179, %cst_47) : (tensor<1x64xi1>, tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1x64xf32>
    %cst_48 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %181 = stablehlo.reduce(%180 init: %cst_48) applies stablehlo.maximum across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %cst_49 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %183 = stablehlo.maximum %182, %181 : tensor<4x1xf32>
    %184 = stablehlo.broadcast_in_dim %183, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %186 = stablehlo.subtract %180, %185 : tensor<4x1x64xf32>
    %187 = stablehlo.exponential %186 : tensor<4x1x64xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%187 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %189 = stablehlo.broadcast_in_dim %188, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %191 = stablehlo.divide %187, %190 : tensor<4x1x64xf32>
    %192 = stablehlo.slice %173 [1:2, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %193 = stablehlo.reshape %192 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %194 = stablehlo.dot_general %193, %191, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x64xf32>) -> tensor<4x8x1xf32>
    %195 = stablehlo.transpose %194, dims = [2, 0, 1] : (tensor<4x8x1xf32>) -> tensor<1x4x8xf32>
    %196 = stablehlo.reshape %195 : (tensor<1x4x8xf32>) -> tensor<1x32xf32>
    %197 = stablehlo.dot_general %196, %arg18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %198 = stablehlo.broadcast_in_dim %arg19, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %199 = stablehlo.add %197, %198 : tensor<1x32xf32>
    %200 = stablehlo.add %131, %199 : tensor<1x32xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.reduce(%200 init: %cst_51) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_52 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %204 = stablehlo.divide %202, %203 : tensor<1x1xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %206 = stablehlo.subtract %200, %205 : tensor<1x32xf32>
    %207 = stablehlo.multiply %206, %206 : tensor<1x32xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.reduce(%207 init: %cst_53) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_54 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %211 = stablehlo.divide %209, %210 : tensor<1x1xf32>
    %cst_55 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %213 = stablehlo.add %211, %212 : tensor<1x1xf32>
    %214 = stablehlo.rsqrt %213 : tensor<1x1xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %216 = stablehlo.multiply %206, %215 : tensor<1x32xf32>
    %217 = stablehlo.broadcast_in_dim %arg20, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %218 = stablehlo.multiply %216, %217 : tensor<1x32xf32>
    %219 = stablehlo.broadcast_in_dim %arg21, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %220 = stablehlo.add %218, %219 : tensor<1x32xf32>
    %221 = stablehlo.dot_general %220, %arg22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x128xf32>) -> tensor<1x128xf32>
    %222 = stablehlo.broadcast_in_dim %arg23, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %223 = stablehlo.add %221, %222 : tensor<1x128xf32>
    %224 = stablehlo.multiply %223, %223 : tensor<1x128xf32>
    %225 = stablehlo.multiply %224, %223 : tensor<1x128xf32>
    %cst_56 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %227 = stablehlo.multiply %226, %225 : tensor<1x128xf32>
    %228 = stablehlo.add %223, %227 : tensor<1x128xf32>
    %cst_57 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %230 = stablehlo.multiply %229, %228 : tensor<1x128xf32>
    %231 = stablehlo.tanh %230 : tensor<1x128xf32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %233 = stablehlo.add %232, %231 : tensor<1x128xf32>
    %cst_59 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %235 = stablehlo.multiply %234, %233 : tensor<1x128xf32>
    %236 = stablehlo.multiply %223, %235 : tensor<1x128xf32>
    %237 = stablehlo.dot_general %236, %arg24, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x32xf32>) -> tensor<1x32xf32>
    %238 = stablehlo.broadcast_in_dim %arg25, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %239 = stablehlo.add %237, %238 : tensor<1x32xf32>
    %240 = stablehlo.add %200, %239 : tensor<1x32xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241 = stablehlo.reduce(%240 init: %cst_60) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_61 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %244 = stablehlo.divide %242, %243 : tensor<1x1xf32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %246 = stablehlo.subtract %240, %245 : tensor<1x32xf32>
    %247 = stablehlo.multiply %246, %246 : tensor<1x32xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %248 = stablehlo.reduce(%247 init: %cst_62) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %249 = stablehlo.broadcast_in_dim %248, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_63 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %251 = stablehlo.divide %249, %250 : tensor<1x1xf32>
    %cst_64 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %253 = stablehlo.add %251, %252 : tensor<1x1xf32>
    %254 = stablehlo.rsqrt %253 : tensor<1x1xf32>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %256 = stablehlo.multiply %246, %255 : tensor<1x32xf32>
    %257 = stablehlo.broadcast_in_dim %arg26, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %258 = stablehlo.multiply %256, %257 : tensor<1x32xf32>
    %259 = stablehlo.broadcast_in_dim %arg27, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %260 = stablehlo.add %258, %259 : tensor<1x32xf32>
    %261 = stablehlo.dot_general %260, %arg28, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x96xf32>) -> tensor<1x96xf32>
    %262 = stablehlo.broadcast_in_dim %arg29, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %263 = stablehlo.add %261, %262 : tensor<1x96xf32>
    %264 = stablehlo.slice %263 [0:1, 0:32] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %265 = stablehlo.slice %263 [0:1, 32:64] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %266 = stablehlo.slice %263 [0:1, 64:96] : (tensor<1x96xf32>) -> tensor<1x32xf32>
    %267 = stablehlo.reshape %264 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %268 = stablehlo.transpose %267, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %269 = stablehlo.reshape %265 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %270 = stablehlo.transpose %269, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %271 = stablehlo.reshape %266 : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
    %272 = stablehlo.transpose %271, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
    %273 = stablehlo.broadcast_in_dim %270, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_65 = stablehlo.constant dense<0> : tensor<i32>
    %274 = stablehlo.compare LT, %arg43, %c_65, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_66 = stablehlo.constant dense<64> : tensor<i32>
    %275 = stablehlo.add %arg43, %c_66 : tensor<i32>
    %276 = stablehlo.select %274, %275, %arg43 : tensor<i1>, tensor<i32>
    %c_67 = stablehlo.constant dense<2> : tensor<i32>
    %c_68 = stablehlo.constant dense<0> : tensor<i32>
    %c_69 = stablehlo.constant dense<0> : tensor<i32>
    %277 = stablehlo.dynamic_update_slice %168, %273, %c_67, %c_68, %276, %c_69 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %278 = stablehlo.broadcast_in_dim %272, dims = [1, 2, 3] : (tensor<4x1x8xf32>) -> tensor<1x4x1x8xf32>
    %c_70 = stablehlo.constant dense<0> : tensor<i32>
    %279 = stablehlo.compare LT, %arg43, %c_70, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_71 = stablehlo.constant dense<64> : tensor<i32>
    %280 = stablehlo.add %arg43, %c_71 : tensor<i32>
    %281 = stablehlo.select %279, %280, %arg43 : tensor<i1>, tensor<i32>
    %c_72 = stablehlo.constant dense<2> : tensor<i32>
    %c_73 = stablehlo.constant dense<0> : tensor<i32>
    %c_74 = stablehlo.constant dense<0> : tensor<i32>
    %282 = stablehlo.dynamic_update_slice %173, %278, %c_72, %c_73, %281, %c_74 : (tensor<3x4x64x8xf32>, tensor<1x4x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x64x8xf32>
    %283 = stablehlo.slice %277 [2:3, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %284 = stablehlo.reshape %283 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %285 = stablehlo.dot_general %284, %268, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x8xf32>) -> tensor<4x64x1xf32>
    %286 = stablehlo.transpose %285, dims = [0, 2, 1] : (tensor<4x64x1xf32>) -> tensor<4x1x64xf32>
    %cst_75 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %287 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<4x1x64xf32>
    %288 = stablehlo.divide %286, %287 : tensor<4x1x64xf32>
    %cst_76 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %289 = call @_where(%22, %288, %cst_76) : (tensor<1x64xi1>, tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1x64xf32>
    %cst_77 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %290 = stablehlo.reduce(%289 init: %cst_77) applies stablehlo.maximum across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %cst_78 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %292 = stablehlo.maximum %291, %290 : tensor<4x1xf32>
    %293 = stablehlo.broadcast_in_dim %292, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %294 = stablehlo.broadcast_in_dim %293, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %295 = stablehlo.subtract %289, %294 : tensor<4x1x64xf32>
    %296 = stablehlo.exponential %295 : tensor<4x1x64xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %297 = stablehlo.reduce(%296 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<4x1x64xf32>, tensor<f32>) -> tensor<4x1xf32>
    %298 = stablehlo.broadcast_in_dim %297, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %299 = stablehlo.broadcast_in_dim %298, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x64xf32>
    %300 = stablehlo.divide %296, %299 : tensor<4x1x64xf32>
    %301 = stablehlo.slice %282 [2:3, 0:4, 0:64, 0:8] : (tensor<3x4x64x8xf32>) -> tensor<1x4x64x8xf32>
    %302 = stablehlo.reshape %301 : (tensor<1x4x64x8xf32>) -> tensor<4x64x8xf32>
    %303 = stablehlo.dot_general %302, %300, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x64x8xf32>, tensor<4x1x64xf32>) -> tensor<4x8x1xf32>
    %304 = stablehlo.transpose %303, dims = [2, 0, 1] : (tensor<4x8x1xf32>) -> tensor<1x4x8xf32>
    %305 = stablehlo.reshape %304 : (tensor<1x4x8xf32>) -> tensor<1x32xf32>
    %306 = stablehlo.dot_general %305, %arg30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %307 = stablehlo.broadcast_in_dim %arg31, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %308 = stablehlo.add %306, %307 : tensor<1x32xf32>
    %309 = stablehlo.add %240, %308 : tensor<1x32xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %310 = stablehlo.reduce(%309 init: %cst_80) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %311 = stablehlo.broadcast_in_dim %310, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_81 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %313 = stablehlo.divide %311, %312 : tensor<1x1xf32>
    %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %315 = stablehlo.subtract %309, %314 : tensor<1x32xf32>
    %316 = stablehlo.multiply %315, %315 : tensor<1x32xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %317 = stablehlo.reduce(%316 init: %cst_82) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %318 = stablehlo.broadcast_in_dim %317, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_83 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %320 = stablehlo.divide %318, %319 : tensor<1x1xf32>
    %cst_84 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %321 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %322 = stablehlo.add %320, %321 : tensor<1x1xf32>
    %323 = stablehlo.rsqrt %322 : tensor<1x1xf32>
    %324 = stablehlo.broadcast_in_dim %323, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %325 = stablehlo.multiply %315, %324 : tensor<1x32xf32>
    %326 = stablehlo.broadcast_in_dim %arg32, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %327 = stablehlo.multiply %325, %326 : tensor<1x32xf32>
    %328 = stablehlo.broadcast_in_dim %arg33, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %329 = stablehlo.add %327, %328 : tensor<1x32xf32>
    %330 = stablehlo.dot_general %329, %arg34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x32xf32>, tensor<32x128xf32>) -> tensor<1x128xf32>
    %331 = stablehlo.broadcast_in_dim %arg35, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %332 = stablehlo.add %330, %331 : tensor<1x128xf32>
    %333 = stablehlo.multiply %332, %332 : tensor<1x128xf32>
    %334 = stablehlo.multiply %333, %332 : tensor<1x128xf32>
    %cst_85 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %335 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %336 = stablehlo.multiply %335, %334 : tensor<1x128xf32>
    %337 = stablehlo.add %332, %336 : tensor<1x128xf32>
    %cst_86 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %338 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %339 = stablehlo.multiply %338, %337 : tensor<1x128xf32>
    %340 = stablehlo.tanh %339 : tensor<1x128xf32>
    %cst_87 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %341 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %342 = stablehlo.add %341, %340 : tensor<1x128xf32>
    %cst_88 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<1x128xf32>
    %344 = stablehlo.multiply %343, %342 : tensor<1x128xf32>
    %345 = stablehlo.multiply %332, %344 : tensor<1x128xf32>
    %346 = stablehlo.dot_general %345, %arg36, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x32xf32>) -> tensor<1x32xf32>
    %347 = stablehlo.broadcast_in_dim %arg37, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %348 = stablehlo.add %346, %347 : tensor<1x32xf32>
    %349 = stablehlo.add %309, %348 : tensor<1x32xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.reduce(%349 init: %cst_89) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %351 = stablehlo.broadcast_in_dim %350, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_90 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %353 = stablehlo.divide %351, %352 : tensor<1x1xf32>
    %354 = stablehlo.broadcast_in_dim %353, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %355 = stablehlo.subtract %349, %354 : tensor<1x32xf32>
    %356 = stablehlo.multiply %355, %355 : tensor<1x32xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %357 = stablehlo.reduce(%356 init: %cst_91) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32>
    %358 = stablehlo.broadcast_in_dim %357, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_92 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %360 = stablehlo.divide %358, %359 : tensor<1x1xf32>
    %cst_93 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %361 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %362 = stablehlo.add %360, %361 : tensor<1x1xf32>
    %363 = stablehlo.rsqrt %362 : tensor<1x1xf32>
    %364 = stablehlo.broadcast_in_dim %363, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x32xf32>
    %365 = stablehlo.multiply %355, %364 : tensor<1x32xf32>
    %366 = stablehlo.broadcast_in_dim %arg38, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %367 = stablehlo.multiply %365, %366 : tensor<1x32xf32>
    %368 = stablehlo.broadcast_in_dim %arg39, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %369 = stablehlo.add %367, %368 : tensor<1x32xf32>
    %370 = stablehlo.transpose %369, dims = [1, 0] : (tensor<1x32xf32>) -> tensor<32x1xf32>
    %371 = stablehlo.dot_general %arg0, %370, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x32xf32>, tensor<32x1xf32>) -> tensor<128x1xf32>
    %372 = stablehlo.transpose %371, dims = [1, 0] : (tensor<128x1xf32>) -> tensor<1x128xf32>
    return %372, %277, %282 : tensor<1x128xf32>, tensor<3x4x64x8xf32>, tensor<3x4x64x8xf32>
  }
  func.func private @_where(%arg0: tensor<1x64xi1>, %arg1: tensor<4x1x64xf32>, %arg2: tensor<f32>) -> tensor<4x1x64xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<1x64xi1>) -> tensor<4x1x64xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x1x64xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x1x64xi1>, tensor<4x1x64xf32>
    return %3 : tensor<4x1x64xf32>
  }
}
