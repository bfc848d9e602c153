module @jit_conversions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xi32>, %arg2: tensor<2xcomplex<f32>>) -> (tensor<6xi32> {jax.result_info = "result[0][0]"}, tensor<6xi8> {jax.result_info = "result[0][1]"}, tensor<6xi1> {jax.result_info = "result[0][2]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[0][3]"}, tensor<6xf16> {jax.result_info = "result[0][4]"}, tensor<6xbf16> {jax.result_info = "result[0][5]"}, tensor<6xi8> {jax.result_info = "result[1][0]"}, tensor<6xui8> {jax.result_info = "result[1][1]"}, tensor<6xui16> {jax.result_info = "result[1][2]"}, tensor<6xf32> {jax.result_info = "result[1][3]"}, tensor<6xi1> {jax.result_info = "result[1][4]"}, tensor<6xui32> {jax.result_info = "result[1][5]"}, tensor<2xi32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<6xf32>) -> tensor<6xi32>
    %1 = stablehlo.convert %arg0 : (tensor<6xf32>) -> tensor<6xi8>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.compare  NE, %arg0, %2,  FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %4 = stablehlo.convert %3 : tensor<6xi1>
    %5 = stablehlo.convert %arg0 : (tensor<6xf32>) -> tensor<6xcomplex<f32>>
    %6 = stablehlo.convert %arg0 : (tensor<6xf32>) -> tensor<6xf16>
    %7 = stablehlo.convert %arg0 : (tensor<6xf32>) -> tensor<6xbf16>
    %8 = stablehlo.convert %arg1 : (tensor<6xi32>) -> tensor<6xi8>
    %9 = stablehlo.convert %arg1 : (tensor<6xi32>) -> tensor<6xui8>
    %10 = stablehlo.convert %arg1 : (tensor<6xi32>) -> tensor<6xui16>
    %11 = stablehlo.convert %arg1 : (tensor<6xi32>) -> tensor<6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %13 = stablehlo.compare  NE, %arg1, %12,  SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %14 = stablehlo.convert %13 : tensor<6xi1>
    %15 = stablehlo.convert %arg1 : (tensor<6xi32>) -> tensor<6xui32>
    %16 = stablehlo.real %arg2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %17 = stablehlo.convert %16 : (tensor<2xf32>) -> tensor<2xi32>
    return %0, %1, %4, %5, %6, %7, %8, %9, %10, %11, %14, %15, %17 : tensor<6xi32>, tensor<6xi8>, tensor<6xi1>, tensor<6xcomplex<f32>>, tensor<6xf16>, tensor<6xbf16>, tensor<6xi8>, tensor<6xui8>, tensor<6xui16>, tensor<6xf32>, tensor<6xi1>, tensor<6xui32>, tensor<2xi32>
  }
}
