module @jit_int4 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xi4>, %arg1: tensor<16xui4>, %arg2: tensor<7xi4>, %arg3: tensor<5xi8>) -> (tensor<16xi4> {jax.result_info = "result[0]"}, tensor<16xui4> {jax.result_info = "result[1]"}, tensor<16xi32> {jax.result_info = "result[2]"}, tensor<16xf32> {jax.result_info = "result[3]"}, tensor<7xi4> {jax.result_info = "result[4]"}, tensor<7x1xi4> {jax.result_info = "result[5]"}, tensor<5xi4> {jax.result_info = "result[6]"}) {
    %c = stablehlo.constant dense<1> : tensor<i4>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %1 = stablehlo.add %arg0, %0 : tensor<16xi4>
    %2 = stablehlo.convert %arg0 : (tensor<16xi4>) -> tensor<16xi32>
    %3 = stablehlo.convert %arg1 : (tensor<16xui4>) -> tensor<16xf32>
    %4 = stablehlo.reverse %arg2, dims = [0] : tensor<7xi4>
    %5 = stablehlo.reshape %arg2 : (tensor<7xi4>) -> tensor<7x1xi4>
    %c_0 = stablehlo.constant dense<2> : tensor<i4>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i4>) -> tensor<7x1xi4>
    %7 = stablehlo.multiply %5, %6 : tensor<7x1xi4>
    %8 = stablehlo.convert %arg3 : (tensor<5xi8>) -> tensor<5xi4>
    return %1, %arg1, %2, %3, %4, %7, %8 : tensor<16xi4>, tensor<16xui4>, tensor<16xi32>, tensor<16xf32>, tensor<7xi4>, tensor<7x1xi4>, tensor<5xi4>
  }
}
