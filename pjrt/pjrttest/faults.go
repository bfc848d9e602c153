// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// fault is an error with which a function fails.
type fault struct {
	function string
	err      error
	left     int // how many more calls fail; negative for all
	skip     int // how many calls succeed first
	async    bool
}

// FaultOption says which calls fail, and how.
type FaultOption func(*fault)

// Times makes only the next n calls fail. Without it, all calls fail.
func Times(n int) FaultOption { return func(f *fault) { f.left = n } }

// After lets n calls succeed first.
func After(n int) FaultOption { return func(f *fault) { f.skip = n } }

// Async lets the call succeed and the operation that it began fail: the events of the
// transfer or execution, and the buffers that it makes, have the error.
func Async() FaultOption { return func(f *fault) { f.async = true } }

// block makes calls of a function wait.
type block struct {
	function string
	over     chan struct{} // closed at the end of the block
	err      error         // set before over is closed; with which the waiting calls fail, or nil
}

type faults struct {
	mu     sync.Mutex
	list   []*fault // guarded by mu
	blocks []*block // guarded by mu
}

// Fail makes the function with a C name, such as PJRT_Client_Compile, fail. It panics if
// the plugin has no function of that name, or if the code is OK. The returned function
// ends the fault.
//
// If several faults match a call, the call fails with the earliest of them.
func (p *Plugin) Fail(function string, code capi.ErrorCode, message string, options ...FaultOption) (end func()) {
	p.mustHave(function)
	if code <= capi.ErrorCodeOK || code > capi.ErrorCodeUnauthenticated {
		panic(fmt.Sprintf("pjrttest: a function cannot fail with the code %v", code))
	}
	f := &fault{function: function, err: &capi.Error{Code: code, Message: message}, left: -1}
	for _, o := range options {
		o(f)
	}
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.list = append(p.faults.list, f)
	return func() {
		p.faults.mu.Lock()
		defer p.faults.mu.Unlock()
		p.faults.list = slices.DeleteFunc(p.faults.list, func(g *fault) bool { return g == f })
	}
}

// mustHave panics if no function of the C name can fail.
func (p *Plugin) mustHave(function string) {
	if !p.functions[function] {
		panic(fmt.Sprintf("pjrttest: the plugin has no function %q; give a C name, such as PJRT_Client_Compile", function))
	}
}

// Block makes calls of the function with a C name, such as PJRT_Client_Create, wait. They
// continue when the test calls end, and fail with CANCELLED if the plugin is closed first.
// This tests code that gives up when a plugin is slow, or that does other work meanwhile.
// Block panics if the plugin has no function of that name.
//
// Calls counts a call before it waits. Calls that Fail makes fail wait too.
func (p *Plugin) Block(function string) (end func()) {
	p.mustHave(function)
	b := &block{function: function, over: make(chan struct{})}
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.blocks = append(p.faults.blocks, b)
	return func() { p.faults.unblock(nil, func(c *block) bool { return c == b }) }
}

// unblock ends the blocks that which selects. The calls that wait fail with err, or go on
// if it is nil.
func (f *faults) unblock(err error, which func(*block) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blocks = slices.DeleteFunc(f.blocks, func(b *block) bool {
		if !which(b) {
			return false
		}
		b.err = err
		close(b.over)
		return true
	})
}

// synchronous returns the error with which a call of a function must fail, or nil. It
// waits while the function is blocked.
func (f *faults) synchronous(function string) error {
	for {
		f.mu.Lock()
		i := slices.IndexFunc(f.blocks, func(b *block) bool { return b.function == function })
		if i < 0 {
			f.mu.Unlock()
			return f.next(function, false)
		}
		b := f.blocks[i]
		f.mu.Unlock()
		if <-b.over; b.err != nil {
			return b.err
		}
	}
}

// asynchronous returns the error with which the operation that a function began must fail,
// or nil.
func (f *faults) asynchronous(function string) error { return f.next(function, true) }

func (f *faults) next(function string, async bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.list {
		if x.function != function || x.async != async || x.left == 0 {
			continue
		}
		if x.skip > 0 {
			x.skip--
			continue
		}
		if x.left > 0 {
			x.left--
		}
		return x.err
	}
	return nil
}
