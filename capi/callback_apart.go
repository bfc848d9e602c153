// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// ending says how a function of the program ended.
type ending struct {
	returned bool
	panicked any    // the value of the panic, or nil after runtime.Goexit
	stack    string // of the panic
}

// apart runs fn in another goroutine and waits for its end. The thread that C called must return to
// C, and fn may end its goroutine, as testing.T.FailNow does: on the thread that C called, Go would
// end the process, or skip the frames of C.
func apart(fn func()) (e ending) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				e.panicked, e.stack = v, string(debug.Stack())
			}
		}()
		fn()
		e.returned = true
	}()
	<-done
	return e
}

// err returns the error of a callback that can fail, or nil if its function has returned.
func (e ending) err(callback string) error {
	switch {
	case e.returned:
		return nil
	case e.panicked != nil:
		return &Error{Code: ErrorCodeInternal, Message: fmt.Sprintf("panic in %s: %v\n%s", callback, e.panicked, e.stack)}
	}
	return &Error{Code: ErrorCodeAborted, Message: callback + ": the function ended its goroutine without a result"}
}

// log logs what happened to the function of a callback that cannot fail, unless it has returned.
func (e ending) log(callback string) {
	switch {
	case e.returned:
	case e.panicked != nil:
		slog.Error("panic in a callback from a PJRT plugin", "callback", callback, "panic", e.panicked, "stack", e.stack)
	default:
		slog.Error("a callback from a PJRT plugin ended its goroutine", "callback", callback)
	}
}

// call runs the function of a callback that can fail, apart, and returns its error.
func call(callback string, fn func() error) error {
	var err error
	if ended := apart(func() { err = fn() }).err(callback); ended != nil {
		return ended
	}
	return err
}

// tell runs the function of a callback that cannot fail, apart.
func tell(callback string, fn func()) { apart(fn).log(callback) }
