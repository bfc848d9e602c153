// RUN: stablehlo-translate --interpret %s
module @jit_iota {
  func.func public @main() -> (tensor<3xi32>) {
    %0 = call @expected() : () -> tensor<3xi32>
    %1 = stablehlo.iota dim = 0 : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%1, %0) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return %1 : tensor<3xi32>
  }
  func.func private @expected() -> (tensor<3xi32>) {
    %cst = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    return %cst : tensor<3xi32>
  }
}
