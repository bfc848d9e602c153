// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/pkg/errors"
)

// formula adds operations until the first error, so that a fused operation can be written as it is
// defined. XLA fuses what it is made of.
type formula struct {
	f   *Function
	op  compute.OpType
	err error
}

func (m *formula) do(add func() (compute.Value, error)) (v compute.Value) {
	if m.err == nil {
		v, m.err = add()
	}
	return v
}

// unary adds an operation on one value.
func (m *formula) unary(add func(*Function, compute.Value) (compute.Value, error), x compute.Value) compute.Value {
	return m.do(func() (compute.Value, error) { return add(m.f, x) })
}

// binary adds an operation on two values.
func (m *formula) binary(add func(f *Function, l, r compute.Value) (compute.Value, error), l, r compute.Value) compute.Value {
	return m.do(func() (compute.Value, error) { return add(m.f, l, r) })
}

func (m *formula) add(l, r compute.Value) compute.Value { return m.binary((*Function).Add, l, r) }
func (m *formula) sub(l, r compute.Value) compute.Value { return m.binary((*Function).Sub, l, r) }
func (m *formula) mul(l, r compute.Value) compute.Value { return m.binary((*Function).Mul, l, r) }
func (m *formula) div(l, r compute.Value) compute.Value { return m.binary((*Function).Div, l, r) }

// shape returns the shape of a value of the program.
func (m *formula) shape(v compute.Value) shapes.Shape {
	if m.err != nil {
		return shapes.Invalid()
	}
	return v.(*value).shape
}

// number adds a number as an element of a dtype.
func (m *formula) number(t dtypes.DType, x float64) compute.Value {
	return m.do(func() (compute.Value, error) {
		return m.f.one(m.op, func(g *function, _ []*node) (*stablehlo.Value, error) { return g.scalar(floatValue(t, x)) })
	})
}

// spread adds x, whose axes are the axes of a shape in the list, broadcast to the shape.
func (m *formula) spread(x compute.Value, to shapes.Shape, axes []int) compute.Value {
	return m.do(func() (compute.Value, error) {
		target := to.Clone()
		target.DType = m.shape(x).DType
		return m.f.BroadcastInDim(x, target, axes)
	})
}

// right adds x broadcast to a shape whose last axes it has.
func (m *formula) right(x compute.Value, to shapes.Shape) compute.Value {
	return m.spread(x, to, lastAxes(to.Rank(), m.shape(x).Rank()))
}

// lastAxes returns the last n of the axes of an array.
func lastAxes(rank, n int) []int {
	var axes []int
	for axis := rank - n; axis < rank; axis++ {
		axes = append(axes, axis)
	}
	return axes
}

// reduced adds the combination of x along axes, in all places along them.
func (m *formula) reduced(c combination, x compute.Value, axes []int) compute.Value {
	to := m.shape(x)
	var kept []int
	for axis := range to.Rank() {
		if !slices.Contains(axes, axis) {
			kept = append(kept, axis)
		}
	}
	return m.spread(m.do(func() (compute.Value, error) { return m.f.reduce(c, x, axes) }), to, kept)
}

// mean adds the mean of x along axes, in all places along them.
func (m *formula) mean(x compute.Value, axes []int) compute.Value {
	total := m.reduced(sum, x, axes)
	factor := m.do(func() (compute.Value, error) {
		return m.f.one(m.op, func(g *function, nodes []*node) (*stablehlo.Value, error) {
			n := 1
			for _, axis := range axes {
				n *= nodes[0].shape.Dimensions[axis]
			}
			return g.scalar(floatValue(nodes[0].shape.DType, 1/float64(n)))
		}, x)
	})
	return m.mul(total, factor)
}

// result returns what the formula made.
func (m *formula) result(v compute.Value) (compute.Value, error) {
	if m.err != nil {
		return nil, wrapf(m.err, "%s", m.op)
	}
	return v, nil
}

// floats checks operands of a fused operation, which must be of one dtype of floats. The optional
// ones may be nil. It returns the shape of the first.
func (f *Function) floats(op compute.OpType, operands []compute.Value, optional ...compute.Value) (shapes.Shape, error) {
	for _, v := range optional {
		if v != nil {
			operands = append(operands, v)
		}
	}
	values, err := f.operands(op, operands)
	if err != nil {
		return shapes.Invalid(), err
	}
	for _, v := range values {
		if !v.shape.DType.IsFloat() || v.shape.DType != values[0].shape.DType {
			return shapes.Invalid(), errorf("%s is for floats of one dtype, not for %s and %s", op, values[0].shape, v.shape)
		}
	}
	return values[0].shape, nil
}

// FusedSoftmax adds the exponentials of x, divided by their sum along an axis.
func (f *Function) FusedSoftmax(x compute.Value, axis int) (compute.Value, error) {
	const op = compute.OpTypeFusedSoftmax
	shape, err := f.floats(op, []compute.Value{x})
	if err != nil {
		return nil, err
	}
	if axis < 0 || axis >= shape.Rank() {
		return nil, errorf("%s: %s has no axis %d", op, shape, axis)
	}
	m := &formula{f: f, op: op}
	return m.result(m.softmax(x, axis))
}

func (m *formula) softmax(x compute.Value, axis int) compute.Value {
	exp := m.unary((*Function).Exp, m.sub(x, m.reduced(largest, x, []int{axis})))
	return m.div(exp, m.reduced(sum, exp, []int{axis}))
}

// FusedGelu adds x times the normal distribution function of x, exact or approximated with a
// hyperbolic tangent.
func (f *Function) FusedGelu(x compute.Value, exact bool) (compute.Value, error) {
	const op = compute.OpTypeFusedGelu
	if _, err := f.floats(op, []compute.Value{x}); err != nil {
		return nil, err
	}
	m := &formula{f: f, op: op}
	if exact {
		return m.result(m.gelu(x))
	}
	t := m.shape(x).DType
	cubed := m.mul(m.mul(x, x), x)
	inner := m.mul(m.add(x, m.mul(cubed, m.number(t, 0.044715))), m.number(t, math.Sqrt(2/math.Pi)))
	half := m.mul(m.add(m.unary((*Function).Tanh, inner), m.number(t, 1)), m.number(t, 0.5))
	return m.result(m.mul(x, half))
}

func (m *formula) gelu(x compute.Value) compute.Value {
	t := m.shape(x).DType
	erf := m.unary((*Function).Erf, m.div(x, m.number(t, math.Sqrt2)))
	return m.mul(x, m.mul(m.add(erf, m.number(t, 1)), m.number(t, 0.5)))
}

// FusedLayerNorm adds x with mean 0 and variance 1 along the axes, times gamma plus beta, either of
// which may be nil. epsilon is added to the variance.
func (f *Function) FusedLayerNorm(x compute.Value, axes []int, epsilon float64, gamma, beta compute.Value) (compute.Value, error) {
	const op = compute.OpTypeFusedLayerNorm
	shape, err := f.floats(op, []compute.Value{x}, gamma, beta)
	if err != nil {
		return nil, err
	}
	if axes, err = axesOf(&node{shape: shape}, axes); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	m := &formula{f: f, op: op}
	centered := m.sub(x, m.mean(x, axes))
	variance := m.mean(m.mul(centered, centered), axes)
	v := m.div(centered, m.unary((*Function).Sqrt, m.add(variance, m.number(shape.DType, epsilon))))
	if gamma != nil {
		v = m.mul(v, m.right(gamma, shape))
	}
	if beta != nil {
		v = m.add(v, m.right(beta, shape))
	}
	return m.result(v)
}

// dot adds a product, see Function.DotGeneral.
func (m *formula) dot(l compute.Value, lContracting, lBatch []int, r compute.Value, rContracting, rBatch []int) compute.Value {
	return m.do(func() (compute.Value, error) {
		return m.f.DotGeneral(l, lContracting, lBatch, r, rContracting, rBatch, compute.DotGeneralConfig{})
	})
}

// FusedAttentionQKVProjection adds the products of x and three parts of weights, as wide as
// queryDim and twice keyValueDim, each plus a bias, which may be nil.
func (f *Function) FusedAttentionQKVProjection(x, weights, biasQ, biasK, biasV compute.Value, queryDim, keyValueDim int) (
	query, key, value compute.Value, err error) {
	const op = compute.OpTypeFusedAttentionQKVProjection
	if _, err := f.floats(op, []compute.Value{x, weights}, biasQ, biasK, biasV); err != nil {
		return nil, nil, nil, err
	}
	m := &formula{f: f, op: op}
	if l, r := m.shape(x), m.shape(weights); l.Rank() == 0 || r.Rank() != 2 || r.Dimensions[1] != queryDim+2*keyValueDim {
		return nil, nil, nil, errorf("%s: the last axis of %s cannot be projected with %s to %d and twice %d features",
			op, l, r, queryDim, keyValueDim)
	}
	all := m.dot(x, []int{m.shape(x).Rank() - 1}, nil, weights, []int{0}, nil)
	var results []compute.Value
	from := 0
	for _, part := range []struct {
		width int
		bias  compute.Value
	}{{queryDim, biasQ}, {keyValueDim, biasK}, {keyValueDim, biasV}} {
		rank := m.shape(all).Rank()
		starts, limits := make([]int, rank), slices.Repeat([]int{shapes.DynamicDim}, rank)
		starts[rank-1], limits[rank-1] = from, from+part.width
		from += part.width
		v := m.do(func() (compute.Value, error) { return f.Slice(all, starts, limits, nil) })
		if part.bias != nil {
			v = m.add(v, m.right(part.bias, m.shape(v)))
		}
		results = append(results, v)
		if m.err != nil {
			return nil, nil, nil, wrapf(m.err, "%s", op)
		}
	}
	return results[0], results[1], results[2], nil
}

// notImplemented returns GoMLX's error for an operation that the backend leaves to GoMLX, which
// makes it of others.
func notImplemented(op compute.OpType, format string, args ...any) error {
	return errors.WithMessagef(errors.WithStack(compute.ErrNotImplemented), Name+" backend: "+op.String()+": "+format, args...)
}

// FusedDense returns an error with compute.ErrNotImplemented in its chain. GoMLX makes it of other
// operations, which XLA fuses too. GoMLX 0.28 asks backends for no activation in place of those
// that compute has no name for, so that a backend with this operation would leave them out.
func (f *Function) FusedDense(_, _, _ compute.Value, options compute.DenseConfig) (compute.Value, error) {
	return nil, notImplemented(compute.OpTypeFusedDense, "activation %s", options.Activation)
}

// FusedQuantizedDense returns an error with compute.ErrNotImplemented in its chain. GoMLX makes it
// of other operations.
func (f *Function) FusedQuantizedDense(_, _, _ compute.Value, quantization *compute.Quantization, _ compute.ActivationType) (
	compute.Value, error) {
	return nil, notImplemented(compute.OpTypeFusedQuantizedDense, "quantized weights (%s)", schemeOf(quantization))
}

// QuantizedEmbeddingLookup returns an error with compute.ErrNotImplemented in its chain. GoMLX
// makes it of other operations.
func (f *Function) QuantizedEmbeddingLookup(_, _ compute.Value, quantization *compute.Quantization) (compute.Value, error) {
	return nil, notImplemented(compute.OpTypeQuantizedEmbeddingLookup, "quantized rows (%s)", schemeOf(quantization))
}

// schemeOf names a quantization in an error.
func schemeOf(q *compute.Quantization) string {
	if q == nil {
		return "no quantization"
	}
	if q.Scheme == compute.QuantGGML {
		return q.Scheme.String() + " " + q.GGMLType.String()
	}
	return q.Scheme.String()
}
