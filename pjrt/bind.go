// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Argument is what Bind gives one parameter of a program.
type Argument struct {
	// Buffers has one buffer for each device that runs the program, or one that
	// all of them share: Bind copies it to the devices that it is not on. Empty
	// leaves the parameter open, for each execution to give.
	Buffers []*Buffer
	// Name is for errors. It may be empty.
	Name string
}

// Bound is a program with some of its arguments fixed, such as the weights of a
// model: these are checked and looked up once. Its methods may be called from any
// goroutine, and executions may run at the same time.
type Bound struct {
	exe       *LoadedExecutable
	arguments int            // of the program, on each device
	handles   []*capi.Buffer // of the fixed arguments, nil for open ones; by device, then parameter
	open      []int          // positions of the open parameters
	keep      []int64        // positions of the fixed arguments, which are never donated

	ref *lifetime.Ref[boundBuffers]
}

// boundBuffers is what a Bound holds.
type boundBuffers struct {
	held   []*Buffer // acquired until the end
	copies []*Buffer // made by Bind
}

func (b *boundBuffers) release() {
	for _, buffer := range b.held {
		buffer.ref.Release()
	}
	for _, buffer := range b.copies {
		buffer.Close()
	}
}

// Bind fixes the arguments of the first parameters; those without buffers, and
// the parameters after the last of args, are open and are given at each
// execution, in their order. See Arguments for making args of structs.
//
// The buffers stay the caller's. They may be closed while they are bound, and are
// kept. Fixed arguments are never donated, even if the program was compiled to
// consume them. The program must have its devices: a portable one cannot be
// bound. The caller closes the Bound.
func (e *LoadedExecutable) Bind(ctx context.Context, args ...Argument) (*Bound, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if len(e.devices) == 0 {
		return nil, invalid("a portable program has no devices to bind arguments on: compile it for some")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.ref.Closed() {
		_, err := e.ref.Acquire()
		return nil, err
	}
	shapes, err := e.parameters()
	if err != nil {
		return nil, fmt.Errorf("binding arguments takes a plugin that tells the parameters of a program: %w", err)
	}
	if len(args) > len(shapes) {
		return nil, invalid("the program takes %d arguments, not %d", len(shapes), len(args))
	}
	b := &Bound{exe: e, arguments: len(shapes), handles: make([]*capi.Buffer, len(e.devices)*len(shapes))}
	buffers := new(boundBuffers)
	b.ref = lifetime.New("bound arguments", buffers, e.ref, (*boundBuffers).release)
	for p := range shapes {
		if p >= len(args) || len(args[p].Buffers) == 0 {
			b.open = append(b.open, p)
			continue
		}
		b.keep = append(b.keep, int64(p))
		if err := b.fix(ctx, buffers, p, args[p], shapes[p]); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// fix checks and acquires the argument of parameter p.
func (b *Bound) fix(ctx context.Context, buffers *boundBuffers, p int, a Argument, want Shape) error {
	e := b.exe
	name := fmt.Sprintf("argument %d", p)
	if a.Name != "" {
		name += " (" + a.Name + ")"
	}
	if n := len(a.Buffers); n != 1 && n != len(e.devices) {
		return invalid("%s has %d buffers for %d devices", name, n, len(e.devices))
	}
	for d, device := range e.devices {
		buffer := a.Buffers[min(d, len(a.Buffers)-1)]
		switch {
		case buffer == nil:
			return invalid("%s is nil", name)
		case buffer.client != e.client:
			return invalid("%s belongs to another client", name)
		case !buffer.shape.Equal(want):
			return invalid("%s is %v, the program takes %v", name, buffer.shape, want)
		}
		if got, want := e.wrongLayout(p, buffer); got != nil {
			return wrongLayout(name, got, want)
		}
		h, err := buffer.ref.Acquire()
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrInvalidArgument, name, err)
		}
		at, err := e.client.located(h)
		switch {
		case err != nil:
		case at == device.handle || at == nil:
			buffers.held = append(buffers.held, buffer)
			b.handles[d*b.arguments+p] = h
			continue
		case len(a.Buffers) > 1 || len(e.devices) == 1:
			err = invalid("%s is on %v, the program runs on %v", name, e.client.deviceFor(at), device)
		default:
			err = b.copyTo(ctx, buffers, p, d, h)
		}
		buffer.ref.Release()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// copyTo copies the buffer h to device number d, for parameter p.
func (b *Bound) copyTo(ctx context.Context, buffers *boundBuffers, p, d int, h *capi.Buffer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := b.exe.client
	var call capi.Call[capi.BufferCopyToDeviceArgs]
	call.Args.Buffer, call.Args.DstDevice = h, b.exe.devices[d].handle
	if err := call.Do(c.table); err != nil {
		return err
	}
	buffers.copies = append(buffers.copies, c.newBuffer(call.Args.DstBuffer, Shape{}))
	b.handles[d*b.arguments+p] = call.Args.DstBuffer
	return nil
}

// located returns the device of a buffer that has contents, nil when the plugin
// does not tell.
func (c *Client) located(h *capi.Buffer) (*capi.Device, error) {
	var deleted capi.Call[capi.BufferIsDeletedArgs]
	deleted.Args.Buffer = h
	if err := deleted.Do(c.table); err == nil && deleted.Args.IsDeleted {
		return nil, invalid("it was deleted, or donated to an earlier execution")
	}
	var device capi.Call[capi.BufferDeviceArgs]
	device.Args.Buffer = h
	if err := device.Do(c.table); err != nil {
		return nil, nil
	}
	return device.Args.Device, nil
}

// Open returns the positions of the parameters that each execution gives.
func (b *Bound) Open() []int { return append([]int(nil), b.open...) }

// Executable returns the program.
func (b *Bound) Executable() *LoadedExecutable { return b.exe }

// Execute runs the program as LoadedExecutable.Execute does, with args for the
// open parameters.
func (b *Bound) Execute(ctx context.Context, args []*Buffer, opts *ExecuteOptions) ([]*Buffer, error) {
	if err := b.single(); err != nil {
		return nil, err
	}
	outs := make([]*Buffer, b.exe.numOutputs)
	if err := b.ExecuteInto(ctx, outs, args, opts); err != nil {
		return nil, err
	}
	return outs, nil
}

// ExecuteInto runs the program as LoadedExecutable.ExecuteInto does, with args
// for the open parameters. A steady call allocates nothing but the results.
func (b *Bound) ExecuteInto(ctx context.Context, outs []*Buffer, args []*Buffer, opts *ExecuteOptions) error {
	if err := b.single(); err != nil {
		return err
	}
	if len(outs) != b.exe.numOutputs {
		return invalid("there is room for %d results, the program has %d", len(outs), b.exe.numOutputs)
	}
	l, err := b.newLaunch(opts)
	if err != nil {
		return err
	}
	defer l.Release()
	l.lists = append(l.lists, args)
	if err := l.execute(ctx); err != nil {
		return err
	}
	return l.adopt(0, outs)
}

// ExecuteAll runs the program as LoadedExecutable.ExecuteAll does, with args for
// the open parameters.
func (b *Bound) ExecuteAll(ctx context.Context, args [][]*Buffer, opts *ExecuteOptions) ([][]*Buffer, error) {
	l, err := b.newLaunch(opts)
	if err != nil {
		return nil, err
	}
	defer l.Release()
	if l.lists = append(l.lists, args...); len(args) == 0 && len(b.open) == 0 {
		l.lists = append(l.lists, nil)
	}
	if err := l.execute(ctx); err != nil {
		return nil, err
	}
	return l.adoptAll()
}

// Start runs the program as LoadedExecutable.Start does, with args for the open
// parameters.
func (b *Bound) Start(ctx context.Context, args []*Buffer, opts *ExecuteOptions) (*Execution, error) {
	if err := b.single(); err != nil {
		return nil, err
	}
	return b.StartAll(ctx, [][]*Buffer{args}, opts)
}

// StartAll runs the program as LoadedExecutable.StartAll does, with args for the
// open parameters.
func (b *Bound) StartAll(ctx context.Context, args [][]*Buffer, opts *ExecuteOptions) (*Execution, error) {
	l, err := b.newLaunch(opts)
	if err != nil {
		return nil, err
	}
	defer l.Release()
	if l.lists = append(l.lists, args...); len(args) == 0 && len(b.open) == 0 {
		l.lists = append(l.lists, nil)
	}
	return l.start(ctx)
}

var errNilBound = invalid("the bound program is nil")

func (b *Bound) single() error {
	if b == nil {
		return errNilBound
	}
	return b.exe.single()
}

// newLaunch returns a launch of the bound program, which holds the fixed arguments.
func (b *Bound) newLaunch(opts *ExecuteOptions) (*launch, error) {
	if b == nil {
		return nil, errNilBound
	}
	if _, err := b.ref.Acquire(); err != nil {
		return nil, err
	}
	l := b.exe.newLaunch(opts)
	l.bound = b
	return l, nil
}

// Close gives the fixed arguments up. Executions under way keep them.
func (b *Bound) Close() error {
	if b == nil {
		return nil
	}
	return b.ref.Close()
}
