// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// Operation is a transfer, a copy or an execution: work that may go on after the function
// that began it has returned. Its methods may be called from any goroutine.
type Operation struct {
	p        *Plugin
	function string
	device   int
	program  string

	run   func(error) // called once
	queue *queue      // where it runs; nil means in any goroutine

	mu   sync.Mutex
	held bool  // guarded by mu
	deps int   // guarded by mu; how many inputs it still waits for
	err  error // guarded by mu; what it fails with
	gone bool  // guarded by mu; runs, or has run
}

// Function returns the C name of the function that began the operation.
func (o *Operation) Function() string { return o.function }

// Device returns the id of the device, or of the first one if there are several.
func (o *Operation) Device() int { return o.device }

// Program returns the name of the program that is executed. It returns "" for other
// operations.
func (o *Operation) Program() string { return o.program }

// String returns the function, the program and the device of the operation.
func (o *Operation) String() string {
	if o.program != "" {
		return fmt.Sprintf("%s of %s on device %d", o.function, o.program, o.device)
	}
	return fmt.Sprintf("%s on device %d", o.function, o.device)
}

// Release lets a held operation go on. The operation ends as soon as its inputs are
// ready: a transfer before Release returns, an execution in another goroutine. Releasing
// it again does nothing.
func (o *Operation) Release() { o.letGo(nil) }

// Fail ends a held operation with err; its events then have the code and the message of
// err. If the operation is no longer held, Fail does nothing.
func (o *Operation) Fail(err error) {
	if err == nil {
		err = capi.ErrorCodeCancelled.Errorf("the test failed the operation")
	}
	o.letGo(asError(err))
}

func (o *Operation) letGo(err error) {
	o.p.mu.Lock()
	i := slices.Index(o.p.held, o)
	if i >= 0 {
		o.p.held = slices.Delete(o.p.held, i, i+1)
	}
	o.p.mu.Unlock()
	if i < 0 {
		return
	}
	o.mu.Lock()
	o.held = false
	if err != nil {
		o.err = err
	}
	o.mu.Unlock()
	o.advance()
}

// start begins an operation that needs deps. Its run receives the error of the first of
// deps that failed, or the error that a fault or the test asks for, or nil. Another
// goroutine may have poisoned an execution before start.
func (p *Plugin) start(o *Operation, deps []*future) {
	fault := p.faults.asynchronous(o.function)
	p.mu.Lock()
	o.mu.Lock()
	o.deps = len(deps) + 1
	if o.err == nil {
		o.err = fault
	}
	o.held = p.holding && !o.gone // an execution may have been poisoned already
	held := o.held
	o.mu.Unlock()
	if held {
		p.held = append(p.held, o)
		close(p.heldMore)
		p.heldMore = make(chan struct{})
	}
	p.mu.Unlock()
	for _, f := range deps {
		f.onReady(o.ready)
	}
	o.ready(nil)
}

// ready notes that one of the operation's inputs is ready, or failed with err.
func (o *Operation) ready(err error) {
	o.mu.Lock()
	o.deps--
	if err != nil && o.err == nil {
		o.err = err
	}
	o.mu.Unlock()
	o.advance()
}

// advance runs the operation unless it has to wait.
func (o *Operation) advance() {
	o.mu.Lock()
	if o.gone || o.held || o.deps > 0 {
		o.mu.Unlock()
		return
	}
	o.gone = true
	o.mu.Unlock()
	if o.queue != nil {
		o.queue.add(o.finish)
	} else {
		o.finish()
	}
}

func (o *Operation) finish() {
	o.mu.Lock()
	err := o.err
	o.mu.Unlock()
	o.run(err)
}

// queue runs functions one after another, in a goroutine that ends with the last one.
type queue struct {
	mu      sync.Mutex
	waiting []func() // guarded by mu
	busy    bool     // guarded by mu
}

func (q *queue) add(fn func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, fn)
	if !q.busy {
		q.busy = true
		go q.work()
	}
}

func (q *queue) work() {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.busy = false
			q.mu.Unlock()
			return
		}
		fn := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		fn()
	}
}

// Hold keeps all operations that begin from now on pending, so that their events do not
// become ready, until Release, Resume or a method of the Operation lets them go. A held
// operation has not touched the caller's memory yet, unless the API allows the caller to
// change that memory once the function has returned.
func (p *Plugin) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holding = true
}

// Resume ends Hold, and lets all held operations go on in the order in which they began.
func (p *Plugin) Resume() {
	p.mu.Lock()
	p.holding = false
	p.mu.Unlock()
	p.Release(-1)
}

// Release lets the n oldest held operations go on, or all if n is negative, and returns
// how many it released. Operations that begin later are still held.
func (p *Plugin) Release(n int) int {
	held := p.Held()
	if n < 0 || n > len(held) {
		n = len(held)
	}
	for _, o := range held[:n] {
		o.Release()
	}
	return n
}

// Held returns the operations that are held, in the order in which they began.
func (p *Plugin) Held() []*Operation {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.held)
}

// WaitHeld waits until at least n operations are held, and returns them. It is for tests
// of code that starts its own goroutines.
func (p *Plugin) WaitHeld(ctx context.Context, n int) ([]*Operation, error) {
	for {
		p.mu.Lock()
		held, more := slices.Clone(p.held), p.heldMore
		p.mu.Unlock()
		if len(held) >= n {
			return held, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return held, fmt.Errorf("%d operations are held, not yet %d: %w", len(held), n, ctx.Err())
		}
	}
}

// abort runs the operation with an error, unless it is already running.
func (o *Operation) abort(err error) {
	o.p.mu.Lock()
	if i := slices.Index(o.p.held, o); i >= 0 {
		o.p.held = slices.Delete(o.p.held, i, i+1)
	}
	o.p.mu.Unlock()
	o.mu.Lock()
	if o.gone {
		o.mu.Unlock()
		return
	}
	o.gone, o.err = true, err
	o.mu.Unlock()
	o.finish()
}
