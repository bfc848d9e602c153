// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"maps"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
)

// A program of GoMLX may have parameters with dynamic axes, which have a name in place of a
// size. XLA compiles programs whose sizes are all known. So a Builder keeps the steps that made
// a program, and repeats them in an instance for each size that executions come with. What the
// Builder tells GoMLX about shapes meanwhile follows from instances with trial sizes, and each
// instance checks it.

// step repeats a part of the making of a program in an instance.
type step func(in *instance) error

// instance is a program in which all axes have sizes.
type instance struct {
	builder   *Builder
	module    *stablehlo.Builder
	functions []*function    // by number
	nodes     []*node        // by number of the value
	sizes     map[string]int // of dynamic axes
	trial     int            // the number of a trial instance

	numbers map[*stablehlo.Value][]int // of values that sizes follow from
	outer   map[*stablehlo.Value]*node // what a closure's value stands for in a function around it
}

func newInstance(b *Builder) *instance {
	return &instance{builder: b, module: stablehlo.New(b.name), sizes: make(map[string]int),
		numbers: make(map[*stablehlo.Value][]int), outer: make(map[*stablehlo.Value]*node)}
}

// add adds values to the instance, which what made. It returns an error unless they have the
// shapes that GoMLX was told, and all axes of a name the same size: GoMLX may have computed with
// those.
func (in *instance) add(what string, values []*value, nodes []*node) error {
	if len(values) != len(nodes) {
		return errorf("%s has %d results for these sizes of axes, and had %d for others", what, len(nodes), len(values))
	}
	for i, v := range values {
		if err := in.keepsTo(v.shape, nodes[i].shape); err != nil {
			return wrapf(err, "%s, result %d", what, i)
		}
	}
	in.nodes = append(in.nodes, nodes...)
	return nil
}

// keepsTo returns an error unless shape is what told says, and notes the sizes of its axes.
func (in *instance) keepsTo(told, shape shapes.Shape) error {
	const advice = "GoMLX may have computed with that, so these sizes need a program of their own, with parameters of fixed shapes"
	if shape.DType != told.DType || shape.Rank() != told.Rank() {
		return errorf("the shape is %s for these sizes of axes, and was %s for all that the program was tried with: %s",
			shape, told, advice)
	}
	for axis, d := range shape.Dimensions {
		if want := told.Dimensions[axis]; want != shapes.DynamicDim {
			if d != want {
				return errorf("axis %d is %d for these sizes of axes, and was %d for all that the program was tried with: %s",
					axis, d, want, advice)
			}
			continue
		}
		name := told.AxisName(axis)
		if size, known := in.sizes[name]; known && d != size {
			return errorf("axis %d is %d for these sizes of axes, and was as large as the axis %q, which is %d, "+
				"for all that the program was tried with: %s", axis, d, name, size, advice)
		}
		in.sizes[name] = d
	}
	return nil
}

// resolve returns shape with the sizes that its dynamic axes have in the instance.
func (in *instance) resolve(shape shapes.Shape) (shapes.Shape, error) {
	dims := slices.Clone(shape.Dimensions)
	for axis, d := range dims {
		if d != shapes.DynamicDim {
			continue
		}
		size, ok := in.sizes[shape.AxisName(axis)]
		if !ok {
			return shapes.Invalid(), errorf("no parameter says how large the axis %q of %s is", shape.AxisName(axis), shape)
		}
		dims[axis] = size
	}
	return shapes.Make(shape.DType, dims...), nil
}

// instantiate returns the program with these sizes.
func (b *Builder) instantiate(sizes shapes.AxisBindings) (*instance, error) {
	in := newInstance(b)
	maps.Copy(in.sizes, sizes)
	for _, s := range b.steps {
		if err := s(in); err != nil {
			return nil, err
		}
	}
	return in, nil
}
