module @jit_order_statistics attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x11xf32>, %arg1: tensor<20xi32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}, tensor<10xi32> {jax.result_info = "result[2]"}, tensor<10xi32> {jax.result_info = "result[3]"}) {
    %0 = call @median(%arg0) : (tensor<4x11xf32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %1 = call @quantile_7(%arg0, %cst) : (tensor<4x11xf32>, tensor<f32>) -> tensor<11xf32>
    %2:3 = call @_unique_sorted_mask(%arg1) : (tensor<20xi32>) -> (tensor<20xi32>, tensor<20xi1>, tensor<20xi32>)
    %3 = call @cumsum(%2#1) : (tensor<20xi1>) -> tensor<20xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @clip(%3, %c_0) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %7 = stablehlo.compare  LT, %5, %6,  SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %c_2 = stablehlo.constant dense<10> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %9 = stablehlo.add %5, %8 : tensor<20xi32>
    %10 = stablehlo.select %7, %9, %5 : tensor<20xi1>, tensor<20xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<20xi32>) -> tensor<20x1xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %13 = "stablehlo.scatter"(%4, %11, %12) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %50 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %50 : tensor<i32>
    }) : (tensor<10xi32>, tensor<20x1xi32>, tensor<20xi32>) -> tensor<10xi32>
    %14 = call @cumsum_33(%13) : (tensor<10xi32>) -> tensor<10xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %15 = call @floor_divide(%14, %c_4) : (tensor<10xi32>, tensor<i32>) -> tensor<10xi32>
    %c_5 = stablehlo.constant dense<20> : tensor<i32>
    %16 = call @remainder(%15, %c_5) : (tensor<10xi32>, tensor<i32>) -> tensor<10xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %18 = stablehlo.compare  LT, %16, %17,  SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %c_7 = stablehlo.constant dense<20> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %20 = stablehlo.add %16, %19 : tensor<10xi32>
    %21 = stablehlo.select %18, %20, %16 : tensor<10xi1>, tensor<10xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<10xi32>) -> tensor<10x1xi32>
    %23 = "stablehlo.gather"(%2#0, %22) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<20xi32>, tensor<10x1xi32>) -> tensor<10xi32>
    %24 = stablehlo.iota dim = 0 : tensor<10xi32>
    %25 = stablehlo.convert %2#1 : (tensor<20xi1>) -> tensor<20xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.reduce(%25 init: %c_8) applies stablehlo.add across dimensions = [0] : (tensor<20xi32>, tensor<i32>) -> tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %28 = stablehlo.compare  LT, %24, %27,  SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %c_9 = stablehlo.constant dense<-1> : tensor<i32>
    %29 = call @_where_51(%28, %23, %c_9) : (tensor<10xi1>, tensor<10xi32>, tensor<i32>) -> tensor<10xi32>
    %30 = call @cumsum(%2#1) : (tensor<20xi1>) -> tensor<20xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %32 = call @clip(%30, %c_11) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %34 = stablehlo.compare  LT, %32, %33,  SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %c_13 = stablehlo.constant dense<11> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %36 = stablehlo.add %32, %35 : tensor<20xi32>
    %37 = stablehlo.select %34, %36, %32 : tensor<20xi1>, tensor<20xi32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0] : (tensor<20xi32>) -> tensor<20x1xi32>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %40 = "stablehlo.scatter"(%31, %38, %39) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %50 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %50 : tensor<i32>
    }) : (tensor<11xi32>, tensor<20x1xi32>, tensor<20xi32>) -> tensor<11xi32>
    %41 = call @cumsum_54(%40) : (tensor<11xi32>) -> tensor<11xi32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %42 = call @floor_divide_57(%41, %c_15) : (tensor<11xi32>, tensor<i32>) -> tensor<11xi32>
    %c_16 = stablehlo.constant dense<20> : tensor<i32>
    %43 = call @remainder_66(%42, %c_16) : (tensor<11xi32>, tensor<i32>) -> tensor<11xi32>
    %44 = stablehlo.slice %43 [1:11] : (tensor<11xi32>) -> tensor<10xi32>
    %45 = stablehlo.slice %43 [1:11] : (tensor<11xi32>) -> tensor<10xi32>
    %c_17 = stablehlo.constant dense<20> : tensor<i32>
    %46 = call @_where_71(%44, %45, %c_17) : (tensor<10xi32>, tensor<10xi32>, tensor<i32>) -> tensor<10xi32>
    %c_18 = stablehlo.constant dense<1> : tensor<i32>
    %47 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %48 = "stablehlo.scatter"(%43, %47, %46) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      stablehlo.return %arg3 : tensor<i32>
    }) : (tensor<11xi32>, tensor<1xi32>, tensor<10xi32>) -> tensor<11xi32>
    %49 = call @diff(%48) : (tensor<11xi32>) -> tensor<10xi32>
    return %0, %1, %29, %49 : tensor<4xf32>, tensor<11xf32>, tensor<10xi32>, tensor<10xi32>
  }
  func.func private @median(%arg0: tensor<4x11xf32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = call @quantile(%arg0, %cst) : (tensor<4x11xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @quantile(%arg0: tensor<4x11xf32>, %arg1: tensor<f32>) -> tensor<4xf32> {
    %0 = stablehlo.compare  NE, %arg0, %arg0,  FLOAT : (tensor<4x11xf32>, tensor<4x11xf32>) -> tensor<4x11xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.or across dimensions = [1] : (tensor<4x11xi1>, tensor<i1>) -> tensor<4xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %3 = call @_where(%2, %cst, %arg0) : (tensor<4x1xi1>, tensor<f32>, tensor<4x11xf32>) -> tensor<4x11xf32>
    %4 = "stablehlo.sort"(%3) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.compare  EQ, %arg2, %cst_10,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.select %24, %cst_11, %arg2 : tensor<i1>, tensor<f32>
      %26 = stablehlo.compare  NE, %arg2, %arg2,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_12 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %27 = stablehlo.select %26, %cst_12, %25 : tensor<i1>, tensor<f32>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %28 = stablehlo.compare  EQ, %arg3, %cst_13,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %29 = stablehlo.select %28, %cst_14, %arg3 : tensor<i1>, tensor<f32>
      %30 = stablehlo.compare  NE, %arg3, %arg3,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_15 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %31 = stablehlo.select %30, %cst_15, %29 : tensor<i1>, tensor<f32>
      %32 = stablehlo.compare  LT, %27, %31,  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %32 : tensor<i1>
    }) : (tensor<4x11xf32>) -> tensor<4x11xf32>
    %cst_0 = stablehlo.constant dense<1.100000e+01> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.subtract %cst_0, %cst_1 : tensor<f32>
    %6 = stablehlo.multiply %arg1, %5 : tensor<f32>
    %7 = stablehlo.floor %6 : tensor<f32>
    %8 = stablehlo.ceil %6 : tensor<f32>
    %9 = stablehlo.subtract %6, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.100000e+01> : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.subtract %cst_3, %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.clamp %cst_5, %7, %11 : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.100000e+01> : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.subtract %cst_6, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.clamp %cst_8, %8, %13 : tensor<f32>
    %15 = stablehlo.convert %12 : (tensor<f32>) -> tensor<i32>
    %16 = stablehlo.convert %14 : (tensor<f32>) -> tensor<i32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %18 = "stablehlo.gather"(%4, %17) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1>}> : (tensor<4x11xf32>, tensor<1xi32>) -> tensor<4xf32>
    %19 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %20 = "stablehlo.gather"(%4, %19) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1>}> : (tensor<4x11xf32>, tensor<1xi32>) -> tensor<4xf32>
    %21 = stablehlo.add %18, %20 : tensor<4xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %23 = stablehlo.multiply %21, %22 : tensor<4xf32>
    return %23 : tensor<4xf32>
  }
  func.func private @_where(%arg0: tensor<4x1xi1>, %arg1: tensor<f32>, %arg2: tensor<4x11xf32>) -> tensor<4x11xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x11xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x11xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<4x11xi1>, tensor<4x11xf32>
    return %3 : tensor<4x11xf32>
  }
  func.func private @quantile_7(%arg0: tensor<4x11xf32>, %arg1: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.compare  NE, %arg0, %arg0,  FLOAT : (tensor<4x11xf32>, tensor<4x11xf32>) -> tensor<4x11xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4x11xi1>, tensor<i1>) -> tensor<11xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<11xi1>) -> tensor<1x11xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %3 = call @_where_10(%2, %cst, %arg0) : (tensor<1x11xi1>, tensor<f32>, tensor<4x11xf32>) -> tensor<4x11xf32>
    %4 = "stablehlo.sort"(%3) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %26 = stablehlo.compare  EQ, %arg2, %cst_9,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %27 = stablehlo.select %26, %cst_10, %arg2 : tensor<i1>, tensor<f32>
      %28 = stablehlo.compare  NE, %arg2, %arg2,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %29 = stablehlo.select %28, %cst_11, %27 : tensor<i1>, tensor<f32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %30 = stablehlo.compare  EQ, %arg3, %cst_12,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %31 = stablehlo.select %30, %cst_13, %arg3 : tensor<i1>, tensor<f32>
      %32 = stablehlo.compare  NE, %arg3, %arg3,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_14 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %33 = stablehlo.select %32, %cst_14, %31 : tensor<i1>, tensor<f32>
      %34 = stablehlo.compare  LT, %29, %33,  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %34 : tensor<i1>
    }) : (tensor<4x11xf32>) -> tensor<4x11xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.subtract %cst_0, %cst_1 : tensor<f32>
    %6 = stablehlo.multiply %arg1, %5 : tensor<f32>
    %7 = stablehlo.floor %6 : tensor<f32>
    %8 = stablehlo.ceil %6 : tensor<f32>
    %9 = stablehlo.subtract %6, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.subtract %cst_3, %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.clamp %cst_5, %7, %11 : tensor<f32>
    %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.subtract %cst_6, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.clamp %cst_8, %8, %13 : tensor<f32>
    %15 = stablehlo.convert %12 : (tensor<f32>) -> tensor<i32>
    %16 = stablehlo.convert %14 : (tensor<f32>) -> tensor<i32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %18 = "stablehlo.gather"(%4, %17) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 11>}> : (tensor<4x11xf32>, tensor<1xi32>) -> tensor<11xf32>
    %19 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %20 = "stablehlo.gather"(%4, %19) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 11>}> : (tensor<4x11xf32>, tensor<1xi32>) -> tensor<11xf32>
    %21 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %22 = stablehlo.multiply %18, %21 : tensor<11xf32>
    %23 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %24 = stablehlo.multiply %20, %23 : tensor<11xf32>
    %25 = stablehlo.add %22, %24 : tensor<11xf32>
    return %25 : tensor<11xf32>
  }
  func.func private @_where_10(%arg0: tensor<1x11xi1>, %arg1: tensor<f32>, %arg2: tensor<4x11xf32>) -> tensor<4x11xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x11xi1>) -> tensor<4x11xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x11xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<4x11xi1>, tensor<4x11xf32>
    return %3 : tensor<4x11xf32>
  }
  func.func private @_unique_sorted_mask(%arg0: tensor<20xi32>) -> (tensor<20xi32>, tensor<20xi1>, tensor<20xi32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<20xi32>) -> tensor<20x1xi32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<20x1xi32>) -> tensor<1x20xi32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<1x20xi32>
    %3 = call @lexsort(%2) : (tensor<1x20xi32>) -> tensor<20xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %5 = stablehlo.compare  LT, %3, %4,  SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %c_0 = stablehlo.constant dense<20> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %7 = stablehlo.add %3, %6 : tensor<20xi32>
    %8 = stablehlo.select %5, %7, %3 : tensor<20xi1>, tensor<20xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<20xi32>) -> tensor<20x1xi32>
    %10 = "stablehlo.gather"(%arg0, %9) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<20xi32>, tensor<20x1xi32>) -> tensor<20xi32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<20xi1>
    %12 = stablehlo.slice %10 [1:20] : (tensor<20xi32>) -> tensor<19xi32>
    %13 = stablehlo.slice %10 [0:19] : (tensor<20xi32>) -> tensor<19xi32>
    %14 = stablehlo.compare  NE, %12, %13,  SIGNED : (tensor<19xi32>, tensor<19xi32>) -> tensor<19xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %15 = stablehlo.reduce(%14 init: %c_2) applies stablehlo.or across dimensions = [] : (tensor<19xi1>, tensor<i1>) -> tensor<19xi1>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %17 = "stablehlo.scatter"(%11, %16, %15) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg1: tensor<i1>, %arg2: tensor<i1>):
      stablehlo.return %arg2 : tensor<i1>
    }) : (tensor<20xi1>, tensor<1xi32>, tensor<19xi1>) -> tensor<20xi1>
    return %10, %17, %3 : tensor<20xi32>, tensor<20xi1>, tensor<20xi32>
  }
  func.func private @lexsort(%arg0: tensor<1x20xi32>) -> tensor<20xi32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:20] : (tensor<1x20xi32>) -> tensor<1x20xi32>
    %1 = stablehlo.reshape %0 : (tensor<1x20xi32>) -> tensor<20xi32>
    %2 = stablehlo.iota dim = 0 : tensor<20xi32>
    %3:2 = "stablehlo.sort"(%1, %2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %4 = stablehlo.compare  LT, %arg1, %arg2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }) : (tensor<20xi32>, tensor<20xi32>) -> (tensor<20xi32>, tensor<20xi32>)
    return %3#1 : tensor<20xi32>
  }
  func.func private @cumsum(%arg0: tensor<20xi1>) -> tensor<20xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<20xi1>) -> tensor<20xi32>
    %1 = call @cumsum_28(%0) : (tensor<20xi32>) -> tensor<20xi32>
    return %1 : tensor<20xi32>
  }
  func.func private @cumsum_28(%arg0: tensor<20xi32>) -> tensor<20xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[19, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 20>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    return %1 : tensor<20xi32>
  }
  func.func private @clip(%arg0: tensor<20xi32>, %arg1: tensor<i32>) -> tensor<20xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<20xi32>
    return %2 : tensor<20xi32>
  }
  func.func private @cumsum_33(%arg0: tensor<10xi32>) -> tensor<10xi32> {
    %0 = call @cumsum_34(%arg0) : (tensor<10xi32>) -> tensor<10xi32>
    return %0 : tensor<10xi32>
  }
  func.func private @cumsum_34(%arg0: tensor<10xi32>) -> tensor<10xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[9, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 10>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<10xi32>, tensor<i32>) -> tensor<10xi32>
    return %1 : tensor<10xi32>
  }
  func.func private @floor_divide(%arg0: tensor<10xi32>, %arg1: tensor<i32>) -> tensor<10xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %1 = stablehlo.divide %arg0, %0 : tensor<10xi32>
    %2 = stablehlo.sign %arg0 : tensor<10xi32>
    %3 = stablehlo.sign %arg1 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %5 = stablehlo.compare  NE, %2, %4,  SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %7 = stablehlo.remainder %arg0, %6 : tensor<10xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %9 = stablehlo.compare  NE, %7, %8,  SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %10 = stablehlo.and %5, %9 : tensor<10xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %12 = stablehlo.subtract %1, %11 : tensor<10xi32>
    %13 = call @_where_39(%10, %12, %1) : (tensor<10xi1>, tensor<10xi32>, tensor<10xi32>) -> tensor<10xi32>
    return %13 : tensor<10xi32>
  }
  func.func private @_where_39(%arg0: tensor<10xi1>, %arg1: tensor<10xi32>, %arg2: tensor<10xi32>) -> tensor<10xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<10xi1>, tensor<10xi32>
    return %0 : tensor<10xi32>
  }
  func.func private @remainder(%arg0: tensor<10xi32>, %arg1: tensor<i32>) -> tensor<10xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare  EQ, %0, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_42(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<10xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %6 = stablehlo.compare  NE, %4, %5,  SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %8 = stablehlo.compare  LT, %4, %7,  SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare  LT, %2, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<10xi1>
    %11 = stablehlo.compare  NE, %8, %10,  UNSIGNED : (tensor<10xi1>, tensor<10xi1>) -> tensor<10xi1>
    %12 = stablehlo.and %11, %6 : tensor<10xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %14 = stablehlo.add %4, %13 : tensor<10xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<10xi1>, tensor<10xi32>
    return %15 : tensor<10xi32>
  }
  func.func private @_where_42(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_where_51(%arg0: tensor<10xi1>, %arg1: tensor<10xi32>, %arg2: tensor<i32>) -> tensor<10xi32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<10xi1>, tensor<10xi32>
    return %1 : tensor<10xi32>
  }
  func.func private @cumsum_54(%arg0: tensor<11xi32>) -> tensor<11xi32> {
    %0 = call @cumsum_55(%arg0) : (tensor<11xi32>) -> tensor<11xi32>
    return %0 : tensor<11xi32>
  }
  func.func private @cumsum_55(%arg0: tensor<11xi32>) -> tensor<11xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[10, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 11>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<11xi32>, tensor<i32>) -> tensor<11xi32>
    return %1 : tensor<11xi32>
  }
  func.func private @floor_divide_57(%arg0: tensor<11xi32>, %arg1: tensor<i32>) -> tensor<11xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %1 = stablehlo.divide %arg0, %0 : tensor<11xi32>
    %2 = stablehlo.sign %arg0 : tensor<11xi32>
    %3 = stablehlo.sign %arg1 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %5 = stablehlo.compare  NE, %2, %4,  SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %7 = stablehlo.remainder %arg0, %6 : tensor<11xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %9 = stablehlo.compare  NE, %7, %8,  SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %10 = stablehlo.and %5, %9 : tensor<11xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %12 = stablehlo.subtract %1, %11 : tensor<11xi32>
    %13 = call @_where_64(%10, %12, %1) : (tensor<11xi1>, tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
    return %13 : tensor<11xi32>
  }
  func.func private @_where_64(%arg0: tensor<11xi1>, %arg1: tensor<11xi32>, %arg2: tensor<11xi32>) -> tensor<11xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<11xi1>, tensor<11xi32>
    return %0 : tensor<11xi32>
  }
  func.func private @remainder_66(%arg0: tensor<11xi32>, %arg1: tensor<i32>) -> tensor<11xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare  EQ, %0, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_42(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<11xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %6 = stablehlo.compare  NE, %4, %5,  SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %8 = stablehlo.compare  LT, %4, %7,  SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare  LT, %2, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<11xi1>
    %11 = stablehlo.compare  NE, %8, %10,  UNSIGNED : (tensor<11xi1>, tensor<11xi1>) -> tensor<11xi1>
    %12 = stablehlo.and %11, %6 : tensor<11xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %14 = stablehlo.add %4, %13 : tensor<11xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<11xi1>, tensor<11xi32>
    return %15 : tensor<11xi32>
  }
  func.func private @_where_71(%arg0: tensor<10xi32>, %arg1: tensor<10xi32>, %arg2: tensor<i32>) -> tensor<10xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %1 = stablehlo.compare  NE, %arg0, %0,  SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %2 = stablehlo.convert %arg2 : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %4 = stablehlo.select %1, %arg1, %3 : tensor<10xi1>, tensor<10xi32>
    return %4 : tensor<10xi32>
  }
  func.func private @diff(%arg0: tensor<11xi32>) -> tensor<10xi32> {
    %0 = stablehlo.slice %arg0 [1:11] : (tensor<11xi32>) -> tensor<10xi32>
    %1 = stablehlo.slice %arg0 [0:10] : (tensor<11xi32>) -> tensor<10xi32>
    %2 = stablehlo.subtract %0, %1 : tensor<10xi32>
    return %2 : tensor<10xi32>
  }
}
