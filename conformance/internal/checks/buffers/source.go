// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// while is how long a check watches for what must not happen.
const while = 30 * time.Millisecond

// within runs a call that must not wait, and fails and ends the check if it does not
// return in time. call must not use a method of T that ends a check.
func within(t *check.T, what string, call func()) {
	if !isPrompt(t, begin(call)) {
		t.Errorf("%s: expected it to return at once, but it did not within %v", what, t.Patience())
		runtime.Goexit()
	}
}

// isPrompt reports whether a call returns in time. If not, it lets the call go on as awaitOrAbandon
// does.
func isPrompt(t *check.T, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(t.Patience()):
		release(t)
		awaitOrAbandon(t, done)
		return false
	}
}

// begin makes a call in a goroutine and returns a channel that is closed when it
// has returned.
func begin(call func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	return done
}

// awaitOrAbandon waits for a call that nothing holds up any more. If it does not
// return, the check abandons what it owns.
func awaitOrAbandon(t *check.T, done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(t.Patience()):
		t.Abandon()
	}
}

// held has, for each running check, the functions that release its buffers that wait
// for data.
var held struct {
	mu      sync.Mutex
	release map[*check.T][]func() // guarded by mu
}

// hold registers a function that releases a buffer that waits for data.
func hold(t *check.T, f func()) {
	held.mu.Lock()
	defer held.mu.Unlock()
	if held.release == nil {
		held.release = make(map[*check.T][]func())
	}
	if held.release[t] == nil {
		t.Cleanup(func() {
			held.mu.Lock()
			defer held.mu.Unlock()
			delete(held.release, t)
		})
	}
	held.release[t] = append(held.release[t], f)
}

// release releases all buffers of a check that wait for data.
func release(t *check.T) {
	held.mu.Lock()
	list := held.release[t]
	held.mu.Unlock()
	for _, f := range list {
		f()
	}
}

// pending is a buffer of four floats that has no data yet.
type pending struct {
	*check.Pending
	done atomic.Bool
}

func newPending(t *check.T) *pending {
	p := &pending{Pending: t.NewPending(t.Client(), 4)}
	hold(t, func() { p.Fail(failureCode, failureMessage) })
	return p
}

// Fulfil gives the buffer its contents, 1, 2, 3, 4, unless it is already settled.
func (p *pending) Fulfil() {
	if p.done.CompareAndSwap(false, true) {
		p.Pending.Fulfil()
	}
}

// Fail makes the buffer an error, unless it is already settled.
func (p *pending) Fail(code capi.ErrorCode, message string) {
	if p.done.CompareAndSwap(false, true) {
		p.Pending.Fail(code, message)
	}
}

// The failure that a check's failed events and buffers carry.
const (
	failureCode    = capi.ErrorCodeDataLoss
	failureMessage = "the tape is torn, 100% of %d %s" // which is no format
)

// failedBuffer makes a buffer that is an error with a code and a message, in one
// of the ways that the plugin has. The check owns it.
func failedBuffer(t *check.T, code capi.ErrorCode, message string) *capi.Buffer {
	if t.Table().Has(check.FunctionOf[errorBuffers]()) && len(t.Client().Memories) > 0 {
		if out, err := check.Try(t, errorBufferArgs(t, code, message, 4)); err == nil && out.Buffer != nil {
			return check.Own(t, out.Buffer)
		}
	}
	p := newPending(t)
	p.Fail(code, message)
	return p.Buffer
}

func errorBufferArgs(t *check.T, code capi.ErrorCode, message string, dims ...int64) errorBuffers {
	args := errorBuffers{
		Client: t.Client().Handle, ErrorCode: code, ShapeElementType: capi.BufferTypeF32, Memory: t.DefaultMemory(t.Client()),
		ShapeLayout: check.RowMajor(len(dims)),
	}
	args.ErrorMessage, args.ErrorMessageSize = check.Message(message)
	args.ShapeDims, args.ShapeNumDims = check.First(dims)
	return args
}

// failedEvent returns an event that completed, or will complete soon, with an error.
// The check owns it.
func failedEvent(t *check.T) *capi.Event {
	return t.Ready(failedBuffer(t, failureCode, failureMessage))
}

// small returns a buffer of 1, 2, 3, 4.
func small(t *check.T) *capi.Buffer { return check.Upload(t, t.Client(), floats(4)) }

// becomesReady fails the check unless an event becomes ready soon. what says so in words.
func becomesReady(t *check.T, e *capi.Event, what string) bool {
	return t.Eventually(t.Patience(), what, func() bool { return t.IsReady(e) })
}

// readyEvent returns an event that completes without an error. The check owns it.
func readyEvent(t *check.T) *capi.Event { return t.Ready(small(t)) }

// compiled compiles a program that the check only executes.
func compiled(t *check.T, text string) *capi.LoadedExecutable {
	exe, err := t.TryShared(text)
	switch {
	case capi.CodeOf(err) == capi.ErrorCodeUnimplemented:
		t.SkipUnimplf("the program does not compile: %v", err)
	case err != nil:
		t.Fatalf("PJRT_Client_Compile: expected success, got %v", err)
	}
	return exe
}

// waiting executes a program on the first device, with an argument that has no data yet.
// The check owns the output and the event. It is skipped if the plugin's executions return
// only when their arguments have data, as those of XLA's plugins for GPUs do.
func waiting(t *check.T, exe *capi.LoadedExecutable, arguments ...*capi.Buffer) (*capi.Buffer, *capi.Event) {
	x := check.NewExecution(exe, 1, arguments)
	var err error
	if !isPrompt(t, begin(func() { err = x.Start(t) })) {
		t.SkipUnimplf(executeWaits)
	}
	return result(t, x, err)
}

// early executes a program on the first device before send gives an argument its data. It
// fails the check if the output is ready before that, and returns the output when the
// execution is over.
func early(t *check.T, exe *capi.LoadedExecutable, argument *capi.Buffer, send func()) *capi.Buffer {
	x := check.NewExecution(exe, 1, []*capi.Buffer{argument})
	var err error
	thread := t.Begin(func() { err = x.Start(t) })
	if thread.Settle(10*while) == check.Returned {
		out, _ := result(t, x, err)
		e := t.Ready(out)
		time.Sleep(while)
		check.Equal(t, false, t.IsReady(e), "is_ready of the output of an execution whose argument has no data yet")
	} else {
		t.Notef(executeWaits)
	}
	send()
	select {
	case <-thread.Done():
	case <-time.After(t.Patience()):
		t.Stuck("PJRT_LoadedExecutable_Execute: it did not return within %v after its argument had data", t.Patience())
	}
	out, event := result(t, x, err)
	t.NoError(t.Await(event), "event of the execution")
	return out
}

const executeWaits = "PJRT_LoadedExecutable_Execute waits for the data of its arguments"

// started executes a program on the first device and does not wait. The check
// owns the outputs and the event.
func started(t *check.T, exe *capi.LoadedExecutable, arguments ...*capi.Buffer) (*capi.Buffer, *capi.Event) {
	x := check.NewExecution(exe, 1, arguments)
	var err error
	within(t, "PJRT_LoadedExecutable_Execute", func() { err = x.Start(t) })
	return result(t, x, err)
}

// result returns the output and the event of an execution, if starting it gave no error.
func result(t *check.T, x *check.Execution, err error) (*capi.Buffer, *capi.Event) {
	if err != nil {
		t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
	}
	if x.Events[0] == nil {
		t.Fatalf("PJRT_LoadedExecutable_Execute: success without an event")
	}
	return x.Outputs[0][0], x.Events[0]
}
