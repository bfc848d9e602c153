// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"slices"

	"github.com/gomlx/go-xla/pkg/stablehlo"
	"github.com/gomlx/go-xla/pkg/types"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/shapeinference"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// Dot adds the product of two vectors, a matrix and a vector, or two matrices.
func (b *Builder) Dot(lhs, rhs backends.Op) (backends.Op, error) {
	const op = backends.OpTypeDot
	nodes, err := b.nodes(op, lhs, rhs)
	if err != nil {
		return nil, err
	}
	l, r := nodes[0].shape.Rank(), nodes[1].shape.Rank()
	if l < 1 || l > 2 || r < 1 || r > 2 {
		return nil, errorf("%s multiplies vectors and matrices, not %s and %s", op, nodes[0].shape, nodes[1].shape)
	}
	return b.dot(op, nodes[0], []int{l - 1}, nil, nodes[1], []int{0}, nil)
}

// DotGeneral adds sums of products over the contracting axes, for each element of the
// batch axes.
func (b *Builder) DotGeneral(lhs backends.Op, lhsContracting, lhsBatch []int, rhs backends.Op, rhsContracting, rhsBatch []int) (
	backends.Op, error) {
	const op = backends.OpTypeDotGeneral
	nodes, err := b.nodes(op, lhs, rhs)
	if err != nil {
		return nil, err
	}
	return b.dot(op, nodes[0], lhsContracting, lhsBatch, nodes[1], rhsContracting, rhsBatch)
}

func (b *Builder) dot(op backends.OpType, l *node, lContracting, lBatch []int, r *node, rContracting, rBatch []int) (backends.Op, error) {
	if l.shape.DType != r.shape.DType {
		return nil, errorf("%s: the dtypes of %s and %s differ", op, l.shape, r.shape)
	}
	var err error
	if lContracting, lBatch, err = dotAxes(op, l, lContracting, lBatch); err != nil {
		return nil, err
	}
	if rContracting, rBatch, err = dotAxes(op, r, rContracting, rBatch); err != nil {
		return nil, err
	}
	if len(lContracting) != len(rContracting) || len(lBatch) != len(rBatch) {
		return nil, errorf("%s: contracting axes %v, %v and batch axes %v, %v do not match", op, lContracting, rContracting, lBatch, rBatch)
	}
	v, err := stablehlo.DotGeneral(l.value, lContracting, lBatch, r.value, rContracting, rBatch).Done()
	return b.result(op, v, err)
}

// dotAxes returns the axes as numbers from 0, in their order. It is an error if one is
// named twice.
func dotAxes(op backends.OpType, n *node, contracting, batch []int) (c, bt []int, err error) {
	all := make([]int, 0, len(contracting)+len(batch))
	for _, axis := range slices.Concat(contracting, batch) {
		i, err := axisOf(op, n, axis)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(all, i) {
			return nil, nil, errorf("%s: axis %d of %s is named twice", op, axis, n.shape)
		}
		all = append(all, i)
	}
	return all[:len(contracting)], all[len(contracting):], nil
}

// ConvGeneral adds a convolution of x with a kernel.
func (b *Builder) ConvGeneral(x, kernel backends.Op, axes backends.ConvolveAxesConfig, strides []int, paddings [][2]int,
	inputDilations, kernelDilations []int, channelGroups, batchGroups int) (_ backends.Op, err error) {
	const op = backends.OpTypeConvGeneral
	defer recovered(op, &err)
	nodes, err := b.nodes(op, x, kernel)
	if err != nil {
		return nil, err
	}
	n, k := nodes[0], nodes[1]
	// GoMLX's rules require what the operation may leave out.
	spatial := max(n.shape.Rank()-2, 0)
	channelGroups, batchGroups = max(channelGroups, 1), max(batchGroups, 1)
	if len(paddings) == 0 {
		paddings = make([][2]int, spatial)
	}
	for _, list := range []*[]int{&strides, &inputDilations, &kernelDilations} {
		if len(*list) == 0 {
			*list = slices.Repeat([]int{1}, spatial)
		}
	}
	if _, err := shapeinference.ConvGeneralOp(n.shape, k.shape, axes, strides, paddings, inputDilations, kernelDilations,
		channelGroups, batchGroups); err != nil {
		return nil, wrapf(err, "%s", op)
	}
	v, err := stablehlo.Convolution(n.value, k.value, strides, paddings, inputDilations, kernelDilations,
		axes.InputBatch, axes.InputChannels, axes.InputSpatial,
		axes.KernelInputChannels, axes.KernelOutputChannels, axes.KernelSpatial,
		axes.OutputBatch, axes.OutputChannels, axes.OutputSpatial,
		channelGroups, batchGroups, types.DotGeneralPrecisionDefault, types.DotGeneralPrecisionDefault)
	return b.result(op, v, err)
}

// FFT adds a Fourier transform over the last axes, as many as length has numbers; nil
// means the last axis.
func (b *Builder) FFT(x backends.Op, kind backends.FFTType, length []int) (_ backends.Op, err error) {
	const op = backends.OpTypeFFT
	defer recovered(op, &err)
	nodes, err := b.nodes(op, x)
	if err != nil {
		return nil, err
	}
	var transform types.FFTType
	switch kind {
	case backends.FFTForward:
		transform = types.FFTForward
	case backends.FFTInverse:
		transform = types.FFTInverse
	case backends.FFTForwardReal:
		transform = types.FFTForwardReal
	case backends.FFTInverseReal:
		transform = types.FFTInverseReal
	default:
		return nil, errorf("%s: there is no transform of kind %s", op, kind)
	}
	if rank := nodes[0].shape.Rank(); rank == 0 || len(length) > rank {
		return nil, errorf("%s: %s cannot be transformed over %d axes", op, nodes[0].shape, max(len(length), 1))
	}
	v, err := stablehlo.FFT(nodes[0].value, transform, length...)
	return b.result(op, v, err)
}

// checkFeatures returns an error unless x has the feature axis, and the others are vectors
// with an element for each feature.
func (b *Builder) checkFeatures(op backends.OpType, x *node, axis int, others ...*node) (int, error) {
	axis, err := axisOf(op, x, axis)
	if err != nil {
		return 0, err
	}
	if !x.shape.DType.IsFloat() {
		return 0, errorf("%s is for floats, not for %s", op, x.shape)
	}
	want := shapes.Make(x.shape.DType, x.shape.Dimensions[axis])
	for _, n := range others {
		if !n.shape.Equal(want) {
			return 0, errorf("%s: an operand must be %s, one element for each feature of %s, and is %s", op, want, x.shape, n.shape)
		}
	}
	return axis, nil
}

// BatchNormForInference adds x normalized by a given mean and variance.
func (b *Builder) BatchNormForInference(x, scale, offset, mean, variance backends.Op, epsilon float32, axis int) (backends.Op, error) {
	const op = backends.OpTypeBatchNormForInference
	n, err := b.nodes(op, x, scale, offset, mean, variance)
	if err != nil {
		return nil, err
	}
	if axis, err = b.checkFeatures(op, n[0], axis, n[1:]...); err != nil {
		return nil, err
	}
	v, err := stablehlo.BatchNormInference(n[0].value, n[1].value, n[2].value, n[3].value, n[4].value, epsilon, axis)
	return b.result(op, v, err)
}

// BatchNormForTraining adds x normalized by its own mean and variance, and that mean and
// variance.
func (b *Builder) BatchNormForTraining(x, scale, offset backends.Op, epsilon float32, axis int) (
	normalized, mean, variance backends.Op, err error) {
	const op = backends.OpTypeBatchNormForTraining
	n, err := b.nodes(op, x, scale, offset)
	if err != nil {
		return nil, nil, nil, err
	}
	if axis, err = b.checkFeatures(op, n[0], axis, n[1:]...); err != nil {
		return nil, nil, nil, err
	}
	v0, v1, v2, err := stablehlo.BatchNormTraining(n[0].value, n[1].value, n[2].value, epsilon, axis)
	return b.three(op, v0, v1, v2, err)
}

// BatchNormGradient adds the gradients with respect to x, the scale and the offset.
func (b *Builder) BatchNormGradient(x, scale, mean, variance, gradOutput backends.Op, epsilon float32, axis int) (
	gradX, gradScale, gradOffset backends.Op, err error) {
	const op = backends.OpTypeBatchNormGradient
	n, err := b.nodes(op, x, scale, mean, variance, gradOutput)
	if err != nil {
		return nil, nil, nil, err
	}
	if axis, err = b.checkFeatures(op, n[0], axis, n[1:4]...); err != nil {
		return nil, nil, nil, err
	}
	if !n[4].shape.Equal(n[0].shape) {
		return nil, nil, nil, errorf("%s: the gradient of the output must be %s, and is %s", op, n[0].shape, n[4].shape)
	}
	v0, v1, v2, err := stablehlo.BatchNormGradient(n[0].value, n[1].value, n[2].value, n[3].value, n[4].value, epsilon, axis)
	return b.three(op, v0, v1, v2, err)
}

// three is result for operations with three results.
func (b *Builder) three(op backends.OpType, v0, v1, v2 *stablehlo.Value, err error) (r0, r1, r2 backends.Op, _ error) {
	if err != nil {
		return nil, nil, nil, wrapf(err, "%s", op)
	}
	var results [3]backends.Op
	for i, v := range []*stablehlo.Value{v0, v1, v2} {
		if results[i], err = b.result(op, v, nil); err != nil {
			return nil, nil, nil, err
		}
	}
	return results[0], results[1], results[2], nil
}
