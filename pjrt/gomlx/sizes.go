// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/pkg/errors"
)

// Operations such as DynamicReshape take sizes that are values of the program. An instance has
// numbers for those that follow from constants, from the sizes of axes, and from parameters of
// integers. A parameter that sizes depend on is like a dynamic axis: the instance is for what an
// execution passes for it.

// maxSizes is how many elements constants and parameters have at most that sizes can follow from.
const maxSizes = 16

// note keeps the numbers of v, if sizes may follow from them.
func (in *instance) note(v *stablehlo.Value, numbers []int) {
	if len(numbers) <= maxSizes {
		in.numbers[v] = numbers
	}
}

// integers returns a slice of integers as ints, or nil if it is something else, or too large.
func integers(flat any) []int {
	v := reflect.ValueOf(flat)
	if v.Kind() != reflect.Slice || v.Len() > maxSizes {
		return nil
	}
	list := make([]int, v.Len())
	for i := range list {
		switch x := v.Index(i); {
		case x.CanInt():
			list[i] = int(x.Int())
		case x.CanUint() && x.Uint() <= math.MaxInt:
			list[i] = int(x.Uint())
		default:
			return nil
		}
	}
	return list
}

// unknownSize is an error about a value that has no number in an instance.
type unknownSize struct {
	of  *stablehlo.Value
	why string
}

func (e *unknownSize) Error() string { return e.why }

const ofData = "the size depends on data that the program computes"

// numbersOf returns the elements of v, an integer or a vector of integers.
func (in *instance) numbersOf(g *function, v *stablehlo.Value) ([]int, error) {
	for in.outer[v] != nil {
		g, v = in.outer[v].function, in.outer[v].value
	}
	if numbers, ok := in.numbers[v]; ok {
		return numbers, nil
	}
	i := slices.IndexFunc(g.code.Statements, func(s *stablehlo.Statement) bool { return slices.Contains(s.Outputs, v) })
	if i < 0 {
		return nil, &unknownSize{v, ofData}
	}
	s := g.code.Statements[i]
	// The type of the name is internal to go-xla.
	fold := folds[s.OpType.String()]
	if fold == nil {
		return nil, &unknownSize{v, ofData}
	}
	operands := make([][]int, len(s.Inputs))
	for k, operand := range s.Inputs {
		var err error
		if operands[k], err = in.numbersOf(g, operand); err != nil {
			return nil, err
		}
	}
	numbers := fold(s, operands)
	if numbers == nil {
		why := fmt.Sprintf("the size depends on an operation that only the program computes (%s to %s)", s.OpType, v.Shape().DType)
		return nil, &unknownSize{v, why}
	}
	in.note(v, numbers)
	return numbers, nil
}

// folds are the operations on integers that sizes are computed with. Each returns nil for
// operands that it has no numbers for.
var folds = map[string]func(s *stablehlo.Statement, operands [][]int) []int{
	"Add":       elementwise(func(l, r int) int { return l + r }),
	"Subtract":  elementwise(func(l, r int) int { return l - r }),
	"Multiply":  elementwise(func(l, r int) int { return l * r }),
	"Maximum":   elementwise(func(l, r int) int { return max(l, r) }),
	"Minimum":   elementwise(func(l, r int) int { return min(l, r) }),
	"Divide":    divisions(func(l, r int) int { return l / r }),
	"Remainder": divisions(func(l, r int) int { return l % r }),
	"Convert":   func(s *stablehlo.Statement, operands [][]int) []int { return allWrapped(s, slices.Clone(operands[0])) },
	"Reshape":   func(_ *stablehlo.Statement, operands [][]int) []int { return operands[0] },
	"Concatenate": func(s *stablehlo.Statement, operands [][]int) []int {
		if s.Outputs[0].Shape().Rank() != 1 {
			return nil
		}
		return slices.Concat(operands...)
	},
	"BroadcastInDim": func(s *stablehlo.Statement, operands [][]int) []int {
		if n := s.Outputs[0].Shape().Size(); len(operands[0]) == 1 && n <= maxSizes {
			return slices.Repeat(operands[0], n)
		}
		return nil
	},
	"Slice": func(s *stablehlo.Statement, operands [][]int) []int {
		const one = "array<i64: %d>" // as go-xla writes a list of one number
		var start, limit, stride int
		for name, to := range map[string]*int{"start_indices": &start, "limit_indices": &limit, "strides": &stride} {
			if _, err := fmt.Sscanf(fmt.Sprint(s.Attributes[name]), one, to); err != nil {
				return nil
			}
		}
		if stride != 1 || len(operands[0]) < limit {
			return nil
		}
		return operands[0][start:limit]
	},
}

// elementwise folds an operation on two arrays in the dtype of its result.
func elementwise(op func(l, r int) int) func(*stablehlo.Statement, [][]int) []int {
	return func(s *stablehlo.Statement, operands [][]int) []int {
		results := make([]int, len(operands[0]))
		for i, l := range operands[0] {
			results[i] = op(l, operands[1][i])
		}
		return allWrapped(s, results)
	}
}

// divisions is elementwise for operations that have no result for a divisor of zero.
func divisions(op func(l, r int) int) func(*stablehlo.Statement, [][]int) []int {
	fold := elementwise(op)
	return func(s *stablehlo.Statement, operands [][]int) []int {
		if slices.Contains(operands[1], 0) {
			return nil
		}
		return fold(s, operands)
	}
}

// allWrapped returns numbers as the dtype of the result of s keeps them, or nil if it cannot.
func allWrapped(s *stablehlo.Statement, numbers []int) []int {
	for i, n := range numbers {
		var ok bool
		if numbers[i], ok = wrapped(s.Outputs[0].Shape().DType, n); !ok {
			return nil
		}
	}
	return numbers
}

// wrapped returns n as an integer of the dtype: its lowest bits. It reports false for dtypes that
// are none of integers, and for numbers that an int has no room for.
func wrapped(t dtypes.DType, n int) (number int, ok bool) {
	switch t {
	case dtypes.Int8:
		return int(int8(n)), true
	case dtypes.Int16:
		return int(int16(n)), true
	case dtypes.Int32:
		return int(int32(n)), true
	case dtypes.Int64:
		return n, true
	case dtypes.Uint8:
		return int(uint8(n)), true
	case dtypes.Uint16:
		return int(uint16(n)), true
	case dtypes.Uint32:
		return int(uint32(n)), true
	case dtypes.Uint64:
		return n, n >= 0
	}
	return 0, false
}

// symbolOf names element k of the i-th parameter as a size.
func symbolOf(i, k int) string { return fmt.Sprintf("%sparameter%d.%d", ownName, i, k) }

// sizesFrom prepares the program for sizes that follow from values: the parameters that these
// depend on become sizes themselves. nil values are of no concern.
func (f *Function) sizesFrom(op compute.OpType, list []compute.Value) error {
	b := f.builder
	values, err := f.operands(op, slices.DeleteFunc(slices.Clone(list), func(v compute.Value) bool { return v == nil }))
	if err != nil {
		return err
	}
	for _, v := range values {
		if !v.shape.DType.IsInt() || v.shape.Rank() > 1 || v.shape.IsDynamic() || v.shape.Size() != 1 {
			return errorf("%s: a size must be an integer, and is %s", op, v.shape)
		}
		for {
			i, err := b.unknown(v)
			if err == nil {
				break
			}
			if i < 0 {
				return notImplemented(op, "%v, and XLA compiles programs whose sizes are known", err)
			}
			if err := b.sizeParameter(op, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// unknown returns nil if some instance has a number for v: others may have none for a division by
// zero. Otherwise it returns why, and the parameter of the main function that has no number, or -1.
func (b *Builder) unknown(v *value) (parameter int, err error) {
	parameter = -1
	for _, in := range b.instances {
		n := in.nodes[v.number]
		_, failed := in.numbersOf(n.function, n.value)
		if failed == nil {
			return -1, nil
		}
		if err != nil {
			continue
		}
		err = failed
		parameter = slices.IndexFunc(b.functions[0].parameters, func(p *value) bool {
			return in.nodes[p.number].value == failed.(*unknownSize).of
		})
	}
	return parameter, err
}

// sizeParameter makes sizes of the elements of the i-th parameter.
func (b *Builder) sizeParameter(op compute.OpType, i int) error {
	p := b.functions[0].parameters[i]
	if _, ok := wrapped(p.shape.DType, 0); !ok || p.shape.IsDynamic() || p.shape.Size() > maxSizes {
		return notImplemented(op, "the size depends on the parameter %s, which is not a few integers", p.shape)
	}
	if err := b.beginDynamic(p.shape); err != nil {
		return err
	}
	for k := range p.shape.Size() {
		number := func(trial, k int) int { return trialNumber(p.shape.DType, trial, k) }
		if err := b.addSymbol(symbolOf(i, k), number); err != nil {
			return err
		}
	}
	b.sized = append(b.sized, i)
	for _, in := range b.instances {
		in.noteParameter(i, in.nodes[p.number].value, p.shape.Size())
	}
	return nil
}

// noteParameter keeps the numbers of the i-th parameter of the main function, which are sizes.
func (in *instance) noteParameter(i int, v *stablehlo.Value, size int) {
	numbers := make([]int, size)
	for k := range numbers {
		numbers[k] = in.sizes[symbolOf(i, k)]
	}
	in.note(v, numbers)
}

// sizeOf returns the number of a value of one element, or the static size if there is no value.
func (g *function) sizeOf(n *node, static int) (int, error) {
	if n == nil {
		return static, nil
	}
	numbers, err := g.in.numbersOf(g, n.value)
	if err != nil {
		return 0, err
	}
	return numbers[0], nil
}

// dimensions returns the values in the specs, which are nil for static and inferred dimensions.
func dimensions(specs []compute.DynamicDimensionSpec) []compute.Value {
	list := make([]compute.Value, len(specs))
	for i, s := range specs {
		list[i] = s.Value
	}
	return list
}

// checkSpecs returns an error for specs that say nothing, or more than one thing.
func checkSpecs(op compute.OpType, specs []compute.DynamicDimensionSpec) error {
	for i, s := range specs {
		switch {
		case s.Name == "" && s.Value != nil:
			return errorf("%s: dimension %d has a value and no name", op, i)
		case s.Name == "" && s.Static < 0:
			return errorf("%s: dimension %d is %d, and a static one cannot be negative", op, i, s.Static)
		}
	}
	return nil
}

// shaped adds an operation whose result has dimensions from specs. build gets those, with
// shapes.DynamicDim for a dimension that only has a name.
func (f *Function) shaped(op compute.OpType, specs []compute.DynamicDimensionSpec, operands []compute.Value,
	build func(g *function, in []*node, dims []int) (*stablehlo.Value, error)) (compute.Value, error) {
	specs = slices.Clone(specs)
	if err := checkSpecs(op, specs); err != nil {
		return nil, err
	}
	if err := f.sizesFrom(op, dimensions(specs)); err != nil {
		return nil, err
	}
	all := slices.Clone(operands)
	for _, s := range specs {
		if s.Value != nil {
			all = append(all, s.Value)
		}
	}
	v, err := f.one(op, func(g *function, nodes []*node) (*stablehlo.Value, error) {
		values := nodes[len(operands):]
		dims := make([]int, len(specs))
		for i, s := range specs {
			switch {
			case s.Value != nil:
				var err error
				if dims[i], err = g.sizeOf(values[0], 0); err != nil {
					return nil, err
				}
				values = values[1:]
				if dims[i] < 0 {
					return nil, errors.Errorf("dimension %d is %d, and cannot be negative", i, dims[i])
				}
			case s.Name != "":
				dims[i] = shapes.DynamicDim
			default:
				dims[i] = s.Static
			}
		}
		return build(g, nodes[:len(operands)], dims)
	}, all...)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	f.builder.nameAxes(v.(*value), names)
	return v, nil
}

// DynamicReshape adds the elements of x with other dimensions. One that has only a name is as large
// as the others leave it.
func (f *Function) DynamicReshape(x compute.Value, specs ...compute.DynamicDimensionSpec) (compute.Value, error) {
	const op = compute.OpTypeDynamicReshape
	return f.shaped(op, specs, []compute.Value{x}, func(_ *function, in []*node, dims []int) (*stablehlo.Value, error) {
		known, open := 1, -1
		for i, d := range dims {
			switch {
			case d != shapes.DynamicDim:
				known *= d
			case open >= 0:
				return nil, errors.Errorf("the dimensions %d and %d both have only a name", open, i)
			default:
				open = i
			}
		}
		if open >= 0 {
			if known == 0 || in[0].shape.Size()%known != 0 {
				return nil, errors.Errorf("%s has no size for dimension %d of %v", in[0].shape, open, dims)
			}
			dims[open] = in[0].shape.Size() / known
		}
		return stablehlo.Reshape(in[0].value, xlaShape(shapes.Make(in[0].shape.DType, dims...)))
	})
}

// DynamicBroadcastInDim adds x repeated; axes has the axis of the result for each axis of x. A
// dimension that has only a name is as large as that axis of x, or as the axis of that name.
func (f *Function) DynamicBroadcastInDim(x compute.Value, axes []int, specs ...compute.DynamicDimensionSpec) (compute.Value, error) {
	const op = compute.OpTypeDynamicBroadcastInDim
	axes, specs = slices.Clone(axes), slices.Clone(specs)
	return f.shaped(op, specs, []compute.Value{x}, func(g *function, in []*node, dims []int) (*stablehlo.Value, error) {
		return g.repeat(in[0], namedShape(in[0].shape.DType, dims, specs), axes)
	})
}

// namedShape returns a shape whose open dimensions have the names of specs.
func namedShape(t dtypes.DType, dims []int, specs []compute.DynamicDimensionSpec) shapes.Shape {
	shape := shapes.Shape{DType: t, Dimensions: dims, AxisNames: make([]string, len(dims))}
	for i, d := range dims {
		if d == shapes.DynamicDim {
			shape.AxisNames[i] = specs[i].Name
		}
	}
	return shape
}

// DynamicIota adds an array whose elements are their positions along an axis. A dimension that
// has only a name is as large as the axis of that name.
func (f *Function) DynamicIota(t dtypes.DType, axis int, specs ...compute.DynamicDimensionSpec) (compute.Value, error) {
	const op = compute.OpTypeDynamicIota
	specs = slices.Clone(specs)
	return f.shaped(op, specs, nil, func(g *function, _ []*node, dims []int) (*stablehlo.Value, error) {
		return g.iota(namedShape(t, dims, specs), axis)
	})
}

// DynamicPad adds x with fill around and between its elements. Missing axes are not padded.
func (f *Function) DynamicPad(x, fill compute.Value, axes ...compute.DynamicPadAxis) (compute.Value, error) {
	const op = compute.OpTypeDynamicPad
	axes = slices.Clone(axes)
	all := []compute.Value{x, fill}
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = a.TargetAxisName
		for _, v := range []compute.Value{a.StartValue, a.EndValue, a.InteriorValue} {
			if v != nil {
				all = append(all, v)
			}
		}
	}
	if err := f.sizesFrom(op, all[2:]); err != nil {
		return nil, err
	}
	v, err := f.one(op, func(g *function, nodes []*node) (*stablehlo.Value, error) {
		values := nodes[2:]
		size := func(v compute.Value, static int) (int, error) {
			if v == nil {
				return static, nil
			}
			n := values[0]
			values = values[1:]
			return g.sizeOf(n, 0)
		}
		amounts := make([]compute.PadAxis, len(axes))
		for i, a := range axes {
			var err error
			p := &amounts[i]
			if p.Start, err = size(a.StartValue, a.Start); err != nil {
				return nil, err
			}
			if p.End, err = size(a.EndValue, a.End); err != nil {
				return nil, err
			}
			if p.Interior, err = size(a.InteriorValue, a.Interior); err != nil {
				return nil, err
			}
		}
		return pad(nodes[0], nodes[1], amounts)
	}, all...)
	if err != nil {
		return nil, err
	}
	f.builder.nameAxes(v.(*value), names)
	return v, nil
}
