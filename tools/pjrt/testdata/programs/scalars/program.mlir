module @jit_scalars attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i32>, %arg2: tensor<i1>, %arg3: tensor<complex<f32>>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}, tensor<i1> {jax.result_info = "result[2]"}, tensor<complex<f32>> {jax.result_info = "result[3]"}, tensor<i1> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<f32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.subtract %arg1, %c : tensor<i32>
    %2 = stablehlo.not %arg2 : tensor<i1>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %3 = stablehlo.multiply %arg3, %cst : tensor<complex<f32>>
    %4 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %5 = stablehlo.compare  GT, %arg0, %4,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0, %1, %2, %3, %5 : tensor<f32>, tensor<i32>, tensor<i1>, tensor<complex<f32>>, tensor<i1>
  }
}
