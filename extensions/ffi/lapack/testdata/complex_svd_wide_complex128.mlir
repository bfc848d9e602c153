module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xcomplex<f64>>) -> (tensor<3xf64> {jax.result_info = "result[0]"}, tensor<3x5xcomplex<f64>> {jax.result_info = "result[1]"}, tensor<3x3xcomplex<f64>> {jax.result_info = "result[2]"}, tensor<5x5xcomplex<f64>> {jax.result_info = "result[3]"}) {
    %0:3 = call @svd(%arg0) : (tensor<3x5xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<3xf64>, tensor<5x5xcomplex<f64>>)
    %1 = stablehlo.broadcast_in_dim %0#1, dims = [1] : (tensor<3xf64>) -> tensor<1x3xf64>
    %2 = stablehlo.convert %1 : (tensor<1x3xf64>) -> tensor<1x3xcomplex<f64>>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
    %4 = stablehlo.multiply %0#0, %3 : tensor<3x3xcomplex<f64>>
    %5 = stablehlo.slice %0#2 [0:3, 0:5] : (tensor<5x5xcomplex<f64>>) -> tensor<3x5xcomplex<f64>>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xcomplex<f64>>, tensor<3x5xcomplex<f64>>) -> tensor<3x5xcomplex<f64>>
    %7 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
    %8 = stablehlo.real %7 : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
    %9 = stablehlo.imag %7 : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
    %10 = stablehlo.negate %9 : tensor<3x3xf64>
    %11 = stablehlo.complex %8, %10 : tensor<3x3xcomplex<f64>>
    %12 = stablehlo.dot_general %11, %0#0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
    %13 = stablehlo.transpose %0#2, dims = [1, 0] : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
    %14 = stablehlo.real %13 : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xf64>
    %15 = stablehlo.imag %13 : (tensor<5x5xcomplex<f64>>) -> tensor<5x5xf64>
    %16 = stablehlo.negate %15 : tensor<5x5xf64>
    %17 = stablehlo.complex %14, %16 : tensor<5x5xcomplex<f64>>
    %18 = stablehlo.dot_general %0#2, %17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x5xcomplex<f64>>, tensor<5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
    return %0#1, %6, %12, %18 : tensor<3xf64>, tensor<3x5xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<5x5xcomplex<f64>>
  }
  func.func private @svd(%arg0: tensor<3x5xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<3xf64>, tensor<5x5xcomplex<f64>>) {
    %0:5 = stablehlo.custom_call @lapack_zgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=3, j=5, k=3, l=5, m=3, n=3, o=3, p=5, q=5}, custom>} : (tensor<3x5xcomplex<f64>>) -> (tensor<3x5xcomplex<f64>>, tensor<3xf64>, tensor<3x3xcomplex<f64>>, tensor<5x5xcomplex<f64>>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf64>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<3x3xcomplex<f64>>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<3x3xi1>, tensor<3x3xcomplex<f64>>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f64>>) -> tensor<5x5xcomplex<f64>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<5x5xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<5x5xi1>, tensor<5x5xcomplex<f64>>
    return %10, %6, %14 : tensor<3x3xcomplex<f64>>, tensor<3xf64>, tensor<5x5xcomplex<f64>>
  }
}
