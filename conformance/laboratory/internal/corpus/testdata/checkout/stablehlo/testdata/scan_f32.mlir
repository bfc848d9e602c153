// RUN: stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit__lambda attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<6xf32> {jax.result_info = "", mhlo.layout_mode = "default"}, tensor<4x6xf32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<4x6xf32>
    %1:2 = call @expected() : () -> (tensor<6xf32>, tensor<4x6xf32>)
    %c = stablehlo.constant dense<1> : tensor<i64>
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.slice %0 [0:1, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x6xf32>) -> tensor<6xf32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %5:4 = stablehlo.while(%iterArg = %0, %iterArg_2 = %c_1, %iterArg_3 = %3, %iterArg_4 = %4) : tensor<4x6xf32>, tensor<i64>, tensor<6xf32>, tensor<4x6xf32>
    cond {
      %6 = stablehlo.compare  LT, %iterArg_2, %c_0,  SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %6 = stablehlo.dynamic_slice %iterArg, %iterArg_2, %c_1, sizes = [1, 6] : (tensor<4x6xf32>, tensor<i64>, tensor<i64>) -> tensor<1x6xf32>
      %7 = stablehlo.reshape %6 : (tensor<1x6xf32>) -> tensor<6xf32>
      %8:2 = func.call @closed_call(%iterArg_3, %7) : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
      %9 = stablehlo.broadcast_in_dim %8#1, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
      %10 = stablehlo.dynamic_update_slice %iterArg_4, %9, %iterArg_2, %c_1 : (tensor<4x6xf32>, tensor<1x6xf32>, tensor<i64>, tensor<i64>) -> tensor<4x6xf32>
      %11 = stablehlo.add %iterArg_2, %c : tensor<i64>
      stablehlo.return %iterArg, %11, %8#0, %10 : tensor<4x6xf32>, tensor<i64>, tensor<6xf32>, tensor<4x6xf32>
    }
    stablehlo.custom_call @check.expect_almost_eq(%5#2, %1#0) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%5#3, %1#1) {has_side_effect = true} : (tensor<4x6xf32>, tensor<4x6xf32>) -> ()
    return %5#2, %5#3 : tensor<6xf32>, tensor<4x6xf32>
  }
  func.func private @inputs() -> (tensor<4x6xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[-5.09566879, 2.74294353, -0.211021841, -0.550594568, -2.11886907, -1.48934197], [3.67826748, -5.84483051, -1.796860e+00, -0.832671165, 6.4322834, 2.677459], [0.31042102, -0.264345497, -0.382859498, -0.989056885, -0.909602999, 1.68186116], [-0.112571239, -1.79695272, -7.82913828, 5.27292538, 1.54194367, 5.68740511]]> : tensor<4x6xf32>
    return %cst : tensor<4x6xf32>
  }
  func.func private @expected() -> (tensor<6xf32> {mhlo.layout_mode = "default"}, tensor<4x6xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[-6.31522036, -2.42024183, -10.4309015, 2.35000825, 2.82688594, 7.06804132]> : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<[[25.9658413, 7.52373934, 0.0445302166, 0.303154379, 4.4896059, 2.21813941], [-37.4864655, -32.0640793, 0.758353412, 0.91692847, -27.2583332, -7.97530413], [-2.02179384, 0.0948850885, 0.849528312, 1.91269779, -1.99616492, -0.506618559], [0.698239923, 1.12002087, 20.3695621, -15.412324, 1.98130858, 7.8522377]]> : tensor<4x6xf32>
    return %cst, %cst_0 : tensor<6xf32>, tensor<4x6xf32>
  }
  func.func private @closed_call(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<6xf32>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<6xf32>
    return %0, %1 : tensor<6xf32>, tensor<6xf32>
  }
}
