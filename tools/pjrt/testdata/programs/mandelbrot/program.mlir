module @jit_mandelbrot attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32>, %arg1: tensor<16xf32>) -> (tensor<16x24xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<16x24xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x24xf32>
    %4 = stablehlo.complex %2, %3 : tensor<16x24xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<16x24xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x24xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7:5 = stablehlo.while(%iterArg = %4, %iterArg_2 = %c_1, %iterArg_3 = %c_0, %iterArg_4 = %5, %iterArg_5 = %6) : tensor<16x24xcomplex<f32>>, tensor<i32>, tensor<i32>, tensor<16x24xcomplex<f32>>, tensor<16x24xi32>
    cond {
      %c_6 = stablehlo.constant dense<20> : tensor<i32>
      %8 = stablehlo.compare  LT, %iterArg_2, %c_6,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8:3 = func.call @closed_call(%iterArg, %iterArg_3, %iterArg_4, %iterArg_5) : (tensor<16x24xcomplex<f32>>, tensor<i32>, tensor<16x24xcomplex<f32>>, tensor<16x24xi32>) -> (tensor<i32>, tensor<16x24xcomplex<f32>>, tensor<16x24xi32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_2, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %9, %8#0, %8#1, %8#2 : tensor<16x24xcomplex<f32>>, tensor<i32>, tensor<i32>, tensor<16x24xcomplex<f32>>, tensor<16x24xi32>
    }
    return %7#4 : tensor<16x24xi32>
  }
  func.func private @closed_call(%arg0: tensor<16x24xcomplex<f32>>, %arg1: tensor<i32>, %arg2: tensor<16x24xcomplex<f32>>, %arg3: tensor<16x24xi32>) -> (tensor<i32>, tensor<16x24xcomplex<f32>>, tensor<16x24xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.real %arg2 : (tensor<16x24xcomplex<f32>>) -> tensor<16x24xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<16x24xf32>
    %3 = stablehlo.imag %arg2 : (tensor<16x24xcomplex<f32>>) -> tensor<16x24xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<16x24xf32>
    %5 = stablehlo.add %2, %4 : tensor<16x24xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %7 = stablehlo.compare  LE, %5, %6,  FLOAT : (tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xi1>
    %8 = stablehlo.multiply %arg2, %arg2 : tensor<16x24xcomplex<f32>>
    %9 = stablehlo.add %8, %arg0 : tensor<16x24xcomplex<f32>>
    %10 = call @_where(%7, %9, %arg2) : (tensor<16x24xi1>, tensor<16x24xcomplex<f32>>, tensor<16x24xcomplex<f32>>) -> tensor<16x24xcomplex<f32>>
    %11 = stablehlo.convert %7 : (tensor<16x24xi1>) -> tensor<16x24xi32>
    %12 = stablehlo.add %arg3, %11 : tensor<16x24xi32>
    return %0, %10, %12 : tensor<i32>, tensor<16x24xcomplex<f32>>, tensor<16x24xi32>
  }
  func.func private @_where(%arg0: tensor<16x24xi1>, %arg1: tensor<16x24xcomplex<f32>>, %arg2: tensor<16x24xcomplex<f32>>) -> tensor<16x24xcomplex<f32>> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<16x24xi1>, tensor<16x24xcomplex<f32>>
    return %0 : tensor<16x24xcomplex<f32>>
  }
}
