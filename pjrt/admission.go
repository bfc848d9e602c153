// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
)

// limit bounds the number of executions under way. The zero value has no bound.
type limit struct {
	slots atomic.Pointer[chan struct{}]
}

// set changes the bound for new executions. Executions under way keep their slots of the
// old bound, and take none of the new one.
func (l *limit) set(n int) {
	if n <= 0 {
		l.slots.Store(nil)
		return
	}
	slots := make(chan struct{}, n)
	l.slots.Store(&slots)
}

// isSet reports whether there is a bound.
func (l *limit) isSet() bool { return l.slots.Load() != nil }

// enter waits for a slot. The caller frees it by receiving from the channel, which is nil
// if there is no bound.
func (l *limit) enter(ctx context.Context) (chan struct{}, error) {
	p := l.slots.Load()
	if p == nil {
		return nil, nil
	}
	select {
	case *p <- struct{}{}:
		return *p, nil
	default:
	}
	if err := refuseInHandler(ctx, fmt.Sprintf("the limit of %d executions is reached", cap(*p))); err != nil {
		return nil, err
	}
	select {
	case *p <- struct{}{}:
		return *p, nil
	case <-ctx.Done():
		return nil, abandon.Err(ctx, nil, fmt.Sprintf("one of %d executions under way, which is the limit", cap(*p)))
	}
}

// traffic counts the executions of a client. Plugins bound their number by blocking the
// thread of the next call, which no context can end. traffic therefore makes the calls
// that would block wait in Go, all but a few.
type traffic struct {
	limit  limit
	counts atomic.Int64 // what underWay and direct return, in one word since most calls change both
	queued atomic.Int64 // executions under way whose call went through the gate

	free int           // with up to this many executions under way, a call does not wait in the plugin
	gate chan struct{} // has a token for each call that passed it and may wait in the plugin
	// spread has a token for each execution on several devices whose call went through the gate.
	// The plugin counts executions on each device. If as many run as it allows, one may have a
	// place on the first device and wait for one on the second, and another the other way round.
	spread chan struct{}
}

// What traffic.counts has for each execution under way and for each direct call.
const (
	oneUnderWay = 1
	oneDirect   = 1 << 32
)

// underWay returns the number of executions that were admitted and are not over.
func (t *traffic) underWay() int64 { return t.counts.Load() % oneDirect }

// direct returns the number of calls under way that did not go through the gate.
func (t *traffic) direct() int64 { return t.counts.Load() / oneDirect }

// newTraffic returns the traffic of a plugin that allows capacity executions under way.
// Direct calls get half of them and calls through the gate the other half, so that
// neither waits in the plugin for the other.
func newTraffic(capacity int) traffic {
	half := max(capacity/2, 1)
	return traffic{free: half, gate: make(chan struct{}, half), spread: make(chan struct{}, half)}
}

// admissionState says what an execution counts for.
type admissionState uint8

const (
	notAdmitted admissionState = iota
	admitted                   // counts as under way, and holds a slot of each limit
	queued                     // also counts as an execution whose call went through the gate
)

// admission is one execution's way through the limits and the gate.
type admission struct {
	state   admissionState
	direct  bool // counts as a direct call
	spread  bool // is on several devices
	traffic *traffic
	slots   [2]chan struct{} // of the program's and the client's limit
}

// enter waits until the limits admit the execution. The caller must call leave, even
// after an error. soon says that beginCall follows and nothing is waited for until then.
func (a *admission) enter(ctx context.Context, program *limit, t *traffic, soon bool) (err error) {
	a.traffic = t
	if a.slots[0], err = program.enter(ctx); err != nil {
		return err
	}
	if a.slots[1], err = t.limit.enter(ctx); err != nil {
		return err
	}
	if a.state = admitted; !soon {
		t.counts.Add(oneUnderWay)
	} else if a.direct = t.counts.Add(oneUnderWay+oneDirect)%oneDirect <= int64(t.free); !a.direct {
		t.counts.Add(-oneDirect)
	}
	return nil
}

// leave frees the slots of an execution that is over or did not begin.
func (a *admission) leave() {
	a.unqueue()
	switch {
	case a.direct:
		a.traffic.counts.Add(-oneUnderWay - oneDirect)
	case a.state != notAdmitted:
		a.traffic.counts.Add(-oneUnderWay)
	}
	a.direct = false
	for i, s := range a.slots {
		if s != nil {
			<-s
			a.slots[i] = nil
		}
	}
	a.state = notAdmitted
}

// unqueue undoes what passing the gate counted.
func (a *admission) unqueue() {
	if a.state != queued {
		return
	}
	a.state = admitted
	a.traffic.queued.Add(-1)
	if a.spread {
		<-a.traffic.spread
	}
}

// beginCall precedes the call of the plugin, and endCall or leave follows it. It reports whether
// the call is direct, which means that it does not wait in the plugin. Otherwise
// beginCall has passed the gate, which lets only a few threads wait in the plugin.
func (a *admission) beginCall(ctx context.Context) (direct bool, err error) {
	if a.direct || a.traffic.beginDirect() {
		a.direct = true
		return true, nil
	}
	a.unqueue() // the call before failed, and this is the retry
	if err := a.traffic.passGate(ctx, a.spread); err != nil {
		return false, err
	}
	a.state = queued
	return false, nil
}

func (a *admission) endCall(direct bool) {
	if direct {
		a.direct = false
		a.traffic.counts.Add(-oneDirect)
		return
	}
	<-a.traffic.gate
}

// beginDirect reports whether a call need not wait. It counts the call before it looks, so
// that no later call through the gate takes its place in the plugin.
func (t *traffic) beginDirect() bool {
	if t.counts.Add(oneDirect)%oneDirect <= int64(t.free) {
		return true
	}
	t.counts.Add(-oneDirect)
	return false
}

// enterAlone counts an execution and its direct call, without a look at the limits, if no other
// execution is under way. If it reports false, it has done nothing.
func (t *traffic) enterAlone() bool { return t.counts.CompareAndSwap(0, oneUnderWay+oneDirect) }

// leaveAlone undoes enterAlone.
func (t *traffic) leaveAlone() { t.counts.Add(-oneUnderWay - oneDirect) }

const executionsUnderWay = "one of the executions under way, of which the plugin takes no more"

// passGate waits until one more thread may wait in the plugin. The caller receives from
// the gate when the thread is back. While direct calls are under way, passGate leaves
// room for them in the plugin. For an execution on several devices it first waits until the plugin
// has a place on each; the caller receives from spread when the execution is over.
func (t *traffic) passGate(ctx context.Context, spread bool) (err error) {
	if x := inside.Current(ctx); x != nil {
		if t.passAtOnce(spread) {
			return nil
		}
		return failed(ErrFailedPrecondition, "%d executions are under way, and a handler of a custom call in %s cannot wait for the end "+
			"of one, since its own execution may be in the way: limit those of %[2]s to %d with LimitInFlight",
			t.underWay(), x.Program, t.free)
	}
	if spread {
		select {
		case t.spread <- struct{}{}:
		case <-ctx.Done():
			return abandon.Err(ctx, nil, executionsUnderWay)
		}
		defer func() {
			if err != nil {
				<-t.spread
			}
		}()
	}
	select {
	case t.gate <- struct{}{}:
	case <-ctx.Done():
		return abandon.Err(ctx, nil, executionsUnderWay)
	}
	for {
		n := t.queued.Load()
		if n < int64(cap(t.gate)) || t.direct() == 0 {
			if t.queued.CompareAndSwap(n, n+1) {
				return nil
			}
			continue
		}
		select {
		case <-time.After(50 * time.Microsecond): // direct calls are usually short
		case <-ctx.Done():
			<-t.gate
			return abandon.Err(ctx, nil, executionsUnderWay)
		}
	}
}

// passAtOnce is passGate for a call that must not wait. It reports false, and has done nothing, if
// the call would wait here or in the plugin.
func (t *traffic) passAtOnce(spread bool) bool {
	if spread {
		select {
		case t.spread <- struct{}{}:
		default:
			return false
		}
	}
	select {
	case t.gate <- struct{}{}:
		for n := t.queued.Load(); n < int64(cap(t.gate)); n = t.queued.Load() {
			if t.queued.CompareAndSwap(n, n+1) {
				return true
			}
		}
		<-t.gate
	default:
	}
	if spread {
		<-t.spread
	}
	return false
}
