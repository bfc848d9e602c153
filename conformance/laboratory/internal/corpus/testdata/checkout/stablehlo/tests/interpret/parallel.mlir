// RUN: stablehlo-translate --interpret -split-input-file %s

module @cross_replica {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@all_reduce], [@all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[6, 8, 10, 12]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[6, 8, 10, 12]> : tensor<4xi64>
    func.return
  }
}

// -----

module @cross_replica_four {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %i3 = stablehlo.constant dense<[13, 14, 15, 16]> : tensor<4xi64>
    %results:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {
      programs=[[@all_reduce], [@all_reduce], [@all_reduce], [@all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[6, 8, 10, 12]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[6, 8, 10, 12]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[22, 24, 26, 28]> : tensor<4xi64>
    check.expect_eq_const %results#3, dense<[22, 24, 26, 28]> : tensor<4xi64>
    func.return
  }
}

// -----

module @cross_replica_max {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.maximum %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@all_reduce], [@all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[5, 6, 7, 8]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[5, 6, 7, 8]> : tensor<4xi64>
    func.return
  }
}

// -----

module @cross_replica_i32 {
  func.func @all_reduce(%a0 : tensor<4xi32>) -> (tensor<4xi32>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %z = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %z : tensor<i32>
    }) {
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi32>) -> tensor<4xi32>
    return %result : tensor<4xi32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@all_reduce], [@all_reduce]]
    } : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
    check.expect_eq_const %results#0, dense<[6, 8, 10, 12]> : tensor<4xi32>
    check.expect_eq_const %results#1, dense<[6, 8, 10, 12]> : tensor<4xi32>
    func.return
  }
}

// -----

module @cross_partition {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
      use_global_device_ids
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@all_reduce, @all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[6, 8, 10, 12]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[6, 8, 10, 12]> : tensor<4xi64>
    func.return
  }
}

// -----

module @cross_replica_two_by_two {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %i3 = stablehlo.constant dense<[13, 14, 15, 16]> : tensor<4xi64>
    %results:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {
      programs=[[@all_reduce, @all_reduce], [@all_reduce, @all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[10, 12, 14, 16]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[18, 20, 22, 24]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[10, 12, 14, 16]> : tensor<4xi64>
    check.expect_eq_const %results#3, dense<[18, 20, 22, 24]> : tensor<4xi64>
    func.return
  }
}

// -----

module @cross_replica_and_partition {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %i3 = stablehlo.constant dense<[13, 14, 15, 16]> : tensor<4xi64>
    %results:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {
      programs=[[@all_reduce, @all_reduce], [@all_reduce, @all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[28, 32, 36, 40]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[28, 32, 36, 40]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[28, 32, 36, 40]> : tensor<4xi64>
    check.expect_eq_const %results#3, dense<[28, 32, 36, 40]> : tensor<4xi64>
    func.return
  }
}

// -----

module @flattened_ids {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
      use_global_device_ids
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %i3 = stablehlo.constant dense<[13, 14, 15, 16]> : tensor<4xi64>
    %results:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {
      programs=[[@all_reduce, @all_reduce], [@all_reduce, @all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[14, 16, 18, 20]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[14, 16, 18, 20]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[14, 16, 18, 20]> : tensor<4xi64>
    check.expect_eq_const %results#3, dense<[14, 16, 18, 20]> : tensor<4xi64>
    func.return
  }
}

// -----

module @three {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %results:3 = "interpreter.run_parallel"(%i0, %i1, %i2) {
      programs=[[@all_reduce], [@all_reduce], [@all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[15, 18, 21, 24]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[15, 18, 21, 24]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[15, 18, 21, 24]> : tensor<4xi64>
    func.return
  }
}

// -----

module @five {
  func.func @all_reduce(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.all_reduce"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      replica_groups = dense<[[0, 1, 2, 3, 4]]> : tensor<1x5xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %i3 = stablehlo.constant dense<[13, 14, 15, 16]> : tensor<4xi64>
    %i4 = stablehlo.constant dense<[1, 1, 1, 1]> : tensor<4xi64>
    %results:5 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3, %i4) {
      programs=[[@all_reduce], [@all_reduce], [@all_reduce], [@all_reduce], [@all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[29, 33, 37, 41]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[29, 33, 37, 41]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[29, 33, 37, 41]> : tensor<4xi64>
    check.expect_eq_const %results#3, dense<[29, 33, 37, 41]> : tensor<4xi64>
    check.expect_eq_const %results#4, dense<[29, 33, 37, 41]> : tensor<4xi64>
    func.return
  }
}

// -----

module @gather_replica {
  func.func @all_gather(%a0 : tensor<2x2xi64>) -> (tensor<2x4xi64>) {
    %result = "stablehlo.all_gather"(%a0) {
      all_gather_dim = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<2x2xi64>) -> tensor<2x4xi64>
    return %result : tensor<2x4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %i1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@all_gather], [@all_gather]]
    } : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)
    check.expect_eq_const %results#0, dense<[[1, 2, 5, 6], [3, 4, 7, 8]]> : tensor<2x4xi64>
    check.expect_eq_const %results#1, dense<[[1, 2, 5, 6], [3, 4, 7, 8]]> : tensor<2x4xi64>
    func.return
  }
}

// -----

module @gather_two_by_two {
  func.func @all_gather(%a0 : tensor<2x2xi64>) -> (tensor<2x4xi64>) {
    %result = "stablehlo.all_gather"(%a0) {
      all_gather_dim = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<2x2xi64>) -> tensor<2x4xi64>
    return %result : tensor<2x4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %i1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
    %i2 = stablehlo.constant dense<[[9, 10], [11, 12]]> : tensor<2x2xi64>
    %i3 = stablehlo.constant dense<[[13, 14], [15, 16]]> : tensor<2x2xi64>
    %results:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {
      programs=[[@all_gather, @all_gather], [@all_gather, @all_gather]]
    } : (tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>, tensor<2x4xi64>, tensor<2x4xi64>)
    check.expect_eq_const %results#0, dense<[[1, 2, 9, 10], [3, 4, 11, 12]]> : tensor<2x4xi64>
    check.expect_eq_const %results#1, dense<[[5, 6, 13, 14], [7, 8, 15, 16]]> : tensor<2x4xi64>
    check.expect_eq_const %results#2, dense<[[1, 2, 9, 10], [3, 4, 11, 12]]> : tensor<2x4xi64>
    check.expect_eq_const %results#3, dense<[[5, 6, 13, 14], [7, 8, 15, 16]]> : tensor<2x4xi64>
    func.return
  }
}

// -----

module @gather_partition {
  func.func @all_gather(%a0 : tensor<2x2xi64>) -> (tensor<2x4xi64>) {
    %result = "stablehlo.all_gather"(%a0) {
      all_gather_dim = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
      use_global_device_ids
    } : (tensor<2x2xi64>) -> tensor<2x4xi64>
    return %result : tensor<2x4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %i1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@all_gather, @all_gather]]
    } : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)
    check.expect_eq_const %results#0, dense<[[1, 2, 5, 6], [3, 4, 7, 8]]> : tensor<2x4xi64>
    check.expect_eq_const %results#1, dense<[[1, 2, 5, 6], [3, 4, 7, 8]]> : tensor<2x4xi64>
    func.return
  }
}

// -----

module @gather_both {
  func.func @all_gather(%a0 : tensor<2x2xi64>) -> (tensor<2x8xi64>) {
    %result = "stablehlo.all_gather"(%a0) {
      all_gather_dim = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>
    } : (tensor<2x2xi64>) -> tensor<2x8xi64>
    return %result : tensor<2x8xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %i1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
    %i2 = stablehlo.constant dense<[[9, 10], [11, 12]]> : tensor<2x2xi64>
    %i3 = stablehlo.constant dense<[[13, 14], [15, 16]]> : tensor<2x2xi64>
    %results:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {
      programs=[[@all_gather, @all_gather], [@all_gather, @all_gather]]
    } : (tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x8xi64>, tensor<2x8xi64>, tensor<2x8xi64>, tensor<2x8xi64>)
    check.expect_eq_const %results#0, dense<[[1, 2, 5, 6, 9, 10, 13, 14], [3, 4, 7, 8, 11, 12, 15, 16]]> : tensor<2x8xi64>
    check.expect_eq_const %results#1, dense<[[1, 2, 5, 6, 9, 10, 13, 14], [3, 4, 7, 8, 11, 12, 15, 16]]> : tensor<2x8xi64>
    check.expect_eq_const %results#2, dense<[[1, 2, 5, 6, 9, 10, 13, 14], [3, 4, 7, 8, 11, 12, 15, 16]]> : tensor<2x8xi64>
    check.expect_eq_const %results#3, dense<[[1, 2, 5, 6, 9, 10, 13, 14], [3, 4, 7, 8, 11, 12, 15, 16]]> : tensor<2x8xi64>
    func.return
  }
}

// -----

module @scatter {
  func.func @reduce_scatter(%a0 : tensor<4xi64>) -> (tensor<2xi64>) {
    %result = "stablehlo.reduce_scatter"(%a0) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %z = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
    }) {
      scatter_dimension = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<2xi64>
    return %result : tensor<2xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@reduce_scatter], [@reduce_scatter]]
    } : (tensor<4xi64>, tensor<4xi64>) -> (tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %results#0, dense<[6, 8]> : tensor<2xi64>
    check.expect_eq_const %results#1, dense<[10, 12]> : tensor<2xi64>
    func.return
  }
}

// -----

module @permute {
  func.func @collective_permute(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.collective_permute"(%a0) {
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %results:3 = "interpreter.run_parallel"(%i0, %i1, %i2) {
      programs=[[@collective_permute], [@collective_permute], [@collective_permute]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[0, 0, 0, 0]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[1, 2, 3, 4]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[5, 6, 7, 8]> : tensor<4xi64>
    func.return
  }
}

// -----

module @permute_partition {
  func.func @collective_permute(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.collective_permute"(%a0) {
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %results:3 = "interpreter.run_parallel"(%i0, %i1, %i2) {
      programs=[[@collective_permute, @collective_permute, @collective_permute]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[0, 0, 0, 0]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[1, 2, 3, 4]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[5, 6, 7, 8]> : tensor<4xi64>
    func.return
  }
}

// -----

module @to_all {
  func.func @all_to_all(%a0 : tensor<2x2xi64>) -> (tensor<1x4xi64>) {
    %result = "stablehlo.all_to_all"(%a0) {
      split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<2x2xi64>) -> tensor<1x4xi64>
    return %result : tensor<1x4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %i1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@all_to_all], [@all_to_all]]
    } : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<1x4xi64>, tensor<1x4xi64>)
    check.expect_eq_const %results#0, dense<[[1, 2, 5, 6]]> : tensor<1x4xi64>
    check.expect_eq_const %results#1, dense<[[3, 4, 7, 8]]> : tensor<1x4xi64>
    func.return
  }
}

// -----

module @broadcast {
  func.func @collective_broadcast(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    %result = "stablehlo.collective_broadcast"(%a0) {
      replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %result : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@collective_broadcast], [@collective_broadcast]]
    } : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[5, 6, 7, 8]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[5, 6, 7, 8]> : tensor<4xi64>
    func.return
  }
}

// -----

module @ids {
  func.func @replica_id() -> (tensor<ui32>) {
    %result = "stablehlo.replica_id"() : () -> tensor<ui32>
    return %result : tensor<ui32>
  }
  func.func @main() {
    %results:2 = "interpreter.run_parallel"() {
      programs=[[@replica_id], [@replica_id]]
    } : () -> (tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %results#0, dense<0> : tensor<ui32>
    check.expect_eq_const %results#1, dense<1> : tensor<ui32>
    func.return
  }
}

// -----

module @ids2 {
  func.func @partition_id() -> (tensor<ui32>) {
    %result = "stablehlo.partition_id"() : () -> tensor<ui32>
    return %result : tensor<ui32>
  }
  func.func @main() {
    %results:2 = "interpreter.run_parallel"() {
      programs=[[@partition_id, @partition_id]]
    } : () -> (tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %results#0, dense<0> : tensor<ui32>
    check.expect_eq_const %results#1, dense<1> : tensor<ui32>
    func.return
  }
}

// -----

module @ids2x2 {
  func.func @ids() -> (tensor<ui32>, tensor<ui32>) {
    %r = "stablehlo.replica_id"() : () -> tensor<ui32>
    %p = "stablehlo.partition_id"() : () -> tensor<ui32>
    return %r, %p : tensor<ui32>, tensor<ui32>
  }
  func.func @main() {
    %results:8 = "interpreter.run_parallel"() {
      programs=[[@ids, @ids], [@ids, @ids]]
    } : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %results#0, dense<0> : tensor<ui32>
    check.expect_eq_const %results#1, dense<0> : tensor<ui32>
    check.expect_eq_const %results#2, dense<0> : tensor<ui32>
    check.expect_eq_const %results#3, dense<1> : tensor<ui32>
    check.expect_eq_const %results#4, dense<1> : tensor<ui32>
    check.expect_eq_const %results#5, dense<0> : tensor<ui32>
    check.expect_eq_const %results#6, dense<1> : tensor<ui32>
    check.expect_eq_const %results#7, dense<1> : tensor<ui32>
    func.return
  }
}

// -----

module @one {
  func.func @f(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    return %a0 : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %results = "interpreter.run_parallel"(%i0) {
      programs=[[@f]]
    } : (tensor<4xi64>) -> tensor<4xi64>
    check.expect_eq_const %results, dense<[1, 2, 3, 4]> : tensor<4xi64>
    func.return
  }
}

// -----

module @two_args {
  func.func @f(%a0 : tensor<4xi64>, %a1 : tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
    %r = stablehlo.subtract %a0, %a1 : tensor<4xi64>
    return %r, %a0 : tensor<4xi64>, tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %i3 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %results:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {
      programs=[[@f, @f]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[-4, -4, -4, -4]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[1, 2, 3, 4]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[8, 8, 8, 8]> : tensor<4xi64>
    check.expect_eq_const %results#3, dense<[9, 10, 11, 12]> : tensor<4xi64>
    func.return
  }
}

// -----

module @scalar {
  func.func @f(%a0 : tensor<i64>) -> (tensor<i64>) {
    %r = stablehlo.add %a0, %a0 : tensor<i64>
    return %r : tensor<i64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<3> : tensor<i64>
    %i1 = stablehlo.constant dense<4> : tensor<i64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@f, @f]]
    } : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq_const %results#0, dense<6> : tensor<i64>
    check.expect_eq_const %results#1, dense<8> : tensor<i64>
    func.return
  }
}

// -----

module @differ {
  func.func @f(%a0 : tensor<4xi64>) -> (tensor<4xi64>) {
    return %a0 : tensor<4xi64>
  }
  func.func @g(%a0: tensor<4xi64>) -> tensor<4xi64> {
    return %a0 : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %results:2 = "interpreter.run_parallel"(%i0, %i1) {
      programs=[[@f], [@g]]
    } : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[1, 2, 3, 4]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[1, 2, 3, 4]> : tensor<4xi64>
    func.return
  }
}
