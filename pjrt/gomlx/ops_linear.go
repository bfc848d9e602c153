// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/go-xla/types"
	"github.com/pkg/errors"
)

// DotGeneral adds sums of products over the contracting axes, for each element of the batch axes.
// The sums are of config's AccumulatorDType, and then become its OutputDType; both are, if not set,
// the dtype of the operands.
func (f *Function) DotGeneral(lhs compute.Value, lhsContracting, lhsBatch []int, rhs compute.Value, rhsContracting, rhsBatch []int,
	config compute.DotGeneralConfig) (compute.Value, error) {
	const op = compute.OpTypeDotGeneral
	lhsContracting, lhsBatch = slices.Clone(lhsContracting), slices.Clone(lhsBatch)
	rhsContracting, rhsBatch = slices.Clone(rhsContracting), slices.Clone(rhsBatch)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		l, r := nodes[0], nodes[1]
		if l.shape.DType != r.shape.DType {
			return nil, errors.Errorf("the dtypes of %s and %s differ", l.shape, r.shape)
		}
		lContracting, lBatch, err := dotAxes(l, lhsContracting, lhsBatch)
		if err != nil {
			return nil, err
		}
		rContracting, rBatch, err := dotAxes(r, rhsContracting, rhsBatch)
		if err != nil {
			return nil, err
		}
		if len(lContracting) != len(rContracting) || len(lBatch) != len(rBatch) {
			return nil, errors.Errorf("contracting axes %v, %v and batch axes %v, %v do not match",
				lContracting, rContracting, lBatch, rBatch)
		}
		var m maker
		left, right := l.value, r.value
		given := l.shape.DType
		sum, out := config.AccumulatorDType, config.OutputDType
		if sum == dtypes.InvalidDType {
			sum = given
		}
		if out == dtypes.InvalidDType {
			out = given
		}
		for _, t := range []dtypes.DType{sum, out} {
			if !isKnown(t) {
				return nil, errors.Errorf("the dtype %s has no Go type", t)
			}
		}
		if !accumulates(given, sum) {
			left, right = m.convert(left, sum), m.convert(right, sum)
		}
		v := m.do(func() (*stablehlo.Value, error) {
			return stablehlo.DotGeneral(left, lContracting, lBatch, right, rContracting, rBatch).OutputDType(sum).Done()
		})
		return m.convert(v, out), m.err
	}, lhs, rhs)
}

// accumulates reports whether XLA multiplies elements of one dtype and adds the products up in
// another. Others are converted first.
func accumulates(given, sum dtypes.DType) bool {
	return given == sum ||
		given.IsFloat() && sum.IsFloat() && given.Size() <= sum.Size() ||
		given.IsInt() && sum.IsInt() && given.IsUnsigned() == sum.IsUnsigned() && given.Size() <= sum.Size()
}

// dotAxes returns the axes as numbers from 0, in their order. It is an error if one is
// named twice.
func dotAxes(n *node, contracting, batch []int) (c, bt []int, err error) {
	all := make([]int, 0, len(contracting)+len(batch))
	for _, axis := range slices.Concat(contracting, batch) {
		i, err := axisOf(n, axis)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(all, i) {
			return nil, nil, errors.Errorf("axis %d of %s is named twice", axis, n.shape)
		}
		all = append(all, i)
	}
	return all[:len(contracting)], all[len(contracting):], nil
}

// ConvGeneral adds a convolution of x with a kernel.
func (f *Function) ConvGeneral(x, kernel compute.Value, axes compute.ConvolveAxesConfig, strides []int, paddings [][2]int,
	inputDilations, kernelDilations []int, channelGroups, batchGroups int) (_ compute.Value, err error) {
	const op = compute.OpTypeConvGeneral
	axes, paddings = axes.Clone(), slices.Clone(paddings)
	channelGroups, batchGroups = max(channelGroups, 1), max(batchGroups, 1)
	lists := [][]int{slices.Clone(strides), slices.Clone(inputDilations), slices.Clone(kernelDilations)}
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		n, k := nodes[0], nodes[1]
		// GoMLX's rules require what the operation may leave out.
		spatial := max(n.shape.Rank()-2, 0)
		paddings := paddings
		if len(paddings) == 0 {
			paddings = make([][2]int, spatial)
		}
		filled := slices.Clone(lists)
		for i, list := range filled {
			if len(list) == 0 {
				filled[i] = slices.Repeat([]int{1}, spatial)
			}
		}
		strides, inputDilations, kernelDilations := filled[0], filled[1], filled[2]
		if _, err := shapeinference.ConvGeneral(n.shape, k.shape, axes, strides, paddings, inputDilations, kernelDilations,
			channelGroups, batchGroups); err != nil {
			return nil, err
		}
		return stablehlo.Convolution(n.value, k.value, strides, paddings, inputDilations, kernelDilations,
			axes.InputBatch, axes.InputChannels, axes.InputSpatial,
			axes.KernelInputChannels, axes.KernelOutputChannels, axes.KernelSpatial,
			axes.OutputBatch, axes.OutputChannels, axes.OutputSpatial,
			channelGroups, batchGroups, types.DotGeneralPrecisionDefault, types.DotGeneralPrecisionDefault)
	}, x, kernel)
}

// FFT adds a Fourier transform over the last axes, as many as length has numbers; nil
// means the last axis.
func (f *Function) FFT(x compute.Value, kind compute.FFTType, length []int) (_ compute.Value, err error) {
	const op = compute.OpTypeFFT
	length = slices.Clone(length)
	return f.one(op, func(g *function, nodes []*node) (_ *stablehlo.Value, err error) {
		var transform types.FFTType
		switch kind {
		case compute.FFTForward:
			transform = types.FFTForward
		case compute.FFTInverse:
			transform = types.FFTInverse
		case compute.FFTForwardReal:
			transform = types.FFTForwardReal
		case compute.FFTInverseReal:
			transform = types.FFTInverseReal
		default:
			return nil, errors.Errorf("there is no transform of kind %s", kind)
		}
		if rank := nodes[0].shape.Rank(); rank == 0 || len(length) > rank {
			return nil, errors.Errorf("%s cannot be transformed over %d axes", nodes[0].shape, max(len(length), 1))
		}
		return stablehlo.FFT(nodes[0].value, transform, length...)
	}, x)
}

// checkFeatures returns an error unless x has the feature axis, and the others are vectors
// with an element for each feature.
func checkFeatures(x *node, axis int, others ...*node) (int, error) {
	axis, err := axisOf(x, axis)
	if err != nil {
		return 0, err
	}
	if !x.shape.DType.IsFloat() {
		return 0, errors.Errorf("the operand must be of floats, and is %s", x.shape)
	}
	want := shapes.Make(x.shape.DType, x.shape.Dimensions[axis])
	for _, n := range others {
		if !n.shape.Equal(want) {
			return 0, errors.Errorf("an operand must be %s, one element for each feature of %s, and is %s", want, x.shape, n.shape)
		}
	}
	return axis, nil
}

// BatchNormForInference adds x normalized by a given mean and variance.
func (f *Function) BatchNormForInference(x, scale, offset, mean, variance compute.Value, epsilon float32, axis int) (compute.Value, error) {
	const op = compute.OpTypeBatchNormForInference
	return f.one(op, func(g *function, n []*node) (_ *stablehlo.Value, err error) {
		axis, err := checkFeatures(n[0], axis, n[1:]...)
		if err != nil {
			return nil, err
		}
		return stablehlo.BatchNormInference(n[0].value, n[1].value, n[2].value, n[3].value, n[4].value, epsilon, axis)
	}, x, scale, offset, mean, variance)
}

// BatchNormForTraining adds x normalized by its own mean and variance, and that mean and
// variance.
func (f *Function) BatchNormForTraining(x, scale, offset compute.Value, epsilon float32, axis int) (
	normalized, mean, variance compute.Value, err error) {
	const op = compute.OpTypeBatchNormForTraining
	return three(f.all(op, func(g *function, n []*node) ([]*stablehlo.Value, error) {
		axis, err := checkFeatures(n[0], axis, n[1:]...)
		if err != nil {
			return nil, err
		}
		v0, v1, v2, err := stablehlo.BatchNormTraining(n[0].value, n[1].value, n[2].value, epsilon, axis)
		return []*stablehlo.Value{v0, v1, v2}, err
	}, x, scale, offset))
}

// BatchNormGradient adds the gradients with respect to x, the scale and the offset.
func (f *Function) BatchNormGradient(x, scale, mean, variance, gradOutput compute.Value, epsilon float32, axis int) (
	gradX, gradScale, gradOffset compute.Value, err error) {
	const op = compute.OpTypeBatchNormGradient
	return three(f.all(op, func(g *function, n []*node) ([]*stablehlo.Value, error) {
		axis, err := checkFeatures(n[0], axis, n[1:4]...)
		if err != nil {
			return nil, err
		}
		if !n[4].shape.Equal(n[0].shape) {
			return nil, errors.Errorf("the gradient of the output must be %s, and is %s", n[0].shape, n[4].shape)
		}
		v0, v1, v2, err := stablehlo.BatchNormGradient(n[0].value, n[1].value, n[2].value, n[3].value, n[4].value, epsilon, axis)
		return []*stablehlo.Value{v0, v1, v2}, err
	}, x, scale, mean, variance, gradOutput))
}

// three returns the three results of an operation.
func three(results []compute.Value, err error) (r0, r1, r2 compute.Value, _ error) {
	if err != nil {
		return nil, nil, nil, err
	}
	return results[0], results[1], results[2], nil
}
