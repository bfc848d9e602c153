// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Event says when some work of a device is done, and whether it failed. Its
// methods may be called from any goroutine, and any number of goroutines may
// wait for one event: they are parked in Go, not in threads.
//
// Some plugins give no event for work that is over when a call returns. Such an
// Event is ready from the start.
type Event struct {
	ref   *lifetime.Ref[capi.Event] // nil when the plugin gave no event
	table *capi.Table
	state *eventState
	own   *ownEvent // nil for an event of the plugin's
}

// eventState is what is known of an event in Go. It is apart from Event, so that
// a callback which C holds does not keep the Event alive.
type eventState struct {
	mu      sync.Mutex
	watched bool          // guarded by mu; a callback is registered, or about to be
	done    chan struct{} // guarded by mu; nil until somebody asks for it
	after   []func(error) // guarded by mu; to be called when the event is ready

	settled atomic.Bool // err is valid
	err     error
}

// newEvent takes over an event of the plugin; nil is one that is ready.
func newEvent(table *capi.Table, h *capi.Event, parent lifetime.Parent) *Event {
	if h == nil {
		return readyEvent(nil)
	}
	return &Event{
		table: table, state: new(eventState),
		ref: lifetime.New("event", h, parent, func(h *capi.Event) { closeEvent(table, h) }),
	}
}

// readyEvent returns an event without the plugin, which is ready with err.
func readyEvent(err error) *Event {
	e := &Event{state: &eventState{err: err}}
	e.state.settled.Store(true)
	return e
}

// errNilEvent is the error of methods of a nil Event.
var errNilEvent = invalid("the event is nil")

// acquire returns the C event for the length of a call, which e.ref.Release ends.
// It returns nil, and nothing is to be released, for an event that the plugin did
// not give.
func (e *Event) acquire() (*capi.Event, error) {
	switch {
	case e == nil || e.state == nil:
		return nil, errNilEvent
	case e.ref == nil:
		return nil, nil
	}
	return e.ref.Acquire()
}

// Close gives the event up (PJRT_Event_Destroy). It does not stop the work that
// the event is about, and goroutines that wait already go on waiting. An event of
// the program's own that was not set fails with ErrCancelled.
func (e *Event) Close() error {
	if e == nil {
		return nil
	}
	if e.own != nil {
		e.own.cancel()
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
	if h == nil {
		return true, nil
	}
	defer e.ref.Release()
	return isReady(e.table, h)
}

// Err returns the error of the work. It is nil when there is none, and as long as
// the work goes on. It never blocks.
func (e *Event) Err() error {
	h, err := e.acquire()
	if err != nil {
		return err
	}
	if h == nil {
		return e.state.err
	}
	defer e.ref.Release()
	// Asking for the error of an event that is not ready ends the process.
	if ready, err := isReady(e.table, h); err != nil || !ready {
		return err
	}
	return e.take(h)
}

// Wait blocks until the work is over and returns its error. When ctx ends first,
// Wait returns ctx's error and the work goes on.
func (e *Event) Wait(ctx context.Context) error {
	h, err := e.acquire()
	if err != nil {
		return err
	}
	if h == nil {
		return e.state.err
	}
	defer e.ref.Release()
	if e.state.settled.Load() {
		return e.state.err
	}
	ready, err := isReady(e.table, h)
	if err != nil {
		return err
	}
	if ready {
		return e.take(h)
	}
	if ctx.Done() == nil && awaiting.enter() {
		defer awaiting.leave()
		return e.take(h)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-e.watch(h):
		return e.state.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done returns a channel that is closed when the work is over. Err has the error
// then. The channel of a closed event is closed.
func (e *Event) Done() <-chan struct{} {
	h, err := e.acquire()
	if err != nil || h == nil {
		return closedDone
	}
	defer e.ref.Release()
	return e.watch(h)
}

var closedDone = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// OnReady calls fn with the error of the work once it is over
// (PJRT_Event_OnReady), in a goroutine of its own. When it is over already that
// is at once. Closing the event does not call it off.
func (e *Event) OnReady(fn func(error)) error {
	if fn == nil {
		return invalid("the function is nil")
	}
	h, err := e.acquire()
	if err != nil {
		return err
	}
	if h == nil {
		go fn(e.state.err)
		return nil
	}
	defer e.ref.Release()
	e.then(h, fn)
	return nil
}

// then is OnReady for an acquired event.
func (e *Event) then(h *capi.Event, fn func(error)) {
	s := e.state
	s.mu.Lock()
	if s.settled.Load() {
		s.mu.Unlock()
		go fn(s.err)
		return
	}
	s.after = append(s.after, fn)
	s.mu.Unlock()
	e.watch(h)
}

// take waits in C, in vain if the event is ready, and returns its error.
func (e *Event) take(h *capi.Event) error {
	if e.state.settled.Load() {
		return e.state.err
	}
	return e.state.settle(awaitEvent(e.table, h))
}

// watch has the plugin say when the event is ready, once for all who wait, and
// returns the channel that is closed then. The event is not destroyed before.
// Precondition: the event is acquired.
func (e *Event) watch(h *capi.Event) <-chan struct{} {
	s := e.state
	s.mu.Lock()
	if s.done == nil {
		s.done = make(chan struct{})
		if s.settled.Load() {
			close(s.done)
		}
	}
	done, first := s.done, !s.watched && !s.settled.Load()
	s.watched = s.watched || first
	s.mu.Unlock()
	if !first {
		return done
	}
	release := e.retain(h)
	onReady(e.table, h, func(err error) {
		// The plugin must not be called from within its callback. Those who wait
		// are told last, so that they find the event unused.
		go func() {
			release()
			s.settle(err)
		}()
	})
	return done
}

// retain keeps an acquired event from being destroyed until release is called,
// even when it was closed meanwhile.
func (e *Event) retain(h *capi.Event) (release func()) {
	if _, err := e.ref.Acquire(); err == nil {
		return e.ref.Release
	}
	child := lifetime.New("event wait", h, e.ref, func(*capi.Event) {})
	return func() { child.Close() }
}

// settle makes the result of the event known, and returns it: that of the first
// call, should there be several.
func (s *eventState) settle(err error) error {
	s.mu.Lock()
	if s.settled.Load() {
		s.mu.Unlock()
		return s.err
	}
	s.err = err
	s.settled.Store(true)
	if s.done != nil {
		close(s.done)
	}
	after := s.after
	s.after = nil
	s.mu.Unlock()
	for _, fn := range after {
		go fn(err)
	}
	return err
}

// waitAndClose waits for an event that nobody else sees. When ctx ends first,
// the event is closed all the same, and finished is called later, when the work
// is over; else it is called before waitAndClose returns. finished may be nil.
func waitAndClose(ctx context.Context, table *capi.Table, h *capi.Event, parent lifetime.Parent, finished func()) error {
	if h == nil {
		if finished != nil {
			finished()
		}
		return nil
	}
	e := newEvent(table, h, parent)
	err := e.Wait(ctx)
	if !e.state.settled.Load() {
		_ = e.OnReady(func(error) {
			e.Close()
			if finished != nil {
				finished()
			}
		})
		return err
	}
	e.Close()
	if finished != nil {
		finished()
	}
	return err
}
