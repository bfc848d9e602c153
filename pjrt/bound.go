// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// Argument is the fixed argument of one parameter.
type Argument struct {
	// Buffers has one buffer for each device that runs the program, or a single one, which
	// Bind copies to the devices that it is not on. An empty list leaves the parameter open.
	Buffers []*Buffer
	Name    string // for errors; may be empty
}

// Bound holds fixed arguments of a program, such as the weights of a model, checked once: see the
// package's documentation. Executions, also concurrent ones, use them by ExecuteOptions.Bound.
type Bound struct {
	exe        *LoadedExecutable
	id         uint64         // unlike that of any other Bound
	parameters int            // of the program
	handles    []*capi.Buffer // of the fixed arguments, nil for open ones; by device, then parameter
	open       []int          // open parameters
	forgotten  map[int]string // names of arguments that were given without buffers, by parameter
	kept       []int64        // parameters with a fixed argument that executions would donate if they were not told
	standIns   *standin.Set   // what the fixed arguments wait for
	filled     atomic.Bool    // the fixed arguments have their contents

	ref *lifetimes.Ref[boundBuffers]
}

var lastBound atomic.Uint64

// boundBuffers are the buffers that a Bound keeps.
type boundBuffers struct {
	held   []boundBuffer
	copies []*Buffer // made by Bind
}

// boundBuffer is a buffer that is acquired until release.
type boundBuffer struct {
	buffer *Buffer
	handle *capi.Buffer
}

func (b *boundBuffers) release() {
	for _, h := range b.held {
		if h.buffer.references.unbind() {
			h.buffer.deleteAfterTurn(h.handle)
		}
		h.buffer.ref.Release()
	}
	for _, buffer := range b.copies {
		buffer.Close()
	}
}

// Bind fixes the arguments of the first parameters. Parameters without buffers, and those after the
// last of args, stay open: each execution gets their arguments, in order. Package params makes args
// from a model's structs. A portable program has no devices of its own and cannot be bound.
//
// The caller closes the Bound, and still owns the buffers, which may be closed while they are
// bound; if one is deleted, its contents go when no Bound has it. Executions never donate bound
// buffers: the parameters of this program keep them, and other executions that would donate one
// fail.
func (e *LoadedExecutable) Bind(ctx context.Context, args ...Argument) (*Bound, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if len(e.devices) == 0 {
		return nil, invalid("the program has no devices to bind arguments on, because it is portable, or because the plugin names none "+
			"(%s): compile it for fixed devices", (*capi.LoadedExecutableAddressableDevicesArgs)(nil).Function().Name)
	}
	args = slices.Clone(args)
	for i := range args {
		args[i].Buffers = slices.Clone(args[i].Buffers)
	}
	return abandon.CallOn(ctx, e.subject(), func() (*Bound, error) { return e.bind(ctx, nil, args) }, (*Bound).Close)
}

// Bind is [LoadedExecutable.Bind] for the parameters that b leaves open. The new Bound also has the
// arguments of b, which stays as it is and may be closed first.
func (b *Bound) Bind(ctx context.Context, args ...Argument) (*Bound, error) {
	if b == nil || b.exe == nil {
		return nil, errNilBound
	}
	args = slices.Clone(args)
	for i := range args {
		args[i].Buffers = slices.Clone(args[i].Buffers)
	}
	return abandon.CallOn(ctx, b.exe.subject(), func() (*Bound, error) {
		if _, err := b.ref.Acquire(); err != nil {
			return nil, err
		}
		defer b.ref.Release()
		return b.exe.bind(ctx, b, args)
	}, (*Bound).Close)
}

var errNilBound = invalid("the bound arguments are nil: make them with Bind of an executable")

// bind is Bind on a goroutine that may block in C. from has the arguments that are fixed already,
// and is acquired; it may be nil.
func (e *LoadedExecutable) bind(ctx context.Context, from *Bound, args []Argument) (*Bound, error) {
	// The Bound becomes a child of the executable, which must exist until then.
	if _, err := e.acquire(); err != nil {
		return nil, err
	}
	defer e.ref.Release()
	entry := e.entry()
	shapes := entry.parameters
	if err := entry.err; err != nil {
		return nil, fmt.Errorf("the arguments cannot be bound, because the plugin does not report the program's parameters: %w", err)
	}
	b := &Bound{exe: e, id: lastBound.Add(1), parameters: len(shapes), forgotten: make(map[int]string)}
	buffers := new(boundBuffers)
	var open []int
	if from == nil {
		if len(args) > len(shapes) {
			return nil, invalid("the program takes %d arguments, not %d", len(shapes), len(args))
		}
		b.handles = make([]*capi.Buffer, len(e.devices)*len(shapes))
		b.ref = lifetimes.New("bound arguments", buffers, e.ref, (*boundBuffers).release)
		for p := range shapes {
			open = append(open, p)
		}
	} else {
		if len(args) > len(from.open) {
			return nil, invalid("the bound program takes %d more arguments, not %d", len(from.open), len(args))
		}
		b.handles, b.kept = slices.Clone(from.handles), slices.Clone(from.kept)
		b.standIns, b.forgotten = from.standIns, maps.Clone(from.forgotten)
		b.ref = lifetimes.New("bound arguments", buffers, from.ref, (*boundBuffers).release)
		open = from.open
	}
	for i, p := range open {
		if i >= len(args) || len(args[i].Buffers) == 0 {
			b.open = append(b.open, p)
			if i < len(args) && args[i].Name != "" {
				b.forgotten[p] = args[i].Name
			}
			continue
		}
		delete(b.forgotten, p)
		if entry.mayDonate(p) {
			b.kept = append(b.kept, int64(p))
		}
		if err := b.fix(ctx, buffers, p, args[i], shapes[p]); err != nil {
			b.Close()
			return nil, err
		}
	}
	slices.Sort(b.kept)
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
	var calls bufferCalls
	layouts := e.layouts()
	for d, device := range e.devices {
		if err := abandon.Err(ctx, e.subject(), ""); err != nil {
			return err
		}
		buffer := a.Buffers[min(d, len(a.Buffers)-1)]
		switch {
		case buffer == nil:
			return invalid("%s is nil", name)
		case buffer.client != e.client:
			return invalid("%s belongs to another client", name)
		case !buffer.shape.Equal(want):
			return invalid("%s is %v, and the program takes %v", name, buffer.shape, want)
		}
		h, err := buffer.ref.Acquire()
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrInvalidArgument, name, err)
		}
		if p < len(layouts) {
			if got := buffer.otherLayout(layouts[p], h); got != nil {
				buffer.ref.Release()
				return wrongLayout(name, got, layouts[p])
			}
		}
		if waits := waitsFor(buffer); waits != nil {
			b.standIns = standin.Union(b.standIns, waits)
		}
		if gone, derr := calls.isDeleted(e.client.table, h); derr == nil && gone {
			buffer.ref.Release()
			return invalid("%s was deleted, or donated to an earlier execution", name)
		}
		at := calls.deviceOf(e.client.table, buffer, h)
		switch {
		case at == device.handle || at == nil:
			if err := b.waitIfKept(ctx, p, buffer, h); err != nil {
				buffer.ref.Release()
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := buffer.beginTurn(ctx, turnUse); err != nil {
				buffer.ref.Release()
				return fmt.Errorf("%s: %w", name, err)
			}
			buffer.references.bind()
			buffer.endTurn(turnUse, h)
			buffers.held = append(buffers.held, boundBuffer{buffer, h})
			b.handles[d*b.parameters+p] = h
			continue
		case len(a.Buffers) > 1 || len(e.devices) == 1:
			err = invalid("%s is on %v, and the program runs on %v", name, e.client.deviceByHandle[at], device)
		default:
			err = b.copyTo(ctx, buffers, p, d, buffer, h)
		}
		buffer.ref.Release()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// waitIfKept waits for the contents of the argument of parameter p, which all executions
// keep, if the program would otherwise donate it and a failed one would end the process.
func (b *Bound) waitIfKept(ctx context.Context, p int, buffer *Buffer, h *capi.Buffer) error {
	e := b.exe.entry()
	if !e.mayDonate(p) || !b.exe.client.copiesKept {
		return nil
	}
	return buffer.wait(ctx, h)
}

// copyTo copies the buffer with the handle h to device number d, for parameter p.
func (b *Bound) copyTo(ctx context.Context, buffers *boundBuffers, p, d int, buffer *Buffer, h *capi.Buffer) error {
	c := b.exe.client
	copied, err := useContents(ctx, buffer, h, func() (*Buffer, error) {
		copied, err := allocated(ctx, func() (*capi.Buffer, error) { return c.copyToDevice(h, b.exe.devices[d]) })
		if err != nil {
			return nil, err
		}
		return c.newBuffer(copied, Shape{}), nil
	})
	if err != nil {
		return err
	}
	h, err = copied.acquire()
	if err != nil {
		return err
	}
	copied.ref.Release()
	buffers.copies = append(buffers.copies, copied)
	b.handles[d*b.parameters+p] = h
	return nil
}

// OpenParameters returns the positions of the parameters that are not fixed.
func (b *Bound) OpenParameters() []int {
	if b == nil {
		return nil
	}
	return slices.Clone(b.open)
}

// parameter returns which parameter of the program takes argument i of the call. b may be nil.
func (b *Bound) parameter(i int) int {
	if b != nil && i < len(b.open) {
		return b.open[i]
	}
	return i
}

// acquireFor keeps the bound arguments for an execution of e until b.ref.Release.
func (b *Bound) acquireFor(e *LoadedExecutable) error {
	if b.exe != e {
		return invalid("the bound arguments belong to another executable")
	}
	_, err := b.ref.Acquire()
	return err
}

// fill notes that the fixed arguments have their contents.
func (b *Bound) fill() {
	if !b.filled.Load() {
		b.filled.Store(true)
	}
}

// Close releases the fixed arguments. Executions under way keep them.
func (b *Bound) Close() error {
	if b == nil {
		return nil
	}
	return b.ref.Close()
}

// wrongNumber is the error for as many arguments as an execution was given. It names those that
// Bind got without buffers: a nil field of a struct is seldom meant.
func (b *Bound) wrongNumber(given int) error {
	text := ""
	var names []string
	for _, p := range slices.Sorted(maps.Keys(b.forgotten)) {
		names = append(names, b.forgotten[p])
	}
	switch {
	case len(names) > 3:
		text = fmt.Sprintf("; Bind got no buffers for %d named arguments, such as %s", len(names), strings.Join(names[:3], ", "))
	case len(names) > 0:
		text = "; Bind got no buffers for " + strings.Join(names, ", ")
	}
	return invalid("the bound program takes %d more arguments, not %d%s", len(b.open), given, text)
}
