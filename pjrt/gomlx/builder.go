// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/go-xla/types/shardy"
)

// Builder collects the functions of a program and compiles it; Backend.Builder makes one.
// It belongs to one goroutine.
type Builder struct {
	backend *Backend
	name    string

	compiled  bool
	functions []*Function // by number; the first is main
	values    []*value    // by number
	steps     []step      // all that was built, in order

	// instances are the program with sizes for all axes: one that is compiled, or, once a
	// parameter has an axis without a size, some with trial sizes, which tell the shapes.
	instances []*instance
	axes      []*axis  // without a size
	symbols   []string // of the axes of parameters, in the order of their appearance
	sized     []int    // the parameters of the main function whose elements are sizes

	constants  int // bytes of all constants
	spread     spread
	numDevices int
	devices    []compute.DeviceNum // nil for the default
	meshes     map[string]*shardy.DeviceMesh
}

var _ compute.Builder = (*Builder)(nil)

// spread says how a program uses several devices.
type spread int

const (
	onOne    spread = iota // one device
	replicas               // each device runs the program on its own data
	sharded                // Shardy spreads the program over the devices
)

// Builder returns an empty program. If the backend was finalized, the builder's methods
// return that error.
func (b *Backend) Builder(name string) compute.Builder {
	builder := &Builder{backend: b, name: name, numDevices: 1}
	builder.instances = []*instance{newInstance(builder)}
	builder.addFunction(&Function{builder: builder, name: compute.MainName})
	return builder
}

// Name returns the name of the program.
func (b *Builder) Name() string { return b.name }

// Main returns the function that executions of the program run.
func (b *Builder) Main() compute.Function { return b.functions[0] }

// NewFunction adds a function, which others of the program can call. Its name must be
// unique.
func (b *Builder) NewFunction(name string) (compute.Function, error) {
	if err := b.open(); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, errorf("a function of the program %q needs a name", b.name)
	}
	for _, f := range b.functions {
		if stablehlo.NormalizeIdentifier(f.name) == stablehlo.NormalizeIdentifier(name) {
			return nil, errorf("the program %q already has a function %q", b.name, f.name)
		}
	}
	f := &Function{builder: b, name: name}
	b.addFunction(f)
	return f, nil
}

// addFunction adds a function to the program, empty in all instances.
func (b *Builder) addFunction(f *Function) {
	f.number = len(b.functions)
	b.functions = append(b.functions, f)
	add := func(in *instance) error {
		g := &function{in: in, closures: make(map[closureKey]*stablehlo.Function)}
		if f.parent != nil {
			g.parent = in.functions[f.parent.number]
			g.code = g.parent.code.Closure()
		} else {
			g.code = in.module.NewFunction(stablehlo.NormalizeIdentifier(f.name))
		}
		in.functions = append(in.functions, g)
		return nil
	}
	for _, in := range b.instances {
		_ = add(in) // does not fail
	}
	b.steps = append(b.steps, add)
}

// open returns an error if no more can be added to the program.
func (b *Builder) open() error {
	if err := b.backend.usable(); err != nil {
		return err
	}
	if b.compiled {
		return errorf("the program %q is compiled, and nothing can be added to it", b.name)
	}
	return nil
}

// value returns the value behind GoMLX's.
func (b *Builder) value(v compute.Value) (*value, error) {
	n, ok := v.(*value)
	switch {
	case v == nil || ok && n == nil:
		return nil, errorf("the value is nil")
	case !ok:
		return nil, errorf("%T is not a value of this kind of backend", v)
	case n.builder != b:
		return nil, errorf("the value %s belongs to the program %q, and this is %q", n.shape, n.builder.name, b.name)
	}
	return n, nil
}

// OpShape returns the shape of a value.
func (b *Builder) OpShape(op compute.Value) (shapes.Shape, error) {
	if err := b.backend.usable(); err != nil {
		return shapes.Invalid(), err
	}
	n, err := b.value(op)
	if err != nil {
		return shapes.Invalid(), err
	}
	return n.shape.Clone(), nil
}

// Compile compiles the program (PJRT_Client_Compile). Nothing can be added to it afterwards.
// A program with a parameter of a dynamic shape is compiled by its executions, once for each
// size of the axes.
func (b *Builder) Compile() (compute.Executable, error) {
	if err := b.open(); err != nil {
		return nil, err
	}
	main := b.functions[0]
	if !main.returned {
		return nil, errorf("the program %q has no results: call Return of its main function", b.name)
	}
	for _, f := range b.functions {
		if !f.returned {
			return nil, errorf("the function %s of the program %q does not return", f, b.name)
		}
	}
	b.compiled = true
	if b.dynamic() {
		e, err := newDynamicExecutable(b)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	in := b.instances[0]
	b.instances, b.steps = nil, nil
	e, err := in.compile()
	if err != nil {
		return nil, err
	}
	return e, nil
}

// compile compiles an instance of the program, which has returned.
func (in *instance) compile() (*Executable, error) {
	b := in.builder
	main := b.functions[0]
	e := &Executable{
		backend:   b.backend,
		name:      b.name,
		names:     slices.Clone(main.names),
		spread:    b.spread,
		devices:   slices.Clone(b.devices),
		anyDevice: b.spread == onOne && b.devices == nil,
		module:    in.module,
		main:      in.functions[0].code,
		donations: make(map[string]*donation),
	}
	for _, v := range main.parameters {
		n := in.nodes[v.number]
		e.parameters, e.inputs = append(e.parameters, n.shape), append(e.inputs, n.value)
	}
	for _, v := range main.results {
		e.results = append(e.results, in.nodes[v.number].shape)
	}
	for d := len(e.devices); d < b.numDevices; d++ {
		e.devices = append(e.devices, compute.DeviceNum(d))
	}
	if b.spread == replicas {
		in.module.WithNumReplicas(b.numDevices)
	}
	e.updateInPlace()
	if err := e.compileBase(b.constants); err != nil {
		return nil, err
	}
	if err := b.backend.adoptExecutable(e); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}
