// Programs in the syntax of interpreter tests, with every form of a literal.

func.func @sum_of_lists() {
  %0 = stablehlo.constant dense<[[1, -2, 3], [0x10, 5, -6]]> : tensor<2x3xi64>
  %1 = stablehlo.constant dense<10> : tensor<2x3xi64>
  %2 = stablehlo.add %0, %1 : tensor<2x3xi64> // comments end lines, too: dense<0>
  check.expect_eq_const %2, dense<[[11, 8, 13],
                                   [26, 15, 4]]> : tensor<2x3xi64>
  func.return
}

// -----

func.func @several_checks() {
  %a = stablehlo.constant dense<[1.5, -0.0, 0x7F800000]> : tensor<3xf32>
  %b = stablehlo.constant dense<2.0> : tensor<3xf32>
  %product = stablehlo.multiply %a, %b : tensor<3xf32>
  check.expect_eq_const %product, dense<[3.0, 0.0, 0x7F800000]> : tensor<3xf32>
  check.expect_almost_eq_const %product, dense<[3.0001, 0.0, 0x7F800000]> {tolerance = 1.0e-3 : f64} : tensor<3xf32>
  %negative = "stablehlo.negate"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %wanted = stablehlo.constant dense<[-1.5, 0.0, 0xFF800000]> : tensor<3xf32>
  check.expect_eq %negative, %wanted : tensor<3xf32>
  check.expect_almost_eq %negative, %wanted : tensor<3xf32>
  func.return
}

// -----

func.func @generic_form() {
  %0 = "stablehlo.constant"() <{value = dense<[(1.0, 2.0), (0.0, -1.0)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
  %1 = "stablehlo.multiply"(%0, %0) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  "check.expect_eq_const"(%1) <{value = dense<[(-3.0, 4.0), (-1.0, 0.0)]> : tensor<2xcomplex<f32>>}> : (tensor<2xcomplex<f32>>) -> ()
  "func.return"() : () -> ()
}

// -----

func.func @bools_and_empties() {
  %0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %1 = stablehlo.not %0 : tensor<3xi1>
  check.expect_eq_const %1, dense<[false, true, false]> : tensor<3xi1>
  %2 = stablehlo.constant dense<> : tensor<0x2xf32>
  %3 = stablehlo.abs %2 : tensor<0x2xf32>
  check.expect_eq_const %3, dense<> : tensor<0x2xf32>
  func.return
}

// -----

module @with_a_helper attributes {some.attribute = "a { brace // and no comment"} {
  func.func @double(%x: tensor<4xui8>) -> (tensor<4xui8>) attributes {note = "x"} {
    %0 = stablehlo.add %x, %x : tensor<4xui8>
    func.return %0 : tensor<4xui8>
  }
  func.func @reduce_with_a_region() {
    %0 = stablehlo.constant dense<[1, 2, 3, 127]> : tensor<4xui8>
    %init = stablehlo.constant dense<0> : tensor<ui8>
    %1 = call @double(%0) : (tensor<4xui8>) -> tensor<4xui8>
    check.expect_eq_const %1, dense<[2, 4, 6, 254]> : tensor<4xui8>
    %2 = "stablehlo.reduce"(%1, %init) ({
    ^bb0(%x: tensor<ui8>, %y: tensor<ui8>):
      %3 = stablehlo.maximum %x, %y : tensor<ui8>
      stablehlo.return %3 : tensor<ui8>
    }) {dimensions = array<i64: 0>} : (tensor<4xui8>, tensor<ui8>) -> tensor<ui8>
    check.expect_eq_const %2, dense<254> : tensor<ui8>
    func.return
  }
}

// -----

func.func @loop() {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32>
   cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %sum, %i : tensor<i32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %0#1, dense<10> : tensor<i32>
  check.expect_eq_const %0#0, dense<5> : tensor<i32>
  func.return
}

// -----

func.func @shape_operand_is_no_parameter() {
  %0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %shape = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %1 = stablehlo.dynamic_reshape %0, %shape : (tensor<4xi32>, tensor<2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  func.return
}

// -----

module @parallel {
  func.func @of_one(%x: tensor<i64>) -> tensor<i64> {
    return %x : tensor<i64>
  }
  func.func public @main() {
    %0 = stablehlo.constant dense<1> : tensor<i64>
    %1:2 = "interpreter.run_parallel"(%0, %0) {programs = [[@of_one], [@of_one]]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq_const %1#0, dense<1> : tensor<i64>
    func.return
  }
}

// -----

func.func @quantized() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  check.expect_eq_const %1, dense<[1, 2]> : tensor<2x!quant.uniform<i8:f32, 0.5>>
  func.return
}
