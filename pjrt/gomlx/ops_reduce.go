// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"reflect"

	"github.com/gomlx/go-xla/pkg/stablehlo"
	"github.com/gomlx/go-xla/pkg/types"
	xlatypes "github.com/gomlx/go-xla/pkg/types/dtypes"
	xlashapes "github.com/gomlx/go-xla/pkg/types/shapes"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/shapeinference"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/dtypes/bfloat16"
	"github.com/x448/float16"
)

// dtypeValue returns a small integer as the Go value of a known dtype.
func dtypeValue(t dtypes.DType, n int) any {
	switch t {
	case dtypes.Bool:
		return n != 0
	case dtypes.Float16:
		return float16.Fromfloat32(float32(n))
	case dtypes.BFloat16:
		return bfloat16.FromFloat32(float32(n))
	case dtypes.Complex64:
		return complex(float32(n), 0)
	case dtypes.Complex128:
		return complex(float64(n), 0)
	}
	return reflect.ValueOf(n).Convert(t.GoType()).Interface()
}

// combination is a way to make one element of two.
type combination struct {
	op      backends.OpType
	combine binaryFunc
	neutral func(dtypes.DType) any // leaves every element that it is combined with unchanged
}

func number(n int) func(dtypes.DType) any {
	return func(t dtypes.DType) any { return dtypeValue(t, n) }
}

var (
	sum     = combination{backends.OpTypeReduceSum, stablehlo.Add, number(0)}
	product = combination{backends.OpTypeReduceProduct, stablehlo.Multiply, number(1)}
	largest = combination{backends.OpTypeReduceMax, stablehlo.Maximum, func(t dtypes.DType) any { return t.LowestValue() }}
	least   = combination{backends.OpTypeReduceMin, stablehlo.Minimum, func(t dtypes.DType) any { return t.HighestValue() }}
	bitAnd  = combination{backends.OpTypeReduceBitwiseAnd, stablehlo.And, allBits}
	bitOr   = combination{backends.OpTypeReduceBitwiseOr, stablehlo.Or, number(0)}
	bitXor  = combination{backends.OpTypeReduceBitwiseXor, stablehlo.Xor, number(0)}
	every   = combination{backends.OpTypeReduceLogicalAnd, stablehlo.And, number(1)}
	anyOf   = combination{backends.OpTypeReduceLogicalOr, stablehlo.Or, number(0)}
	oddly   = combination{backends.OpTypeReduceLogicalXor, stablehlo.Xor, number(0)}
)

// allBits returns the integer with all bits set.
func allBits(t dtypes.DType) any {
	if t.IsUnsigned() {
		return t.HighestValue()
	}
	return dtypeValue(t, -1)
}

// reductionOf returns the combination of a kind of reduction.
func reductionOf(kind backends.ReduceOpType) (combination, error) {
	switch kind {
	case backends.ReduceOpSum:
		return sum, nil
	case backends.ReduceOpProduct:
		return product, nil
	case backends.ReduceOpMax:
		return largest, nil
	case backends.ReduceOpMin:
		return least, nil
	}
	return combination{}, errorf("there is no reduction of kind %s", kind)
}

// checkFor returns an error for dtypes whose elements cannot be combined.
func (c combination) checkFor(t dtypes.DType) error {
	var ok bool
	switch c.op {
	case backends.OpTypeReduceLogicalAnd, backends.OpTypeReduceLogicalOr, backends.OpTypeReduceLogicalXor:
		ok = t == dtypes.Bool
	case backends.OpTypeReduceBitwiseAnd, backends.OpTypeReduceBitwiseOr, backends.OpTypeReduceBitwiseXor:
		ok = t.IsInt()
	case backends.OpTypeReduceMax, backends.OpTypeReduceMin:
		ok = !t.IsComplex()
	default:
		ok = t != dtypes.Bool
	}
	if !ok {
		return errorf("%s is not for elements of dtype %s", c.op, t)
	}
	return nil
}

// closureKey identifies a function that operations apply to elements of a dtype.
type closureKey struct {
	dtype, index dtypes.DType // index is that of ArgMinMax
	op           backends.OpType
	least        bool
}

// closure returns the function of a key, which it makes only once.
func (b *Builder) closure(key closureKey, parameters []dtypes.DType,
	body func(fn *stablehlo.Function, in []*stablehlo.Value) ([]*stablehlo.Value, error)) (*stablehlo.Function, error) {
	if fn := b.closures[key]; fn != nil {
		return fn, nil
	}
	fn := b.main.Closure()
	in := make([]*stablehlo.Value, len(parameters))
	for i, t := range parameters {
		var err error
		if in[i], err = fn.Input(xlashapes.Make(xlatypes.DType(t))); err != nil {
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
	b.closures[key] = fn
	return fn, nil
}

// combiner returns the function that combines two elements.
func (b *Builder) combiner(t dtypes.DType, c combination) (*stablehlo.Function, error) {
	if err := c.checkFor(t); err != nil {
		return nil, err
	}
	return b.closure(closureKey{dtype: t, op: c.op}, []dtypes.DType{t, t},
		func(_ *stablehlo.Function, in []*stablehlo.Value) ([]*stablehlo.Value, error) {
			v, err := c.combine(in[0], in[1])
			return []*stablehlo.Value{v}, err
		})
}

// neutral adds the neutral element of a combination.
func (b *Builder) neutral(t dtypes.DType, c combination) (*stablehlo.Value, error) {
	return b.scalar(c.neutral(t))
}

// axesOf returns the axes as numbers from 0, in ascending order; none means all.
func axesOf(op backends.OpType, n *node, axes []int) ([]int, error) {
	seen := make([]bool, n.shape.Rank())
	for _, axis := range axes {
		i, err := axisOf(op, n, axis)
		if err != nil {
			return nil, err
		}
		if seen[i] {
			return nil, errorf("%s: axis %d of %s is named twice", op, axis, n.shape)
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
func axisOf(op backends.OpType, n *node, axis int) (int, error) {
	rank := n.shape.Rank()
	if axis < -rank || axis >= rank {
		return 0, errorf("%s: %s has no axis %d", op, n.shape, axis)
	}
	return (axis + rank) % rank, nil
}

// reduce adds the combination of all elements along axes.
func (b *Builder) reduce(c combination, x backends.Op, axes []int) (backends.Op, error) {
	nodes, err := b.nodes(c.op, x)
	if err != nil {
		return nil, err
	}
	n := nodes[0]
	if axes, err = axesOf(c.op, n, axes); err != nil {
		return nil, err
	}
	fn, err := b.combiner(n.shape.DType, c)
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		return n, nil
	}
	initial, err := b.neutral(n.shape.DType, c)
	if err != nil {
		return nil, wrapf(err, "%s", c.op)
	}
	v, err := stablehlo.Reduce(n.value, initial, fn, axes...)
	return b.result(c.op, v, err)
}

// ReduceSum adds the sum along the axes, or of all elements.
func (b *Builder) ReduceSum(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(sum, x, axes)
}

// ReduceProduct adds the product along the axes, or of all elements.
func (b *Builder) ReduceProduct(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(product, x, axes)
}

// ReduceMax adds the largest element along the axes, or of all.
func (b *Builder) ReduceMax(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(largest, x, axes)
}

// ReduceMin adds the smallest element along the axes, or of all.
func (b *Builder) ReduceMin(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(least, x, axes)
}

// ReduceBitwiseAnd adds the conjunction of bits along the axes, or of all elements.
func (b *Builder) ReduceBitwiseAnd(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(bitAnd, x, axes)
}

// ReduceBitwiseOr adds the disjunction of bits along the axes, or of all elements.
func (b *Builder) ReduceBitwiseOr(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(bitOr, x, axes)
}

// ReduceBitwiseXor adds the exclusive disjunction of bits along the axes, or of all elements.
func (b *Builder) ReduceBitwiseXor(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(bitXor, x, axes)
}

// ReduceLogicalAnd adds whether all booleans along the axes are true.
func (b *Builder) ReduceLogicalAnd(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(every, x, axes)
}

// ReduceLogicalOr adds whether any of the booleans along the axes is true.
func (b *Builder) ReduceLogicalOr(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(anyOf, x, axes)
}

// ReduceLogicalXor adds whether an odd number of the booleans along the axes is true.
func (b *Builder) ReduceLogicalXor(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(oddly, x, axes)
}

// ArgMinMax adds the first position of the smallest or largest element along an axis. NaN
// counts as both.
func (b *Builder) ArgMinMax(x backends.Op, axis int, index dtypes.DType, isMin bool) (backends.Op, error) {
	const op = backends.OpTypeArgMinMax
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	n := nodes[0]
	if axis, err = axisOf(op, n, axis); err != nil {
		return nil, err
	}
	if !index.IsInt() && !index.IsFloat() {
		return nil, errorf("%s: positions cannot be of dtype %s", op, index)
	}
	direction, extreme := types.CompareGT, largest
	if isMin {
		direction, extreme = types.CompareLT, least
	}
	fn, err := b.chooser(n.shape.DType, index, direction, extreme)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	worst, err := b.neutral(n.shape.DType, extreme)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	first, err := b.scalar(dtypeValue(index, 0))
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	positions := n.shape.Clone()
	positions.DType = index
	iota, err := b.main.Iota(xlaShape(positions), axis)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	out, err := stablehlo.MultiReduce([]*stablehlo.Value{n.value, iota}, []*stablehlo.Value{worst, first}, fn, axis)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	return b.result(op, out[1], nil)
}

// chooser returns the function that chooses one of two elements and its position: the
// better one, NaN before all others, and the first of equals.
func (b *Builder) chooser(t, index dtypes.DType, direction types.ComparisonDirection, extreme combination) (*stablehlo.Function, error) {
	if err := extreme.checkFor(t); err != nil {
		return nil, err
	}
	key := closureKey{dtype: t, index: index, op: backends.OpTypeArgMinMax, least: direction == types.CompareLT}
	return b.closure(key, []dtypes.DType{t, index, t, index},
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
func (b *Builder) ReduceWindow(x backends.Op, kind backends.ReduceOpType, window, strides, baseDilations, windowDilations []int,
	paddings [][2]int) (backends.Op, error) {
	const op = backends.OpTypeReduceWindow
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	n := nodes[0]
	c, err := reductionOf(kind)
	if err != nil {
		return nil, err
	}
	if len(window) != n.shape.Rank() {
		return nil, errorf("%s: the window has %d dimensions, and %s has %d", op, len(window), n.shape, n.shape.Rank())
	}
	if len(strides) == 0 {
		strides = window
	}
	if _, err := shapeinference.ReduceWindowOp(n.shape, window, strides, baseDilations, windowDilations, paddings); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	fn, err := b.combiner(n.shape.DType, c)
	if err != nil {
		return nil, err
	}
	initial, err := b.neutral(n.shape.DType, c)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.ReduceWindow(n.value, initial, fn, window, strides, baseDilations, windowDilations, paddings)
	if err == nil && len(baseDilations) > 0 {
		// go-xla 0.1.4 writes the dilations of the window in place of these.
		b.main.Statements[len(b.main.Statements)-1].Attributes["base_dilations"] = intArray(baseDilations)
	}
	return b.result(op, v, err)
}

// SelectAndScatterMax adds, for each window over x, an element of source at the place of
// the largest element.
func (b *Builder) SelectAndScatterMax(x, source backends.Op, window, strides []int, paddings [][2]int) (backends.Op, error) {
	return b.selectAndScatter(backends.OpTypeSelectAndScatterMax, types.CompareGE, x, source, window, strides, paddings)
}

// SelectAndScatterMin adds, for each window over x, an element of source at the place of
// the smallest element.
func (b *Builder) SelectAndScatterMin(x, source backends.Op, window, strides []int, paddings [][2]int) (backends.Op, error) {
	return b.selectAndScatter(backends.OpTypeSelectAndScatterMin, types.CompareLE, x, source, window, strides, paddings)
}

func (b *Builder) selectAndScatter(op backends.OpType, direction types.ComparisonDirection, x, source backends.Op,
	window, strides []int, paddings [][2]int) (backends.Op, error) {
	nodes, err := b.nodes(op, x, source)
	if err != nil {
		return nil, err
	}
	n, s := nodes[0], nodes[1]
	t := n.shape.DType
	if len(window) != n.shape.Rank() {
		return nil, errorf("%s: the window has %d dimensions, and %s has %d", op, len(window), n.shape, n.shape.Rank())
	}
	if len(strides) == 0 {
		strides = window
	}
	positions, err := shapeinference.ReduceWindowOp(n.shape, window, strides, nil, nil, paddings)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	if !positions.Equal(s.shape) {
		return nil, errorf("%s: the window has the positions %s, and the source is %s", op, positions, s.shape)
	}
	if t.IsComplex() || t == dtypes.Bool {
		return nil, errorf("%s is not for elements of dtype %s", op, t)
	}
	choose, err := b.closure(closureKey{dtype: t, op: op}, []dtypes.DType{t, t},
		func(_ *stablehlo.Function, in []*stablehlo.Value) ([]*stablehlo.Value, error) {
			v, err := stablehlo.Compare(in[0], in[1], direction, comparisonType(t, false))
			return []*stablehlo.Value{v}, err
		})
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	add, err := b.combiner(t, sum)
	if err != nil {
		return nil, err
	}
	zero, err := b.neutral(t, sum)
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.SelectAndScatter(n.value, s.value, zero, choose, add, window, strides, paddings)
	return b.result(op, v, err)
}
