// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
)

// plan holds what the Shim knows about a function before a call.
type plan struct {
	function *capi.Function
	args     *describe.Struct
	traced   bool
	faults   []*faultState
	rule     *rule // of the validator; nil if it is off
	stats    *stats
}

// call is a call in progress.
type call struct {
	*plan
	number   uint64 // its place among all calls of the process
	thread   uint64
	c        *serve.Invocation
	view     describe.View // without Struct if the caller passed no args
	started  time.Time
	duration time.Duration
	err      *failure // nil if the call succeeded
	inner    int      // for an execution, the number of outputs of each device
	// arguments has the arguments for the trace, formatted before the call.
	arguments *[]byte
	pending   recording.Pending
}

// size returns the size of the caller's args.
func (k *call) size() uintptr {
	if k.function.Size == 0 {
		return k.args.Size
	}
	return k.c.Size()
}

// failure is the error of a call.
type failure struct {
	code    capi.ErrorCode
	message string
}

// around is the hook of all functions.
func (s *session) around(c *serve.Invocation) {
	p := s.plans[c.Function()]
	if p == nil || s.closed.Load() {
		c.Forward()
		return
	}
	k := call{plan: p, c: c, number: s.calls.Add(1)}
	if args := c.Args(); args != nil {
		k.view = describe.NewView(p.args, args, k.size())
		if p.function == functionExecute {
			if k.inner = s.outputs.of(s.real, k.view); slices.Contains(s.config.Odd, FewerResults) {
				k.inner = int(fewer(uintptr(k.inner)))
			}
		}
	}
	if s.tracer != nil {
		k.thread = threadID()
		if p.traced {
			s.tracer.begin(&k)
		}
	}
	refused := s.validator != nil && !s.validator.before(&k)
	if s.recorder != nil {
		s.recorder.before(&k)
	}
	after := s.aside(&k)
	k.started = time.Now()
	switch {
	case refused && s.config.Refuse:
		c.Fail(capi.ErrorCodeInvalidArgument, "%s: refused by the validator, which has reported the reason", p.function.Name)
	case len(p.faults) > 0:
		s.disturb(&k)
	default:
		c.Forward()
	}
	k.duration = time.Since(k.started)
	if c.Err() != nil {
		k.err = s.read(p.function, c.Err())
	}
	if p.function == functionLoadedDestroy && k.view.Struct != nil {
		s.outputs.forget(uintptr(k.view.WordOf("executable")))
	}
	if after != nil {
		after()
	}
	if s.recorder != nil {
		s.recorder.after(&k)
	}
	if s.validator != nil {
		s.validator.after(&k)
	}
	s.settle(&k)
	p.stats.add(k.duration, k.err != nil)
	if s.tracer != nil && p.traced {
		s.tracer.end(&k)
	}
	s.countClients(&k)
}

// aside does the work that must precede the use of events, and returns a function to run after the
// call, or nil.
func (s *session) aside(k *call) (after func()) {
	if k.view.Struct == nil || s.validator == nil && s.recorder == nil {
		return nil
	}
	switch k.function {
	case functionOnReady:
		return s.onReady(k)
	case functionEventDestroy:
		s.events.drop(uintptr(k.view.WordOf("event")))
	}
	return nil
}

// disturb runs a call of a function with fault rules.
func (s *session) disturb(k *call) {
	delay, rule, n := s.faults.next(k.faults)
	if delay > 0 {
		time.Sleep(delay)
	}
	if rule == nil || rule.Call {
		k.c.Forward()
	}
	if rule != nil {
		k.c.Fail(rule.Fail, "%s", rule.message(k.function.Name, n))
	}
}

var (
	functionExecute       = (*capi.LoadedExecutableExecuteArgs)(nil).Function()
	functionToHost        = (*capi.BufferToHostBufferArgs)(nil).Function()
	functionLoadedDestroy = (*capi.LoadedExecutableDestroyArgs)(nil).Function()
	functionOnReady       = (*capi.EventOnReadyArgs)(nil).Function()
	functionIsReady       = (*capi.EventIsReadyArgs)(nil).Function()
	functionAwait         = (*capi.EventAwaitArgs)(nil).Function()
	functionEventError    = (*capi.EventErrorArgs)(nil).Function()
	functionEventDestroy  = (*capi.EventDestroyArgs)(nil).Function()
	functionErrorDestroy  = (*capi.ErrorDestroyArgs)(nil).Function()
	functionErrorMessage  = (*capi.ErrorMessageArgs)(nil).Function()
	functionErrorGetCode  = (*capi.ErrorGetCodeArgs)(nil).Function()
	functionClientCreate  = (*capi.ClientCreateArgs)(nil).Function()
	functionClientDestroy = (*capi.ClientDestroyArgs)(nil).Function()
)

// read reads an error without changing it. It does not read errors of the profiler.
func (s *session) read(f *capi.Function, h *capi.ErrorHandle) *failure {
	if e := serve.ReadError(h); e != nil {
		return &failure{e.Code, e.Message}
	}
	if f.Errors != capi.ErrorsPJRT {
		return &failure{code: capi.ErrorCodeUnknown}
	}
	x := &failure{code: capi.ErrorCodeUnknown}
	var code capi.Call[capi.ErrorGetCodeArgs]
	code.Args.Error = h
	if code.Do(s.real) == nil {
		x.code = code.Args.Code
	}
	var message capi.Call[capi.ErrorMessageArgs]
	message.Args.Error = h
	if message.Do(s.real) == nil {
		x.message = capi.String(message.Args.Message, message.Args.MessageSize)
	}
	return x
}
