module @jit_null_vector attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xcomplex<f64>>, %arg1: tensor<3xcomplex<f64>>, %arg2: tensor<3xcomplex<f64>>, %arg3: tensor<3x1xcomplex<f64>>) -> (tensor<3x1xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%arg0, %arg1, %arg2, %arg3) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=3, j=3, k=3, l=3, m=1, n=3, o=1}, custom>} : (tensor<3xcomplex<f64>>, tensor<3xcomplex<f64>>, tensor<3xcomplex<f64>>, tensor<3x1xcomplex<f64>>) -> tensor<3x1xcomplex<f64>>
    %1 = stablehlo.abs %0 : (tensor<3x1xcomplex<f64>>) -> tensor<3x1xf64>
    %2 = call @norm(%0) : (tensor<3x1xcomplex<f64>>) -> tensor<f64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %4 = stablehlo.divide %1, %3 : tensor<3x1xf64>
    return %4 : tensor<3x1xf64>
  }
  func.func private @norm(%arg0: tensor<3x1xcomplex<f64>>) -> tensor<f64> {
    %0 = stablehlo.real %arg0 : (tensor<3x1xcomplex<f64>>) -> tensor<3x1xf64>
    %1 = stablehlo.imag %arg0 : (tensor<3x1xcomplex<f64>>) -> tensor<3x1xf64>
    %2 = stablehlo.negate %1 : tensor<3x1xf64>
    %3 = stablehlo.complex %0, %2 : tensor<3x1xcomplex<f64>>
    %4 = stablehlo.multiply %arg0, %3 : tensor<3x1xcomplex<f64>>
    %5 = stablehlo.real %4 : (tensor<3x1xcomplex<f64>>) -> tensor<3x1xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x1xf64>, tensor<f64>) -> tensor<f64>
    %7 = stablehlo.sqrt %6 : tensor<f64>
    return %7 : tensor<f64>
  }
}
