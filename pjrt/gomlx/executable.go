// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/platform"
)

// Executable is a compiled program; Builder.Compile makes one. Its methods may be called
// from any goroutine.
type Executable struct {
	backend    *Backend
	name       string
	names      []string       // of the parameters
	parameters []shapes.Shape // of the whole arrays, as are results
	results    []shapes.Shape
	spread     spread
	devices    []compute.DeviceNum
	anyDevice  bool // no device was asked for, so executions may choose one

	module *stablehlo.Builder // nil if the program has no other forms, as are main and inputs
	main   *stablehlo.Function
	inputs []*stablehlo.Value // the parameters in module
	base   *program           // runs on devices or on any, and of the parameters takes the memory of updated ones only

	updated []int // the parameters that all forms of the program update in place

	mu        sync.Mutex
	closed    bool                 // guarded by mu
	users     int                  // guarded by mu; executions under way, which keep the forms of the program open
	portable  *program             // guarded by mu; base for any device; nil until needed
	donations map[string]*donation // guarded by mu; by the donated parameters
}

var _ compute.Executable = (*Executable)(nil)

// worthForgetting is how many bytes the constants of a program must have to be compiled for any
// device at once, so that the backend need not keep the program for its other devices. Executions
// for one device are a little quicker, since their arguments can be bound.
const worthForgetting = 1 << 20

// compileBase compiles the form of the program that all programs have, and forgets the module if
// there will be no other.
func (e *Executable) compileBase(constants int) (err error) {
	others := e.anyDevice && len(e.backend.devices) > 1
	reuses := e.backend.reuse == platform.On
	portable := others && !reuses && constants >= worthForgetting
	if e.base, err = e.compile(portable); err != nil {
		return err
	}
	if portable || !others && !reuses {
		e.module, e.main, e.inputs = nil, nil, nil
	}
	return nil
}

// adoptExecutable adds an executable to those that Finalize closes.
func (b *Backend) adoptExecutable(e *Executable) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finalized.Load() {
		return finalized("the backend")
	}
	w := weak.Make(e)
	b.executables[w] = struct{}{}
	runtime.AddCleanup(e, func(w weak.Pointer[Executable]) {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.executables, w)
	}, w)
	return nil
}

// compile compiles the module as it is now, for the devices of e or for any device.
func (e *Executable) compile(portable bool) (*program, error) {
	b := e.backend
	code, err := e.module.Build()
	if err != nil {
		return nil, wrapf(err, "writing the program %q", e.name)
	}
	opts := &pjrt.CompileOptions{Portable: portable}
	p := &program{executable: e, devices: e.devices}
	var row []*pjrt.Device
	for _, d := range e.devices {
		row = append(row, b.devices[d])
	}
	switch {
	case portable:
		p.devices = nil
	case e.spread == replicas:
		opts.Replicas, opts.SPMD = len(row), true
		for _, d := range row {
			opts.Devices = append(opts.Devices, []*pjrt.Device{d})
		}
	case e.spread == sharded:
		opts.Partitions, opts.SPMD, opts.Shardy = len(row), true, true
		opts.Devices = [][]*pjrt.Device{row}
	default:
		opts.Devices = [][]*pjrt.Device{row}
	}
	ctx := context.Background()
	text := pjrt.Program{Code: code}
	if b.cache != nil {
		p.loaded, _, err = b.cache.Compile(ctx, b.client, text, opts)
	} else {
		p.loaded, err = b.client.Compile(ctx, text, opts)
	}
	if err != nil {
		return nil, b.failed(err, "compiling the program %q", e.name)
	}
	if n := p.loaded.NumOutputs(); n != len(e.results) {
		p.loaded.Close()
		return nil, errorf("the plugin made a program with %d results from %q, which has %d", n, e.name, len(e.results))
	}
	p.slots = make([]resultSlot, len(e.results))
	return p, nil
}

// Inputs returns the names and shapes of the parameters.
func (e *Executable) Inputs() (names []string, inputShapes []shapes.Shape) {
	return slices.Clone(e.names), slices.Clone(e.parameters)
}

// Outputs returns the shapes of the results.
func (e *Executable) Outputs() []shapes.Shape { return slices.Clone(e.results) }

// Finalize closes the program. Executions under way go on, and those that have not begun are
// errors.
func (e *Executable) Finalize() {
	if e == nil {
		return
	}
	e.close()
	b := e.backend
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.executables, weak.Make(e))
}

// close closes all forms of the program, or lets the last execution under way do so.
func (e *Executable) close() {
	e.mu.Lock()
	last := !e.closed && e.users == 0
	e.closed = true
	e.mu.Unlock()
	if last {
		e.closePrograms()
	}
}

// closePrograms closes all forms of the program, which is closed and has no executions.
func (e *Executable) closePrograms() {
	e.base.close()
	e.portable.close()
	for _, d := range e.donations {
		d.program.close()
	}
}

// begin begins an execution, which keeps all forms of the program open until end. It returns an
// error if the executable or its backend was finalized.
func (e *Executable) begin() error {
	if e == nil {
		return errorf("the executable is nil")
	}
	if err := e.backend.usable(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return finalized("the executable %q", e.name)
	}
	e.users++
	return nil
}

// end ends the execution that begin began.
func (e *Executable) end() {
	e.mu.Lock()
	e.users--
	last := e.closed && e.users == 0
	e.mu.Unlock()
	if last {
		e.closePrograms()
	}
}

// Execute runs the program and waits until it is done. inputs has the arguments of the
// first device, then those of the next; the results are in the same order. The arguments
// that donate marks are finalized, whether the execution succeeds or not; nil marks
// none. A program that was built without DeviceAssignment runs on device num; others
// ignore num.
func (e *Executable) Execute(inputs []compute.Buffer, donate []bool, num compute.DeviceNum) ([]compute.Buffer, error) {
	if err := e.begin(); err != nil {
		return nil, err
	}
	defer e.end()
	defer e.finalizeDonated(inputs, donate)
	if want := len(e.parameters) * len(e.devices); len(inputs) != want {
		return nil, errorf("the program %q takes %d arguments on each of %d devices, and there are %d",
			e.name, len(e.parameters), len(e.devices), len(inputs))
	} else if len(donate) != 0 && len(donate) != want {
		return nil, errorf("the program %q has %d arguments, and %d say whether they are donated", e.name, want, len(donate))
	}
	l := launches.Get().(*launch)
	defer l.reset()
	l.donate = append(l.donate, donate...)
	bound := e.base.boundBuffers()
	for i, v := range inputs {
		b, _ := v.(*Buffer)
		if i >= len(bound) || b == nil || bound[i] != b { // shapes do not change
			var err error
			if b, err = e.argument(i, v); err != nil {
				return nil, err
			}
		}
		array, err := b.acquire()
		if err != nil {
			return nil, wrapf(err, "argument %d (%s) of the program %q", i, e.parameterName(i), e.name)
		}
		l.buffers, l.arrays = append(l.buffers, b), append(l.arrays, array)
	}
	p, err := e.programFor(l, num)
	if err != nil {
		return nil, err
	}
	results, err := p.run(l, num)
	return results, e.backend.failed(err, "executing the program %q", e.name)
}

// parameterName returns the name of the parameter of argument i.
func (e *Executable) parameterName(i int) string { return e.names[i%len(e.names)] }

// argument checks argument i.
func (e *Executable) argument(i int, v compute.Buffer) (*Buffer, error) {
	b, err := e.backend.buffer(v)
	if err != nil {
		return nil, wrapf(err, "argument %d (%s) of the program %q", i, e.parameterName(i), e.name)
	}
	// An argument of a sharded program is a part of the parameter; the plugin knows its
	// shape.
	if want := e.parameters[i%len(e.parameters)]; e.spread != sharded && !b.shape.Equal(want) {
		return nil, errorf("argument %d (%s) of the program %q is %s, and the program takes %s",
			i, e.parameterName(i), e.name, b.shape, want)
	}
	return b, nil
}

// finalizeDonated closes the donated arguments.
func (e *Executable) finalizeDonated(inputs []compute.Buffer, donate []bool) {
	for i, v := range inputs {
		if i < len(donate) && donate[i] {
			if b, err := e.backend.buffer(v); err == nil {
				b.finalize()
			}
		}
	}
}

// programFor returns the form of the program that suits the arguments and the device best.
func (e *Executable) programFor(l *launch, num compute.DeviceNum) (*program, error) {
	donatable := true
	l.taken = append(l.taken[:0], l.donate...)
	for i, b := range l.buffers {
		if l.donated(i) && !b.donate() {
			donatable, l.taken[i] = false, false
		}
	}
	for _, p := range e.updated {
		if p >= len(l.taken) || !l.taken[p] {
			l.options.Keep = append(l.options.Keep, p)
		}
	}
	if e.anyDevice && num != e.devices[0] {
		if _, err := e.backend.device(num); err != nil {
			return nil, err
		}
		return e.onAnyDevice()
	}
	if p := e.reusing(l); p != nil && donatable {
		return p, nil
	}
	return e.base, nil
}

// onAnyDevice returns the program for devices that it was not compiled for at first.
func (e *Executable) onAnyDevice() (*program, error) {
	if e.base.devices == nil {
		return e.base, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.portable != nil {
		return e.portable, nil
	}
	p, err := e.compile(true)
	if err != nil {
		return nil, err
	}
	e.portable = p
	return p, nil
}
