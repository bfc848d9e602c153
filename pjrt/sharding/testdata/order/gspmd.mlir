module @jit_difference attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,1]<=[2,2]T(1,0)}"}, %arg1: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0)}"}) -> (tensor<8x4xf32> {jax.result_info = "result[0]"}, tensor<8x4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8x4xf32>
    %1 = stablehlo.subtract %0, %arg1 : tensor<8x4xf32>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<8x4xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{devices=[1,4]<=[4]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1, %3 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
