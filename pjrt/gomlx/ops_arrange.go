// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/go-xla/types"
	"github.com/pkg/errors"
)

// BroadcastInDim adds x repeated to a shape; axes has the axis of the result for each axis
// of x.
func (f *Function) BroadcastInDim(x compute.Value, shape shapes.Shape, axes []int) (compute.Value, error) {
	const op = compute.OpTypeBroadcastInDim
	shape, axes = shape.Clone(), slices.Clone(axes)
	return f.one(op, func(g *function, nodes []*node) (*stablehlo.Value, error) { return g.repeat(nodes[0], shape, axes) }, x)
}

// repeat adds n repeated to a shape, whose dynamic axes are as large as those of n or as others
// of that name.
func (g *function) repeat(n *node, shape shapes.Shape, axes []int) (*stablehlo.Value, error) {
	concrete := shape.Clone()
	for i, axis := range axes {
		// The axis of the operand says how large a dynamic axis is, whatever its name.
		if i < n.shape.Rank() && axis >= 0 && axis < concrete.Rank() &&
			concrete.Dimensions[axis] == shapes.DynamicDim && n.shape.Dimensions[i] != 1 {
			concrete.Dimensions[axis] = n.shape.Dimensions[i]
		}
	}
	concrete, err := g.in.resolve(concrete)
	if err != nil {
		return nil, err
	}
	if err := checkShape(concrete); err != nil {
		return nil, err
	}
	if err := shapeinference.BroadcastInDim(n.shape, concrete, axes, nil); err != nil {
		return nil, err
	}
	return stablehlo.BroadcastInDim(n.value, xlaShape(concrete), axes)
}

// Iota adds an array whose elements are their positions along an axis.
func (f *Function) Iota(shape shapes.Shape, axis int) (compute.Value, error) {
	const op = compute.OpTypeIota
	shape = shape.Clone()
	return f.one(op, func(g *function, _ []*node) (*stablehlo.Value, error) { return g.iota(shape, axis) })
}

func (g *function) iota(shape shapes.Shape, axis int) (*stablehlo.Value, error) {
	concrete, err := g.in.resolve(shape)
	if err != nil {
		return nil, err
	}
	if err := checkShape(concrete); err != nil {
		return nil, err
	}
	return g.code.Iota(xlaShape(concrete), axis)
}

// Reshape adds the elements of x with other dimensions.
func (f *Function) Reshape(x compute.Value, dims ...int) (compute.Value, error) {
	const op = compute.OpTypeReshape
	values, err := f.operands(op, []compute.Value{x})
	if err != nil {
		return nil, err
	}
	dims, symbolic := slices.Clone(dims), values[0].shape
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		shape := shapes.Shape{DType: nodes[0].shape.DType, Dimensions: reshaped(nodes[0].shape, symbolic, dims)}
		if err := checkShape(shape); err != nil {
			return nil, err
		}
		return stablehlo.Reshape(nodes[0].value, xlaShape(shape))
	}, x)
}

// reshaped returns dims with sizes for its dynamic axes. These are, in order, the dynamic axes
// of the operand, whose shape in the program is symbolic. A single one may be any.
func reshaped(operand, symbolic shapes.Shape, dims []int) []int {
	if !slices.Contains(dims, shapes.DynamicDim) {
		return dims
	}
	var sizes []int
	for axis, d := range symbolic.Dimensions {
		if d == shapes.DynamicDim {
			sizes = append(sizes, operand.Dimensions[axis])
		}
	}
	known, open := 1, 0
	for _, d := range dims {
		if d == shapes.DynamicDim {
			open++
		} else {
			known *= d
		}
	}
	if open == 1 && known > 0 && operand.Size()%known == 0 {
		sizes = []int{operand.Size() / known}
	}
	if len(sizes) != open {
		return dims // which are no shape without sizes
	}
	concrete := slices.Clone(dims)
	for axis, d := range concrete {
		if d == shapes.DynamicDim {
			concrete[axis], sizes = sizes[0], sizes[1:]
		}
	}
	return concrete
}

// full returns sizes in which the size of an axis of the operand stands for each dynamic one.
func full(operand shapes.Shape, sizes []int) []int {
	concrete := slices.Clone(sizes)
	for axis, size := range concrete {
		if size == shapes.DynamicDim && axis < operand.Rank() {
			concrete[axis] = operand.Dimensions[axis]
		}
	}
	return concrete
}

// Transpose adds x with its axes in another order.
func (f *Function) Transpose(x compute.Value, permutation ...int) (compute.Value, error) {
	const op = compute.OpTypeTranspose
	permutation = slices.Clone(permutation)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		if _, err := shapeinference.Transpose(nodes[0].shape, permutation); err != nil {
			return nil, err
		}
		return stablehlo.Transpose(nodes[0].value, permutation...)
	}, x)
}

// Reverse adds x with the elements along the axes in opposite order.
func (f *Function) Reverse(x compute.Value, axes ...int) (compute.Value, error) {
	const op = compute.OpTypeReverse
	axes = slices.Clone(axes)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		if len(axes) == 0 {
			return nodes[0].value, nil
		}
		axes, err := axesOf(nodes[0], axes)
		if err != nil {
			return nil, err
		}
		return stablehlo.Reverse(nodes[0].value, axes...)
	}, x)
}

// Concatenate adds the operands one after the other along an axis.
func (f *Function) Concatenate(axis int, operands ...compute.Value) (compute.Value, error) {
	const op = compute.OpTypeConcatenate
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		if len(nodes) == 0 {
			return nil, errors.Errorf("there are no operands")
		}
		axis, err := axisOf(nodes[0], axis)
		if err != nil {
			return nil, err
		}
		if len(nodes) == 1 {
			return nodes[0].value, nil
		}
		list := make([]shapes.Shape, len(nodes))
		values := make([]*stablehlo.Value, len(nodes))
		for i, n := range nodes {
			list[i], values[i] = n.shape, n.value
		}
		if _, err := shapeinference.Concatenate(list, axis); err != nil {
			return nil, err
		}
		return stablehlo.Concatenate(axis, values...)
	}, operands...)
}

// Pad adds x with fill around and between its elements. Missing axes are not padded.
func (f *Function) Pad(x, fill compute.Value, axes ...compute.PadAxis) (compute.Value, error) {
	const op = compute.OpTypePad
	axes = slices.Clone(axes)
	return f.one(op, func(_ *function, nodes []*node) (*stablehlo.Value, error) { return pad(nodes[0], nodes[1], axes) }, x, fill)
}

func pad(n, element *node, axes []compute.PadAxis) (*stablehlo.Value, error) {
	rank := n.shape.Rank()
	switch {
	case len(axes) > rank:
		return nil, errors.Errorf("there are %d axes to pad, and %s has %d", len(axes), n.shape, rank)
	case !element.shape.IsScalar() || element.shape.DType != n.shape.DType:
		return nil, errors.Errorf("the element to fill with must be a scalar %s, not %s", n.shape.DType, element.shape)
	case rank == 0:
		return n.value, nil
	}
	start, end, interior := make([]int, rank), make([]int, rank), make([]int, rank)
	for i, a := range axes {
		start[i], end[i], interior[i] = a.Start, a.End, a.Interior
		if a.Interior < 0 {
			return nil, errors.Errorf("the padding between elements is %d", a.Interior)
		}
	}
	return stablehlo.Pad(n.value, element.value, start, end, interior)
}

// Slice adds the elements of x from starts up to limits in steps of strides; nil strides
// are 1.
func (f *Function) Slice(x compute.Value, starts, limits, strides []int) (compute.Value, error) {
	const op = compute.OpTypeSlice
	starts, limits, strides = slices.Clone(starts), slices.Clone(limits), slices.Clone(strides)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n, strides := nodes[0], strides
		if len(strides) == 0 {
			strides = slices.Repeat([]int{1}, n.shape.Rank())
		}
		if len(starts) != n.shape.Rank() || len(limits) != n.shape.Rank() || len(strides) != n.shape.Rank() {
			return nil, errors.Errorf("%s needs %d starts, limits and strides, not %d, %d and %d",
				n.shape, n.shape.Rank(), len(starts), len(limits), len(strides))
		}
		return stablehlo.Slice(n.value, starts, full(n.shape, limits), strides)
	}, x)
}

// indices returns the scalars of starts, one for each of rank axes. A single vector is
// split into scalars.
func (g *function) indices(starts []*node, rank int) ([]*stablehlo.Value, error) {
	for i, n := range starts {
		if !n.shape.DType.IsInt() || n.shape.DType != starts[0].shape.DType {
			return nil, errors.Errorf("indices must be integers of one dtype, and index %d is %s", i, n.shape)
		}
	}
	if len(starts) == 1 && starts[0].shape.Rank() == 1 && starts[0].shape.Dimensions[0] == rank {
		scalar := xlaShape(shapes.Make(starts[0].shape.DType))
		list := make([]*stablehlo.Value, rank)
		for i := range list {
			element, err := stablehlo.Slice(starts[0].value, []int{i}, []int{i + 1}, []int{1})
			if err != nil {
				return nil, err
			}
			if list[i], err = stablehlo.Reshape(element, scalar); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	if len(starts) != rank {
		return nil, errors.Errorf("there are %d indices for %d axes", len(starts), rank)
	}
	list := make([]*stablehlo.Value, rank)
	for i, n := range starts {
		if !n.shape.IsScalar() {
			return nil, errors.Errorf("indices must be scalars, or one vector of %d elements, and index %d is %s", rank, i, n.shape)
		}
		list[i] = n.value
	}
	return list, nil
}

// DynamicSlice adds a slice of x with these sizes from starts, moved so that all of it is
// inside.
func (f *Function) DynamicSlice(x compute.Value, starts []compute.Value, sizes []int) (compute.Value, error) {
	const op = compute.OpTypeDynamicSlice
	sizes = slices.Clone(sizes)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n, sizes := nodes[0], full(nodes[0].shape, sizes)
		if len(sizes) != n.shape.Rank() {
			return nil, errors.Errorf("there are %d sizes for %s", len(sizes), n.shape)
		}
		for i, size := range sizes {
			if size < 0 || size > n.shape.Dimensions[i] {
				return nil, errors.Errorf("the size %d of axis %d does not fit into %s", size, i, n.shape)
			}
		}
		indices, err := g.indices(nodes[1:], n.shape.Rank())
		if err != nil {
			return nil, err
		}
		if len(indices) == 0 {
			return n.value, nil
		}
		return stablehlo.DynamicSlice(n.value, indices, sizes)
	}, append([]compute.Value{x}, starts...)...)
}

// DynamicUpdateSlice adds x with update in place of the elements from starts, moved so
// that all of update is inside.
func (f *Function) DynamicUpdateSlice(x, update compute.Value, starts []compute.Value) (compute.Value, error) {
	const op = compute.OpTypeDynamicUpdateSlice
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n, u := nodes[0], nodes[1]
		if u.shape.DType != n.shape.DType || u.shape.Rank() != n.shape.Rank() {
			return nil, errors.Errorf("%s cannot be put into %s", u.shape, n.shape)
		}
		for i, size := range u.shape.Dimensions {
			if size > n.shape.Dimensions[i] {
				return nil, errors.Errorf("%s does not fit into %s", u.shape, n.shape)
			}
		}
		indices, err := g.indices(nodes[2:], n.shape.Rank())
		if err != nil {
			return nil, err
		}
		if len(indices) == 0 {
			return u.value, nil
		}
		return stablehlo.DynamicUpdateSlice(n.value, u.value, indices)
	}, append([]compute.Value{x, update}, starts...)...)
}

// Gather adds slices of x at the indices, as StableHLO's gather without batches.
func (f *Function) Gather(x, indices compute.Value, vectorAxis int, offsetAxes, collapsedAxes, indexMap, sizes []int, sorted bool) (
	_ compute.Value, err error) {
	const op = compute.OpTypeGather
	offsetAxes, collapsedAxes = slices.Clone(offsetAxes), slices.Clone(collapsedAxes)
	indexMap, sizes = slices.Clone(indexMap), slices.Clone(sizes)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		return stablehlo.Gather(nodes[0].value, nodes[1].value, vectorAxis, offsetAxes, collapsedAxes, nil, nil, indexMap,
			full(nodes[0].shape, sizes), sorted)
	}, x, indices)
}

// ScatterSum adds x with the updates added at the indices.
func (f *Function) ScatterSum(x, indices, updates compute.Value, vectorAxis int, windowAxes, insertedAxes, indexMap []int,
	sorted, unique bool) (compute.Value, error) {
	const op = compute.OpTypeScatterSum
	return f.scatter(op, sum, x, indices, updates, vectorAxis, windowAxes, insertedAxes, indexMap, sorted, unique)
}

// ScatterMax adds x with the larger of its element and the update at the indices.
func (f *Function) ScatterMax(x, indices, updates compute.Value, vectorAxis int, windowAxes, insertedAxes, indexMap []int,
	sorted, unique bool) (compute.Value, error) {
	const op = compute.OpTypeScatterMax
	return f.scatter(op, largest, x, indices, updates, vectorAxis, windowAxes, insertedAxes, indexMap, sorted, unique)
}

// ScatterMin adds x with the smaller of its element and the update at the indices.
func (f *Function) ScatterMin(x, indices, updates compute.Value, vectorAxis int, windowAxes, insertedAxes, indexMap []int,
	sorted, unique bool) (compute.Value, error) {
	const op = compute.OpTypeScatterMin
	return f.scatter(op, least, x, indices, updates, vectorAxis, windowAxes, insertedAxes, indexMap, sorted, unique)
}

func (f *Function) scatter(op compute.OpType, c combination, x, indices, updates compute.Value, vectorAxis int,
	windowAxes, insertedAxes, indexMap []int, sorted, unique bool) (compute.Value, error) {
	windowAxes, insertedAxes, indexMap = slices.Clone(windowAxes), slices.Clone(insertedAxes), slices.Clone(indexMap)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n, at, u := nodes[0], nodes[1], nodes[2]
		if n.shape.DType != u.shape.DType {
			return nil, errors.Errorf("updates of dtype %s cannot be combined with %s", u.shape.DType, n.shape)
		}
		if _, err := shapeinference.Scatter(n.shape, at.shape, u.shape, vectorAxis, windowAxes, insertedAxes, indexMap); err != nil {
			return nil, err
		}
		fn, err := g.combiner(n.shape.DType, c)
		if err != nil {
			return nil, err
		}
		return stablehlo.Scatter(n.value, at.value, u.value, windowAxes, insertedAxes, nil, nil, indexMap, vectorAxis,
			sorted, unique, fn)
	}, x, indices, updates)
}

// RNGBitGenerator adds random bits from the Philox algorithm, and the state for the
// next ones.
func (f *Function) RNGBitGenerator(state compute.Value, shape shapes.Shape) (newState, values compute.Value, err error) {
	const op = compute.OpTypeRNGBitGenerator
	shape = shape.Clone()
	results, err := f.all(op, func(g *function, nodes []*node) ([]*stablehlo.Value, error) {
		if !nodes[0].shape.Equal(compute.RNGStateShape) {
			return nil, errors.Errorf("the state must be %s, not %s", compute.RNGStateShape, nodes[0].shape)
		}
		concrete, err := g.in.resolve(shape)
		if err != nil {
			return nil, err
		}
		if err := checkShape(concrete); err != nil {
			return nil, err
		}
		s, v, err := stablehlo.RNGBitGenerator(nodes[0].value, xlaShape(concrete), types.RNGPhilox)
		return []*stablehlo.Value{s, v}, err
	}, state)
	if err != nil {
		return nil, nil, err
	}
	return results[0], results[1], nil
}
