module @jit_eigh attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x5xcomplex<f64>>) -> (tensor<5xf64> {jax.result_info = "result[0]"}, tensor<5x5xcomplex<f64>> {jax.result_info = "result[1]"}, tensor<5x5xcomplex<f64>> {jax.result_info = "result[2]"}) {
    %0:2 = call @eigh(%arg0) : (tensor<5x5xcomplex<f64>>) -> (tensor<5xf64>, tensor<5x5xcomplex<f64>>)
    %1 = stablehlo.broadcast_in_dim %0#0, dims = [1] : (tensor<5xf64>) -> tensor<1x5xf64>
    %2 = stablehlo.convert %1 : (tensor<1x5xf64>) -> tensor<1x5xcomplex<f64>>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
    %4 = stablehlo.multiply %0#1, %3 : tensor<5x5xcomplex<f64>>
    %5 = stablehlo.transpose %0#1, dims = [1, 0] : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
    %6 = stablehlo.real %5 : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xf64>
    %7 = stablehlo.imag %5 : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xf64>
    %8 = stablehlo.negate %7 : tensor<5x5xf64>
    %9 = stablehlo.complex %6, %8 : tensor<5x5xcomplex<f64>>
    %10 = stablehlo.dot_general %4, %9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x5xcomplex<f64>>, tensor<5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
    %11 = stablehlo.transpose %0#1, dims = [1, 0] : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
    %12 = stablehlo.real %11 : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xf64>
    %13 = stablehlo.imag %11 : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xf64>
    %14 = stablehlo.negate %13 : tensor<5x5xf64>
    %15 = stablehlo.complex %12, %14 : tensor<5x5xcomplex<f64>>
    %16 = stablehlo.dot_general %15, %0#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x5xcomplex<f64>>, tensor<5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
    return %0#0, %10, %16 : tensor<5xf64>, tensor<5x5xcomplex<f64>>, tensor<5x5xcomplex<f64>>
  }
  func.func private @eigh(%arg0: tensor<5x5xcomplex<f64>>) -> (tensor<5xf64>, tensor<5x5xcomplex<f64>>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
    %1 = stablehlo.real %0 : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xf64>
    %2 = stablehlo.imag %0 : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xf64>
    %3 = stablehlo.negate %2 : tensor<5x5xf64>
    %4 = stablehlo.complex %1, %3 : tensor<5x5xcomplex<f64>>
    %5 = stablehlo.add %arg0, %4 : tensor<5x5xcomplex<f64>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<5x5xcomplex<f64>>
    %7 = stablehlo.divide %5, %6 : tensor<5x5xcomplex<f64>>
    %8:3 = stablehlo.custom_call @lapack_zheevd_ffi(%7) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=5, j=5, k=5, l=5, m=5}, custom>} : (tensor<5x5xcomplex<f64>>) -> (tensor<5x5xcomplex<f64>>, tensor<5xf64>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %10 = stablehlo.compare EQ, %8#2, %9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<5x5xcomplex<f64>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<5x5xi1>
    %14 = stablehlo.select %13, %8#0, %12 : tensor<5x5xi1>, tensor<5x5xcomplex<f64>>
    %15 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<1xi1>) -> tensor<5xi1>
    %18 = stablehlo.select %17, %8#1, %16 : tensor<5xi1>, tensor<5xf64>
    return %18, %14 : tensor<5xf64>, tensor<5x5xcomplex<f64>>
  }
}
