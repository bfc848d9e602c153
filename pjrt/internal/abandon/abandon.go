// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package abandon lets a caller stop waiting for a C call, which cannot be interrupted.
//
// There is one rule in this module: no C call runs on a caller whose context can end. A function
// with such a context runs in a goroutine of its own, to which the caller hands it over; when the
// context ends, the caller leaves, and the goroutine goes on and cleans up. With a context that
// cannot end, nothing is handed over.
//
// Handing over costs half a microsecond, so a function that takes a context does it once, around
// all that it does, and not for each C call. How long earlier calls took says nothing about the
// next one, which is why it is done for quick ones too: a plugin hangs after a thousand quick
// calls.
package abandon

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Call runs make, which cannot be interrupted, and returns its result. If ctx ends first, Call
// returns an Ended, make continues in its own goroutine, and close gets its result. A panic in
// make is passed on to the caller, and so is runtime.Goexit.
func Call[T any](ctx context.Context, make func() (T, error), close func(T) error) (T, error) {
	return CallOn(ctx, nil, make, close)
}

// CallOn is Call with the subject of the call, for the error: see Err.
func CallOn[T any](ctx context.Context, on fmt.Stringer, make func() (T, error), close func(T) error) (T, error) {
	var none T
	if err := Err(ctx, on, ""); err != nil {
		return none, err
	}
	if ctx.Done() == nil {
		return make()
	}
	c := &call[T]{make: make, close: close}
	c.handOver = handOvers.Get().(*HandOver)
	if !c.handOver.Run(ctx, c) {
		return none, Err(ctx, on, Plugin)
	}
	handOvers.Put(c.handOver)
	if c.err != nil {
		return c.value, Explain(ctx, c.err, on)
	}
	return c.value, nil
}

// Do is Call without a result.
func Do(ctx context.Context, do func() error) error { return DoOn(ctx, nil, do) }

// DoOn is CallOn without a result.
func DoOn(ctx context.Context, on fmt.Stringer, do func() error) error {
	_, err := CallOn(ctx, on, func() (struct{}, error) { return struct{}{}, do() }, func(struct{}) error { return nil })
	return err
}

// CleanUp runs do, which cannot be interrupted, and which must run even if ctx has ended. It does
// not wait for its end any longer than until the end of ctx, and reports whether it is over.
func CleanUp(ctx context.Context, do func()) bool {
	if ctx.Done() == nil {
		do()
		return true
	}
	c := &call[struct{}]{make: func() (struct{}, error) { do(); return struct{}{}, nil }}
	c.handOver = handOvers.Get().(*HandOver)
	if !c.handOver.Run(ctx, c) {
		return false
	}
	handOvers.Put(c.handOver)
	return true
}

// call is a Job of Call.
type call[T any] struct {
	handOver *HandOver
	make     func() (T, error)
	close    func(T) error // or nil
	value    T
	err      error
}

func (c *call[T]) Run() { c.value, c.err = c.make() }

func (c *call[T]) Drop() {
	if c.err == nil && c.close != nil {
		_ = c.close(c.value)
	}
}

// Job is what a goroutine does for a caller.
type Job interface {
	// Run does it. The caller may leave meanwhile.
	Run()
	// Drop disposes of what Run has left, for a caller that has gone.
	Drop()
}

// HandOver hands a Job over to a goroutine. It can be used again after Run has returned true, and
// then costs no allocation.
type HandOver struct {
	main    func()
	job     Job
	settled atomic.Bool   // by the end of the job, or by the caller, who has gone
	over    chan struct{} // gets a value at the end of a job whose caller has not gone
	failure any           // with which the job panicked
	exited  bool          // the job ended its goroutine
}

var handOvers = sync.Pool{New: func() any { return NewHandOver() }}

// NewHandOver returns a HandOver for Run.
func NewHandOver() *HandOver {
	h := &HandOver{over: make(chan struct{}, 1)}
	h.main = h.do
	return h
}

// Run runs a job in a goroutine and reports whether it is over. If not, because ctx has ended, the
// job and the HandOver belong to that goroutine, and nobody may use them any more.
func (h *HandOver) Run(ctx context.Context, job Job) bool {
	h.begin(job)
	go h.main()
	return h.wait(ctx)
}

// RunBy is Run in a goroutine that start chooses. It must run the function that it is given there,
// once.
func (h *HandOver) RunBy(ctx context.Context, job Job, start func(func())) bool {
	h.begin(job)
	start(h.main)
	return h.wait(ctx)
}

func (h *HandOver) begin(job Job) {
	h.job = job
	h.settled.Store(false)
}

func (h *HandOver) wait(ctx context.Context) bool {
	select {
	case <-h.over:
	case <-ctx.Done():
		if !h.noticed() && h.settled.CompareAndSwap(false, true) {
			return false
		}
		<-h.over
	}
	h.job = nil
	if h.failure != nil || h.exited {
		h.rethrow()
	}
	return true
}

// noticed waits a moment for a job that waits in Go, and not in the plugin, and so ends with its
// context: its error says what it waited for. It reports whether the job is over.
func (h *HandOver) noticed() bool {
	const moment = time.Millisecond
	for begin := time.Now(); time.Since(begin) < moment; time.Sleep(moment / 20) {
		if h.settled.Load() {
			return true
		}
	}
	return false
}

func (h *HandOver) do() {
	returned := false
	defer func() {
		if returned {
			return
		}
		h.failure = recover()
		h.exited = h.failure == nil
		if !h.settle() && h.failure != nil {
			panic(h.failure)
		}
	}()
	h.job.Run()
	returned = true
	if !h.settle() {
		h.job.Drop()
	}
}

// settle ends the wait of the caller, and reports whether the caller has not gone.
func (h *HandOver) settle() bool {
	waits := h.settled.CompareAndSwap(false, true)
	if waits {
		h.over <- struct{}{}
	}
	return waits
}

// rethrow ends the caller as the job has ended its goroutine.
func (h *HandOver) rethrow() {
	if h.exited {
		runtime.Goexit()
	}
	panic(h.failure)
}
