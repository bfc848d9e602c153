// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// patience is how long a check waits for what must come.
const patience = 5 * time.Second

// while is how long a check watches for what must not come.
const while = 30 * time.Millisecond

// within runs a call that must not wait, and fails the check, which ends, when
// it does not return in time. call uses nothing of T that ends a check.
func within(t *check.T, what string, call func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s: expected it to return at once, and it did not within %v", what, patience)
	}
}

// failure is what failed events and buffers of a check carry.
const (
	failureCode    = capi.ErrorCodeDataLoss
	failureMessage = "the tape is torn"
)

// failedBuffer makes a buffer that is an error with a code and a message, in one
// of the ways that the plugin has. The check owns it.
func failedBuffer(t *check.T, code capi.ErrorCode, message string) *capi.Buffer {
	if t.Table().Has(check.FunctionOf[capi.ClientCreateErrorBufferArgs]()) && len(t.Client().Memories) > 0 {
		if out, err := check.Try(t, errorBufferArgs(t, code, message, 4)); err == nil && out.Buffer != nil {
			return check.Own(t, out.Buffer)
		}
	}
	p := t.NewPending(t.Client(), 4)
	p.Fail(code, message)
	return p.Buffer
}

func errorBufferArgs(t *check.T, code capi.ErrorCode, message string, dims ...int64) capi.ClientCreateErrorBufferArgs {
	args := capi.ClientCreateErrorBufferArgs{
		Client: t.Client().Handle, ErrorCode: code, ShapeElementType: capi.BufferTypeF32, Memory: t.DefaultMemory(t.Client()),
	}
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData(message)
	args.ShapeDims, args.ShapeNumDims = check.First(dims)
	return args
}

// failedEvent is an event that completed, or will complete soon, with an error.
// The check owns it.
func failedEvent(t *check.T) *capi.Event {
	return t.Ready(failedBuffer(t, failureCode, failureMessage))
}

// call is the four f32 of a buffer, ready without error, and how to see it.
func small(t *check.T) *capi.Buffer { return check.Upload(t, t.Client(), floats(4)) }

// readyEvent is an event that completes without an error. The check owns it.
func readyEvent(t *check.T) *capi.Event { return t.Ready(small(t)) }

// once runs f the first time only.
func once(f func()) func() {
	var o sync.Once
	return func() { o.Do(f) }
}

// compiled compiles a program whose compilation is not what is judged.
func compiled(t *check.T, text string) *capi.LoadedExecutable {
	out, err := check.Try(t, check.CompileArgs(t.Client(), text, check.Devices(1, 1)))
	switch {
	case err == nil && out.Executable != nil:
		return check.Own(t, out.Executable)
	case capi.CodeOf(err) == capi.ErrorCodeUnimplemented:
		t.SkipUnimplf("the program does not compile: %v", err)
	}
	t.Fatalf("PJRT_Client_Compile: expected success, got %v", err)
	return nil
}

// started executes a program on the first device and does not wait. The check
// owns the outputs and the event.
func started(t *check.T, exe *capi.LoadedExecutable, arguments ...*capi.Buffer) (*capi.Buffer, *capi.Event) {
	x := check.NewExecution(exe, 1, arguments)
	var err error
	within(t, "PJRT_LoadedExecutable_Execute", func() { err = x.Start(t) })
	if err != nil {
		t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
	}
	if x.Outputs[0][0] == nil || x.Events[0] == nil {
		t.Fatalf("PJRT_LoadedExecutable_Execute: success without an output or without an event")
	}
	return x.Outputs[0][0], x.Events[0]
}
