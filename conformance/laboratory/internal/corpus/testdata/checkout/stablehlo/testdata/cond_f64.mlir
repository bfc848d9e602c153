// RUN: stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit__lambda attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<4x6xf64> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<i1>, tensor<4x6xf64>)
    %1 = call @expected() : () -> tensor<4x6xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.convert %0#0 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
      %5 = stablehlo.subtract %0#1, %4 : tensor<4x6xf64>
      stablehlo.return %5 : tensor<4x6xf64>
    }, {
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
      %5 = stablehlo.add %0#1, %4 : tensor<4x6xf64>
      stablehlo.return %5 : tensor<4x6xf64>
    }) : (tensor<i32>) -> tensor<4x6xf64>
    stablehlo.custom_call @check.expect_eq(%3, %1) {has_side_effect = true} : (tensor<4x6xf64>, tensor<4x6xf64>) -> ()
    return %3 : tensor<4x6xf64>
  }
  func.func private @inputs() -> (tensor<i1> {mhlo.layout_mode = "default"}, tensor<4x6xf64> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %cst = stablehlo.constant dense<[[3.1878094964073167, -1.4081356379947028, 1.9556730695135716, -1.5771323010024423, -0.98412331713800838, -2.6645744984404631], [1.8718027871462481, -2.9843969170565883, 1.8536592803029888, 1.4633379498703059, 3.8353800221620835, 0.72138647512758602], [4.0979953606430595, -1.6210801943837234, -8.2844165927761413, 2.3935381361566583, 1.244135564156591, 1.4497784727412135], [1.0972175880043944, 4.7739979228845542, 2.4292432052633188, -0.9758950900352652, 2.9715687557603081, 5.3337567604072857]]> : tensor<4x6xf64>
    return %c, %cst : tensor<i1>, tensor<4x6xf64>
  }
  func.func private @expected() -> (tensor<4x6xf64> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[4.1878094964073167, -0.40813563799470276, 2.9556730695135718, -0.57713230100244228, 0.01587668286199162, -1.6645744984404631], [2.8718027871462484, -1.9843969170565883, 2.8536592803029888, 2.4633379498703061, 4.8353800221620835, 1.721386475127586], [5.0979953606430595, -0.62108019438372342, -7.2844165927761413, 3.3935381361566583, 2.2441355641565908, 2.4497784727412135], [2.0972175880043942, 5.7739979228845542, 3.4292432052633188, 0.0241049099647348, 3.9715687557603081, 6.3337567604072857]]> : tensor<4x6xf64>
    return %cst : tensor<4x6xf64>
  }
}
