module @jit_special_values attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf32>, %arg1: tensor<12xf32>) -> (tensor<12xf32> {jax.result_info = "result[0]"}, tensor<12xf32> {jax.result_info = "result[1]"}, tensor<12xf32> {jax.result_info = "result[2]"}, tensor<12xf32> {jax.result_info = "result[3]"}, tensor<12xf32> {jax.result_info = "result[4]"}, tensor<12xf32> {jax.result_info = "result[5]"}, tensor<12xi1> {jax.result_info = "result[6]"}, tensor<12xi1> {jax.result_info = "result[7]"}, tensor<12xi1> {jax.result_info = "result[8]"}, tensor<12xi1> {jax.result_info = "result[9]"}, tensor<12xf32> {jax.result_info = "result[10]"}, tensor<12xf32> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<12xf32>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<12xf32>
    %2 = stablehlo.divide %arg0, %arg1 : tensor<12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %4 = stablehlo.divide %3, %arg0 : tensor<12xf32>
    %5 = stablehlo.negate %arg0 : tensor<12xf32>
    %6 = stablehlo.abs %arg0 : tensor<12xf32>
    %7 = stablehlo.compare  EQ, %arg0, %arg1,  FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %8 = stablehlo.compare  NE, %arg0, %arg0,  FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %9 = stablehlo.compare  LT, %arg0, %arg1,  FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %10 = stablehlo.is_finite %arg0 : (tensor<12xf32>) -> tensor<12xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = call @copysign(%cst_0, %arg0) : (tensor<f32>, tensor<12xf32>) -> tensor<12xf32>
    %12 = stablehlo.sqrt %arg0 : tensor<12xf32>
    return %0, %1, %2, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xf32>, tensor<12xf32>
  }
  func.func private @copysign(%arg0: tensor<f32>, %arg1: tensor<12xf32>) -> tensor<12xf32> {
    %0 = call @signbit(%arg1) : (tensor<12xf32>) -> tensor<12xi1>
    %1 = stablehlo.abs %arg0 : tensor<f32>
    %2 = stablehlo.negate %1 : tensor<f32>
    %3 = stablehlo.abs %arg0 : tensor<f32>
    %4 = call @_where(%0, %2, %3) : (tensor<12xi1>, tensor<f32>, tensor<f32>) -> tensor<12xf32>
    return %4 : tensor<12xf32>
  }
  func.func private @signbit(%arg0: tensor<12xf32>) -> tensor<12xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<12xf32>) -> tensor<12xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<12xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %4 = stablehlo.compare  NE, %2, %3,  SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %5 = stablehlo.convert %4 : tensor<12xi1>
    return %5 : tensor<12xi1>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<12xi1>, tensor<12xf32>
    return %2 : tensor<12xf32>
  }
}
