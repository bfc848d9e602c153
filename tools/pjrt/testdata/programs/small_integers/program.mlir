module @jit_small_integers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xi8>, %arg1: tensor<12xui8>, %arg2: tensor<12xi16>, %arg3: tensor<12xui16>) -> (tensor<12xi8> {jax.result_info = "result[0]"}, tensor<12xi8> {jax.result_info = "result[1]"}, tensor<12xi8> {jax.result_info = "result[2]"}, tensor<12xi8> {jax.result_info = "result[3]"}, tensor<12xui8> {jax.result_info = "result[4]"}, tensor<12xui8> {jax.result_info = "result[5]"}, tensor<12xi16> {jax.result_info = "result[6]"}, tensor<i32> {jax.result_info = "result[7]"}, tensor<12xui16> {jax.result_info = "result[8]"}, tensor<ui16> {jax.result_info = "result[9]"}, tensor<12xi8> {jax.result_info = "result[10]"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<12xi8>
    %1 = stablehlo.multiply %arg0, %arg0 : tensor<12xi8>
    %2 = stablehlo.negate %arg0 : tensor<12xi8>
    %3 = stablehlo.abs %arg0 : tensor<12xi8>
    %c = stablehlo.constant dense<200> : tensor<ui8>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<12xui8>
    %5 = stablehlo.subtract %arg1, %4 : tensor<12xui8>
    %6 = stablehlo.multiply %arg1, %arg1 : tensor<12xui8>
    %7 = stablehlo.multiply %arg2, %arg2 : tensor<12xi16>
    %8 = stablehlo.convert %arg2 : (tensor<12xi16>) -> tensor<12xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.reduce(%8 init: %c_0) applies stablehlo.add across dimensions = [0] : (tensor<12xi32>, tensor<i32>) -> tensor<i32>
    %10 = stablehlo.add %arg3, %arg3 : tensor<12xui16>
    %c_1 = stablehlo.constant dense<0> : tensor<ui16>
    %11 = stablehlo.reduce(%arg3 init: %c_1) applies stablehlo.maximum across dimensions = [0] : (tensor<12xui16>, tensor<ui16>) -> tensor<ui16>
    %12 = stablehlo.convert %arg1 : (tensor<12xui8>) -> tensor<12xi8>
    return %0, %1, %2, %3, %5, %6, %7, %9, %10, %11, %12 : tensor<12xi8>, tensor<12xi8>, tensor<12xi8>, tensor<12xi8>, tensor<12xui8>, tensor<12xui8>, tensor<12xi16>, tensor<i32>, tensor<12xui16>, tensor<ui16>, tensor<12xi8>
  }
}
