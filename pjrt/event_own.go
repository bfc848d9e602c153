// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// ownEvent is the side of an event that its maker has.
type ownEvent struct {
	table *capi.Table
	ref   *lifetime.Ref[capi.Event]
	set   atomic.Bool
}

// NewEvent makes an event of the program's own, which is ready once Set was
// called (PJRT_Event_Create, since API 0.89). It needs no client. An event that
// is closed or forgotten before it was set fails with ErrCancelled, so that
// nothing waits for ever.
func (p *Plugin) NewEvent() (*Event, error) {
	table := p.table
	var c capi.Call[capi.EventCreateArgs]
	if err := table.Lacks((*capi.EventSetArgs)(nil).Function()); err != nil {
		return nil, err
	}
	if err := c.Do(table); err != nil {
		return nil, err
	}
	if c.Args.Event == nil {
		return nil, &Error{Code: ErrInternal, Func: c.Function().Name, Message: "the plugin made no event"}
	}
	own := &ownEvent{table: table}
	own.ref = lifetime.New("event", c.Args.Event, nil, func(h *capi.Event) { closeEvent(table, h) })
	e := &Event{ref: own.ref, table: table, state: new(eventState), own: own}
	runtime.AddCleanup(e, func(own *ownEvent) {
		// The collector's own goroutine must not wait for C.
		go func() {
			own.cancel()
			own.ref.Close()
		}()
	}, own)
	return e, nil
}

// Set makes an event of the program's own ready, with an error or, when err is
// nil, with success (PJRT_Event_Set, since API 0.89). The error reaches those who
// wait as an *Error with the code and the text of err. Setting an event twice is
// an error, and so is setting an event of the plugin's.
func (e *Event) Set(err error) error {
	if e == nil || e.state == nil {
		return errNilEvent
	}
	if e.own == nil {
		return &Error{Code: ErrFailedPrecondition, Message: "the event belongs to the plugin; only those of Plugin.NewEvent can be set"}
	}
	h, aerr := e.ref.Acquire()
	if aerr != nil {
		return aerr
	}
	defer e.ref.Release()
	return e.own.settle(h, err)
}

// errEventAbandoned is what an event that is not set before its end fails with.
var errEventAbandoned = &Error{Code: ErrCancelled, Message: "the event was given up before it was set"}

// cancel fails the event if it was not set.
func (o *ownEvent) cancel() {
	if o.set.Load() {
		return
	}
	h, err := o.ref.Acquire()
	if err != nil {
		return
	}
	defer o.ref.Release()
	_ = o.settle(h, errEventAbandoned) // it was set at the last moment, or the plugin fails
}

// settle sets the event. Precondition: it is acquired.
func (o *ownEvent) settle(h *capi.Event, err error) error {
	if !o.set.CompareAndSwap(false, true) {
		return &Error{Code: ErrFailedPrecondition, Message: "the event was set before"}
	}
	var c capi.Call[capi.EventSetArgs]
	c.Args.Event = h
	if err != nil {
		message := err.Error()
		var e *Error
		if errors.As(err, &e) && err == error(e) {
			message = e.Message
		}
		if c.Args.ErrorCode = capi.CodeOf(err); c.Args.ErrorCode == capi.ErrorCodeOK {
			c.Args.ErrorCode = ErrUnknown
		}
		c.Args.ErrorMessage, c.Args.ErrorMessageSize = capi.StringData(message)
	}
	return c.Do(o.table)
}
