// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

type (
	unary  = func(compute.Function, compute.Value) (compute.Value, error)
	binary = func(b compute.Function, l, r compute.Value) (compute.Value, error)
)

func of1(f unary) building {
	return one(func(b compute.Function, x []compute.Value) (compute.Value, error) { return f(b, x[0]) })
}

func of2(f binary) building {
	return one(func(b compute.Function, x []compute.Value) (compute.Value, error) { return f(b, x[0], x[1]) })
}

var where = one(func(b compute.Function, x []compute.Value) (compute.Value, error) { return b.Where(x[0], x[1], x[2]) })

func converted(t dtypes.DType) building {
	return of1(func(b compute.Function, x compute.Value) (compute.Value, error) { return b.ConvertDType(x, t) })
}

// reduce calls a reduction over all axes or some.
func reduce(f func(b compute.Function, x compute.Value, axes ...int) (compute.Value, error), axes ...int) building {
	return of1(func(b compute.Function, x compute.Value) (compute.Value, error) { return f(b, x, axes...) })
}

var operations = []struct {
	name  string
	op    compute.OpType
	build building
	args  []array
	want  array
}{
	{"abs", compute.OpTypeAbs, of1(compute.Function.Abs), []array{vec[float32](-2, 3)}, vec[float32](2, 3)},
	{"abs of unsigned", compute.OpTypeAbs, of1(compute.Function.Abs), []array{vec[uint8](200, 3)}, vec[uint8](200, 3)},
	{"abs of complex", compute.OpTypeAbs, of1(compute.Function.Abs), []array{vec[complex64](3 + 4i)}, vec[float32](5)},
	{"add", compute.OpTypeAdd, of2(compute.Function.Add), []array{vec[int32](1, 2), scalar[int32](5)}, vec[int32](6, 7)},
	{"add, broadcast", compute.OpTypeAdd, of2(compute.Function.Add), []array{arr([]int32{1, 2}, 2, 1), arr([]int32{10, 20}, 1, 2)},
		arr([]int32{11, 21, 12, 22}, 2, 2)},
	{"add of float16", compute.OpTypeAdd, of2(compute.Function.Add), []array{vec(halves(1, 2)...), vec(halves(3, 4)...)}, vec(halves(4, 6)...)},
	{"add of bfloat16", compute.OpTypeAdd, of2(compute.Function.Add), []array{vec(brains(1, 2)...), vec(brains(3, 4)...)}, vec(brains(4, 6)...)},
	{"sub", compute.OpTypeSub, of2(compute.Function.Sub), []array{vec[int64](1), vec[int64](3)}, vec[int64](-2)},
	{"mul", compute.OpTypeMul, of2(compute.Function.Mul), []array{vec[complex128](2i), vec[complex128](3i)}, vec[complex128](-6)},
	{"div", compute.OpTypeDiv, of2(compute.Function.Div), []array{vec[float64](1), vec[float64](4)}, vec(0.25)},
	{"rem", compute.OpTypeRem, of2(compute.Function.Rem), []array{vec[int32](-7), vec[int32](3)}, vec[int32](-1)},
	{"pow", compute.OpTypePow, of2(compute.Function.Pow), []array{vec[float32](2), vec[float32](10)}, vec[float32](1024)},
	{"atan2", compute.OpTypeAtan2, of2(compute.Function.Atan2), []array{vec[float64](1), vec[float64](-1)}, vec(3 * math.Pi / 4)},
	{"max", compute.OpTypeMax, of2(compute.Function.Max), []array{vec[float32](1, nan), vec[float32](2, 1)}, vec(2, nan)},
	{"min", compute.OpTypeMin, of2(compute.Function.Min), []array{vec[int8](-1), vec[int8](2)}, vec[int8](-1)},
	{"bitwise and", compute.OpTypeBitwiseAnd, of2(compute.Function.BitwiseAnd), []array{vec[uint8](6), vec[uint8](3)}, vec[uint8](2)},
	{"bitwise or", compute.OpTypeBitwiseOr, of2(compute.Function.BitwiseOr), []array{vec[uint8](6), vec[uint8](3)}, vec[uint8](7)},
	{"bitwise xor", compute.OpTypeBitwiseXor, of2(compute.Function.BitwiseXor), []array{vec[uint8](6), vec[uint8](3)}, vec[uint8](5)},
	{"bitwise not", compute.OpTypeBitwiseNot, of1(compute.Function.BitwiseNot), []array{vec[int16](5)}, vec[int16](-6)},
	{"logical and", compute.OpTypeLogicalAnd, of2(compute.Function.LogicalAnd), []array{vec(true, true), vec(true, false)}, vec(true, false)},
	{"logical or", compute.OpTypeLogicalOr, of2(compute.Function.LogicalOr), []array{vec(true, false), vec(true, false)}, vec(true, false)},
	{"logical xor", compute.OpTypeLogicalXor, of2(compute.Function.LogicalXor), []array{vec(true, true), vec(true, false)}, vec(false, true)},
	{"logical not", compute.OpTypeLogicalNot, of1(compute.Function.LogicalNot), []array{vec(true, false)}, vec(false, true)},
	{"shift left", compute.OpTypeShiftLeft, of2(compute.Function.ShiftLeft), []array{vec[int8](-1), vec[int8](1)}, vec[int8](-2)},
	{"shift right, arithmetic", compute.OpTypeShiftRightArithmetic, of2(compute.Function.ShiftRightArithmetic),
		[]array{vec[int8](-2), scalar[int8](1)}, vec[int8](-1)},
	{"shift right, logical", compute.OpTypeShiftRightLogical, of2(compute.Function.ShiftRightLogical),
		[]array{vec[int8](-2), vec[int8](1)}, vec[int8](127)},
	{"bit count", compute.OpTypeBitCount, of1(compute.Function.BitCount), []array{vec[int32](7)}, vec[int32](3)},
	{"leading zeros", compute.OpTypeClz, of1(compute.Function.Clz), []array{vec[int32](1)}, vec[int32](31)},
	{"ceil", compute.OpTypeCeil, of1(compute.Function.Ceil), []array{vec[float32](1.2)}, vec[float32](2)},
	{"floor", compute.OpTypeFloor, of1(compute.Function.Floor), []array{vec[float32](1.8)}, vec[float32](1)},
	{"round", compute.OpTypeRound, of1(compute.Function.Round), []array{vec[float32](2.5, 3.5)}, vec[float32](2, 4)},
	{"cos", compute.OpTypeCos, of1(compute.Function.Cos), []array{vec[float64](1)}, vec(math.Cos(1))},
	{"sin", compute.OpTypeSin, of1(compute.Function.Sin), []array{vec[float64](1)}, vec(math.Sin(1))},
	{"tanh", compute.OpTypeTanh, of1(compute.Function.Tanh), []array{vec[float64](1)}, vec(math.Tanh(1))},
	{"erf", compute.OpTypeErf, of1(compute.Function.Erf), []array{vec[float64](0.5)}, vec(math.Erf(0.5))},
	{"exp", compute.OpTypeExp, of1(compute.Function.Exp), []array{vec[float64](1)}, vec(math.E)},
	{"expm1", compute.OpTypeExpm1, of1(compute.Function.Expm1), []array{vec[float64](1)}, vec(math.E - 1)},
	{"log", compute.OpTypeLog, of1(compute.Function.Log), []array{vec(math.E)}, vec[float64](1)},
	{"log1p", compute.OpTypeLog1p, of1(compute.Function.Log1p), []array{vec(math.E - 1)}, vec[float64](1)},
	{"logistic", compute.OpTypeLogistic, of1(compute.Function.Logistic), []array{vec[float32](0)}, vec[float32](0.5)},
	{"neg", compute.OpTypeNeg, of1(compute.Function.Neg), []array{vec[int32](3)}, vec[int32](-3)},
	{"sqrt", compute.OpTypeSqrt, of1(compute.Function.Sqrt), []array{vec[float32](9)}, vec[float32](3)},
	{"rsqrt", compute.OpTypeRsqrt, of1(compute.Function.Rsqrt), []array{vec[float32](4)}, vec[float32](0.5)},
	{"sign", compute.OpTypeSign, of1(compute.Function.Sign), []array{vec(-3, 0, nan, 2)}, vec(-1, 0, nan, 1)},
	{"sign of unsigned", compute.OpTypeSign, of1(compute.Function.Sign), []array{vec[uint16](0, 1, 9)}, vec[uint16](0, 1, 1)},
	{"is finite", compute.OpTypeIsFinite, of1(compute.Function.IsFinite), []array{vec(1, nan, inf)}, vec(true, false, false)},
	{"is NaN", compute.OpTypeIsNaN, of1(compute.Function.IsNaN), []array{vec(1, nan, inf)}, vec(false, true, false)},
	{"identity", compute.OpTypeIdentity, of1(compute.Function.Identity), []array{scalar[float32](1)}, scalar[float32](1)},
	{"equal", compute.OpTypeEqual, of2(compute.Function.Equal), []array{vec(1, nan), vec(1, nan)}, vec(true, false)},
	{"equal booleans", compute.OpTypeEqual, of2(compute.Function.Equal), []array{vec(true, false), scalar(true)}, vec(true, false)},
	{"equal complex", compute.OpTypeEqual, of2(compute.Function.Equal), []array{vec[complex64](1i), vec[complex64](1i)}, vec(true)},
	{"not equal", compute.OpTypeNotEqual, of2(compute.Function.NotEqual), []array{vec(1, nan), vec(1, nan)}, vec(false, true)},
	{"greater", compute.OpTypeGreaterThan, of2(compute.Function.GreaterThan), []array{vec[uint8](200, 1), vec[uint8](100, 1)}, vec(true, false)},
	{"greater or equal", compute.OpTypeGreaterOrEqual, of2(compute.Function.GreaterOrEqual), []array{vec[int8](-1, 1), vec[int8](1, 1)},
		vec(false, true)},
	{"less", compute.OpTypeLessThan, of2(compute.Function.LessThan), []array{vec[int8](-1, 1), vec[int8](1, 1)}, vec(true, false)},
	{"less or equal", compute.OpTypeLessOrEqual, of2(compute.Function.LessOrEqual), []array{vec[int8](2, 1), vec[int8](1, 1)}, vec(false, true)},
	{"equal in total order", compute.OpTypeEqualTotalOrder, of2(compute.Function.EqualTotalOrder), []array{vec(1, nan), vec(1, nan)},
		vec(true, true)},
	{"not equal in total order", compute.OpTypeNotEqualTotalOrder, of2(compute.Function.NotEqualTotalOrder), []array{vec(1, nan), vec(2, nan)},
		vec(true, false)},
	{"greater in total order", compute.OpTypeGreaterThanTotalOrder, of2(compute.Function.GreaterThanTotalOrder), []array{vec(nan), vec(inf)},
		vec(true)},
	{"greater or equal in total order", compute.OpTypeGreaterOrEqualTotalOrder, of2(compute.Function.GreaterOrEqualTotalOrder),
		[]array{vec(nan), vec(nan)}, vec(true)},
	{"less in total order", compute.OpTypeLessThanTotalOrder, of2(compute.Function.LessThanTotalOrder), []array{vec(inf), vec(nan)}, vec(true)},
	{"less or equal in total order", compute.OpTypeLessOrEqualTotalOrder, of2(compute.Function.LessOrEqualTotalOrder),
		[]array{vec[int32](1), vec[int32](1)}, vec(true)},
	{"complex", compute.OpTypeComplex, of2(compute.Function.Complex), []array{vec[float32](1, 2), scalar[float32](3)}, vec[complex64](1+3i, 2+3i)},
	{"conj", compute.OpTypeConj, of1(compute.Function.Conj), []array{vec[complex64](1 + 3i)}, vec[complex64](1 - 3i)},
	{"conj of a float", compute.OpTypeConj, of1(compute.Function.Conj), []array{vec[float32](1)}, vec[float32](1)},
	{"real", compute.OpTypeReal, of1(compute.Function.Real), []array{vec[complex128](1 + 3i)}, vec[float64](1)},
	{"real of a float", compute.OpTypeReal, of1(compute.Function.Real), []array{vec[float32](2)}, vec[float32](2)},
	{"imag", compute.OpTypeImag, of1(compute.Function.Imag), []array{vec[complex128](1 + 3i)}, vec[float64](3)},
	{"imag of a float", compute.OpTypeImag, of1(compute.Function.Imag), []array{arr([]float32{2, 3}, 2, 1)}, arr([]float32{0, 0}, 2, 1)},
	{"clamp", compute.OpTypeClamp, one(func(b compute.Function, x []compute.Value) (compute.Value, error) { return b.Clamp(x[0], x[1], x[2]) }),
		[]array{scalar[float32](0), vec[float32](-1, 0.5, 2), scalar[float32](1)}, vec[float32](0, 0.5, 1)},
	{"where", compute.OpTypeWhere, where,
		[]array{vec(true, false), scalar[int32](1), vec[int32](2, 3)}, vec[int32](1, 3)},
	{"where of scalars", compute.OpTypeWhere, where,
		[]array{vec(true, false), scalar[int32](1), scalar[int32](2)}, vec[int32](1, 2)},
	{"where of one condition", compute.OpTypeWhere, where,
		[]array{scalar(false), vec[int32](1, 2), scalar[int32](3)}, vec[int32](3, 3)},
	{"convert", compute.OpTypeConvertDType, converted(dtypes.Int32),
		[]array{vec[float32](1.9, -1.9)}, vec[int32](1, -1)},
	{"convert through a packed dtype", compute.OpTypeConvertDType, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		packed, err := b.ConvertDType(x, dtypes.Int4)
		if err != nil {
			return nil, err
		}
		return b.ConvertDType(packed, dtypes.Int32)
	}), []array{vec[int32](-3, 7)}, vec[int32](-3, 7)},
	{"convert to bool", compute.OpTypeConvertDType, converted(dtypes.Bool),
		[]array{vec[float32](0, 2)}, vec(false, true)},
	{"bitcast", compute.OpTypeBitcast, of1(func(b compute.Function, x compute.Value) (compute.Value, error) { return b.Bitcast(x, dtypes.Uint16) }),
		[]array{vec[uint32](0xdeadbeef)}, arr([]uint16{0xbeef, 0xdead}, 1, 2)},
	{"broadcast in dim", compute.OpTypeBroadcastInDim, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.BroadcastInDim(x, shapes.Make(dtypes.Int32, 2, 2), []int{0})
	}), []array{vec[int32](1, 2)}, arr([]int32{1, 1, 2, 2}, 2, 2)},
	{"iota", compute.OpTypeIota, one(func(b compute.Function, _ []compute.Value) (compute.Value, error) {
		return b.Iota(shapes.Make(dtypes.Int32, 2, 2), 1)
	}), nil, arr([]int32{0, 1, 0, 1}, 2, 2)},
	{"reshape", compute.OpTypeReshape, of1(func(b compute.Function, x compute.Value) (compute.Value, error) { return b.Reshape(x, 2, 1) }),
		[]array{vec[int32](1, 2)}, arr([]int32{1, 2}, 2, 1)},
	{"transpose", compute.OpTypeTranspose, of1(func(b compute.Function, x compute.Value) (compute.Value, error) { return b.Transpose(x, 1, 0) }),
		[]array{arr([]int32{1, 2, 3, 4}, 2, 2)}, arr([]int32{1, 3, 2, 4}, 2, 2)},
	{"reverse", compute.OpTypeReverse, of1(func(b compute.Function, x compute.Value) (compute.Value, error) { return b.Reverse(x, -1) }),
		[]array{arr([]int32{1, 2, 3, 4}, 2, 2)}, arr([]int32{2, 1, 4, 3}, 2, 2)},
	{"concatenate", compute.OpTypeConcatenate, of2(func(b compute.Function, l, r compute.Value) (compute.Value, error) {
		return b.Concatenate(0, l, r)
	}),
		[]array{vec[int32](1), vec[int32](2, 3)}, vec[int32](1, 2, 3)},
	{"pad", compute.OpTypePad, of2(func(b compute.Function, x, fill compute.Value) (compute.Value, error) {
		return b.Pad(x, fill, compute.PadAxis{Start: 1, End: 2, Interior: 1})
	}), []array{vec[int32](1, 2), scalar[int32](9)}, vec[int32](9, 1, 9, 2, 9, 9)},
	{"slice", compute.OpTypeSlice, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.Slice(x, []int{1}, []int{4}, []int{2})
	}),
		[]array{vec[int32](0, 1, 2, 3)}, vec[int32](1, 3)},
	{"sums up to each element", compute.OpTypeCumSum, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.CumSum(x, 1, compute.CumSumOptions{})
	}), []array{arr([]int32{1, 2, 3, 4, 5, 6}, 2, 3)}, arr([]int32{1, 3, 6, 4, 9, 15}, 2, 3)},
	{"sums before each element", compute.OpTypeCumSum, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.CumSum(x, 0, compute.CumSumOptions{Exclusive: true})
	}), []array{vec(1, 2, inf)}, vec[float32](0, 1, 3)},
	{"sums from each element", compute.OpTypeCumSum, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.CumSum(x, 0, compute.CumSumOptions{Reverse: true})
	}), []array{vec[float32](1, 2, 4)}, vec[float32](7, 6, 4)},
	{"sums after each element", compute.OpTypeCumSum, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.CumSum(x, 0, compute.CumSumOptions{Exclusive: true, Reverse: true})
	}), []array{vec[float32](1, 2, 4)}, vec[float32](6, 4, 0)},
	{"sums of nothing", compute.OpTypeCumSum, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.CumSum(x, 0, compute.CumSumOptions{Exclusive: true})
	}), []array{arr([]float32{}, 0, 2)}, arr([]float32{}, 0, 2)},
	{"dynamic slice", compute.OpTypeDynamicSlice, of2(func(b compute.Function, x, i compute.Value) (compute.Value, error) {
		return b.DynamicSlice(x, []compute.Value{i}, []int{2})
	}), []array{vec[int32](0, 1, 2, 3), scalar[int32](9)}, vec[int32](2, 3)},
	{"dynamic slice at a vector", compute.OpTypeDynamicSlice, of2(func(b compute.Function, x, i compute.Value) (compute.Value, error) {
		return b.DynamicSlice(x, []compute.Value{i}, []int{1, 1})
	}), []array{arr([]int32{0, 1, 2, 3}, 2, 2), vec[int32](1, 0)}, arr([]int32{2}, 1, 1)},
	{"dynamic update slice", compute.OpTypeDynamicUpdateSlice, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		return b.DynamicUpdateSlice(x[0], x[1], x[2:])
	}), []array{vec[int32](0, 1, 2), vec[int32](9), scalar[int32](1)}, vec[int32](0, 9, 2)},
	{"gather", compute.OpTypeGather, of2(func(b compute.Function, x, i compute.Value) (compute.Value, error) {
		return b.Gather(x, i, 1, []int{1}, []int{0}, []int{0}, []int{1, 2}, false)
	}), []array{arr([]int32{0, 1, 2, 3, 4, 5}, 3, 2), arr([]int32{2, 0}, 2, 1)}, arr([]int32{4, 5, 0, 1}, 2, 2)},
	{"scatter sum", compute.OpTypeScatterSum, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		return b.ScatterSum(x[0], x[1], x[2], 1, nil, []int{0}, []int{0}, false, false)
	}), []array{vec[float32](1, 2, 3), arr([]int32{2, 2}, 2, 1), vec[float32](10, 20)}, vec[float32](1, 2, 33)},
	{"scatter max", compute.OpTypeScatterMax, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		return b.ScatterMax(x[0], x[1], x[2], 1, nil, []int{0}, []int{0}, false, false)
	}), []array{vec[float32](1, 2, 3), arr([]int32{2, 0}, 2, 1), vec[float32](10, 0)}, vec[float32](1, 2, 10)},
	{"scatter min", compute.OpTypeScatterMin, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		return b.ScatterMin(x[0], x[1], x[2], 1, nil, []int{0}, []int{0}, false, false)
	}), []array{vec[float32](1, 2, 3), arr([]int32{2, 0}, 2, 1), vec[float32](10, 0)}, vec[float32](0, 2, 3)},
	{"reduce sum", compute.OpTypeReduceSum, reduce(compute.Function.ReduceSum, 0), []array{arr([]float32{1, 2, 3, 4}, 2, 2)}, vec[float32](4, 6)},
	{"reduce sum of all", compute.OpTypeReduceSum, reduce(compute.Function.ReduceSum), []array{arr([]uint8{1, 2, 3, 4}, 2, 2)}, scalar[uint8](10)},
	{"reduce sum of complex", compute.OpTypeReduceSum, reduce(compute.Function.ReduceSum), []array{vec[complex64](1, 2i)}, scalar[complex64](1 + 2i)},
	{"reduce product", compute.OpTypeReduceProduct, reduce(compute.Function.ReduceProduct, -1), []array{arr([]int32{1, 2, 3, 4}, 2, 2)}, vec[int32](2, 12)},
	{"reduce max", compute.OpTypeReduceMax, reduce(compute.Function.ReduceMax), []array{vec(brains(-3, -2)...)}, scalar(brains(-2)[0])},
	{"reduce max of half", compute.OpTypeReduceMax, reduce(compute.Function.ReduceMax), []array{vec(halves(-3, -2)...)}, scalar(halves(-2)[0])},
	{"reduce max of integers", compute.OpTypeReduceMax, reduce(compute.Function.ReduceMax), []array{vec[int64](-3, -2)}, scalar[int64](-2)},
	{"reduce min", compute.OpTypeReduceMin, reduce(compute.Function.ReduceMin), []array{vec[uint64](3, 2)}, scalar[uint64](2)},
	{"reduce bitwise and", compute.OpTypeReduceBitwiseAnd, reduce(compute.Function.ReduceBitwiseAnd), []array{vec[int8](6, 3)}, scalar[int8](2)},
	{"reduce bitwise and of unsigned", compute.OpTypeReduceBitwiseAnd, reduce(compute.Function.ReduceBitwiseAnd), []array{vec[uint32](6, 3)},
		scalar[uint32](2)},
	{"reduce bitwise or", compute.OpTypeReduceBitwiseOr, reduce(compute.Function.ReduceBitwiseOr), []array{vec[int8](6, 3)}, scalar[int8](7)},
	{"reduce bitwise xor", compute.OpTypeReduceBitwiseXor, reduce(compute.Function.ReduceBitwiseXor), []array{vec[int8](6, 3)}, scalar[int8](5)},
	{"reduce logical and", compute.OpTypeReduceLogicalAnd, reduce(compute.Function.ReduceLogicalAnd), []array{vec(true, true)}, scalar(true)},
	{"reduce logical or", compute.OpTypeReduceLogicalOr, reduce(compute.Function.ReduceLogicalOr), []array{vec(false, true)}, scalar(true)},
	{"reduce logical xor", compute.OpTypeReduceLogicalXor, reduce(compute.Function.ReduceLogicalXor), []array{vec(true, true)}, scalar(false)},
	{"arg max", compute.OpTypeArgMinMax, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.ArgMinMax(x, 1, dtypes.Int32, false)
	}),
		[]array{arr([]float32{2, 0, 7, -3, 4, 4}, 2, 3)}, vec[int32](2, 1)},
	{"arg min", compute.OpTypeArgMinMax, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.ArgMinMax(x, 1, dtypes.Uint8, true)
	}),
		[]array{arr([]int32{2, 0, 7, -3, 4, -3}, 2, 3)}, vec[uint8](1, 0)},
	{"arg max of NaN", compute.OpTypeArgMinMax, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.ArgMinMax(x, -1, dtypes.Int64, false)
	}),
		[]array{vec(1, nan, nan, inf)}, scalar[int64](1)},
	{"reduce window", compute.OpTypeReduceWindow, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.ReduceWindow(x, compute.ReduceOpSum, []int{2}, []int{1}, nil, nil, [][2]int{{1, 0}})
	}), []array{vec[float32](1, 2, 3)}, vec[float32](1, 3, 5)},
	{"reduce window, dilated", compute.OpTypeReduceWindow, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.ReduceWindow(x, compute.ReduceOpSum, []int{2}, []int{1}, []int{2}, []int{3}, nil)
	}), []array{vec[float32](1, 2, 3, 4)}, vec[float32](1, 3, 2, 4)},
	{"select and scatter max", compute.OpTypeSelectAndScatterMax, of2(func(b compute.Function, x, s compute.Value) (compute.Value, error) {
		return b.SelectAndScatterMax(x, s, []int{2}, nil, nil)
	}), []array{vec[float32](1, 5, 4, 2), vec[float32](10, 20)}, vec[float32](0, 10, 20, 0)},
	{"select and scatter min", compute.OpTypeSelectAndScatterMin, of2(func(b compute.Function, x, s compute.Value) (compute.Value, error) {
		return b.SelectAndScatterMin(x, s, []int{2}, []int{2}, nil)
	}), []array{vec[float32](1, 5, 4, 2), vec[float32](10, 20)}, vec[float32](10, 0, 0, 20)},
	{"dot general", compute.OpTypeDotGeneral, of2(func(b compute.Function, l, r compute.Value) (compute.Value, error) {
		return b.DotGeneral(l, []int{-1}, []int{0}, r, []int{1}, []int{0}, compute.DotGeneralConfig{})
	}), []array{arr([]float32{1, 2, 3, 4}, 2, 2), arr([]float32{1, 1, 2, 2}, 2, 2)}, vec[float32](3, 14)},
	{"dot general, summed and returned as others", compute.OpTypeDotGeneral, of2(func(b compute.Function, l, r compute.Value) (compute.Value, error) {
		return b.DotGeneral(l, []int{0}, nil, r, []int{0}, nil,
			compute.DotGeneralConfig{AccumulatorDType: dtypes.Int32, OutputDType: dtypes.Float32})
	}), []array{vec[int8](100, 100), vec[int8](100, 100)}, scalar[float32](20000)},
	{"convolution", compute.OpTypeConvGeneral, of2(func(b compute.Function, x, k compute.Value) (compute.Value, error) {
		axes := compute.ConvolveAxesConfig{InputBatch: 0, InputSpatial: []int{1}, InputChannels: 2, KernelSpatial: []int{0},
			KernelInputChannels: 1, KernelOutputChannels: 2, OutputBatch: 0, OutputSpatial: []int{1}, OutputChannels: 2}
		return b.ConvGeneral(x, k, axes, nil, nil, nil, nil, 1, 1)
	}), []array{arr([]float32{1, 2, 3}, 1, 3, 1), arr([]float32{1, 10}, 2, 1, 1)}, arr([]float32{21, 32}, 1, 2, 1)},
	{"fft", compute.OpTypeFFT, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.FFT(x, compute.FFTForward, []int{2})
	}),
		[]array{vec[complex64](1, 2)}, vec[complex64](3, -1)},
	{"real fft", compute.OpTypeFFT, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.FFT(x, compute.FFTForwardReal, nil)
	}),
		[]array{vec[float32](1, 2)}, vec[complex64](3, -1)},
	{"batch norm for inference", compute.OpTypeBatchNormForInference, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		return b.BatchNormForInference(x[0], x[1], x[2], x[3], x[4], 0, -1)
	}), []array{arr([]float32{3, 5}, 2, 1), vec[float32](2), vec[float32](1), vec[float32](4), vec[float32](1)},
		arr([]float32{-1, 3}, 2, 1)},
	{"batch norm for training", compute.OpTypeBatchNormForTraining, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		_, mean, _, err := b.BatchNormForTraining(x[0], x[1], x[2], 0, 1)
		return mean, err
	}), []array{arr([]float32{3, 5}, 2, 1), vec[float32](2), vec[float32](1)}, vec[float32](4)},
	{"batch norm gradient", compute.OpTypeBatchNormGradient, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		_, _, offset, err := b.BatchNormGradient(x[0], x[1], x[2], x[3], x[4], 0, 1)
		return offset, err
	}), []array{arr([]float32{3, 5}, 2, 1), vec[float32](2), vec[float32](4), vec[float32](1), arr([]float32{1, 1}, 2, 1)},
		vec[float32](2)},
	{"fused softmax", compute.OpTypeFusedSoftmax, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.FusedSoftmax(x, 0)
	}), []array{vec[float64](1000, 1000+math.Log(3))}, vec(0.25, 0.75)},
	{"fused gelu", compute.OpTypeFusedGelu, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.FusedGelu(x, true)
	}), []array{vec[float32](-2, 0, 1)}, vec[float32](-0.0455003, 0, 0.8413447)},
	{"fused gelu, approximate", compute.OpTypeFusedGelu, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
		return b.FusedGelu(x, false)
	}), []array{vec[float32](-2, 0, 1)}, vec[float32](-0.0454023, 0, 0.8411920)},
	{"fused layer norm", compute.OpTypeFusedLayerNorm, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		return b.FusedLayerNorm(x[0], []int{-1}, 0, x[1], x[2])
	}), []array{arr([]float32{3, 5, -2, 2}, 2, 2), vec[float32](2, 3), vec[float32](10, 20)}, arr([]float32{8, 23, 8, 23}, 2, 2)},
	{"fused projection", compute.OpTypeFusedAttentionQKVProjection, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		_, _, v, err := b.FusedAttentionQKVProjection(x[0], x[1], nil, nil, x[2], 2, 1)
		return v, err
	}), []array{arr([]float32{1, 2}, 1, 2), arr([]float32{1, 0, 0, 3, 0, 1, 0, 4}, 2, 4), vec[float32](100)}, arr([]float32{111}, 1, 1)},
	{"optimization barrier", compute.OpTypeOptimizationBarrier, of2(func(b compute.Function, l, r compute.Value) (compute.Value, error) {
		list, err := b.OptimizationBarrier(l, r)
		if err != nil {
			return nil, err
		}
		return b.Sub(list[0], list[1])
	}), []array{vec[int32](5), vec[int32](3)}, vec[int32](2)},
	{"scheduling barrier", compute.OpTypeSchedulingBarrier, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
		return b.SchedulingBarrier(x[0], x[1:]...)
	}), []array{vec[int8](5, 6), vec(nan, 1), scalar(false), arr([]complex64{}, 0), vec[complex128](1i)}, vec[int8](5, 6)},
	{"random bits", compute.OpTypeRNGBitGenerator, one(func(b compute.Function, x []compute.Value) (compute.Value, error) {
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

// AllReduce, Parameter and Constant have tests of their own, as have operations that take
// functions.
func TestEveryOperationOfTheCapabilitiesIsTested(t *testing.T) {
	t.Parallel()
	tested := map[compute.OpType]bool{compute.OpTypeAllReduce: true, compute.OpTypeParameter: true, compute.OpTypeConstant: true,
		compute.OpTypeCall: true, compute.OpTypeSort: true, compute.OpTypeWhile: true, compute.OpTypeIf: true,
		compute.OpTypeDynamicDimensionSize: true, compute.OpTypeDynamicShape: true, compute.OpTypeDynamicReshape: true,
		compute.OpTypeDynamicBroadcastInDim: true, compute.OpTypeDynamicIota: true, compute.OpTypeDynamicPad: true,
		compute.OpTypeFusedScaledDotProductAttention: true, compute.OpTypeFusedScaledDotProductAttentionVJP: true}
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
			same(t, vec(true), run(t, b, of2(compute.Function.Equal), sample, sample)[0])
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
		"short c64":   vec(complex(1, nan), complex(inf, 0), complex(0.1, -inf)),
		"short c128":  vec(complex(math.Inf(1), 0.1), complex(0, math.NaN())),
		"scalar c64":  scalar(complex(inf, -1.5)),
		"equal c64":   vec(complex(nan, 1), complex(nan, 1)),
		"empty":       arr([]float32{}, 0, 3),
		"Go's int":    vec[int64](-1, 2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flat := c.flat
			if name == "Go's int" {
				flat = []int{-1, 2}
			}
			constant := func(b compute.Function, _ []compute.Value) (compute.Value, error) { return b.Constant(flat, c.dims...) }
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
		same(t, want, run(t, b, one(func(b compute.Function, _ []compute.Value) (compute.Value, error) {
			c, err := b.Constant(flat, n)
			flat[0] = 8
			return c, err
		}))[0])
	}
}
