// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var eventChecks = []check.Check{
	{Rule: "EVT-01", Library: true, Hostile: true, Run: func(t *check.T) {
		if _, err := check.Try(t, capi.EventDestroyArgs{}); err != nil {
			t.Errorf("PJRT_Event_Destroy of null: expected success, got %v", err)
		}
	}},
	{Rule: "EVT-02", Run: awaitBlocks},
	{Rule: "EVT-03", Run: func(t *check.T) {
		for what, e := range readyEvents(t) {
			t.NoError(t.Await(e), what)
			check.Equal(t, true, t.IsReady(e), "%s: is_ready after PJRT_Event_Await", what)
		}
	}},
	{Rule: "EVT-04", Run: staysReady},
	{Rule: "EVT-05", Run: func(t *check.T) {
		// A caller that polls does not await.
		for what, e := range readyEvents(t) {
			becomesReady(t, e, what+": it becomes ready")
		}
		e := failedEvent(t)
		becomesReady(t, e, "a failed event becomes ready")
		t.ErrorCode(t.Await(e), "PJRT_Event_Await of a failed event")
		check.Equal(t, true, t.IsReady(e), "is_ready of a failed event after PJRT_Event_Await")
	}},
	{Rule: "EVT-06", Run: func(t *check.T) {
		p := newPending(t)
		events := waitingEvents(t, p)
		for _, e := range events {
			within(t, "PJRT_Event_IsReady of a pending "+e.what, func() {
				for i := range 1000 {
					if out, err := check.Try(t, capi.EventIsReadyArgs{Event: e.Event}); err != nil || out.IsReady {
						t.Errorf("%s: call %d of PJRT_Event_IsReady before the data came: expected false, got %v, %v", e.what, i+1,
							out.IsReady, err)
						return
					}
				}
			})
		}
		p.Fulfil()
		for _, e := range events {
			t.NoError(t.Await(e.Event), e.what)
		}
	}},
	{Rule: "EVT-06", Variant: "execution", Run: readinessOfAnExecution},
	{Rule: "EVT-07", Run: errorOfAnEvent},
	{Rule: "EVT-08", Hostile: true, Run: errorsAreIndependent},
	{Rule: "EVT-09", Hostile: true, Run: func(t *check.T) {
		p := newPending(t)
		e := t.Ready(p.Buffer)
		if t.IsReady(e) {
			t.SkipEnvf("no event could be made that is not ready")
		}
		_, err := check.Try(t, capi.EventErrorArgs{Event: e})
		t.Notef("PJRT_Event_Error of a pending event gave %v", err)
		p.Fulfil()
		t.NoError(t.Await(e), "ready event, after PJRT_Event_Error was called too early")
	}},
	{Rule: "EVT-10", Run: func(t *check.T) {
		const n = 1000
		probes := make([]*check.Probe, n)
		for i := range probes {
			out := check.Call(t, check.HostArgs(t.Client(), floats(2)))
			check.Own(t, out.Buffer)
			probes[i] = t.NewProbe(nil)
			check.Call(t, probes[i].OnReady(check.Own(t, out.DoneWithHostBuffer)))
		}
		calledOnceEach(t, probes, "of events")
	}},
	{Rule: "EVT-10", Variant: "waiting", Run: callbacksOfWaitingEvents},
	{Rule: "EVT-11", Hostile: true, Run: func(t *check.T) {
		e := readyEvent(t)
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		if calls := called(t, p, "event that succeeds"); len(calls) > 0 && calls[0].Err != nil {
			t.Errorf("callback of an event that succeeded: expected null, got %v", calls[0].Err)
		}
		for range 3 {
			receivesError(t, failedEvent(t), "event that failed", func() {})
		}
		pending := newPending(t)
		receivesError(t, t.Ready(pending.Buffer), "event that fails", func() { pending.Fail(failureCode, failureMessage) })
	}},
	{Rule: "EVT-12", Run: userArgs},
	{Rule: "EVT-13", Run: func(t *check.T) {
		events := readyEvents(t)
		events["failed event"] = failedEvent(t)
		for what, e := range events {
			if err := t.Await(e); err != nil && what != "failed event" {
				t.Errorf("%s: expected success, got %v", what, err)
			}
			p := t.NewProbe(nil)
			check.Call(t, p.OnReady(e))
			called(t, p, "event that was ready before ("+what+")")
		}
	}},
	{Rule: "EVT-14", Run: func(t *check.T) {
		several(t, "event that succeeds", (*pending).Fulfil, nil)
		several(t, "event that fails", func(p *pending) { p.Fail(failureCode, failureMessage) }, func(err error, what string) {
			expectError(t, err, failureCode, failureMessage, what)
		})
	}},
	{Rule: "EVT-15", Hostile: true, Run: func(t *check.T) {
		outlives(t, "event that succeeds", (*pending).Fulfil, func(err error, what string) {
			if err != nil {
				t.Errorf("%s: expected null, got %v", what, err)
			}
		})
		outlives(t, "event that fails", func(p *pending) { p.Fail(failureCode, failureMessage) }, func(err error, what string) {
			expectError(t, err, failureCode, failureMessage, what)
		})
	}},
	{Rule: "EVT-16", Hostile: true, Run: reentrantCallback},
	{Rule: "EVT-17", Run: func(t *check.T) {
		for i, err := range awaitedTogether(t, (*pending).Fulfil) {
			t.NoError(err, "PJRT_Event_Await in thread %d of 8", i+1)
		}
		for i, err := range awaitedTogether(t, func(p *pending) { p.Fail(failureCode, failureMessage) }) {
			expectError(t, err, failureCode, failureMessage, "PJRT_Event_Await of an event that fails, in thread "+show(i+1)+" of 8")
		}
	}},
	{Rule: "EVT-18", Run: func(t *check.T) {
		e := readyEvent(t)
		for i := range 2 {
			t.NoError(t.Await(e), "call %d of PJRT_Event_Await", i+1)
		}
		e = failedEvent(t)
		first := t.Await(e)
		sameError(t, first, t.Await(e), "second and first PJRT_Event_Await of a failed event")
	}},
	{Rule: "EVT-19", Run: destroyPending},
	{Rule: "EVT-20", Run: func(t *check.T) {
		pending := newPending(t)
		a := check.Call(t, capi.BufferReadyEventArgs{Buffer: pending.Buffer}).Event
		b := check.Own(t, check.Call(t, capi.BufferReadyEventArgs{Buffer: pending.Buffer}).Event)
		if a == b {
			t.Fatalf("two calls of PJRT_Buffer_ReadyEvent: expected two events, got the same handle twice")
		}
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(b))
		check.Call(t, capi.EventDestroyArgs{Event: a})
		check.Equal(t, false, t.IsReady(b), "is_ready of the second event, after the first was destroyed")
		pending.Fulfil()
		t.NoError(t.Await(b), "the second event, after the first was destroyed")
		called(t, p, "event of which there was a second one, destroyed since")
	}},
}

// readyEvents returns events from different sources that succeed. The check owns them.
func readyEvents(t *check.T) map[string]*capi.Event {
	out := check.Call(t, check.HostArgs(t.Client(), floats(4)))
	check.Own(t, out.Buffer)
	_, done := started(t, compiled(t, check.AddOne), out.Buffer)
	return map[string]*capi.Event{
		"done_with_host_buffer":     check.Own(t, out.DoneWithHostBuffer),
		"ready event of a buffer":   t.Ready(out.Buffer),
		"event of an execution":     done,
		"event of another transfer": download(t, out.Buffer),
	}
}

// download starts a transfer to memory that lives as long as the check.
func download(t *check.T, b *capi.Buffer) *capi.Event {
	dst := room(t, 16)
	args := into(b, dst)
	return check.Own(t, check.Call(t, args).Event)
}

// called waits for a callback.
func called(t *check.T, p *check.Probe, what string) []check.ProbeCall {
	t.Eventually(t.Patience(), "the callback of an "+what+" runs", func() bool { return p.Count() > 0 })
	return p.Calls()
}

// sameError fails the check unless both are errors with the same code and
// message.
func sameError(t *check.T, want, got error, what string) {
	var a, b *capi.Error
	if !errors.As(want, &a) || !errors.As(got, &b) {
		t.Errorf("%s: expected the same error, got %v and %v", what, got, want)
		return
	}
	check.Equal(t, a.Code, b.Code, "code of %s", what)
	check.Equal(t, a.Message, b.Message, "message of %s", what)
}

func awaitBlocks(t *check.T) {
	for what, e := range readyEvents(t) {
		t.NoError(t.Await(e), what)
	}
	pending := newPending(t)
	events := waitingEvents(t, pending)
	var answers []chan error
	for _, e := range events {
		answers = append(answers, awaiting(t, e.Event))
	}
	// Neither time nor what happens to other events and other users ends the wait.
	for range 10 {
		t.NoError(t.Await(t.Ready(small(t))), "ready event of another buffer")
		for _, e := range events {
			t.IsReady(e.Event)
		}
		t.Ready(pending.Buffer)
		check.Destroy(t, t.Ready(pending.Buffer))
		time.Sleep(while)
	}
	for i, done := range answers {
		select {
		case err := <-done:
			t.Fatalf("PJRT_Event_Await of the %s, while the data has not come: expected it to block, but it returned %v", events[i].what,
				err)
		default:
		}
	}
	pending.Fulfil()
	for i, done := range answers {
		select {
		case err := <-done:
			t.NoError(err, "PJRT_Event_Await of the %s", events[i].what)
		case <-time.After(t.Patience()):
			t.Stuck("PJRT_Event_Await of the %s: it did not return within %v after the data had come", events[i].what, t.Patience())
		}
	}
	expectError(t, t.Await(failedEvent(t)), failureCode, failureMessage, "PJRT_Event_Await of a failed event")
}

// readinessOfAnExecution needs only the oldest functions. One answer of false is
// enough, however slow a loaded machine is: a call that blocks never says false.
func readinessOfAnExecution(t *check.T) {
	const n = 128
	exe := compiled(t, `module @long {
  func.func @main(%a: tensor<128x128xf32>) -> tensor<128x128xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<500> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<128x128xf32>
     cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %y = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %y : tensor<i32>, tensor<128x128xf32>
    }
    return %0#1 : tensor<128x128xf32>
  }
}`)
	identity := make([]float32, n*n)
	for i := range n {
		identity[i*n+i] = 1
	}
	in := check.Upload(t, t.Client(), identity, n, n)
	start := time.Now()
	t.Run(exe, 1, in)
	whole := time.Since(start)
	const attempts = 10
	blocked := 0
	for range attempts {
		x := check.NewExecution(exe, 1, []*capi.Buffer{in})
		if err := x.Start(t); err != nil {
			t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
		}
		asked := time.Now()
		if !t.IsReady(x.Events[0]) {
			return
		}
		if time.Since(asked) > whole/10 {
			blocked++ // or the machine was busy
		}
		t.NoError(t.Await(x.Events[0]), "event of the execution")
	}
	if blocked > attempts/2 {
		t.Errorf("PJRT_Event_IsReady of an execution that takes %v: expected false at once, but %d times of %d it waited until it could return true", whole, blocked, attempts)
		return
	}
	t.SkipEnvf("executions are over when PJRT_LoadedExecutable_Execute returns, or soon after")
}

// errorsAreIndependent compares the handles themselves, and frees none of them twice.
func errorsAreIndependent(t *check.T) {
	e := failedEvent(t)
	awaited := t.Await(e)
	var handles []*capi.ErrorHandle
	for range 3 {
		c := &capi.Call[capi.EventErrorArgs]{}
		c.Args.StructSize, c.Args.Event = c.Function().Size, e
		h, err := check.RawError(t, c)
		switch {
		case err != nil:
			t.SkipAbsentf("%v", err)
		case h == nil:
			t.Fatalf("PJRT_Event_Error of a failed event: expected an error, got null")
		}
		for i, other := range handles {
			if h == other {
				t.Fatalf("PJRT_Event_Error: call %d returned the same object as call %d, which was not destroyed", len(handles)+1, i+1)
			}
		}
		handles = append(handles, h)
	}
	sameError(t, awaited, t.Table().TakeError(handles[0]), "PJRT_Event_Error and PJRT_Event_Await")
	_, again := check.Try(t, capi.EventErrorArgs{Event: e})
	sameError(t, awaited, again, "PJRT_Event_Error after one of its earlier results was destroyed")
	check.Destroy(t, e)
	for _, h := range handles[1:] {
		sameError(t, awaited, t.Table().TakeError(h), "result of PJRT_Event_Error, read after the event was destroyed,")
	}
}

// userArgLock keeps checks that choose their user_arg apart.
var userArgLock sync.Mutex

func userArgs(t *check.T) {
	userArgLock.Lock()
	defer userArgLock.Unlock()
	word := make([]byte, 1)
	args := []uintptr{0, 1, ^uintptr(0), 1 << (31 + ^uintptr(0)>>63), ^uintptr(0)>>1 + 1, check.Address(word)}
	for i, arg := range append(args, args...) {
		p := t.NewProbeAt(arg, nil)
		if i < len(args) {
			check.Call(t, p.OnReady(readyEvent(t)))
		} else {
			pending := newPending(t)
			check.Call(t, p.OnReady(t.Ready(pending.Buffer)))
			pending.Fulfil()
		}
		if !t.Eventually(t.Patience(), "the callback runs with the user_arg that was given", func() bool { return p.Count() > 0 }) {
			t.Notef("user_arg %#x did not come back", arg)
			return
		}
	}
	runtime.KeepAlive(word)
}

func reentrantCallback(t *check.T) {
	exe := compiled(t, check.AddOne)
	victim, argument := small(t), small(t)
	pending := newPending(t)
	e := t.Ready(pending.Buffer)
	back := make(chan *capi.Buffer, 1)
	settled := readyEvent(t)
	t.NoError(t.Await(settled), "ready event of an upload")
	second := t.NewProbe(nil)
	p := t.NewProbe(func(check.ProbeCall) {
		if out, err := check.Try(t, capi.EventIsReadyArgs{Event: e}); err != nil || !out.IsReady {
			t.Errorf("PJRT_Event_IsReady of an event in its callback: expected true, got %v, %v", out.IsReady, err)
		}
		check.Destroy(t, e)
		check.Destroy(t, victim)
		if _, err := check.Try(t, capi.EventAwaitArgs{Event: settled}); err != nil {
			t.Errorf("PJRT_Event_Await of another event in a callback: expected success, got %v", err)
		}
		if _, err := check.Try(t, second.OnReady(settled)); err != nil {
			t.Errorf("PJRT_Event_OnReady in a callback: expected success, got %v", err)
		}
		up, err := check.Try(t, check.HostArgs(t.Client(), floats(4)))
		t.NoError(err, "PJRT_Client_BufferFromHostBuffer in a callback")
		check.Own(t, up.Buffer)
		check.Own(t, up.DoneWithHostBuffer)
		ready, err := check.Try(t, capi.BufferReadyEventArgs{Buffer: argument})
		t.NoError(err, "PJRT_Buffer_ReadyEvent in a callback")
		check.Own(t, ready.Event)
		down, err := check.Try(t, downloadArgs{Src: argument, HostLayout: check.RowMajor(1),
			Dst: check.Pointer(check.Retain(make([]byte, 16))), DstSize: 16})
		t.NoError(err, "PJRT_Buffer_ToHostBuffer in a callback")
		check.Own(t, down.Event)
		x := check.NewExecution(exe, 1, []*capi.Buffer{argument})
		t.NoError(x.Start(t), "PJRT_LoadedExecutable_Execute in a callback")
		back <- x.Outputs[0][0]
	})
	check.Call(t, p.OnReady(e))
	go pending.Fulfil()
	select {
	case out := <-back:
		if called(t, p, "event whose callback calls the plugin"); out != nil {
			check.ExpectBuffer(t, out, []float32{2, 3, 4, 5}, "output of an execution that a callback started")
			called(t, second, "event that another callback registered one with")
		}
	case <-time.After(t.Patience()):
		t.Stuck("a callback that destroys its event and a buffer, registers another, uploads, downloads and starts an execution: it did not come back from the plugin within %v", t.Patience())
	}
}

func destroyPending(t *check.T) {
	exe := compiled(t, check.AddOne)
	pending := newPending(t)
	out, e := waiting(t, exe, pending.Buffer)
	check.Disown(t, e)
	ready := t.Ready(pending.Buffer)
	check.Disown(t, ready)
	list := []*capi.Event{e, ready}
	if d := waitingDownload(t, pending); d != nil {
		list = append(list, check.Disown(t, d))
	}
	for _, e := range list {
		var err error
		within(t, "PJRT_Event_Destroy of a pending event", func() { _, err = check.Try(t, capi.EventDestroyArgs{Event: e}) })
		t.NoError(err, "PJRT_Event_Destroy of a pending event")
	}
	pending.Fulfil()
	check.ExpectBuffer(t, out, []float32{2, 3, 4, 5}, "output of an execution whose event was destroyed while it waited")
}
