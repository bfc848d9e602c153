// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// eventCalls holds the arguments of the calls about one event. One goroutine at a time
// uses it, for many events in turn, so that asking for finished work allocates nothing.
type eventCalls struct {
	contents capi.Call[capi.BufferReadyEventArgs]
	ready    capi.Call[capi.EventIsReadyArgs]
	wait     capi.Call[capi.EventAwaitArgs]
	destroy  capi.Call[capi.EventDestroyArgs]
	finished capi.Sequence // of wait and destroy; see finish
	prepared bool          // finished has its calls
	unsure   bool          // the last error of poll or take may be a call's, with the work still going on
}

var eventCallPool = sync.Pool{New: func() any { return new(eventCalls) }}

func (c *eventCalls) isReady(table *capi.Table, h *capi.Event) (bool, error) {
	c.ready.Args.Event = h
	err := c.ready.Do(table)
	return c.ready.Args.IsReady, err
}

// take returns the error of the work. It blocks the thread until the event is ready.
func (c *eventCalls) take(table *capi.Table, h *capi.Event) error {
	c.wait.Args.Event = h
	return c.judge(table, h, c.wait.Do(table))
}

// finish is take and close.
func (c *eventCalls) finish(table *capi.Table, h *capi.Event) error {
	if !c.prepared {
		c.finished.Add(&c.wait)
		c.finished.Add(&c.destroy)
		c.prepared = true
	}
	c.wait.Args.Event, c.destroy.Args.Event = h, h
	// One crossing into C for both calls.
	made, err := c.finished.Do(table)
	if err == nil || made > 0 {
		return nil
	}
	err = c.judge(table, h, err)
	c.close(table, h)
	return err
}

// judge returns the error of the work, given the error err of a wait call. If err is not the
// error of the work, judge waits again.
func (c *eventCalls) judge(table *capi.Table, h *capi.Event, err error) error {
	for tries := 1; ; tries++ {
		e, ok := err.(*Error)
		if !ok {
			return err
		}
		// The error is the work's unless the function failed without waiting. Then what the
		// work uses must not be freed, and judge can only call the function again.
		ready, rerr := c.isReady(table, h)
		c.unsure = !ready || rerr != nil
		lacking := e.Missing || e.Code == ErrUnimplemented // the function, or the work
		if !ready && rerr == nil && (lacking || tries < maxAwaits) {
			time.Sleep(time.Duration(min(tries, 10)) * time.Millisecond)
			err = c.wait.Do(table)
			continue
		}
		if lacking && ready {
			return c.workError(table, h, err)
		}
		if !e.Missing {
			e.Func = ""
		}
		return memoryError(err)
	}
}

// maxAwaits is how often take waits for an event that the plugin reports as failed and as
// not ready.
const maxAwaits = 100

// workError returns the error of an event that is ready, if the plugin may be unable to wait
// for events: err is what its wait call returned.
func (c *eventCalls) workError(table *capi.Table, h *capi.Event, err error) error {
	var ask capi.Call[capi.EventErrorArgs]
	ask.Args.Event = h
	if table.Lacks(ask.Function()) != nil {
		return err
	}
	err = ask.Do(table)
	if e, ok := err.(*Error); ok {
		e.Func = ""
	}
	return memoryError(err)
}

func (c *eventCalls) close(table *capi.Table, h *capi.Event) {
	c.destroy.Args.Event = h
	_ = c.destroy.Do(table)
}

// poll returns the error of the work if it is over. If not, poll waits in C if ctx cannot
// end and few other threads wait there; otherwise it reports false.
func (c *eventCalls) poll(ctx context.Context, table *capi.Table, h *capi.Event) (over bool, err error) {
	if ctx.Done() == nil && blocked.enter() {
		err = c.take(table, h)
		blocked.leave()
		return true, err
	}
	if c.isOver(ctx, table, h) {
		return true, c.take(table, h)
	}
	return false, nil
}

// isOver reports whether the work is over. If it is not, isOver looks again for a while,
// unless many others do: it takes longer to be called back than small work takes on a GPU.
func (c *eventCalls) isOver(ctx context.Context, table *capi.Table, h *capi.Event) bool {
	ready, err := c.isReady(table, h)
	if !ready && err == nil && spinning.enter() {
		for begin := now(); !ready && err == nil && ctx.Err() == nil; {
			runtime.Gosched()
			if ready, err = c.isReady(table, h); now()-begin > spinTime {
				break
			}
		}
		spinning.leave()
	}
	// After an error it is unknown whether the work goes on, so it counts as not ready.
	c.unsure = err != nil
	return ready && err == nil
}

// pollContents reports whether a buffer has its contents or failed, and returns the error of
// the work if so. It never waits.
func (c *eventCalls) pollContents(table *capi.Table, h *capi.Buffer) (settled bool, err error) {
	c.contents.Args.Buffer = h
	if err := c.contents.Do(table); err != nil {
		return false, err
	}
	e := c.contents.Args.Event
	if settled, err = c.isReady(table, e); !settled || err != nil {
		c.close(table, e)
		return false, err
	}
	return true, c.finish(table, e)
}

// await takes over an event, waits for it and destroys it. When ctx ends first, await
// returns the error of ctx, and the event is destroyed once it is ready. keep is held
// until then.
func (c *eventCalls) await(ctx context.Context, table *capi.Table, h *capi.Event, keep retainer) error {
	if h == nil {
		return nil
	}
	if ctx.Done() == nil && blocked.enter() {
		err := c.finish(table, h)
		blocked.leave()
		return err
	}
	if c.isOver(ctx, table, h) {
		return c.finish(table, h)
	}
	s := new(eventState)
	held := &heldEvent{table: table, handle: h, keep: keep}
	select {
	case <-s.watch(table, h, held):
		return s.err
	case <-ctx.Done():
		return abandon.Err(ctx, nil, "the plugin to report the end of the work")
	}
}

// awaitEvent is await with eventCalls from the pool.
func awaitEvent(ctx context.Context, table *capi.Table, h *capi.Event, keep retainer) error {
	c := eventCallPool.Get().(*eventCalls)
	defer eventCallPool.Put(c)
	return c.await(ctx, table, h, keep)
}

// heldEvent is a retainer that destroys the event on Release, and then releases keep.
type heldEvent struct {
	table  *capi.Table
	handle *capi.Event
	keep   retainer
}

func (e *heldEvent) Retain() { e.keep.Retain() }

func (e *heldEvent) Release() {
	destroyEvent(e.table, e.handle)
	e.keep.Release()
}

func destroyEvent(table *capi.Table, h *capi.Event) {
	if h == nil {
		return
	}
	c := eventCallPool.Get().(*eventCalls)
	defer eventCallPool.Put(c)
	c.close(table, h)
}

// blocked bounds the threads that wait for an event in C. That is the cheapest way to
// wait, but Go ends a process that needs too many threads.
var blocked = threadLimit{most: 16}

// spinning bounds the threads that look at an event again and again, so that most of the
// processors are left to others. With few processors there are none.
var spinning = threadLimit{most: int32(runtime.NumCPU() / 4)}

// spinTime is how long a thread does so. On an H100, small work takes about half of it.
const spinTime = 100 * time.Microsecond

type threadLimit struct {
	n    atomic.Int32
	most int32
}

// enter reports whether one more thread may do what the limit bounds. If so, the caller must
// leave.
func (l *threadLimit) enter() bool {
	if l.n.Add(1) <= l.most {
		return true
	}
	l.leave()
	return false
}

func (l *threadLimit) leave() { l.n.Add(-1) }

// registering bounds the threads that register callbacks at the same time: a callback
// that runs during its registration blocks its thread while it waits for a lock.
var registering = make(chan struct{}, 16)

// onReady makes the plugin call fn with the error of the work once it is over: on a
// thread of the plugin, or before onReady returns. fn must be quick and must not call
// the plugin. The event must exist until then.
func onReady(table *capi.Table, h *capi.Event, fn func(error)) {
	callback, handle := capi.NewEventOnReadyCallback(func(e *capi.ErrorHandle) { fn(memoryError(table.TakeError(e))) })
	var c capi.Call[capi.EventOnReadyArgs]
	c.Args.Event, c.Args.Callback, c.Args.UserArg = h, callback, uintptr(handle)
	registering <- struct{}{}
	err := c.Do(table)
	<-registering
	if err != nil {
		// The plugin has no callbacks, so a thread waits for the event.
		handle.Delete()
		go func() { fn(new(eventCalls).take(table, h)) }()
	}
}

// watch returns the channel of the state and makes the plugin report when the event h is
// ready. Only the first call asks the plugin, however many wait. keep holds h until then.
func (s *eventState) watch(table *capi.Table, h *capi.Event, keep retainer) <-chan struct{} {
	s.mu.Lock()
	done := s.channelLocked()
	first := !s.watched && !s.settled.Load()
	s.watched = s.watched || first
	s.mu.Unlock()
	if !first {
		return done
	}
	keep.Retain()
	onReady(table, h, func(err error) {
		// Release may call the plugin, which its own callback must not do. Release comes
		// before settle, so that waiters find the event unused.
		go func() {
			keep.Release()
			s.settle(err)
		}()
	})
	return done
}
