// RUN: stablehlo-translate --interpret -split-input-file %s

func.func @multi() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2xi64>) -> tensor<2x2xi64>
  check.expect_eq_const %1, dense<[[1, 3], [2, 4]]> : tensor<2x2xi64>
  %2 = "stablehlo.slice"(%1) {
    start_indices = array<i64: 0, 1>,
    limit_indices = array<i64: 2, 2>,
    strides = array<i64: 1, 1>
  } : (tensor<2x2xi64>) -> tensor<2x1xi64>
  check.expect_eq_const %2, dense<[[3], [4]]> : tensor<2x1xi64>
  %3:2 = "stablehlo.sort"(%0, %1) ({
    ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>, %arg2: tensor<i64>, %arg3: tensor<i64>):
      %p = stablehlo.compare GT, %arg0, %arg1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
  check.expect_eq_const %3#0, dense<[[2, 1], [4, 3]]> : tensor<2x2xi64>
  check.expect_eq_const %3#1, dense<[[3, 1], [4, 2]]> : tensor<2x2xi64>
  func.return
}

// -----

func.func @generic() {
  %0 = "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %1 = "stablehlo.add"(%0, %0) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  "check.expect_eq_const"(%1) <{value = dense<[2, 4]> : tensor<2xi32>}> : (tensor<2xi32>) -> ()
  func.return
}

// -----

func.func @complexes() {
  %0 = stablehlo.constant dense<[(1.0, 2.0), (0x7F800000, 0.0)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %1, dense<[1.0, 0x7F800000]> : tensor<2xf32>
  check.expect_almost_eq_const %0, dense<[(1.0, 2.0), (0x7F800000, 0.0)]> : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @nan() {
  %0 = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  check.expect_almost_eq_const %1, dense<[0xFFC00000, -1.0]> : tensor<2xf32>
  func.return
}

// -----

func.func @empty() {
  %0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %1 = stablehlo.add %0, %0 : tensor<0x2xf32>
  check.expect_eq_const %1, dense<> : tensor<0x2xf32>
  func.return
}

// -----

func.func @splat() {
  %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<3xcomplex<f64>>
  %1 = stablehlo.add %0, %0 : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %1, dense<(2.0, 4.0)> : tensor<3xcomplex<f64>>
  func.return
}

// -----

func.func @i1_blob_packed() {
  %0 = stablehlo.constant dense<"0x0502"> : tensor<10xi1>
  %1 = stablehlo.not %0 : tensor<10xi1>
  check.expect_eq_const %1, dense<[false, true, false, true, true, true, true, true, true, false]> : tensor<10xi1>
  func.return
}

// -----

func.func @i1_blob_bytes() {
  %0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %1 = stablehlo.not %0 : tensor<3xi1>
  check.expect_eq_const %1, dense<"0x000100"> : tensor<3xi1>
  func.return
}

// -----

func.func @two_checks_close() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.exponential %0 : tensor<2xf32>
  %2 = stablehlo.constant dense<[2.71828175, 7.3890562]> : tensor<2xf32>
  check.expect_close %1, %2, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  check.expect_almost_eq_const %1, dense<[2.718, 7.389]> {tolerance = 1.0e-3 : f64} : tensor<2xf32>
  func.return
}

// -----

func.func @chlo_erf() {
  %0 = stablehlo.constant dense<[0.0, 0.5]> : tensor<2xf32>
  %1 = chlo.erf %0 : tensor<2xf32> -> tensor<2xf32>
  check.expect_almost_eq_const %1, dense<[0.0, 0.5204999]> : tensor<2xf32>
  func.return
}

// -----

func.func @while_loop() {
  %init = stablehlo.constant dense<0> : tensor<i64>
  %ten = stablehlo.constant dense<10> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r:2 = stablehlo.while(%iterArg = %init, %iterArg_0 = %one) : tensor<i64>, tensor<i64>
    cond {
      %c = stablehlo.compare LT, %iterArg, %ten, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %iterArg, %one : tensor<i64>
      %m = stablehlo.multiply %iterArg_0, %n : tensor<i64>
      stablehlo.return %n, %m : tensor<i64>, tensor<i64>
    }
  check.expect_eq_const %r#0, dense<10> : tensor<i64>
  check.expect_eq_const %r#1, dense<3628800> : tensor<i64>
  func.return
}

// -----

func.func @case_op() {
  %i = stablehlo.constant dense<-1> : tensor<i32>
  %x = stablehlo.constant dense<[0, 0]> : tensor<2xi64>
  %y = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %r0, %r1 = "stablehlo.case"(%i) ({
    stablehlo.return %x, %x : tensor<2xi64>, tensor<2xi64>
  }, {
    stablehlo.return %y, %y : tensor<2xi64>, tensor<2xi64>
  }) : (tensor<i32>) -> (tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %r0, dense<[1, 1]> : tensor<2xi64>
  check.expect_eq_const %r1, dense<[1, 1]> : tensor<2xi64>
  func.return
}

// -----

func.func @optimization_barrier() {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
  %r0, %r1 = stablehlo.optimization_barrier %0, %1 : tensor<f32>, tensor<f32>
  check.expect_eq_const %r0, dense<0.0> : tensor<f32>
  check.expect_eq_const %r1, dense<1.0> : tensor<f32>
  func.return
}

// -----

func.func @tuple() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.tuple %0, %0 : tuple<tensor<i32>, tensor<i32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %2, dense<1> : tensor<i32>
  func.return
}

// -----

func.func @uniform() {
  %0 = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<u8:f32, 1.0:0>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2x!quant.uniform<u8:f32, 1.0:0>>) -> tensor<2xui8>
  check.expect_eq_const %2, dense<[4, 15]> : tensor<2xui8>
  func.return
}

// -----

func.func @printing() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  interpreter.print %0 : tensor<i32>
  check.expect_eq_const %0, dense<1> : tensor<i32>
  func.return
}

// -----

func.func @f8() {
  %0 = stablehlo.constant dense<[1.0, 2.0, 0x7F]> : tensor<3xf8E4M3FN>
  %1 = stablehlo.convert %0 : (tensor<3xf8E4M3FN>) -> tensor<3xf32>
  check.expect_almost_eq_const %1, dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  func.return
}

// -----

func.func @i4() {
  %0 = stablehlo.constant dense<[-8, 7, -1]> : tensor<3xi4>
  %1 = stablehlo.add %0, %0 : tensor<3xi4>
  check.expect_eq_const %1, dense<[0, -2, -2]> : tensor<3xi4>
  func.return
}

// -----

module @composites {
  func.func @composite_op() {
    %0 = stablehlo.constant dense<42> : tensor<i64>
    %1 = stablehlo.composite "foo.inner" %0 { composite_attributes = {a = 1 : i64}, decomposition = @inner, version = 1 : i32 } : (tensor<i64>) -> tensor<i64>
    check.expect_eq_const %1, dense<84> : tensor<i64>
    func.return
  }
  func.func private @inner(%x: tensor<i64>) -> tensor<i64> {
    %0 = stablehlo.add %x, %x : tensor<i64>
    func.return %0 : tensor<i64>
  }
}

// -----

func.func @probing() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = interpreter.probe %0, probe_id = "one" : tensor<i32>
  check.expect_eq_const %1, dense<1> : tensor<i32>
  func.return
}
