module @jit_integer_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xi32>, %arg1: tensor<9xi32>, %arg2: tensor<6xui64>, %arg3: tensor<5xi8>) -> (tensor<9xi32> {jax.result_info = "result[0]"}, tensor<9xi32> {jax.result_info = "result[1]"}, tensor<9xi32> {jax.result_info = "result[2]"}, tensor<9xi32> {jax.result_info = "result[3]"}, tensor<6xui64> {jax.result_info = "result[4]"}, tensor<6xui64> {jax.result_info = "result[5]"}, tensor<5xi8> {jax.result_info = "result[6]"}, tensor<5xi8> {jax.result_info = "result[7]"}, tensor<9xi32> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.and %arg0, %arg1 : tensor<9xi32>
    %1 = stablehlo.or %arg0, %arg1 : tensor<9xi32>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<9xi32>
    %3 = stablehlo.not %arg0 : tensor<9xi32>
    %4 = stablehlo.popcnt %arg2 : tensor<6xui64>
    %5 = stablehlo.count_leading_zeros %arg2 : tensor<6xui64>
    %6 = stablehlo.count_leading_zeros %arg3 : tensor<5xi8>
    %7 = stablehlo.popcnt %arg3 : tensor<5xi8>
    %8 = stablehlo.multiply %arg0, %arg0 : tensor<9xi32>
    %9 = stablehlo.multiply %8, %arg0 : tensor<9xi32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %9 : tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<6xui64>, tensor<6xui64>, tensor<5xi8>, tensor<5xi8>, tensor<9xi32>
  }
}
