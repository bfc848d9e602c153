module @jit_booleans attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xi1>, %arg1: tensor<4x5xi1>) -> (tensor<4x5xi1> {jax.result_info = "result[0]"}, tensor<4x5xi1> {jax.result_info = "result[1]"}, tensor<4x5xi1> {jax.result_info = "result[2]"}, tensor<4x5xi1> {jax.result_info = "result[3]"}, tensor<5xi1> {jax.result_info = "result[4]"}, tensor<4xi1> {jax.result_info = "result[5]"}, tensor<4x5xi1> {jax.result_info = "result[6]"}, tensor<i32> {jax.result_info = "result[7]"}, tensor<4x5xf32> {jax.result_info = "result[8]"}, tensor<3xi1> {jax.result_info = "result[9]"}) {
    %c = stablehlo.constant dense<[0, 2, -1]> : tensor<3xi8>
    %0 = stablehlo.and %arg0, %arg1 : tensor<4x5xi1>
    %1 = stablehlo.or %arg0, %arg1 : tensor<4x5xi1>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<4x5xi1>
    %3 = stablehlo.not %arg0 : tensor<4x5xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %4 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.or across dimensions = [0] : (tensor<4x5xi1>, tensor<i1>) -> tensor<5xi1>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %5 = stablehlo.reduce(%arg1 init: %c_1) applies stablehlo.and across dimensions = [1] : (tensor<4x5xi1>, tensor<i1>) -> tensor<4xi1>
    %6 = stablehlo.compare  EQ, %arg0, %arg1,  UNSIGNED : (tensor<4x5xi1>, tensor<4x5xi1>) -> tensor<4x5xi1>
    %7 = stablehlo.convert %arg0 : (tensor<4x5xi1>) -> tensor<4x5xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.reduce(%7 init: %c_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xi32>, tensor<i32>) -> tensor<i32>
    %9 = stablehlo.convert %arg0 : (tensor<4x5xi1>) -> tensor<4x5xf32>
    %10 = stablehlo.convert %arg1 : (tensor<4x5xi1>) -> tensor<4x5xf32>
    %11 = stablehlo.subtract %9, %10 : tensor<4x5xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i8>
    %12 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i8>) -> tensor<3xi8>
    %13 = stablehlo.compare  NE, %c, %12,  SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
    %14 = stablehlo.convert %13 : tensor<3xi1>
    return %0, %1, %2, %3, %4, %5, %6, %8, %11, %14 : tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<5xi1>, tensor<4xi1>, tensor<4x5xi1>, tensor<i32>, tensor<4x5xf32>, tensor<3xi1>
  }
}
