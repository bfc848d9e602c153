module @jit_difference attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x4xf32> {jax.result_info = "result[0]"}, tensor<8x4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8x4xf32>
    %1 = stablehlo.subtract %0, %arg1 : tensor<8x4xf32>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<8x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {"x", "y"}]> : tensor<8x4xf32>
    return %1, %3 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
