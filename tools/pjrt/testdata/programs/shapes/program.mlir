module @jit_shapes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x5xi32>, %arg1: tensor<3x2x5xi32>) -> (tensor<5x3x4xi32> {jax.result_info = "result[0]"}, tensor<3x4x5xi32> {jax.result_info = "result[1]"}, tensor<2x2x4xi32> {jax.result_info = "result[2]"}, tensor<8x4x7xi32> {jax.result_info = "result[3]"}, tensor<3x10x5xi32> {jax.result_info = "result[4]"}, tensor<5x12xi32> {jax.result_info = "result[5]"}, tensor<2x3xi32> {jax.result_info = "result[6]"}, tensor<3x4x5xi32> {jax.result_info = "result[7]"}, tensor<3x4x5xi32> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<3x4x5xi32>) -> tensor<5x3x4xi32>
    %1 = stablehlo.reverse %arg0, dims = [0, 2] : tensor<3x4x5xi32>
    %2 = stablehlo.iota dim = 0 : tensor<2xi32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.multiply %3, %2 : tensor<2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %6 = stablehlo.add %5, %4 : tensor<2xi32>
    %7 = stablehlo.iota dim = 0 : tensor<2xi32>
    %c_1 = stablehlo.constant dense<-2> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %9 = stablehlo.multiply %8, %7 : tensor<2xi32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %11 = stablehlo.add %10, %9 : tensor<2xi32>
    %12 = stablehlo.reverse %11, dims = [0] : tensor<2xi32>
    %13 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi32>) -> tensor<2x2x1xi32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<2xi32>) -> tensor<2x2x1xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<2x2x1xi32>
    %16 = stablehlo.concatenate %13, %14, %15, dim = 2 : (tensor<2x2x1xi32>, tensor<2x2x1xi32>, tensor<2x2x1xi32>) -> tensor<2x2x3xi32>
    %17 = "stablehlo.gather"(%arg0, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1, 2], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x4x5xi32>, tensor<2x2x3xi32>) -> tensor<2x2x4xi32>
    %18 = stablehlo.reverse %17, dims = [1] : tensor<2x2x4xi32>
    %c_4 = stablehlo.constant dense<-1> : tensor<i32>
    %19 = stablehlo.pad %arg0, %c_4, low = [1, -1, 0], high = [0, 1, -2], interior = [2, 0, 1] : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<8x4x7xi32>
    %20 = stablehlo.concatenate %arg0, %arg1, %arg0, dim = 1 : (tensor<3x4x5xi32>, tensor<3x2x5xi32>, tensor<3x4x5xi32>) -> tensor<3x10x5xi32>
    %21 = stablehlo.reshape %arg0 : (tensor<3x4x5xi32>) -> tensor<5x12xi32>
    %22 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %23 = call @_roll_static(%arg0) : (tensor<3x4x5xi32>) -> tensor<3x4x5xi32>
    %24 = stablehlo.reshape %arg1 : (tensor<3x2x5xi32>) -> tensor<1x3x1x2x1x5xi32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3, 4, 5] : (tensor<1x3x1x2x1x5xi32>) -> tensor<1x3x2x2x1x5xi32>
    %26 = stablehlo.reshape %25 : (tensor<1x3x2x2x1x5xi32>) -> tensor<3x4x5xi32>
    return %0, %1, %18, %19, %20, %21, %22, %23, %26 : tensor<5x3x4xi32>, tensor<3x4x5xi32>, tensor<2x2x4xi32>, tensor<8x4x7xi32>, tensor<3x10x5xi32>, tensor<5x12xi32>, tensor<2x3xi32>, tensor<3x4x5xi32>, tensor<3x4x5xi32>
  }
  func.func private @_roll_static(%arg0: tensor<3x4x5xi32>) -> tensor<3x4x5xi32> {
    %0 = stablehlo.slice %arg0 [0:3, 2:4, 0:5] : (tensor<3x4x5xi32>) -> tensor<3x2x5xi32>
    %1 = stablehlo.slice %arg0 [0:3, 0:2, 0:5] : (tensor<3x4x5xi32>) -> tensor<3x2x5xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<3x2x5xi32>, tensor<3x2x5xi32>) -> tensor<3x4x5xi32>
    return %2 : tensor<3x4x5xi32>
  }
}
