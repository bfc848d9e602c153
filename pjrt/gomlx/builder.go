// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"reflect"

	"github.com/gomlx/go-xla/pkg/stablehlo"
	xlashapes "github.com/gomlx/go-xla/pkg/types/shapes"
	"github.com/gomlx/go-xla/pkg/types/shardy"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// Builder collects the operations of a program and compiles it; Backend.Builder makes one.
// It belongs to one goroutine.
type Builder struct {
	backend *Backend
	name    string
	broken  error // why nothing can be built, if the backend was finalized

	module   *stablehlo.Builder
	main     *stablehlo.Function
	compiled bool
	closures map[closureKey]*stablehlo.Function

	names      []string // of the parameters
	parameters []*node

	spread     spread
	numDevices int
	devices    []backends.DeviceNum // nil for the default
	meshes     map[string]*shardy.DeviceMesh
}

var _ backends.Builder = (*Builder)(nil)

// spread says how a program uses several devices.
type spread int

const (
	onOne    spread = iota // one device
	replicas               // each device runs the program on its own data
	sharded                // Shardy spreads the program over the devices
)

// node is a value of a program; GoMLX sees it as a backends.Op.
type node struct {
	builder *Builder
	value   *stablehlo.Value
	shape   shapes.Shape
}

// Builder returns an empty program. If the backend was finalized, the builder's methods
// return that error.
func (b *Backend) Builder(name string) backends.Builder {
	builder := &Builder{
		backend:    b,
		name:       name,
		broken:     b.usable(),
		module:     stablehlo.New(name),
		closures:   make(map[closureKey]*stablehlo.Function),
		numDevices: 1,
	}
	builder.main = builder.module.Main()
	return builder
}

// Name returns the name of the program.
func (b *Builder) Name() string { return b.name }

// open returns an error if no more can be added to the program.
func (b *Builder) open() error {
	switch {
	case b.broken != nil:
		return b.broken
	case b.compiled:
		return errorf("the program %q is compiled, and nothing can be added to it", b.name)
	}
	return nil
}

// nodes returns the nodes behind GoMLX's values.
func (b *Builder) nodes(op backends.OpType, values ...backends.Op) ([]*node, error) {
	if err := b.open(); err != nil {
		return nil, err
	}
	nodes := make([]*node, len(values))
	for i, v := range values {
		n, err := b.node(v)
		if err != nil {
			return nil, wrapf(err, "%s, operand %d", op, i)
		}
		nodes[i] = n
	}
	return nodes, nil
}

func (b *Builder) node(v backends.Op) (*node, error) {
	n, ok := v.(*node)
	switch {
	case !ok:
		return nil, errorf("%T is not a value of this kind of backend", v)
	case n == nil:
		return nil, errorf("the value is nil")
	case n.builder != b:
		return nil, errorf("the value %s belongs to the program %q, and this is %q", n.shape, n.builder.name, b.name)
	}
	return n, nil
}

// add makes a node from what the StableHLO builder returned.
func (b *Builder) add(op backends.OpType, v *stablehlo.Value, err error) (*node, error) {
	if err != nil {
		return nil, wrapf(err, "%s", op)
	}
	return &node{builder: b, value: v, shape: fromXLA(v.Shape())}, nil
}

// result is add for the methods that GoMLX calls: after an error it returns a nil
// backends.Op.
func (b *Builder) result(op backends.OpType, v *stablehlo.Value, err error) (backends.Op, error) {
	n, err := b.add(op, v, err)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// OpShape returns the shape of a value.
func (b *Builder) OpShape(op backends.Op) (shapes.Shape, error) {
	if b.broken != nil {
		return shapes.Invalid(), b.broken
	}
	n, err := b.node(op)
	if err != nil {
		return shapes.Invalid(), err
	}
	return n.shape, nil
}

// Parameter adds a parameter to the program. Its name, which must be unique, appears in
// errors and in Executable.Inputs.
func (b *Builder) Parameter(name string, shape shapes.Shape, sharding *backends.ShardingSpec) (backends.Op, error) {
	if err := b.open(); err != nil {
		return nil, err
	}
	if err := checkShape(shape); err != nil {
		return nil, wrapf(err, "parameter %q", name)
	}
	for _, other := range b.names {
		if other == name {
			return nil, errorf("there is already a parameter %q", name)
		}
	}
	spec, err := b.sharding(sharding)
	if err != nil {
		return nil, wrapf(err, "parameter %q", name)
	}
	v, err := b.main.InputWithSharding(xlaShape(shape), spec)
	if err != nil {
		return nil, wrapf(err, "parameter %q", name)
	}
	n := &node{builder: b, value: v, shape: shape}
	b.names = append(b.names, name)
	b.parameters = append(b.parameters, n)
	return n, nil
}

// Constant adds a copy of the elements of flat, a slice of a Go type that GoMLX has a
// dtype for.
func (b *Builder) Constant(flat any, dims ...int) (backends.Op, error) {
	if err := b.open(); err != nil {
		return nil, err
	}
	shape := shapes.Shape{DType: dtypeOf(reflect.TypeOf(flat)), Dimensions: dims}
	if err := checkShape(shape); err != nil {
		return nil, wrapf(err, "constant of a %T", flat)
	}
	data, err := bytesOf(flat, shape)
	if err != nil {
		return nil, err
	}
	v, err := b.main.ConstantFromFlatAndDimensions(xlaFlat(flat), dims...)
	if err != nil {
		return nil, wrapf(err, "constant %s", shape)
	}
	// The builder keeps the slice, which the caller may change, and writes it number by number.
	statement := b.main.Statements[len(b.main.Statements)-1]
	statement.Attributes["value"] = literalOf(data, shape, statement.Attributes["value"])
	return b.result(backends.OpTypeConstant, v, nil)
}

// scalar adds a Go value as a constant without dimensions.
func (b *Builder) scalar(value any) (*stablehlo.Value, error) {
	slice := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(value)), 1, 1)
	slice.Index(0).Set(reflect.ValueOf(value))
	return b.main.ConstantFromFlatAndDimensions(xlaFlat(slice.Interface()))
}

// filled adds an array of equal elements.
func (b *Builder) filled(value any, shape xlashapes.Shape) (*stablehlo.Value, error) {
	v, err := b.scalar(value)
	if err != nil || shape.IsScalar() {
		return v, err
	}
	return stablehlo.BroadcastInDim(v, shape, nil)
}

// recovered turns a panic into an error: the shape rules of GoMLX and go-xla look up
// axes in lists before they have checked them all.
func recovered(op backends.OpType, err *error) {
	if r := recover(); r != nil {
		*err = errorf("%s: the arguments do not fit together: %v", op, r)
	}
}
