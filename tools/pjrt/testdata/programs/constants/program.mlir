module @jit_constants attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<2xi64> {jax.result_info = "result[1]"}, tensor<2xui64> {jax.result_info = "result[2]"}, tensor<3xi1> {jax.result_info = "result[3]"}, tensor<2xcomplex<f64>> {jax.result_info = "result[4]"}, tensor<2xbf16> {jax.result_info = "result[5]"}, tensor<2xf64> {jax.result_info = "result[6]"}) {
    %cst = stablehlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.000000e+00, 1.401300e-45, 3.40282347E+38]> : tensor<6xf32>
    %c = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
    %c_0 = stablehlo.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
    %c_1 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %cst_2 = stablehlo.constant dense<[(1.000000e+00,2.000000e+00), (0x7FF0000000000000,-0.000000e+00)]> : tensor<2xcomplex<f64>>
    %cst_3 = stablehlo.constant dense<[1.000980e-01, -3.004060e+38]> : tensor<2xbf16>
    %cst_4 = stablehlo.constant dense<[4.940660e-324, 3.1415926535897931]> : tensor<2xf64>
    return %cst, %c, %c_0, %c_1, %cst_2, %cst_3, %cst_4 : tensor<6xf32>, tensor<2xi64>, tensor<2xui64>, tensor<3xi1>, tensor<2xcomplex<f64>>, tensor<2xbf16>, tensor<2xf64>
  }
}
