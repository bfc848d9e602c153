// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// future stands for the end of some work, which several events may report.
type future struct {
	done chan struct{}

	mu   sync.Mutex
	over bool          // guarded by mu
	err  error         // guarded by mu; constant once over
	then []func(error) // guarded by mu
}

func newFuture() *future { return &future{done: make(chan struct{})} }

// readyFuture returns a future that is over.
func readyFuture(err error) *future {
	f := newFuture()
	f.complete(err)
	return f
}

// complete ends the work, and reports whether this is the first call. It runs the
// functions that wait for the end before it returns.
func (f *future) complete(err error) bool {
	f.mu.Lock()
	if f.over {
		f.mu.Unlock()
		return false
	}
	f.over, f.err = true, err
	then := f.then
	f.then = nil
	close(f.done)
	f.mu.Unlock()
	for _, fn := range then {
		fn(err)
	}
	return true
}

// onReady calls fn when the work is over, or at once if it already is.
func (f *future) onReady(fn func(error)) {
	f.mu.Lock()
	if !f.over {
		f.then = append(f.then, fn)
		f.mu.Unlock()
		return
	}
	err := f.err
	f.mu.Unlock()
	fn(err)
}

// result reports whether the work is over, and how it ended.
func (f *future) result() (err error, over bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err, f.over
}

// event is one PJRT_Event.
type event struct {
	of       *future
	settable bool // made by PJRT_Event_Create
}

// newEvent makes an event that the caller owns.
func (p *Plugin) newEvent(of *future) *capi.Event {
	return makeHandle[capi.Event](p, &event{of: of}, true)
}

func (p *Plugin) eventDestroy(a *capi.EventDestroyArgs) error {
	return destroy(p, a.Event, func(e *event) {
		if e.settable {
			// The event can no longer be set.
			e.of.complete(capi.ErrorCodeCancelled.Errorf("the event was destroyed before it was set"))
		}
	})
}

func (p *Plugin) eventIsReady(a *capi.EventIsReadyArgs) error {
	return with(p, a.Event, func(e *event) { _, a.IsReady = e.of.result() })
}

func (p *Plugin) eventError(a *capi.EventErrorArgs) error {
	e, err := find[*event](p, a.Event)
	if err != nil {
		return err
	}
	result, over := e.of.result()
	if !over {
		return capi.ErrorCodeFailedPrecondition.Errorf("the event is not ready: wait for it before asking for its error")
	}
	return result
}

func (p *Plugin) eventAwait(a *capi.EventAwaitArgs) error {
	e, err := find[*event](p, a.Event)
	if err != nil {
		return err
	}
	<-e.of.done
	result, _ := e.of.result()
	return result
}

func (p *Plugin) eventOnReady(a *capi.EventOnReadyArgs) error {
	e, err := find[*event](p, a.Event)
	if err != nil {
		return err
	}
	if a.Callback == 0 {
		return invalid("the callback of PJRT_Event_OnReady is null")
	}
	callback, arg := a.Callback, a.UserArg
	e.of.onReady(func(err error) { callback.Call(p.newError(err), arg) })
	return nil
}

func (p *Plugin) eventCreate(a *capi.EventCreateArgs) error {
	a.Event = makeHandle[capi.Event](p, &event{of: newFuture(), settable: true}, true)
	return nil
}

func (p *Plugin) eventSet(a *capi.EventSetArgs) error {
	e, err := find[*event](p, a.Event)
	if err != nil {
		return err
	}
	if !e.settable {
		return capi.ErrorCodeFailedPrecondition.Errorf("the event was not made by PJRT_Event_Create, and cannot be set")
	}
	result, err := given(a.ErrorCode, a.ErrorMessage, a.ErrorMessageSize)
	if err != nil {
		return err
	}
	if !e.of.complete(result) {
		return capi.ErrorCodeFailedPrecondition.Errorf("the event was already set")
	}
	return nil
}

// given makes the error that the caller describes; it is nil for OK.
func given(code capi.ErrorCode, message *byte, size uintptr) (result, err error) {
	if code == capi.ErrorCodeOK {
		return nil, nil
	}
	if code < capi.ErrorCodeOK || code > capi.ErrorCodeUnauthenticated {
		return nil, invalid("%d is not an error code", int32(code))
	}
	if message == nil && size > 0 {
		return nil, invalid("the error message is null and has %d bytes", size)
	}
	return &capi.Error{Code: code, Message: capi.String(message, size)}, nil
}

// payloads reads the payloads that a caller attaches to an error.
func payloads(list *capi.NamedValue, n uintptr) ([]capi.Payload, error) {
	given, err := namedValues(list, n, "payloads")
	if err != nil {
		return nil, err
	}
	var all []capi.Payload
	for _, a := range given {
		s, ok := a.Value.(string)
		if !ok {
			return nil, invalid("the payload %q is of type %T; it must be a string", a.Name, a.Value)
		}
		all = append(all, capi.Payload{Key: a.Name, Value: []byte(s)})
	}
	return all, nil
}
