// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import "slices"

// whole returns the sharding of an array that is not split.
func whole(rank int) sharding {
	s := make(sharding, rank)
	for i := range s {
		s[i] = -1
	}
	return s
}

// matrix returns the elements of a whole array of two dimensions.
func matrix(rows, columns int, at func(i, j int) int64) []int64 {
	out := make([]int64, 0, rows*columns)
	for i := range rows {
		for j := range columns {
			out = append(out, at(i, j))
		}
	}
	return out
}

// at returns an element of an array of two dimensions.
func (a numbers) at(i, j int) int64 { return a.v[i*int(a.dims[1])+j] }

// product returns an element of the product of two matrices.
func product(a, b numbers, i, j int) (sum int64) {
	for k := range int(a.dims[1]) {
		sum += a.at(i, k) * b.at(k, j)
	}
	return sum
}

var (
	two  = mesh{2}
	four = mesh{2, 2}
)

func rank2(rows, columns int64, by ...int) sharded { return sharded{[]int64{rows, columns}, by} }

const (
	dot4x6x4 = "stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>"
	zero     = "%zero = stablehlo.constant dense<0.0> : tensor<f32>"
)

// partitionedModels are small programs, each of which requires something different of a
// partitioner.
var partitionedModels = []partitionedModel{
	{
		name: "elementwise", mesh: two, arguments: []sharded{rank2(4, 6, 0, -1), rank2(4, 6, 0, -1)}, result: rank2(4, 6, 0, -1),
		body: []string{"%p = stablehlo.multiply %a0, %a1 : tensor<4x6xf32>", "%r = stablehlo.add %p, %a0 : tensor<4x6xf32>"},
		want: func(a []numbers) []int64 {
			return matrix(4, 6, func(i, j int) int64 { return a[0].at(i, j)*a[1].at(i, j) + a[0].at(i, j) })
		},
	},
	{
		name: "rows", mesh: two, arguments: []sharded{rank2(4, 6, 0, -1), rank2(6, 4, -1, -1)}, result: rank2(4, 4, 0, -1),
		body: []string{"%r = " + dot4x6x4},
		want: func(a []numbers) []int64 {
			return matrix(4, 4, func(i, j int) int64 { return product(a[0], a[1], i, j) })
		},
	},
	{
		name: "inner-product", mesh: two, arguments: []sharded{rank2(4, 6, -1, 0), rank2(6, 4, 0, -1)}, result: rank2(4, 4, -1, -1),
		body: []string{"%r = " + dot4x6x4},
		want: func(a []numbers) []int64 {
			return matrix(4, 4, func(i, j int) int64 { return product(a[0], a[1], i, j) })
		},
	},
	{
		name: "rows-and-columns", mesh: four, arguments: []sharded{rank2(4, 6, 0, -1), rank2(6, 4, -1, 1)}, result: rank2(4, 4, 0, 1),
		body: []string{"%r = " + dot4x6x4},
		want: func(a []numbers) []int64 {
			return matrix(4, 4, func(i, j int) int64 { return product(a[0], a[1], i, j) })
		},
	},
	{
		name: "axes-exchanged", mesh: four, arguments: []sharded{rank2(4, 6, 1, 0), rank2(6, 4, 0, 1)}, result: rank2(4, 4, 1, 0),
		body: []string{"%r = " + dot4x6x4},
		want: func(a []numbers) []int64 {
			return matrix(4, 4, func(i, j int) int64 { return product(a[0], a[1], i, j) })
		},
	},
	{
		name: "two-layers", mesh: four, arguments: []sharded{rank2(4, 6, 0, -1), rank2(6, 4, -1, 1), rank2(4, 6, 1, -1)}, result: rank2(4, 6, 0, -1),
		body: []string{
			"%h = " + dot4x6x4, "%g = stablehlo.multiply %h, %h : tensor<4x4xf32>",
			"%r = stablehlo.dot_general %g, %a2, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>",
		},
		want: func(a []numbers) []int64 {
			h := numbers{dims: []int64{4, 4}, v: matrix(4, 4, func(i, j int) int64 { x := product(a[0], a[1], i, j); return x * x })}
			return matrix(4, 6, func(i, j int) int64 { return product(h, a[2], i, j) })
		},
	},
	{
		name: "sum-over-parts", mesh: two, arguments: []sharded{rank2(4, 6, 0, -1)}, result: sharded{[]int64{6}, whole(1)},
		body: []string{zero, "%r = stablehlo.reduce(%a0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>"},
		want: func(a []numbers) []int64 {
			return matrix(1, 6, func(_, j int) int64 { return a[0].at(0, j) + a[0].at(1, j) + a[0].at(2, j) + a[0].at(3, j) })
		},
	},
	{
		name: "sum-of-all", mesh: four, arguments: []sharded{rank2(4, 6, 0, 1)}, result: sharded{[]int64{}, whole(0)},
		body: []string{zero, "%r = stablehlo.reduce(%a0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>"},
		want: func(a []numbers) []int64 {
			sum := int64(0)
			for _, x := range a[0].v {
				sum += x
			}
			return []int64{sum}
		},
	},
	{
		name: "transposition", mesh: two, arguments: []sharded{rank2(4, 6, 0, -1)}, result: rank2(6, 4, 0, -1),
		body: []string{"%r = stablehlo.transpose %a0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>"},
		want: func(a []numbers) []int64 {
			return matrix(6, 4, func(i, j int) int64 { return a[0].at(j, i) })
		},
	},
	{
		name: "reshape", mesh: two, arguments: []sharded{rank2(4, 6, -1, 0)}, result: sharded{[]int64{24}, sharding{0}},
		body: []string{"%r = stablehlo.reshape %a0 : (tensor<4x6xf32>) -> tensor<24xf32>"},
		want: func(a []numbers) []int64 { return a[0].v },
	},
	{
		name: "shift", mesh: two, arguments: []sharded{rank2(6, 4, 0, -1)}, result: rank2(6, 4, 0, -1),
		body: []string{zero, "%s = stablehlo.slice %a0 [1:6, 0:4] : (tensor<6x4xf32>) -> tensor<5x4xf32>",
			"%r = stablehlo.pad %s, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>"},
		want: func(a []numbers) []int64 {
			return matrix(6, 4, func(i, j int) int64 {
				if i == 5 {
					return 0
				}
				return a[0].at(i+1, j)
			})
		},
	},
	{
		name: "reverse", mesh: two, arguments: []sharded{rank2(4, 6, 0, -1)}, result: rank2(4, 6, 0, -1),
		body: []string{"%r = stablehlo.reverse %a0, dims = [0] : tensor<4x6xf32>"},
		want: func(a []numbers) []int64 {
			return matrix(4, 6, func(i, j int) int64 { return a[0].at(3-i, j) })
		},
	},
	{
		name: "concatenation", mesh: two, arguments: []sharded{rank2(4, 6, 0, -1), rank2(2, 6, 0, -1)}, result: rank2(6, 6, 0, -1),
		body: []string{"%r = stablehlo.concatenate %a0, %a1, dim = 0 : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<6x6xf32>"},
		want: func(a []numbers) []int64 { return slices.Concat(a[0].v, a[1].v) },
	},
	{
		name: "counting", mesh: four, arguments: []sharded{rank2(4, 6, 0, 1)}, result: rank2(4, 6, 1, 0),
		body: []string{"%n = stablehlo.iota dim = 0 : tensor<4x6xf32>", "%m = stablehlo.iota dim = 1 : tensor<4x6xf32>",
			"%p = stablehlo.multiply %n, %m : tensor<4x6xf32>", "%r = stablehlo.add %a0, %p : tensor<4x6xf32>"},
		want: func(a []numbers) []int64 {
			return matrix(4, 6, func(i, j int) int64 { return a[0].at(i, j) + int64(i*j) })
		},
	},
	{
		name: "gather", mesh: two, arguments: []sharded{rank2(6, 4, 0, -1)}, result: rank2(4, 4, -1, -1),
		body: []string{
			"%i = stablehlo.constant dense<[[5], [0], [3], [2]]> : tensor<4x1xi32>",
			`%r = "stablehlo.gather"(%a0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>`,
		},
		want: func(a []numbers) []int64 {
			return matrix(4, 4, func(i, j int) int64 { return a[0].at([]int{5, 0, 3, 2}[i], j) })
		},
	},
	{
		name: "windows", mesh: two, arguments: []sharded{rank2(6, 4, 0, -1)}, result: rank2(6, 4, 0, -1),
		body: []string{
			zero, `%r = "stablehlo.reduce_window"(%a0, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ` + region + ` : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>`,
		},
		want: func(a []numbers) []int64 {
			return matrix(6, 4, func(i, j int) (sum int64) {
				for k := max(i-1, 0); k <= min(i+1, 5); k++ {
					sum += a[0].at(k, j)
				}
				return sum
			})
		},
	},
	{
		name: "loop", mesh: two, arguments: []sharded{rank2(4, 4, 0, -1), rank2(4, 4, -1, 0)}, result: rank2(4, 4, 0, -1),
		body: []string{
			"%n = stablehlo.constant dense<2> : tensor<i32>", "%o = stablehlo.constant dense<1> : tensor<i32>", "%k = stablehlo.constant dense<0> : tensor<i32>",
			"%r, %e = stablehlo.while(%v = %a0, %i = %k) : tensor<4x4xf32>, tensor<i32>",
			"cond {", "  %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", "  stablehlo.return %c : tensor<i1>",
			"} do {", "  %d = stablehlo.dot_general %v, %a1, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>",
			"  %j = stablehlo.add %i, %o : tensor<i32>", "  stablehlo.return %d, %j : tensor<4x4xf32>, tensor<i32>", "}",
		},
		want: func(a []numbers) []int64 {
			once := numbers{dims: []int64{4, 4}, v: matrix(4, 4, func(i, j int) int64 { return product(a[0], a[1], i, j) })}
			return matrix(4, 4, func(i, j int) int64 { return product(once, a[1], i, j) })
		},
	},
	{
		// Five rows on two partitions: one partition has a row of padding.
		name: "uneven", mesh: two, arguments: []sharded{rank2(5, 3, -1, -1)}, result: sharded{[]int64{3}, whole(1)},
		body: []string{
			"constrain %s %a0 tensor<5x3xf32> x -", "%t = stablehlo.constant dense<2.0> : tensor<5x3xf32>", "%u = stablehlo.add %s, %t : tensor<5x3xf32>",
			"constrain %v %u tensor<5x3xf32> x -", zero,
			"%r = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>",
		},
		want: func(a []numbers) []int64 {
			return matrix(1, 3, func(_, j int) int64 {
				sum := int64(10)
				for i := range 5 {
					sum += a[0].at(i, j)
				}
				return sum
			})
		},
	},
	{
		name: "uneven-product", mesh: four, arguments: []sharded{rank2(4, 5, -1, -1), rank2(5, 3, -1, -1)}, result: rank2(4, 3, -1, -1),
		body: []string{
			"constrain %s %a0 tensor<4x5xf32> - x", "constrain %t %a1 tensor<5x3xf32> x y",
			"%u = stablehlo.dot_general %s, %t, contracting_dims = [1] x [0] : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>",
			"constrain %r %u tensor<4x3xf32> y x",
		},
		want: func(a []numbers) []int64 {
			return matrix(4, 3, func(i, j int) int64 { return product(a[0], a[1], i, j) })
		},
	},
	{
		name: "moved", mesh: four, arguments: []sharded{rank2(4, 6, 0, 1)}, result: rank2(4, 6, -1, 0),
		body: []string{"constrain %s %a0 tensor<4x6xf32> y -", "%t = stablehlo.add %s, %s : tensor<4x6xf32>", "constrain %r %t tensor<4x6xf32> - x"},
		want: func(a []numbers) []int64 {
			return matrix(4, 6, func(i, j int) int64 { return 2 * a[0].at(i, j) })
		},
	},
}
