// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var eventChecks = []check.Check{
	{Rule: "EVT-01", Hostile: true, Library: true, Run: func(t *check.T) {
		if _, err := check.Try(t, capi.EventDestroyArgs{}); err != nil {
			t.Errorf("PJRT_Event_Destroy of null: expected success, got %v", err)
		}
	}},
	rule("EVT-02", awaitBlocks),
	rule("EVT-03", func(t *check.T) {
		for what, e := range readyEvents(t) {
			if err := t.Await(e); err != nil {
				t.Errorf("%s: expected success, got %v", what, err)
			}
			check.Equal(t, true, t.IsReady(e), "%s: is_ready after PJRT_Event_Await", what)
		}
	}),
	rule("EVT-04", func(t *check.T) {
		b := small(t)
		e := t.Ready(b)
		mustAwait(t, e, "ready event of an upload")
		check.Call(t, capi.BufferDeleteArgs{Buffer: b})
		for i := range 1000 {
			if !t.IsReady(e) {
				t.Fatalf("call %d of PJRT_Event_IsReady after PJRT_Event_Await and PJRT_Buffer_Delete: expected true, got false", i+1)
			}
		}
		check.Destroy(t, b)
		check.Equal(t, true, t.IsReady(e), "is_ready after the buffer was destroyed")
	}),
	rule("EVT-05", func(t *check.T) {
		e := failedEvent(t)
		t.ErrorCode(t.Await(e), "PJRT_Event_Await of a failed event")
		t.Eventually(patience, "a failed event becomes ready", func() bool { return t.IsReady(e) })
	}),
	rule("EVT-06", func(t *check.T) {
		p := newPending(t)
		e := t.Ready(p.Buffer)
		within(t, "PJRT_Event_IsReady of a pending event", func() {
			for i := range 1000 {
				if out, err := check.Try(t, capi.EventIsReadyArgs{Event: e}); err != nil || out.IsReady {
					t.Errorf("call %d of PJRT_Event_IsReady before the data came: expected false, got %v, %v", i+1, out.IsReady, err)
					return
				}
			}
		})
		p.Fulfil()
		mustAwait(t, e, "ready event")
	}),
	{Rule: "EVT-06", Variant: "execution", Run: readinessOfAnExecution},
	rule("EVT-07", func(t *check.T) {
		e := readyEvent(t)
		mustAwait(t, e, "ready event of an upload")
		if _, err := check.Try(t, capi.EventErrorArgs{Event: e}); err != nil {
			t.Errorf("PJRT_Event_Error of an event that succeeded: expected null, got %v", err)
		}
		e = failedEvent(t)
		awaited := t.Await(e)
		_, asked := check.Try(t, capi.EventErrorArgs{Event: e})
		sameError(t, awaited, asked, "PJRT_Event_Error and PJRT_Event_Await of a failed event")
	}),
	hostile("EVT-08", errorsAreIndependent),
	hostile("EVT-09", func(t *check.T) {
		p := newPending(t)
		e := t.Ready(p.Buffer)
		if t.IsReady(e) {
			t.SkipEnvf("no event could be made that is not ready")
		}
		_, err := check.Try(t, capi.EventErrorArgs{Event: e})
		t.Notef("PJRT_Event_Error of a pending event gave %v", err)
		p.Fulfil()
		mustAwait(t, e, "ready event, after PJRT_Event_Error was called too early")
	}),
	rule("EVT-10", func(t *check.T) {
		const n = 1000
		probes := make([]*check.Probe, n)
		for i := range probes {
			out := check.Call(t, check.HostArgs(t.Client(), floats(2)))
			check.Own(t, out.Buffer)
			probes[i] = t.NewProbe(nil)
			check.Call(t, probes[i].OnReady(check.Own(t, out.DoneWithHostBuffer)))
		}
		t.Eventually(patience, "every callback runs", func() bool {
			for _, p := range probes {
				if p.Count() == 0 {
					return false
				}
			}
			return true
		})
		time.Sleep(while)
		for i, p := range probes {
			if !check.Equal(t, 1, p.Count(), "calls of the callback of event %d of %d", i+1, n) {
				return
			}
		}
	}),
	hostile("EVT-11", func(t *check.T) {
		e := readyEvent(t)
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		if calls := called(t, p, "event that succeeds"); len(calls) > 0 && calls[0].Err != nil {
			t.Errorf("callback of an event that succeeded: expected null, got %v", calls[0].Err)
		}
		for range 3 {
			e = failedEvent(t)
			p = t.NewProbe(nil) // destroys the error it gets
			check.Call(t, p.OnReady(e))
			if calls := called(t, p, "event that fails"); len(calls) > 0 {
				sameError(t, t.Await(e), calls[0].Err, "callback and PJRT_Event_Await of a failed event")
			}
		}
	}),
	rule("EVT-12", userArgs),
	rule("EVT-13", func(t *check.T) {
		e := readyEvent(t)
		mustAwait(t, e, "ready event of an upload")
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		called(t, p, "event that was ready before")
	}),
	rule("EVT-14", func(t *check.T) {
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
		pending.Fulfil()
		for i, p := range probes {
			t.Eventually(patience, "each of 10 callbacks on one event runs", func() bool { return p.Count() > 0 })
			if t.Failed() {
				t.Notef("callback %d of 10 did not run", i+1)
				return
			}
		}
	}),
	hostile("EVT-15", func(t *check.T) {
		pending := newPending(t)
		e := t.Ready(pending.Buffer)
		p := t.NewProbe(nil)
		check.Call(t, p.OnReady(e))
		check.Destroy(t, e)
		pending.Fulfil()
		if calls := called(t, p, "event that was destroyed after registering"); len(calls) > 0 && calls[0].Err != nil {
			t.Errorf("callback of an event that was destroyed after registering: expected null, got %v", calls[0].Err)
		}
	}),
	{Rule: "EVT-16", Hostile: true, Run: reentrantCallback},
	rule("EVT-17", func(t *check.T) {
		pending := newPending(t)
		e := t.Ready(pending.Buffer)
		const n = 8
		var woken atomic.Int32
		var failed atomic.Value
		for range n {
			go func() {
				if _, err := check.Try(t, capi.EventAwaitArgs{Event: e}); err != nil {
					failed.Store(err)
				}
				woken.Add(1)
			}()
		}
		time.Sleep(while)
		check.Equal(t, 0, woken.Load(), "threads whose PJRT_Event_Await returned before the event was ready")
		pending.Fulfil()
		t.Eventually(patience, "8 threads in PJRT_Event_Await of one event wake", func() bool { return woken.Load() == n })
		if err := failed.Load(); err != nil {
			t.Errorf("PJRT_Event_Await in 8 threads: expected success, got %v", err)
		}
	}),
	rule("EVT-18", func(t *check.T) {
		e := readyEvent(t)
		for i := range 2 {
			if err := t.Await(e); err != nil {
				t.Errorf("call %d of PJRT_Event_Await: expected success, got %v", i+1, err)
			}
		}
		e = failedEvent(t)
		first := t.Await(e)
		sameError(t, first, t.Await(e), "second and first PJRT_Event_Await of a failed event")
	}),
	rule("EVT-19", destroyPending),
	rule("EVT-20", func(t *check.T) {
		pending := newPending(t)
		a := check.Call(t, capi.BufferReadyEventArgs{Buffer: pending.Buffer}).Event
		b := check.Own(t, check.Call(t, capi.BufferReadyEventArgs{Buffer: pending.Buffer}).Event)
		if a == b {
			t.Fatalf("two calls of PJRT_Buffer_ReadyEvent: expected two events, got the same handle twice")
		}
		check.Call(t, capi.EventDestroyArgs{Event: a})
		check.Equal(t, false, t.IsReady(b), "is_ready of the second event, after the first was destroyed")
		pending.Fulfil()
		mustAwait(t, b, "the second event, after the first was destroyed")
	}),
}

// readyEvents are events of different making that succeed. The check owns them.
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
	dst := make([]byte, 16)
	t.Keep(dst)
	args := capi.BufferToHostBufferArgs{Src: b, HostLayout: check.RowMajor(1), Dst: check.Pointer(dst), DstSize: 16}
	return check.Own(t, check.Call(t, args).Event)
}

func mustAwait(t *check.T, e *capi.Event, what string) {
	if err := t.Await(e); err != nil {
		t.Errorf("%s: expected success, got %v", what, err)
	}
}

// called waits for a callback.
func called(t *check.T, p *check.Probe, what string) []check.ProbeCall {
	t.Eventually(patience, "the callback of an "+what+" runs", func() bool { return p.Count() > 0 })
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
		mustAwait(t, e, what)
	}
	pending := newPending(t)
	e := t.Ready(pending.Buffer)
	done := make(chan error, 1)
	go func() {
		_, err := check.Try(t, capi.EventAwaitArgs{Event: e})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("PJRT_Event_Await of a buffer whose data has not come: expected it to block, it returned %v", err)
	case <-time.After(while):
	}
	pending.Fulfil()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("PJRT_Event_Await: expected success, got %v", err)
		}
	case <-time.After(patience):
		stuck(t, "PJRT_Event_Await: it did not return within %v after the data had come", patience)
	}
	t.ErrorCode(t.Await(failedEvent(t)), "PJRT_Event_Await of a failed event", failureCode)
}

// readinessOfAnExecution needs no functions but the oldest. What it asks for is
// no time, which machines under load have none of: a call that blocks never
// says false.
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
		start = time.Now()
		if err := x.Start(t); err != nil {
			t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
		}
		begun := time.Since(start)
		asked := time.Now()
		if !t.IsReady(x.Events[0]) {
			return
		}
		if took := time.Since(asked); took > begun && took > whole/10 {
			blocked++ // or the machine was busy with other things
		}
		mustAwait(t, x.Events[0], "event of the execution")
	}
	if blocked > attempts/2 {
		t.Errorf("PJRT_Event_IsReady of an execution that takes %v: expected false at once, and %d times of %d it waited until it could say true", whole, blocked, attempts)
		return
	}
	t.SkipEnvf("executions are over when PJRT_LoadedExecutable_Execute returns, or soon after")
}

// errorsAreIndependent compares the handles themselves, and frees none twice.
func errorsAreIndependent(t *check.T) {
	e := failedEvent(t)
	awaited := t.Await(e)
	var handles []*capi.ErrorHandle
	for range 3 {
		c := &capi.Call[capi.EventErrorArgs]{}
		c.Args.StructSize, c.Args.Event = c.Function().Size, e
		h, err := c.Raw(t.Table())
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
	for _, h := range handles {
		sameError(t, awaited, t.Table().TakeError(h), "PJRT_Event_Error and PJRT_Event_Await")
	}
	_, again := check.Try(t, capi.EventErrorArgs{Event: e})
	sameError(t, awaited, again, "PJRT_Event_Error after its earlier results were destroyed")
}

// userArgLock keeps checks apart that choose their user_arg.
var userArgLock sync.Mutex

func userArgs(t *check.T) {
	userArgLock.Lock()
	defer userArgLock.Unlock()
	word := make([]byte, 1)
	args := []uintptr{0, 1, ^uintptr(0), 1 << (31 + ^uintptr(0)>>63), ^uintptr(0)>>1 + 1, check.Address(word)}
	for _, arg := range args {
		e := readyEvent(t)
		p := t.NewProbeAt(arg, nil)
		check.Call(t, p.OnReady(e))
		if !t.Eventually(patience, "the callback runs with the user_arg that was given", func() bool { return p.Count() > 0 }) {
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
	p := t.NewProbe(func(check.ProbeCall) {
		check.Destroy(t, victim)
		up, err := check.Try(t, check.HostArgs(t.Client(), floats(4)))
		if err != nil {
			t.Errorf("PJRT_Client_BufferFromHostBuffer in a callback: expected success, got %v", err)
		}
		check.Own(t, up.Buffer)
		check.Own(t, up.DoneWithHostBuffer)
		x := check.NewExecution(exe, 1, []*capi.Buffer{argument})
		if err := x.Start(t); err != nil {
			t.Errorf("PJRT_LoadedExecutable_Execute in a callback: expected success, got %v", err)
		}
		back <- x.Outputs[0][0]
	})
	check.Call(t, p.OnReady(e))
	go pending.Fulfil()
	select {
	case out := <-back:
		if called(t, p, "event whose callback calls the plugin"); out != nil {
			check.ExpectBuffer(t, out, []float32{2, 3, 4, 5}, "output of an execution that a callback started")
		}
	case <-time.After(patience):
		stuck(t, "a callback that destroys a buffer, uploads and starts an execution: it did not come back from the plugin within %v", patience)
	}
}

func destroyPending(t *check.T) {
	exe := compiled(t, check.AddOne)
	pending := newPending(t)
	out, e := started(t, exe, pending.Buffer)
	check.Disown(t, e)
	ready := t.Ready(pending.Buffer)
	check.Disown(t, ready)
	for _, e := range []*capi.Event{e, ready} {
		var err error
		within(t, "PJRT_Event_Destroy of a pending event", func() { _, err = check.Try(t, capi.EventDestroyArgs{Event: e}) })
		if err != nil {
			t.Errorf("PJRT_Event_Destroy of a pending event: expected success, got %v", err)
		}
	}
	pending.Fulfil()
	check.ExpectBuffer(t, out, []float32{2, 3, 4, 5}, "output of an execution whose event was destroyed while it waited")
}
