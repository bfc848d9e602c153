// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// repeated is a program that one caller runs again and again on its only device. It makes the
// call, waits for its event, and destroys the event and up to five results that are replaced,
// in one crossing into C. So it is only for short executions that wait for nothing but their
// program: the arguments have their contents, the program takes none of them, and no other
// execution of the client is under way. Anything else is left to a launch.
//
// Its memory belongs to whoever is alone in the client's traffic: see traffic.enterAlone.
//
// The checks are those of a launch, but in a few functions in place of forty: after the plugin
// has run, most of their code must be fetched into the processor's caches again. And each
// function between the caller and C costs ten nanoseconds more than others (see RATIONALE.md).
type repeated struct {
	exe        *LoadedExecutable
	parameters []Shape
	layouts    []*Layout // of the parameters, empty if unknown
	fitted     []*Shape  // of the last argument of each parameter
	boundID    uint64    // of the Bound whose handles are among the arguments; 0 for none

	// What C reads and writes.
	call         capi.Call[capi.LoadedExecutableExecuteArgs]
	options      capi.ExecuteOptions
	arguments    []*capi.Buffer
	argumentList **capi.Buffer
	outputs      []*capi.Buffer
	outputList   **capi.Buffer
	event        *capi.Event
	events       eventCalls
	calls        capi.Sequence // call, the wait for event and its end, and the ends of the replaced results

	replaced []replacedResult // nil if there are too many, or if no execution with ReuseResults has come
	uses     int
}

// repeat prepares for more executions like the last, which was one of many short ones.
func (e *LoadedExecutable) repeat() {
	x, entry := &e.executions, e.entry()
	if x.repeated.Load() != nil || !x.short.certain() || len(e.devices) != 1 || entry.err != nil || entry.donates {
		return
	}
	h, err := e.ref.Object()
	if err != nil {
		return
	}
	n := len(entry.parameters)
	r := &repeated{exe: e, parameters: entry.parameters, layouts: e.layouts(), fitted: make([]*Shape, n)}
	r.options.StructSize = capi.ExecuteOptionsSize
	// Some plugins want an address even for an empty list, so each has room for one more.
	r.arguments, r.outputs = make([]*capi.Buffer, n, n+1), make([]*capi.Buffer, e.numOutputs, e.numOutputs+1)
	r.argumentList, r.outputList = unsafe.SliceData(r.arguments), unsafe.SliceData(r.outputs)
	a := &r.call.Args
	a.Executable, a.Options, a.NumDevices, a.NumArgs = h, &r.options, 1, uintptr(n)
	a.ArgumentLists, a.OutputLists, a.DeviceCompleteEvents = &r.argumentList, &r.outputList, &r.event
	r.calls.Add(&r.call)
	capi.AddFor(&r.calls, &r.events.wait, &r.event, &r.events.wait.Args.Event)
	capi.AddFor(&r.calls, &r.events.destroy, &r.event, &r.events.destroy.Args.Event)
	x.repeated.CompareAndSwap(nil, r)
}

// begin gets ready for the calls. If it reports false, it has acquired nothing, and the
// execution needs a launch.
func (r *repeated) begin(outs, args []*Buffer, opts *ExecuteOptions) bool {
	e := r.exe
	x, t := &e.executions, &e.client.traffic
	// Under a limit the turns of the arguments would last while the execution waits for its slot.
	if !x.short.certain() || x.limit.isSet() || t.limit.isSet() || !opts.isPlain(e) ||
		watching.Load() != nil || e.plugin.follows.Load() || standin.Any() || !t.enterAlone() {
		return false
	}
	if !r.use(args, opts.Bound) {
		t.leaveAlone()
		return false
	}
	if r.uses++; opts.ReuseResults {
		r.beginReplacing(outs)
	}
	return true
}

// isPlain reports whether an execution on the only device of e needs none of the options but
// Bound and those that do not concern the plugin.
func (o *ExecuteOptions) isPlain(e *LoadedExecutable) bool {
	return o == &defaultExecuteOptions || (o.Device == nil || o.Device == e.devices[0]) && !o.KeepAll && len(o.Keep) == 0 &&
		o.LaunchID == 0 && o.CallLocation == "" && len(o.Incarnations) == 0 && len(o.Extensions) == 0
}

// end gives back what begin acquired but the arguments.
func (r *repeated) end(bound *Bound) {
	if bound != nil {
		bound.ref.Release()
	} else {
		r.exe.ref.Release()
	}
	r.exe.client.traffic.leaveAlone()
}

// use acquires the executable, or the Bound whose parent that is, and the arguments. If it
// reports false, it has acquired nothing.
func (r *repeated) use(args []*Buffer, bound *Bound) bool {
	e := r.exe
	switch {
	case bound == nil && len(args) != len(r.arguments),
		bound != nil && (bound.exe != e || len(args) != len(bound.open) || !bound.filled.Load()):
		return false
	case bound == nil:
		r.boundID = 0
	case r.boundID != bound.id:
		r.boundID = bound.id
		copy(r.arguments, bound.handles)
	}
	// The arguments come first: a fresh one, which may not have its contents yet, is the usual
	// reason to give up.
	for i, b := range args {
		p := bound.parameter(i)
		if r.arguments[p] = r.useArgument(b, p); r.arguments[p] == nil {
			r.stopUsing(bound, args[:i])
			return false
		}
	}
	acquired := false
	if bound == nil {
		_, acquired = e.ref.TryAcquire()
	} else if _, acquired = bound.ref.TryAcquire(); acquired && e.ref.Closed() {
		bound.ref.Release()
		acquired = false
	}
	if !acquired {
		r.stopUsing(bound, args)
	}
	return acquired
}

// useArgument acquires b for parameter p, begins its turn, and returns its handle. It returns
// nil, and has done neither, if it is not certain that the program can use the contents at once.
func (r *repeated) useArgument(b *Buffer, p int) *capi.Buffer {
	e := r.exe
	if b == nil || b.client != e.client || b.shape != r.fitted[p] && !r.fits(b, p) {
		return nil
	}
	h, ok := b.ref.TryAcquire()
	if !ok {
		return nil
	}
	if s := b.references.state.Load(); s&int64(turnTaken) == 0 && b.hasContents() && b.onDevice() == e.devices[0].handle {
		fits := p >= len(r.layouts) || b.otherLayout(r.layouts[p], h) == nil
		if fits && b.references.state.CompareAndSwap(s, s+int64(turnUse)) {
			return h
		}
	}
	b.ref.Release()
	return nil
}

// fits reports whether parameter p has the shape of b, and remembers the answer.
func (r *repeated) fits(b *Buffer, p int) bool {
	if b.shape == nil || !b.shape.Equal(r.parameters[p]) {
		return false
	}
	r.fitted[p] = b.shape
	return true
}

// stopUsing ends the turns of the arguments and releases them.
func (r *repeated) stopUsing(bound *Bound, args []*Buffer) {
	for i, b := range args {
		b.endTurn(turnUse, r.arguments[bound.parameter(i)])
		b.ref.Release()
	}
}

// failed returns the error of an execution, nil if there is none after all, given that of the
// sequence, of which so many calls were made. If there is one, it destroys the results.
func (r *repeated) failed(made int, err error) error {
	h, client := r.event, r.exe.client
	r.event = nil
	if made == 0 {
		clear(r.outputs) // the plugin still owns what it wrote
		return err
	}
	if err = r.events.judge(client.table, h, err); err != nil {
		client.destroyResults(r.outputs, r.events.unsure)
	}
	r.events.close(client.table, h)
	return err
}

// adopt makes Buffers of the results, or destroys them.
func (r *repeated) adopt(outs []*Buffer, blank *Buffer, reuse bool) error {
	made := results{exe: r.exe, handles: r.outputs, at: r.exe.devices[0].handle, filled: true}
	if reuse && r.replaceAll(&made) {
		return nil
	}
	kinds, err := made.kinds()
	switch {
	case err != nil:
		r.exe.client.destroyResults(r.outputs, false)
	case reuse:
		made.replace(outs, kinds, r.replaced)
	default:
		made.adopt(outs, blank, kinds)
	}
	return err
}

// beginReplacing closes those Buffers in outs that nothing uses, to be opened again with the
// next results.
func (r *repeated) beginReplacing(outs []*Buffer) {
	if n := r.exe.numOutputs; r.replaced == nil && n <= capi.SequenceLength-3 {
		r.replaced = make([]replacedResult, n)
		for i := range r.replaced {
			p := &r.replaced[i]
			capi.AddFor(&r.calls, &p.destroy, &p.handle, &p.destroy.Args.Buffer)
		}
	}
	if kinds := r.exe.executions.kinds.Load(); kinds != nil {
		for i := range r.replaced {
			r.replaced[i].begin(outs[i], r.exe.client, &(*kinds)[i])
		}
	}
}

// undoReplacing opens the Buffers of beginReplacing with what they had.
func (r *repeated) undoReplacing() {
	for i := range r.replaced {
		r.replaced[i].undo()
	}
}

// replaceAll is replace for an execution that needs nothing else of it: each result replaces
// one that the sequence has destroyed. If it reports false, it has changed nothing.
func (r *repeated) replaceAll(made *results) bool {
	if len(r.replaced) != len(made.handles) {
		return false
	}
	for i := range r.replaced {
		if !r.replaced[i].isDone() || made.handles[i] == nil {
			return false
		}
	}
	for i := range r.replaced {
		p := &r.replaced[i]
		b, h := p.buffer, made.handles[i]
		p.buffer, p.handle, made.handles[i] = nil, nil, nil
		b.reopen(h, made, p.kind)
	}
	return true
}
