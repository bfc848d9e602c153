module @jit_complex_c64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xcomplex<f32>>, %arg1: tensor<3x4xcomplex<f32>>) -> (tensor<3x4xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<3x4xf32> {jax.result_info = "result[4]"}, tensor<3x4xf32> {jax.result_info = "result[5]"}, tensor<3x4xf32> {jax.result_info = "result[6]"}, tensor<3x4xf32> {jax.result_info = "result[7]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[8]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[9]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[10]"}, tensor<3x4xi1> {jax.result_info = "result[11]"}, tensor<complex<f32>> {jax.result_info = "result[12]"}) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<3x4xcomplex<f32>>
    %1 = stablehlo.divide %arg0, %arg1 : tensor<3x4xcomplex<f32>>
    %2 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<3x4xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x4xcomplex<f32>>, tensor<4x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %4 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %5 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %6 = stablehlo.negate %5 : tensor<3x4xf32>
    %7 = stablehlo.complex %4, %6 : tensor<3x4xcomplex<f32>>
    %8 = stablehlo.abs %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %9 = call @angle(%arg0) : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %10 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %11 = stablehlo.imag %arg1 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %12 = stablehlo.exponential %arg0 : tensor<3x4xcomplex<f32>>
    %13 = stablehlo.sqrt %arg0 : tensor<3x4xcomplex<f32>>
    %14 = stablehlo.log %arg1 : tensor<3x4xcomplex<f32>>
    %15 = stablehlo.real %arg1 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %17 = stablehlo.compare  GT, %15, %16,  FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %18 = call @_where(%17, %arg0, %arg1) : (tensor<3x4xi1>, tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %19 = stablehlo.compare  EQ, %arg0, %18,  FLOAT : (tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<3x4xi1>
    %cst_0 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %20 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    return %0, %1, %3, %7, %8, %9, %10, %11, %12, %13, %14, %19, %20 : tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x4xi1>, tensor<complex<f32>>
  }
  func.func private @angle(%arg0: tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32> {
    %0 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %1 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %2 = stablehlo.atan2 %1, %0 : tensor<3x4xf32>
    return %2 : tensor<3x4xf32>
  }
  func.func private @_where(%arg0: tensor<3x4xi1>, %arg1: tensor<3x4xcomplex<f32>>, %arg2: tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x4xi1>, tensor<3x4xcomplex<f32>>
    return %0 : tensor<3x4xcomplex<f32>>
  }
}
