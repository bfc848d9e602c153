module @jit_matmul_int8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x20xi8>, %arg1: tensor<20x6xi8>, %arg2: tensor<6x20xui8>) -> (tensor<12x6xi32> {jax.result_info = "result[0]"}, tensor<6x6xui32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<6x20xui8>) -> tensor<20x6xui8>
    %1 = stablehlo.dot_general %arg2, %0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<6x20xui8>, tensor<20x6xui8>) -> tensor<6x6xui32>
    %2 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<12x20xi8>, tensor<20x6xi8>) -> tensor<12x6xi32>
    return %2, %1 : tensor<12x6xi32>, tensor<6x6xui32>
  }
}
