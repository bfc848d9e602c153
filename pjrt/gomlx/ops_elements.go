// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"github.com/gomlx/go-xla/pkg/stablehlo"
	"github.com/gomlx/go-xla/pkg/types"
	xlatypes "github.com/gomlx/go-xla/pkg/types/dtypes"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/shapeinference"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

type (
	unaryFunc  = func(x *stablehlo.Value) (*stablehlo.Value, error)
	binaryFunc = func(lhs, rhs *stablehlo.Value) (*stablehlo.Value, error)
)

// unary adds an operation on each element of x.
func (b *Builder) unary(op backends.OpType, f unaryFunc, x backends.Op) (backends.Op, error) {
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	if _, err := shapeinference.UnaryOp(op, nodes[0].shape); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := f(nodes[0].value)
	return b.result(op, v, err)
}

// binary adds an operation on the elements of lhs and rhs, broadcast to a common shape.
func (b *Builder) binary(op backends.OpType, f binaryFunc, lhs, rhs backends.Op) (backends.Op, error) {
	nodes, err := b.nodes(op, lhs, rhs)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.BinaryOp(op, nodes[0].shape, nodes[1].shape)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	l, r, err := b.broadcast(nodes, shape.Dimensions)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := f(l, r)
	return b.result(op, v, err)
}

// broadcast returns both values with the dimensions dims.
func (b *Builder) broadcast(nodes []*node, dims []int) (l, r *stablehlo.Value, err error) {
	if l, err = b.broadcastTo(nodes[0], dims); err != nil {
		return nil, nil, err
	}
	if r, err = b.broadcastTo(nodes[1], dims); err != nil {
		return nil, nil, err
	}
	return l, r, nil
}

// broadcastTo returns a scalar, or a value with as many dimensions, broadcast to dims.
func (b *Builder) broadcastTo(n *node, dims []int) (*stablehlo.Value, error) {
	target := shapes.Make(n.shape.DType, dims...)
	if n.shape.Equal(target) {
		return n.value, nil
	}
	var axes []int
	for axis := range n.shape.Rank() {
		axes = append(axes, axis)
	}
	return stablehlo.BroadcastInDim(n.value, xlaShape(target), axes)
}

// Add adds lhs + rhs.
func (b *Builder) Add(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeAdd, stablehlo.Add, lhs, rhs)
}

// Sub adds lhs - rhs.
func (b *Builder) Sub(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeSub, stablehlo.Subtract, lhs, rhs)
}

// Mul adds lhs · rhs.
func (b *Builder) Mul(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeMul, stablehlo.Multiply, lhs, rhs)
}

// Div adds lhs / rhs.
func (b *Builder) Div(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeDiv, stablehlo.Divide, lhs, rhs)
}

// Rem adds the remainder of lhs / rhs, with the sign of lhs.
func (b *Builder) Rem(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeRem, stablehlo.Remainder, lhs, rhs)
}

// Pow adds lhs to the power of rhs.
func (b *Builder) Pow(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypePow, stablehlo.Power, lhs, rhs)
}

// Max adds the larger of the two elements.
func (b *Builder) Max(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeMax, stablehlo.Maximum, lhs, rhs)
}

// Min adds the smaller of the two elements.
func (b *Builder) Min(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeMin, stablehlo.Minimum, lhs, rhs)
}

// BitwiseAnd adds the conjunction of the bits.
func (b *Builder) BitwiseAnd(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeBitwiseAnd, stablehlo.And, lhs, rhs)
}

// BitwiseOr adds the disjunction of the bits.
func (b *Builder) BitwiseOr(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeBitwiseOr, stablehlo.Or, lhs, rhs)
}

// BitwiseXor adds the exclusive disjunction of the bits.
func (b *Builder) BitwiseXor(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeBitwiseXor, stablehlo.Xor, lhs, rhs)
}

// LogicalAnd adds the conjunction of booleans.
func (b *Builder) LogicalAnd(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeLogicalAnd, stablehlo.And, lhs, rhs)
}

// LogicalOr adds the disjunction of booleans.
func (b *Builder) LogicalOr(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeLogicalOr, stablehlo.Or, lhs, rhs)
}

// LogicalXor adds the exclusive disjunction of booleans.
func (b *Builder) LogicalXor(lhs, rhs backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeLogicalXor, stablehlo.Xor, lhs, rhs)
}

// ShiftLeft adds lhs shifted to the left by rhs bits.
func (b *Builder) ShiftLeft(lhs, rhs backends.Op) (backends.Op, error) {
	return b.shift(backends.OpTypeShiftLeft, stablehlo.ShiftLeft, lhs, rhs)
}

// ShiftRightArithmetic adds lhs shifted to the right by rhs bits, with copies of the sign.
func (b *Builder) ShiftRightArithmetic(lhs, rhs backends.Op) (backends.Op, error) {
	return b.shift(backends.OpTypeShiftRightArithmetic, stablehlo.ShiftRightArithmetic, lhs, rhs)
}

// ShiftRightLogical adds lhs shifted to the right by rhs bits, with zeros.
func (b *Builder) ShiftRightLogical(lhs, rhs backends.Op) (backends.Op, error) {
	return b.shift(backends.OpTypeShiftRightLogical, stablehlo.ShiftRightLogical, lhs, rhs)
}

// shift is binary for shifts, which GoMLX's shape rules leave out: the same rules apply
// as to other operations on bits.
func (b *Builder) shift(op backends.OpType, f binaryFunc, lhs, rhs backends.Op) (backends.Op, error) {
	nodes, err := b.nodes(op, lhs, rhs)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.BinaryOp(backends.OpTypeBitwiseAnd, nodes[0].shape, nodes[1].shape)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	l, r, err := b.broadcast(nodes, shape.Dimensions)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := f(l, r)
	return b.result(op, v, err)
}

// BitwiseNot adds the complement of the bits.
func (b *Builder) BitwiseNot(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeBitwiseNot, stablehlo.Not, x)
}

// LogicalNot adds the negation of booleans.
func (b *Builder) LogicalNot(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeLogicalNot, stablehlo.Not, x)
}

// BitCount adds the number of bits that are set.
func (b *Builder) BitCount(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeBitCount, stablehlo.Popcnt, x)
}

// Clz adds the number of leading bits that are not set.
func (b *Builder) Clz(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeClz, stablehlo.CountLeadingZeros, x)
}

// Ceil adds the smallest integer that is not less than x.
func (b *Builder) Ceil(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeCeil, stablehlo.Ceil, x)
}

// Floor adds the largest integer that is not greater than x.
func (b *Builder) Floor(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeFloor, stablehlo.Floor, x)
}

// Round adds the nearest integer; of two, the even one.
func (b *Builder) Round(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeRound, stablehlo.RoundNearestEven, x)
}

// Cos adds the cosine.
func (b *Builder) Cos(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeCos, stablehlo.Cosine, x)
}

// Sin adds the sine.
func (b *Builder) Sin(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeSin, stablehlo.Sine, x)
}

// Tanh adds the hyperbolic tangent.
func (b *Builder) Tanh(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeTanh, stablehlo.Tanh, x)
}

// Erf adds the error function.
func (b *Builder) Erf(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeErf, stablehlo.Erf, x)
}

// Exp adds the exponential.
func (b *Builder) Exp(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeExp, stablehlo.Exponential, x)
}

// Expm1 adds the exponential minus 1.
func (b *Builder) Expm1(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeExpm1, stablehlo.ExponentialMinusOne, x)
}

// Log adds the natural logarithm.
func (b *Builder) Log(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeLog, stablehlo.Log, x)
}

// Log1p adds the natural logarithm of x + 1.
func (b *Builder) Log1p(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeLog1p, stablehlo.LogPlusOne, x)
}

// Logistic adds 1 / (1 + exp(-x)).
func (b *Builder) Logistic(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeLogistic, stablehlo.Logistic, x)
}

// Neg adds -x.
func (b *Builder) Neg(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeNeg, stablehlo.Negate, x)
}

// Sqrt adds the square root.
func (b *Builder) Sqrt(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeSqrt, stablehlo.Sqrt, x)
}

// Rsqrt adds 1 / sqrt(x).
func (b *Builder) Rsqrt(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeRsqrt, stablehlo.Rsqrt, x)
}

// Abs adds the absolute value, which is real for a complex number.
func (b *Builder) Abs(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeAbs, func(v *stablehlo.Value) (*stablehlo.Value, error) {
		if v.Shape().DType.IsUnsigned() {
			return v, nil // StableHLO has no absolute value of unsigned integers
		}
		return stablehlo.Abs(v)
	}, x)
}

// Sign adds 1, 0 or -1 with the sign of x, or NaN for NaN.
func (b *Builder) Sign(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeSign, func(v *stablehlo.Value) (*stablehlo.Value, error) {
		if !v.Shape().DType.IsUnsigned() {
			return stablehlo.Sign(v)
		}
		// StableHLO has no sign of unsigned integers.
		one, err := b.filled(dtypeValue(dtypes.DType(v.Shape().DType), 1), v.Shape())
		if err != nil {
			return nil, err
		}
		return stablehlo.Minimum(v, one)
	}, x)
}

// IsFinite adds whether an element is neither infinite nor NaN.
func (b *Builder) IsFinite(x backends.Op) (backends.Op, error) {
	nodes, err := b.nodes(backends.OpTypeIsFinite, x)
	if err != nil {
		return nil, err
	}
	if !nodes[0].shape.DType.IsFloat() {
		return nil, errorf("%s is for floats, not for %s", backends.OpTypeIsFinite, nodes[0].shape)
	}
	v, err := stablehlo.IsFinite(nodes[0].value)
	return b.result(backends.OpTypeIsFinite, v, err)
}

// IsNaN adds whether an element is NaN.
func (b *Builder) IsNaN(x backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeIsNaN, types.CompareNE, false, x, x)
}

// Identity returns x.
func (b *Builder) Identity(x backends.Op) (backends.Op, error) {
	nodes, err := b.nodes(backends.OpTypeIdentity, x)
	if err != nil {
		return nil, err
	}
	return nodes[0], nil
}

// comparison adds a comparison of lhs and rhs, broadcast to a common shape.
func (b *Builder) comparison(op backends.OpType, direction types.ComparisonDirection, total bool, lhs, rhs backends.Op) (
	backends.Op, error) {
	nodes, err := b.nodes(op, lhs, rhs)
	if err != nil {
		return nil, err
	}
	// The shape rules are the same for all comparisons; GoMLX's leave one out.
	shape, err := shapeinference.ComparisonOp(backends.OpTypeEqual, nodes[0].shape, nodes[1].shape)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	l, r, err := b.broadcast(nodes, shape.Dimensions)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.Compare(l, r, direction, comparisonType(nodes[0].shape.DType, total))
	return b.result(op, v, err)
}

// comparisonType says how StableHLO compares elements. Only floats have two orders.
func comparisonType(t dtypes.DType, total bool) types.ComparisonType {
	switch {
	case t.IsFloat() && total:
		return types.CompareTotalOrder
	case t.IsFloat() || t.IsComplex():
		return types.CompareFloat
	case t.IsUnsigned() || t == dtypes.Bool:
		return types.CompareUnsigned
	}
	return types.CompareSigned
}

// Equal adds lhs == rhs.
func (b *Builder) Equal(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeEqual, types.CompareEQ, false, lhs, rhs)
}

// NotEqual adds lhs != rhs.
func (b *Builder) NotEqual(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeNotEqual, types.CompareNE, false, lhs, rhs)
}

// GreaterThan adds lhs > rhs.
func (b *Builder) GreaterThan(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeGreaterThan, types.CompareGT, false, lhs, rhs)
}

// GreaterOrEqual adds lhs >= rhs.
func (b *Builder) GreaterOrEqual(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeGreaterOrEqual, types.CompareGE, false, lhs, rhs)
}

// LessThan adds lhs < rhs.
func (b *Builder) LessThan(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeLessThan, types.CompareLT, false, lhs, rhs)
}

// LessOrEqual adds lhs <= rhs.
func (b *Builder) LessOrEqual(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeLessOrEqual, types.CompareLE, false, lhs, rhs)
}

// EqualTotalOrder is Equal in the total order of floats.
func (b *Builder) EqualTotalOrder(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeEqualTotalOrder, types.CompareEQ, true, lhs, rhs)
}

// NotEqualTotalOrder is NotEqual in the total order of floats.
func (b *Builder) NotEqualTotalOrder(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeNotEqualTotalOrder, types.CompareNE, true, lhs, rhs)
}

// GreaterThanTotalOrder is GreaterThan in the total order of floats.
func (b *Builder) GreaterThanTotalOrder(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeGreaterThanTotalOrder, types.CompareGT, true, lhs, rhs)
}

// GreaterOrEqualTotalOrder is GreaterOrEqual in the total order of floats.
func (b *Builder) GreaterOrEqualTotalOrder(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeGreaterOrEqualTotalOrder, types.CompareGE, true, lhs, rhs)
}

// LessThanTotalOrder is LessThan in the total order of floats.
func (b *Builder) LessThanTotalOrder(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeLessThanTotalOrder, types.CompareLT, true, lhs, rhs)
}

// LessOrEqualTotalOrder is LessOrEqual in the total order of floats.
func (b *Builder) LessOrEqualTotalOrder(lhs, rhs backends.Op) (backends.Op, error) {
	return b.comparison(backends.OpTypeLessOrEqualTotalOrder, types.CompareLE, true, lhs, rhs)
}

// Clamp adds x, but not less than lower and not more than upper, which are scalars or have
// the shape of x.
func (b *Builder) Clamp(lower, x, upper backends.Op) (backends.Op, error) {
	nodes, err := b.nodes(backends.OpTypeClamp, lower, x, upper)
	if err != nil {
		return nil, err
	}
	v, err := stablehlo.Clamp(nodes[0].value, nodes[1].value, nodes[2].value)
	return b.result(backends.OpTypeClamp, v, err)
}

// Where adds the elements of onTrue where condition is true, and those of onFalse where it
// is not. Each of them may be a scalar.
func (b *Builder) Where(condition, onTrue, onFalse backends.Op) (backends.Op, error) {
	const op = backends.OpTypeWhere
	nodes, err := b.nodes(op, condition, onTrue, onFalse)
	if err != nil {
		return nil, err
	}
	if t, f := nodes[1].shape.DType, nodes[2].shape.DType; t != f {
		return nil, errorf("%s: the dtypes %s and %s differ", op, t, f)
	}
	shape, err := shapeinference.WhereOp(nodes[0].shape, nodes[1].shape, nodes[2].shape)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	t, f, err := b.broadcast(nodes[1:], shape.Dimensions)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.Select(nodes[0].value, t, f)
	return b.result(op, v, err)
}

// ConvertDType adds the elements of x as another dtype.
func (b *Builder) ConvertDType(x backends.Op, t dtypes.DType) (backends.Op, error) {
	return b.toDType(backends.OpTypeConvertDType, stablehlo.Convert, x, t)
}

// Bitcast adds the bits of x as another dtype. The last dimension makes up for the
// difference in size.
func (b *Builder) Bitcast(x backends.Op, t dtypes.DType) (backends.Op, error) {
	return b.toDType(backends.OpTypeBitcast, stablehlo.BitcastConvert, x, t)
}

func (b *Builder) toDType(
	op backends.OpType, f func(*stablehlo.Value, xlatypes.DType) (*stablehlo.Value, error), x backends.Op, t dtypes.DType,
) (backends.Op, error) {
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	if !isKnown(t) {
		return nil, errorf("%s: the dtype %s has no Go type", op, t)
	}
	v, err := f(nodes[0].value, xlatypes.DType(t))
	return b.result(op, v, err)
}

// Complex adds complex numbers made from their real and imaginary parts, one of which
// may be a scalar.
func (b *Builder) Complex(re, im backends.Op) (backends.Op, error) {
	const op = backends.OpTypeComplex
	nodes, err := b.nodes(op, re, im)
	if err != nil {
		return nil, err
	}
	if t := nodes[0].shape.DType; t != dtypes.Float32 && t != dtypes.Float64 {
		return nil, errorf("%s: the parts of complex numbers are Float32 or Float64, not %s", op, t)
	}
	shape, err := shapeinference.BinaryOp(backends.OpTypeAdd, nodes[0].shape, nodes[1].shape)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	r, i, err := b.broadcast(nodes, shape.Dimensions)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.Complex(r, i)
	return b.result(op, v, err)
}

// Real adds the real part, which for a float is the float.
func (b *Builder) Real(x backends.Op) (backends.Op, error) {
	return b.part(backends.OpTypeReal, x, stablehlo.Real, func(n *node) (*stablehlo.Value, error) { return n.value, nil })
}

// Imag adds the imaginary part, which for a float is 0.
func (b *Builder) Imag(x backends.Op) (backends.Op, error) {
	return b.part(backends.OpTypeImag, x, stablehlo.Imag, func(n *node) (*stablehlo.Value, error) {
		return b.filled(dtypeValue(n.shape.DType, 0), xlaShape(n.shape))
	})
}

// Conj adds the complex conjugate, which for a float is the float.
func (b *Builder) Conj(x backends.Op) (backends.Op, error) {
	conj := func(v *stablehlo.Value) (*stablehlo.Value, error) {
		re, err := stablehlo.Real(v)
		if err != nil {
			return nil, err
		}
		im, err := stablehlo.Imag(v)
		if err != nil {
			return nil, err
		}
		if im, err = stablehlo.Negate(im); err != nil {
			return nil, err
		}
		return stablehlo.Complex(re, im)
	}
	return b.part(backends.OpTypeConj, x, conj, func(n *node) (*stablehlo.Value, error) { return n.value, nil })
}

// part adds a part of complex numbers, or its equivalent for floats.
func (b *Builder) part(op backends.OpType, x backends.Op, ofComplex unaryFunc, ofFloat func(*node) (*stablehlo.Value, error)) (
	backends.Op, error) {
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	n := nodes[0]
	var v *stablehlo.Value
	switch {
	case n.shape.DType.IsComplex():
		v, err = ofComplex(n.value)
	case n.shape.DType.IsFloat():
		v, err = ofFloat(n)
	default:
		return nil, errorf("%s is for complex numbers and floats, not for %s", op, n.shape)
	}
	return b.result(op, v, err)
}
