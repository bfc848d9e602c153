// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// executeInto is ExecuteInto. The first result is made in blank, a zero Buffer, if that is not
// nil.
//
// If all is as it was for the last execution, it runs the program on a launch that still knows
// that one, and makes the call, waits for its event, and destroys the event and up to five results
// that are replaced, in one crossing into C. So this is only for short executions that wait for
// nothing but their program: the arguments have their contents, the program takes none of them,
// and no other execution of the client is under way. Nor may a limit be set, since the arguments'
// turns must not last while an execution waits for its slot.
//
// The checks are those of prepare, but in a few functions in place of forty: after the plugin
// has run, most of their code must be fetched into the processor's caches again. And each
// function between the caller and C costs ten nanoseconds more than others (see RATIONALE.md).
func (e *LoadedExecutable) executeInto(ctx context.Context, outs []*Buffer, blank *Buffer, args []*Buffer, opts *ExecuteOptions) error {
	if err := e.single(); err != nil {
		return err
	}
	if len(outs) != e.numOutputs {
		return invalid("there is room for %d results, and the program has %d", len(outs), e.numOutputs)
	}
	if opts == nil {
		opts = &defaultExecuteOptions
	}
	x, t, bound, reuse := &e.executions, &e.client.traffic, opts.Bound, opts.ReuseResults
	if ctx.Done() != nil || x.again.Load() == nil || !x.short.certain() || x.limit.isSet() || t.limit.isSet() ||
		!opts.isPlain(e) || watching.Load() != nil || e.plugin.follows.Load() || standin.Any() || !t.enterAlone() {
		return e.launchInto(ctx, outs, blank, args, opts)
	}
	l := x.again.Load()
	if l == nil || !l.canRun(args, bound) {
		t.leaveAlone()
		return e.launchInto(ctx, outs, blank, args, opts)
	}
	if reuse {
		l.beginReplacing(outs)
	}
	l.uses++
	timed := l.uses%32 == 0
	var begin time.Duration
	var yield bool
	if timed {
		begin = now()
		yield = l.pace.isDue(begin)
	}
	made, err := l.frame.atOnce.Do(e.client.table)
	runtime.KeepAlive(l)
	if timed {
		x.short.note(begin)
	}
	if err != nil && made < 2 { // ending an event may fail
		err = l.recoverAgain(ctx, args, bound, opts, made, err)
	} else {
		l.frame.events[0], err = nil, nil
		l.stopUsing(bound, args)
	}
	if err == nil && !(reuse && l.replaceAll()) {
		err = l.adoptResults(0, outs, blank, reuse, true)
	}
	if l.opts != nil { // the launch has become one like any other
		l.Release()
		return err
	}
	if bound != nil {
		bound.ref.Release()
	} else {
		e.ref.Release()
	}
	t.leaveAlone()
	if yield { // now that nobody has to wait for what this execution holds
		runtime.Gosched()
	}
	return err
}

// pace says when a goroutine that makes one short call after the other should yield.
//
// Go takes the processor from a goroutine that has had it for ten milliseconds. If the goroutine is in C at that moment, it
// finds no processor when it returns, and goes on with another one, often on another thread, while Go's monitor watches it
// more closely for some milliseconds. Short calls take up to 5 percent longer for it. A goroutine that yields in time only
// gets to the end of the queue, which is empty if there is a processor for everyone.
type pace struct {
	last  time.Duration // that isDue was called
	since time.Duration // begin of calls that followed each other without a pause
}

const (
	paceTurn  = 8 * time.Millisecond // before Go's limit, which is 10
	pacePause = 2 * time.Millisecond // more than the calls between two questions take if they are short
)

// isDue reports whether the caller should yield after what begins now. It should be called every few calls.
func (p *pace) isDue(now time.Duration) bool {
	if now-p.last > pacePause {
		p.since = now
	}
	p.last = now
	if now-p.since < paceTurn {
		return false
	}
	p.since = now
	return true
}

// launchInto is executeInto with a launch of its own.
func (e *LoadedExecutable) launchInto(ctx context.Context, outs []*Buffer, blank *Buffer, args []*Buffer, opts *ExecuteOptions) error {
	l := e.newLaunch(opts)
	l.blank = blank
	defer l.Release()
	l.lists = append(l.lists, args)
	if err := l.execute(ctx); err != nil {
		return err
	}
	return l.adopt(0, outs)
}

// canRun gets ready for the calls of executeInto. If it reports false, it has acquired nothing.
func (l *launch) canRun(args []*Buffer, bound *Bound) bool {
	e, f := l.exe, &l.frame
	switch {
	case bound == nil && len(args) != len(f.arguments),
		bound != nil && (bound.exe != e || len(args) != len(bound.open) || !bound.filled.Load()):
		return false
	case bound == nil && l.boundID != 0, bound != nil && l.boundID != bound.id:
		l.takeBound(bound)
	}
	// The arguments come first: a fresh one, which may not have its contents yet, is the usual
	// reason to give up.
	for i, b := range args {
		p := bound.parameter(i)
		if f.arguments[p] = l.use(b, p); f.arguments[p] == nil {
			l.stopUsing(bound, args[:i])
			return false
		}
	}
	// The frame has the executable, whose child the Bound is.
	acquired := false
	if bound == nil {
		_, acquired = e.ref.TryAcquire()
	} else if _, acquired = bound.ref.TryAcquire(); acquired && e.ref.Closed() {
		bound.ref.Release()
		acquired = false
	}
	if !acquired {
		l.stopUsing(bound, args)
	}
	return acquired
}

// unknownBound is a boundID that no Bound has.
const unknownBound = math.MaxUint64

// takeBound puts the handles of bound arguments into the frame. bound may be nil. The program
// donates nothing, so no parameter need be named as one to keep.
func (l *launch) takeBound(bound *Bound) {
	f := &l.frame
	l.boundID, f.options.NonDonatableInputIndices, f.options.NumNonDonatableInputIndices = 0, nil, 0
	if bound == nil {
		return
	}
	l.boundID = bound.id
	copy(f.arguments, bound.handles)
}

// keepAgain keeps the launch for executeInto, if that has none and can be used just now.
func (l *launch) keepAgain() bool {
	e := l.exe
	x, t := &e.executions, &e.client.traffic
	if !l.repeats || x.again.Load() != nil || !t.enterAlone() {
		return false
	}
	defer t.leaveAlone()
	if !x.again.CompareAndSwap(nil, l) {
		return false
	}
	f := &l.frame
	l.boundID = unknownBound // other executions may have changed the handles
	l.devices, f.arguments, f.outputs, f.events = e.devices, f.arguments[:len(l.entry.parameters)], f.outputs[:e.numOutputs], f.events[:1]
	return true
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
	h, ok := b.ref.TryAcquire()
	if !ok {
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

// recoverAgain goes on as execute would after the calls of executeInto failed with err, of which
// so many were made without an error. The launch becomes one like any other.
func (l *launch) recoverAgain(ctx context.Context, args []*Buffer, bound *Bound, opts *ExecuteOptions, made int, err error) error {
	f, c, x, table := &l.frame, &l.event, &l.exe.executions, l.exe.client.table
	x.again.Store(nil)
	l.opts, l.bound, l.inUse = opts, bound, bound == nil
	l.admission = admission{traffic: &l.exe.client.traffic, state: admitted, direct: true}
	l.undoReplacing()
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

// repeat prepares the launch for executeInto after an execution of a steady program.
func (l *launch) repeat() {
	f, n := &l.frame, len(l.entry.parameters)
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
		l.replaced = nil
	}
}

// replacedResult is a Buffer that is to have the next result, and what that replaces.
type replacedResult struct {
	buffer  *Buffer                           // closed until replace or undoReplacing; nil if there is none
	handle  *capi.Buffer                      // of buffer, or nil
	destroy capi.Call[capi.BufferDestroyArgs] // the sequence fills in the argument when it makes the call
}

// beginReplacing closes those Buffers in outs that nothing uses, to be opened again with the
// next results.
func (l *launch) beginReplacing(outs []*Buffer) {
	if n := l.exe.numOutputs; l.replaced == nil && n <= capi.SequenceLength-3 {
		l.replaced = make([]replacedResult, n)
		for i := range l.replaced {
			r := &l.replaced[i]
			capi.AddFor(&l.frame.atOnce, &r.destroy, &r.handle, &r.destroy.Args.Buffer)
		}
	}
	shapes := l.exe.executions.shapes.Load()
	if shapes == nil {
		return
	}
	for i := range l.replaced {
		if b := outs[i]; b.isLike(l.exe.client, &(*shapes)[i]) {
			if h, ok := b.ref.BeginClose(); ok {
				r := &l.replaced[i]
				r.buffer, r.handle, r.destroy.Args.Buffer = b, h, nil
			}
		}
	}
}

// undoReplacing opens the Buffers of beginReplacing with what they had, for an execution that
// failed. Plugins that say only later that it did may have made the sequence destroy that.
func (l *launch) undoReplacing() {
	for i := range l.replaced {
		r := &l.replaced[i]
		switch {
		case r.buffer == nil:
		case r.destroy.Args.Buffer != nil:
			r.buffer.ref.EndClose(nil)
		default:
			r.buffer.ref.Reopen(r.handle)
		}
		r.buffer, r.handle = nil, nil
	}
}

// replaceAll is replace for an execution that needs nothing else of it: each result replaces one that the sequence has
// destroyed. If it reports false, it has changed nothing.
func (l *launch) replaceAll() bool {
	handles, at := l.frame.outputs, l.devices[0].handle
	if len(l.replaced) != len(handles) {
		return false
	}
	for i := range l.replaced {
		if r := &l.replaced[i]; r.buffer == nil || r.destroy.Args.Buffer == nil || handles[i] == nil {
			return false
		}
	}
	for i := range l.replaced {
		r := &l.replaced[i]
		b, h := r.buffer, handles[i]
		r.buffer, r.handle, handles[i] = nil, nil, nil
		b.reopen(h, at, true, nil)
	}
	return true
}

// replace puts results into the Buffers of outs, as ReuseResults says, and takes their handles.
func (l *launch) replace(outs []*Buffer, handles []*capi.Buffer, shapes []Shape, at *capi.Device, filled bool, waits *standin.Set) {
	c := l.exe.client
	for i, b := range outs {
		if (i >= len(l.replaced) || l.replaced[i].buffer == nil) && b.isReused() {
			b.Close() // all, before the first has its new result, since one may be there twice
		}
	}
	for i, h := range handles {
		var b *Buffer
		if i < len(l.replaced) {
			b = l.replaced[i].end(c.table)
		}
		switch {
		case b != nil:
			b.reopen(h, at, filled, waits)
		case !outs[i].refill(c, h, &shapes[i], at, filled, waits):
			b = &Buffer{client: c, shape: &shapes[i]}
			b.holding = c.buffers.InitRenewable(&b.ref, h)
			b.born, b.bornFilled, b.waits = at, filled, waits
			outs[i] = b
		}
		handles[i] = nil // faster than clear, for few
	}
}

// reopen ends the replacing of b: it makes b the Buffer that owns h, the result of an execution on a device.
func (b *Buffer) reopen(h *capi.Buffer, at *capi.Device, filled bool, waits *standin.Set) {
	b.reset()
	b.born, b.bornFilled, b.waits = at, filled, waits
	b.ref.Reopen(h)
}

// end ends the replacing for an execution that succeeded, and returns the Buffer for its result, or nil.
func (r *replacedResult) end(table *capi.Table) *Buffer {
	b, h := r.buffer, r.handle
	if b != nil {
		if r.destroy.Args.Buffer == nil { // a call before failed
			r.destroy.Args.Buffer = h
			_ = r.destroy.Do(table)
		}
		r.buffer, r.handle = nil, nil
	}
	return b
}
