module @jit_fft2_c128 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x8xcomplex<f64>>) -> (tensor<6x8xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<6x8xcomplex<f64>> {jax.result_info = "result[1]"}) {
    %0 = call @fft(%arg0) : (tensor<6x8xcomplex<f64>>) -> tensor<6x8xcomplex<f64>>
    %1 = stablehlo.real %arg0 : (tensor<6x8xcomplex<f64>>) -> tensor<6x8xf64>
    %2 = call @fft_1(%1) : (tensor<6x8xf64>) -> tensor<6x8xcomplex<f64>>
    return %0, %2 : tensor<6x8xcomplex<f64>>, tensor<6x8xcomplex<f64>>
  }
  func.func private @fft(%arg0: tensor<6x8xcomplex<f64>>) -> tensor<6x8xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type =  FFT, length = [6, 8] : (tensor<6x8xcomplex<f64>>) -> tensor<6x8xcomplex<f64>>
    return %0 : tensor<6x8xcomplex<f64>>
  }
  func.func private @fft_1(%arg0: tensor<6x8xf64>) -> tensor<6x8xcomplex<f64>> {
    %0 = stablehlo.convert %arg0 : (tensor<6x8xf64>) -> tensor<6x8xcomplex<f64>>
    %1 = stablehlo.fft %0, type =  FFT, length = [6, 8] : (tensor<6x8xcomplex<f64>>) -> tensor<6x8xcomplex<f64>>
    return %1 : tensor<6x8xcomplex<f64>>
  }
}
