module @jit_eig attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x5xf32>) -> (tensor<2x5xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<2x5x5xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<2x5xf32> {jax.result_info = "result[2]"}) {
    %0:5 = stablehlo.custom_call @lapack_sgeev_ffi(%arg0) {backend_config = "", mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l], [i, m], [i, n, o], [i, p, q], [i]) {i=2, j=5, k=5, l=5, m=5, n=5, o=5, p=5, q=5}, custom>} : (tensor<2x5x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5x5xcomplex<f32>>, tensor<2x5x5xcomplex<f32>>, tensor<2xi32>)
    %1 = stablehlo.complex %0#0, %0#1 : tensor<2x5xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %3 = stablehlo.compare EQ, %0#4, %2, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x5xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x5xi1>
    %7 = stablehlo.select %6, %1, %5 : tensor<2x5xi1>, tensor<2x5xcomplex<f32>>
    %8 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x5x5xcomplex<f32>>
    %10 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x5x5xi1>
    %11 = stablehlo.select %10, %0#3, %9 : tensor<2x5x5xi1>, tensor<2x5x5xcomplex<f32>>
    %12 = stablehlo.real %7 : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xf32>
    %13 = stablehlo.imag %7 : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xf32>
    %cst_1 = stablehlo.constant dense<3.700000e-01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
    %15 = stablehlo.multiply %14, %13 : tensor<2x5xf32>
    %16 = stablehlo.add %12, %15 : tensor<2x5xf32>
    %17 = call @argsort(%16) : (tensor<2x5xf32>) -> tensor<2x5xi64>
    %18 = call @take_along_axis(%7, %17) : (tensor<2x5xcomplex<f32>>, tensor<2x5xi64>) -> tensor<2x5xcomplex<f32>>
    %19 = stablehlo.convert %arg0 : (tensor<2x5x5xf32>) -> tensor<2x5x5xcomplex<f32>>
    %20 = stablehlo.convert %11 : tensor<2x5x5xcomplex<f32>>
    %21 = stablehlo.dot_general %19, %20, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x5xcomplex<f32>>) -> tensor<2x5x5xcomplex<f32>>
    %22 = stablehlo.broadcast_in_dim %7, dims = [0, 2] : (tensor<2x5xcomplex<f32>>) -> tensor<2x1x5xcomplex<f32>>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<2x1x5xcomplex<f32>>) -> tensor<2x5x5xcomplex<f32>>
    %24 = stablehlo.multiply %11, %23 : tensor<2x5x5xcomplex<f32>>
    %25 = stablehlo.subtract %21, %24 : tensor<2x5x5xcomplex<f32>>
    %26 = call @norm(%11) : (tensor<2x5x5xcomplex<f32>>) -> tensor<2x5xf32>
    return %18, %25, %26 : tensor<2x5xcomplex<f32>>, tensor<2x5x5xcomplex<f32>>, tensor<2x5xf32>
  }
  func.func private @argsort(%arg0: tensor<2x5xf32>) -> tensor<2x5xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<2x5xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<2x5xf32>, tensor<2x5xi64>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
    return %1#1 : tensor<2x5xi64>
  }
  func.func private @take_along_axis(%arg0: tensor<2x5xcomplex<f32>>, %arg1: tensor<2x5xi64>) -> tensor<2x5xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<2x5xi64>) -> tensor<2x5xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x5xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x5xi32>
    %4 = stablehlo.add %0, %3 : tensor<2x5xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<2x5xi1>, tensor<2x5xi32>
    %6 = stablehlo.reshape %5 : (tensor<2x5xi32>) -> tensor<2x5x1xi32>
    %c_1 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x5x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<2x5x1xi32>, tensor<2x5x1xi32>) -> tensor<2x5x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<2x5x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<2x5x1xi32>, tensor<2x5x1xi32>) -> tensor<2x5x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<2x5x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<2x5x1xi1>, tensor<i1>) -> tensor<2x5xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<2x5xcomplex<f32>>, tensor<2x5x1xi32>) -> tensor<2x5xcomplex<f32>>
    %cst = stablehlo.constant dense<(0x7FC00000,0.000000e+00)> : tensor<complex<f32>>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x5xcomplex<f32>>
    %16 = stablehlo.select %13, %14, %15 : tensor<2x5xi1>, tensor<2x5xcomplex<f32>>
    return %16 : tensor<2x5xcomplex<f32>>
  }
  func.func private @norm(%arg0: tensor<2x5x5xcomplex<f32>>) -> tensor<2x5xf32> {
    %0 = stablehlo.real %arg0 : (tensor<2x5x5xcomplex<f32>>) -> tensor<2x5x5xf32>
    %1 = stablehlo.imag %arg0 : (tensor<2x5x5xcomplex<f32>>) -> tensor<2x5x5xf32>
    %2 = stablehlo.negate %1 : tensor<2x5x5xf32>
    %3 = stablehlo.complex %0, %2 : tensor<2x5x5xcomplex<f32>>
    %4 = stablehlo.multiply %arg0, %3 : tensor<2x5x5xcomplex<f32>>
    %5 = stablehlo.real %4 : (tensor<2x5x5xcomplex<f32>>) -> tensor<2x5x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x5x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    %7 = stablehlo.sqrt %6 : tensor<2x5xf32>
    return %7 : tensor<2x5xf32>
  }
}
