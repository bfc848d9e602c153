// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// Executable runs a program that is divided among several devices on whole arrays. It cuts
// the arguments and puts the results together by the shardings that the compiler chose. It
// may be used from any goroutine.
type Executable struct {
	exe        *pjrt.LoadedExecutable
	devices    []*pjrt.Device // in the order of their partitions
	rows       []int          // the partition of each of exe.Devices()
	parameters []place
	results    []place
}

// place says how a program takes an argument or returns a result.
type place struct {
	spec        Spec
	shape, part pjrt.Shape
	shards      []shard
}

// mismatch is the error for an argument of another shape than the program takes.
func (p *place) mismatch(parameter int, got pjrt.Shape) error {
	advice := ""
	if p.pads(got) {
		advice = ": if the program's own array cannot be cut into equal parts, append elements of any value up to that shape"
	}
	return pjrt.ErrInvalidArgument.Errorf("argument %d is %v, and the program takes %v%s", parameter, got, p.shape, advice)
}

// pads reports whether an array of the shape has parts of p's size if the last ones are padded.
func (p *place) pads(got pjrt.Shape) bool {
	if got.Type != p.shape.Type || len(got.Dims) != len(p.shape.Dims) {
		return false
	}
	for d, whole := range p.shape.Dims {
		parts := whole / max(p.part.Dims[d], 1)
		if parts < 1 || (got.Dims[d]+parts-1)/parts != p.part.Dims[d] {
			return false
		}
	}
	return true
}

// Of returns an Executable that uses exe but does not close it. A program for one device
// counts as one partition. A program with several replicas is an error, because each has its
// own arrays; so is one that runs on devices of other processes. If the plugin does not report
// the shardings, the error is pjrt.ErrUnimplemented.
func Of(exe *pjrt.LoadedExecutable) (*Executable, error) {
	if exe == nil || exe.Client() == nil {
		return nil, errNilExecutable
	}
	n := exe.NumPartitions()
	if r := exe.NumReplicas(); r != 1 {
		return nil, pjrt.ErrInvalidArgument.Errorf("the program has %d replicas, each with its own arrays: execute it with ExecuteAll", r)
	}
	devices := exe.Devices()
	if len(devices) != n {
		return nil, pjrt.ErrInvalidArgument.Errorf("the program has %d partitions, but %d of them run on devices of this process: "+
			"execute it with ExecuteAll in each process", n, len(devices))
	}
	e := &Executable{exe: exe, devices: devices, rows: []int{0}}
	if n > 1 {
		if err := e.order(devices); err != nil {
			return nil, err
		}
	}
	inputs, err := exe.Parameters()
	if err != nil {
		return nil, err
	}
	if e.parameters, err = places(inputs, n, "argument", exe.ParameterShardings); err != nil {
		return nil, err
	}
	outputs, err := exe.Outputs()
	if err != nil {
		return nil, err
	}
	e.results, err = places(outputs, n, "result", exe.OutputShardings)
	return e, err
}

// order finds the partition of each device.
func (e *Executable) order(devices []*pjrt.Device) error {
	ids, err := LogicalIDs(e.exe)
	if err != nil {
		return err
	}
	if len(ids) != len(devices) {
		return pjrt.ErrInternal.Errorf("the plugin reports partitions for %d of the program's %d devices", len(ids), len(devices))
	}
	e.devices, e.rows = make([]*pjrt.Device, len(devices)), make([]int, len(devices))
	for i, id := range ids {
		if id.Partition < 0 || id.Partition >= len(devices) || e.devices[id.Partition] != nil {
			return pjrt.ErrInternal.Errorf("the plugin reports partition %d for device %v, but the program has %d partitions, one on "+
				"each device",
				id.Partition, devices[i], len(devices))
		}
		e.devices[id.Partition], e.rows[i] = devices[i], id.Partition
	}
	return nil
}

// places reads how a program of n partitions takes its arguments or returns its results,
// whose parts on each device have the shapes parts.
func places(parts []pjrt.Shape, n int, what string, read func() ([]pjrt.Sharding, error)) ([]place, error) {
	shardings := make([]pjrt.Sharding, len(parts)) // a message without fields means replicated
	if n > 1 && len(parts) > 0 {
		var err error
		if shardings, err = read(); err != nil {
			return nil, err
		}
		if shardings == nil {
			return nil, pjrt.ErrUnimplemented.Errorf(
				"the plugin does not report the sharding of any %s of the program: execute it with ExecuteAll", what)
		}
		if len(shardings) != len(parts) {
			return nil, pjrt.ErrInternal.Errorf("the plugin reports shardings for %d %ss of a program that has %d",
				len(shardings), what, len(parts))
		}
	}
	list := make([]place, len(parts))
	for i, part := range parts {
		spec, err := Decode(shardings[i])
		if err != nil {
			return nil, err
		}
		p := place{spec: spec, part: clone(part)}
		if p.shape, err = spec.whole(part); err == nil {
			p.shards, err = spec.cut(part, n)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", what, i, err)
		}
		list[i] = p
	}
	return list, nil
}

// Devices returns the devices in the order of their partitions. The Devices of a Spec are
// indices into it.
func (e *Executable) Devices() []*pjrt.Device {
	if e == nil {
		return nil
	}
	return slices.Clone(e.devices)
}

// Parameters returns the shardings in which the program takes its arguments.
func (e *Executable) Parameters() []Spec {
	if e == nil {
		return nil
	}
	return specs(e.parameters)
}

// Results returns the shardings in which the program returns its results.
func (e *Executable) Results() []Spec {
	if e == nil {
		return nil
	}
	return specs(e.results)
}

func specs(list []place) []Spec {
	all := make([]Spec, len(list))
	for i, p := range list {
		all[i] = p.spec.clone()
	}
	return all
}

// ParameterShapes returns the shapes of the whole arguments. XLA pads dimensions that cannot be cut
// into equal parts, and the padding counts; the program ignores what it holds.
func (e *Executable) ParameterShapes() []pjrt.Shape {
	if e == nil {
		return nil
	}
	return shapes(e.parameters)
}

// ResultShapes returns the shapes of the whole results, padded like those of arguments.
func (e *Executable) ResultShapes() []pjrt.Shape {
	if e == nil {
		return nil
	}
	return shapes(e.results)
}

func shapes(list []place) []pjrt.Shape {
	all := make([]pjrt.Shape, len(list))
	for i, p := range list {
		all[i] = clone(p.shape)
	}
	return all
}

// Scatter cuts a host array the way the program takes its argument with the given number, and
// copies the parts to the devices. The caller may change a.Data once Scatter has returned, and
// must close the Array.
func (e *Executable) Scatter(ctx context.Context, parameter int, a pjrt.HostArray) (*Array, error) {
	if e == nil {
		return nil, errNilExecutable
	}
	if parameter < 0 || parameter >= len(e.parameters) {
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no argument %d: the program takes %d", parameter, len(e.parameters))
	}
	if err := checkData(a); err != nil {
		return nil, err
	}
	p := &e.parameters[parameter]
	if shape := a.Shape(); !shape.Equal(p.shape) {
		return nil, p.mismatch(parameter, shape)
	}
	s := &Array{devices: e.devices, shape: p.shape, part: p.part, shards: p.shards, spec: p.spec}
	return s.upload(ctx, e.exe.Client(), a)
}

// Execute runs the program (PJRT_LoadedExecutable_Execute). Each argument must be cut as the
// program takes it: by Scatter, by a Mesh, or as a result of a program. The caller still
// owns the arguments, except those that the program takes over, and must close the results.
// opts may be nil; what it sets for single devices must fit the program's devices. With a Bound,
// args are those of the parameters that it leaves open.
func (e *Executable) Execute(ctx context.Context, args []*Array, opts *pjrt.ExecuteOptions) ([]*Array, error) {
	if e == nil {
		return nil, errNilExecutable
	}
	open, err := e.open(opts)
	if err != nil {
		return nil, err
	}
	if opts != nil && opts.Bound != nil && len(args) != len(open) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the bound program takes %d more arguments, not %d", len(open), len(args))
	}
	if len(args) != len(open) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the program takes %d arguments, not %d", len(open), len(args))
	}
	rows := make([][]*pjrt.Buffer, len(e.rows))
	for i, partition := range e.rows {
		rows[i] = make([]*pjrt.Buffer, len(args))
		for j, a := range args {
			b, err := e.part(a, open[j], partition)
			if err != nil {
				return nil, err
			}
			rows[i][j] = b
		}
	}
	outs, err := e.exe.ExecuteAll(ctx, rows, opts)
	if err != nil {
		return nil, err
	}
	results := make([]*Array, len(e.results))
	for j, p := range e.results {
		a := &Array{
			devices: e.devices, shape: p.shape, part: p.part, shards: p.shards, spec: p.spec,
			buffers: make([]*pjrt.Buffer, len(e.rows)),
		}
		for i, partition := range e.rows {
			a.buffers[partition] = outs[i][j]
		}
		results[j] = a
	}
	return results, nil
}

// open returns the numbers of the parameters that args stand for.
func (e *Executable) open(opts *pjrt.ExecuteOptions) ([]int, error) {
	if opts != nil && opts.Bound != nil {
		open := opts.Bound.OpenParameters()
		if len(open) > 0 && open[len(open)-1] >= len(e.parameters) {
			return nil, pjrt.ErrInvalidArgument.Errorf("the bound arguments belong to another executable")
		}
		return open, nil
	}
	open := make([]int, len(e.parameters))
	for i := range open {
		open[i] = i
	}
	return open, nil
}

// part returns the part of an argument for a partition.
func (e *Executable) part(a *Array, parameter, partition int) (*pjrt.Buffer, error) {
	p := &e.parameters[parameter]
	switch {
	case a == nil:
		return nil, pjrt.ErrInvalidArgument.Errorf("argument %d is nil", parameter)
	case !a.shape.Equal(p.shape):
		return nil, p.mismatch(parameter, a.shape)
	}
	device := e.devices[partition]
	i := slices.Index(a.devices, device)
	switch {
	case i < 0:
		return nil, pjrt.ErrInvalidArgument.Errorf("argument %d has no part on %v, on which the program runs", parameter, device)
	case !a.part.Equal(p.part) || !slices.Equal(a.shards[i].start, p.shards[partition].start):
		return nil, pjrt.ErrInvalidArgument.Errorf("argument %d is cut as %v, and the program takes it as %v: cut it with Scatter of "+
			"the Executable, "+
			"or Gather it and cut it again", parameter, a.Spec(), p.spec)
	}
	return a.buffers[i], nil
}

// Run runs the program on host arrays: it cuts the arguments, executes, and puts the results
// together.
func (e *Executable) Run(ctx context.Context, args ...pjrt.HostArray) (results []pjrt.HostArray, err error) {
	if e == nil {
		return nil, errNilExecutable
	}
	if len(args) != len(e.parameters) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the program takes %d arguments, not %d", len(e.parameters), len(args))
	}
	args = slices.Clone(args)
	return abandon.Call(ctx, func() ([]pjrt.HostArray, error) { return e.run(ctx, args) }, func([]pjrt.HostArray) error { return nil })
}

// run is Run on a goroutine that may block in C.
func (e *Executable) run(ctx context.Context, args []pjrt.HostArray) (results []pjrt.HostArray, err error) {
	arrays := make([]*Array, len(args))
	defer func() { closeAll(arrays) }()
	for i, a := range args {
		if arrays[i], err = e.Scatter(ctx, i, a); err != nil {
			return nil, err
		}
	}
	outs, err := e.Execute(ctx, arrays, nil)
	if err != nil {
		return nil, err
	}
	defer closeAll(outs)
	results = make([]pjrt.HostArray, len(outs))
	errs := make([]error, len(outs))
	for i, out := range outs {
		results[i], errs[i] = out.Gather(ctx)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return results, nil
}

var errNilExecutable = pjrt.ErrInvalidArgument.Errorf("the executable is nil")

func closeAll(arrays []*Array) {
	for _, a := range arrays {
		a.Close()
	}
}
