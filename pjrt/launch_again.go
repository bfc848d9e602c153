// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// runAgain runs the program on args as the launch ran it before, if all is as it was then,
// and leaves the results in the outputs of the frame. If it reports false, it has changed
// nothing, and the caller uses execute.
//
// It makes the call, waits for its event and destroys the event in one crossing into C. So it
// is only for short executions that wait for nothing but their program: the arguments have
// their contents, the program takes none of them, and no other execution of the client is
// under way. Nor may a limit be set, since the arguments' turns must not last while an
// execution waits for its slot.
//
// The checks are those of prepare, but in two functions in place of forty: after the plugin
// has run, most of their code must be fetched into the processor's caches again.
func (l *launch) runAgain(ctx context.Context, args []*Buffer) (ran bool, err error) {
	e, f, bound := l.exe, &l.frame, l.opts.Bound
	x, t := &e.executions, &e.client.traffic
	if !l.repeats || ctx.Done() != nil || !x.short.certain() || x.limit.isSet() || t.limit.isSet() || t.underWay() > 0 ||
		!l.opts.isPlain(e) || watching.Load() != nil || e.plugin.follows.Load() || standin.Any() {
		return false, nil
	}
	n := len(l.entry.parameters)
	f.arguments = f.arguments[:n]
	switch {
	case bound == nil:
		l.boundID = 0
		if len(args) != n {
			return false, nil
		}
	case bound.exe != e || len(args) != len(bound.open) || !bound.filled.Load():
		return false, nil
	case l.boundID != bound.id:
		copy(f.arguments, bound.handles)
		l.boundID = bound.id
	}
	// The arguments come first: a fresh one, which may not have its contents yet, is the usual
	// reason to give up.
	for i, b := range args {
		p := bound.parameter(i)
		if f.arguments[p] = l.use(b, p); f.arguments[p] == nil {
			l.stopUsing(bound, args[:i])
			return false, nil
		}
	}
	var h *capi.LoadedExecutable
	if bound == nil {
		h, err = e.ref.Acquire()
		l.inUse = err == nil
	} else if err = bound.acquireFor(e); err == nil {
		l.bound = bound
		h, err = e.ref.Object()
	}
	if err != nil || !l.admission.enterAlone(t) {
		l.stopUsing(bound, args)
		l.leave()
		return false, nil
	}
	f.call.Args.Executable = h
	f.options.NonDonatableInputIndices, f.options.NumNonDonatableInputIndices = nil, 0
	if bound != nil && len(bound.fixed) > 0 {
		f.options.NonDonatableInputIndices, f.options.NumNonDonatableInputIndices = &bound.fixed[0], uintptr(len(bound.fixed))
	}
	l.devices, f.outputs, f.events = e.devices, f.outputs[:e.numOutputs], f.events[:1]

	l.uses++
	timed := l.uses%32 == 0
	var begin time.Duration
	if timed {
		begin = now()
	}
	made, err := f.atOnce.Do(e.client.table)
	runtime.KeepAlive(l)
	if timed {
		x.short.note(begin)
	}
	if err != nil && made < 2 { // ending an event may fail
		return true, l.recoverAgain(ctx, args, made, err)
	}
	f.events[0] = nil
	l.stopUsing(bound, args)
	l.over = true
	return true, nil
}

// isPlain reports whether an execution on the only device of e needs none of the options but
// Bound and those that do not concern the plugin.
func (o *ExecuteOptions) isPlain(e *LoadedExecutable) bool {
	return o == &defaultExecuteOptions || (o.Device == nil || o.Device == e.devices[0]) && !o.KeepAll && len(o.Keep) == 0 &&
		o.LaunchID == 0 && o.CallLocation == "" && len(o.Incarnations) == 0 && len(o.Extensions) == 0
}

// use acquires b for parameter p, begins its turn, and returns its handle. It returns nil, and
// has done neither, if it is not certain that the program can use the contents at once.
func (l *launch) use(b *Buffer, p int) *capi.Buffer {
	e := l.exe
	if b == nil || b.client != e.client || b.shape != l.shapes[p] && !l.takes(b, p) {
		return nil
	}
	h, err := b.ref.Acquire()
	if err != nil {
		return nil
	}
	if s := b.references.state.Load(); s&int64(turnTaken) == 0 && b.hasContents() && b.onDevice() == e.devices[0].handle {
		known := p < len(l.layouts) && l.layouts[p] != nil
		if (!known || l.hasLayout(b, p, h)) && b.references.state.CompareAndSwap(s, s+int64(turnUse)) {
			return h
		}
	}
	b.ref.Release()
	return nil
}

// takes reports whether parameter p has the shape of b, and remembers the answer.
func (l *launch) takes(b *Buffer, p int) bool {
	if b.shape == nil || !b.shape.Equal(l.entry.parameters[p]) {
		return false
	}
	l.shapes[p] = b.shape
	return true
}

func (l *launch) hasLayout(b *Buffer, p int, h *capi.Buffer) bool {
	wrong, _ := l.exe.wrongLayout(p, b, h)
	return wrong == nil
}

// stopUsing undoes use for the first arguments of the call.
func (l *launch) stopUsing(bound *Bound, args []*Buffer) {
	for i, b := range args {
		b.endTurn(turnUse, l.frame.arguments[bound.parameter(i)])
		b.ref.Release()
	}
}

// endAgain is Release after runAgain ran the program.
func (l *launch) endAgain() {
	if len(l.lists) > 0 {
		l.Release() // after recoverAgain
		return
	}
	l.leave()
	l.over, l.opts, l.blank = false, nil, nil
	l.keep()
}

// recoverAgain goes on as execute would after the calls of runAgain failed with err, of which
// so many were made without an error.
func (l *launch) recoverAgain(ctx context.Context, args []*Buffer, made int, err error) error {
	f, c, table := &l.frame, &l.event, l.exe.client.table
	l.lists = append(l.lists, args)
	for i, b := range args {
		l.held = append(l.held, heldArgument{b, f.arguments[l.parameter(i)], turnUse})
	}
	defer l.releaseArguments()
	l.endTurns(len(l.held))
	if made == 0 {
		err = l.failed(err)
	} else {
		h := f.events[0]
		f.events[0] = nil
		if err = c.judge(table, h, err); err != nil {
			l.unknown = l.unknown || c.unsure
			l.destroyOutputs()
		}
		c.close(table, h)
	}
	if err != nil {
		err = l.retry(ctx, err, l.doThenWait)
	}
	l.over = err == nil
	return err
}

// repeat prepares the launch for runAgain after an execution of a steady program.
func (l *launch) repeat() {
	f, n := &l.frame, len(l.entry.parameters)
	l.boundID = 0 // other executions may have changed the handles
	if l.repeats = len(l.exe.devices) == 1 && l.entry.err == nil && !l.entry.donates && f.plain; !l.repeats {
		return
	}
	if l.shapes == nil {
		l.shapes = make([]*Shape, n)
	}
	if at := &f.events[0]; f.atOnceEvent != at {
		c := &l.event
		f.atOnce, f.atOnceEvent = capi.Sequence{}, at
		f.atOnce.Add(&f.call)
		capi.AddFor(&f.atOnce, &c.wait, at, &c.wait.Args.Event)
		capi.AddFor(&f.atOnce, &c.destroy, at, &c.destroy.Args.Event)
	}
}
