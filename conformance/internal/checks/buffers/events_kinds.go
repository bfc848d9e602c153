// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// madeEvent is an event and how it was made.
type madeEvent struct {
	what string
	*capi.Event
}

// waitingEvents returns events from different sources that are not ready before a
// buffer has its data. The check owns them. There are fewer if the plugin's calls wait
// for data where they need not; other rules look at that.
func waitingEvents(t *check.T, p *pending) []madeEvent {
	events := []madeEvent{{"ready event of a buffer", t.Ready(p.Buffer)}}
	x := check.NewExecution(compiled(t, check.AddOne), 1, []*capi.Buffer{p.Buffer})
	var err error
	if !attempt(t, p, func() { err = x.Start(t) }) {
		t.Notef(executeWaits)
	} else if err == nil {
		events = append(events, madeEvent{"event of an execution", x.Events[0]},
			madeEvent{"ready event of an output", t.Ready(x.Outputs[0][0])})
	}
	if e := waitingDownload(t, p); e != nil {
		events = append(events, madeEvent{"event of a download", e})
	}
	return events
}

// waitingDownload returns the event of a download of a buffer that has no data yet, or
// nil if the plugin has none before the data arrives. The check owns it.
func waitingDownload(t *check.T, p *pending) *capi.Event {
	args := downloadArgs{Src: p.Buffer, HostLayout: check.RowMajor(1),
		Dst: check.Pointer(check.Retain(make([]byte, 16))), DstSize: 16}
	var err error
	if !attempt(t, p, func() {
		args, err = check.Try(t, args)
		check.Own(t, args.Event)
	}) {
		t.Notef("PJRT_Buffer_ToHostBuffer waits for the data")
		return nil
	}
	if err != nil {
		return nil
	}
	return args.Event
}

// attempt runs a call that may wait until a buffer has its data, and reports whether it
// returned without it. Only then may the caller look at what the call wrote.
func attempt(t *check.T, p *pending, call func()) bool {
	thread := t.Begin(call)
	if thread.Settle(10*while) == check.Returned {
		return true
	}
	t.Cleanup(func() {
		p.Fail(failureCode, failureMessage)
		awaitOrAbandon(t, thread.Done())
	})
	return false
}

// staysReady uses ready events in every way there is.
func staysReady(t *check.T) {
	b := small(t)
	ready, failed := t.Ready(b), failedEvent(t)
	t.NoError(t.Await(ready), "ready event of an upload")
	t.Await(failed)
	still := func(after string) {
		for i := range 1000 {
			if !t.IsReady(ready) {
				t.Fatalf("call %d of PJRT_Event_IsReady after %s: expected true, got false", i+1, after)
			}
			if !t.IsReady(failed) {
				t.Fatalf("call %d of PJRT_Event_IsReady of a failed event after %s: expected true, got false", i+1, after)
			}
		}
	}
	still("PJRT_Event_Await")
	for _, e := range []*capi.Event{ready, failed} {
		check.Try(t, capi.EventErrorArgs{Event: e})
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		called(t, p, "event that was ready before")
	}
	still("PJRT_Event_Error and PJRT_Event_OnReady")
	check.Call(t, capi.BufferDeleteArgs{Buffer: b})
	still("PJRT_Buffer_Delete")
	check.Destroy(t, b)
	still("PJRT_Buffer_Destroy")
}

// errorOfAnEvent asks events for their errors before and after it awaits them.
func errorOfAnEvent(t *check.T) {
	polled := func(what string, e *capi.Event) {
		becomesReady(t, e, what+": it becomes ready")
		if t.Failed() {
			t.Fatalf("PJRT_Event_Error may be called only when an event is ready")
		}
	}
	for what, e := range readyEvents(t) {
		polled(what, e)
		for _, when := range []string{"before", "after"} {
			if _, err := check.Try(t, capi.EventErrorArgs{Event: e}); err != nil {
				t.Errorf("%s: PJRT_Event_Error %s PJRT_Event_Await: expected null, got %v", what, when, err)
			}
			t.NoError(t.Await(e), what)
		}
	}
	bad := failedBuffer(t, failureCode, failureMessage)
	failed := []madeEvent{{"ready event of a buffer that is an error", t.Ready(bad)}}
	dst := room(t, 16)
	out, err := check.Try(t, into(bad, dst))
	if err == nil && out.Event != nil {
		failed = append(failed, madeEvent{"download of a buffer that is an error", check.Own(t, out.Event)})
	}
	for _, e := range failed {
		polled(e.what, e.Event)
		_, before := check.Try(t, capi.EventErrorArgs{Event: e.Event})
		awaited := t.Await(e.Event)
		_, after := check.Try(t, capi.EventErrorArgs{Event: e.Event})
		sameError(t, awaited, before, e.what+": PJRT_Event_Error, then PJRT_Event_Await")
		sameError(t, awaited, after, e.what+": PJRT_Event_Await, then PJRT_Event_Error")
	}
}

// calledOnceEach waits until every callback ran, and looks for second calls.
func calledOnceEach(t *check.T, probes []*check.Probe, what string) {
	t.Eventually(t.Patience(), "every callback "+what+" runs", func() bool {
		for _, p := range probes {
			if p.Count() == 0 {
				return false
			}
		}
		return true
	})
	time.Sleep(while)
	for i, p := range probes {
		if !check.Equal(t, 1, p.Count(), "calls of the callback %d of %d %s", i+1, len(probes), what) {
			return
		}
	}
}

// callbacksOfWaitingEvents uses events after their callbacks ran, which must not make
// those run again.
func callbacksOfWaitingEvents(t *check.T) {
	const n = 10
	var probes []*check.Probe
	var events []*capi.Event
	var buffers []*pending
	for range 2 * n {
		p, probe := newPending(t), t.NewProbe(nil)
		e := t.Ready(p.Buffer)
		check.Call(t, probe.OnReady(e))
		buffers, events, probes = append(buffers, p), append(events, e), append(probes, probe)
	}
	for i, p := range buffers {
		if i < n {
			p.Fulfil()
		} else {
			p.Fail(failureCode, failureMessage)
		}
	}
	calledOnceEach(t, probes, "of events that waited, half of which fail,")
	for _, e := range events {
		t.Await(e)
		check.Try(t, capi.EventErrorArgs{Event: e})
		check.Destroy(t, e)
	}
	calledOnceEach(t, probes, "of events that were awaited and destroyed since")
}

// receivesError registers two callbacks, each of which destroys the error that
// it gets, and then asks the event itself.
func receivesError(t *check.T, e *capi.Event, what string, fail func()) {
	a, b := t.NewProbe(nil), t.NewProbe(nil)
	check.Call(t, a.OnReady(e))
	check.Call(t, b.OnReady(e))
	fail()
	for _, p := range []*check.Probe{a, b} {
		if calls := called(t, p, what); len(calls) > 0 {
			expectError(t, calls[0].Err, failureCode, failureMessage, "callback of an "+what)
			sameError(t, t.Await(e), calls[0].Err, "callback and PJRT_Event_Await of an "+what)
		}
	}
}

// several registers ten callbacks on one waiting event. It shows look, if not nil, what
// each gets.
func several(t *check.T, what string, end func(*pending), look func(err error, what string)) {
	pending := newPending(t)
	e := t.Ready(pending.Buffer)
	var probes []*check.Probe
	for range 10 {
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		probes = append(probes, p)
	}
	time.Sleep(while)
	for i, p := range probes {
		check.Equal(t, 0, p.Count(), "calls of callback %d before the event is ready", i+1)
	}
	end(pending)
	calledOnceEach(t, probes, "on one "+what)
	for i, p := range probes {
		if calls := p.Calls(); look != nil && len(calls) > 0 {
			look(calls[0].Err, "callback "+show(i+1)+" of 10 on one "+what)
		}
	}
}

// outlives destroys an event with a callback before it is ready.
func outlives(t *check.T, what string, end func(*pending), look func(err error, what string)) {
	pending := newPending(t)
	e := t.Ready(pending.Buffer)
	p := t.NewProbe(nil)
	check.Call(t, p.OnReady(e))
	check.Destroy(t, e)
	time.Sleep(while)
	check.Equal(t, 0, p.Count(), "calls of the callback of an %s, which was destroyed, before that", what)
	end(pending)
	calledOnceEach(t, []*check.Probe{p}, "of an "+what+", which was destroyed before,")
	for _, c := range p.Calls() {
		look(c.Err, "callback of an "+what+", which was destroyed before")
	}
}

// awaitedTogether returns what 8 threads that await one event get.
func awaitedTogether(t *check.T, end func(*pending)) []error {
	pending := newPending(t)
	e := t.Ready(pending.Buffer)
	const n = 8
	answers := make(chan error, n)
	var threads []*check.Thread
	for range n {
		threads = append(threads, t.Begin(func() {
			_, err := check.Try(t, capi.EventAwaitArgs{Event: e})
			answers <- err
		}))
	}
	for _, h := range threads {
		h.Settle(while)
	}
	check.Equal(t, 0, len(answers), "threads whose PJRT_Event_Await returned before the event was ready")
	end(pending)
	var list []error
	for timeout := time.After(t.Patience()); len(list) < n; {
		select {
		case err := <-answers:
			list = append(list, err)
		case <-timeout:
			t.Stuck("8 threads in PJRT_Event_Await of one event: %d of them woke within %v after it was ready", len(list), t.Patience())
		}
	}
	return list
}
