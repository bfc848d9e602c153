module @jit_special_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<26xf32>) -> (tensor<26xi32> {jax.result_info = "result[0]"}, tensor<26xi32> {jax.result_info = "result[1]"}, tensor<26xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<26xf32>) -> tensor<26xi32>
    %1 = call @sort(%0) : (tensor<26xi32>) -> tensor<26xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<26xi32>
    %3 = stablehlo.xor %0, %2 : tensor<26xi32>
    %4 = stablehlo.bitcast_convert %3 : (tensor<26xi32>) -> tensor<26xf32>
    return %0, %1, %4 : tensor<26xi32>, tensor<26xi32>, tensor<26xf32>
  }
  func.func private @sort(%arg0: tensor<26xi32>) -> tensor<26xi32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %1 = stablehlo.compare  LT, %arg1, %arg2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<26xi32>) -> tensor<26xi32>
    return %0 : tensor<26xi32>
  }
}
