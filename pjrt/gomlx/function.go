// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	xlashapes "github.com/gomlx/go-xla/types/shapes"
	"github.com/gomlx/go-xla/types/shardy"
)

// Function is a function of a program: the main one, one that others call, or a closure, which
// an operation such as While runs. It belongs to the goroutine of its Builder.
type Function struct {
	builder *Builder
	number  int
	name    string    // empty for closures
	parent  *Function // of closures

	names      []string // of the parameters
	parameters []*value
	returned   bool
	results    []*value
}

var _ compute.Function = (*Function)(nil)

// value is a value of a program; GoMLX sees it as a compute.Value.
type value struct {
	builder  *Builder
	function *Function
	number   int
	shape    shapes.Shape
}

// Name returns the name of the function, which is empty for closures.
func (f *Function) Name() string { return f.name }

// String describes the function in errors.
func (f *Function) String() string {
	if f.parent == nil {
		return fmt.Sprintf("%q", f.name)
	}
	return fmt.Sprintf("(a closure of %s)", f.parent)
}

// Builder returns the program of the function.
func (f *Function) Builder() compute.Builder { return f.builder }

// Parent returns the function that a closure is part of, or nil.
func (f *Function) Parent() compute.Function {
	if f.parent == nil {
		return nil
	}
	return f.parent
}

// Closure returns a new function that operations such as While can run. It can use the values of
// this function.
func (f *Function) Closure() (compute.Function, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	closure := &Function{builder: f.builder, parent: f}
	f.builder.addFunction(closure)
	return closure, nil
}

// Shape returns the shape of a value.
func (f *Function) Shape(v compute.Value) (shapes.Shape, error) {
	if f == nil {
		return shapes.Invalid(), errorf("the function is nil")
	}
	return f.builder.OpShape(v)
}

// open returns an error if no more can be added to the function.
func (f *Function) open() error {
	if f == nil {
		return errorf("the function is nil")
	}
	if err := f.builder.open(); err != nil {
		return err
	}
	if f.returned {
		return errorf("the function %s of the program %q has returned, and nothing can be added to it", f, f.builder.name)
	}
	return nil
}

// operands returns the values behind GoMLX's, which must be of this function or of one around it.
func (f *Function) operands(op compute.OpType, list []compute.Value) ([]*value, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	values := make([]*value, len(list))
	for i, v := range list {
		n, err := f.builder.value(v)
		if err != nil {
			return nil, wrapf(err, "%s, operand %d", op, i)
		}
		around := f
		for around != nil && around != n.function {
			around = around.parent
		}
		if around == nil {
			return nil, errorf("%s, operand %d: the value %s belongs to the function %s, which is not around %s",
				op, i, n.shape, n.function, f)
		}
		values[i] = n
	}
	return values, nil
}

// closureOf returns the Function behind GoMLX's, which must be a closure of this one and have
// returned.
func (f *Function) closureOf(op compute.OpType, v compute.Function) (*Function, error) {
	c, ok := v.(*Function)
	switch {
	case v == nil || ok && c == nil:
		return nil, errorf("%s: the closure is nil", op)
	case !ok:
		return nil, errorf("%s: %T is not a function of this kind of backend", op, v)
	case c.parent != f:
		return nil, errorf("%s takes a closure of the function %s, and %s is none", op, f, c)
	case !c.returned:
		return nil, errorf("%s: the function %s does not return", op, c)
	}
	return c, nil
}

// one adds an operation with one result. build adds it to an instance.
func (f *Function) one(op compute.OpType, build func(g *function, in []*node) (*stablehlo.Value, error), operands ...compute.Value) (
	compute.Value, error) {
	results, err := f.all(op, func(g *function, in []*node) ([]*stablehlo.Value, error) {
		v, err := build(g, in)
		return []*stablehlo.Value{v}, err
	}, operands...)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// all adds an operation with several results. build adds it to an instance, and all names the
// operation in its errors.
func (f *Function) all(op compute.OpType, build func(g *function, in []*node) ([]*stablehlo.Value, error), operands ...compute.Value) (
	[]compute.Value, error) {
	values, err := f.operands(op, operands)
	if err != nil {
		return nil, err
	}
	made, err := f.builder.run(f, op.String(), func(in *instance) (_ []*node, err error) {
		g := in.functions[f.number]
		nodes := make([]*node, len(values))
		for i, v := range values {
			if nodes[i], err = g.local(in.nodes[v.number]); err != nil {
				return nil, wrapf(err, "%s, operand %d", op, i)
			}
		}
		// The shape rules of GoMLX and go-xla look up axes in lists before they have
		// checked them all.
		defer func() {
			if r := recover(); r != nil {
				err = errorf("%s: the arguments do not fit together: %v", op, r)
			}
		}()
		out, err := build(g, nodes)
		if err != nil {
			return nil, wrapf(err, "%s", op)
		}
		results := make([]*node, len(out))
		for i, v := range out {
			results[i] = &node{function: g, value: v, shape: fromXLA(v.Shape())}
		}
		return results, nil
	})
	if err != nil {
		return nil, err
	}
	results := make([]compute.Value, len(made))
	for i, v := range made {
		results[i] = v
	}
	return results, nil
}

// Parameter adds a parameter to the function. Its name, which must be unique, appears in
// errors and in Executable.Inputs. The axes of its shape may be dynamic in the main function.
func (f *Function) Parameter(name string, shape shapes.Shape, sharding *compute.ShardingSpec) (compute.Value, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	if err := checkSymbolic(shape); err != nil {
		return nil, wrapf(err, "parameter %q", name)
	}
	if slices.Contains(f.names, name) {
		return nil, errorf("there is already a parameter %q", name)
	}
	spec, err := f.builder.sharding(sharding)
	if err != nil {
		return nil, wrapf(err, "parameter %q", name)
	}
	shape = shape.Clone()
	if shape.IsDynamic() {
		if err := f.builder.makeDynamic(shape); err != nil {
			return nil, wrapf(err, "parameter %q", name)
		}
	}
	number := len(f.parameters)
	made, err := f.builder.run(f, fmt.Sprintf("parameter %q", name), func(in *instance) ([]*node, error) {
		g := in.functions[f.number]
		concrete, err := in.resolve(shape)
		if err != nil {
			return nil, wrapf(err, "parameter %q", name)
		}
		v, err := g.code.InputWithSharding(xlaShape(concrete), spec)
		if err != nil {
			return nil, wrapf(err, "parameter %q", name)
		}
		// Sizes may follow from the parameter, as later steps of the program say.
		if f.number == 0 && slices.Contains(f.builder.sized, number) {
			in.noteParameter(number, v, concrete.Size())
		}
		return []*node{{function: g, value: v, shape: concrete}}, nil
	})
	if err != nil {
		return nil, err
	}
	f.names = append(f.names, name)
	f.parameters = append(f.parameters, made[0])
	return made[0], nil
}

// Constant adds a copy of the elements of flat, a slice of a Go type that GoMLX has a
// dtype for.
func (f *Function) Constant(flat any, dims ...int) (compute.Value, error) {
	const op = compute.OpTypeConstant
	shape := shapes.Shape{DType: dtypeOf(reflect.TypeOf(flat)), Dimensions: slices.Clone(dims)}
	if err := checkShape(shape); err != nil {
		return nil, wrapf(err, "constant of a %T", flat)
	}
	data, err := bytesOf(flat, shape)
	if err != nil {
		return nil, err
	}
	// The caller may change the slice. The StableHLO builder writes only short ones well.
	text := literalOf(data, shape)
	var short any
	if text == "" {
		short = reflect.AppendSlice(reflect.Zero(reflect.TypeOf(flat)), reflect.ValueOf(flat)).Interface()
	}
	numbers := integers(flat)
	v, err := f.one(op, func(g *function, _ []*node) (*stablehlo.Value, error) {
		v, err := g.code.ConstantFromFlatAndShape(short, xlaShape(shape))
		if err == nil && text != "" {
			g.last().Attributes["value"] = text
		}
		if err == nil && numbers != nil {
			g.in.note(v, numbers)
		}
		return v, err
	})
	if err == nil {
		f.builder.constants += len(data)
	}
	return v, err
}

// Return ends the function with its results. shardings are for DistributedAutoSharding; the
// list may be nil, as may each element.
func (f *Function) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	if err := f.open(); err != nil {
		return err
	}
	if len(outputs) == 0 {
		return errorf("the function %s of the program %q has no results", f, f.builder.name)
	}
	if len(shardings) != 0 && len(shardings) != len(outputs) {
		return errorf("the program %q has %d results and %d shardings of them", f.builder.name, len(outputs), len(shardings))
	}
	values, err := f.operands(compute.OpTypeInvalid, outputs)
	if err != nil {
		return wrapf(err, "results of the function %s of the program %q", f, f.builder.name)
	}
	specs := make([]*shardy.ShardingSpec, len(shardings))
	for i, s := range shardings {
		if specs[i], err = f.builder.sharding(s); err != nil {
			return wrapf(err, "result %d of the program %q", i, f.builder.name)
		}
	}
	if _, err := f.builder.run(f, "the results", func(in *instance) ([]*node, error) {
		g := in.functions[f.number]
		list := make([]*stablehlo.Value, len(values))
		for i, v := range values {
			n, err := g.local(in.nodes[v.number])
			if err != nil {
				return nil, err
			}
			list[i] = n.value
		}
		err := g.code.ReturnWithShardingAndAttributes(list, specs, nil)
		return nil, wrapf(err, "results of the function %s of the program %q", f, f.builder.name)
	}); err != nil {
		return err
	}
	f.returned, f.results = true, values
	return nil
}

// function is a Function in one instance of the program.
type function struct {
	in       *instance
	code     *stablehlo.Function
	parent   *function
	closures map[closureKey]*stablehlo.Function
}

// node is a value in one instance of the program.
type node struct {
	function *function
	value    *stablehlo.Value
	shape    shapes.Shape
}

// local returns n as a value of this function. Operations are part of the function that their
// operands belong to.
func (g *function) local(n *node) (*node, error) {
	if n.function == g {
		return n, nil
	}
	v, err := g.code.UseParentValue(n.value)
	if err != nil {
		return nil, err
	}
	g.in.outer[v] = n
	return &node{function: g, value: v, shape: n.shape}, nil
}

// last returns the operation that was added last.
func (g *function) last() *stablehlo.Statement {
	return g.code.Statements[len(g.code.Statements)-1]
}

// scalar adds a Go value as a constant without dimensions.
func (g *function) scalar(value any) (*stablehlo.Value, error) {
	slice := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(value)), 1, 1)
	slice.Index(0).Set(reflect.ValueOf(value))
	return g.code.ConstantFromFlatAndDimensions(slice.Interface())
}

// filled adds an array of equal elements.
func (g *function) filled(value any, shape xlashapes.Shape) (*stablehlo.Value, error) {
	v, err := g.scalar(value)
	if err != nil || shape.IsScalar() {
		return v, err
	}
	return stablehlo.BroadcastInDim(v, shape, nil)
}
