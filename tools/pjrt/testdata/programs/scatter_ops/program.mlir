module @jit_scatter_ops attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xi32>, %arg1: tensor<5xi32>, %arg2: tensor<5x4xi32>) -> (tensor<6x4xi32> {jax.result_info = "result[0]"}, tensor<6x4xi32> {jax.result_info = "result[1]"}, tensor<6x4xi32> {jax.result_info = "result[2]"}, tensor<6x4xi32> {jax.result_info = "result[3]"}, tensor<6x4xi32> {jax.result_info = "result[4]"}, tensor<6x4xi32> {jax.result_info = "result[5]"}) {
    %c = stablehlo.constant dense<[5, 2, 0]> : tensor<3xi32>
    %0 = stablehlo.slice %arg2 [0:3, 0:4] : (tensor<5x4xi32>) -> tensor<3x4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.compare  LT, %c, %1,  SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_1 = stablehlo.constant dense<6> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.add %c, %3 : tensor<3xi32>
    %5 = stablehlo.select %2, %4, %c : tensor<3xi1>, tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %7 = "stablehlo.scatter"(%arg0, %6, %0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<6x4xi32>, tensor<3x1xi32>, tensor<3x4xi32>) -> tensor<6x4xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %9 = stablehlo.compare  LT, %arg1, %8,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_3 = stablehlo.constant dense<6> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %11 = stablehlo.add %arg1, %10 : tensor<5xi32>
    %12 = stablehlo.select %9, %11, %arg1 : tensor<5xi1>, tensor<5xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %14 = "stablehlo.scatter"(%arg0, %13, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %53 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %53 : tensor<i32>
    }) : (tensor<6x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<6x4xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %16 = stablehlo.compare  LT, %arg1, %15,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_5 = stablehlo.constant dense<6> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %18 = stablehlo.add %arg1, %17 : tensor<5xi32>
    %19 = stablehlo.select %16, %18, %arg1 : tensor<5xi1>, tensor<5xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %21 = "stablehlo.scatter"(%arg0, %20, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %53 = stablehlo.multiply %arg3, %arg4 : tensor<i32>
      stablehlo.return %53 : tensor<i32>
    }) : (tensor<6x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<6x4xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %23 = stablehlo.compare  LT, %arg1, %22,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_7 = stablehlo.constant dense<6> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %25 = stablehlo.add %arg1, %24 : tensor<5xi32>
    %26 = stablehlo.select %23, %25, %arg1 : tensor<5xi1>, tensor<5xi32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %28 = "stablehlo.scatter"(%arg0, %27, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %53 = stablehlo.minimum %arg3, %arg4 : tensor<i32>
      stablehlo.return %53 : tensor<i32>
    }) : (tensor<6x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<6x4xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %30 = stablehlo.compare  LT, %arg1, %29,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_9 = stablehlo.constant dense<6> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %32 = stablehlo.add %arg1, %31 : tensor<5xi32>
    %33 = stablehlo.select %30, %32, %arg1 : tensor<5xi1>, tensor<5xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %35 = "stablehlo.scatter"(%arg0, %34, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %53 = stablehlo.maximum %arg3, %arg4 : tensor<i32>
      stablehlo.return %53 : tensor<i32>
    }) : (tensor<6x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<6x4xi32>
    %c_10 = stablehlo.constant dense<4> : tensor<i32>
    %36 = call @remainder(%arg1, %c_10) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    %37 = stablehlo.slice %arg2 [0:5, 0:1] : (tensor<5x4xi32>) -> tensor<5x1xi32>
    %38 = stablehlo.reshape %37 : (tensor<5x1xi32>) -> tensor<5xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %40 = stablehlo.compare  LT, %arg1, %39,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_12 = stablehlo.constant dense<6> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %42 = stablehlo.add %arg1, %41 : tensor<5xi32>
    %43 = stablehlo.select %40, %42, %arg1 : tensor<5xi1>, tensor<5xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %45 = stablehlo.compare  LT, %36, %44,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_14 = stablehlo.constant dense<4> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %47 = stablehlo.add %36, %46 : tensor<5xi32>
    %48 = stablehlo.select %45, %47, %36 : tensor<5xi1>, tensor<5xi32>
    %49 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %50 = stablehlo.broadcast_in_dim %48, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %51 = stablehlo.concatenate %49, %50, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
    %52 = "stablehlo.scatter"(%arg0, %51, %38) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %53 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %53 : tensor<i32>
    }) : (tensor<6x4xi32>, tensor<5x2xi32>, tensor<5xi32>) -> tensor<6x4xi32>
    return %7, %14, %21, %28, %35, %52 : tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>
  }
  func.func private @remainder(%arg0: tensor<5xi32>, %arg1: tensor<i32>) -> tensor<5xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare  EQ, %0, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<5xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %6 = stablehlo.compare  NE, %4, %5,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %8 = stablehlo.compare  LT, %4, %7,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare  LT, %2, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<5xi1>
    %11 = stablehlo.compare  NE, %8, %10,  UNSIGNED : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
    %12 = stablehlo.and %11, %6 : tensor<5xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %14 = stablehlo.add %4, %13 : tensor<5xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<5xi1>, tensor<5xi32>
    return %15 : tensor<5xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
