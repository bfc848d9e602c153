module @jit_cond_switch attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<6xf32> {jax.result_info = "result[2]"}, tensor<6xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<i1>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %8 = stablehlo.cosine %arg4 : tensor<6xf32>
      stablehlo.return %8 : tensor<6xf32>
    }, {
      %8 = stablehlo.sine %arg4 : tensor<6xf32>
      stablehlo.return %8 : tensor<6xf32>
    }) : (tensor<i32>) -> tensor<6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.clamp %c, %arg1, %c_0 : tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %9 = stablehlo.add %arg4, %8 : tensor<6xf32>
      stablehlo.return %9 : tensor<6xf32>
    }, {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %9 = stablehlo.multiply %arg4, %8 : tensor<6xf32>
      stablehlo.return %9 : tensor<6xf32>
    }, {
      %8 = stablehlo.exponential %arg4 : tensor<6xf32>
      stablehlo.return %8 : tensor<6xf32>
    }, {
      %8 = stablehlo.negate %arg4 : tensor<6xf32>
      stablehlo.return %8 : tensor<6xf32>
    }) : (tensor<i32>) -> tensor<6xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.clamp %c_1, %arg2, %c_2 : tensor<i32>
    %5 = "stablehlo.case"(%4) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %9 = stablehlo.add %arg4, %8 : tensor<6xf32>
      stablehlo.return %9 : tensor<6xf32>
    }, {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %9 = stablehlo.multiply %arg4, %8 : tensor<6xf32>
      stablehlo.return %9 : tensor<6xf32>
    }, {
      %8 = stablehlo.exponential %arg4 : tensor<6xf32>
      stablehlo.return %8 : tensor<6xf32>
    }, {
      %8 = stablehlo.negate %arg4 : tensor<6xf32>
      stablehlo.return %8 : tensor<6xf32>
    }) : (tensor<i32>) -> tensor<6xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %6 = stablehlo.clamp %c_3, %arg3, %c_4 : tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %9 = stablehlo.add %arg4, %8 : tensor<6xf32>
      stablehlo.return %9 : tensor<6xf32>
    }, {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %9 = stablehlo.multiply %arg4, %8 : tensor<6xf32>
      stablehlo.return %9 : tensor<6xf32>
    }, {
      %8 = stablehlo.exponential %arg4 : tensor<6xf32>
      stablehlo.return %8 : tensor<6xf32>
    }, {
      %8 = stablehlo.negate %arg4 : tensor<6xf32>
      stablehlo.return %8 : tensor<6xf32>
    }) : (tensor<i32>) -> tensor<6xf32>
    return %1, %3, %5, %7 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
}
