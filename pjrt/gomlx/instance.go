// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
)

// A program of GoMLX may have parameters with dynamic axes, which have a name in place of a
// size. XLA compiles programs whose sizes are all known. So a Builder keeps the steps that made
// a program, and repeats them in an instance for each size that executions come with. Shapes
// of values follow from two instances with trial sizes: an axis is dynamic if its sizes there
// differ, and two axes are the same if they have the same trial sizes.

// step repeats a part of the making of a program in an instance.
type step func(in *instance) error

// instance is a program in which all axes have sizes.
type instance struct {
	builder   *Builder
	module    *stablehlo.Builder
	functions []*function    // by number
	nodes     []*node        // by number of the value
	sizes     map[string]int // of dynamic axes

	numbers map[*stablehlo.Value][]int // of values that sizes follow from
	outer   map[*stablehlo.Value]*node // what a closure's value stands for in a function around it
}

func newInstance(b *Builder) *instance {
	return &instance{builder: b, module: stablehlo.New(b.name), sizes: make(map[string]int),
		numbers: make(map[*stablehlo.Value][]int), outer: make(map[*stablehlo.Value]*node)}
}

// trialSizes returns the sizes of the k-th dynamic axis in the two trial instances. They are large,
// so that static slices fit in, and have no common factors, so that products of sizes differ too.
func trialSizes(k int) [2]int {
	return [2]int{primes[2*k%len(primes)], primes[(2*k+1)%len(primes)]}
}

// primes are prime numbers for trialSizes.
var primes = func() (list []int) {
	for n := 20011; len(list) < 64; n += 2 {
		isPrime := true
		for d := 3; d*d <= n && isPrime; d += 2 {
			isPrime = n%d != 0
		}
		if isPrime {
			list = append(list, n)
		}
	}
	return list
}()

// dynamic reports whether the program has dynamic axes.
func (b *Builder) dynamic() bool { return len(b.symbols) > 0 }

// beginDynamic makes the trial instances, for a parameter of this shape, unless there are some.
func (b *Builder) beginDynamic(shape shapes.Shape) error {
	if b.spread == sharded {
		return errorf("a program that Shardy spreads over devices takes no dynamic shape such as %s", shape)
	}
	if b.dynamic() {
		return nil
	}
	instances := []*instance{newInstance(b), newInstance(b)}
	for _, in := range instances {
		for _, s := range b.steps {
			if err := s(in); err != nil {
				return err
			}
		}
	}
	b.instances = instances
	return nil
}

// addSymbol gives trial sizes to a name, if it has none.
func (b *Builder) addSymbol(name string) error {
	if slices.Contains(b.symbols, name) {
		return nil
	}
	if 2*len(b.symbols) >= len(primes) {
		return errorf("the program %q has more than %d dynamic axes", b.name, len(b.symbols))
	}
	trial := trialSizes(len(b.symbols))
	b.symbols = append(b.symbols, name)
	b.axes[trial] = name
	for i, in := range b.instances {
		in.sizes[name] = trial[i]
	}
	return nil
}

// makeDynamic gives trial sizes to the dynamic axes of the shape of a parameter.
func (b *Builder) makeDynamic(shape shapes.Shape) error {
	if err := b.beginDynamic(shape); err != nil {
		return err
	}
	for axis, d := range shape.Dimensions {
		if d == shapes.DynamicDim {
			if err := b.addSymbol(shape.AxisName(axis)); err != nil {
				return err
			}
		}
	}
	return nil
}

// run adds a step that makes values of a function, and returns them.
func (b *Builder) run(f *Function, build func(in *instance) ([]*node, error)) ([]*value, error) {
	first := len(b.values)
	var made [][]*node
	for _, in := range b.instances {
		nodes, err := build(in)
		if err != nil {
			return nil, err
		}
		made = append(made, nodes)
	}
	values := make([]*value, len(made[0]))
	for i := range values {
		shape := made[0][i].shape
		if len(made) > 1 {
			var err error
			if shape, err = b.symbolic(shape, made[1][i].shape); err != nil {
				return nil, err
			}
		}
		values[i] = &value{builder: b, function: f, number: first + i, shape: shape}
	}
	b.values = append(b.values, values...)
	for i, in := range b.instances {
		in.add(values, made[i])
	}
	b.steps = append(b.steps, func(in *instance) error {
		nodes, err := build(in)
		if err == nil {
			in.add(values, nodes)
		}
		return err
	})
	return values, nil
}

// add adds values to the instance, and notes the sizes of their axes.
func (in *instance) add(values []*value, nodes []*node) {
	in.nodes = append(in.nodes, nodes...)
	for i, v := range values {
		for axis, d := range v.shape.Dimensions {
			if d == shapes.DynamicDim {
				in.sizes[v.shape.AxisName(axis)] = nodes[i].shape.Dimensions[axis]
			}
		}
	}
}

// ownName begins the names that the backend gives to axes. GoMLX leaves such names to backends.
const ownName = "#" + Name + "."

// nameAxes gives the names that a program wants to those axes of a value that have a name of the
// backend's. A name that another axis has stays with it.
func (b *Builder) nameAxes(v *value, names []string) {
	taken := func(name string) bool {
		for _, other := range b.axes {
			if other == name {
				return true
			}
		}
		return false
	}
	for axis, name := range names {
		if name == "" || name == shapes.AnonymousAxis || !strings.HasPrefix(v.shape.AxisName(axis), ownName) || taken(name) {
			continue
		}
		var trial [2]int
		for i, in := range b.instances {
			trial[i] = in.nodes[v.number].shape.Dimensions[axis]
			in.sizes[name] = trial[i]
		}
		b.axes[trial] = name
		v.shape.AxisNames[axis] = name
	}
}

// symbolic returns the shape of a value that has the shapes l and r in the trial instances.
func (b *Builder) symbolic(l, r shapes.Shape) (shapes.Shape, error) {
	if l.Rank() != r.Rank() || l.DType != r.DType {
		return shapes.Invalid(), errorf("the shape of a value depends on the size of an axis: it is %s or %s", l, r)
	}
	if slices.Equal(l.Dimensions, r.Dimensions) {
		return l, nil
	}
	dims, names := slices.Clone(l.Dimensions), make([]string, l.Rank())
	for axis, d := range l.Dimensions {
		if d == r.Dimensions[axis] {
			continue
		}
		trial := [2]int{d, r.Dimensions[axis]}
		name, ok := b.axes[trial]
		if !ok {
			name = fmt.Sprintf("%s%d", ownName, len(b.axes))
			b.axes[trial] = name
		}
		dims[axis], names[axis] = shapes.DynamicDim, name
	}
	return shapes.MakeDynamic(l.DType, dims, names), nil
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
