module @jit_associative_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11x2x2xi32>) -> (tensor<11x2x2xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:10:2, 0:2, 0:2] : (tensor<11x2x2xi32>) -> tensor<5x2x2xi32>
    %1 = stablehlo.slice %arg0 [1:11:2, 0:2, 0:2] : (tensor<11x2x2xi32>) -> tensor<5x2x2xi32>
    %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<5x2x2xi32>, tensor<5x2x2xi32>) -> tensor<5x2x2xi32>
    %3 = stablehlo.slice %2 [0:4:2, 0:2, 0:2] : (tensor<5x2x2xi32>) -> tensor<2x2x2xi32>
    %4 = stablehlo.slice %2 [1:5:2, 0:2, 0:2] : (tensor<5x2x2xi32>) -> tensor<2x2x2xi32>
    %5 = stablehlo.dot_general %3, %4, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> tensor<2x2x2xi32>
    %6 = stablehlo.slice %5 [0:1:2, 0:2, 0:2] : (tensor<2x2x2xi32>) -> tensor<1x2x2xi32>
    %7 = stablehlo.slice %5 [1:2:2, 0:2, 0:2] : (tensor<2x2x2xi32>) -> tensor<1x2x2xi32>
    %8 = stablehlo.dot_general %6, %7, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<1x2x2xi32>, tensor<1x2x2xi32>) -> tensor<1x2x2xi32>
    %9 = stablehlo.slice %8 [0:0, 0:2, 0:2] : (tensor<1x2x2xi32>) -> tensor<0x2x2xi32>
    %10 = stablehlo.slice %5 [2:2:2, 0:2, 0:2] : (tensor<2x2x2xi32>) -> tensor<0x2x2xi32>
    %11 = stablehlo.dot_general %9, %10, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<0x2x2xi32>, tensor<0x2x2xi32>) -> tensor<0x2x2xi32>
    %12 = stablehlo.slice %5 [0:1, 0:2, 0:2] : (tensor<2x2x2xi32>) -> tensor<1x2x2xi32>
    %13 = stablehlo.concatenate %12, %11, dim = 0 : (tensor<1x2x2xi32>, tensor<0x2x2xi32>) -> tensor<1x2x2xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.pad %13, %c, low = [0, 0, 0], high = [1, 0, 0], interior = [1, 0, 0] : (tensor<1x2x2xi32>, tensor<i32>) -> tensor<2x2x2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.pad %8, %c_0, low = [1, 0, 0], high = [0, 0, 0], interior = [1, 0, 0] : (tensor<1x2x2xi32>, tensor<i32>) -> tensor<2x2x2xi32>
    %16 = stablehlo.add %14, %15 : tensor<2x2x2xi32>
    %17 = stablehlo.slice %2 [2:5:2, 0:2, 0:2] : (tensor<5x2x2xi32>) -> tensor<2x2x2xi32>
    %18 = stablehlo.dot_general %16, %17, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> tensor<2x2x2xi32>
    %19 = stablehlo.slice %2 [0:1, 0:2, 0:2] : (tensor<5x2x2xi32>) -> tensor<1x2x2xi32>
    %20 = stablehlo.concatenate %19, %18, dim = 0 : (tensor<1x2x2xi32>, tensor<2x2x2xi32>) -> tensor<3x2x2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %21 = stablehlo.pad %20, %c_1, low = [0, 0, 0], high = [0, 0, 0], interior = [1, 0, 0] : (tensor<3x2x2xi32>, tensor<i32>) -> tensor<5x2x2xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.pad %16, %c_2, low = [1, 0, 0], high = [1, 0, 0], interior = [1, 0, 0] : (tensor<2x2x2xi32>, tensor<i32>) -> tensor<5x2x2xi32>
    %23 = stablehlo.add %21, %22 : tensor<5x2x2xi32>
    %24 = stablehlo.slice %arg0 [2:11:2, 0:2, 0:2] : (tensor<11x2x2xi32>) -> tensor<5x2x2xi32>
    %25 = stablehlo.dot_general %23, %24, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<5x2x2xi32>, tensor<5x2x2xi32>) -> tensor<5x2x2xi32>
    %26 = stablehlo.slice %arg0 [0:1, 0:2, 0:2] : (tensor<11x2x2xi32>) -> tensor<1x2x2xi32>
    %27 = stablehlo.concatenate %26, %25, dim = 0 : (tensor<1x2x2xi32>, tensor<5x2x2xi32>) -> tensor<6x2x2xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.pad %27, %c_3, low = [0, 0, 0], high = [0, 0, 0], interior = [1, 0, 0] : (tensor<6x2x2xi32>, tensor<i32>) -> tensor<11x2x2xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.pad %23, %c_4, low = [1, 0, 0], high = [1, 0, 0], interior = [1, 0, 0] : (tensor<5x2x2xi32>, tensor<i32>) -> tensor<11x2x2xi32>
    %30 = stablehlo.add %28, %29 : tensor<11x2x2xi32>
    return %30 : tensor<11x2x2xi32>
  }
}
