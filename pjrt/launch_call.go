// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// do makes the C call, in which a plugin may wait while many executions are under way, or
// run the whole program. When ctx ends during the call, do returns, and the call goes on
// with everything that the launch holds.
func (l *launch) do(ctx context.Context) error {
	direct, err := l.admission.beginCall(ctx)
	if err != nil {
		return err
	}
	if err := l.beginTurns(ctx); err != nil {
		l.admission.endCall(direct)
		return err
	}
	if ctx.Done() == nil || direct && l.isQuick() {
		defer l.admission.endCall(direct)
		return l.timedInvoke(ctx)
	}
	return l.doAside(ctx, direct)
}

// isQuick reports whether the C call certainly takes less time than a goroutine for it is
// worth: each execution does the same work, and the last calls were quick.
func (l *launch) isQuick() bool {
	return l.entry.steady && l.exe.executions.quick.certain()
}

// timedInvoke is invoke that remembers for isQuick how long the call took. Calls that no
// context can end do not need to know.
func (l *launch) timedInvoke(ctx context.Context) error {
	if ctx.Done() == nil {
		return l.invoke()
	}
	begin := now()
	err := l.invoke()
	l.exe.executions.quick.note(begin)
	return err
}

// doAside makes the C call in a goroutine of its own.
func (l *launch) doAside(ctx context.Context, direct bool) error {
	if l.aside == nil {
		l.aside = &asideCall{result: make(chan error, 1)}
		l.aside.run = l.invokeAside
	}
	l.aside.ctx, l.aside.direct = ctx, direct
	l.aside.settled.Store(false)
	l.Retain()
	go l.aside.run()
	select {
	case err := <-l.aside.result:
		return err
	case <-ctx.Done():
		if l.aside.settled.CompareAndSwap(false, true) {
			l.abandoned = true
			return ctx.Err()
		}
		return <-l.aside.result
	}
}

// asideCall is the C call of a launch in a goroutine of its own. A launch that is used
// again has one, so that the goroutine costs no allocation.
type asideCall struct {
	run     func()
	ctx     context.Context
	direct  bool        // the call was admitted as a direct one
	settled atomic.Bool // by the end of the call, or by the caller who gave it up
	result  chan error  // unless the caller gave up; has room for one
}

func (l *launch) invokeAside() {
	err := l.timedInvoke(l.aside.ctx)
	l.aside.ctx = nil
	l.admission.endCall(l.aside.direct)
	if l.aside.settled.CompareAndSwap(false, true) {
		result := l.aside.result
		l.Release() // before the caller, so that the caller's next execution finds the launch unused
		result <- err
		return
	}
	l.discard()
	l.giveArguments()
	l.Release()
}

// discard drops the results of an execution whose caller has gone.
func (l *launch) discard() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.wait(ended)
	l.destroyOutputs()
}

// invoke makes the C call and ends the turns of beginTurns.
func (l *launch) invoke() error {
	err := l.frame.call.Do(l.exe.client.table)
	l.endTurns(len(l.held))
	runtime.KeepAlive(l)
	if err != nil {
		return l.failed(err)
	}
	return nil
}

// failed returns the error to report for err, with which the C call failed.
func (l *launch) failed(err error) error {
	// After an error the plugin still owns the handles that it wrote.
	clear(l.frame.outputs)
	clear(l.frame.events)
	return l.explain(err)
}

// explain adds to err which argument another execution consumed at the same time, or
// after it was bound, if the plugin refused the arguments and one did.
func (l *launch) explain(err error) error {
	if !errors.Is(err, ErrInvalidArgument) {
		return err
	}
	n := l.numArguments()
	for i, h := range l.frame.arguments {
		if gone, derr := l.calls.isDeleted(l.exe.client.table, h); derr == nil && gone {
			return fmt.Errorf("parameter %d of %v was deleted, or donated to another execution: %w", i%n, l.devices[i/n], err)
		}
	}
	return err
}

// wait takes over the events of all devices and waits for them. If a device failed, wait
// destroys the results.
func (l *launch) wait(ctx context.Context) error {
	table := l.exe.client.table
	var first error
	for i, h := range l.frame.events {
		l.frame.events[i] = nil
		err := l.event.await(ctx, table, h, l)
		if err == nil || first != nil {
			continue
		}
		first = err
		l.unknown = l.unknown || l.event.unsure
		if len(l.devices) > 1 && ctx.Err() == nil {
			first = fmt.Errorf("%v: %w", l.devices[i], err)
		}
	}
	if first != nil {
		l.destroyOutputs()
	}
	return first
}

func (l *launch) destroyOutputs() { l.exe.client.destroyResults(l.frame.outputs, l.unknown) }
