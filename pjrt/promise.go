// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// Promise makes its [Event] ready: once, by Fulfill or Fail. If it is closed or forgotten
// before that, the event fails with ErrCancelled.
type Promise struct {
	ref  *lifetimes.Ref[eventPromise]
	kept atomic.Bool // by Fulfill or Fail
}

// eventPromise is separate from Promise so that the cleanup of a forgotten Promise can use
// it.
type eventPromise struct {
	table *capi.Table
	event *capi.Event

	mu   sync.Mutex
	kept bool // guarded by mu
}

var errPromiseAbandoned = failed(ErrCancelled, "the promise was given up before it was kept")

// NewEvent makes an event for the program's own use and the promise that makes it ready
// (PJRT_Event_Create, API 0.89). It needs no client.
func (p *Plugin) NewEvent() (*Event, *Promise, error) {
	if p == nil || p.table == nil {
		return nil, nil, errNilPlugin
	}
	if err := p.table.Lacks((*capi.EventSetArgs)(nil).Function()); err != nil {
		return nil, nil, err
	}
	var c capi.Call[capi.EventCreateArgs]
	if err := c.Do(p.table); err != nil {
		return nil, nil, err
	}
	e := newEvent(p.table, c.Args.Event, newEventFamily(p.table, nil))
	// The promise is a child of the event, so that the C event exists when it is set.
	promise := &Promise{ref: lifetimes.New("promise", &eventPromise{table: p.table, event: c.Args.Event}, e.ref,
		func(o *eventPromise) { _ = o.keep(errPromiseAbandoned) })}
	return e, promise, nil
}

// Fulfill makes the event ready without an error (PJRT_Event_Set, API 0.89).
func (p *Promise) Fulfill() error { return p.settle(nil) }

// Fail makes the event ready with an error (PJRT_Event_Set, API 0.89). Waiters get an *Error
// with the code and the text of err.
func (p *Promise) Fail(err error) error {
	if err == nil {
		return invalid("the error is nil: use Fulfill to keep the promise without one")
	}
	return p.settle(err)
}

// Close fails the event with ErrCancelled unless the promise was kept.
func (p *Promise) Close() error {
	if p == nil {
		return nil
	}
	return p.ref.Close()
}

// settle keeps the promise and releases the event.
func (p *Promise) settle(err error) error {
	if p == nil || p.ref == nil {
		return invalid("the promise is nil")
	}
	o, aerr := p.ref.Acquire()
	if aerr != nil {
		if p.kept.Load() {
			return errKeptBefore
		}
		return aerr
	}
	defer p.ref.Close()
	defer p.ref.Release()
	if p.kept.Swap(true) {
		return errKeptBefore
	}
	return o.keep(err)
}

var errKeptBefore = failed(ErrFailedPrecondition, "the promise was already kept")

// keep sets the event. Only the first call does; later ones return an error.
func (o *eventPromise) keep(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept {
		return errKeptBefore
	}
	o.kept = true
	var c capi.Call[capi.EventSetArgs]
	c.Args.Event = o.event
	if err != nil {
		var message string
		c.Args.ErrorCode, message = failure(err)
		c.Args.ErrorMessage, c.Args.ErrorMessageSize = capi.StringData(message)
	}
	return c.Do(o.table)
}
