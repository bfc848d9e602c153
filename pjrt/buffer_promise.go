// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"fmt"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// promise is something that the plugin waits to be told once: that it has come,
// or that it has failed. One that the program gives up, or forgets, fails.
type promise struct {
	ref *lifetime.Ref[promiseState]
}

// promiseState is apart from promise, so that the cleanup of a promise can reach
// it.
type promiseState struct {
	kind string
	tell func(err error) error // tells of a failure

	mu   sync.Mutex
	told bool // guarded by mu
}

// errAbandoned is what a promise fails with when it is closed.
var errAbandoned = &Error{Code: ErrCancelled, Message: "it was given up before it was there"}

// newPromise makes a promise of a kind, for errors and for Live. tell passes an
// error to the plugin.
func newPromise(kind string, c *Client, tell func(err error) error) *promise {
	return &promise{lifetime.New(kind, &promiseState{kind: kind, tell: tell}, c.ref, func(s *promiseState) {
		if s.first() {
			_ = s.tell(errAbandoned) // there is nobody to tell but the plugin
		}
	})}
}

// first reports whether the caller is the first to tell the plugin.
func (s *promiseState) first() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.told
	s.told = true
	return first
}

// keep runs tell, unless the plugin has been told already.
func (p *promise) keep(tell func() error) error {
	return p.settle(func(*promiseState) error { return tell() })
}

// fail tells the plugin of an error.
func (p *promise) fail(err error) error {
	if err == nil {
		return invalid("the error is nil")
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
		return invalid("the %s is settled already", s.kind)
	}
	return tell(s)
}

func (p *promise) close() { p.ref.Close() }

// failure returns the code and the text of err for the plugin, the text without
// the code.
func failure(err error) (capi.ErrorCode, string) {
	code := capi.CodeOf(err)
	if code == capi.ErrorCodeOK { // an error is never a success
		code = ErrUnknown
	}
	var e *Error
	if errors.As(err, &e) && err == error(e) {
		return code, e.Message
	}
	return code, err.Error()
}

// failed is the error of something that is no mistake in an argument, found
// before C saw it.
func failed(code capi.ErrorCode, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// payloadsSince is the API minor whose error buffers take payloads.
const payloadsSince = 103

// payloads returns the payloads of err in C's form, nil when there are none or
// the plugin takes none.
func (c *Client) payloads(err error) (*capi.NamedValues, error) {
	var e *Error
	_, minor := c.table.Version()
	if !errors.As(err, &e) || minor < payloadsSince {
		return nil, nil
	}
	var list []Attribute
	for _, p := range e.Payloads {
		list = append(list, Attribute{Name: p.Key, Value: string(p.Value)})
	}
	values, nerr := capi.NewNamedValues(list)
	if nerr != nil {
		return nil, invalid("payloads: %v", nerr)
	}
	return values, nil
}
