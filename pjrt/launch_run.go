// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
)

func (l *launch) begin(ctx context.Context) *operation {
	if watching.Load() == nil { // before the subject is made, which takes time
		return nil
	}
	return begin(ctx, OperationExecute, subject{client: l.exe.client, program: l.exe.name, devices: l.exe.devices})
}

// execute runs the program, waits for its end and leaves the results in the outputs of
// the frame. tried is the error of a first attempt, if there was one.
func (l *launch) execute(ctx context.Context, tried error) (err error) {
	op := l.begin(ctx)
	defer op.end(&err)
	if err := l.prepare(ctx); err != nil {
		return cmp.Or(tried, err)
	}
	op.on(l.only[0])
	defer l.releaseArguments()
	if x := inside.Awaited(ctx, l.follows.arguments); x != nil {
		return waitsForHandler(x, "an argument of "+l.exe.name)
	}
	if tried != nil {
		err = l.explain(tried)
	} else {
		err = l.doAndWait(ctx)
	}
	if err != nil {
		err = l.retry(ctx, err, l.doAndWait)
	}
	if err == nil {
		for _, a := range l.held {
			a.buffer.fill()
		}
		if l.bound != nil {
			l.bound.fill()
		}
	}
	return err
}

// start runs the program without waiting for its end, and puts the results into outs, of
// which there is one for each device, the first one in blank unless that is nil.
func (l *launch) start(ctx context.Context, blank *Buffer, outs ...[]*Buffer) (done *Event, err error) {
	op := l.begin(ctx)
	defer op.endStarted(&done, &err)
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	op.on(l.only[0])
	defer l.releaseArguments()
	if err = l.do(ctx); err != nil {
		if err = l.retry(ctx, err, l.do); err != nil {
			return nil, err
		}
	}
	done = l.takeEvents()
	if err = l.adoptAll(outs, blank, false); err != nil {
		done.Close()
		return nil, err
	}
	return done, nil
}

func (l *launch) doAndWait(ctx context.Context) error {
	if !l.entry.steady {
		return l.doThenWait(ctx)
	}
	begin := now()
	err := l.doThenWait(ctx)
	l.exe.executions.short.note(begin)
	return err
}

func (l *launch) doThenWait(ctx context.Context) error {
	if err := l.do(ctx); err != nil {
		return err
	}
	if err := l.refuseToWait(ctx); err != nil {
		l.discard()
		return err
	}
	return l.wait(ctx)
}

// takeEvents joins the events of all devices. The launch stays in use until the joined
// event is ready.
func (l *launch) takeEvents() *Event {
	client, devices := l.exe.client, l.devices
	handles := l.frame.events
	defer clear(handles)
	if len(handles) > 1 {
		events := make([]*Event, len(handles))
		for i, h := range handles {
			events[i] = newEvent(client.table, h, client.events)
		}
		done := joinEvents(events, func(i int, err error) error { return fmt.Errorf("%v: %w", devices[i], err) })
		l.Retain()
		done.after(l.Release)
		done.waits = l.follows.resultsWait()
		return done
	}
	done := newEvent(client.table, handles[0], client.events)
	done.waits = l.follows.resultsWait()
	// Small programs run within the call.
	if h := handles[0]; h == nil {
		return done
	} else if ready, err := l.event.isReady(client.table, h); ready && err == nil {
		return done
	}
	l.Retain()
	if err := done.OnReady(func(error) { l.Release() }); err != nil {
		l.Release()
	}
	return done
}

// prepare checks everything and fills in the frame. If it succeeds, the arguments are held
// until releaseArguments. It yields first if that is due, since nothing is held yet.
func (l *launch) prepare(ctx context.Context) error {
	e := l.exe
	e.executions.yields.yield(now())
	if err := abandon.Err(ctx, e.subject(), ""); err != nil {
		return err
	}
	if b := l.opts.Bound; b != nil {
		if err := b.acquireFor(e); err != nil {
			return err
		}
		l.bound = b
	}
	if err := l.chooseDevices(); err != nil {
		return err
	}
	if err := l.checkArguments(); err != nil {
		return err
	}
	soon := !l.opts.CopyArguments && !l.entry.donates
	l.admission.spread = len(l.devices) > 1
	if err := l.admission.enter(ctx, &e.executions.limit, &e.client.traffic, soon); err != nil {
		return err
	}
	h, err := l.acquire()
	if err != nil {
		return err
	}
	if err := l.fill(ctx, h); err != nil {
		l.releaseArguments()
		return err
	}
	l.follows.arguments = l.argumentsWaitFor()
	return nil
}

// acquire keeps the executable until Release. Bound arguments, which the launch has
// acquired, are a child of their executable.
func (l *launch) acquire() (*capi.LoadedExecutable, error) {
	if l.bound != nil {
		return l.exe.ref.Object()
	}
	h, err := l.exe.ref.Acquire()
	l.inUse = err == nil
	return h, err
}

// adoptAll turns the results of all devices into Buffers of the caller, the first one in blank
// unless that is nil. filled says that they have their contents. If it fails, it leaves no
// results.
func (l *launch) adoptAll(all [][]*Buffer, blank *Buffer, filled bool) error {
	for d := range all {
		if err := l.adopt(d, all[d], blank, filled); err != nil {
			for _, outs := range all[:d] {
				for _, b := range outs {
					b.Close()
				}
			}
			return err
		}
		blank = nil
	}
	return nil
}

// adopt is adoptAll for device number d. If it fails, it destroys the results of all devices
// that were not adopted yet.
func (l *launch) adopt(d int, outs []*Buffer, blank *Buffer, filled bool) error {
	n := l.exe.numOutputs
	made := results{
		exe: l.exe, handles: l.frame.outputs[d*n : d*n+n], at: l.devices[d].handle, filled: filled, waits: l.follows.resultsWait(),
	}
	kinds, err := made.kinds()
	switch {
	case err != nil:
		l.destroyOutputs()
	case l.opts.ReuseResults:
		made.replace(outs, kinds, nil)
	default:
		made.adopt(outs, blank, kinds)
	}
	return err
}

// retry runs the program once more after err, if it mayRetry, and returns the error to report.
func (l *launch) retry(ctx context.Context, err error, run func(context.Context) error) error {
	if l.mayRetry(err) {
		destroyForgotten(ctx)
		err = secondError(err, run(ctx))
	}
	if err == nil || !errors.Is(err, ErrResourceExhausted) {
		return err
	}
	need := ""
	if s, serr := l.exe.MemoryStats(); serr == nil {
		need = fmt.Sprintf("%s needs %d bytes on each device: %d for arguments, %d for results, %d for temporaries",
			l.exe.name, s.Required(), s.Arguments, s.Outputs, s.Temporary)
	}
	return l.exe.client.explainMemory(err, l.devices[0].handle, need)
}

// mayRetry reports whether the program may run once more after err: the device was out
// of memory, and the first attempt used nothing up.
func (l *launch) mayRetry(err error) bool {
	if l.opts.NoRetry || !errors.Is(err, ErrResourceExhausted) {
		return false
	}
	for _, x := range l.opts.Extensions {
		if r, ok := x.(interface{ Repeatable() bool }); !ok || !r.Repeatable() {
			return false
		}
	}
	for _, h := range l.frame.arguments {
		if gone, err := l.calls.isDeleted(l.exe.client.table, h); err != nil || gone {
			return false
		}
	}
	return true
}
