// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/go-xla/types"
	xlashapes "github.com/gomlx/go-xla/types/shapes"
	"github.com/pkg/errors"
)

// dtypeValue returns a small integer as the Go value of a known dtype.
func dtypeValue(t dtypes.DType, n int) any {
	switch t {
	case dtypes.Bool:
		return n != 0
	case dtypes.Float16:
		return float16.FromFloat32(float32(n))
	case dtypes.BFloat16:
		return bfloat16.FromFloat32(float32(n))
	case dtypes.Complex64:
		return complex(float32(n), 0)
	case dtypes.Complex128:
		return complex(float64(n), 0)
	}
	return reflect.ValueOf(n).Convert(t.GoType()).Interface()
}

// floatValue returns a number as the Go value of a dtype of floats.
func floatValue(t dtypes.DType, x float64) any {
	switch t {
	case dtypes.Float16:
		return float16.FromFloat64(x)
	case dtypes.BFloat16:
		return bfloat16.FromFloat64(x)
	}
	return reflect.ValueOf(x).Convert(t.GoType()).Interface()
}

// combination is a way to make one element of two.
type combination struct {
	op      compute.OpType
	combine binaryFunc
	neutral func(dtypes.DType) any // leaves every element that it is combined with unchanged
}

func number(n int) func(dtypes.DType) any {
	return func(t dtypes.DType) any { return dtypeValue(t, n) }
}

var (
	sum     = combination{compute.OpTypeReduceSum, stablehlo.Add, number(0)}
	product = combination{compute.OpTypeReduceProduct, stablehlo.Multiply, number(1)}
	largest = combination{compute.OpTypeReduceMax, stablehlo.Maximum, func(t dtypes.DType) any { return t.LowestValue() }}
	least   = combination{compute.OpTypeReduceMin, stablehlo.Minimum, func(t dtypes.DType) any { return t.HighestValue() }}
	bitAnd  = combination{compute.OpTypeReduceBitwiseAnd, stablehlo.And, allBits}
	bitOr   = combination{compute.OpTypeReduceBitwiseOr, stablehlo.Or, number(0)}
	bitXor  = combination{compute.OpTypeReduceBitwiseXor, stablehlo.Xor, number(0)}
	every   = combination{compute.OpTypeReduceLogicalAnd, stablehlo.And, number(1)}
	anyOf   = combination{compute.OpTypeReduceLogicalOr, stablehlo.Or, number(0)}
	oddly   = combination{compute.OpTypeReduceLogicalXor, stablehlo.Xor, number(0)}
)

// allBits returns the integer with all bits set.
func allBits(t dtypes.DType) any {
	if t.IsUnsigned() {
		return t.HighestValue()
	}
	return dtypeValue(t, -1)
}

// reductionOf returns the combination of a kind of reduction.
func reductionOf(kind compute.ReduceOpType) (combination, error) {
	switch kind {
	case compute.ReduceOpSum:
		return sum, nil
	case compute.ReduceOpProduct:
		return product, nil
	case compute.ReduceOpMax:
		return largest, nil
	case compute.ReduceOpMin:
		return least, nil
	}
	return combination{}, errorf("there is no reduction of kind %s", kind)
}

// checkFor returns an error for dtypes whose elements cannot be combined.
func (c combination) checkFor(t dtypes.DType) error {
	var ok bool
	switch c.op {
	case compute.OpTypeReduceLogicalAnd, compute.OpTypeReduceLogicalOr, compute.OpTypeReduceLogicalXor:
		ok = t == dtypes.Bool
	case compute.OpTypeReduceBitwiseAnd, compute.OpTypeReduceBitwiseOr, compute.OpTypeReduceBitwiseXor:
		ok = t.IsInt()
	case compute.OpTypeReduceMax, compute.OpTypeReduceMin:
		ok = !t.IsComplex()
	default:
		ok = t != dtypes.Bool
	}
	if !ok {
		return errors.Errorf("%s is not for elements of dtype %s", c.op, t)
	}
	return nil
}

// closureKey identifies a function that operations apply to elements of a dtype.
type closureKey struct {
	dtype, index dtypes.DType // index is that of ArgMinMax
	op           compute.OpType
	least        bool
}

// closure returns the function of a key, which it makes only once.
func (g *function) closure(key closureKey, parameters []dtypes.DType,
	body func(fn *stablehlo.Function, in []*stablehlo.Value) ([]*stablehlo.Value, error)) (*stablehlo.Function, error) {
	if fn := g.closures[key]; fn != nil {
		return fn, nil
	}
	fn := g.code.Closure()
	in := make([]*stablehlo.Value, len(parameters))
	for i, t := range parameters {
		var err error
		if in[i], err = fn.Input(xlashapes.Make(t)); err != nil {
			return nil, err
		}
	}
	out, err := body(fn, in)
	if err != nil {
		return nil, err
	}
	if err := fn.Return(out...); err != nil {
		return nil, err
	}
	g.closures[key] = fn
	return fn, nil
}

// combiner returns the function that combines two elements.
func (g *function) combiner(t dtypes.DType, c combination) (*stablehlo.Function, error) {
	if err := c.checkFor(t); err != nil {
		return nil, err
	}
	return g.closure(closureKey{dtype: t, op: c.op}, []dtypes.DType{t, t},
		func(_ *stablehlo.Function, in []*stablehlo.Value) ([]*stablehlo.Value, error) {
			v, err := c.combine(in[0], in[1])
			return []*stablehlo.Value{v}, err
		})
}

// neutral adds the neutral element of a combination.
func (g *function) neutral(t dtypes.DType, c combination) (*stablehlo.Value, error) {
	return g.scalar(c.neutral(t))
}

// axesOf returns the axes as numbers from 0, in ascending order; none means all.
func axesOf(n *node, axes []int) ([]int, error) {
	seen := make([]bool, n.shape.Rank())
	for _, axis := range axes {
		i, err := axisOf(n, axis)
		if err != nil {
			return nil, err
		}
		if seen[i] {
			return nil, errors.Errorf("axis %d of %s is named twice", axis, n.shape)
		}
		seen[i] = true
	}
	list := make([]int, 0, len(seen))
	for i := range seen {
		if seen[i] || len(axes) == 0 {
			list = append(list, i)
		}
	}
	return list, nil
}

// axisOf returns an axis as a number from 0; negative ones count from the end.
func axisOf(n *node, axis int) (int, error) {
	rank := n.shape.Rank()
	if axis < -rank || axis >= rank {
		return 0, errors.Errorf("%s has no axis %d", n.shape, axis)
	}
	return (axis + rank) % rank, nil
}

// reduce adds the combination of all elements along axes.
func (f *Function) reduce(c combination, x compute.Value, axes []int) (compute.Value, error) {
	axes = slices.Clone(axes)
	return f.one(c.op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n := nodes[0]
		axes, err := axesOf(n, axes)
		if err != nil {
			return nil, err
		}
		fn, err := g.combiner(n.shape.DType, c)
		if err != nil {
			return nil, err
		}
		if len(axes) == 0 {
			return n.value, nil
		}
		initial, err := g.neutral(n.shape.DType, c)
		if err != nil {
			return nil, err
		}
		return stablehlo.Reduce(n.value, initial, fn, axes...)
	}, x)
}

// ReduceSum adds the sum along the axes, or of all elements.
func (f *Function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(sum, x, axes)
}

// ReduceProduct adds the product along the axes, or of all elements.
func (f *Function) ReduceProduct(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(product, x, axes)
}

// ReduceMax adds the largest element along the axes, or of all.
func (f *Function) ReduceMax(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(largest, x, axes)
}

// ReduceMin adds the smallest element along the axes, or of all.
func (f *Function) ReduceMin(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(least, x, axes)
}

// ReduceBitwiseAnd adds the conjunction of bits along the axes, or of all elements.
func (f *Function) ReduceBitwiseAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(bitAnd, x, axes)
}

// ReduceBitwiseOr adds the disjunction of bits along the axes, or of all elements.
func (f *Function) ReduceBitwiseOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(bitOr, x, axes)
}

// ReduceBitwiseXor adds the exclusive disjunction of bits along the axes, or of all elements.
func (f *Function) ReduceBitwiseXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(bitXor, x, axes)
}

// ReduceLogicalAnd adds whether all booleans along the axes are true.
func (f *Function) ReduceLogicalAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(every, x, axes)
}

// ReduceLogicalOr adds whether any of the booleans along the axes is true.
func (f *Function) ReduceLogicalOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(anyOf, x, axes)
}

// ReduceLogicalXor adds whether an odd number of the booleans along the axes is true.
func (f *Function) ReduceLogicalXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(oddly, x, axes)
}

// ArgMinMax adds the first position of the smallest or largest element along an axis. NaN
// counts as both.
func (f *Function) ArgMinMax(x compute.Value, axis int, index dtypes.DType, isMin bool) (compute.Value, error) {
	const op = compute.OpTypeArgMinMax
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n := nodes[0]
		axis, err := axisOf(n, axis)
		if err != nil {
			return nil, err
		}
		if !index.IsInt() && !index.IsFloat() {
			return nil, errors.Errorf("positions cannot be of dtype %s", index)
		}
		direction, extreme := types.CompareGT, largest
		if isMin {
			direction, extreme = types.CompareLT, least
		}
		fn, err := g.chooser(n.shape.DType, index, direction, extreme)
		if err != nil {
			return nil, err
		}
		worst, err := g.neutral(n.shape.DType, extreme)
		if err != nil {
			return nil, err
		}
		first, err := g.scalar(dtypeValue(index, 0))
		if err != nil {
			return nil, err
		}
		positions := n.shape.Clone()
		positions.DType = index
		iota, err := g.code.Iota(xlaShape(positions), axis)
		if err != nil {
			return nil, err
		}
		out, err := stablehlo.MultiReduce([]*stablehlo.Value{n.value, iota}, []*stablehlo.Value{worst, first}, fn, axis)
		if err != nil {
			return nil, err
		}
		return out[1], nil
	}, x)
}

// chooser returns the function that chooses one of two elements and its position: the
// better one, NaN before all others, and the first of equals.
func (g *function) chooser(t, index dtypes.DType, direction types.ComparisonDirection, extreme combination) (*stablehlo.Function, error) {
	if err := extreme.checkFor(t); err != nil {
		return nil, err
	}
	key := closureKey{dtype: t, index: index, op: compute.OpTypeArgMinMax, least: direction == types.CompareLT}
	return g.closure(key, []dtypes.DType{t, index, t, index},
		func(_ *stablehlo.Function, in []*stablehlo.Value) ([]*stablehlo.Value, error) {
			var m maker
			l, li, r, ri := in[0], in[1], in[2], in[3]
			kind, indexKind := comparisonType(t, false), comparisonType(index, false)
			better, equal := m.compare(l, r, direction, kind), m.compare(l, r, types.CompareEQ, kind)
			if t.IsFloat() {
				lNaN, rNaN := m.compare(l, l, types.CompareNE, kind), m.compare(r, r, types.CompareNE, kind)
				better = m.or(better, m.and(lNaN, m.not(rNaN)))
				equal = m.or(equal, m.and(lNaN, rNaN))
			}
			left := m.or(better, m.and(equal, m.compare(li, ri, types.CompareLT, indexKind)))
			return []*stablehlo.Value{m.choose(left, l, r), m.choose(left, li, ri)}, m.err
		})
}

// maker adds operations until the first error, so that a formula can be written as one
// expression.
type maker struct{ err error }

func (m *maker) do(f func() (*stablehlo.Value, error)) (v *stablehlo.Value) {
	if m.err == nil {
		v, m.err = f()
	}
	return v
}

func (m *maker) convert(x *stablehlo.Value, t dtypes.DType) *stablehlo.Value {
	return m.do(func() (*stablehlo.Value, error) {
		if x.Shape().DType == t {
			return x, nil
		}
		return stablehlo.Convert(x, t)
	})
}

func (m *maker) compare(l, r *stablehlo.Value, d types.ComparisonDirection, t types.ComparisonType) *stablehlo.Value {
	return m.do(func() (*stablehlo.Value, error) { return stablehlo.Compare(l, r, d, t) })
}

func (m *maker) and(l, r *stablehlo.Value) *stablehlo.Value {
	return m.do(func() (*stablehlo.Value, error) { return stablehlo.And(l, r) })
}

func (m *maker) or(l, r *stablehlo.Value) *stablehlo.Value {
	return m.do(func() (*stablehlo.Value, error) { return stablehlo.Or(l, r) })
}

func (m *maker) not(x *stablehlo.Value) *stablehlo.Value {
	return m.do(func() (*stablehlo.Value, error) { return stablehlo.Not(x) })
}

func (m *maker) choose(condition, l, r *stablehlo.Value) *stablehlo.Value {
	return m.do(func() (*stablehlo.Value, error) { return stablehlo.Select(condition, l, r) })
}

// ReduceWindow adds the combination of the elements in each position of a window that
// moves over x. GoMLX's rules say what nil means.
func (f *Function) ReduceWindow(x compute.Value, kind compute.ReduceOpType, window, strides, baseDilations, windowDilations []int,
	paddings [][2]int) (compute.Value, error) {
	const op = compute.OpTypeReduceWindow
	c, err := reductionOf(kind)
	if err != nil {
		return nil, err
	}
	window, strides, paddings = slices.Clone(window), slices.Clone(strides), slices.Clone(paddings)
	baseDilations, windowDilations = slices.Clone(baseDilations), slices.Clone(windowDilations)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n, strides := nodes[0], strides
		if len(window) != n.shape.Rank() {
			return nil, errors.Errorf("the window has %d dimensions, and %s has %d", len(window), n.shape, n.shape.Rank())
		}
		if len(strides) == 0 {
			strides = window
		}
		if _, err := shapeinference.ReduceWindow(n.shape, window, strides, baseDilations, windowDilations, paddings); err != nil {
			return nil, err
		}
		fn, err := g.combiner(n.shape.DType, c)
		if err != nil {
			return nil, err
		}
		initial, err := g.neutral(n.shape.DType, c)
		if err != nil {
			return nil, err
		}
		return stablehlo.ReduceWindow(n.value, initial, fn, window, strides, baseDilations, windowDilations, paddings)
	}, x)
}

// CumSum adds the sums of the elements of x up to each position along an axis: in reverse from the
// last one, and, if exclusive, without the element itself.
func (f *Function) CumSum(x compute.Value, axis int, options compute.CumSumOptions) (compute.Value, error) {
	const op = compute.OpTypeCumSum
	return f.one(op, func(g *function, nodes []*node) (*stablehlo.Value, error) {
		n := nodes[0]
		axis, err := axisOf(n, axis)
		if err != nil {
			return nil, err
		}
		fn, err := g.combiner(n.shape.DType, sum)
		if err != nil {
			return nil, err
		}
		zero, err := g.neutral(n.shape.DType, sum)
		if err != nil {
			return nil, err
		}
		size := n.shape.Dimensions[axis]
		if size == 0 {
			return n.value, nil
		}
		v, rank := n.value, n.shape.Rank()
		window, paddings := slices.Repeat([]int{1}, rank), make([][2]int, rank)
		window[axis] = size
		side := 0
		if options.Reverse {
			side = 1
		}
		if options.Exclusive {
			edges := [2][]int{make([]int, rank), make([]int, rank)}
			edges[side][axis], edges[1-side][axis] = 1, -1
			if v, err = stablehlo.Pad(v, zero, edges[0], edges[1], nil); err != nil {
				return nil, err
			}
		}
		paddings[axis][side] = size - 1
		return stablehlo.ReduceWindow(v, zero, fn, window, slices.Repeat([]int{1}, rank), nil, nil, paddings)
	}, x)
}

// SelectAndScatterMax adds, for each window over x, an element of source at the place of
// the largest element.
func (f *Function) SelectAndScatterMax(x, source compute.Value, window, strides []int, paddings [][2]int) (compute.Value, error) {
	return f.selectAndScatter(compute.OpTypeSelectAndScatterMax, types.CompareGE, x, source, window, strides, paddings)
}

// SelectAndScatterMin adds, for each window over x, an element of source at the place of
// the smallest element.
func (f *Function) SelectAndScatterMin(x, source compute.Value, window, strides []int, paddings [][2]int) (compute.Value, error) {
	return f.selectAndScatter(compute.OpTypeSelectAndScatterMin, types.CompareLE, x, source, window, strides, paddings)
}

func (f *Function) selectAndScatter(op compute.OpType, direction types.ComparisonDirection, x, source compute.Value,
	window, strides []int, paddings [][2]int) (compute.Value, error) {
	window, strides, paddings = slices.Clone(window), slices.Clone(strides), slices.Clone(paddings)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n, s, strides := nodes[0], nodes[1], strides
		t := n.shape.DType
		if len(window) != n.shape.Rank() {
			return nil, errors.Errorf("the window has %d dimensions, and %s has %d", len(window), n.shape, n.shape.Rank())
		}
		if len(strides) == 0 {
			strides = window
		}
		positions, err := shapeinference.ReduceWindow(n.shape, window, strides, nil, nil, paddings)
		if err != nil {
			return nil, err
		}
		if !positions.Equal(s.shape) {
			return nil, errors.Errorf("the window has the positions %s, and the source is %s", positions, s.shape)
		}
		if t.IsComplex() || t == dtypes.Bool {
			return nil, errors.Errorf("elements cannot be of dtype %s", t)
		}
		choose, err := g.closure(closureKey{dtype: t, op: op}, []dtypes.DType{t, t},
			func(_ *stablehlo.Function, in []*stablehlo.Value) ([]*stablehlo.Value, error) {
				v, err := stablehlo.Compare(in[0], in[1], direction, comparisonType(t, false))
				return []*stablehlo.Value{v}, err
			})
		if err != nil {
			return nil, err
		}
		add, err := g.combiner(t, sum)
		if err != nil {
			return nil, err
		}
		zero, err := g.neutral(t, sum)
		if err != nil {
			return nil, err
		}
		return stablehlo.SelectAndScatter(n.value, s.value, zero, choose, add, window, strides, paddings)
	}, x, source)
}
