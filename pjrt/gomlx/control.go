// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/go-xla/types"
	"github.com/pkg/errors"
)

// Call adds a call of another function of the program, which has returned.
func (f *Function) Call(callee compute.Function, inputs ...compute.Value) ([]compute.Value, error) {
	const op = compute.OpTypeCall
	if err := f.open(); err != nil {
		return nil, err
	}
	c, ok := callee.(*Function)
	switch {
	case callee == nil || ok && c == nil:
		return nil, errorf("%s: the function is nil", op)
	case !ok:
		return nil, errorf("%s: %T is not a function of this kind of backend", op, callee)
	case c.builder != f.builder:
		return nil, errorf("%s: the function %s belongs to the program %q, and this is %q", op, c, c.builder.name, f.builder.name)
	case c.parent != nil || c.number == 0:
		return nil, errorf("%s: %s is not made by NewFunction", op, c)
	case !c.returned:
		return nil, errorf("%s: the function %s does not return", op, c)
	case len(inputs) != len(c.parameters):
		return nil, errorf("%s: the function %s takes %d arguments, not %d", op, c, len(c.parameters), len(inputs))
	}
	return f.all(op, func(g *function, nodes []*node) ([]*stablehlo.Value, error) {
		code := g.in.functions[c.number].code
		if len(nodes) > 0 {
			return stablehlo.Call(code, valuesOf(nodes)...)
		}
		// The StableHLO builder finds the caller by its arguments, so it gets one for a moment.
		argument, err := g.scalar(false)
		if err != nil {
			return nil, err
		}
		code.Inputs = []*stablehlo.Value{argument}
		out, err := stablehlo.Call(code, argument)
		code.Inputs = nil
		if err != nil {
			return nil, err
		}
		g.last().Inputs = nil
		return out, nil
	}, inputs...)
}

// valuesOf returns the values of nodes.
func valuesOf(nodes []*node) []*stablehlo.Value {
	values := make([]*stablehlo.Value, len(nodes))
	for i, n := range nodes {
		values[i] = n.value
	}
	return values
}

// Sort adds the inputs sorted along an axis. The closure comparator takes two elements of each
// input in turn, and says whether the first ones come before the second ones.
func (f *Function) Sort(comparator compute.Function, axis int, stable bool, inputs ...compute.Value) ([]compute.Value, error) {
	const op = compute.OpTypeSort
	if err := f.open(); err != nil {
		return nil, err
	}
	c, err := f.closureOf(op, comparator)
	if err != nil {
		return nil, err
	}
	if len(inputs) == 0 {
		return nil, errorf("%s: there are no inputs", op)
	}
	return f.all(op, func(g *function, nodes []*node) ([]*stablehlo.Value, error) {
		axis, err := axisOf(nodes[0], axis)
		if err != nil {
			return nil, err
		}
		var elements []shapes.Shape
		for _, n := range nodes {
			elements = append(elements, shapes.Make(n.shape.DType), shapes.Make(n.shape.DType))
			if !slices.Equal(n.shape.Dimensions, nodes[0].shape.Dimensions) {
				return nil, errors.Errorf("the inputs %s and %s differ in shape", nodes[0].shape, n.shape)
			}
		}
		if err := g.checkSignature(c, elements, []shapes.Shape{shapes.Make(dtypes.Bool)}); err != nil {
			return nil, err
		}
		return stablehlo.Sort(g.in.functions[c.number].code, axis, stable, valuesOf(nodes)...)
	}, inputs...)
}

// While adds the state after as many runs of the closure body as the closure cond agrees to.
func (f *Function) While(cond, body compute.Function, initial ...compute.Value) ([]compute.Value, error) {
	const op = compute.OpTypeWhile
	if err := f.open(); err != nil {
		return nil, err
	}
	c, err := f.closureOf(op, cond)
	if err != nil {
		return nil, err
	}
	b, err := f.closureOf(op, body)
	if err != nil {
		return nil, err
	}
	if len(initial) == 0 {
		return nil, errorf("%s: there is no state", op)
	}
	return f.all(op, func(g *function, nodes []*node) ([]*stablehlo.Value, error) {
		var state []shapes.Shape
		for _, n := range nodes {
			state = append(state, n.shape)
		}
		if err := g.checkSignature(c, state, []shapes.Shape{shapes.Make(dtypes.Bool)}); err != nil {
			return nil, err
		}
		if err := g.checkSignature(b, state, state); err != nil {
			return nil, err
		}
		return stablehlo.While(g.in.functions[c.number].code, g.in.functions[b.number].code, valuesOf(nodes)...)
	}, initial...)
}

// If adds the results of the closure onTrue if predicate is true, and those of onFalse if not.
func (f *Function) If(predicate compute.Value, onTrue, onFalse compute.Function) ([]compute.Value, error) {
	const op = compute.OpTypeIf
	if err := f.open(); err != nil {
		return nil, err
	}
	t, err := f.closureOf(op, onTrue)
	if err != nil {
		return nil, err
	}
	e, err := f.closureOf(op, onFalse)
	if err != nil {
		return nil, err
	}
	return f.all(op, func(g *function, nodes []*node) ([]*stablehlo.Value, error) {
		if !nodes[0].shape.Equal(shapes.Make(dtypes.Bool)) {
			return nil, errors.Errorf("the predicate must be a boolean, not %s", nodes[0].shape)
		}
		var results []shapes.Shape
		for _, v := range t.results {
			results = append(results, g.in.nodes[v.number].shape)
		}
		for _, branch := range []*Function{t, e} {
			if err := g.checkSignature(branch, nil, results); err != nil {
				return nil, err
			}
		}
		return stablehlo.If(nodes[0].value, g.in.functions[t.number].code, g.in.functions[e.number].code)
	}, predicate)
}

// checkSignature returns an error unless a function has these parameters and results.
func (g *function) checkSignature(c *Function, parameters, results []shapes.Shape) error {
	for _, list := range []struct {
		what   string
		values []*value
		want   []shapes.Shape
	}{{"parameters", c.parameters, parameters}, {"results", c.results, results}} {
		if len(list.values) != len(list.want) {
			return errors.Errorf("%s has %d %s, and it needs %d", c, len(list.values), list.what, len(list.want))
		}
		for i, v := range list.values {
			if shape := g.in.nodes[v.number].shape; !shape.Equal(list.want[i]) {
				return errors.Errorf("number %d of the %s of %s is %s, and must be %s", i, list.what, c, shape, list.want[i])
			}
		}
	}
	return nil
}

// OptimizationBarrier adds copies of the operands that the compiler makes only once all operands
// are known.
func (f *Function) OptimizationBarrier(operands ...compute.Value) ([]compute.Value, error) {
	const op = compute.OpTypeOptimizationBarrier
	if len(operands) == 0 {
		return nil, errorf("%s: there are no operands", op)
	}
	return f.all(op, func(_ *function, nodes []*node) ([]*stablehlo.Value, error) {
		return stablehlo.OptimizationBarrier(valuesOf(nodes)...)
	}, operands...)
}

// SchedulingBarrier adds a copy of x that is made only once the dependencies are known.
func (f *Function) SchedulingBarrier(x compute.Value, dependencies ...compute.Value) (compute.Value, error) {
	const op = compute.OpTypeSchedulingBarrier
	return f.one(op, func(g *function, nodes []*node) (*stablehlo.Value, error) {
		if len(nodes) == 1 {
			return nodes[0].value, nil
		}
		// XLA drops the elements of a barrier that nobody uses. So x is chosen by a boolean that
		// depends on all, and is true, which XLA cannot know.
		var m maker
		hidden := m.do(func() (*stablehlo.Value, error) { return g.scalar(true) })
		hidden = m.do(func() (*stablehlo.Value, error) {
			out, err := stablehlo.OptimizationBarrier(hidden)
			if err != nil {
				return nil, err
			}
			return out[0], nil
		})
		for _, n := range nodes[1:] {
			if n.shape.Size() == 0 {
				continue
			}
			element := n.value
			if !n.shape.IsScalar() {
				first, one := make([]int, n.shape.Rank()), slices.Repeat([]int{1}, n.shape.Rank())
				element = m.do(func() (*stablehlo.Value, error) { return stablehlo.Slice(n.value, first, one, one) })
				element = m.do(func() (*stablehlo.Value, error) {
					return stablehlo.Reshape(element, xlaShape(shapes.Make(n.shape.DType)))
				})
			}
			zero := m.do(func() (*stablehlo.Value, error) { return g.scalar(dtypeValue(n.shape.DType, 0)) })
			if m.err != nil {
				break
			}
			hidden = m.or(hidden, m.compare(element, zero, types.CompareNE, comparisonType(n.shape.DType, false)))
		}
		zeros := m.do(func() (*stablehlo.Value, error) {
			return g.filled(dtypeValue(nodes[0].shape.DType, 0), nodes[0].value.Shape())
		})
		return m.choose(hidden, nodes[0].value, zeros), m.err
	}, append([]compute.Value{x}, dependencies...)...)
}

// DynamicDimensionSize adds the size of an axis, an Int32, which may differ between executions.
func (f *Function) DynamicDimensionSize(x compute.Value, axis int) (compute.Value, error) {
	const op = compute.OpTypeDynamicDimensionSize
	return f.one(op, func(g *function, nodes []*node) (*stablehlo.Value, error) {
		axis, err := axisOf(nodes[0], axis)
		if err != nil {
			return nil, err
		}
		sizes, err := int32s(nodes[0].shape.Dimensions[axis : axis+1])
		if err != nil {
			return nil, wrapf(err, "%s", op)
		}
		v, err := g.scalar(sizes[0])
		if err == nil {
			g.in.note(v, nodes[0].shape.Dimensions[axis:axis+1])
		}
		return v, err
	}, x)
}

// DynamicShape adds the sizes of all axes, a vector of Int32s, which may differ between
// executions.
func (f *Function) DynamicShape(x compute.Value) (compute.Value, error) {
	const op = compute.OpTypeDynamicShape
	return f.one(op, func(g *function, nodes []*node) (*stablehlo.Value, error) {
		sizes, err := int32s(nodes[0].shape.Dimensions)
		if err != nil {
			return nil, wrapf(err, "%s", op)
		}
		v, err := g.code.ConstantFromFlatAndDimensions(sizes, len(sizes))
		if err == nil {
			g.in.note(v, nodes[0].shape.Dimensions)
		}
		return v, err
	}, x)
}

// int32s returns sizes of axes as Int32s.
func int32s(sizes []int) ([]int32, error) {
	list := make([]int32, len(sizes))
	for i, n := range sizes {
		if list[i] = int32(n); int(list[i]) != n {
			return nil, errorf("an axis of %d elements is too long: GoMLX keeps its size in an Int32", n)
		}
	}
	return list, nil
}
