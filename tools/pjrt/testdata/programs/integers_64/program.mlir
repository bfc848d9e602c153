module @jit_integers_64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xi64>, %arg1: tensor<8xui64>, %arg2: tensor<i64>) -> (tensor<8xi64> {jax.result_info = "result[0]"}, tensor<8xi64> {jax.result_info = "result[1]"}, tensor<8xi64> {jax.result_info = "result[2]"}, tensor<8xui64> {jax.result_info = "result[3]"}, tensor<8xui64> {jax.result_info = "result[4]"}, tensor<i64> {jax.result_info = "result[5]"}, tensor<i64> {jax.result_info = "result[6]"}, tensor<ui64> {jax.result_info = "result[7]"}, tensor<8xf64> {jax.result_info = "result[8]"}, tensor<8xui64> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %1 = stablehlo.multiply %arg0, %0 : tensor<8xi64>
    %2 = call @floor_divide(%arg0, %arg2) : (tensor<8xi64>, tensor<i64>) -> tensor<8xi64>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %4 = stablehlo.add %arg0, %3 : tensor<8xi64>
    %5 = stablehlo.multiply %arg1, %arg1 : tensor<8xui64>
    %c_0 = stablehlo.constant dense<3> : tensor<ui64>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<8xui64>
    %7 = stablehlo.shift_right_logical %arg1, %6 : tensor<8xui64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.add across dimensions = [0] : (tensor<8xi64>, tensor<i64>) -> tensor<i64>
    %c_2 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %9 = stablehlo.reduce(%arg0 init: %c_2) applies stablehlo.maximum across dimensions = [0] : (tensor<8xi64>, tensor<i64>) -> tensor<i64>
    %c_3 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %10 = stablehlo.reduce(%arg1 init: %c_3) applies stablehlo.minimum across dimensions = [0] : (tensor<8xui64>, tensor<ui64>) -> tensor<ui64>
    %11 = stablehlo.convert %arg0 : (tensor<8xi64>) -> tensor<8xf64>
    %12 = call @sort(%arg1) : (tensor<8xui64>) -> tensor<8xui64>
    return %1, %2, %4, %5, %7, %8, %9, %10, %11, %12 : tensor<8xi64>, tensor<8xi64>, tensor<8xi64>, tensor<8xui64>, tensor<8xui64>, tensor<i64>, tensor<i64>, tensor<ui64>, tensor<8xf64>, tensor<8xui64>
  }
  func.func private @floor_divide(%arg0: tensor<8xi64>, %arg1: tensor<i64>) -> tensor<8xi64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %1 = stablehlo.divide %arg0, %0 : tensor<8xi64>
    %2 = stablehlo.sign %arg0 : tensor<8xi64>
    %3 = stablehlo.sign %arg1 : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %5 = stablehlo.compare  NE, %2, %4,  SIGNED : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %7 = stablehlo.remainder %arg0, %6 : tensor<8xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %9 = stablehlo.compare  NE, %7, %8,  SIGNED : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
    %10 = stablehlo.and %5, %9 : tensor<8xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %12 = stablehlo.subtract %1, %11 : tensor<8xi64>
    %13 = call @_where(%10, %12, %1) : (tensor<8xi1>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
    return %13 : tensor<8xi64>
  }
  func.func private @_where(%arg0: tensor<8xi1>, %arg1: tensor<8xi64>, %arg2: tensor<8xi64>) -> tensor<8xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8xi1>, tensor<8xi64>
    return %0 : tensor<8xi64>
  }
  func.func private @sort(%arg0: tensor<8xui64>) -> tensor<8xui64> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<ui64>, %arg2: tensor<ui64>):
      %1 = stablehlo.compare  LT, %arg1, %arg2,  UNSIGNED : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<8xui64>) -> tensor<8xui64>
    return %0 : tensor<8xui64>
  }
}
