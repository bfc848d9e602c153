// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

type (
	unary  = func(backends.Builder, backends.Op) (backends.Op, error)
	binary = func(b backends.Builder, l, r backends.Op) (backends.Op, error)
)

func of1(f unary) building {
	return one(func(b backends.Builder, x []backends.Op) (backends.Op, error) { return f(b, x[0]) })
}

func of2(f binary) building {
	return one(func(b backends.Builder, x []backends.Op) (backends.Op, error) { return f(b, x[0], x[1]) })
}

var where = one(func(b backends.Builder, x []backends.Op) (backends.Op, error) { return b.Where(x[0], x[1], x[2]) })

func converted(t dtypes.DType) building {
	return of1(func(b backends.Builder, x backends.Op) (backends.Op, error) { return b.ConvertDType(x, t) })
}

// reduce calls a reduction over all axes or some.
func reduce(f func(b backends.Builder, x backends.Op, axes ...int) (backends.Op, error), axes ...int) building {
	return of1(func(b backends.Builder, x backends.Op) (backends.Op, error) { return f(b, x, axes...) })
}

var operations = []struct {
	name  string
	op    backends.OpType
	build building
	args  []array
	want  array
}{
	{"abs", backends.OpTypeAbs, of1(backends.Builder.Abs), []array{vec[float32](-2, 3)}, vec[float32](2, 3)},
	{"abs of unsigned", backends.OpTypeAbs, of1(backends.Builder.Abs), []array{vec[uint8](200, 3)}, vec[uint8](200, 3)},
	{"abs of complex", backends.OpTypeAbs, of1(backends.Builder.Abs), []array{vec[complex64](3 + 4i)}, vec[float32](5)},
	{"add", backends.OpTypeAdd, of2(backends.Builder.Add), []array{vec[int32](1, 2), scalar[int32](5)}, vec[int32](6, 7)},
	{"add, broadcast", backends.OpTypeAdd, of2(backends.Builder.Add), []array{arr([]int32{1, 2}, 2, 1), arr([]int32{10, 20}, 1, 2)},
		arr([]int32{11, 21, 12, 22}, 2, 2)},
	{"add of float16", backends.OpTypeAdd, of2(backends.Builder.Add), []array{vec(halves(1, 2)...), vec(halves(3, 4)...)}, vec(halves(4, 6)...)},
	{"add of bfloat16", backends.OpTypeAdd, of2(backends.Builder.Add), []array{vec(brains(1, 2)...), vec(brains(3, 4)...)}, vec(brains(4, 6)...)},
	{"sub", backends.OpTypeSub, of2(backends.Builder.Sub), []array{vec[int64](1), vec[int64](3)}, vec[int64](-2)},
	{"mul", backends.OpTypeMul, of2(backends.Builder.Mul), []array{vec[complex128](2i), vec[complex128](3i)}, vec[complex128](-6)},
	{"div", backends.OpTypeDiv, of2(backends.Builder.Div), []array{vec[float64](1), vec[float64](4)}, vec(0.25)},
	{"rem", backends.OpTypeRem, of2(backends.Builder.Rem), []array{vec[int32](-7), vec[int32](3)}, vec[int32](-1)},
	{"pow", backends.OpTypePow, of2(backends.Builder.Pow), []array{vec[float32](2), vec[float32](10)}, vec[float32](1024)},
	{"max", backends.OpTypeMax, of2(backends.Builder.Max), []array{vec[float32](1, nan), vec[float32](2, 1)}, vec(2, nan)},
	{"min", backends.OpTypeMin, of2(backends.Builder.Min), []array{vec[int8](-1), vec[int8](2)}, vec[int8](-1)},
	{"bitwise and", backends.OpTypeBitwiseAnd, of2(backends.Builder.BitwiseAnd), []array{vec[uint8](6), vec[uint8](3)}, vec[uint8](2)},
	{"bitwise or", backends.OpTypeBitwiseOr, of2(backends.Builder.BitwiseOr), []array{vec[uint8](6), vec[uint8](3)}, vec[uint8](7)},
	{"bitwise xor", backends.OpTypeBitwiseXor, of2(backends.Builder.BitwiseXor), []array{vec[uint8](6), vec[uint8](3)}, vec[uint8](5)},
	{"bitwise not", backends.OpTypeBitwiseNot, of1(backends.Builder.BitwiseNot), []array{vec[int16](5)}, vec[int16](-6)},
	{"logical and", backends.OpTypeLogicalAnd, of2(backends.Builder.LogicalAnd), []array{vec(true, true), vec(true, false)}, vec(true, false)},
	{"logical or", backends.OpTypeLogicalOr, of2(backends.Builder.LogicalOr), []array{vec(true, false), vec(true, false)}, vec(true, false)},
	{"logical xor", backends.OpTypeLogicalXor, of2(backends.Builder.LogicalXor), []array{vec(true, true), vec(true, false)}, vec(false, true)},
	{"logical not", backends.OpTypeLogicalNot, of1(backends.Builder.LogicalNot), []array{vec(true, false)}, vec(false, true)},
	{"shift left", backends.OpTypeShiftLeft, of2(backends.Builder.ShiftLeft), []array{vec[int8](-1), vec[int8](1)}, vec[int8](-2)},
	{"shift right, arithmetic", backends.OpTypeShiftRightArithmetic, of2(backends.Builder.ShiftRightArithmetic),
		[]array{vec[int8](-2), scalar[int8](1)}, vec[int8](-1)},
	{"shift right, logical", backends.OpTypeShiftRightLogical, of2(backends.Builder.ShiftRightLogical),
		[]array{vec[int8](-2), vec[int8](1)}, vec[int8](127)},
	{"bit count", backends.OpTypeBitCount, of1(backends.Builder.BitCount), []array{vec[int32](7)}, vec[int32](3)},
	{"leading zeros", backends.OpTypeClz, of1(backends.Builder.Clz), []array{vec[int32](1)}, vec[int32](31)},
	{"ceil", backends.OpTypeCeil, of1(backends.Builder.Ceil), []array{vec[float32](1.2)}, vec[float32](2)},
	{"floor", backends.OpTypeFloor, of1(backends.Builder.Floor), []array{vec[float32](1.8)}, vec[float32](1)},
	{"round", backends.OpTypeRound, of1(backends.Builder.Round), []array{vec[float32](2.5, 3.5)}, vec[float32](2, 4)},
	{"cos", backends.OpTypeCos, of1(backends.Builder.Cos), []array{vec[float64](1)}, vec(math.Cos(1))},
	{"sin", backends.OpTypeSin, of1(backends.Builder.Sin), []array{vec[float64](1)}, vec(math.Sin(1))},
	{"tanh", backends.OpTypeTanh, of1(backends.Builder.Tanh), []array{vec[float64](1)}, vec(math.Tanh(1))},
	{"erf", backends.OpTypeErf, of1(backends.Builder.Erf), []array{vec[float64](0.5)}, vec(math.Erf(0.5))},
	{"exp", backends.OpTypeExp, of1(backends.Builder.Exp), []array{vec[float64](1)}, vec(math.E)},
	{"expm1", backends.OpTypeExpm1, of1(backends.Builder.Expm1), []array{vec[float64](1)}, vec(math.E - 1)},
	{"log", backends.OpTypeLog, of1(backends.Builder.Log), []array{vec(math.E)}, vec[float64](1)},
	{"log1p", backends.OpTypeLog1p, of1(backends.Builder.Log1p), []array{vec(math.E - 1)}, vec[float64](1)},
	{"logistic", backends.OpTypeLogistic, of1(backends.Builder.Logistic), []array{vec[float32](0)}, vec[float32](0.5)},
	{"neg", backends.OpTypeNeg, of1(backends.Builder.Neg), []array{vec[int32](3)}, vec[int32](-3)},
	{"sqrt", backends.OpTypeSqrt, of1(backends.Builder.Sqrt), []array{vec[float32](9)}, vec[float32](3)},
	{"rsqrt", backends.OpTypeRsqrt, of1(backends.Builder.Rsqrt), []array{vec[float32](4)}, vec[float32](0.5)},
	{"sign", backends.OpTypeSign, of1(backends.Builder.Sign), []array{vec(-3, 0, nan, 2)}, vec(-1, 0, nan, 1)},
	{"sign of unsigned", backends.OpTypeSign, of1(backends.Builder.Sign), []array{vec[uint16](0, 1, 9)}, vec[uint16](0, 1, 1)},
	{"is finite", backends.OpTypeIsFinite, of1(backends.Builder.IsFinite), []array{vec(1, nan, inf)}, vec(true, false, false)},
	{"is NaN", backends.OpTypeIsNaN, of1(backends.Builder.IsNaN), []array{vec(1, nan, inf)}, vec(false, true, false)},
	{"identity", backends.OpTypeIdentity, of1(backends.Builder.Identity), []array{scalar[float32](1)}, scalar[float32](1)},
	{"equal", backends.OpTypeEqual, of2(backends.Builder.Equal), []array{vec(1, nan), vec(1, nan)}, vec(true, false)},
	{"equal booleans", backends.OpTypeEqual, of2(backends.Builder.Equal), []array{vec(true, false), scalar(true)}, vec(true, false)},
	{"equal complex", backends.OpTypeEqual, of2(backends.Builder.Equal), []array{vec[complex64](1i), vec[complex64](1i)}, vec(true)},
	{"not equal", backends.OpTypeNotEqual, of2(backends.Builder.NotEqual), []array{vec(1, nan), vec(1, nan)}, vec(false, true)},
	{"greater", backends.OpTypeGreaterThan, of2(backends.Builder.GreaterThan), []array{vec[uint8](200, 1), vec[uint8](100, 1)}, vec(true, false)},
	{"greater or equal", backends.OpTypeGreaterOrEqual, of2(backends.Builder.GreaterOrEqual), []array{vec[int8](-1, 1), vec[int8](1, 1)},
		vec(false, true)},
	{"less", backends.OpTypeLessThan, of2(backends.Builder.LessThan), []array{vec[int8](-1, 1), vec[int8](1, 1)}, vec(true, false)},
	{"less or equal", backends.OpTypeLessOrEqual, of2(backends.Builder.LessOrEqual), []array{vec[int8](2, 1), vec[int8](1, 1)}, vec(false, true)},
	{"equal in total order", backends.OpTypeEqualTotalOrder, of2(backends.Builder.EqualTotalOrder), []array{vec(1, nan), vec(1, nan)},
		vec(true, true)},
	{"not equal in total order", backends.OpTypeNotEqualTotalOrder, of2(backends.Builder.NotEqualTotalOrder), []array{vec(1, nan), vec(2, nan)},
		vec(true, false)},
	{"greater in total order", backends.OpTypeGreaterThanTotalOrder, of2(backends.Builder.GreaterThanTotalOrder), []array{vec(nan), vec(inf)},
		vec(true)},
	{"greater or equal in total order", backends.OpTypeGreaterOrEqualTotalOrder, of2(backends.Builder.GreaterOrEqualTotalOrder),
		[]array{vec(nan), vec(nan)}, vec(true)},
	{"less in total order", backends.OpTypeLessThanTotalOrder, of2(backends.Builder.LessThanTotalOrder), []array{vec(inf), vec(nan)}, vec(true)},
	{"less or equal in total order", backends.OpTypeLessOrEqualTotalOrder, of2(backends.Builder.LessOrEqualTotalOrder),
		[]array{vec[int32](1), vec[int32](1)}, vec(true)},
	{"complex", backends.OpTypeComplex, of2(backends.Builder.Complex), []array{vec[float32](1, 2), scalar[float32](3)}, vec[complex64](1+3i, 2+3i)},
	{"conj", backends.OpTypeConj, of1(backends.Builder.Conj), []array{vec[complex64](1 + 3i)}, vec[complex64](1 - 3i)},
	{"conj of a float", backends.OpTypeConj, of1(backends.Builder.Conj), []array{vec[float32](1)}, vec[float32](1)},
	{"real", backends.OpTypeReal, of1(backends.Builder.Real), []array{vec[complex128](1 + 3i)}, vec[float64](1)},
	{"real of a float", backends.OpTypeReal, of1(backends.Builder.Real), []array{vec[float32](2)}, vec[float32](2)},
	{"imag", backends.OpTypeImag, of1(backends.Builder.Imag), []array{vec[complex128](1 + 3i)}, vec[float64](3)},
	{"imag of a float", backends.OpTypeImag, of1(backends.Builder.Imag), []array{arr([]float32{2, 3}, 2, 1)}, arr([]float32{0, 0}, 2, 1)},
	{"clamp", backends.OpTypeClamp, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) { return b.Clamp(x[0], x[1], x[2]) }),
		[]array{scalar[float32](0), vec[float32](-1, 0.5, 2), scalar[float32](1)}, vec[float32](0, 0.5, 1)},
	{"where", backends.OpTypeWhere, where,
		[]array{vec(true, false), scalar[int32](1), vec[int32](2, 3)}, vec[int32](1, 3)},
	{"where of scalars", backends.OpTypeWhere, where,
		[]array{vec(true, false), scalar[int32](1), scalar[int32](2)}, vec[int32](1, 2)},
	{"where of one condition", backends.OpTypeWhere, where,
		[]array{scalar(false), vec[int32](1, 2), scalar[int32](3)}, vec[int32](3, 3)},
	{"convert", backends.OpTypeConvertDType, converted(dtypes.Int32),
		[]array{vec[float32](1.9, -1.9)}, vec[int32](1, -1)},
	{"convert to bool", backends.OpTypeConvertDType, converted(dtypes.Bool),
		[]array{vec[float32](0, 2)}, vec(false, true)},
	{"bitcast", backends.OpTypeBitcast, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) { return b.Bitcast(x, dtypes.Uint16) }),
		[]array{vec[uint32](0xdeadbeef)}, arr([]uint16{0xbeef, 0xdead}, 1, 2)},
	{"broadcast in dim", backends.OpTypeBroadcastInDim, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.BroadcastInDim(x, shapes.Make(dtypes.Int32, 2, 2), []int{0})
	}), []array{vec[int32](1, 2)}, arr([]int32{1, 1, 2, 2}, 2, 2)},
	{"iota", backends.OpTypeIota, one(func(b backends.Builder, _ []backends.Op) (backends.Op, error) {
		return b.Iota(shapes.Make(dtypes.Int32, 2, 2), 1)
	}), nil, arr([]int32{0, 1, 0, 1}, 2, 2)},
	{"reshape", backends.OpTypeReshape, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) { return b.Reshape(x, 2, 1) }),
		[]array{vec[int32](1, 2)}, arr([]int32{1, 2}, 2, 1)},
	{"transpose", backends.OpTypeTranspose, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) { return b.Transpose(x, 1, 0) }),
		[]array{arr([]int32{1, 2, 3, 4}, 2, 2)}, arr([]int32{1, 3, 2, 4}, 2, 2)},
	{"reverse", backends.OpTypeReverse, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) { return b.Reverse(x, -1) }),
		[]array{arr([]int32{1, 2, 3, 4}, 2, 2)}, arr([]int32{2, 1, 4, 3}, 2, 2)},
	{"concatenate", backends.OpTypeConcatenate, of2(func(b backends.Builder, l, r backends.Op) (backends.Op, error) { return b.Concatenate(0, l, r) }),
		[]array{vec[int32](1), vec[int32](2, 3)}, vec[int32](1, 2, 3)},
	{"pad", backends.OpTypePad, of2(func(b backends.Builder, x, fill backends.Op) (backends.Op, error) {
		return b.Pad(x, fill, backends.PadAxis{Start: 1, End: 2, Interior: 1})
	}), []array{vec[int32](1, 2), scalar[int32](9)}, vec[int32](9, 1, 9, 2, 9, 9)},
	{"slice", backends.OpTypeSlice, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.Slice(x, []int{1}, []int{4}, []int{2})
	}),
		[]array{vec[int32](0, 1, 2, 3)}, vec[int32](1, 3)},
	{"dynamic slice", backends.OpTypeDynamicSlice, of2(func(b backends.Builder, x, i backends.Op) (backends.Op, error) {
		return b.DynamicSlice(x, []backends.Op{i}, []int{2})
	}), []array{vec[int32](0, 1, 2, 3), scalar[int32](9)}, vec[int32](2, 3)},
	{"dynamic slice at a vector", backends.OpTypeDynamicSlice, of2(func(b backends.Builder, x, i backends.Op) (backends.Op, error) {
		return b.DynamicSlice(x, []backends.Op{i}, []int{1, 1})
	}), []array{arr([]int32{0, 1, 2, 3}, 2, 2), vec[int32](1, 0)}, arr([]int32{2}, 1, 1)},
	{"dynamic update slice", backends.OpTypeDynamicUpdateSlice, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) {
		return b.DynamicUpdateSlice(x[0], x[1], x[2:])
	}), []array{vec[int32](0, 1, 2), vec[int32](9), scalar[int32](1)}, vec[int32](0, 9, 2)},
	{"gather", backends.OpTypeGather, of2(func(b backends.Builder, x, i backends.Op) (backends.Op, error) {
		return b.Gather(x, i, 1, []int{1}, []int{0}, []int{0}, []int{1, 2}, false)
	}), []array{arr([]int32{0, 1, 2, 3, 4, 5}, 3, 2), arr([]int32{2, 0}, 2, 1)}, arr([]int32{4, 5, 0, 1}, 2, 2)},
	{"scatter sum", backends.OpTypeScatterSum, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) {
		return b.ScatterSum(x[0], x[1], x[2], 1, nil, []int{0}, []int{0}, false, false)
	}), []array{vec[float32](1, 2, 3), arr([]int32{2, 2}, 2, 1), vec[float32](10, 20)}, vec[float32](1, 2, 33)},
	{"scatter max", backends.OpTypeScatterMax, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) {
		return b.ScatterMax(x[0], x[1], x[2], 1, nil, []int{0}, []int{0}, false, false)
	}), []array{vec[float32](1, 2, 3), arr([]int32{2, 0}, 2, 1), vec[float32](10, 0)}, vec[float32](1, 2, 10)},
	{"scatter min", backends.OpTypeScatterMin, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) {
		return b.ScatterMin(x[0], x[1], x[2], 1, nil, []int{0}, []int{0}, false, false)
	}), []array{vec[float32](1, 2, 3), arr([]int32{2, 0}, 2, 1), vec[float32](10, 0)}, vec[float32](0, 2, 3)},
	{"reduce sum", backends.OpTypeReduceSum, reduce(backends.Builder.ReduceSum, 0), []array{arr([]float32{1, 2, 3, 4}, 2, 2)}, vec[float32](4, 6)},
	{"reduce sum of all", backends.OpTypeReduceSum, reduce(backends.Builder.ReduceSum), []array{arr([]uint8{1, 2, 3, 4}, 2, 2)}, scalar[uint8](10)},
	{"reduce sum of complex", backends.OpTypeReduceSum, reduce(backends.Builder.ReduceSum), []array{vec[complex64](1, 2i)}, scalar[complex64](1 + 2i)},
	{"reduce product", backends.OpTypeReduceProduct, reduce(backends.Builder.ReduceProduct, -1), []array{arr([]int32{1, 2, 3, 4}, 2, 2)}, vec[int32](2, 12)},
	{"reduce max", backends.OpTypeReduceMax, reduce(backends.Builder.ReduceMax), []array{vec(brains(-3, -2)...)}, scalar(brains(-2)[0])},
	{"reduce max of half", backends.OpTypeReduceMax, reduce(backends.Builder.ReduceMax), []array{vec(halves(-3, -2)...)}, scalar(halves(-2)[0])},
	{"reduce max of integers", backends.OpTypeReduceMax, reduce(backends.Builder.ReduceMax), []array{vec[int64](-3, -2)}, scalar[int64](-2)},
	{"reduce min", backends.OpTypeReduceMin, reduce(backends.Builder.ReduceMin), []array{vec[uint64](3, 2)}, scalar[uint64](2)},
	{"reduce bitwise and", backends.OpTypeReduceBitwiseAnd, reduce(backends.Builder.ReduceBitwiseAnd), []array{vec[int8](6, 3)}, scalar[int8](2)},
	{"reduce bitwise and of unsigned", backends.OpTypeReduceBitwiseAnd, reduce(backends.Builder.ReduceBitwiseAnd), []array{vec[uint32](6, 3)},
		scalar[uint32](2)},
	{"reduce bitwise or", backends.OpTypeReduceBitwiseOr, reduce(backends.Builder.ReduceBitwiseOr), []array{vec[int8](6, 3)}, scalar[int8](7)},
	{"reduce bitwise xor", backends.OpTypeReduceBitwiseXor, reduce(backends.Builder.ReduceBitwiseXor), []array{vec[int8](6, 3)}, scalar[int8](5)},
	{"reduce logical and", backends.OpTypeReduceLogicalAnd, reduce(backends.Builder.ReduceLogicalAnd), []array{vec(true, true)}, scalar(true)},
	{"reduce logical or", backends.OpTypeReduceLogicalOr, reduce(backends.Builder.ReduceLogicalOr), []array{vec(false, true)}, scalar(true)},
	{"reduce logical xor", backends.OpTypeReduceLogicalXor, reduce(backends.Builder.ReduceLogicalXor), []array{vec(true, true)}, scalar(false)},
	{"arg max", backends.OpTypeArgMinMax, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.ArgMinMax(x, 1, dtypes.Int32, false)
	}),
		[]array{arr([]float32{2, 0, 7, -3, 4, 4}, 2, 3)}, vec[int32](2, 1)},
	{"arg min", backends.OpTypeArgMinMax, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.ArgMinMax(x, 1, dtypes.Uint8, true)
	}),
		[]array{arr([]int32{2, 0, 7, -3, 4, -3}, 2, 3)}, vec[uint8](1, 0)},
	{"arg max of NaN", backends.OpTypeArgMinMax, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.ArgMinMax(x, -1, dtypes.Int64, false)
	}),
		[]array{vec(1, nan, nan, inf)}, scalar[int64](1)},
	{"reduce window", backends.OpTypeReduceWindow, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.ReduceWindow(x, backends.ReduceOpSum, []int{2}, []int{1}, nil, nil, [][2]int{{1, 0}})
	}), []array{vec[float32](1, 2, 3)}, vec[float32](1, 3, 5)},
	{"reduce window, dilated", backends.OpTypeReduceWindow, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.ReduceWindow(x, backends.ReduceOpSum, []int{2}, []int{1}, []int{2}, []int{3}, nil)
	}), []array{vec[float32](1, 2, 3, 4)}, vec[float32](1, 3, 2, 4)},
	{"select and scatter max", backends.OpTypeSelectAndScatterMax, of2(func(b backends.Builder, x, s backends.Op) (backends.Op, error) {
		return b.SelectAndScatterMax(x, s, []int{2}, nil, nil)
	}), []array{vec[float32](1, 5, 4, 2), vec[float32](10, 20)}, vec[float32](0, 10, 20, 0)},
	{"select and scatter min", backends.OpTypeSelectAndScatterMin, of2(func(b backends.Builder, x, s backends.Op) (backends.Op, error) {
		return b.SelectAndScatterMin(x, s, []int{2}, []int{2}, nil)
	}), []array{vec[float32](1, 5, 4, 2), vec[float32](10, 20)}, vec[float32](10, 0, 0, 20)},
	{"dot of vectors", backends.OpTypeDot, of2(backends.Builder.Dot), []array{vec[float32](1, 2), vec[float32](3, 4)}, scalar[float32](11)},
	{"dot of a matrix", backends.OpTypeDot, of2(backends.Builder.Dot), []array{arr([]float32{1, 2, 3, 4}, 2, 2), vec[float32](1, 1)}, vec[float32](3, 7)},
	{"dot general", backends.OpTypeDotGeneral, of2(func(b backends.Builder, l, r backends.Op) (backends.Op, error) {
		return b.DotGeneral(l, []int{-1}, []int{0}, r, []int{1}, []int{0})
	}), []array{arr([]float32{1, 2, 3, 4}, 2, 2), arr([]float32{1, 1, 2, 2}, 2, 2)}, vec[float32](3, 14)},
	{"convolution", backends.OpTypeConvGeneral, of2(func(b backends.Builder, x, k backends.Op) (backends.Op, error) {
		axes := backends.ConvolveAxesConfig{InputBatch: 0, InputSpatial: []int{1}, InputChannels: 2, KernelSpatial: []int{0},
			KernelInputChannels: 1, KernelOutputChannels: 2, OutputBatch: 0, OutputSpatial: []int{1}, OutputChannels: 2}
		return b.ConvGeneral(x, k, axes, nil, nil, nil, nil, 1, 1)
	}), []array{arr([]float32{1, 2, 3}, 1, 3, 1), arr([]float32{1, 10}, 2, 1, 1)}, arr([]float32{21, 32}, 1, 2, 1)},
	{"fft", backends.OpTypeFFT, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.FFT(x, backends.FFTForward, []int{2})
	}),
		[]array{vec[complex64](1, 2)}, vec[complex64](3, -1)},
	{"real fft", backends.OpTypeFFT, of1(func(b backends.Builder, x backends.Op) (backends.Op, error) {
		return b.FFT(x, backends.FFTForwardReal, nil)
	}),
		[]array{vec[float32](1, 2)}, vec[complex64](3, -1)},
	{"batch norm for inference", backends.OpTypeBatchNormForInference, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) {
		return b.BatchNormForInference(x[0], x[1], x[2], x[3], x[4], 0, -1)
	}), []array{arr([]float32{3, 5}, 2, 1), vec[float32](2), vec[float32](1), vec[float32](4), vec[float32](1)},
		arr([]float32{-1, 3}, 2, 1)},
	{"batch norm for training", backends.OpTypeBatchNormForTraining, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) {
		_, mean, _, err := b.BatchNormForTraining(x[0], x[1], x[2], 0, 1)
		return mean, err
	}), []array{arr([]float32{3, 5}, 2, 1), vec[float32](2), vec[float32](1)}, vec[float32](4)},
	{"batch norm gradient", backends.OpTypeBatchNormGradient, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) {
		_, _, offset, err := b.BatchNormGradient(x[0], x[1], x[2], x[3], x[4], 0, 1)
		return offset, err
	}), []array{arr([]float32{3, 5}, 2, 1), vec[float32](2), vec[float32](4), vec[float32](1), arr([]float32{1, 1}, 2, 1)},
		vec[float32](2)},
	{"random bits", backends.OpTypeRNGBitGenerator, one(func(b backends.Builder, x []backends.Op) (backends.Op, error) {
		state, bits, err := b.RNGBitGenerator(x[0], shapes.Make(dtypes.Uint32, 1))
		if err != nil {
			return nil, err
		}
		if bits, err = b.Equal(bits, bits); err != nil {
			return nil, err
		}
		if state, err = b.NotEqual(state, x[0]); err != nil {
			return nil, err
		}
		if state, err = b.ReduceLogicalOr(state); err != nil {
			return nil, err
		}
		return b.LogicalAnd(bits, state)
	}), []array{vec[uint64](1, 2, 3)}, vec(true)},
}

func TestOperationsComputeWhatGoMLXSays(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	for _, c := range operations {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			same(t, c.want, run(t, b, c.build, c.args...)[0])
		})
	}
}

// AllReduce, Parameter and Constant have tests of their own.
func TestEveryOperationOfTheCapabilitiesIsTested(t *testing.T) {
	t.Parallel()
	tested := map[backends.OpType]bool{backends.OpTypeAllReduce: true, backends.OpTypeParameter: true, backends.OpTypeConstant: true}
	for _, c := range operations {
		tested[c.op] = true
	}
	assert.Equal(t, open(t, "").Capabilities().Operations, tested)
}

func TestEveryDTypeOfTheCapabilitiesWorksOnTheDevice(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	samples := map[dtypes.DType]array{
		dtypes.Bool: vec(true), dtypes.Int8: vec[int8](-1), dtypes.Int16: vec[int16](-1), dtypes.Int32: vec[int32](-1), dtypes.Int64: vec[int64](-1),
		dtypes.Uint8: vec[uint8](1), dtypes.Uint16: vec[uint16](1), dtypes.Uint32: vec[uint32](1), dtypes.Uint64: vec[uint64](1),
		dtypes.Float16: vec(halves(1)...), dtypes.BFloat16: vec(brains(1)...), dtypes.Float32: vec[float32](1), dtypes.Float64: vec[float64](1),
		dtypes.Complex64: vec[complex64](1i), dtypes.Complex128: vec[complex128](1i),
	}
	for dtype := range b.Capabilities().DTypes {
		t.Run(dtype.String(), func(t *testing.T) {
			t.Parallel()
			sample, ok := samples[dtype]
			require.True(t, ok)
			require.Equal(t, dtype, sample.shape().DType)
			same(t, vec(true), run(t, b, of2(backends.Builder.Equal), sample, sample)[0])
		})
	}
}

func TestConstantsAreExact(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	long := func(f float32) (list []float32) {
		for i := range 100 {
			list = append(list, f*float32(i))
		}
		return list
	}
	booleans := make([]bool, 100)
	for i := range booleans {
		booleans[i] = i%3 == 0
	}
	numbers := make([]complex128, 30)
	for i := range numbers {
		numbers[i] = complex(float64(i), 1/float64(i+1))
	}
	for name, c := range map[string]array{
		"scalar":      scalar[float32](1.1),
		"short":       vec(1, nan, inf, -inf, math.SmallestNonzeroFloat32),
		"long":        arr(long(0.1), 10, 10),
		"long NaNs":   arr(long(nan), 100),
		"equal":       arr(make([]int64, 50), 5, 10),
		"bfloat16":    vec(brains(long(0.3)...)...),
		"float16":     vec(halves(long(0.3)...)...),
		"short brain": vec(brains(1, 2)...),
		"booleans":    vec(booleans...),
		"complex":     vec(numbers...),
		"empty":       arr([]float32{}, 0, 3),
		"Go's int":    vec[int64](-1, 2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flat := c.flat
			if name == "Go's int" {
				flat = []int{-1, 2}
			}
			constant := func(b backends.Builder, _ []backends.Op) (backends.Op, error) { return b.Constant(flat, c.dims...) }
			same(t, c, run(t, b, one(constant))[0])
		})
	}
}

// The slice belongs to the caller again when Constant returns.
func TestAConstantIsACopy(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	for _, n := range []int{2, 100} {
		flat := make([]int32, n)
		flat[0] = 7
		want := vec(append([]int32(nil), flat...)...)
		same(t, want, run(t, b, one(func(b backends.Builder, _ []backends.Op) (backends.Op, error) {
			c, err := b.Constant(flat, n)
			flat[0] = 8
			return c, err
		}))[0])
	}
}
