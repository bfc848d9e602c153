// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"errors"
	"fmt"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Events that the client makes itself.
var eventCreateChecks = []check.Check{
	rule("EVT-21", func(t *check.T) {
		e := created(t)
		check.Equal(t, false, t.IsReady(e), "is_ready of a new event")
		set(t, e, capi.ErrorCodeOK, "")
	}),
	rule("EVT-22", func(t *check.T) {
		e := created(t)
		done := make(chan error, 1)
		go func() {
			_, err := check.Try(t, capi.EventAwaitArgs{Event: e})
			done <- err
		}()
		select {
		case err := <-done:
			t.Fatalf("PJRT_Event_Await of an event that is not set: expected it to block, it returned %v", err)
		case <-time.After(while):
		}
		set(t, e, capi.ErrorCodeOK, "")
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("PJRT_Event_Await of an event that was set to OK: expected success, got %v", err)
			}
		case <-time.After(patience):
			stuck(t, "PJRT_Event_Await did not return within %v after PJRT_Event_Set", patience)
		}
		check.Equal(t, true, t.IsReady(e), "is_ready of an event that was set")
	}),
	rule("EVT-23", func(t *check.T) {
		for code := capi.ErrorCodeCancelled; code <= capi.ErrorCodeUnauthenticated; code++ {
			e := created(t)
			p := t.NewProbe(nil)
			check.Call(t, p.OnReady(e))
			message := fmt.Sprintf("failure number %d", code)
			set(t, e, code, message)
			awaited := t.Await(e)
			_, asked := check.Try(t, capi.EventErrorArgs{Event: e})
			expectError(t, awaited, code, message, "PJRT_Event_Await")
			expectError(t, asked, code, message, "PJRT_Event_Error")
			if calls := called(t, p, "event that was set to an error"); len(calls) > 0 {
				expectError(t, calls[0].Err, code, message, "the callback")
			}
		}
	}),
	rule("EVT-24", func(t *check.T) {
		e := created(t)
		text := []byte(failureMessage)
		args := capi.EventSetArgs{Event: e, ErrorCode: failureCode}
		args.ErrorMessage, args.ErrorMessageSize = capi.BytesData(text)
		check.Call(t, args)
		for i := range text {
			text[i] = '#'
		}
		expectError(t, t.Await(e), failureCode, failureMessage, "PJRT_Event_Await after the message was overwritten")
	}),
	hostile("EVT-25", func(t *check.T) {
		e := created(t)
		set(t, e, capi.ErrorCodeOK, "")
		args := capi.EventSetArgs{Event: e, ErrorCode: capi.ErrorCodeInternal}
		args.ErrorMessage, args.ErrorMessageSize = capi.StringData("too late")
		_, err := check.Try(t, args)
		t.ErrorCode(err, "second PJRT_Event_Set")
		if err := t.Await(e); err != nil {
			t.Errorf("PJRT_Event_Await after a second PJRT_Event_Set: expected success as set first, got %v", err)
		}
	}),
	hostile("EVT-26", func(t *check.T) {
		check.Destroy(t, created(t)) // skips where there is no such function
		pending := newPending(t)
		e := t.Ready(pending.Buffer)
		_, err := check.Try(t, capi.EventSetArgs{Event: e})
		t.ErrorCode(err, "PJRT_Event_Set of an event that PJRT_Event_Create did not make")
		check.Equal(t, false, t.IsReady(e), "is_ready of that event")
		pending.Fulfil()
		mustAwait(t, e, "that event, after its data came")
	}),
	hostile("EVT-27", func(t *check.T) {
		e, other := created(t), created(t)
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		check.Disown(t, e)
		within(t, "PJRT_Event_Destroy of an event that was never set", func() { check.Try(t, capi.EventDestroyArgs{Event: e}) })
		if calls := called(t, p, "event that was destroyed and never set"); len(calls) > 0 {
			t.ErrorCode(calls[0].Err, "callback of an event that was destroyed and never set")
		}
		set(t, other, capi.ErrorCodeOK, "")
		mustAwait(t, other, "another event")
	}),
}

// created makes an event. The check owns it.
func created(t *check.T) *capi.Event {
	e := check.Call(t, capi.EventCreateArgs{}).Event
	if e == nil {
		t.Fatalf("PJRT_Event_Create: success without an event")
	}
	return check.Own(t, e)
}

func set(t *check.T, e *capi.Event, code capi.ErrorCode, message string) {
	args := capi.EventSetArgs{Event: e, ErrorCode: code}
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData(message)
	check.Call(t, args)
}

// expectError fails the check unless err has the code, and the message
// somewhere in its own.
func expectError(t *check.T, err error, code capi.ErrorCode, message, what string) bool {
	var e *capi.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: expected %v with %q, got %v", what, code, message, err)
		return false
	}
	if e.Code != code || !contains(e.Message, message) {
		t.Errorf("%s: expected %v with %q, got %v with %q", what, code, message, e.Code, e.Message)
		return false
	}
	return true
}
