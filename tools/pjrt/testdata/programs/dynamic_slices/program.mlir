module @jit_dynamic_slices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x7xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<2x3xi32>) -> (tensor<3x2xi32> {jax.result_info = "result[0]"}, tensor<2x4xi32> {jax.result_info = "result[1]"}, tensor<6x7xi32> {jax.result_info = "result[2]"}, tensor<6x7xi32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare  LT, %arg1, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare  LT, %arg2, %c_1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<7> : tensor<i32>
    %4 = stablehlo.add %arg2, %c_2 : tensor<i32>
    %5 = stablehlo.select %3, %4, %arg2 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %2, %5, sizes = [3, 2] : (tensor<6x7xi32>, tensor<i32>, tensor<i32>) -> tensor<3x2xi32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare  LT, %c_3, %c_4,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %c_6 = stablehlo.constant dense<6> : tensor<i32>
    %8 = stablehlo.add %c_5, %c_6 : tensor<i32>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %9 = stablehlo.select %7, %8, %c_7 : tensor<i1>, tensor<i32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.compare  LT, %c_8, %c_9,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %c_11 = stablehlo.constant dense<7> : tensor<i32>
    %11 = stablehlo.add %c_10, %c_11 : tensor<i32>
    %c_12 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.select %10, %11, %c_12 : tensor<i1>, tensor<i32>
    %13 = stablehlo.dynamic_slice %arg0, %9, %12, sizes = [2, 4] : (tensor<6x7xi32>, tensor<i32>, tensor<i32>) -> tensor<2x4xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.compare  LT, %arg2, %c_13,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_14 = stablehlo.constant dense<6> : tensor<i32>
    %15 = stablehlo.add %arg2, %c_14 : tensor<i32>
    %16 = stablehlo.select %14, %15, %arg2 : tensor<i1>, tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.compare  LT, %arg1, %c_15,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_16 = stablehlo.constant dense<7> : tensor<i32>
    %18 = stablehlo.add %arg1, %c_16 : tensor<i32>
    %19 = stablehlo.select %17, %18, %arg1 : tensor<i1>, tensor<i32>
    %20 = stablehlo.dynamic_update_slice %arg0, %arg3, %16, %19 : (tensor<6x7xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> tensor<6x7xi32>
    %c_17 = stablehlo.constant dense<1> : tensor<i32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %21 = stablehlo.compare  LT, %c_17, %c_18,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_19 = stablehlo.constant dense<1> : tensor<i32>
    %c_20 = stablehlo.constant dense<6> : tensor<i32>
    %22 = stablehlo.add %c_19, %c_20 : tensor<i32>
    %c_21 = stablehlo.constant dense<1> : tensor<i32>
    %23 = stablehlo.select %21, %22, %c_21 : tensor<i1>, tensor<i32>
    %c_22 = stablehlo.constant dense<2> : tensor<i32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare  LT, %c_22, %c_23,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_24 = stablehlo.constant dense<2> : tensor<i32>
    %c_25 = stablehlo.constant dense<7> : tensor<i32>
    %25 = stablehlo.add %c_24, %c_25 : tensor<i32>
    %c_26 = stablehlo.constant dense<2> : tensor<i32>
    %26 = stablehlo.select %24, %25, %c_26 : tensor<i1>, tensor<i32>
    %27 = stablehlo.dynamic_update_slice %arg0, %arg3, %23, %26 : (tensor<6x7xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> tensor<6x7xi32>
    return %6, %13, %20, %27 : tensor<3x2xi32>, tensor<2x4xi32>, tensor<6x7xi32>, tensor<6x7xi32>
  }
}
