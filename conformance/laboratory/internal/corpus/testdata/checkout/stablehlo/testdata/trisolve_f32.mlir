// RUN-DISABLED(no interpreter support): stablehlo-opt --chlo-pre-serialization-pipeline -inline %s | stablehlo-translate --interpret

module @jit__lambda attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<4x2xf32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<4x4xf32>, tensor<4x2xf32>)
    %1 = call @expected() : () -> tensor<4x2xf32>
    %2 = stablehlo.custom_call @lapack_strsm_ffi(%0#0, %0#1) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=2, m=4, n=2}, custom>} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%2, %1) {has_side_effect = true} : (tensor<4x2xf32>, tensor<4x2xf32>) -> ()
    return %2 : tensor<4x2xf32>
  }
  func.func private @inputs() -> (tensor<4x4xf32> {mhlo.layout_mode = "default"}, tensor<4x2xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[3.73821282, 0.000000e+00, 0.000000e+00, 0.000000e+00], [4.0068779, 4.30030489, 0.000000e+00, 0.000000e+00], [5.751760e-01, -0.377850771, 4.80511761, 0.000000e+00], [-1.488580e+00, 3.09134293, -1.45329535, 7.47759151]]> : tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<[[-4.67734528, -4.60392237], [6.58324337, 2.73637748], [2.45820689, 3.73168111], [-1.28696156, -3.46376753]]> : tensor<4x2xf32>
    return %cst, %cst_0 : tensor<4x4xf32>, tensor<4x2xf32>
  }
  func.func private @expected() -> (tensor<4x2xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[-1.25122499, -1.23158383], [2.69672728, 1.78386974], [0.87341094, 1.06430173], [-1.36630821, -1.23902035]]> : tensor<4x2xf32>
    return %cst : tensor<4x2xf32>
  }
}
