module @jit_argsort attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x12xi16>) -> (tensor<3x12xi32> {jax.result_info = "result[0]"}, tensor<3x12xi32> {jax.result_info = "result[1]"}, tensor<3x12xi32> {jax.result_info = "result[2]"}, tensor<12xi32> {jax.result_info = "result[3]"}) {
    %0 = call @argsort(%arg0) : (tensor<3x12xi16>) -> tensor<3x12xi32>
    %1 = call @argsort_0(%arg0) : (tensor<3x12xi16>) -> tensor<3x12xi32>
    %2 = call @argsort_2(%0) : (tensor<3x12xi32>) -> tensor<3x12xi32>
    %3 = stablehlo.slice %arg0 [0:1, 0:12] : (tensor<3x12xi16>) -> tensor<1x12xi16>
    %4 = stablehlo.reshape %3 : (tensor<1x12xi16>) -> tensor<12xi16>
    %5 = call @sort_5(%4) : (tensor<12xi16>) -> tensor<12xi16>
    %6 = stablehlo.slice %arg0 [1:2, 0:12] : (tensor<3x12xi16>) -> tensor<1x12xi16>
    %7 = stablehlo.reshape %6 : (tensor<1x12xi16>) -> tensor<12xi16>
    %8 = call @searchsorted(%5, %7) : (tensor<12xi16>, tensor<12xi16>) -> tensor<12xi32>
    return %0, %1, %2, %8 : tensor<3x12xi32>, tensor<3x12xi32>, tensor<3x12xi32>, tensor<12xi32>
  }
  func.func private @argsort(%arg0: tensor<3x12xi16>) -> tensor<3x12xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x12xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i16>, %arg2: tensor<i16>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare  LT, %arg1, %arg2,  SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<3x12xi16>, tensor<3x12xi32>) -> (tensor<3x12xi16>, tensor<3x12xi32>)
    return %1#1 : tensor<3x12xi32>
  }
  func.func private @argsort_0(%arg0: tensor<3x12xi16>) -> tensor<3x12xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x12xi32>
    %1 = stablehlo.reverse %arg0, dims = [1] : tensor<3x12xi16>
    %2 = stablehlo.reverse %0, dims = [1] : tensor<3x12xi32>
    %3:2 = "stablehlo.sort"(%1, %2) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i16>, %arg2: tensor<i16>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %5 = stablehlo.compare  LT, %arg1, %arg2,  SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    }) : (tensor<3x12xi16>, tensor<3x12xi32>) -> (tensor<3x12xi16>, tensor<3x12xi32>)
    %4 = stablehlo.reverse %3#1, dims = [1] : tensor<3x12xi32>
    return %4 : tensor<3x12xi32>
  }
  func.func private @argsort_2(%arg0: tensor<3x12xi32>) -> tensor<3x12xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x12xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare  LT, %arg1, %arg2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<3x12xi32>, tensor<3x12xi32>) -> (tensor<3x12xi32>, tensor<3x12xi32>)
    return %1#1 : tensor<3x12xi32>
  }
  func.func private @sort_5(%arg0: tensor<12xi16>) -> tensor<12xi16> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i16>, %arg2: tensor<i16>):
      %1 = stablehlo.compare  LT, %arg1, %arg2,  SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<12xi16>) -> tensor<12xi16>
    return %0 : tensor<12xi16>
  }
  func.func private @searchsorted(%arg0: tensor<12xi16>, %arg1: tensor<12xi16>) -> tensor<12xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %c_0 = stablehlo.constant dense<12> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c_1, %iterArg_4 = %0, %iterArg_5 = %1) : tensor<12xi16>, tensor<12xi16>, tensor<i32>, tensor<12xi32>, tensor<12xi32>
    cond {
      %c_6 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.compare  LT, %iterArg_3, %c_6,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_4, %iterArg_5) : (tensor<12xi16>, tensor<12xi16>, tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %4, %3#0, %3#1 : tensor<12xi16>, tensor<12xi16>, tensor<i32>, tensor<12xi32>, tensor<12xi32>
    }
    return %2#4 : tensor<12xi32>
  }
  func.func private @closed_call(%arg0: tensor<12xi16>, %arg1: tensor<12xi16>, %arg2: tensor<12xi32>, %arg3: tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>) {
    %0 = stablehlo.convert %arg2 : (tensor<12xi32>) -> tensor<12xui32>
    %1 = stablehlo.convert %arg3 : (tensor<12xi32>) -> tensor<12xui32>
    %2 = stablehlo.add %0, %1 : tensor<12xui32>
    %c = stablehlo.constant dense<2> : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %4 = stablehlo.divide %2, %3 : tensor<12xui32>
    %5 = stablehlo.convert %4 : (tensor<12xui32>) -> tensor<12xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %7 = stablehlo.compare  LT, %5, %6,  SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_1 = stablehlo.constant dense<12> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %9 = stablehlo.add %5, %8 : tensor<12xi32>
    %10 = stablehlo.select %7, %9, %5 : tensor<12xi1>, tensor<12xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %12 = "stablehlo.gather"(%arg0, %11) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<12xi16>, tensor<12x1xi32>) -> tensor<12x1xi16>
    %13 = stablehlo.reshape %12 : (tensor<12x1xi16>) -> tensor<12xi16>
    %14 = stablehlo.compare  LE, %arg1, %13,  SIGNED : (tensor<12xi16>, tensor<12xi16>) -> tensor<12xi1>
    %15 = call @_where(%14, %arg2, %5) : (tensor<12xi1>, tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    %16 = call @_where(%14, %5, %arg3) : (tensor<12xi1>, tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    return %15, %16 : tensor<12xi32>, tensor<12xi32>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<12xi32>, %arg2: tensor<12xi32>) -> tensor<12xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xi32>
    return %0 : tensor<12xi32>
  }
}
