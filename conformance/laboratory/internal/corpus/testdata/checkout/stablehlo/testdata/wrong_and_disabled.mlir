// RUN-DISABLED(inaccurate): stablehlo-translate --interpret %s
module @jit_main {
  func.func public @main() -> (tensor<3xi32>) {
    %0 = call @inputs() : () -> tensor<3xi32>
    %1 = call @expected() : () -> tensor<3xi32>
    %2 = stablehlo.multiply %0, %0 : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%2, %1) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return %2 : tensor<3xi32>
  }
  func.func private @inputs() -> (tensor<3xi32>) {
    %cst = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    return %cst : tensor<3xi32>
  }
  func.func private @expected() -> (tensor<3xi32>) {
    %cst = stablehlo.constant dense<[1, 4, 11]> : tensor<3xi32>
    return %cst : tensor<3xi32>
  }
}
