// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// What callbacks do, and what happens meanwhile.
var callbackChecks = []check.Check{
	{Rule: "EVT-10", Variant: "racing", Run: racingTransfers},
	{Rule: "EVT-10", Variant: "racing an execution", Run: racingExecutions},
	{Rule: "EVT-16", Variant: "each kind of event", Hostile: true, Run: func(t *check.T) {
		callsBack(t, "that succeeds", (*pending).Fulfil)
		callsBack(t, "that fails", func(p *pending) { p.Fail(failureCode, failureMessage) })
	}},
	{Rule: "EVT-28", Hostile: true, Run: lastOwner},
	{Rule: "EVT-28", Variant: "upload", Hostile: true, Run: lastOwnerOfAnUpload},
	{Rule: "EVT-29", Hostile: true, Run: func(t *check.T) {
		pending := newPending(t)
		othersProceed(t, "an event that becomes ready", t.Ready(pending.Buffer), pending.Buffer, pending.Fulfil)
	}},
	{Rule: "EVT-29", Variant: "ready event", Hostile: true, Run: func(t *check.T) {
		b := small(t)
		e := t.Ready(b)
		t.NoError(t.Await(e), "ready event of an upload")
		othersProceed(t, "an event that was ready before", e, b, func() {})
	}},
}

// Threads register callbacks with an event that becomes ready meanwhile: each goes on until it
// has registered someAfter after that, or mostEach in all.
const (
	racers     = 4
	raceRounds = 10
	mostEach   = 200
	someAfter  = 3
)

func racingTransfers(t *check.T) {
	for range raceRounds {
		p := newPending(t)
		if !registersMeanwhile(t, "of a buffer that gets its data", p.Buffer, p.Fulfil) {
			return
		}
		check.Destroy(t, p.Buffer)
		check.Destroy(t, p.Manager)
	}
}

func racingExecutions(t *check.T) {
	exe := compiled(t, check.Heavy)
	in := check.HeavyArgument(t, t.Client())
	for range raceRounds {
		out, done := started(t, exe, in)
		if !registersMeanwhile(t, "of an execution under way", out, func() {}) {
			return
		}
		t.NoError(t.Await(done), "event of the execution")
		check.Destroy(t, done)
		check.Destroy(t, out)
	}
}

// registersMeanwhile registers callbacks with ready events of a buffer while finish makes them
// ready. Each must be called once, whenever it was registered.
func registersMeanwhile(t *check.T, what string, b *capi.Buffer, finish func()) bool {
	var mu sync.Mutex
	var probes []*check.Probe
	var registered, ends sync.WaitGroup
	registered.Add(racers)
	check.Optional(t, t.NewProbe(nil).OnReady(t.Ready(b))) // without the function, no thread would say why
	for range racers {
		e := t.Ready(b)
		ends.Go(func() {
			for i, after := 0, 0; i < mostEach && after < someAfter; i++ {
				if out, err := check.Try(t, capi.EventIsReadyArgs{Event: e}); err != nil || out.IsReady {
					after++
				}
				p := t.NewProbe(nil)
				if _, err := check.Try(t, p.OnReady(e)); err != nil {
					t.Errorf("PJRT_Event_OnReady %s: expected success, got %v", what, err)
				}
				mu.Lock()
				probes = append(probes, p)
				mu.Unlock()
				if i == 0 {
					registered.Done()
				}
			}
		})
	}
	registered.Wait()
	finish()
	ends.Wait()
	calledOnceEach(t, probes, "that was registered while the event "+what+" became ready")
	return !t.Failed()
}

// callsBack lets the callbacks of events from each source call the plugin, without waiting.
func callsBack(t *check.T, how string, end func(*pending)) {
	exe := compiled(t, check.AddOne)
	argument, settled := small(t), readyEvent(t)
	t.NoError(t.Await(settled), "ready event of an upload")
	pending := newPending(t)
	events := waitingEvents(t, pending)
	upload := check.Call(t, check.HostArgs(t.Client(), floats(4)))
	check.Own(t, upload.Buffer)
	events = append(events, madeEvent{"done_with_host_buffer", check.Own(t, upload.DoneWithHostBuffer)})
	back := make([]chan struct{}, len(events))
	for i, e := range events {
		back[i] = make(chan struct{})
		victim, second := small(t), t.NewProbe(nil)
		p := t.NewProbe(first(func(check.ProbeCall) {
			defer close(back[i])
			must := func(call string, err error) {
				t.NoError(err, "%s in the callback of an event %s (%s)", call, how, e.what)
			}
			out, err := check.Try(t, capi.EventIsReadyArgs{Event: e.Event})
			must("PJRT_Event_IsReady", err)
			if !out.IsReady {
				t.Errorf("PJRT_Event_IsReady of an event %s (%s) in its callback: expected true, got false", how, e.what)
			}
			_, err = check.Try(t, second.OnReady(settled))
			must("PJRT_Event_OnReady", err)
			up, err := check.Try(t, check.HostArgs(t.Client(), floats(4)))
			must("PJRT_Client_BufferFromHostBuffer", err)
			check.Own(t, up.Buffer)
			check.Own(t, up.DoneWithHostBuffer)
			x := check.NewExecution(exe, 1, []*capi.Buffer{argument})
			must("PJRT_LoadedExecutable_Execute", x.Start(t))
			check.Destroy(t, victim)
			check.Destroy(t, e.Event)
		}))
		go check.Try(t, p.OnReady(e.Event)) // a callback that runs at once may not return
	}
	go end(pending)
	for i, e := range events {
		select {
		case <-back[i]:
		case <-time.After(t.Patience()):
			t.Stuck("the callback of an event %s (%s), which calls the plugin: it did not come back within %v", how, e.what, t.Patience())
		}
	}
}

// lastOwner destroys, in a callback, everything that the event came from, while other threads
// wait for events of the same objects.
func lastOwner(t *check.T) {
	for range 8 {
		exe := check.Own(t, check.Optional(t, t.CompileArgs(t.Client(), check.AddOne, check.Devices(1, 1))).Executable)
		pending := newPending(t)
		e := t.Ready(pending.Buffer)
		waited := []madeEvent{{"second ready event of the buffer", t.Ready(pending.Buffer)}}
		x := check.NewExecution(exe, 1, []*capi.Buffer{pending.Buffer})
		var err error
		if !attempt(t, pending, func() { err = x.Start(t) }) {
			t.SkipUnimplf(executeWaits)
		} else if err != nil {
			t.Fatalf("PJRT_LoadedExecutable_Execute on a buffer whose data has not come: expected success, got %v", err)
		}
		out := x.Outputs[0][0]
		waited = append(waited, madeEvent{"event of an execution", x.Events[0]}, madeEvent{"ready event of its output", t.Ready(out)})
		answers := waitForEach(t, waited)
		gone := make(chan struct{})
		p := t.NewProbe(first(func(check.ProbeCall) {
			defer close(gone)
			check.Destroy(t, e)
			check.Destroy(t, pending.Buffer)
			check.Destroy(t, out)
			check.Destroy(t, exe)
		}))
		check.Call(t, p.OnReady(e))
		go pending.Fulfil()
		allWake(t, waited, answers, gone, "a callback destroyed its event, the buffer, the executable and the output")
	}
	check.ExpectBuffer(t, small(t), floats(4), "a buffer that was uploaded afterwards")
}

// first returns a callback that does nothing when a plugin calls it again, which EVT-10 is about.
func first(fn func(check.ProbeCall)) func(check.ProbeCall) {
	var once sync.Once
	return func(c check.ProbeCall) { once.Do(func() { fn(c) }) }
}

// lastOwnerOfAnUpload does the same with a buffer whose upload is over.
func lastOwnerOfAnUpload(t *check.T) {
	for range 50 {
		args := check.HostArgs(t.Client(), floats(1<<16))
		args.HostBufferSemantics = capi.HostBufferSemanticsImmutableUntilTransferCompletes
		t.Keep(args.Data)
		out := check.Call(t, args)
		b, e := check.Own(t, out.Buffer), check.Own(t, out.DoneWithHostBuffer)
		waited := []madeEvent{{"ready event of the buffer", t.Ready(b)}}
		answers := waitForEach(t, waited)
		gone := make(chan struct{})
		p := t.NewProbe(first(func(check.ProbeCall) {
			defer close(gone)
			check.Destroy(t, e)
			check.Destroy(t, b)
		}))
		check.Call(t, p.OnReady(e))
		allWake(t, waited, answers, gone, "the callback of done_with_host_buffer destroyed its event and the buffer")
	}
}

// waitForEach starts a goroutine for each event that waits for it.
func waitForEach(t *check.T, events []madeEvent) []chan error {
	answers := make([]chan error, len(events))
	for i, e := range events {
		answers[i] = make(chan error, 1)
		go func() {
			_, err := check.Try(t, capi.EventAwaitArgs{Event: e.Event})
			answers[i] <- err
		}()
	}
	return answers
}

// allWake fails the check unless all threads of waitForEach return without an error once a
// callback has closed gone.
func allWake(t *check.T, events []madeEvent, answers []chan error, gone <-chan struct{}, what string) {
	late := time.After(t.Patience())
	select {
	case <-gone:
	case <-late:
		t.Stuck("%s: the callback did not come back within %v", what, t.Patience())
	}
	for i, e := range events {
		select {
		case err := <-answers[i]:
			t.NoError(err, "PJRT_Event_Await of the %s, when %s", e.what, what)
		case <-late:
			t.Stuck("PJRT_Event_Await of the %s, when %s: it did not return within %v", e.what, what, t.Patience())
		}
	}
}

// othersProceed holds a callback until another thread has made calls that need not wait for
// anything, as a callback does that waits for a lock which that thread holds.
func othersProceed(t *check.T, what string, e *capi.Event, b *capi.Buffer, finish func()) {
	again, settled, victim, second := t.Ready(b), readyEvent(t), small(t), t.NewProbe(nil)
	t.NoError(t.Await(settled), "ready event of an upload")
	unneeded := t.Ready(victim)
	entered, leave := make(chan struct{}), make(chan struct{})
	p := t.NewProbe(first(func(check.ProbeCall) {
		close(entered)
		select {
		case <-leave:
		case <-time.After(2 * t.Patience()):
		}
	}))
	registered := begin(func() {
		if _, err := check.Try(t, p.OnReady(e)); err != nil {
			t.Errorf("PJRT_Event_OnReady of %s: expected success, got %v", what, err)
		}
	})
	finished := begin(finish)
	select {
	case <-entered:
	case <-time.After(t.Patience()):
		t.Stuck("the callback of %s did not come within %v", what, t.Patience())
	}
	var doing atomic.Value
	done := begin(func() {
		call(t, &doing, capi.EventIsReadyArgs{Event: again})
		call(t, &doing, capi.EventIsReadyArgs{Event: settled})
		call(t, &doing, second.OnReady(settled))
		call(t, &doing, capi.BufferElementTypeArgs{Buffer: b})
		call(t, &doing, capi.BufferDimensionsArgs{Buffer: b})
		call(t, &doing, capi.BufferIsDeletedArgs{Buffer: b})
		check.Own(t, call(t, &doing, capi.BufferReadyEventArgs{Buffer: b}).Event)
		call(t, &doing, capi.ClientAddressableDevicesArgs{Client: t.Client().Handle})
		doing.Store(check.FunctionOf[capi.EventDestroyArgs]().Name)
		check.Destroy(t, unneeded)
		call(t, &doing, capi.BufferDeleteArgs{Buffer: victim})
		doing.Store(check.FunctionOf[capi.BufferDestroyArgs]().Name)
		check.Destroy(t, victim)
	})
	select {
	case <-done:
	case <-time.After(t.Patience()):
		t.Errorf("%s in another thread, while the callback of %s runs: expected it to return, but it did not within %v", doing.Load(),
			what, t.Patience())
	}
	close(leave)
	for _, c := range []<-chan struct{}{done, registered, finished} {
		select {
		case <-c:
		case <-time.After(t.Patience()):
			t.Stuck("after the callback of %s came back: a call that waited for it did not return within %v", what, t.Patience())
		}
	}
	called(t, p, what)
	called(t, second, "event that another thread registered one with, while a callback ran")
}

// call makes a call that has to succeed, and stores its name in doing first.
func call[A any](t *check.T, doing *atomic.Value, args A) A {
	name := check.FunctionOf[A]().Name
	doing.Store(name)
	out, err := check.Try(t, args)
	t.NoError(err, "%s in another thread, while a callback runs", name)
	return out
}
