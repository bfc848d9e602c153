module @jit_nested_outputs attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2xf32>) -> (tensor<3xi32> {jax.result_info = "result[0]['a']['i']"}, tensor<2x3xf32> {jax.result_info = "result[0]['a']['t']"}, tensor<3x2xf32> {jax.result_info = "result[0]['b'][0]"}, tensor<2xf32> {jax.result_info = "result[0]['b'][1][0]"}, tensor<f32> {jax.result_info = "result[0]['b'][1][1]"}, tensor<3x2xi1> {jax.result_info = "result[0]['c'][0]"}, tensor<3x2xf32> {jax.result_info = "result[0]['c'][2][0]"}, tensor<3x2xf32> {jax.result_info = "result[0]['c'][2][2]"}, tensor<3x2xi8> {jax.result_info = "result[1]"}, tensor<3x2xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:2] : (tensor<3x2xf32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    %2 = stablehlo.slice %arg0 [0:1, 0:1] : (tensor<3x2xf32>) -> tensor<1x1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x1xf32>) -> tensor<f32>
    %4 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %5 = stablehlo.iota dim = 0 : tensor<3xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %7 = stablehlo.compare  GT, %arg0, %6,  FLOAT : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %9 = stablehlo.multiply %arg0, %8 : tensor<3x2xf32>
    %10 = stablehlo.negate %arg0 : tensor<3x2xf32>
    %11 = stablehlo.convert %arg0 : (tensor<3x2xf32>) -> tensor<3x2xi8>
    %12 = stablehlo.abs %arg0 : tensor<3x2xf32>
    return %5, %4, %arg0, %1, %3, %7, %9, %10, %11, %12 : tensor<3xi32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<f32>, tensor<3x2xi1>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xi8>, tensor<3x2xf32>
  }
}
