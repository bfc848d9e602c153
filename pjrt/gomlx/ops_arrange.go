// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/go-xla/pkg/stablehlo"
	"github.com/gomlx/go-xla/pkg/types"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/shapeinference"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// intArray returns numbers as a StableHLO attribute.
func intArray(list []int) literal {
	return literal("array<i64: " + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]") + ">")
}

// BroadcastInDim adds x repeated to a shape; axes has the axis of the result for each axis
// of x.
func (b *Builder) BroadcastInDim(x backends.Op, shape shapes.Shape, axes []int) (_ backends.Op, err error) {
	const op = backends.OpTypeBroadcastInDim
	defer recovered(op, &err)
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	if err := checkShape(shape); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	if err := shapeinference.BroadcastInDimOp(nodes[0].shape, shape, axes); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.BroadcastInDim(nodes[0].value, xlaShape(shape), axes)
	return b.result(op, v, err)
}

// Iota adds an array whose elements are their positions along an axis.
func (b *Builder) Iota(shape shapes.Shape, axis int) (backends.Op, error) {
	const op = backends.OpTypeIota
	if err := b.open(); err != nil {
		return nil, err
	}
	if err := checkShape(shape); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := b.main.Iota(xlaShape(shape), axis)
	return b.result(op, v, err)
}

// Reshape adds the elements of x with other dimensions.
func (b *Builder) Reshape(x backends.Op, dims ...int) (backends.Op, error) {
	const op = backends.OpTypeReshape
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	shape := shapes.Shape{DType: nodes[0].shape.DType, Dimensions: dims}
	if err := checkShape(shape); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.Reshape(nodes[0].value, xlaShape(shape))
	return b.result(op, v, err)
}

// Transpose adds x with its axes in another order.
func (b *Builder) Transpose(x backends.Op, permutation ...int) (backends.Op, error) {
	const op = backends.OpTypeTranspose
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	if _, err := shapeinference.TransposeOp(nodes[0].shape, permutation); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.Transpose(nodes[0].value, permutation...)
	return b.result(op, v, err)
}

// Reverse adds x with the elements along the axes in opposite order.
func (b *Builder) Reverse(x backends.Op, axes ...int) (backends.Op, error) {
	const op = backends.OpTypeReverse
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		return nodes[0], nil
	}
	if axes, err = axesOf(op, nodes[0], axes); err != nil {
		return nil, err
	}
	v, err := stablehlo.Reverse(nodes[0].value, axes...)
	return b.result(op, v, err)
}

// Concatenate adds the operands one after the other along an axis.
func (b *Builder) Concatenate(axis int, operands ...backends.Op) (backends.Op, error) {
	const op = backends.OpTypeConcatenate
	nodes, err := b.nodes(op, operands...)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, errorf("%s: there are no operands", op)
	}
	if axis, err = axisOf(op, nodes[0], axis); err != nil {
		return nil, err
	}
	if len(nodes) == 1 {
		return nodes[0], nil
	}
	list := make([]shapes.Shape, len(nodes))
	values := make([]*stablehlo.Value, len(nodes))
	for i, n := range nodes {
		list[i], values[i] = n.shape, n.value
	}
	if _, err := shapeinference.ConcatenateOp(list, axis); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.Concatenate(axis, values...)
	return b.result(op, v, err)
}

// Pad adds x with fill around and between its elements. Missing axes are not padded.
func (b *Builder) Pad(x, fill backends.Op, axes ...backends.PadAxis) (backends.Op, error) {
	const op = backends.OpTypePad
	nodes, err := b.nodes(op, x, fill)
	if err != nil {
		return nil, err
	}
	n, f := nodes[0], nodes[1]
	rank := n.shape.Rank()
	switch {
	case len(axes) > rank:
		return nil, errorf("%s: there are %d axes to pad, and %s has %d", op, len(axes), n.shape, rank)
	case !f.shape.IsScalar() || f.shape.DType != n.shape.DType:
		return nil, errorf("%s: the element to fill with must be a scalar %s, not %s", op, n.shape.DType, f.shape)
	case rank == 0:
		return n, nil
	}
	start, end, interior := make([]int, rank), make([]int, rank), make([]int, rank)
	for i, a := range axes {
		start[i], end[i], interior[i] = a.Start, a.End, a.Interior
		if a.Interior < 0 {
			return nil, errorf("%s: the padding between elements is %d", op, a.Interior)
		}
	}
	v, err := stablehlo.Pad(n.value, f.value, start, end, interior)
	return b.result(op, v, err)
}

// Slice adds the elements of x from starts up to limits in steps of strides; nil strides
// are 1.
func (b *Builder) Slice(x backends.Op, starts, limits, strides []int) (backends.Op, error) {
	const op = backends.OpTypeSlice
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	n := nodes[0]
	if len(strides) == 0 {
		strides = slices.Repeat([]int{1}, n.shape.Rank())
	}
	if len(starts) != n.shape.Rank() || len(limits) != n.shape.Rank() || len(strides) != n.shape.Rank() {
		return nil, errorf("%s: %s needs %d starts, limits and strides, not %d, %d and %d",
			op, n.shape, n.shape.Rank(), len(starts), len(limits), len(strides))
	}
	v, err := stablehlo.Slice(n.value, starts, limits, strides)
	return b.result(op, v, err)
}

// indices returns the scalars of starts, one for each of rank axes. A single vector is
// split into scalars.
func (b *Builder) indices(op backends.OpType, starts []*node, rank int) ([]*stablehlo.Value, error) {
	for i, n := range starts {
		if !n.shape.DType.IsInt() || n.shape.DType != starts[0].shape.DType {
			return nil, errorf("%s: indices must be integers of one dtype, and index %d is %s", op, i, n.shape)
		}
	}
	if len(starts) == 1 && starts[0].shape.Rank() == 1 && starts[0].shape.Dimensions[0] == rank {
		scalar := xlaShape(shapes.Make(starts[0].shape.DType))
		list := make([]*stablehlo.Value, rank)
		for i := range list {
			element, err := stablehlo.Slice(starts[0].value, []int{i}, []int{i + 1}, []int{1})
			if err != nil {
				return nil, wrapf(err, "%s", op)
			}
			if list[i], err = stablehlo.Reshape(element, scalar); err != nil {
				return nil, wrapf(err, "%s", op)
			}
		}
		return list, nil
	}
	if len(starts) != rank {
		return nil, errorf("%s: there are %d indices for %d axes", op, len(starts), rank)
	}
	list := make([]*stablehlo.Value, rank)
	for i, n := range starts {
		if !n.shape.IsScalar() {
			return nil, errorf("%s: indices must be scalars, or one vector of %d elements, and index %d is %s", op, rank, i, n.shape)
		}
		list[i] = n.value
	}
	return list, nil
}

// DynamicSlice adds a slice of x with these sizes from starts, moved so that all of it is
// inside.
func (b *Builder) DynamicSlice(x backends.Op, starts []backends.Op, sizes []int) (backends.Op, error) {
	const op = backends.OpTypeDynamicSlice
	nodes, err := b.nodes(op, append([]backends.Op{x}, starts...)...)
	if err != nil {
		return nil, err
	}
	n := nodes[0]
	if len(sizes) != n.shape.Rank() {
		return nil, errorf("%s: there are %d sizes for %s", op, len(sizes), n.shape)
	}
	for i, size := range sizes {
		if size < 0 || size > n.shape.Dimensions[i] {
			return nil, errorf("%s: the size %d of axis %d does not fit into %s", op, size, i, n.shape)
		}
	}
	indices, err := b.indices(op, nodes[1:], n.shape.Rank())
	if err != nil {
		return nil, err
	}
	if len(indices) == 0 {
		return n, nil
	}
	v, err := stablehlo.DynamicSlice(n.value, indices, sizes)
	return b.result(op, v, err)
}

// DynamicUpdateSlice adds x with update in place of the elements from starts, moved so
// that all of update is inside.
func (b *Builder) DynamicUpdateSlice(x, update backends.Op, starts []backends.Op) (backends.Op, error) {
	const op = backends.OpTypeDynamicUpdateSlice
	nodes, err := b.nodes(op, append([]backends.Op{x, update}, starts...)...)
	if err != nil {
		return nil, err
	}
	n, u := nodes[0], nodes[1]
	if u.shape.DType != n.shape.DType || u.shape.Rank() != n.shape.Rank() {
		return nil, errorf("%s: %s cannot be put into %s", op, u.shape, n.shape)
	}
	for i, size := range u.shape.Dimensions {
		if size > n.shape.Dimensions[i] {
			return nil, errorf("%s: %s does not fit into %s", op, u.shape, n.shape)
		}
	}
	indices, err := b.indices(op, nodes[2:], n.shape.Rank())
	if err != nil {
		return nil, err
	}
	if len(indices) == 0 {
		return u, nil
	}
	v, err := stablehlo.DynamicUpdateSlice(n.value, u.value, indices)
	return b.result(op, v, err)
}

// Gather adds slices of x at the indices, as StableHLO's gather without batches.
func (b *Builder) Gather(x, indices backends.Op, vectorAxis int, offsetAxes, collapsedAxes, indexMap, sizes []int, sorted bool) (
	_ backends.Op, err error) {
	const op = backends.OpTypeGather
	defer recovered(op, &err)
	nodes, err := b.nodes(op, x, indices)
	if err != nil {
		return nil, err
	}
	v, err := stablehlo.Gather(nodes[0].value, nodes[1].value, vectorAxis, offsetAxes, collapsedAxes, nil, nil, indexMap, sizes, sorted)
	return b.result(op, v, err)
}

// ScatterSum adds x with the updates added at the indices.
func (b *Builder) ScatterSum(x, indices, updates backends.Op, vectorAxis int, windowAxes, insertedAxes, indexMap []int,
	sorted, unique bool) (backends.Op, error) {
	const op = backends.OpTypeScatterSum
	return b.scatter(op, sum, x, indices, updates, vectorAxis, windowAxes, insertedAxes, indexMap, sorted, unique)
}

// ScatterMax adds x with the larger of its element and the update at the indices.
func (b *Builder) ScatterMax(x, indices, updates backends.Op, vectorAxis int, windowAxes, insertedAxes, indexMap []int,
	sorted, unique bool) (backends.Op, error) {
	const op = backends.OpTypeScatterMax
	return b.scatter(op, largest, x, indices, updates, vectorAxis, windowAxes, insertedAxes, indexMap, sorted, unique)
}

// ScatterMin adds x with the smaller of its element and the update at the indices.
func (b *Builder) ScatterMin(x, indices, updates backends.Op, vectorAxis int, windowAxes, insertedAxes, indexMap []int,
	sorted, unique bool) (backends.Op, error) {
	const op = backends.OpTypeScatterMin
	return b.scatter(op, least, x, indices, updates, vectorAxis, windowAxes, insertedAxes, indexMap, sorted, unique)
}

func (b *Builder) scatter(op backends.OpType, c combination, x, indices, updates backends.Op, vectorAxis int,
	windowAxes, insertedAxes, indexMap []int, sorted, unique bool) (_ backends.Op, err error) {
	defer recovered(op, &err)
	nodes, err := b.nodes(op, x, indices, updates)
	if err != nil {
		return nil, err
	}
	n, at, u := nodes[0], nodes[1], nodes[2]
	if n.shape.DType != u.shape.DType {
		return nil, errorf("%s: updates of dtype %s cannot be combined with %s", op, u.shape.DType, n.shape)
	}
	if _, err := shapeinference.ScatterOp(n.shape, at.shape, u.shape, vectorAxis, windowAxes, insertedAxes, indexMap); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	fn, err := b.combiner(n.shape.DType, c)
	if err != nil {
		return nil, err
	}
	v, err := stablehlo.Scatter(n.value, at.value, u.value, windowAxes, insertedAxes, nil, nil, indexMap, vectorAxis, sorted, unique, fn)
	return b.result(op, v, err)
}

// RNGBitGenerator adds random bits from the Philox algorithm, and the state for the
// next ones.
func (b *Builder) RNGBitGenerator(state backends.Op, shape shapes.Shape) (newState, values backends.Op, err error) {
	const op = backends.OpTypeRNGBitGenerator
	nodes, err := b.nodes(op, state)
	if err != nil {
		return nil, nil, err
	}
	if !nodes[0].shape.Equal(backends.RNGStateShape) {
		return nil, nil, errorf("%s: the state must be %s, not %s", op, backends.RNGStateShape, nodes[0].shape)
	}
	if err := checkShape(shape); err != nil {
		return nil, nil, wrapf(err, "%s", op)
	}
	s, v, err := stablehlo.RNGBitGenerator(nodes[0].value, xlaShape(shape), types.RNGPhilox)
	if err != nil {
		return nil, nil, wrapf(err, "%s", op)
	}
	if newState, err = b.result(op, s, nil); err != nil {
		return nil, nil, err
	}
	if values, err = b.result(op, v, nil); err != nil {
		return nil, nil, err
	}
	return newState, values, nil
}
