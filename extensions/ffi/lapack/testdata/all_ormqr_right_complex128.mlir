module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xcomplex<f64>>, %arg1: tensor<2x4xcomplex<f64>>) -> (tensor<2x4xcomplex<f64>> {jax.result_info = "result"}) {
    %0:2 = call @qr(%arg0) : (tensor<4x3xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>, tensor<3xcomplex<f64>>)
    %1 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<3x4xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
    %2 = stablehlo.custom_call @lapack_zunmqr_ffi(%1, %0#1, %arg1) {backend_config = "", mhlo.backend_config = {left = false, transpose = false}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k], [l, m])->([n, o]) {i=4, j=3, k=3, l=2, m=4, n=2, o=4}, custom>} : (tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>, tensor<2x4xcomplex<f64>>) -> tensor<2x4xcomplex<f64>>
    return %2 : tensor<2x4xcomplex<f64>>
  }
  func.func private @qr(%arg0: tensor<4x3xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>, tensor<3xcomplex<f64>>) {
    %0:2 = stablehlo.custom_call @lapack_zgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=4, j=3, k=4, l=3, m=3}, custom>} : (tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>)
    %1 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<4x3xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %1, %0#1 : tensor<3x4xcomplex<f64>>, tensor<3xcomplex<f64>>
  }
}
