// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// Event reports when some work is done and whether it failed. Any number of goroutines may
// wait for one event without holding threads.
type Event struct {
	table *capi.Table
	ref   *lifetimes.Ref[capi.Event] // nil for an event without a C object
	state *eventState

	parts  []*Event     // the events that joinEvents joined
	waits  *standin.Set // what the work waited for when the event was made; nil for nothing
	closed atomic.Bool  // for an event without a C object
}

// eventWithState is an Event and what it refers to in one allocation.
type eventWithState struct {
	Event
	ref   lifetimes.Ref[capi.Event]
	state eventState
}

// eventFamily makes the references to events.
type eventFamily = lifetimes.Family[capi.Event, capi.Call[capi.EventDestroyArgs]]

// newEventFamily returns the family of the events that belong to parent, which may be nil.
func newEventFamily(table *capi.Table, parent lifetimes.Parent) *eventFamily {
	return lifetimes.NewFamily("event", parent, func(h *capi.Event, c *capi.Call[capi.EventDestroyArgs]) {
		c.Args.Event = h
		_ = c.Do(table)
	})
}

// newEvent takes over an event of the plugin. Plugins give a nil handle when the work is
// already over.
func newEvent(table *capi.Table, h *capi.Event, family *eventFamily) *Event {
	x := new(eventWithState)
	e := &x.Event
	e.table, e.state = table, &x.state
	if h == nil {
		e.state.settle(nil)
		return e
	}
	e.ref = &x.ref
	family.Init(e.ref, h)
	return e
}

// joinEvents takes over events and returns one that is ready when all of them are, with
// the first error among them. name adds the origin to the error of event i.
func joinEvents(events []*Event, name func(i int, err error) error) *Event {
	if len(events) == 1 {
		return events[0]
	}
	state := new(eventState)
	errs := make([]error, len(events))
	var left atomic.Int64
	left.Store(int64(len(events)) + 1)
	one := func() {
		if left.Add(-1) > 0 {
			return
		}
		for i, err := range errs {
			if err != nil {
				state.settle(name(i, err))
				return
			}
		}
		state.settle(nil)
	}
	for i, e := range events {
		if err := e.OnReady(func(err error) { errs[i] = err; one() }); err != nil {
			errs[i] = err
			one()
		}
	}
	one()
	return &Event{state: state, parts: events}
}

var errNilEvent = invalid("the event is nil")

// acquire keeps the C event alive until release. The handle is nil for an event without
// a C object.
func (e *Event) acquire() (*capi.Event, error) {
	switch {
	case e == nil || e.state == nil:
		return nil, errNilEvent
	case e.ref != nil:
		return e.ref.Acquire()
	case e.closed.Load():
		return nil, fmt.Errorf("event is %w", ErrClosed)
	}
	return nil, nil
}

func (e *Event) release() {
	if e.ref != nil {
		e.ref.Release()
	}
}

// Close destroys the event (PJRT_Event_Destroy). The work goes on, and goroutines that
// wait for it keep waiting.
func (e *Event) Close() error {
	if e == nil {
		return nil
	}
	e.closed.Store(true)
	for _, part := range e.parts {
		part.Close()
	}
	return e.ref.Close()
}

// Ready reports whether the work is over, with or without an error
// (PJRT_Event_IsReady). It never blocks.
func (e *Event) Ready() (bool, error) {
	h, err := e.acquire()
	if err != nil {
		return false, err
	}
	defer e.release()
	if h == nil || e.state.settled.Load() {
		return e.state.settled.Load(), nil
	}
	c := eventCallPool.Get().(*eventCalls)
	defer eventCallPool.Put(c)
	return c.isReady(e.table, h)
}

// Err returns the error of the work, or nil while it goes on. It never blocks.
func (e *Event) Err() error {
	h, err := e.acquire()
	if err != nil {
		return err
	}
	defer e.release()
	if e.state.settled.Load() {
		return e.state.err
	}
	if h == nil {
		return nil
	}
	c := eventCallPool.Get().(*eventCalls)
	defer eventCallPool.Put(c)
	// Plugins end the process when they are asked for the error of an event that is
	// not ready.
	if ready, err := c.isReady(e.table, h); err != nil || !ready {
		return err
	}
	return e.state.settle(c.take(e.table, h))
}

// Wait blocks until the work is over and returns its error. When ctx ends first, the work goes on.
func (e *Event) Wait(ctx context.Context) error {
	if ctx.Done() != nil && e != nil && e.state != nil && !e.state.settled.Load() {
		return e.waitAside(ctx)
	}
	h, err := e.acquire()
	if err != nil {
		return err
	}
	defer e.release()
	if e.state.settled.Load() {
		return abandon.Explain(ctx, e.state.err, nil)
	}
	if err := e.refuseToWait(ctx); err != nil {
		return err
	}
	if h != nil {
		c := eventCallPool.Get().(*eventCalls)
		over, err := c.poll(ctx, e.table, h)
		eventCallPool.Put(c)
		if over {
			return e.state.settle(err)
		}
	}
	if err := abandon.Err(ctx, nil, ""); err != nil {
		return err
	}
	select {
	case <-e.watch(h):
		return e.state.err
	case <-ctx.Done():
		return abandon.Err(ctx, nil, "the end of the work")
	}
}

// waitAside is Wait for a context that can end. Only the calls of the plugin are handed over, and
// not the wait, so that many waiters need no goroutines but their own.
func (e *Event) waitAside(ctx context.Context) error {
	done, err := abandon.Call(ctx, func() (<-chan struct{}, error) {
		h, err := e.acquire()
		if err != nil {
			return nil, err
		}
		defer e.release()
		if err := e.refuseToWait(ctx); err != nil {
			return nil, err
		}
		if h != nil {
			c := eventCallPool.Get().(*eventCalls)
			over, err := c.poll(ctx, e.table, h)
			eventCallPool.Put(c)
			if over {
				_ = e.state.settle(err)
			}
		}
		return e.watch(h), nil
	}, func(<-chan struct{}) error { return nil })
	if err != nil {
		return err
	}
	select {
	case <-done:
		return abandon.Explain(ctx, e.state.err, nil)
	case <-ctx.Done():
		return abandon.Err(ctx, nil, "the end of the work")
	}
}

// Done returns a channel that is closed when the work is over, or when the event was
// closed before the call. Err has the error of the work.
func (e *Event) Done() <-chan struct{} {
	h, err := e.acquire()
	if err != nil {
		return closedChannel
	}
	defer e.release()
	return e.watch(h)
}

var closedChannel = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// OnReady calls fn with the error of the work once it is over, in its own goroutine, even if the
// event is closed meanwhile (PJRT_Event_OnReady). Panics of fn are logged.
func (e *Event) OnReady(fn func(error)) error {
	if fn == nil {
		return invalid("the function is nil")
	}
	h, err := e.acquire()
	if err != nil {
		return err
	}
	defer e.release()
	e.state.then(fn)
	e.watch(h)
	return nil
}

// watch makes the plugin report the end of the work and returns a channel that is closed
// then. The caller has acquired the event.
func (e *Event) watch(h *capi.Event) <-chan struct{} {
	if h == nil {
		return e.state.channel()
	}
	return e.state.watch(e.table, h, e.ref)
}

// after calls fn once the work is over: before after returns, or later in its own goroutine.
// What fn refers to stays alive until then, even if the event is closed.
func (e *Event) after(fn func()) {
	if ready, err := e.Ready(); ready && err == nil {
		fn()
		return
	}
	if err := e.OnReady(func(error) { fn() }); err != nil {
		fn()
	}
}

// String reports whether the work is over, and with which error.
func (e *Event) String() string {
	ready, err := e.Ready()
	switch {
	case err != nil:
		return err.Error()
	case !ready:
		return "event of work under way"
	}
	if err := e.Err(); err != nil {
		return "event of work that failed: " + err.Error()
	}
	return "event of work that is done"
}

// refuseToWait returns an error if ctx is that of a handler that the work waits for.
func (e *Event) refuseToWait(ctx context.Context) error {
	x := inside.Awaited(ctx, e.waits)
	if x == nil {
		return nil
	}
	if ready, err := e.Ready(); ready || err != nil {
		return err
	}
	return waitsForHandler(x, "the event")
}
