// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Events that the client makes itself.
var eventCreateChecks = []check.Check{
	{Rule: "EVT-21", Run: func(t *check.T) {
		for i := range 2 { // the second one, when the first is set
			e := created(t)
			p := t.NewProbe(nil)
			check.Equal(t, false, t.IsReady(e), "is_ready of new event %d", i+1)
			check.Call(t, p.OnReady(e))
			done := awaiting(t, e)
			check.Equal(t, 0, len(done), "threads whose PJRT_Event_Await of new event %d returned", i+1)
			check.Equal(t, 0, p.Count(), "calls of the callback of new event %d", i+1)
			set(t, e, capi.ErrorCodeOK, "")
			awaited(t, done, "PJRT_Event_Await of an event that was set to OK")
		}
	}},
	{Rule: "EVT-22", Run: func(t *check.T) {
		e := created(t)
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		first, second := awaiting(t, e), awaiting(t, e)
		check.Equal(t, 0, len(first)+len(second), "threads whose PJRT_Event_Await returned before the event was set")
		set(t, e, capi.ErrorCodeOK, "")
		awaited(t, first, "PJRT_Event_Await of an event that was set to OK")
		awaited(t, second, "PJRT_Event_Await of that event in a second thread")
		check.Equal(t, true, t.IsReady(e), "is_ready of an event that was set")
		if calls := called(t, p, "event that was set to OK"); len(calls) > 0 && calls[0].Err != nil {
			t.Errorf("callback of an event that was set to OK: expected null, got %v", calls[0].Err)
		}
	}},
	{Rule: "EVT-23", Run: func(t *check.T) {
		for code := capi.ErrorCodeCancelled; code <= capi.ErrorCodeUnauthenticated; code++ {
			e := created(t)
			p := t.NewProbe(nil)
			check.Call(t, p.OnReady(e))
			// No rule limits the length of a message or says what follows it in memory.
			text := fmt.Sprintf("failure number %d of %s", code, strings.Repeat("many; ", 50)) + "and here it ends"
			message := text[:len(text)-len(" and here it ends")]
			set(t, e, code, message)
			awaited := t.Await(e)
			_, asked := check.Try(t, capi.EventErrorArgs{Event: e})
			for _, err := range []error{awaited, asked} {
				if err != nil && strings.Contains(err.Error(), "here it ends") {
					t.Errorf("error of an event: expected a message of %d bytes, got more: %v", len(message), err)
				}
			}
			expectError(t, awaited, code, message, "PJRT_Event_Await")
			expectError(t, asked, code, message, "PJRT_Event_Error")
			if calls := called(t, p, "event that was set to an error"); len(calls) > 0 {
				expectError(t, calls[0].Err, code, message, "the callback")
			}
		}
		var events []*capi.Event
		for i := range check.Lengths {
			e := created(t)
			code, message := failure(i)
			set(t, e, code, message)
			events = append(events, e)
		}
		for i, e := range events { // each has its own, also when others were set
			code, message := failure(i)
			what := "event " + show(i) + " of several that were set to errors"
			expectError(t, t.Await(e), code, message, "PJRT_Event_Await of "+what)
			_, err := check.Try(t, capi.EventErrorArgs{Event: e})
			expectError(t, err, code, message, "PJRT_Event_Error of "+what)
		}
	}},
	{Rule: "EVT-24", Run: func(t *check.T) {
		e := created(t)
		text := []byte(failureMessage)
		args := capi.EventSetArgs{Event: e, ErrorCode: failureCode}
		args.ErrorMessage, args.ErrorMessageSize = capi.BytesData(text)
		check.Call(t, args)
		for i := range text {
			text[i] = '#'
		}
		expectError(t, t.Await(e), failureCode, failureMessage, "PJRT_Event_Await after the message was overwritten")
	}},
	{Rule: "EVT-25", Hostile: true, Run: func(t *check.T) {
		for _, first := range []capi.ErrorCode{capi.ErrorCodeOK, failureCode} {
			for _, second := range []capi.ErrorCode{capi.ErrorCodeOK, capi.ErrorCodeInternal} {
				e := created(t)
				set(t, e, first, failureMessage)
				args := capi.EventSetArgs{Event: e, ErrorCode: second}
				args.ErrorMessage, args.ErrorMessageSize = capi.StringData("too late")
				_, err := check.Try(t, args)
				t.ErrorCode(err, fmt.Sprintf("PJRT_Event_Set to %v, then to %v", first, second))
				what := fmt.Sprintf("PJRT_Event_Await of an event that was set to %v, then to %v,", first, second)
				if err := t.Await(e); first != capi.ErrorCodeOK {
					expectError(t, err, first, failureMessage, what)
				} else if err != nil {
					t.Errorf("%s: expected success as set first, got %v", what, err)
				}
			}
		}
	}},
	{Rule: "EVT-26", Hostile: true, Run: func(t *check.T) {
		check.Destroy(t, created(t)) // skips if there is no such function
		pending := newPending(t)
		e := t.Ready(pending.Buffer)
		_, err := check.Try(t, capi.EventSetArgs{Event: e})
		t.ErrorCode(err, "PJRT_Event_Set of an event that PJRT_Event_Create did not make")
		check.Equal(t, false, t.IsReady(e), "is_ready of that event")
		pending.Fulfil()
		t.NoError(t.Await(e), "that event, after its data came")
	}},
	{Rule: "EVT-27", Hostile: true, Run: func(t *check.T) {
		// No thread awaits the event itself: nobody may free a handle that a call of another thread
		// uses.
		e, other := created(t), created(t)
		p, also := t.NewProbe(nil), t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		check.Call(t, also.OnReady(other))
		done := awaiting(t, other)
		check.Disown(t, e)
		within(t, "PJRT_Event_Destroy of an event that was never set", func() { check.Try(t, capi.EventDestroyArgs{Event: e}) })
		if calls := called(t, p, "event that was destroyed and never set"); len(calls) > 0 {
			t.ErrorCode(calls[0].Err, "callback of an event that was destroyed and never set")
		}
		time.Sleep(while)
		check.Equal(t, 0, len(done)+also.Count(),
			"threads and callbacks that wait for another event and were told of something when the first was destroyed")
		set(t, other, capi.ErrorCodeOK, "")
		awaited(t, done, "PJRT_Event_Await of another event, which was set to OK after the first was destroyed,")
		if calls := called(t, also, "event that was set to OK after another was destroyed"); len(calls) > 0 && calls[0].Err != nil {
			t.Errorf("callback of another event, which was set to OK: expected null, got %v", calls[0].Err)
		}
	}},
}

// created makes an event. The check owns it.
func created(t *check.T) *capi.Event {
	e := check.Call(t, capi.EventCreateArgs{}).Event
	if e == nil {
		t.Fatalf("PJRT_Event_Create: success without an event")
	}
	return check.Own(t, e)
}

// awaiting awaits an event in another thread. It returns when that has slept in the call for a
// while, or could not be seen to sleep.
func awaiting(t *check.T, e *capi.Event) chan error {
	done := make(chan error, 1)
	t.Begin(func() {
		_, err := check.Try(t, capi.EventAwaitArgs{Event: e})
		done <- err
	}).Settle(while)
	return done
}

// awaited fails the check unless the awaiting thread returns with success.
func awaited(t *check.T, done chan error, what string) {
	select {
	case err := <-done:
		t.NoError(err, what)
	case <-time.After(t.Patience()):
		t.Stuck("%s did not return within %v", what, t.Patience())
	}
}

// failure returns an error of its own for each of several objects: neighbours differ in their
// codes, and in the texts and lengths of their messages.
func failure(i int) (capi.ErrorCode, string) {
	const codes = int(capi.ErrorCodeUnauthenticated)
	return capi.ErrorCode(1 + i%codes), check.Words(check.Lengths[i%len(check.Lengths)], i)
}

func set(t *check.T, e *capi.Event, code capi.ErrorCode, message string) {
	args := capi.EventSetArgs{Event: e, ErrorCode: code}
	args.ErrorMessage, args.ErrorMessageSize = check.Message(message)
	check.Call(t, args)
}

// expectError fails the check unless err has the code, and its message contains
// message.
func expectError(t *check.T, err error, code capi.ErrorCode, message, what string) bool {
	var e *capi.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: expected %v with %q, got %v", what, code, message, err)
		return false
	}
	if e.Code != code || !check.Says(e.Message, message) {
		t.Errorf("%s: expected %v with %q, got %v with %q", what, code, message, e.Code, e.Message)
		return false
	}
	return true
}
