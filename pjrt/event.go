// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Event says when some work of a device is done, and whether it failed. Its
// methods may be called from any goroutine.
type Event struct {
	ref   *lifetime.Ref[capi.Event]
	table *capi.Table
}

// newEvent takes over an event of the plugin.
func newEvent(table *capi.Table, e *capi.Event, parent lifetime.Parent) *Event {
	return &Event{
		ref: lifetime.New("event", e, parent, func(e *capi.Event) {
			var c capi.Call[capi.EventDestroyArgs]
			c.Args.Event = e
			_ = c.Do(table) // there is nobody to tell
		}),
		table: table,
	}
}

// Close gives the event up. It does not stop the work that the event is about.
func (e *Event) Close() error { return e.ref.Close() }

// Ready reports whether the work is over, with or without an error
// (PJRT_Event_IsReady). It never blocks.
func (e *Event) Ready() (bool, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return false, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.EventIsReadyArgs]
	c.Args.Event = h
	if err := c.Do(e.table); err != nil {
		return false, err
	}
	return c.Args.IsReady, nil
}

// Wait blocks until the work is over and returns its error. When ctx ends
// first, Wait returns ctx's error and the work goes on. Many goroutines may wait
// for one event.
func (e *Event) Wait(ctx context.Context) error {
	h, err := e.ref.Acquire()
	if err != nil {
		return err
	}
	defer e.ref.Release()
	var ready capi.Call[capi.EventIsReadyArgs]
	ready.Args.Event = h
	if err := ready.Do(e.table); err != nil {
		return err
	}
	// One waiter that nobody can call off waits cheapest in C; any other must
	// not hold a thread, of which a process has few.
	if ready.Args.IsReady || ctx.Done() == nil {
		var c capi.Call[capi.EventAwaitArgs]
		c.Args.Event = h
		return c.Do(e.table)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	callback, handle := capi.NewEventOnReadyCallback(func(h *capi.ErrorHandle) { done <- e.table.TakeError(h) })
	var c capi.Call[capi.EventOnReadyArgs]
	c.Args.Event, c.Args.Callback, c.Args.UserArg = h, callback, uintptr(handle)
	if err := c.Do(e.table); err != nil {
		handle.Delete()
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitAndClose waits for an event that nobody else sees. When ctx ends first,
// the event is closed all the same, and finished is called later, when the work
// is over; else it is called before waitAndClose returns. finished may be nil.
func waitAndClose(ctx context.Context, table *capi.Table, h *capi.Event, parent lifetime.Parent, finished func()) error {
	if finished == nil {
		finished = func() {}
	}
	if h == nil {
		finished()
		return nil
	}
	e := newEvent(table, h, parent)
	err := e.Wait(ctx)
	if ready, rerr := e.Ready(); rerr == nil && !ready {
		go func() {
			_ = e.Wait(context.Background())
			e.Close()
			finished()
		}()
		return err
	}
	e.Close()
	finished()
	return err
}
