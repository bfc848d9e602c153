module @jit_f8_encode attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<39xf32>) -> (tensor<39xf8E4M3FN> {jax.result_info = "result[0]"}, tensor<39xf8E5M2> {jax.result_info = "result[1]"}, tensor<39xf8E4M3FNUZ> {jax.result_info = "result[2]"}, tensor<39xf8E5M2FNUZ> {jax.result_info = "result[3]"}, tensor<39xf8E4M3B11FNUZ> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<39xf32>) -> tensor<39xf8E4M3FN>
    %1 = stablehlo.convert %arg0 : (tensor<39xf32>) -> tensor<39xf8E5M2>
    %2 = stablehlo.convert %arg0 : (tensor<39xf32>) -> tensor<39xf8E4M3FNUZ>
    %3 = stablehlo.convert %arg0 : (tensor<39xf32>) -> tensor<39xf8E5M2FNUZ>
    %4 = stablehlo.convert %arg0 : (tensor<39xf32>) -> tensor<39xf8E4M3B11FNUZ>
    return %0, %1, %2, %3, %4 : tensor<39xf8E4M3FN>, tensor<39xf8E5M2>, tensor<39xf8E4M3FNUZ>, tensor<39xf8E5M2FNUZ>, tensor<39xf8E4M3B11FNUZ>
  }
}
