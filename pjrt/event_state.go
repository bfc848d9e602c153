// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync"
	"sync/atomic"
)

// eventState is the Go side of an event. It stays valid for waiters after the event is
// closed. The callback that C holds keeps it alive, together with the Event, whose C event
// must exist until it is ready anyhow.
type eventState struct {
	mu      sync.Mutex
	watched bool          // guarded by mu; the plugin has a callback, or is about to get one
	done    chan struct{} // guarded by mu; nil until a caller asks for it
	after   []func(error) // guarded by mu; called when the event is ready

	settled atomic.Bool // err is valid
	err     error
}

// A retainer must stay alive while an event is pending.
type retainer interface {
	Retain()
	Release()
}

// settle records the result of the work on the first call, and always returns the recorded
// result.
func (s *eventState) settle(err error) error {
	s.mu.Lock()
	if s.settled.Load() {
		s.mu.Unlock()
		return s.err
	}
	s.err = err
	s.settled.Store(true)
	if s.done != nil {
		close(s.done)
	}
	after := s.after
	s.after = nil
	s.mu.Unlock()
	for _, fn := range after {
		go call(fn, err)
	}
	return err
}

// call calls a function for OnReady.
func call(fn func(error), err error) {
	contained("a function for the end of an event", func() { fn(err) })
}

// then calls fn with the result once it is recorded, in its own goroutine.
func (s *eventState) then(fn func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.settled.Load() {
		go call(fn, s.err)
		return
	}
	s.after = append(s.after, fn)
}

// channel returns a channel that is closed once the result is recorded.
func (s *eventState) channel() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.channelLocked()
}

// channelLocked is channel for a caller that holds s.mu.
func (s *eventState) channelLocked() <-chan struct{} {
	if s.done == nil {
		s.done = make(chan struct{})
		if s.settled.Load() {
			close(s.done)
		}
	}
	return s.done
}
