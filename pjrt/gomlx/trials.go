// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// GoMLX wants to know the shapes of values while it builds a program. Those follow from instances
// with trial sizes: an axis is dynamic if its sizes there differ, and two axes are the same if they
// have the same trial sizes. That is a guess about other sizes, which instance.add checks. Trial
// sizes are large and small, odd and even, so that the guess is right for axes of the size
// min(n, 8) or of n rounded up to a multiple of 64.
//
// A program may be for some sizes only: a slice of 100 elements is an error for smaller ones. So a
// trial instance that a step fails in goes, as long as some stay.

// maxSymbols is how many dynamic axes the parameters of a program have at most.
const maxSymbols = 32

// trials are the trial sizes of the dynamic axes, by trial, then by the order in which they appear.
// The order of their sizes varies, and so do their ratios, so that min(n, m) and n/m are neither n
// nor constant. Sizes have few common factors, so that products of sizes differ too; in the first
// three trials, these may not fit in an Int32.
var trials = [...][maxSymbols]int{
	primesFrom(20011),
	reversed(primesFrom(1000003)),
	zipped(doubled(primesFrom(2003)), doubled(primesFrom(100003))),
	reversed(primesFrom(1009)),
	zipped(primesFrom(503), primesFrom(11)),
	primesFrom(7),
	swapped(doubled(primesFrom(2))),
	primesFrom(2),
	repeated(1),
	repeated(0),
}

const (
	// edges is the number of the first of the last trials, whose sizes are so small that other
	// rules may hold for them. A program must fit two trials before.
	edges = 7
	// belowZero is the trial in which numbers of arguments are negative.
	belowZero = 7
)

// primesFrom returns prime numbers from n, a prime number, on.
func primesFrom(n int) (list [maxSymbols]int) {
	for i := range list {
		list[i] = n
		for n++; !isPrime(n); n++ {
		}
	}
	return list
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return true
}

func doubled(list [maxSymbols]int) [maxSymbols]int {
	for i := range list {
		list[i] *= 2
	}
	return list
}

func reversed(list [maxSymbols]int) [maxSymbols]int {
	slices.Reverse(list[:])
	return list
}

// swapped returns list with the elements of each pair in the other order.
func swapped(list [maxSymbols]int) [maxSymbols]int {
	for i := 0; i < len(list); i += 2 {
		list[i], list[i+1] = list[i+1], list[i]
	}
	return list
}

// zipped returns elements of two lists in turn.
func zipped(even, odd [maxSymbols]int) [maxSymbols]int {
	for i := 1; i < len(even); i += 2 {
		even[i] = odd[i]
	}
	return even
}

func repeated(n int) (list [maxSymbols]int) {
	for i := range list {
		list[i] = n
	}
	return list
}

// axis is a dynamic axis as the trial instances have it.
type axis struct {
	name  string
	sizes []int // by instance
}

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
	instances := make([]*instance, len(trials))
	for i := range instances {
		in := newInstance(b)
		in.trial = i
		for _, s := range b.steps {
			if err := s(in); err != nil {
				return err
			}
		}
		instances[i] = in
	}
	b.instances = instances
	return nil
}

// addSymbol gives trial sizes to a name, if it has none. The name may be that of an axis which the
// program has computed: then the instances check that a parameter has one as large.
func (b *Builder) addSymbol(name string, size func(trial, k int) int) error {
	if slices.Contains(b.symbols, name) {
		return nil
	}
	k := len(b.symbols)
	if k >= maxSymbols {
		return errorf("the program %q has more than %d dynamic axes", b.name, k)
	}
	b.symbols = append(b.symbols, name)
	if b.axisNamed(name) != nil {
		return nil
	}
	a := &axis{name: name}
	for _, in := range b.instances {
		n := size(in.trial, k)
		in.sizes[name] = n
		a.sizes = append(a.sizes, n)
	}
	b.axes = append(b.axes, a)
	return nil
}

// makeDynamic gives trial sizes to the dynamic axes of the shape of a parameter.
func (b *Builder) makeDynamic(shape shapes.Shape) error {
	if err := b.beginDynamic(shape); err != nil {
		return err
	}
	for axis, d := range shape.Dimensions {
		if d == shapes.DynamicDim {
			if err := b.addSymbol(shape.AxisName(axis), func(trial, k int) int { return trials[trial][k] }); err != nil {
				return err
			}
		}
	}
	return nil
}

// trialNumber returns the number that stands for an element of a parameter in a trial.
func trialNumber(t dtypes.DType, trial, k int) int {
	n := trials[trial][k]
	if trial == belowZero && !t.IsUnsigned() {
		n = -n
	}
	n, _ = wrapped(t, n) // the numbers are too small to be none of the dtype
	return n
}

// run adds a step that makes values of a function, and returns them. what is the step's name in
// errors.
func (b *Builder) run(f *Function, what string, build func(in *instance) ([]*node, error)) ([]*value, error) {
	made, err := b.try(what, build)
	if err != nil {
		return nil, err
	}
	first := len(b.values)
	values := make([]*value, len(made[0]))
	for i := range values {
		values[i] = &value{builder: b, function: f, number: first + i, shape: b.symbolic(made, i)}
	}
	for i, in := range b.instances {
		if err := in.add(what, values, made[i]); err != nil {
			return nil, err
		}
	}
	b.values = append(b.values, values...)
	b.steps = append(b.steps, func(in *instance) error {
		nodes, err := build(in)
		if err != nil {
			return err
		}
		return in.add(what, values, nodes)
	})
	return values, nil
}

// try makes the nodes of a step in all instances, and returns them by instance. Trial instances
// that the step fails in go, unless too many do.
func (b *Builder) try(what string, build func(in *instance) ([]*node, error)) ([][]*node, error) {
	var failed error
	var made [][]*node
	var fits []*instance
	enough := 0
	for _, in := range b.instances {
		nodes, err := build(in)
		if err == nil && len(made) > 0 {
			err = wrapf(alike(made[0], nodes), "%s", what)
		}
		if err == nil && b.dynamic() {
			err = wrapf(countable(nodes), "%s", what)
		}
		if err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		made, fits = append(made, nodes), append(fits, in)
		if in.trial < edges {
			enough++
		}
	}
	if failed == nil {
		return made, nil
	}
	if !b.dynamic() || enough < 2 {
		return nil, failed
	}
	b.keep(fits)
	return made, nil
}

// keep forgets the other trial instances.
func (b *Builder) keep(fits []*instance) {
	for _, a := range b.axes {
		var sizes []int
		for i, in := range b.instances {
			if slices.Contains(fits, in) {
				sizes = append(sizes, a.sizes[i])
			}
		}
		a.sizes = sizes
	}
	b.instances = fits
}

// alike returns an error if the values of a step differ in more than sizes between two instances.
func alike(l, r []*node) error {
	same := func(l, r *node) bool { return l.shape.Rank() == r.shape.Rank() && l.shape.DType == r.shape.DType }
	if slices.EqualFunc(l, r, same) {
		return nil
	}
	return errorf("the shape of a value depends on the size of an axis: it is %s or %s", shapesOf(l), shapesOf(r))
}

func shapesOf(nodes []*node) (list []shapes.Shape) {
	for _, n := range nodes {
		list = append(list, n.shape)
	}
	return list
}

// countable returns an error if a value has sizes below zero, or so many elements that an int has
// no number for their bytes.
func countable(nodes []*node) error {
	for _, n := range nodes {
		count := uint64(16) // the most bytes that an element has
		for _, d := range n.shape.Dimensions {
			high, low := bits.Mul64(count, uint64(d))
			if d < 0 || high != 0 || low >= 1<<63 {
				return errorf("an array cannot have the dimensions %v", n.shape.Dimensions)
			}
			count = low
		}
	}
	return nil
}

// ownName begins the names that the backend gives to axes. GoMLX leaves such names to backends.
const ownName = "#" + Name + "."

// axisNamed returns the axis of a name, or nil.
func (b *Builder) axisNamed(name string) *axis {
	for _, a := range b.axes {
		if a.name == name {
			return a
		}
	}
	return nil
}

// axisSized returns the axis that has these sizes in the instances.
func (b *Builder) axisSized(sizes []int) *axis {
	for _, a := range b.axes {
		if slices.Equal(a.sizes, sizes) {
			return a
		}
	}
	a := &axis{sizes: sizes}
	// A parameter may have a name from the results of another program.
	for n := len(b.axes); a.name == "" || b.axisNamed(a.name) != nil; n++ {
		a.name = fmt.Sprintf("%s%d", ownName, n)
	}
	b.axes = append(b.axes, a)
	return a
}

// nameAxes gives the names that a program wants to those axes of a value that have a name of the
// backend's. A name that another axis has stays with it.
func (b *Builder) nameAxes(v *value, names []string) {
	for i, name := range names {
		if name == "" || name == shapes.AnonymousAxis || !strings.HasPrefix(v.shape.AxisName(i), ownName) || b.axisNamed(name) != nil {
			continue
		}
		var sizes []int
		for _, in := range b.instances {
			in.sizes[name] = in.nodes[v.number].shape.Dimensions[i]
			sizes = append(sizes, in.sizes[name])
		}
		if a := b.axisNamed(v.shape.AxisName(i)); a != nil {
			a.name = name
		} else { // an axis of v that is as large has its name already
			b.axes = append(b.axes, &axis{name: name, sizes: sizes})
		}
		v.shape.AxisNames[i] = name
	}
}

// symbolic returns the shape of the i-th value of a step: a size where the instances agree, and a
// name where they do not.
func (b *Builder) symbolic(made [][]*node, i int) shapes.Shape {
	shape := made[0][i].shape
	dims, names, dynamic := slices.Clone(shape.Dimensions), make([]string, shape.Rank()), false
	for axis, d := range shape.Dimensions {
		sizes, same := make([]int, len(made)), true
		for k, nodes := range made {
			sizes[k] = nodes[i].shape.Dimensions[axis]
			same = same && sizes[k] == d
		}
		if !same {
			dims[axis], names[axis], dynamic = shapes.DynamicDim, b.axisSized(sizes).name, true
		}
	}
	if !dynamic {
		return shape
	}
	return shapes.MakeDynamic(shape.DType, dims, names)
}
