// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
)

// awaiting counts the threads that wait in C. Waiting there is cheapest, but each
// waiter holds a thread, and a process that wants too many of those ends.
var awaiting waiters

const maxAwaiting = 16

// registering bounds the threads that are in a registration of a callback. A
// callback that runs there holds its thread while it waits for a lock.
var registering = make(chan struct{}, 16)

type waiters struct{ n atomic.Int32 }

// enter reports whether one more thread may wait; if so, leave ends it.
func (w *waiters) enter() bool {
	if w.n.Add(1) <= maxAwaiting {
		return true
	}
	w.n.Add(-1)
	return false
}

func (w *waiters) leave() { w.n.Add(-1) }

func isReady(table *capi.Table, h *capi.Event) (bool, error) {
	var c capi.Call[capi.EventIsReadyArgs]
	c.Args.Event = h
	err := c.Do(table)
	return c.Args.IsReady, err
}

// awaitEvent blocks the thread until the event is ready and returns its error.
func awaitEvent(table *capi.Table, h *capi.Event) error {
	var c capi.Call[capi.EventAwaitArgs]
	c.Args.Event = h
	return eventError(c.Do(table))
}

// eventError is the error that an event carries, out of what PJRT_Event_Await
// returned: the function did not fail.
func eventError(err error) error {
	if e, ok := err.(*Error); ok && !e.Missing {
		e.Func = ""
	}
	return err
}

// onReady has the plugin call fn with the error of the event once it is ready,
// on a thread of the plugin's or before onReady returns: fn must be quick, and
// must not call the plugin. The event must not be destroyed before.
func onReady(table *capi.Table, h *capi.Event, fn func(error)) {
	callback, handle := capi.NewEventOnReadyCallback(func(e *capi.ErrorHandle) { fn(table.TakeError(e)) })
	var c capi.Call[capi.EventOnReadyArgs]
	c.Args.Event, c.Args.Callback, c.Args.UserArg = h, callback, uintptr(handle)
	registering <- struct{}{}
	err := c.Do(table)
	<-registering
	if err != nil {
		// Without callbacks there is a thread that waits.
		handle.Delete()
		go func() { fn(awaitEvent(table, h)) }()
	}
}

// waitRaw waits for the event h, which has no Event, and destroys it. When ctx
// ends first, the event is destroyed later, when the work is over, and use is
// released after that; else use is released before waitRaw returns. Waiting
// allocates nothing, unless it takes a callback.
func waitRaw(ctx context.Context, table *capi.Table, h *capi.Event, calls *eventCalls, use releaser) error {
	ready, err := calls.isReady(table, h)
	if err != nil {
		ready = true // it is broken: there is nothing to wait for
	}
	wait := ready
	if !ready && ctx.Done() == nil && awaiting.enter() {
		defer awaiting.leave()
		wait = true
	}
	if wait {
		if err == nil {
			err = calls.take(table, h)
		}
		calls.close(table, h)
		use.Release()
		return err
	}
	done := newResult[error]()
	onReady(table, h, func(err error) {
		if !done.offer(err) {
			go func() {
				closeEvent(table, h)
				use.Release()
			}()
		}
	})
	select {
	case <-done.ready:
	case <-ctx.Done():
		if done.abandon() {
			return ctx.Err()
		}
	}
	calls.close(table, h)
	use.Release()
	return done.value
}

// releaser is something that is held while an event is pending.
type releaser interface{ Release() }

// eventCalls are the calls about an event, to be used again and again by one
// goroutine at a time.
type eventCalls struct {
	ready   capi.Call[capi.EventIsReadyArgs]
	await   capi.Call[capi.EventAwaitArgs]
	destroy capi.Call[capi.EventDestroyArgs]
}

func (c *eventCalls) isReady(table *capi.Table, h *capi.Event) (bool, error) {
	c.ready.Args.Event = h
	err := c.ready.Do(table)
	return c.ready.Args.IsReady, err
}

func (c *eventCalls) take(table *capi.Table, h *capi.Event) error {
	c.await.Args.Event = h
	return eventError(c.await.Do(table))
}

func (c *eventCalls) close(table *capi.Table, h *capi.Event) {
	c.destroy.Args.Event = h
	_ = c.destroy.Do(table) // there is nobody to tell
}
