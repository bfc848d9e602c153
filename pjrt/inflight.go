// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
)

// inFlight bounds the executions that are under way. The zero value has no bound.
type inFlight struct {
	slots atomic.Pointer[chan struct{}]
}

// set changes the bound for executions to come; those under way count for the
// old one.
func (f *inFlight) set(n int) {
	if n <= 0 {
		f.slots.Store(nil)
		return
	}
	slots := make(chan struct{}, n)
	f.slots.Store(&slots)
}

// enter waits for a slot, to be given back by receiving from the channel. It is
// nil when there is no bound.
func (f *inFlight) enter(ctx context.Context) (chan struct{}, error) {
	p := f.slots.Load()
	if p == nil {
		return nil, nil
	}
	select {
	case *p <- struct{}{}:
		return *p, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// LimitInFlight bounds the executions of this program that are under way at the
// same time, from now on. When there are n already, Execute and Start wait until
// one is over, or ctx ends. 0 takes the bound away. It keeps a fast producer from
// filling the device's memory with results that are not there yet.
func (e *LoadedExecutable) LimitInFlight(n int) {
	if e != nil {
		e.executions.limit.set(n)
	}
}

// LimitInFlight bounds the executions of all programs of the client that are
// under way at the same time, like LoadedExecutable.LimitInFlight. A program on
// several devices counts as one.
func (c *Client) LimitInFlight(n int) {
	if c != nil {
		c.limit.set(n)
	}
}

// InFlight returns how many executions of the client's programs are under way. A
// program on several devices counts as one, until the last is done.
func (c *Client) InFlight() int {
	if c == nil {
		return 0
	}
	return int(c.flight.n.Load())
}

// enter waits until the limits allow one more execution.
func (l *launch) enter(ctx context.Context) (err error) {
	if l.slots[0], err = l.exe.executions.limit.enter(ctx); err != nil {
		return err
	}
	if l.slots[1], err = l.exe.client.limit.enter(ctx); err != nil {
		return err
	}
	l.exe.client.flight.n.Add(1)
	l.counted = true
	return nil
}

// leave ends what enter began.
func (l *launch) leave() {
	if l.counted {
		l.counted = false
		l.exe.client.flight.n.Add(-1)
	}
	if l.aside {
		l.aside = false
		l.exe.client.flight.aside.Add(-1)
	}
	for i, s := range l.slots {
		if s != nil {
			<-s
			l.slots[i] = nil
		}
	}
}

// flight counts the executions of a client that are under way. XLA's CPU plugin
// lets no more than 32 of them be so on each device: the next call waits in C, and
// holds a thread.
type flight struct {
	n      atomic.Int64
	direct atomic.Int64 // calls under way that found no crowd
	aside  atomic.Int64 // executions under way that passed the gate
	gate   chan struct{}
}

// crowd is the number of executions from which on a call may wait, and gateSize
// how many calls may wait at the same time. Together they are what XLA's CPU
// plugin lets be under way.
const crowd, gateSize = 16, 16

func newFlight() flight { return flight{gate: make(chan struct{}, gateSize)} }

// enterDirect reports whether a call need not wait; leaveDirect is to follow it
// then. The call counts before it looks: no call that passes the gate later
// takes its place in the plugin.
func (f *flight) enterDirect() bool {
	f.direct.Add(1)
	if f.n.Load() <= crowd {
		return true
	}
	f.direct.Add(-1)
	return false
}

func (f *flight) leaveDirect() { f.direct.Add(-1) }

// passGate waits until one more thread may wait in C; leave ends that. The
// execution counts as one that passed the gate until it is over. While calls are
// on their way that expect not to wait, no more executions pass than leave room
// for them.
func (f *flight) passGate(ctx context.Context) (leave func(), err error) {
	select {
	case f.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	leave = func() { <-f.gate }
	for {
		n := f.aside.Load()
		if n < gateSize || f.direct.Load() == 0 {
			if f.aside.CompareAndSwap(n, n+1) {
				return leave, nil
			}
			continue
		}
		select {
		case <-time.After(50 * time.Microsecond): // the calls are short as a rule
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
}

// allocate makes a call that takes memory of a device. When there is none left it
// collects and tries once more, as executions do.
func allocate[A any](ctx context.Context, table *capi.Table, call *capi.Call[A]) error {
	err := call.Do(table)
	if err == nil || !errors.Is(err, ErrResourceExhausted) {
		return err
	}
	collect(ctx)
	if ctx.Err() != nil {
		return err
	}
	return better(err, call.Do(table))
}

// collect has the collector find objects that the program forgot, and waits
// until the plugin has destroyed them, or for a moment.
func collect(ctx context.Context) {
	const patience = 200 * time.Millisecond
	deadline := time.After(patience)
	found := make(chan struct{})
	forget(found)
	runtime.GC()
	select {
	case <-found:
	case <-deadline:
	case <-ctx.Done():
	}
	// Objects are destroyed by goroutines of their own: wait for the numbers to
	// stand still.
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for before, same := -1, 0; same < 3; {
		n := 0
		for _, live := range Live() {
			n += live
		}
		if same++; n != before {
			before, same = n, 0
		}
		select {
		case <-tick.C:
		case <-deadline:
			return
		case <-ctx.Done():
			return
		}
	}
}

// forget makes an object that nobody refers to, whose end closes found.
func forget(found chan struct{}) {
	marker := new([16]byte) // too large for the allocator that packs tiny objects
	runtime.AddCleanup(marker, func(c chan struct{}) { close(c) }, found)
}
