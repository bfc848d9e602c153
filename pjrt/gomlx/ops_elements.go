// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/go-xla/types"
	"github.com/pkg/errors"
)

type (
	unaryFunc  = func(x *stablehlo.Value) (*stablehlo.Value, error)
	binaryFunc = func(lhs, rhs *stablehlo.Value) (*stablehlo.Value, error)
)

// unary adds an operation on each element of x.
func (f *Function) unary(op compute.OpType, apply unaryFunc, x compute.Value) (compute.Value, error) {
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		if _, err := shapeinference.UnaryOp(op, nodes[0].shape); err != nil {
			return nil, err
		}
		return apply(nodes[0].value)
	}, x)
}

// binary adds an operation on the elements of lhs and rhs, broadcast to a common shape.
func (f *Function) binary(op compute.OpType, apply binaryFunc, lhs, rhs compute.Value) (compute.Value, error) {
	return f.binaryAs(op, op, apply, lhs, rhs)
}

// binaryAs is binary for an operation with the shape rules of another, rules.
func (f *Function) binaryAs(op, rules compute.OpType, apply binaryFunc, lhs, rhs compute.Value) (compute.Value, error) {
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		shape, err := shapeinference.BinaryOp(rules, nodes[0].shape, nodes[1].shape)
		if err != nil {
			return nil, err
		}
		l, r, err := g.broadcast(nodes, shape.Dimensions)
		if err != nil {
			return nil, err
		}
		return apply(l, r)
	}, lhs, rhs)
}

// broadcast returns both values with the dimensions dims.
func (g *function) broadcast(nodes []*node, dims []int) (l, r *stablehlo.Value, err error) {
	if l, err = g.broadcastTo(nodes[0], dims); err != nil {
		return nil, nil, err
	}
	if r, err = g.broadcastTo(nodes[1], dims); err != nil {
		return nil, nil, err
	}
	return l, r, nil
}

// broadcastTo returns a scalar, or a value with as many dimensions, broadcast to dims.
func (g *function) broadcastTo(n *node, dims []int) (*stablehlo.Value, error) {
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
func (f *Function) Add(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeAdd, stablehlo.Add, lhs, rhs)
}

// Sub adds lhs - rhs.
func (f *Function) Sub(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeSub, stablehlo.Subtract, lhs, rhs)
}

// Mul adds lhs · rhs.
func (f *Function) Mul(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMul, stablehlo.Multiply, lhs, rhs)
}

// Div adds lhs / rhs.
func (f *Function) Div(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeDiv, stablehlo.Divide, lhs, rhs)
}

// Rem adds the remainder of lhs / rhs, with the sign of lhs.
func (f *Function) Rem(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeRem, stablehlo.Remainder, lhs, rhs)
}

// Pow adds lhs to the power of rhs.
func (f *Function) Pow(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypePow, stablehlo.Power, lhs, rhs)
}

// Atan2 adds the angle of the point (rhs, lhs), between -π and π.
func (f *Function) Atan2(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeAtan2, stablehlo.Atan2, lhs, rhs)
}

// Max adds the larger of the two elements.
func (f *Function) Max(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMax, stablehlo.Maximum, lhs, rhs)
}

// Min adds the smaller of the two elements.
func (f *Function) Min(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMin, stablehlo.Minimum, lhs, rhs)
}

// BitwiseAnd adds the conjunction of the bits.
func (f *Function) BitwiseAnd(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseAnd, stablehlo.And, lhs, rhs)
}

// BitwiseOr adds the disjunction of the bits.
func (f *Function) BitwiseOr(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseOr, stablehlo.Or, lhs, rhs)
}

// BitwiseXor adds the exclusive disjunction of the bits.
func (f *Function) BitwiseXor(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseXor, stablehlo.Xor, lhs, rhs)
}

// LogicalAnd adds the conjunction of booleans.
func (f *Function) LogicalAnd(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalAnd, stablehlo.And, lhs, rhs)
}

// LogicalOr adds the disjunction of booleans.
func (f *Function) LogicalOr(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalOr, stablehlo.Or, lhs, rhs)
}

// LogicalXor adds the exclusive disjunction of booleans.
func (f *Function) LogicalXor(lhs, rhs compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalXor, stablehlo.Xor, lhs, rhs)
}

// ShiftLeft adds lhs shifted to the left by rhs bits.
func (f *Function) ShiftLeft(lhs, rhs compute.Value) (compute.Value, error) {
	return f.shift(compute.OpTypeShiftLeft, stablehlo.ShiftLeft, lhs, rhs)
}

// ShiftRightArithmetic adds lhs shifted to the right by rhs bits, with copies of the sign.
func (f *Function) ShiftRightArithmetic(lhs, rhs compute.Value) (compute.Value, error) {
	return f.shift(compute.OpTypeShiftRightArithmetic, stablehlo.ShiftRightArithmetic, lhs, rhs)
}

// ShiftRightLogical adds lhs shifted to the right by rhs bits, with zeros.
func (f *Function) ShiftRightLogical(lhs, rhs compute.Value) (compute.Value, error) {
	return f.shift(compute.OpTypeShiftRightLogical, stablehlo.ShiftRightLogical, lhs, rhs)
}

// shift is binary for shifts, which GoMLX's shape rules leave out: the same rules apply
// as to other operations on bits.
func (f *Function) shift(op compute.OpType, apply binaryFunc, lhs, rhs compute.Value) (compute.Value, error) {
	return f.binaryAs(op, compute.OpTypeBitwiseAnd, apply, lhs, rhs)
}

// BitwiseNot adds the complement of the bits.
func (f *Function) BitwiseNot(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeBitwiseNot, stablehlo.Not, x)
}

// LogicalNot adds the negation of booleans.
func (f *Function) LogicalNot(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLogicalNot, stablehlo.Not, x)
}

// BitCount adds the number of bits that are set.
func (f *Function) BitCount(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeBitCount, stablehlo.Popcnt, x)
}

// Clz adds the number of leading bits that are not set.
func (f *Function) Clz(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeClz, stablehlo.CountLeadingZeros, x)
}

// Ceil adds the smallest integer that is not less than x.
func (f *Function) Ceil(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeCeil, stablehlo.Ceil, x)
}

// Floor adds the largest integer that is not greater than x.
func (f *Function) Floor(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeFloor, stablehlo.Floor, x)
}

// Round adds the nearest integer; of two, the even one.
func (f *Function) Round(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeRound, stablehlo.RoundNearestEven, x)
}

// Cos adds the cosine.
func (f *Function) Cos(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeCos, stablehlo.Cosine, x)
}

// Sin adds the sine.
func (f *Function) Sin(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSin, stablehlo.Sine, x)
}

// Tanh adds the hyperbolic tangent.
func (f *Function) Tanh(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeTanh, stablehlo.Tanh, x)
}

// Erf adds the error function.
func (f *Function) Erf(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeErf, stablehlo.Erf, x)
}

// Exp adds the exponential.
func (f *Function) Exp(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeExp, stablehlo.Exponential, x)
}

// Expm1 adds the exponential minus 1.
func (f *Function) Expm1(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeExpm1, stablehlo.ExponentialMinusOne, x)
}

// Log adds the natural logarithm.
func (f *Function) Log(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLog, stablehlo.Log, x)
}

// Log1p adds the natural logarithm of x + 1.
func (f *Function) Log1p(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLog1p, stablehlo.LogPlusOne, x)
}

// Logistic adds 1 / (1 + exp(-x)).
func (f *Function) Logistic(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLogistic, stablehlo.Logistic, x)
}

// Neg adds -x.
func (f *Function) Neg(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeNeg, stablehlo.Negate, x)
}

// Sqrt adds the square root.
func (f *Function) Sqrt(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSqrt, stablehlo.Sqrt, x)
}

// Rsqrt adds 1 / sqrt(x).
func (f *Function) Rsqrt(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeRsqrt, stablehlo.Rsqrt, x)
}

// Abs adds the absolute value, which is real for a complex number.
func (f *Function) Abs(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeAbs, func(v *stablehlo.Value) (*stablehlo.Value, error) {
		if v.Shape().DType.IsUnsigned() {
			return v, nil // StableHLO has no absolute value of unsigned integers
		}
		return stablehlo.Abs(v)
	}, x)
}

// Sign adds 1, 0 or -1 with the sign of x, or NaN for NaN.
func (f *Function) Sign(x compute.Value) (compute.Value, error) {
	const op = compute.OpTypeSign
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n := nodes[0]
		if _, err := shapeinference.UnaryOp(op, n.shape); err != nil {
			return nil, err
		}
		if !n.shape.DType.IsUnsigned() {
			return stablehlo.Sign(n.value)
		}
		// StableHLO has no sign of unsigned integers.
		one, err := g.filled(dtypeValue(n.shape.DType, 1), n.value.Shape())
		if err != nil {
			return nil, err
		}
		return stablehlo.Minimum(n.value, one)
	}, x)
}

// IsFinite adds whether an element is neither infinite nor NaN.
func (f *Function) IsFinite(x compute.Value) (compute.Value, error) {
	return f.one(compute.OpTypeIsFinite, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		if !nodes[0].shape.DType.IsFloat() {
			return nil, errors.Errorf("the operand must be of floats, and is %s", nodes[0].shape)
		}
		return stablehlo.IsFinite(nodes[0].value)
	}, x)
}

// IsNaN adds whether an element is NaN.
func (f *Function) IsNaN(x compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeIsNaN, types.CompareNE, false, x, x)
}

// Identity returns x.
func (f *Function) Identity(x compute.Value) (compute.Value, error) {
	return f.one(compute.OpTypeIdentity, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		return nodes[0].value, nil
	}, x)
}

// comparison adds a comparison of lhs and rhs, broadcast to a common shape.
func (f *Function) comparison(op compute.OpType, direction types.ComparisonDirection, total bool, lhs, rhs compute.Value) (
	compute.Value, error) {
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		// The shape rules are the same for all comparisons; GoMLX's leave one out.
		shape, err := shapeinference.ComparisonOp(compute.OpTypeEqual, nodes[0].shape, nodes[1].shape)
		if err != nil {
			return nil, err
		}
		l, r, err := g.broadcast(nodes, shape.Dimensions)
		if err != nil {
			return nil, err
		}
		return stablehlo.Compare(l, r, direction, comparisonType(nodes[0].shape.DType, total))
	}, lhs, rhs)
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
func (f *Function) Equal(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeEqual, types.CompareEQ, false, lhs, rhs)
}

// NotEqual adds lhs != rhs.
func (f *Function) NotEqual(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeNotEqual, types.CompareNE, false, lhs, rhs)
}

// GreaterThan adds lhs > rhs.
func (f *Function) GreaterThan(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeGreaterThan, types.CompareGT, false, lhs, rhs)
}

// GreaterOrEqual adds lhs >= rhs.
func (f *Function) GreaterOrEqual(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeGreaterOrEqual, types.CompareGE, false, lhs, rhs)
}

// LessThan adds lhs < rhs.
func (f *Function) LessThan(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeLessThan, types.CompareLT, false, lhs, rhs)
}

// LessOrEqual adds lhs <= rhs.
func (f *Function) LessOrEqual(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeLessOrEqual, types.CompareLE, false, lhs, rhs)
}

// EqualTotalOrder is Equal in the total order of floats.
func (f *Function) EqualTotalOrder(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeEqualTotalOrder, types.CompareEQ, true, lhs, rhs)
}

// NotEqualTotalOrder is NotEqual in the total order of floats.
func (f *Function) NotEqualTotalOrder(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeNotEqualTotalOrder, types.CompareNE, true, lhs, rhs)
}

// GreaterThanTotalOrder is GreaterThan in the total order of floats.
func (f *Function) GreaterThanTotalOrder(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeGreaterThanTotalOrder, types.CompareGT, true, lhs, rhs)
}

// GreaterOrEqualTotalOrder is GreaterOrEqual in the total order of floats.
func (f *Function) GreaterOrEqualTotalOrder(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeGreaterOrEqualTotalOrder, types.CompareGE, true, lhs, rhs)
}

// LessThanTotalOrder is LessThan in the total order of floats.
func (f *Function) LessThanTotalOrder(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeLessThanTotalOrder, types.CompareLT, true, lhs, rhs)
}

// LessOrEqualTotalOrder is LessOrEqual in the total order of floats.
func (f *Function) LessOrEqualTotalOrder(lhs, rhs compute.Value) (compute.Value, error) {
	return f.comparison(compute.OpTypeLessOrEqualTotalOrder, types.CompareLE, true, lhs, rhs)
}

// Clamp adds x, but not less than lower and not more than upper, which are scalars or have
// the shape of x.
func (f *Function) Clamp(lower, x, upper compute.Value) (compute.Value, error) {
	return f.one(compute.OpTypeClamp, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		return stablehlo.Clamp(nodes[0].value, nodes[1].value, nodes[2].value)
	}, lower, x, upper)
}

// Where adds the elements of onTrue where condition is true, and those of onFalse where it
// is not. Each of them may be a scalar.
func (f *Function) Where(condition, onTrue, onFalse compute.Value) (compute.Value, error) {
	const op = compute.OpTypeWhere
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		if t, f := nodes[1].shape.DType, nodes[2].shape.DType; t != f {
			return nil, errors.Errorf("the dtypes %s and %s differ", t, f)
		}
		shape, err := shapeinference.Where(nodes[0].shape, nodes[1].shape, nodes[2].shape)
		if err != nil {
			return nil, err
		}
		t, f, err := g.broadcast(nodes[1:], shape.Dimensions)
		if err != nil {
			return nil, err
		}
		return stablehlo.Select(nodes[0].value, t, f)
	}, condition, onTrue, onFalse)
}

// ConvertDType adds the elements of x as another dtype.
func (f *Function) ConvertDType(x compute.Value, t dtypes.DType) (compute.Value, error) {
	return f.toDType(compute.OpTypeConvertDType, stablehlo.Convert, x, t)
}

// Bitcast adds the bits of x as another dtype. The last dimension makes up for the
// difference in size.
func (f *Function) Bitcast(x compute.Value, t dtypes.DType) (compute.Value, error) {
	return f.toDType(compute.OpTypeBitcast, stablehlo.BitcastConvert, x, t)
}

func (f *Function) toDType(
	op compute.OpType, apply func(*stablehlo.Value, dtypes.DType) (*stablehlo.Value, error), x compute.Value, t dtypes.DType,
) (compute.Value, error) {
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		if !isKnown(t) && !t.IsPacked() {
			return nil, errors.Errorf("the dtype %s has no Go type", t)
		}
		return apply(nodes[0].value, t)
	}, x)
}

// Complex adds complex numbers made from their real and imaginary parts, one of which
// may be a scalar.
func (f *Function) Complex(re, im compute.Value) (compute.Value, error) {
	const op = compute.OpTypeComplex
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		if t := nodes[0].shape.DType; t != dtypes.Float32 && t != dtypes.Float64 {
			return nil, errors.Errorf("the parts of complex numbers are Float32 or Float64, not %s", t)
		}
		shape, err := shapeinference.BinaryOp(compute.OpTypeAdd, nodes[0].shape, nodes[1].shape)
		if err != nil {
			return nil, err
		}
		r, i, err := g.broadcast(nodes, shape.Dimensions)
		if err != nil {
			return nil, err
		}
		return stablehlo.Complex(r, i)
	}, re, im)
}

// Real adds the real part, which for a float is the float.
func (f *Function) Real(x compute.Value) (compute.Value, error) {
	return f.part(compute.OpTypeReal, x, stablehlo.Real, func(n *node) (*stablehlo.Value, error) { return n.value, nil })
}

// Imag adds the imaginary part, which for a float is 0.
func (f *Function) Imag(x compute.Value) (compute.Value, error) {
	return f.part(compute.OpTypeImag, x, stablehlo.Imag, func(n *node) (*stablehlo.Value, error) {
		return n.function.filled(dtypeValue(n.shape.DType, 0), xlaShape(n.shape))
	})
}

// Conj adds the complex conjugate, which for a float is the float.
func (f *Function) Conj(x compute.Value) (compute.Value, error) {
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
	return f.part(compute.OpTypeConj, x, conj, func(n *node) (*stablehlo.Value, error) { return n.value, nil })
}

// part adds a part of complex numbers, or its equivalent for floats.
func (f *Function) part(op compute.OpType, x compute.Value, ofComplex unaryFunc, ofFloat func(*node) (*stablehlo.Value, error)) (
	compute.Value, error) {
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n := nodes[0]
		switch {
		case n.shape.DType.IsComplex():
			return ofComplex(n.value)
		case n.shape.DType.IsFloat():
			return ofFloat(n)
		default:
			return nil, errors.Errorf("the operand must be of complex numbers or floats, and is %s", n.shape)
		}
	}, x)
}
