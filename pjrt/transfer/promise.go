// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"sync"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// promise tells the plugin exactly once that something has arrived, or that it has
// failed. A promise that is closed or forgotten fails with errAbandoned.
type promise struct {
	ref *lifetime.Ref[promiseState]
}

// promiseState is apart from promise because the cleanup of a forgotten promise still
// needs it.
type promiseState struct {
	kind string
	tell func(err error) error // reports a failure to the plugin

	mu   sync.Mutex
	told bool // guarded by mu
}

// errAbandoned is the error of a promise that was closed or forgotten.
var errAbandoned = &pjrt.Error{Code: pjrt.ErrCancelled, Message: "the promise was given up before it was kept"}

// newPromise makes a promise. Errors and pjrt.Live call it by its kind. tell passes an
// error to the plugin.
func newPromise(kind string, c *pjrt.Client, tell func(err error) error) *promise {
	return &promise{lifetime.New(kind, &promiseState{kind: kind, tell: tell}, raw.Parent(c), func(s *promiseState) {
		if s.first() {
			_ = s.tell(errAbandoned)
		}
	})}
}

// first reports whether this is its first call.
func (s *promiseState) first() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.told
	s.told = true
	return first
}

// keep calls tell, which reports success to the plugin. It returns an error if the
// plugin was told something before.
func (p *promise) keep(tell func() error) error {
	return p.settle(func(*promiseState) error { return tell() })
}

// fail reports an error to the plugin. It returns an error if the plugin was told
// something before.
func (p *promise) fail(err error) error {
	if err == nil {
		return pjrt.ErrInvalidArgument.Errorf("the error is nil; Fulfill is for success")
	}
	return p.settle(func(s *promiseState) error { return s.tell(err) })
}

func (p *promise) settle(tell func(*promiseState) error) error {
	s, err := p.ref.Acquire()
	if err != nil {
		return err
	}
	defer p.ref.Close()
	defer p.ref.Release()
	if !s.first() {
		return pjrt.ErrInvalidArgument.Errorf("the %s has already been fulfilled or failed", s.kind)
	}
	return tell(s)
}

// close fails the promise unless it was kept or failed before. p may be nil.
func (p *promise) close() {
	if p != nil {
		p.ref.Close()
	}
}
