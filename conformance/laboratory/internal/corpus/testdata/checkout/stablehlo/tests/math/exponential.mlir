module @exponential_float32 {
  func.func private @samples() -> tensor<4xf32> {
    %0 = stablehlo.constant dense<"0x000000000000803F000080BF00002041"> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @expected() -> tensor<4xf32> {
    %0 = stablehlo.constant dense<[1.0, 2.71828182845904, 0.36787944117144, 22026.4657948067]> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func public @main() {
    %0 = call @samples() : () -> tensor<4xf32>
    %1 = stablehlo.exponential %0 : tensor<4xf32>
    %2 = call @expected() : () -> tensor<4xf32>
    check.expect_close %1, %2, max_ulp_difference = 3 : tensor<4xf32>, tensor<4xf32>
    func.return
  }
}
