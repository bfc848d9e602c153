// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"runtime"
	"time"
)

// Thread is an operating system thread that makes calls which may wait.
type Thread struct {
	t           *T
	begun, done chan struct{}
	id          int // from begun on
}

// Begin runs a function in a thread of its own. It must not use a method of T that ends a check.
func (t *T) Begin(calls func()) *Thread {
	h := &Thread{t: t, begun: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		h.id = threadID()
		close(h.begun)
		calls()
	}()
	return h
}

// Done returns a channel that is closed when the function has returned.
func (h *Thread) Done() <-chan struct{} { return h.done }

// State is what a thread does.
type State int

// The states.
const (
	Returned  State = iota // the function has returned
	Asleep                 // it sleeps in the plugin
	Unsettled              // neither
)

// Settle waits until the function has returned, or its thread has slept in the plugin without a
// break for some time: until then a busy machine may not even have begun the call. A thread that
// does neither for long is Unsettled, as one is that waits without sleeping. Where the system does
// not tell what threads do, Settle pauses for that time, and takes the thread to be asleep.
func (h *Thread) Settle(long time.Duration) State {
	select {
	case <-h.begun:
	case <-h.t.ctx.Done():
		return Unsettled
	}
	limit := time.Now().Add(long + 2*h.t.Patience())
	slept, since := sleep{}, time.Now()
	for {
		now, known := asleep(h.id, h.t.Table().Reentrant())
		if !known {
			break
		}
		if now == (sleep{}) || now != slept {
			slept, since = now, time.Now()
		} else if time.Since(since) >= long {
			return Asleep
		}
		select {
		case <-h.done:
			return Returned
		case <-time.After(max(long/8, time.Millisecond)):
		}
		if time.Now().After(limit) || h.t.ctx.Err() != nil {
			return Unsettled
		}
	}
	select {
	case <-h.done:
		return Returned
	case <-time.After(long):
		return Asleep
	}
}

// sleep identifies a sleep of a thread. The zero value is none.
type sleep struct {
	call     string // the system call, with its arguments and where it was made
	switches string // how many times the thread has gone to sleep
}
